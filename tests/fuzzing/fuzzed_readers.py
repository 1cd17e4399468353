"""Every reader of files, and small right files to begin with.

Files come from the demo data, are made here (models, Parquet, archives), and are the beginnings of real ones where
the folder of real data is there.
"""

from __future__ import annotations

import importlib.util
import io
import itertools
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from mutations import PACKINGS, Files

import wordorder
from wordorder.apps.find.label_studio import compare_answers, label_studio_tasks
from wordorder.apps.nbest.nbest import NBest
from wordorder.apps.nbest.weights import read_weights
from wordorder.apps.preorder.language import load_rules
from wordorder.apps.profile.language_pairs import read_cognates, read_pairs
from wordorder.apps.profile.sentences import read_segmented, read_sentences
from wordorder.apps.scale.importing import ImportJob, find_sources, import_corpus, import_source
from wordorder.apps.scale.merging import totals
from wordorder.apps.scale.parts import Part, read_report
from wordorder.apps.scale.status import status
from wordorder.apps.study import Study
from wordorder.apps.study.answers import read_responses
from wordorder.core.runtime.files import line_blocks
from wordorder.core.text.tokens import Tokens, encode, read_word_list
from wordorder.formats import (
    brackets,
    conllu,
    delay_logs,
    error_tables,
    given_scores,
    gold,
    lengths,
    lexicons,
    mqm,
    mtme,
    nbest,
    parse_lists,
    permutations,
    pud,
    ratings,
    reference_orders,
    tables,
    text,
    wmt_rankings,
    wmt_xml,
)
from wordorder.formats.alignments import ALIGNMENT_FORMATS, read_alignments
from wordorder.formats.annotations import Annotations
from wordorder.linking import aligning
from wordorder.linking.matching.relations import Paraphrases, WordNet
from wordorder.linking.parsing import Grammar, transition
from wordorder.linking.parsing import grammar as grammar_file

DEMO = Path(wordorder.__file__).parent / "data" / "demo"
REAL = Path(__file__).resolve().parents[3] / "shared"

_MOST = 3000
"""Bytes of a file to begin with, unless its first line is longer."""


@dataclass(frozen=True)
class Reader:
    """How a kind of input is read, and right ones; ``read`` gets the file, or the folder if there are several."""

    name: str
    read: Callable[[str], object]
    seeds: tuple[Files, ...]

    @property
    def folder(self) -> bool:
        """Whether an input is a folder."""
        return any(len(seed) > 1 or "/" in next(iter(seed)) for seed in self.seeds)


def used_up(blocks: Iterable[Any] | None) -> int:
    """Read all blocks and keep none."""
    return sum(1 for _ in blocks or ())


def in_blocks(read: Callable[[str], Iterable[Any]]) -> Callable[[str], int]:
    """Return what reads all blocks of a file."""
    return lambda path: used_up(read(path))


def beginning(path: Path) -> bytes:
    """Return the first lines of a file, unpacked."""
    lines = b""
    for block in line_blocks(path, lines=1):
        line = block.data.tobytes()
        if lines and len(lines) + len(line) > _MOST:
            break
        lines += line
    whole = lines.rfind(b"\n\n") + 2  # records of several lines
    return lines[:whole] if whole > 1 else lines


def demo(*names: str, called: str | None = None) -> list[Files]:
    """Take files of the demo data."""
    return [{called or Path(name).name.removesuffix(".gz"): beginning(DEMO / name)} for name in names]


def real(*patterns: str, called: str) -> list[Files]:
    """Take the beginnings of real files, at most three of each pattern, where they are."""
    found = (itertools.islice(sorted(REAL.glob(pattern)), 3) for pattern in patterns)
    return [{called: beginning(path)} for path in itertools.chain.from_iterable(found)]


def made(name: str, *contents: str | bytes) -> list[Files]:
    """Take contents as they are."""
    return [{name: content if isinstance(content, bytes) else content.encode()} for content in contents]


def folder_of(path: Path, *, prefix: str = "") -> Files:
    """Take the files below a folder."""
    files = (file for file in sorted(path.rglob("*")) if file.is_file() and file.name.startswith(prefix))
    return {file.relative_to(path).as_posix(): file.read_bytes() for file in files}


def saved(save: Callable[[str], Any], name: str) -> list[Files]:
    """Take what a program writes."""
    with tempfile.TemporaryDirectory() as folder:
        save(str(Path(folder) / name))
        return [{name: (Path(folder) / name).read_bytes()}]


