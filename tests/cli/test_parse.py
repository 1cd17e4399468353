"""``wordorder parse``, and ``wordorder score`` with parses: the commands, their forms, their mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from running import rows as rows_of
from running import run, write_files
from wordorder.formats import brackets, parse_lists

pytestmark = pytest.mark.slow

Capture = pytest.CaptureFixture[str]

TREES = [
    "(S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT a) (NN cat)) (PP (IN in) (NP (DT a) (NN box)))) (. .))",
    "( (S (NP-SBJ (DT a) (NN cat)) (VP (VBZ has) (NP (NP (DT the) (NN dog)) (PP (IN in) (NP (NN box))))) (. .)))",
    "(S (NP (PRP she)) (VP (VBZ does) (RB n't) (VP (VB see) (NP (PRP him)))) (. .))",
    "(S (NP (NNS dogs)) (VP (VBP bark)) (. .))",
]
REFERENCE = "the dog has a cat in the box.\ndogs bark.\nshe doesn't see him.\n"
WORSE = "the cat has a dog in the box.\ndogs bark.\nhim doesn't she see.\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> Path:
    """A folder where the commands run, with a grammar and two texts."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WORDORDER_CACHE", str(tmp_path / "cache"))
    write_files(
        tmp_path,
        {
            "one.mrg": "\n".join(TREES * 30),
            "two.mrg": "\n".join(TREES * 30),
            "ref.txt": REFERENCE,
            "A.txt": WORSE,
            "docs": "d\nd\ne\n",
            "gap.txt": "dogs bark.\n\n",
        },
    )
    made = run(capsys, "parse", "train", "one.mrg", "two.mrg", "-o", "en.grammar")
    assert made.code == 0, made.err
    assert "en.grammar: 240 trees" in made.err
    return tmp_path


def test_the_best_trees_in_brackets(folder: Path, capsys: Capture) -> None:
    found = run(capsys, "parse", "--grammar", "en.grammar", "ref.txt")
    assert found.code == 0
    assert len(found.out.splitlines()) == 3
    assert found.out.splitlines()[2].startswith("(ROOT (S (NP (PRP she)) (VP (VBZ does) (RB n't)")
    (folder / "copy.trees").write_text(found.out, encoding="utf-8")
    assert len(brackets.read(folder / "copy.trees")) == 3


def test_a_grammar_is_judged_by_gold_trees(folder: Path, capsys: Capture) -> None:
    (folder / "gold.mrg").write_text(f"{TREES[3]}\n(S (NP (NNS dogs) (VBP bark)) (. .))\n")
    found = run(capsys, "parse", "--grammar", "en.grammar", "--gold", "gold.mrg", "--json")
    assert (found.code, json.loads(found.out)["recall"], json.loads(found.out)["sentences"]) == (0, 0.8, 2)
    found = run(capsys, "parse", "--grammar", "en.grammar", "--gold", "gold.mrg", "--format", "tsv")
    header, values = (line.split("\t") for line in found.out.splitlines())
    assert header[-6:] == ["precision", "recall", "f1", "exact", "tags", "sentences"]
    # S matches twice, NP and VP once; the grammar has an NP and a VP more.
    assert [float(value) for value in values[-6:]] == pytest.approx([4 / 6, 4 / 5, 8 / 11, 0.5, 1, 2], abs=1e-3)


def test_files_may_stand_before_and_after_options(folder: Path, capsys: Capture) -> None:
    made = run(capsys, "parse", "train", "-o", "again.grammar", "one.mrg", "--vertical", "2", "two.mrg")
    assert made.code == 0, made.err
    assert (folder / "again.grammar").read_bytes() == (folder / "en.grammar").read_bytes()
    assert run(capsys, "parse", "ref.txt", "--grammar", "en.grammar").code == 0
    wrong = run(capsys, "parse", "train", "-o", "x", "one.mrg", "--bogus")
    assert (wrong.code, wrong.err.count("\n")) == (2, 1)


def test_lists_are_written_and_read(folder: Path, capsys: Capture) -> None:
    for threads in ("1", "2"):
        output = f"ref{threads}.nbest"
        options = ["--nbest", "4", "-o", output, "--threads", threads]
        assert run(capsys, "parse", "--grammar", "en.grammar", "ref.txt", *options).code == 0
    assert (folder / "ref1.nbest").read_bytes() == (folder / "ref2.nbest").read_bytes()
    lists = parse_lists.read(folder / "ref1.nbest")
    assert lists.names == ("1", "2", "3")
    sizes = lists.offsets[1:] - lists.offsets[:-1]
    assert sizes.max() > 1
    for start, stop in zip(lists.offsets[:-1], lists.offsets[1:], strict=True):
        scores = lists.log_probabilities[start:stop].tolist()
        assert scores == sorted(scores, reverse=True)
    found = run(capsys, "parse", "--grammar", "en.grammar", "ref.txt", "--nbest", "4", "--parse-format", "conllu")
    (folder / "ref.conllu").write_text(found.out, encoding="utf-8")
    conllu = parse_lists.read_dependencies(folder / "ref.conllu")
    assert conllu.offsets.tolist() == lists.offsets.tolist()
    assert conllu.weights().tolist() == pytest.approx(lists.weights().tolist(), rel=1e-4)


