"""Files with numbers that overflow a byte and a short, for every reader of ``fuzzing/fuzzed_readers.py``, by its name.

Where a format has positions, lengths, counts, scores or numbers of segments, they are above 255 and above 65,535;
elsewhere there are that many lines or words. A sentence cannot have more than 65,536 words.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from fuzzed_readers import DEMO, arrow, folder_of, made, parquet, saved, study, study_log, table
from mutations import PACKINGS, Files

import wordorder
from wordorder.apps.find.label_studio import label_studio_tasks
from wordorder.apps.scale.importing import import_corpus
from wordorder.core.text.tokens import encode
from wordorder.formats import brackets, conllu
from wordorder.linking import aligning
from wordorder.linking.parsing import Grammar, transition
from wordorder.linking.parsing import grammar as grammar_file

Value = TypeVar("Value")

BYTE, SHORT = 300, 65_536
"""Lengths of sentences: the numbers of their last words do not fit into a byte or into 16 bits with a sign."""

SIZES = (BYTE, SHORT)
NUMBERS = (0, 9, 10, 99, 127, 128, 255, 256, 257, 299, 32_767, 32_768, 65_535, 65_536, 65_537, 70_000, 999_999)
SCORES = ("-14.61", "-126.855", "256", "300.5", "32768", "-65537.25", "1e-300", "123456789012345678901234567890")


def words(count: int, *, start: int = 0) -> list[str]:
    return [f"w{number}" for number in range(start, start + count)]


def sentence(count: int) -> str:
    return " ".join(words(count))


def turned(count: int) -> list[int]:
    """An order with a long jump, a stretch that runs backwards, and two neighbours that have changed places."""
    third = count // 3
    moved = [*range(2 * third, count), *range(third, 2 * third), *range(third)]
    moved[5:25] = moved[5:25][::-1]
    moved[40], moved[41] = moved[41], moved[40]
    return moved


def lines(rows: Iterable[str]) -> str:
    return "".join(f"{row}\n" for row in rows)


def records(rows: Iterable[object]) -> str:
    return lines(map(json.dumps, rows))


def alignments() -> Iterator[tuple[str, list[Files]]]:
    kinds: dict[str, list[str]] = {}
    for size in SIZES:
        known = [number for number in NUMBERS if number < size]
        pairs = list(zip(known, reversed(known), strict=True))
        last = size - 1
        pharaoh = " ".join(f"{one}-{two}" for one, two in pairs)
        placed = " ".join(f"{word} ({{ {place} }})" for place, word in enumerate(words(size), start=1))
        phrases = (f"a b c d |{start}-{start + 3}|" for start in range(0, size, 4))
        found = {"source": words(size), "target": sentence(size), "links": pairs}
        for format, content in {
            "pharaoh": f"{pharaoh} {last}-{last}-P {last}-0:0.12345678901234567 {last}?{last - 1}\n",
            "talp": " ".join(f"{one + 1}-{two + 1}" for one, two in pairs) + f" {size}p{size}\n",
            "naacl": lines(f"{row + 1} {a + 1} {b + 1}" for row in (0, 1, 256) for a, b in pairs),
            "lader": f"{size}-{size} ||| {pharaoh}\n",
            "target-list": ",".join(f"{one}_{two}" for one, two in pairs) + "\n",
            "giza": f"# Sentence pair (1) source length {size} target length {size} alignment score : 300.5\n"
                    f"{sentence(size)}\nNULL ({{ }}) {placed}\n",
            "moses": " ".join(reversed(list(phrases))) + "\n",
            "xl-wa": f"{sentence(size)}\t{sentence(size)}\t{pharaoh}\n",
            "jsonl": json.dumps(found) + "\n",
            "nbest": f"{size} ||| {sentence(size)} ||| d: -1 ||| -3 ||| {pharaoh}\n",
        }.items():  # fmt: skip
            kinds.setdefault(format, []).append(content)
    for format, contents in kinds.items():
        yield f"alignments {format}", made("a", *contents)
        if format in ("talp", "naacl", "xl-wa", "jsonl"):
            yield f"gold {format}", made("a", *contents)
    for name in ("alignments pud", "gold pud", "treebank with links"):
        yield name, [treebank(size) for size in (SIZES if name.startswith("alignments") else (BYTE,))]


def treebank(size: int) -> Files:
    links = {str(place + 1): [str(where + 1)] for where, place in enumerate(turned(size))}
    files = {"en.conllu": dependencies(size, 5), "target.conllu": dependencies(size, 7)}
    return {name: text.encode() for name, text in (files | {"alignment.json": json.dumps([links])}).items()}


def dependencies(size: int, each: int, *, of: str = "w") -> str:
    heads = [size if word % each == 0 else word + 1 for word in range(1, size)] + [0]
    rows = (
        f"{word}\t{of}{word}\tl\tNOUN\tx\t_\t{head}\t{'dep' if head else 'root'}\t_\t_"
        for word, head in enumerate(heads, start=1)
    )
    return lines(rows) + "\n"


def trees() -> Iterator[tuple[str, list[Files]]]:
    flat = {size: "".join(f" (A {word})" for word in words(size)) for size in SIZES}
    nested = "(S (A a)" + " (B (C b)" * 300 + ")" * 301
    bracketed = made("a", *(f"(S{leaves})\n{nested}\n" for leaves in flat.values()))
    parsed = made("a.conllu", *(dependencies(size, each) for size, each in zip(SIZES, (5, 7), strict=True)))
    lists = made("a", *(f"2 s{size}\n-300.5\n(S{flat[size]})\n-65537.25\n(S (B{flat[size]}))\n\n" for size in SIZES))
    yield "brackets", bracketed
    yield from (("CoNLL-U", parsed), ("tagged CoNLL-U", parsed[:1]), ("parses of CoNLL-U", parsed[:1]))
    yield "parse lists", lists
    yield "dependencies", [*bracketed[:1], *lists[:1], *made("a", dependencies(BYTE, 5))]
    again = (f"a@{place + 1}" for place in turned(BYTE))
    yield "reference orders", made("a", lines([" ".join(again), " ".join(f"w{place}" for place in turned(SHORT))]))
    listed = " ".join(f'"{word}"' for word in words(SHORT + 9))
    rules = (f'VERB("{word}") -> advmod("{word}"), [other children], HEAD' for word in words(BYTE))
    yield "rules", made("a.rules", lines([*rules, f"VERB -> advmod({listed}), [other children], HEAD"]))


def texts() -> Iterator[tuple[str, list[Files]]]:
    plain = lines([sentence(BYTE), sentence(SHORT), *words(SHORT + 9)])
    yield "text", made("a.txt", plain)
    for ending, (_, pack) in PACKINGS.items():
        yield f"text {ending}", made(f"a.txt{ending}", pack(plain.encode()))
    segments = [(number, sentence(BYTE)) for number in range(1, 400)]
    yield "SGML", made("a.sgm", lines(["<refset><doc>", *(f'<seg id="{n}">{text}</seg>' for n, text in segments)]))
    inner = {side: "".join(f'<seg id="{n}">{text}</seg>' for n, text in segments) for side in ("src", "ref", "hyp")}
    sides = '<src lang="de">{src}</src><ref lang="en" translator="A">{ref}</ref><hyp system="S" lang="en">{hyp}</hyp>'
    yield "WMT XML", made("a.xml", f'<dataset id="x"><doc id="1">{sides.format(**inner)}</doc></dataset>\n')
    yield "bitext", made("a", f"{sentence(SHORT)} ||| {sentence(BYTE)}\n", lines(["a b ||| b"] * (SHORT + 9)))
    yield "word list", made("a", lines(words(SHORT + 9)))
    yield "sentences", [*made("a.txt", plain), *made("a.conllu", dependencies(SHORT, 5))]
    yield "words of characters", made("a.txt", lines([sentence(BYTE), sentence(SHORT)]))
    yield "lengths", made("a", lines(str(number) for number in NUMBERS if number <= SHORT))
    yield "words counted", made("a.txt", plain)
    orders = lines(" ".join(str(place + 1) for place in turned(size)) for size in SIZES)
    yield "permutations", made("a", orders + "1\n" * (SHORT + 9))


def tables() -> Iterator[tuple[str, list[Files]]]:
    cells = [sentence(BYTE), sentence(SHORT), *words(SHORT + 9)]
    whole = table(text=cells, other=list(range(len(cells))))
    nested = table(text=[{"de": cell, "en": None} for cell in cells], other=list(range(len(cells))))
    repeated = whole.set_column(0, "text", whole["text"].dictionary_encode())  # indices of 32 bits
    kinds: dict[str, Sequence[str | bytes]] = {
        ".tsv": [lines(["text\tother", *(f"{cell}\t{number}" for number, cell in enumerate(cells))])],
        ".csv": [lines(["text,other", *(f'"{cell}",{number}' for number, cell in enumerate(cells))])],
        ".jsonl": [records({"text": cell, "other": number} for number, cell in enumerate(cells))],
        ".parquet": [parquet(whole), parquet(repeated)],
        ".arrow": [arrow(whole, stream=True), arrow(repeated, stream=False)],
    }
    for ending, contents in kinds.items():
        yield f"column of {ending}", made(f"a{ending}", *contents)
        yield f"import of {ending}", made(f"a{ending}", *contents)
    yield "inner column of .parquet", made("a.parquet", parquet(nested))
    yield "dataset", [{"data-0.arrow": arrow(whole, stream=True), "state.json": b"{}"}]
    yield "part", made("a.parquet", parquet(whole.slice(0, BYTE)))
    yield "results", [results()]


def nbest() -> Iterator[tuple[str, list[Files]]]:
    features = " ".join(SCORES)
    moses, marian, fairseq, plain, found = [], [], [], [], []
    for size in SIZES:
        text, last = sentence(size), size - 1
        moses.append(
            f"0 ||| a b ||| d: {features} lm: -2.5 ||| -14.61\n0 ||| {text} ||| d: {features} lm: -300 ||| -1\n"
            f"{size} ||| b a ||| d: {features} lm: -3.25 ||| -65537.5 ||| 0-1=0-1 ||| {last}-{last} 1-300\n"
        )
        marian.append(f"{size} ||| {text} ||| 0-0 {last}-{last} ||| F0= -300.5 ||| -0.712\n")
        fairseq.append(
            f"S-{size}\t{text}\nH-{size}\t-300.25\t{text}\nD-{size}\t-300.25\t{text}\n"
            f"P-{size}\t{' '.join(['-0.15'] * size)}\nA-{size}\t0-0 {last}-{last}\n"
        )
        plain.append(f"{text}\n{text[:-2]}\n")
        found.append({"id": size, "nbest": [{"text": text, "score": -300.5, "features": {"lm": -65537.25}}]})
    kinds = {"moses": moses, "marian": marian, "fairseq": fairseq, "lines": plain, "jsonl": [records(found)]}
    for format, contents in kinds.items():
        yield f"nbest {format}", made("a", *contents)
    last = SHORT - 1
    kinds["moses"] = [
        f"{SHORT} ||| {sentence(SHORT)} ||| d: -1 ||| -300.5 ||| 0-{last}=1-256 ||| {last}-{last} 1-300\n"
    ]
    for format in ("moses", "marian", "fairseq"):
        yield f"nbest {format} links", made("a", *kinds[format])


def judgements() -> Iterator[tuple[str, list[Files]]]:
    systems = ("A", "B")
    head = "srclang,trglang,srcIndex,judgeId,system1Id,system1rank,system2Id,system2rank"
    yield "WMT rankings", made("a.csv", lines([head, *(f"de,en,{n + 1},j{n},A,1,B,2" for n in NUMBERS)]))
    scores = (f"{one}\t{n + 1}\tj{n}\t{score}" for one in systems for n, score in zip(NUMBERS, SCORES, strict=False))
    yield "ratings", made("a", lines(["system\tsegment\tjudge\tscore", *scores]))
    chosen = (f"{n + 1}\tj{n}\tA\tB\tA" for n in NUMBERS)
    yield "preferences", made("a", lines(["segment\tjudge\tsystem1\tsystem2\tchoice", *chosen]))
    yield "HTER", made("a", lines(f"{number}.5" for number in range(BYTE)), lines(f"{n} {n}" for n in NUMBERS))
    head = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
    marked = (
        f"A\td\t{n + 1}\t{n + 1}\tr\t{sentence(BYTE)}\t{sentence(BYTE)} <v>x</v> y\tFluency/Grammar\tmajor"
        for n in NUMBERS
    )
    yield "MQM", made("a.tsv", lines([head, *marked]))
    head = "doc_id,segment_id,lp,source,mt,reference,severity,typology_error,mqm"
    yield (
        "MQM of chats",
        made("a.csv", lines([head, *(f"{n},{n},de_en,a,{sentence(BYTE)},c,minor,Word order,-300.5" for n in NUMBERS)])),
    )
    spans = [{"severity": "minor", "start_i": 70_000, "end_i": 70_010}, {"severity": "major", "start_i": 300}]
    esa = {"system": "A", "langs": "en-cs", "src": "a", "tgt": sentence(SHORT), "esa_score": 300.5, "esa_spans": spans}
    yield "ESA", made("a.jsonl", records({**esa, "line_id": number} for number in NUMBERS[-4:]))
    moved = " ".join(f"w{place}" for place in turned(BYTE))
    tasks = label_studio_tasks(wordorder.find({"A": [moved, "b a"]}, [sentence(BYTE), "a b"]))
    yield "Label Studio", made("a.json", json.dumps([{**task, "annotations": task["predictions"]} for task in tasks]))
    pair = {"src_sent": "x", "eng_sent": sentence(BYTE), "mt_sent": sentence(BYTE), "severity": "minor"}
    kind = {"pert_sent": " ".join(reversed(words(BYTE))), "pert_name": "base_id1_word_swap"}
    yield "DEMETR", made("a.json", json.dumps([{**pair, **kind, "id": number + 1} for number in NUMBERS]))
    yield "QRev", [{name: repeat(content) for name, content in folder_of(DEMO / "qrev").items()}]
    yield "mt-metrics-eval", [{name: repeat(content, system=name.endswith(".seg.score"))
                               for name, content in folder_of(DEMO / "mtme").items()}]  # fmt: skip
    rows = [(one, n + 1, score) for one in systems for n, score in zip(NUMBERS, SCORES, strict=False)]
    yield "given scores", made("a", lines(f"{one} {number}" for one in systems for number in NUMBERS))
    yield "given scores .tsv", made("a.tsv", lines(["system\tseg_id\tscore", *("\t".join(map(str, r)) for r in rows)]))
    yield (
        "given scores .jsonl",
        made("a.jsonl", records({"system": one, "segment": n, "score": float(score)} for one, n, score in rows)),
    )
    log = ({"source": sentence(n), "source_length": n, "prediction": sentence(n),
            "delays": list(range(1, n + 1))} for n in SIZES)  # fmt: skip
    yield "delays", made("a", records(log))
    times = "- {duration: 70000.5, offset: 256, wav: a.wav}\n- {duration: 300, offset: 65536.25, wav: b.wav}\n"
    yield "segments of recordings", made("a", times)


def repeat(content: bytes, *, system: bool = False) -> bytes:
    """Return the lines of a file, or those of each system, again and again: more than 255 of them."""
    found = content.decode().splitlines(keepends=True)
    names = dict.fromkeys(line.split()[0] if system else "" for line in found)
    groups = [[line for line in found if not system or line.split()[0] == name] for name in names]
    return "".join("".join(group * (BYTE // len(group) + 1)) for group in groups).encode()


def models() -> Iterator[tuple[str, list[Files]]]:
    source = [" ".join(words(BYTE, start=start)) for start in range(0, SHORT + 9, BYTE)]
    pair = encode([*source, sentence(BYTE)], [*(f"t{n % 300}" for n in range(len(source))), "t1 t2 t3"])
    for kind in ("model1", "diagonal", "hmm"):
        yield f"aligner {kind}", saved(aligning.train(*pair, model=kind, iterations=1).save, "model.npz")
    leaves = [f"(S (A {one}) (B {two}))" for one, two in zip(words(SHORT), words(SHORT, start=9), strict=True)]
    yield "grammar", saved(partial(grammar_file.save, Grammar.learn(read_from(brackets.read, lines(leaves)))), "g")
    learned = transition.DependencyParser.learn(read_from(conllu.read, dependencies(BYTE, 5)))
    for name, ending in (("dependency parser", ""), ("dependency parser .gz", ".gz")):
        yield name, saved(partial(transition.save, learned), f"de.parser{ending}")
    yield "weights", made("a", lines(f"{word} {n}.5" for n, word in enumerate(words(SHORT + 9))))
    yield "dictionary", made("a.tsv", lines(f"{word}\tt{word} {sentence(9)}" for word in words(BYTE)))
    yield "paraphrases", made("a", lines(f"{n / 70_000}\n{word}\nx {word}" for n, word in enumerate(words(SHORT + 9))))
    entries = (f"{word} n 1 1 @ 1 0 {n + SHORT:08d}" for n, word in enumerate(sorted(words(BYTE))))
    index = ("  1 licence\n" + lines(entries)).encode()
    parts = ("noun", "verb", "adj", "adv")
    yield "WordNet", [{f"index.{part}": index for part in parts} | {f"{part}.exc": b"geese goose\n" for part in parts}]
    pairs = (f"l{n}\tm{n}\t{n}.5\t{n / 7}" for n in NUMBERS)
    yield "language pairs", made("a", lines(["source\ttarget\tchrf\trquantity", *pairs]))
    meanings = words(BYTE)
    yield (
        "cognates",
        made(
            "a",
            lines(["\t".join(["language", *meanings]), *("\t".join([one, *meanings]) for one in ("de", "en", "fr"))]),
        ),
    )


def studies() -> Iterator[tuple[str, list[Files]]]:
    large = words(BYTE)
    text, last = sentence(BYTE), BYTE - 1
    blocks = [[*range(last)], [last]]
    contents: dict[str, dict[str, Any]] = {
        "scramble": {"text": text, "order": [place + 1 for place in turned(BYTE)]},
        "rate": {"source": text, "outputs": {"A": text, "B": text[:-2]}},
        "prefer": {"source": text, "outputs": {"A": text, "B": text[:-2]}},
        "judge": {"reference": large, "translation": large, "reference_blocks": blocks, "translation_blocks": blocks},
        "align": {"source": large, "target": large, "links": [[last, last]]},
        "mark": {"source": text, "words": large},
    }
    answers = {
        "scramble": {"fluency": 3}, "rate": {"fluency": [3, 4]}, "prefer": {"choice": "A"}, "judge": {"choice": "C"},
        "align": {"target": large, "links": [[0, last], [last, 256]]},
        "mark": {"moves": [{"words": [last], "before": 256, "severity": "minor"}]},
    }  # fmt: skip
    for kind, content in contents.items():
        numbers = range(SHORT, SHORT + 10)
        items = ({"id": f"i{n}", "group": f"g{n // 2}", "condition": f"c{n % 2}", **content} for n in numbers)
        given = (
            {"person": f"p{n}", "item": f"i{n}", "payload": json.dumps(answers[kind]), "visible": n, "received": n}
            for n in numbers
        )
        files = {"items.jsonl": records(items).encode(), "simulated.jsonl": records(given).encode()}
        yield f"study {kind}", [study(kind) | files]
    yield "study log", [study_log()]  # its times are numbers of milliseconds


def read_from(read: Callable[[Path], Value], content: str) -> Value:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "a").write_text(content, encoding="utf-8")
        return read(Path(folder) / "a")


def results() -> Files:
    """Return what an import of many rows leaves."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "a.tsv").write_text(lines(["text", *words(SHORT + 9)]), encoding="utf-8")
        import_corpus(place / "a.tsv", columns={"a": "text"}, out=place / "out")
        return folder_of(place / "out")


def large_files() -> dict[str, list[Files]]:
    """Return the files of every reader."""
    kinds = (alignments, trees, texts, tables, nbest, judgements, models, studies)
    return {name: files for kind in kinds for name, files in kind()}