def table(**columns: Any) -> pa.Table:
    return pa.table(columns)


TABLES = [
    table(text=["ein Haus", "", "das Buch"], other=[1, 2, None]),
    table(text=[1, 2, 3], other=["a", "b", "c"]),
    table(text=[{"de": "a b", "en": "b a"}, {"de": "x", "en": None}], other=[[1], None]),
    table(text=pa.array(["a", "b"]).dictionary_encode(), other=[b"\xff", b"a"]),
    table(text=pa.nulls(2), other=pa.array([True, None])),
    table(text=pa.array([["a", "b"], None], type=pa.list_(pa.string()))),
]


def parquet(content: pa.Table) -> bytes:
    target = io.BytesIO()
    pq.write_table(content, target)
    return target.getvalue()


def arrow(content: pa.Table, *, stream: bool) -> bytes:
    target = io.BytesIO()
    with (pa.ipc.new_stream if stream else pa.ipc.new_file)(target, content.schema) as writer:
        writer.write_table(content)
    return target.getvalue()


def model(kind: str) -> list[Files]:
    texts = encode(["das haus", "das buch", "ein buch 議会"], ["the house", "the book", "a book parliament"])
    return saved(aligning.train(*texts, model=kind, iterations=1).save, "model.npz")


def grammar() -> list[Files]:
    trees = brackets.read(DEMO / "english.mrg")
    return saved(partial(grammar_file.save, Grammar.learn(trees)), "en.grammar")


def parser() -> list[Files]:
    learned = transition.DependencyParser.learn(conllu.read(DEMO / "parser.conllu")[:2])
    plain = saved(partial(transition.save, learned), "de.parser")
    return [*plain, *saved(partial(transition.save, learned), "de.parser.gz")]


def study(kind: str) -> Files:
    contents: dict[str, dict[str, Any]] = {
        "scramble": {"text": "a b c", "order": [2, 1, 3]},
        "rate": {"source": "x y z", "outputs": {"A": "a b", "B": "b a"}},
        "prefer": {"source": "x y", "outputs": {"A": "a b", "B": "b a"}},
        "judge": {
            "reference": ["a", "b", "c"],
            "translation": ["b", "a"],
            "reference_blocks": [[0], [1, 2]],
            "translation_blocks": [[1], [0]],
        },
        "align": {"source": ["x", "y"], "target": ["a", "b"], "links": [[0, 1]]},
        "mark": {"source": "x y", "words": ["a", "b"]},
    }
    question = '[[questions]]\nname = "fluency"\ntext = "How fluent?"\nscale = [1, 7]\nends = ["bad", "good"]\n'
    settings = f'kind = "{kind}"\ntitle = "T"\nseed = 5\n{question}[people]\nshare = 1.0\n[checks]\npractice = 1\n'
    items = [
        {"id": f"{group}x{version}", "group": f"g{group}", "condition": f"c{version}", **contents[kind]}
        for group in range(2)
        for version in range(2)
    ]
    payload = json.dumps(
        {
            "scramble": {"fluency": 3},
            "rate": {"fluency": [3, 4]},
            "prefer": {"choice": "A"},
            "judge": {"choice": "C"},
            "align": {"target": ["a", "b"], "links": [[0, 0], [1, 1]]},
            "mark": {"moves": [{"words": [1], "before": 0, "severity": "minor"}]},
        }[kind]
    )
    answers = [{"person": "p1", "item": "0x0", "payload": payload, "visible": 900, "received": 1}]
    lines = ("\n".join(json.dumps(one) for one in rows).encode() + b"\n" for rows in (items, answers))
    return dict(zip(("study.toml", "items.jsonl", "simulated.jsonl"), (settings.encode(), *lines), strict=True))


def study_log() -> Files:
    """Return a study with the database of what people did."""
    from wordorder.apps.study.store import Event, Store

    with tempfile.TemporaryDirectory() as folder:
        for name, content in study("scramble").items():
            (Path(folder) / name).write_bytes(content)
        with Store(folder) as store:
            store.append([Event("answer", "p1", item="0x0", payload='{"answer": {"fluency": 3}}')])
        return folder_of(Path(folder))


def read_study(folder: str, *, simulated: bool = True) -> object:
    found = Study.read(folder)
    return found.digest, read_responses(found, found.answers(simulated=simulated))


def read_reference_orders(path: str) -> object:
    words = [["a", "b", "a@7", "10 000"], ["x"], ["the", "cat", "the", "hat"]]
    return reference_orders.read(path, Tokens.of(words))