def test_empty_lines_keep_their_place(folder: Path, capsys: Capture) -> None:
    for form, read in (("nbest", parse_lists.read), ("conllu", parse_lists.read_dependencies)):
        arguments = ["parse", "--grammar", "en.grammar", "gap.txt", "--parse-format", form, "-o", f"gap.{form}"]
        assert run(capsys, *arguments).code == 0
        assert read(folder / f"gap.{form}").offsets.tolist() == [0, 1, 1]
    found = run(capsys, "parse", "--grammar", "en.grammar", "gap.txt", "-o", "gap.trees")
    assert (found.code, (folder / "gap.trees").exists()) == (1, False)
    assert "line 2, which has no words" in found.err


def test_what_cannot_be_parsed_is_told(folder: Path, capsys: Capture) -> None:
    write_files(folder, {"long.txt": "dogs bark.\n" + "dog " * 200 + "\n"})
    found = run(capsys, "parse", "--grammar", "en.grammar", "long.txt")
    assert found.code == 0
    assert found.out.splitlines()[1].startswith("(ROOT (FLAT (NN dog) (NN dog)")
    assert "1 sentence could not be parsed and got a flat tree (FLAT): line 2" in found.err


def test_scores_with_a_grammar_and_with_files(folder: Path, capsys: Capture) -> None:
    texts = ["--ref", "ref.txt", "--hyp", "A.txt"]
    metrics = ["--metrics", "edpm:n=4,bleu,1-ter,kendall", "--samples", "0", "--json"]
    here = run(capsys, "score", *texts, *metrics, "--grammar", "en.grammar").json()
    assert here["signature"]["parses"].startswith("pcfg:")
    assert list((folder / "cache").iterdir())
    value = here["systems"][0]["scores"]["edpm:n=4"]["value"]
    assert 0 < value < 1
    for name in ("ref", "A"):
        run(capsys, "parse", "--grammar", "en.grammar", f"{name}.txt", "--nbest", "4", "-o", f"{name}.nbest")
    parses = ["--ref-parses", "ref.nbest", "--hyp-parses", "A.nbest"]
    given = run(capsys, "score", *texts, *metrics, *parses).json()
    assert given["systems"][0]["scores"]["edpm:n=4"]["value"] == pytest.approx(value, rel=1e-6)
    assert given["systems"][0]["scores"]["bleu"] == here["systems"][0]["scores"]["bleu"]
    alone = run(capsys, "score", *parses, "--metrics", "edpm:n=4", "--samples", "0", "--json", "--lowercase").json()
    assert alone["systems"][0]["name"] == "A.nbest"
    assert alone["signature"]["case"] == "lower"
    assert alone["systems"][0]["scores"]["edpm:n=4"]["value"] == pytest.approx(value, rel=1e-6)
    other = run(capsys, "score", *texts, *metrics, *parses, "--log-base", "e", "--parse-format", "nbest").json()
    assert other["systems"][0]["scores"]["bleu"] == here["systems"][0]["scores"]["bleu"]


def test_no_cache_keeps_nothing(folder: Path, capsys: Capture) -> None:
    options = ["--ref", "ref.txt", "--hyp", "A.txt", "--grammar", "en.grammar", "--samples", "0", "--no-cache"]
    assert rows_of(capsys, "score", *options)[0]["system"] == "A"
    assert not (folder / "cache").exists()


