"""Bad input on the command line: one clear line with file and line, the right exit code, nothing half-written."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from running import rows as rows_of
from running import run, write_files

Capture = pytest.CaptureFixture[str]

GIZA = """# Sentence pair (1) source length 2 target length 2 alignment score : 0.1
x y
NULL ({ }) a ({ 2 }) b ({ 1 })
# Sentence pair (2) source length 1 target length 1 alignment score : 0.1
x
"""

FILES: dict[str, str | bytes] = {
    "a.orders": "1 2 3\n2 1 3\n",
    "twice.orders": "1 2 3\n2 2 3\n",
    "words.orders": "1 2 3\n\none two\n",
    "minus.orders": "1 -2\n",
    "zero.orders": "1 2\n0 1 2\n",
    "high.orders": "1 2 3\n1 2 4\n",
    "huge.orders": "1 2\n99999999999999999999 1\n",
    "long.orders": "1 2\n" + " ".join(str(rank) for rank in range(1, 180_001)) + "\n",
    "short.orders": "1 2 3\n",
    "empty": "",
    "mark.txt": b"\xef\xbb\xbf",
    "A.txt": "the cat\na dog\n",
    "B.txt": "cat the\ndog a\n",
    "three.txt": "one\ntwo\nthree\n",
    "latin.txt": "fine\nsp\xe4t\n".encode("latin-1"),
    "ref.txt": "the cat\na dog\n",
    "docs": "d\nd\nd\n",
    "cut.gz": b"\x1f\x8b\x08\x00\x00\x00",
    "a.align": "0-0 1-1\n0-0\n",
    "r.align": "0-0 1-1\n0-0\n",
    "one.align": "1-1 2-2\n1-1\n",
    "mixed.align": "1-1\n0-0\n",
    "broken.align": "0-0 1-1\n0-0 1:1\n",
    "far.align": "0-0 1-1\n0-0 7-0\n",
    "more.align": "0-0\n0-0\n0-0\n",
    "lengths": "2\n1\n",
    "bad.lengths": "2\nmany\n",
    "cut.A3": GIZA,
    "set.xml": "<dataset><doc id='d'>",
    "ref.xml": "<dataset><doc id='d'><src><seg>a</seg></src></doc></dataset>",
    "set.sgm": "<doc>\n<seg>a\n",
    "same.txt.gz": b"",
}

TEXT = ("--hyp", "A.txt", "--ref", "ref.txt")
ORDERS = ("--permutations", "a.orders")
ALIGNED = ("--hyp-align", "a.align", "--ref-align", "r.align", "--source-lengths", "lengths")

CONTENT = {
    "twice": (("--permutations", "twice.orders"), "twice.orders:2: not a permutation of 3 words: 2 appears twice"),
    "words": (("--permutations", "words.orders"), "words.orders:3: expected a permutation like '2 4 1 3', found 'one'"),
    "minus": (("--permutations", "minus.orders"), "minus.orders:1: expected a permutation like '2 4 1 3', found '-2'"),
    "index 0": (("--permutations", "zero.orders"), "zero.orders:2: index 0 in a 1-based file; use --base 0"),
    "base 0": (
        (*ORDERS, "--base", "0"),
        "a.orders:1: not a permutation of 3 words: '3' is out of range (0 to 2); use --base 1",
    ),
    "too high": (
        ("--permutations", "high.orders"),
        "high.orders:2: not a permutation of 3 words: '4' is out of range (1 to 3)",
    ),
    "huge": (("--permutations", "huge.orders"), "huge.orders:2: "),
    "a megabyte": (
        ("--permutations", "long.orders"),
        "long.orders:2: the sentence exceeds the maximum length of 65536 words",
    ),
    "second system": ((*ORDERS, "twice.orders"), "twice.orders:2: not a permutation"),
    "fewer orders": (
        (*ORDERS, "short.orders"),
        "the inputs differ in length: a.orders has 2 lines, short.orders has 1",
    ),
    "empty orders": (("--permutations", "empty"), "empty:1: the file is empty; expected a permutation"),
    "empty text": (("--hyp", "empty", "--ref", "ref.txt"), "empty:1: the file is empty; expected one sentence"),
    "empty reference": (("--hyp", "A.txt", "--ref", "empty"), "empty:1: the file is empty; expected one sentence"),
    "only a mark": (("--hyp", "mark.txt", "--ref", "ref.txt"), "mark.txt:1: the file is empty"),
    "longer text": (
        ("--hyp", "A.txt", "three.txt", "--ref", "ref.txt"),
        "the inputs differ in length: ref.txt has 2 lines, A.txt has 2, three.txt has 3",
    ),
    "not UTF-8": (("--hyp", "latin.txt", "--ref", "ref.txt"), "latin.txt:2: byte 0xe4 at position 3 is not UTF-8"),
    "reference not UTF-8": (("--hyp", "A.txt", "--ref", "latin.txt"), "latin.txt:2: byte 0xe4"),
    "cut gzip": (("--hyp", "cut.gz", "--ref", "ref.txt"), "cut.gz: the file is damaged, or its extension is wrong"),
    "documents": (
        (*TEXT, "--docs", "docs"),
        "--docs: expected one document id per segment, found 3 document ids for 2 segments",
    ),
    "empty documents": ((*TEXT, "--docs", "empty"), "empty:1: the file is empty"),
    "documents not UTF-8": ((*TEXT, "--docs", "latin.txt"), "latin.txt:2: byte 0xe4"),
    "no link": (
        ("--hyp-align", "broken.align", *ALIGNED[2:]),
        "broken.align:2: expected links like '0-0 1-2', found '1:1'",
    ),
    "link out of range": (("--hyp-align", "far.align", *ALIGNED[2:]), "far.align:2: link 7-0 is out of range"),
    "another base": (
        ("--hyp-align", "one.align", *ALIGNED[2:]),
        "one.align:1: link 2-2 is out of range: the source sentence has 2 words (indices 0 to 1); use --base 1",
    ),
    "mixed bases": (
        ("--hyp-align", "mixed.align", "--ref-align", "mixed.align", "--base", "1", "--source-lengths", "lengths"),
        "mixed.align:2: index 0 in a 1-based file",
    ),
    "more alignments": (("--hyp-align", "more.align", *ALIGNED[2:]), "more.align:3: one sentence too many"),
    "no lengths": (
        ("--hyp-align", "a.align", "--ref-align", "r.align", "--source-lengths", "bad.lengths"),
        "bad.lengths:2: ",
    ),
    "cut GIZA": (
        ("--hyp-align", "cut.A3", "--ref-align", "cut.A3", "--align-format", "giza"),
        "cut.A3:5: the file ends within sentence pair 2: expected 3 lines, found 2",
    ),
    "cut XML": (("--hyp", "set.xml", "--ref", "ref.txt"), "set.xml:1: not well-formed XML"),
    "cut SGML": (("--hyp", "set.sgm", "--ref", "ref.txt"), "set.sgm:2: <seg> without </seg>"),
}

USAGE = {
    "nothing": ((), "nothing to score"),
    "no reference": (("--hyp", "A.txt"), "hypotheses require references or a source"),
    "no hypothesis": (("--ref", "ref.txt"), "nothing to score"),
    "no reference alignment": (
        ("--hyp-align", "a.align"),
        "there is no reference: give --ref-align or --order monotone",
    ),
    "two inputs": ((*ORDERS, *TEXT), "permutations already are word orders"),
    "input twice": (("--hyp", "A=-", "--ref", "-"), "standard input (-) can be read only once"),
    "missing file": (("--hyp", "missing.txt", "--ref", "ref.txt"), "missing.txt: no such file"),
    "missing reference": (("--hyp", "A.txt", "--ref", "missing.txt"), "missing.txt: no such file"),
    "missing orders": (("--permutations", "a.orders", "missing"), "missing: no such file"),
    "missing documents": ((*TEXT, "--docs", "missing"), "missing: no such file"),
    "missing lengths": ((*ALIGNED[:-1], "missing"), "missing: no such file"),
    "missing XML": (("--hyp", "missing.xml", "--ref", "ref.txt"), "missing.xml: no such file"),
    "a folder": (("--hyp", ".", "--ref", "ref.txt"), ".: expected a file, found a folder"),
    "no system in XML": (("--hyp", "ref.xml", "--ref", "ref.txt"), "ref.xml: no system output"),
    "no reference in XML": (("--hyp", "A.txt", "--ref", "ref.xml"), "ref.xml: no reference"),
    "unknown tokeniser": (
        (*TEXT, "--tokenize", "13b"),
        "unknown tokenizer '13b'; did you mean '13a'? (valid: 13a, char,",
    ),
    "missing extra": (
        (*TEXT, "--tokenize", "ja-mecab"),
        "'ja-mecab' needs a missing package; run: pip install 'sacrebleu[ja]'",
    ),
    "unknown metric": ((*TEXT, "-m", "blue"), "unknown metric 'blue'; did you mean 'bleu'? ('wordorder metrics'"),
    "unknown parameter": (
        (*TEXT, "-m", "pef:bet=1"),
        "unknown parameter of pef 'bet'; did you mean 'beta'? (valid: beta,",
    ),
    "parameter out of range": ((*TEXT, "-m", "lr:alpha=2"), "lr: alpha must be 0 to 1, not 2.0"),
    "neural metric": (
        (*TEXT, "-m", "comet"),
        "wordorder does not compute comet; give its scores (--given) and use given:comet",
    ),
    "parameter no number": ((*TEXT, "-m", "lr:alpha=x"), "lr: alpha must be a number, not 'x'"),
    "no setting": ((*TEXT, "-m", "pef:beta"), "expected key=value, found 'beta'"),
    "empty metric": ((*TEXT, "-m", "pef,"), "a metric name is empty"),
    "metric of text": (
        (*ORDERS, "-m", "bleu"),
        "metric bleu needs text with a reference, which this input does not include",
    ),
    "one system twice": ((*TEXT, "--worst-between", "a", "a"), "--worst-between requires two different systems"),
    "unknown stage": ((*TEXT, "--match", "exact+steam"), "unknown matching stage 'steam'; did you mean 'stem'?"),
    "unknown language": ((*TEXT, "--match", "exact+stem", "--language", "klingon"), "'klingon'"),
    "no WordNet": ((*TEXT, "--match", "exact+synonym", "--wordnet", "nowhere"), "nowhere: no WordNet database found"),
    "no paraphrases": ((*TEXT, "--match", "exact+paraphrase", "--paraphrases", "missing"), "missing: no such file"),
    "same names": (
        ("--hyp", "A.txt", "./A.txt", "--ref", "ref.txt"),
        "two systems are called 'A' (A.txt and ./A.txt); give one of them another name",
    ),
    "same given names": (("--permutations", "x=a.orders", "x=b.orders"), "two systems are called 'x'"),
    "negative samples": ((*ORDERS, "--samples", "-1"), "--samples must be from 0 to 1,000,000, not -1"),
    "negative threads": ((*ORDERS, "--threads", "-1"), "threads must be 0 (all cores) or more, not -1"),
    "endless seed": (
        (*ORDERS, "--seed", "9" * 25),
        f"--seed: expected a whole number of at most 64 bits, found '{'9' * 25}'",
    ),
    "junk seed": ((*ORDERS, "--seed", "junk"), "--seed: expected a whole number, found 'junk'"),
    "junk base": ((*ORDERS, "--base", "2"), "--base: unknown value '2' (valid: 0, 1)"),
    "unknown baseline": ((*ORDERS, "--baseline", "B"), "unknown baseline 'B' (valid: a.orders)"),
    "unknown baseline of two": (
        ("--hyp", "A.txt", "B.txt", "--ref", "ref.txt", "--baseline", "C", "--samples", "0"),
        "unknown baseline 'C' (valid: A, B)",
    ),
    "unknown policy": ((*ALIGNED, "--policy", "brich"), "unknown policy 'brich'; did you mean 'birch'?"),
    "unknown alignment format": (
        (*ALIGNED, "--align-format", "gizza"),
        "unknown alignment format 'gizza'; did you mean 'giza'?",
    ),
    "unknown format": ((*ORDERS, "--format", "htm"), "--format: unknown value 'htm'; did you mean 'html'?"),
    "unknown test": ((*ORDERS, "--test", "t"), "--test: unknown value 't'"),
    "unknown option": ((*ORDERS, "--metricks", "pef"), "unknown option --metricks; did you mean --metrics?"),
    "documents to resample": (
        (*TEXT, "--resample", "documents"),
        "resampling documents needs the document name of each segment; give --docs",
    ),
    "base of GIZA": ((*ALIGNED, "--align-format", "giza", "--base", "0"), "giza files count from 1"),
    "weights without text": ((*ORDERS, "--weight", "ref-length"), "--weight ref-length requires text with references"),
    "source twice": ((*ALIGNED, "--source", "A.txt"), "give either a text or sentence lengths, not both"),
    "worst of none": ((*TEXT, "--worst", "0"), "--worst must be 1 or more, not 0"),
    "worst by unknown": (
        (*TEXT, "--worst", "1", "--by", "ulam"),
        "these scores have no metric 'ulam' (available: kendall-sqrt,",
    ),
    "worst between unknown": ((*TEXT, "--worst-between", "A", "B"), "unknown system 'B' (valid: A)"),
    "by without worst": ((*TEXT, "--by", "pef"), "--by requires --worst"),
    "paraphrases without their stage": (
        (*TEXT, "--paraphrases", "p"),
        "--paraphrases has no effect without the matching stage 'paraphrase'",
    ),
    "WordNet without synonyms": (
        (*TEXT, "--wordnet", "w"),
        "--wordnet has no effect without the matching stage 'synonym'",
    ),
    "a policy for matched words": (
        (*TEXT, "--policy", "drop"),
        "--policy can be used only with alignments, or with text and --order source or --order monotone",
    ),
    "a format without alignments": (
        (*TEXT, "--align-format", "talp"),
        "--align-format can be used only with alignment files",
    ),
    "a base without indices": ((*TEXT, "--base", "1"), "--base can be used only with alignments or permutations"),
    "lengths beside text": (
        (*TEXT, "--source-lengths", "l"),
        "--source-lengths can be used only with alignments without text",
    ),
    "worst as TSV": ((*TEXT, "--worst", "1", "--format", "tsv"), "--worst cannot be used with --format tsv"),
}

CASES = [(name, 1, *case) for name, case in CONTENT.items()] + [(name, 2, *case) for name, case in USAGE.items()]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_files(tmp_path, FILES)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "MeCab", None)  # an extra that is not installed, whoever runs the tests
    return tmp_path


@pytest.mark.parametrize(
    ("code", "arguments", "message"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_a_mistake_is_one_clear_line(
    code: int, arguments: tuple[str, ...], message: str, capsys: Capture, folder: Path
) -> None:
    found = run(capsys, "score", *arguments)
    assert found.err.startswith("wordorder")
    assert message in found.err
    assert found.err.count("\n") == 1
    assert found.err.endswith("\n")
    assert len(found.err) < 600
    assert found.code == code
    assert found.out == ""


@pytest.mark.parametrize("case", ["twice", "fewer orders", "not UTF-8", "documents", "cut GIZA"])
def test_nothing_is_half_written(case: str, capsys: Capture, folder: Path) -> None:
    write_files(folder, {"out.jsonl": "what was there before\n"})
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert run(capsys, "score", *CONTENT[case][0], "--segments", "out.jsonl").code == 1
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize("target", ["nowhere/out.jsonl", ".", "A.txt/out"])
def test_a_place_that_cannot_be_written_is_told_before_anything_is_printed(
    target: str, capsys: Capture, folder: Path
) -> None:
    found = run(capsys, "score", *TEXT, "--segments", target)
    assert (found.code, found.out) == (2, "")
    assert found.err.startswith(f"wordorder: {target}: ")
    assert found.err.count("\n") == 1


@pytest.mark.slow
def test_a_megabyte_of_text_in_one_line_is_scored(capsys: Capture, folder: Path) -> None:
    write_files(
        folder,
        {"word.txt": "x" * 1_000_000 + "\n", "words.txt": "a longer sequence of rather long words " * 9_000 + "\n"},
    )
    for name in ("word.txt", "words.txt"):
        rows = rows_of(capsys, "score", "--hyp", name, "--ref", name, "-m", "kendall,bleu1", "--samples", "10")
        assert (rows[0]["kendall"], rows[0]["bleu1"]) == ("1.0", "1.0")


def test_unknown_commands_and_help(capsys: Capture) -> None:
    for arguments, code in (((), 0), (("--help",), 0), (("score", "--help"), 0), (("--version",), 0)):
        found = run(capsys, *arguments)
        assert (found.code, found.err) == (code, "")
        assert found.out.startswith(("usage: wordorder", "wordorder "))
    found = run(capsys, "scor")
    assert (found.code, found.out) == (2, "")
    assert "wordorder: unknown command 'scor'; did you mean 'score'? (valid: " in found.err
    assert found.err.count("\n") == 1


def test_an_interrupt_ends_quietly(capsys: Capture, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("wordorder.scoring.score.score", interrupt)
    found = run(capsys, "score", *ORDERS)
    assert (found.code, found.out, found.err) == (130, "", "wordorder: interrupted\n")