def read_sides(path: str) -> int:
    return used_up(read_sentences(path, None, side="source", words=True))


def read_words_of_characters(path: str) -> int:
    return used_up(read_segmented(path, None, None, side="source"))


def read_corpus(path: str, *, column: str = "text") -> object:
    with tempfile.TemporaryDirectory() as out:
        columns = {"a": column}
        return [import_source(ImportJob(tuple(columns.items())), source, out) for source in find_sources(path, columns)]


def read_part(path: str) -> object:
    part = Part(path, "part")
    return part.fingerprint(), part.schema(), used_up(part.batches(rows=2)), read_report(path)


def read_results(folder: str) -> object:
    return status(folder).to_dict(), totals(folder)


def results() -> Files:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "a.tsv").write_text("text\nein Haus\ndas Buch\n", encoding="utf-8")
        import_corpus(place / "a.tsv", columns={"a": "text"}, out=place / "out")
        return folder_of(place / "out")


def alignment_readers() -> Iterator[Reader]:
    seeds = {
        "pharaoh": [
            *demo("good.align", "reference.align", called="a"),
            *real("formats/samples/pharaoh-*", "data/gold-align/*.out", called="a"),
            *made("a", "0-0 1-2-P 3?4\n\n0-1\n"),
        ],
        "talp": [
            *demo("gold.talp", called="a"),
            *real("formats/samples/talp*", "data/gold-align/*.gold", called="a"),
        ],
        "naacl": [
            *made("a", "0001 1 1\n0001 2 3 P\n0002 1 1 S 0.5\n0003 0 1\n"),
            *real("formats/samples/naacl*", called="a"),
        ],
        "giza": [
            *made("a", "# Sentence pair (1) source length 2 target length 2 alignment score : 0.1\na b\n"
                  "NULL ({ }) x ({ 1 }) y ({ 2 })\n"),
            *real("formats/samples/giza*", called="a"),
        ],
        "lader": [*made("a", "2-3 ||| 0-0 1-2\n0-0 |||\n"), *real("formats/samples/lader*.align", called="a")],
        "target-list": made("a", "0,1_2,,0\n\n,\n"),
        "moses": [
            *made("a", "the cat |0-1| sat |2-2|\na b |0-0|\n", "0-0 1-1\n"),
            *real("formats/samples/moses.nbest-inline*", called="a"),
        ],
        "xl-wa": [
            *made("a", "ein Haus\ta house\t0-0 1-1\n"),
            *real("formats/samples/xl-wa*", "formats/samples/multimwa*", called="a"),
        ],
        "jsonl": [
            *made("a", '{"source": ["ein", "Haus"], "target": "a house", "links": [[0, 0], [1, -1]]}\n'),
            *real("formats/samples/alignments-jsonl*", called="a"),
        ],
        "pud": [folder_of(DEMO / "en-de")],
        "nbest": [
            *demo("dev.nbest.gz", called="a"),
            *real("formats/samples/moses*.nbest-with*", called="a"),
            *made("a", "0 ||| a b ||| d: -1 lm: -2 ||| -3 ||| 0-1=0-1 ||| 0-0 1-1\n"),
        ],
    }  # fmt: skip
    for format in ALIGNMENT_FORMATS:
        yield Reader(f"alignments {format}", in_blocks(partial(read_alignments, format=format)), tuple(seeds[format]))
    for format in ("talp", "naacl", "xl-wa", "jsonl", "pud"):
        yield Reader(f"gold {format}", partial(gold.read, format=format), tuple(seeds[format]))