def test_documents_and_correlations(folder: Path, capsys: Capture) -> None:
    options = ["--ref", "ref.txt", "--hyp", "A.txt", "B=ref.txt", "--grammar", "en.grammar", "--docs", "docs"]
    rows = rows_of(capsys, "score", *options, "--metrics", "edpm,bleu-p2")
    assert [(row["document"], row["system"]) for row in rows] == [("d", "A"), ("d", "B"), ("e", "A"), ("e", "B")]
    assert [float(row["edpm"]) for row in rows if row["system"] == "B"] == [1, 1]
    found = rows_of(capsys, "score", *options, "--metrics", "edpm,bleu-p2", "--correlate")
    assert [(row["metric"], row["with"]) for row in found] == [("edpm", "bleu-p2")]
    assert -1 <= float(found[0]["r"]) <= 1


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("parse ref.txt", 2, "use --grammar, --parser or --spacy"),
        ("parse --grammar en.grammar", 2, "expected one text to parse (or 'train' and treebank files), found none"),
        (
            "parse --grammar en.grammar ref.txt A.txt",
            2,
            "expected one text to parse (or 'train' and treebank files), found 2 files",
        ),
        ("parse --grammar en.grammar none.txt", 2, "none.txt: no such file"),
        ("parse --grammar none.grammar ref.txt", 2, "none.grammar: no such file"),
        ("parse --grammar ref.txt ref.txt", 1, "ref.txt:1: not a grammar file: expected 'wordorder-grammar 1'"),
        ("parse --grammar en.grammar --nbest 0 ref.txt", 2, "--nbest must be 1 or more"),
        (
            "parse --grammar en.grammar --nbest 9 --parse-format brackets ref.txt",
            2,
            "the format 'brackets' has only one parse",
        ),
        ("parse --grammar en.grammar --vertical 1 ref.txt", 2, "--vertical: allowed only with 'wordorder parse train'"),
        ("parse --grammar en.grammar --tokenize penn ref.txt", 2, "unknown tokenizer 'penn'"),
        ("parse --grammar en.grammar --gold one.mrg ref.txt", 2, "so it requires --grammar or --parser, and no text"),
        ("parse --gold one.mrg", 2, "so it requires --grammar or --parser, and no text"),
        ("parse --grammar en.grammar --gold docs", 1, "docs:1: a word outside all brackets"),
        ("parse --grammar en.grammar --json ref.txt", 2, "--json apply only to --gold scores"),
        ("parse --spacy xx_none --nbest 5 ref.txt", 2, "spaCy gives one dependency parse"),
        ("parse train -o some.grammar", 2, "wordorder parse train TREEBANK"),
        ("parse train one.mrg", 2, "wordorder parse train TREEBANK"),
        ("parse train ref.txt -o some.grammar", 1, "ref.txt:1: not a file of parses"),
        ("parse train one.mrg --grammar en.grammar -o x", 2, "cannot be combined with --grammar, --parser or --spacy"),
        ("parse train one.mrg --vertical 0 -o x", 2, "vertical"),
        ("score --ref ref.txt --hyp A.txt --metrics edpm", 2, "metric edpm needs parses"),
        ("score --ref ref.txt --hyp A.txt --metrics bleu --grammar en.grammar", 2, "no metric uses parses"),
        ("score --hyp-parses ref.txt", 2, "must be compared with reference parses"),
        ("score --hyp-parses ref.txt --ref-parses ref.txt", 1, "ref.txt:1: not a file of parses: expected '('"),
        ("score --hyp-parses - --ref-parses one.mrg --parse-format nbest", 2, "parses without text are read twice"),
        ("score --permutations p --grammar en.grammar", 2, "parses require text"),
        ("score --hyp - --ref ref.txt --grammar en.grammar --metrics edpm", 2, "standard input"),
        (
            "score --hyp A.txt --ref ref.txt --grammar en.grammar -m edpm:parses=forest:n=2",
            2,
            "has no effect with parses=forest",
        ),
        (
            "score --hyp A.txt --ref ref.txt --grammar en.grammar --log-base x -m edpm",
            2,
            "--log-base must be e or a number above 1, not 'x'",
        ),
        ("score --hyp A.txt --ref ref.txt --grammar en.grammar --parse-format x -m edpm", 2, "unknown format"),
        ("score --hyp A.txt --ref ref.txt --metrics bleu --correlate --worst 1", 2, "--correlate"),
        ("metaeval --ref ref.txt --probe --grammar en.grammar", 2, "--probe does not use parses"),
    ],
)
def test_mistakes(folder: Path, capsys: Capture, arguments: str, code: int, message: str) -> None:
    found = run(capsys, *arguments.split())
    assert found.code == code
    assert message in found.err
    assert len(found.err.splitlines()) == 1


def test_bad_parses_name_their_line(folder: Path, capsys: Capture) -> None:
    write_files(
        folder,
        {
            "open.trees": "(S (NN a))\n(S (NN a)\n",
            "empty.trees": "(S (NN a))\n(S )\n",
            "sum.conllu": "".join(
                f"# sent_id = x\n# parse_prob = {p}\n1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n" for p in (0.8, 0.7)
            ),
            "one.trees": "(S (NN a))\n",
            "two.trees": "(S (NN a))\n(S (NN b))\n",
        },
    )
    for name, message in [
        ("open.trees", "open.trees:2: a bracket opened here is never closed"),
        ("empty.trees", "empty.trees:2: a constituent without words"),
        ("sum.conllu", "sum.conllu:3: the probabilities of sentence 'x' sum to 1.5"),
        ("two.trees", "the inputs differ in length"),
    ]:
        found = run(capsys, "score", "--ref-parses", "one.trees", "--hyp-parses", name, "--metrics", "dpm")
        assert (found.code, len(found.err.splitlines())) == (1, 1)
        assert message in found.err