def nbest_readers() -> Iterator[Reader]:
    seeds = {
        "moses": [
            *demo("dev.nbest.gz", "samples.nbest.gz", called="a"),
            *real("formats/samples/moses*nbest*", "data/nbest/*/*nbest.gz", "data/nbest/joshua/*", called="a"),
            *real("data/nbest/zmert/example10/cand*", "data/nbest/moses-fr-en/nbest.out", called="a"),
        ],
        "marian": [
            *made("a", "0 ||| a b ||| 0-0 1-1 ||| F0= -1.5 ||| -0.7\n0 ||| b ||| 0-0 ||| F0= -2 ||| -1\n"),
            *real("data/nbest/marian/*nbest*expected", called="a"),
        ],
        "fairseq": [
            *made("a", "S-0\tx y\nH-0\t-0.5\ta b\nD-0\t-0.5\ta b\nP-0\t-0.1 -0.2\nA-0\t0-0 1-1\n"),
            *real("data/nbest/fairseq/*", called="a"),
        ],
        "lines": [*demo("good.txt", called="a"), *real("data/nbest/fairseq/samples*", called="a")],
        "jsonl": made(
            "a",
            '{"id": 0, "translations": ["a b", "b"], "scores": [-1.5, -2]}\n',
            '{"id": 0, "nbest": [{"text": "a", "score": 1, "features": {"lm": 2}}]}\n{"id": 3, "text": "x"}\n',
        ),
    }
    options: Mapping[str, dict[str, Any]] = {"lines": {"count": 2}}
    aligned = ("moses", "marian", "fairseq")
    for format, contents in seeds.items():
        given = options.get(format, {})
        yield Reader(f"nbest {format}", partial(NBest.read, format=format, **given), tuple(contents))
        if format in aligned:
            read = in_blocks(partial(nbest.read_blocks, format=format, alignments=True))
            yield Reader(f"nbest {format} links", read, tuple(contents))


def text_readers() -> Iterator[Reader]:
    plain = [
        *demo("good.txt", "zh-en/source.txt", called="a.txt"),
        *real("data/wmt12/newstest2012-ref.*", "data/multi30k/*", called="a.txt"),
        *made("a.txt", "a b\r\nc\r\n", "a\x00b\n", "a\nb\n".encode("utf-16")),
    ]
    yield Reader("text", text.read, tuple(plain))
    for ending, (_, pack) in PACKINGS.items():
        packed = [{f"a.txt{ending}": pack(content)} for files in plain for content in files.values()]
        yield Reader(f"text {ending}", text.read, tuple(packed))
    yield Reader("SGML", text.read_sgml, (
        *made("a.sgm", '<refset><doc docid="1"><seg id="1">a &amp; b</seg>\n<p><seg id=2>c\nd</seg></doc>\n'),
        *real("formats/samples/*.sgm.excerpt", called="a.sgm"),
    ))  # fmt: skip
    xml = (
        '<?xml version="1.0"?><dataset id="x"><doc id="1"><src lang="de"><p><seg id="1">a</seg></p></src>'
        '<ref lang="en" translator="A"><p><seg id="1">b</seg></p></ref><hyp system="S" lang="en">'
        '<p><seg id="1">c &lt;</seg></p></hyp></doc></dataset>\n'
    )
    yield Reader("WMT XML", wmt_xml.read, (*made("a.xml", xml), *real("formats/samples/wmt21-xml*", called="a.xml")))
    yield Reader("bitext", text.read_bitext, (
        *demo("de-en.bitext", called="a"), *real("formats/samples/*.src-tgt", "data/gold-align/*.src-tgt", called="a")
    ))  # fmt: skip
    yield Reader("word list", read_word_list, tuple(made("a", "der\ndie\n\ndas\n")))
    yield Reader("sentences", read_sides, (
        *demo("source.txt", called="a.txt"), *demo("source.conllu"), *demo("english.mrg")
    ))  # fmt: skip
    yield Reader("words of characters", read_words_of_characters, tuple(demo("zh-en/source.txt", called="a.txt")))
    yield Reader("lengths", in_blocks(lengths.read_blocks), tuple(demo("source.len", called="a")))
    yield Reader("words counted", in_blocks(lengths.count_blocks), tuple(plain))
    yield Reader("permutations", permutations.read, (
        *demo("good.orders", "scrambled.orders", called="a"), *made("a", "2 1 3\n\n1\n")
    ))  # fmt: skip


def table_readers() -> Iterator[Reader]:
    lines = '{"text": "a b", "other": 1}\n{"text": "c", "other": {"text": "d"}}\n'
    delimited = {
        ".tsv": made("a.tsv", 'text\tother\na b\t"x ""y"" z"\n\tc\n'),
        ".csv": made("a.csv", 'text,other\n"a, b",c\nd,"e\nf"\n'),
        ".jsonl": made("a.jsonl", lines),
        ".parquet": [{"a.parquet": parquet(one)} for one in TABLES],
        ".arrow": [{"a.arrow": arrow(one, stream=stream)} for one in TABLES for stream in (True, False)],
    }

    def cells(path: str, column: str) -> int:
        return used_up(tables.read_blocks(path, column, lines=2))

    for ending, seeds in delimited.items():
        yield Reader(f"column of {ending}", partial(cells, column="text"), tuple(seeds))
        yield Reader(f"import of {ending}", read_corpus, tuple(seeds))
    yield Reader("inner column of .parquet", partial(cells, column="text.de"), tuple(delimited[".parquet"]))
    dataset = {"data-0.arrow": arrow(TABLES[0], stream=True), "data-1.arrow": arrow(TABLES[0], stream=False)}
    yield Reader("dataset", partial(cells, column="text"), ({**dataset, "state.json": b"{}"},))
    yield Reader("part", read_part, tuple(delimited[".parquet"]))
    yield Reader("results", read_results, (results(),))


def tree_readers() -> Iterator[Reader]:
    trees = [
        *demo("english.mrg", called="a"),
        *real("data/gum-trees/*wiki.ptb", called="a"),
        *made("a", "(())\n(S (A b))"),
    ]
    parsed = [
        *demo("source.conllu", "source.nbest.conllu", called="a.conllu"),
        *real("formats/samples/*.conllu", called="a.conllu"),
    ]
    lists = made("a", "2 s1\n-1.5\n(S1 (S (NP (NN a)) (VP (VB b))))\n-2.5\n(S1 (NP (NN a) (NN b)))\n\n")
    yield Reader("brackets", brackets.read, tuple(trees))
    yield Reader("CoNLL-U", conllu.read, tuple(parsed))
    yield Reader("tagged CoNLL-U", pud.read_tagged, tuple(parsed))
    yield Reader("parses of CoNLL-U", parse_lists.read_conllu_sentences, tuple(parsed))
    yield Reader("parse lists", parse_lists.read, tuple(lists))
    yield Reader("dependencies", parse_lists.read_dependencies, (*trees, *lists, *demo("parser.conllu", called="a")))
    yield Reader("treebank with links", pud.read, (folder_of(DEMO / "en-de"),))
    yield Reader("reference orders", read_reference_orders, tuple(
        made(
            "a",
            "{{ b a }} a@7 10\u00a0000\nx\nthe@3 cat the hat\n",
            "b a@1 10\u00a0000 a@7\n\n{{ the cat }} hat the@3\n",
        )
    ))  # fmt: skip
    yield Reader("rules", load_rules, (
        *demo("german.rules", called="a.rules"),
        *made("a.rules", "labels x y\nVERB -> nsubj, [other children]> reversed, \"der\", HEAD\n"),
    ))  # fmt: skip


def judgement_readers() -> Iterator[Reader]:
    marked = made(
        "a.jsonl",
        '{"system": "A", "line_id": 0, "langs": "en-cs", "src": "a", "tgt": "b", "esa_score": 50, "esa_spans": '
        '[{"severity": "minor", "start_i": 0}]}\n{"system": "A", "line_id": 1, "tgt": "b", "esa_spans": "[]"}\n',
    )
    pairs = made(
        "a.json",
        '[{"id": 1, "src_sent": "x", "eng_sent": "a b", "mt_sent": "a b", "pert_sent": "b a", "pert_name": '
        '"base_id1_word_swap", "severity": "minor"}]',
    )
    chat = [
        *made(
            "a.csv",
            "doc_id,segment_id,lp,source,mt,reference,severity,typology_error,mqm\n"
            "1,1,de_en,a,b,c,minor,Word order,90\n",
        ),
        *real("formats/samples/mqm-chat*", called="a.csv"),
    ]  # fmt: skip
    errors = [
        *demo("mqm.tsv", called="a.tsv"),
        *real("formats/samples/mqm-google*", "formats/samples/mqm-en*", called="a.tsv"),
    ]
    rankings = [*demo("rankings.csv", called="a.csv"), *real("formats/samples/*ranking*csv", called="a.csv")]
    rated = [
        *demo("ratings.tsv", called="a"),
        *real("formats/samples/wmt21-ad*", "formats/samples/mqm-avg*", called="a"),
    ]

    def marks(found: Annotations | list[Annotations]) -> object:
        every = found if isinstance(found, list) else [found]
        return [(one.ratings(), one.marks("any"), one.translations()) for one in every]

    yield Reader("WMT rankings", wmt_rankings.read, tuple(rankings))
    yield Reader("ratings", ratings.read, tuple(rated))
    yield Reader("preferences", ratings.read_preferences, tuple(demo("preferences.tsv", called="a")))
    yield Reader(
        "HTER",
        lambda path: ratings.read_hter({"A": path}),
        (*demo("good.hter", called="a"), *made("a", "1 7\n0 0\n\n")),
    )
    yield Reader("MQM", lambda path: marks(mqm.read_annotations(path)), tuple(errors))
    tasks = label_studio_tasks(wordorder.find({"A": ["b a", "a b"]}, ["a b", "a b"]))
    exported = json.dumps([{**task, "annotations": task["predictions"]} for task in tasks])
    yield Reader("Label Studio", lambda path: str(compare_answers(path)), tuple(made("a.json", exported)))
    yield Reader("MQM of chats", lambda path: marks(error_tables.read_chat({"A": path})), tuple(chat))
    yield Reader("ESA", lambda path: marks(error_tables.read_esa(path)), tuple(marked))
    yield Reader("DEMETR", lambda path: marks(error_tables.read({"A": path})), tuple(pairs))
    yield Reader("QRev", lambda path: marks(error_tables.read({"A": path})), (folder_of(DEMO / "qrev"),))
    yield Reader("mt-metrics-eval", partial(mtme.read, pair="de-en", human="da"), (folder_of(DEMO / "mtme"),))
    for ending, content in {
        "": "A 0.5\nA None\nB 1\nB 2\n",
        ".tsv": "system\tseg_id\tscore\nA\t1\t0.5\nA\t2\tnan\n",
        ".jsonl": '{"system": "A", "segment": 1, "score": 0.5}\n{"system": "A", "segment": 2, "score": null}\n',
    }.items():
        yield Reader(f"given scores {ending}".strip(), given_scores.read, tuple(made(f"a{ending}", content)))
    piece = '{"id": 0, "total_audio_processed": 1.5, "generated_tokens": %s, "deleted_tokens": %s}'
    head = '{"id": 0, "metadata": {"wav_name": "a.wav"}}'
    pieces = "\n".join([head, piece % ('["▁a", "b"]', "[]"), piece % ('["c"]', '["b"]'), ""])
    segment = '{"prediction": "a b", "emission_cu": [1, 2], "reference": "c", "source_length": 3, "longform": true}\n'
    logs = [*demo("wait2.log", called="a"), *made("a", pieces), *made("a", segment)]
    yield Reader("delays", delay_logs.read, tuple(logs))
    times = "- {duration: 4.5, offset: 1, wav: a.wav}\n- {duration: 1, offset: 7.25, wav: b.wav}\n"
    yield Reader("segments of recordings", delay_logs.read_segments, tuple(made("a", times)))


def model_readers() -> Iterator[Reader]:
    for kind in ("model1", "diagonal", "hmm"):
        yield Reader(f"aligner {kind}", aligning.load, tuple(model(kind)))
    yield Reader("grammar", grammar_file.load, tuple(grammar()))
    plain, packed = parser()
    yield Reader("dependency parser", transition.load, (plain,))
    yield Reader("dependency parser .gz", transition.load, (packed,))
    yield Reader("weights", read_weights, tuple(made("a", "feature\tbleu\nlm\t0.5\nd\t-1\n", "lm 0.5\nd 1\n")))
    yield Reader("dictionary", lexicons.read, tuple(made("a.tsv", "Haus\thouse\nzu Hause\tat home\tx\n\n")))
    yield Reader("paraphrases", Paraphrases.read, tuple(made("a", "0.5\na b\nc\n0.1\nx\ny z\n")))
    index = b"  1 licence\ncar n 1 1 @ 1 0 00000001\nauto n 1 0 1 0 00000001\n"
    parts = ("noun", "verb", "adj", "adv")
    wordnet = {f"index.{part}": index for part in parts} | {f"{part}.exc": b"geese goose\n" for part in parts}
    yield Reader("WordNet", WordNet.read, (wordnet,))
    yield Reader("language pairs", read_pairs, tuple(demo("pairs.tsv", called="a")))
    yield Reader("cognates", lambda path: read_cognates(path).pairs(), (
        *demo("cognates.tsv", called="a"), *made("a", "language,meaning,class\nfr,animal,A/B\nen,animal,A\n")
    ))  # fmt: skip
    for kind in ("scramble", "rate", "prefer", "judge", "align", "mark"):
        yield Reader(f"study {kind}", read_study, (study(kind),))
    if importlib.util.find_spec("sqlalchemy"):
        yield Reader("study log", partial(read_study, simulated=False), (study_log(),))


def all_readers() -> list[Reader]:
    """Return every reader with its files."""
    kinds = (
        text_readers,
        table_readers,
        alignment_readers,
        nbest_readers,
        tree_readers,
        judgement_readers,
        model_readers,
    )
    return [reader for kind in kinds for reader in kind()]
