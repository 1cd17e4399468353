"""``wordorder score``: what a person types and what comes out."""

from __future__ import annotations

import gzip
import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

from running import rows as rows_of
from running import run, write_files
from wordorder import Permutations, __version__, score
from wordorder.report import FORMATS

Capture = pytest.CaptureFixture[str]

FILES: dict[str, str | bytes] = {
    "a.orders": "1 2 3\n2 1 3\n\n3 1 2\n",
    "b.orders": "3 2 1\n1 2 3\n1\n2 1\n",
    "zero.orders": "0 1 2\n1 0 2\n\n2 0 1\n",
    "A.txt": "the cat sat\na b c d e\n\nx y\n",
    "B.txt": "sat the cat\ne d c b a\nq\n\n",
    "ref.txt": "the cat sat\na b c d e\nz\nx y\n",
    "ref2.txt": "The cat is sitting\na b c e d\nq\nx\n",
    "docs": "one\none\ntwo\ntwo\n",
    "hyp.align": "0-0 1-1 2-2\n1-0 0-1\n\n0-0\n",
    "gold.align": "0-0 1-1 2-2\n0-0 1-1\n0-0\n0-0\n",
    "source.txt": "a b c\nd e\nf\ng\n",
    "lengths": "3\n2\n1\n1\n",
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_files(tmp_path, FILES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


# --- word orders --------------------------------------------------------------------------------------------------


def test_permutations_give_a_table_of_means(capsys: Capture) -> None:
    rows = rows_of(capsys, "score", "--permutations", "a.orders", "ours=b.orders")
    assert [row["system"] for row in rows] == ["a.orders", "ours"]
    assert list(rows[0])[:5] == ["system", "kendall-sqrt", "hamming", "fuzzy", "pef"]
    means = [(1 + (1 - math.sqrt(1 / 3)) + (1 - math.sqrt(2 / 3))) / 3, (1 + 1 / 3 + 0) / 3, (1 + 0 + 1 / 2) / 3]
    assert [float(rows[0][name]) for name in ("kendall-sqrt", "hamming", "fuzzy")] == pytest.approx(means)
    assert float(rows[0]["hamming.low"]) <= means[1] <= float(rows[0]["hamming.high"])
    assert rows[1]["hamming.marks"] == "best"


def test_the_command_line_and_the_function_say_the_same(capsys: Capture) -> None:
    options = ("--samples", "50", "--seed", "3", "--metrics", "all", "--baseline", "B", "--test", "sign")
    said = run(capsys, "score", "--permutations", "A=a.orders", "B=b.orders", *options, "--json").json()
    systems = {"A": Path("a.orders"), "B": Path("b.orders")}
    scores = score(permutations=systems, samples=50, seed=3, metrics="all", baseline="B", test="sign")
    assert said == json.loads(json.dumps(scores.to_dict()))
    said = run(capsys, "score", "--hyp", "A.txt", "B.txt", "--ref", "ref.txt", "ref2.txt", "-lc", "--json").json()
    scores = score({"A": "A.txt", "B": "B.txt"}, [Path("ref.txt"), Path("ref2.txt")], lowercase=True)
    assert said == json.loads(json.dumps(scores.to_dict()))


def test_json_of_permutations(capsys: Capture) -> None:
    document = run(capsys, "score", "--permutations", "a.orders", "--metrics", "kendall,pef", "--json").json()
    assert list(document) == ["version", "signature", "segments", "systems", "tests", "notes"]
    assert (document["version"], document["segments"], document["tests"]) == (__version__, 4, [])
    found = document["systems"][0]["scores"]["kendall"]
    assert found["value"] == pytest.approx((1 + 2 / 3 + 1 / 3) / 3)
    assert (found["defined"], found["undefined"]) == (3, 1)
    assert (
        run(capsys, "score", "--permutations", "a.orders", "-m", "kendall,pef", "--format", "json").json() == document
    )


def test_segments_of_permutations(capsys: Capture, folder: Path) -> None:
    command = ("score", "--permutations", "a.orders", "--metrics", "kendall,hamming", "--segments", "out.jsonl")
    assert run(capsys, *command).code == 0
    records = [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]
    assert records == [
        {"system": "a.orders", "segment": 1, "scores": {"kendall": 1.0, "hamming": 1.0}},
        {
            "system": "a.orders",
            "segment": 2,
            "scores": {"kendall": pytest.approx(2 / 3), "hamming": pytest.approx(1 / 3)},
        },
        {"system": "a.orders", "segment": 3, "scores": {"kendall": None, "hamming": None}},
        {"system": "a.orders", "segment": 4, "scores": {"kendall": pytest.approx(1 / 3), "hamming": 0.0}},
    ]
    assert run(capsys, *command[:-1], "out.jsonl.gz").code == 0
    assert gzip.decompress((folder / "out.jsonl.gz").read_bytes()) == (folder / "out.jsonl").read_bytes()


def test_the_base_may_be_chosen(capsys: Capture) -> None:
    from_one = run(capsys, "score", "--permutations", "X=a.orders")
    from_zero = run(capsys, "score", "--permutations", "X=zero.orders", "--base", "0")
    assert from_one.out.replace("base:1", "base:0") == from_zero.out
    assert (
        run(capsys, "score", "--permutations", "zero.orders", "--base", "0", "--json").json()["signature"]["base"] == 0
    )


def test_alignments_with_source_text_or_lengths(capsys: Capture) -> None:
    common = ("score", "--hyp-align", "A=hyp.align", "--ref-align", "gold.align", "--metrics", "kendall")
    rows = rows_of(capsys, *common, "--source", "source.txt")
    assert float(rows[0]["kendall"]) == pytest.approx((1 + 0 + 1 + 1) / 4)  # the third has no link: monotone
    assert rows_of(capsys, *common, "--source-lengths", "lengths") == rows
    signature = run(capsys, *common, "--source", "source.txt", "--policy", "talbot", "--json").json()["signature"]
    expected = {"order": "source", "policy": "talbot", "align_format": "pharaoh", "base": 0, "references": 1}
    assert {key: signature[key] for key in expected} == expected


GIZA = """# Sentence pair (1) source length 2 target length 2 alignment score : 0.1
x y
NULL ({ }) a ({ 2 }) b ({ 1 })
# Sentence pair (2) source length 1 target length 1 alignment score : 0.1
x
NULL ({ 1 }) a ({ })
"""


@pytest.mark.parametrize(
    ("name", "crossed", "straight"),
    [
        ("pharaoh", "0-1 1-0\n\n", "0-0 1-1\n\n"),
        ("talp", "1-2 2-1\n\n", "1-1 2-2\n\n"),
        ("naacl", "1 1 2\n1 2 1\n", "1 1 1\n1 2 2\n"),
        ("giza", GIZA, GIZA.replace("a ({ 2 }) b ({ 1 })", "a ({ 1 }) b ({ 2 })")),
        ("lader", "2-2 ||| 0-1 1-0\n1-1 |||\n", "2-2 ||| 0-0 1-1\n1-1 |||\n"),
        ("target-list", "1,0\n\n", "0,1\n\n"),
    ],
)
def test_every_format_of_alignments(name: str, crossed: str, straight: str, capsys: Capture, folder: Path) -> None:
    write_files(folder, {"x.align": crossed, "straight.align": straight, "two.lengths": "2\n1\n"})
    options = ("--align-format", name, "--source-lengths", "two.lengths", "-m", "kendall", "--json")
    found = run(capsys, "score", "--hyp-align", "x.align", "--ref-align", "straight.align", *options).json()
    scores = found["systems"][0]["scores"]["kendall"]
    assert (scores["value"], scores["defined"], scores["undefined"]) == (0.0, 1, 1)
    assert found["signature"]["base"] == (0 if name in ("pharaoh", "lader", "target-list") else 1)


# --- text ---------------------------------------------------------------------------------------------------------


def test_text_has_metrics_of_order_first_and_combined_metrics_with_their_parts_when_named(capsys: Capture) -> None:
    rows = rows_of(capsys, "score", "--hyp", "A.txt", "B.txt", "--ref", "ref.txt")
    values = [name for name in rows[0] if "." not in name and name not in ("signature", "notes")]
    assert values == ["system", "kendall-sqrt", "pef", "bleu", "matched", "segments", "words"]
    parts = ["lr-kb4", "lr-kb4 order", "lr-kb4 lexical", "lr-kb4 brevity"]
    named = rows_of(capsys, "score", "--hyp", "A.txt", "B.txt", "--ref", "ref.txt", "-m", "lr-kb4")
    assert [name for name in named[0] if "lr-kb4" in name and "." not in name] == parts
    assert [row["system"] for row in rows] == ["A", "B"]
    assert float(rows[0]["matched"]) == pytest.approx(10 / 11)
    assert (rows[0]["pef"], rows[0]["pef.marks"]) == ("1.0", "best")


def test_segments_of_text_have_the_counts(capsys: Capture, folder: Path) -> None:
    command = ("score", "--hyp", "A.txt", "B.txt", "--ref", "ref.txt", "-m", "pef", "--segments", "out.jsonl")
    assert run(capsys, *command).code == 0
    records = [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]
    assert len(records) == 8
    assert records[4] == {
        "system": "B",
        "segment": 1,
        "matched": 3,
        "chunks": 2,
        "hypothesis_length": 3,
        "reference_length": 3,
        "scores": {"pef": pytest.approx(0.4)},
    }
    assert records[2]["scores"] == {"pef": None}


def test_systems_are_named_after_files_or_by_hand(capsys: Capture, folder: Path) -> None:
    (folder / "C.txt.gz").write_bytes(gzip.compress((folder / "A.txt").read_bytes()))
    (folder / "x=y.txt").write_bytes((folder / "A.txt").read_bytes())
    systems = ("A.txt", "C.txt.gz", "ours=B.txt", "x=y.txt", "./a/../D=A.txt")
    rows = rows_of(capsys, "score", "--hyp", *systems, "--ref", "ref.txt", "-m", "bleu1", "--sort", "given")
    assert [row["system"] for row in rows] == ["A", "C", "ours", "x=y", "./a/../D"]


def test_sacrebleus_names_of_options_are_understood(capsys: Capture) -> None:
    command = ("score", "--hyp", "A.txt", "B.txt", "--ref", "ref.txt")
    short = run(
        capsys, *command, "-m", "bleu", "-tok", "none", "-lc", "-w", "ref-length", "--paired-bs", "--json"
    ).json()
    long = run(
        capsys,
        *command,
        *("--metrics", "bleu", "--tokenize", "none", "--lowercase", "--weight", "ref-length"),
        *("--test", "bootstrap", "--json"),
    ).json()
    assert short == long
    signature = short["signature"]
    assert (signature["tokenizer"], signature["case"], signature["weight"]) == ("none", "lower", "ref-length")


def test_several_references_by_choice(capsys: Capture) -> None:
    command = ("score", "--hyp", "A.txt", "--ref", "ref.txt", "ref2.txt", "-m", "kendall,bleu", "--json")
    closest, average = (run(capsys, *command, "--reference-choice", choice).json() for choice in ("closest", "average"))
    assert closest["signature"]["references"] == 2
    assert average["signature"]["reference_choice"] == "average"
    one, two = (found["systems"][0]["scores"] for found in (closest, average))
    assert one["kendall"]["value"] > two["kendall"]["value"]
    assert one["bleu"] == two["bleu"]


def test_documents(capsys: Capture) -> None:
    command = ("score", "--hyp", "A.txt", "B.txt", "--ref", "ref.txt", "--docs", "docs", "-m", "bleu1")
    rows = rows_of(capsys, *command)
    assert [(row["document"], row["system"], row["segments"]) for row in rows] == [
        ("one", "A", "2"),
        ("one", "B", "2"),
        ("two", "A", "2"),
        ("two", "B", "2"),
    ]
    assert [float(row["bleu1"]) for row in rows] == pytest.approx([1.0, 1.0, math.exp(1 - 3 / 2), 0.0])
    document = run(capsys, *command, "--json", "--resample", "documents").json()
    assert [part["name"] for part in document["documents"]] == ["one", "two"]
    assert document["signature"]["resampled"] == "documents"
    whole = rows_of(capsys, *command, "--resample", "documents")
    assert [(row["system"], row["bleu1.low"] != "") for row in whole] == [("A", True), ("B", True)]


def test_test_sets_in_sgml_and_xml(capsys: Capture, folder: Path) -> None:
    lines = (folder / "A.txt").read_text().splitlines()
    gold = (folder / "ref.txt").read_text().splitlines()
    marked = [f'<seg id="{n}">{line}</seg>' for n, line in enumerate(lines)]
    golden = [f'<seg id="{n}">{line}</seg>' for n, line in enumerate(gold)]
    write_files(
        folder,
        {
            "A.sgm": "<doc docid='d'>\n" + "\n".join(marked) + "\n</doc>\n",
            "set.xml": f"<dataset><doc id='d'><ref lang='en'>{''.join(golden)}</ref>"
            f"<hyp system='A'>{''.join(marked)}</hyp><hyp system='Z'>{''.join(golden)}</hyp></doc></dataset>",
        },
    )
    plain = run(capsys, "score", "--hyp", "A=A.txt", "--ref", "ref.txt", "--json").json()
    assert run(capsys, "score", "--hyp", "A=A.sgm", "--ref", "set.xml", "--json").json() == plain
    both = rows_of(capsys, "score", "--hyp", "set.xml", "--ref", "ref.txt")
    assert [row["system"] for row in both] == ["A", "Z"]
    assert float(both[0]["bleu"]) == plain["systems"][0]["scores"]["bleu"]["value"]


def test_the_worst_segments(capsys: Capture) -> None:
    command = ("score", "--hyp", "A.txt", "B.txt", "--ref", "ref.txt", "-m", "bleu,kendall")
    shown = run(capsys, *command, "--worst", "1")
    assert shown.code == 0
    table, _, examples = shown.out.partition("\n\n")
    assert table.splitlines()[1].split() == ["system", "bleu", "kendall", "words", "matched"]
    assert examples == (
        "The worst segments by kendall (loss times number of ordered words):\n\n"
        "segment 2  B kendall 0.000\n"
        "  ref  [1 a] [2 b] [3 c] [4 d] [5 e]\n"
        "  hyp  [5 e] [4 d] [3 c] [2 b] [1 a]\n"
        "       5 reference words matched in 5 chunks\n\n"
    )
    between = run(capsys, *command, "--worst-between", "B", "A", "--by", "kendall", "--worst", "1")
    assert "\n\nWhere the systems differ most by kendall (difference times number of ordered words):\n" in between.out
    assert "\n\nsegment 2  B kendall 0.000  A kendall 1.000, on the words that both match\n" in between.out
    assert between.out.count("\nsegment ") == 1
    nothing = run(capsys, "score", "--hyp", "ref.txt", "--ref", "ref.txt", "--worst", "1").out
    assert nothing.endswith("\nno segment to show: nothing is out of order, or nothing differs\n")
    document = run(capsys, *command, "--worst", "1", "--json").json()
    assert [example["segment"] for example in document["worst"]] == [2]
    assert run(capsys, *command, "--worst", "1", "--format", "latex").code == 2
    orders = run(capsys, "score", "--permutations", "a.orders", "--worst", "1")
    assert orders.code == 0
    assert " | " in orders.out


def test_segments_hold_the_text_where_asked(capsys: Capture, folder: Path) -> None:
    command = ("score", "--hyp", "A.txt", "--ref", "ref.txt", "-m", "pef", "--segment-text")
    assert run(capsys, *command).code == 2
    assert run(capsys, *command, "--segments", "out.jsonl").code == 0
    record = json.loads((folder / "out.jsonl").read_text().splitlines()[0])
    assert (record["reference"], record["hypothesis"]) == ("the cat sat", "the cat sat")


def test_empty_lines_are_legal_and_counted(capsys: Capture, folder: Path) -> None:
    write_files(folder, {"empty.txt": "\n\n\n\n", "none.align": "\n\n", "none.orders": "\n\n", "2": "1\n1\n"})
    for command in (
        ("--hyp", "empty.txt", "--ref", "ref.txt", "--metrics", "all,1-ter"),
        ("--hyp", "A.txt", "--ref", "empty.txt", "--metrics", "all,1-ter"),
        ("--hyp", "empty.txt", "--ref", "empty.txt", "--metrics", "all,1-ter"),
        ("--permutations", "none.orders", "none2=none.orders", "--metrics", "all"),
        ("--hyp-align", "none.align", "--ref-align", "none.align", "--source-lengths", "2", "--metrics", "all"),
    ):
        found = run(capsys, "score", *command, "--json").json()
        assert found["segments"] in (2, 4)
        for name, entry in found["systems"][0]["scores"].items():
            assert entry["defined"] + entry["undefined"] == found["segments"]
            assert (entry["value"] is None) == (entry["defined"] == 0), name
        assert found["systems"][0]["scores"]["kendall"]["undefined"] == found["segments"]


# --- renderings ---------------------------------------------------------------------------------------------------


def test_every_format(capsys: Capture) -> None:
    command = ("score", "--permutations", "a.orders", "b_1=b.orders", "--metrics", "kendall,pef", "--format")
    shown = {name: run(capsys, *command, name) for name in FORMATS}
    assert all(found.code == 0 and found.err == "" for found in shown.values())
    assert "0.667" in shown["table"].out
    assert "scores from 0 to 1" in shown["table"].out
    signature = (
        f"metrics:kendall,pef|order:permutations|base:1|samples:1000|test:bootstrap|seed:12345|version:{__version__}"
    )
    for name in ("table", "tsv", "csv", "html"):
        assert signature in shown[name].out.replace("kendall,pef&quot;", "kendall,pef"), name
    assert signature.replace("|", r"\|") in shown["markdown"].out
    assert signature.replace("|", r"\textbar{}") in shown["latex"].out
    assert shown["tsv"].out.count("\n") == 3
    assert len(shown["json"].json()["systems"]) == 2
    assert shown["markdown"].out.startswith("| system | kendall | pef | segments | words |\n| :--- |")
    assert r"\begin{tabular}{lrrrr}" in shown["latex"].out
    assert r"b\_1" in shown["latex"].out
    assert run(capsys, *command, "terminal").out == shown["table"].out


def test_every_format_says_what_is_undefined_and_how_sure_a_difference_is(capsys: Capture, folder: Path) -> None:
    write_files(folder, {"c.orders": "3 2 1\n1 2 3\n\n2 1\n"})
    command = ("score", "--permutations", "a.orders", "c.orders", "--metrics", "kendall")
    document = run(capsys, *command, "--json").json()
    (tested,) = document["tests"]
    assert tested["low"] < tested["difference"] < tested["high"]
    assert "undefined, and left out of the means: 1 segment per system (kendall)" in document["notes"]
    best, other = rows_of(capsys, *command)
    assert (best["kendall.undefined"], best["kendall.marks"], best["kendall.p"]) == ("1", "best", "")
    assert (other["kendall.undefined"], float(other["kendall.p"])) == ("1", tested["p_corrected"])
    assert "too little data to test" in best["notes"]
    for form in ("table", "markdown", "latex", "html", "csv"):
        more = ("--verbose",) if form == "table" else ()
        out = run(capsys, *command, "--format", form, *more).out.replace("\\", "")
        assert "1 segment per system" in out, form
        assert "too little data to test" in out, form


def test_two_systems_are_compared_in_words(capsys: Capture, folder: Path) -> None:
    write_files(folder, {"good.orders": "1 2 3 4\n" * 30, "bad.orders": "4 3 2 1\n" * 29 + "1 2 3 4\n"})
    command = ("score", "--permutations", "good.orders", "bad.orders", "-m", "kendall", "--samples", "200")
    head = "good orders words better than bad: kendall"

    def said(*options: str) -> str:
        return " ".join(run(capsys, *command, *options).out.split())

    assert f"{head} 1.000 against 0.033, difference 0.967 (0.900 to 1.000), p = 0.005 metrics:" in said()
    assert f"{head} 100.0 against 3.3, difference 96.7 (90.0 to 100.0), p = 0.005 metrics:" in said("--percent")
    assert f"{head} 1.000 against 0.033, difference 0.967, p < 0.0001 metrics:" in said(
        "--samples", "0", "--test", "sign"
    )
    assert f"{head} 1.000 against 0.033, difference 0.967 (0.900 to 1.000)" in said("--baseline", "good.orders")
    same = run(capsys, "score", "--permutations", "A=a.orders", "B=a.orders", "-m", "kendall").out
    assert "\nA and B score the same: kendall 0.667\n" in same


def test_of_many_systems_every_p_is_told(capsys: Capture) -> None:
    command = ("score", "--permutations", "A=a.orders", "B=b.orders", "C=a.orders", "-m", "kendall,pef")
    document = run(capsys, *command, "--json").json()
    out = run(capsys, *command, "--verbose").out
    sentence = run(capsys, *command).out.splitlines()[6]
    assert sentence.startswith("A orders words best")
    assert sentence in out.splitlines()
    for name in ("kendall", "pef"):
        tests = [test for test in document["tests"] if test["metric"] == name]
        p_values = sorted(f"{test['p_corrected']:.3f}".removeprefix("0") for test in tests)
        assert out.count(f"p-values of {name}") == 1
        row = out.partition(f"p-values of {name}")[2].splitlines()[3].split()
        assert row[:2] == ["1", tests[0]["a"]]
        assert sorted(row[2:]) == p_values
    assert "p-values for pef against the baseline (B): A " in run(capsys, *command, "--baseline", "B", "--verbose").out


def test_digits_percent_and_caption(capsys: Capture) -> None:
    command = ("score", "--permutations", "a.orders", "-m", "kendall")
    assert " 66.7 ±" in run(capsys, *command, "--percent").out
    assert "scores from 0 to 100" in run(capsys, *command, "--percent").out
    assert " 0.66667 ±.33333" in run(capsys, *command, "--digits", "5").out
    assert rows_of(capsys, *command, "--digits", "2", "--percent")[0]["kendall"] == "66.67"
    latex = run(capsys, *command, "--format", "latex", "--caption", "50% better").out
    assert r"\caption{50\% better}" in latex
    assert latex.startswith(r"% needs \usepackage{booktabs}")
    for wrong, told in (
        (("--json", "--digits", "2"), "JSON always has unrounded values"),
        (("--format", "tsv", "--caption", "x"), "--caption cannot be used with --format tsv"),
        (("--digits", "99"), "--digits must be at most 15, not 99"),
    ):
        found = run(capsys, *command, *wrong)
        assert found.code == 2
        assert told in found.err


def test_a_result_goes_into_a_file_whose_name_may_say_the_format(capsys: Capture, folder: Path) -> None:
    command = ("score", "--permutations", "a.orders", "-m", "kendall")
    for name, form in (("x.tsv", "tsv"), ("x.csv.gz", "csv"), ("x.md", "markdown"), ("x.tex", "latex"), ("x", "table")):
        found = run(capsys, *command, "-o", name)
        assert (found.code, found.out) == (0, "")
        raw = (folder / name).read_bytes()
        text = (gzip.decompress(raw) if name.endswith(".gz") else raw).decode()
        assert text == run(capsys, *command, "--format", form).out
    assert run(capsys, *command, "-o", "y.tsv", "--format", "markdown").code == 0
    assert (folder / "y.tsv").read_text().startswith("| system |")
    found = run(capsys, "score", "--permutations", "none.orders", "-o", "x")
    assert found.code == 2
    assert "─" in (folder / "x").read_text()  # what was there before
    found = run(capsys, *command, "-o", "nowhere/x")
    assert (found.code, found.out) == (2, "")
    assert "nowhere/x: there is no folder nowhere" in found.err


@pytest.mark.parametrize("command", [("metrics", "pef"), ("inspect", "2 1 3")])
def test_what_is_no_table_goes_into_a_file_too(command: tuple[str, ...], capsys: Capture, folder: Path) -> None:
    printed = run(capsys, *command).out
    assert run(capsys, *command, "-o", "out.txt").out == ""
    assert (folder / "out.txt").read_text() == printed != ""


def test_a_pipe_and_a_terminal_get_the_same_table(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    command = ("score", "--permutations", "a.orders")
    piped = run(capsys, *command).out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "dumb")
    drawn = run(capsys, *command).out
    assert drawn == piped
    assert "± 95% interval" in drawn


def test_values_are_unrounded_in_tsv_and_json(capsys: Capture) -> None:
    row = rows_of(capsys, "score", "--permutations", "a.orders", "-m", "kendall-sqrt")[0]
    found = run(capsys, "score", "--permutations", "a.orders", "-m", "kendall-sqrt", "--json").json()
    exact = float(
        score(permutations=Permutations.of(["1 2 3", "2 1 3", "", "3 1 2"]), metrics="kendall-sqrt").values[0, 0]
    )
    assert float(row["kendall-sqrt"]) == found["systems"][0]["scores"]["kendall-sqrt"]["value"] == exact


@pytest.mark.slow
def test_threads_change_no_byte(capsys: Capture, folder: Path) -> None:
    write_files(folder, {"many.orders": "1 2 3\n2 1 3\n\n3 1 2\n" * 4200})
    found = []
    for threads in ("1", "2", "4"):
        shown = run(
            capsys, "score", "--permutations", "many.orders", "-m", "pef", "--threads", threads, "--segments", "out"
        )
        found.append((shown.out, (folder / "out").read_bytes()))
    assert found[0][1].count(b"\n") == 16_800
    assert found[0] == found[1] == found[2]


def test_an_existing_file_is_replaced_whole(capsys: Capture, folder: Path) -> None:
    write_files(folder, {"out.jsonl": "old\n" * 1000})
    assert run(capsys, "score", "--permutations", "a.orders", "--segments", "out.jsonl").code == 0
    assert (folder / "out.jsonl").read_text().count("\n") == 4
    assert not list(folder.glob(".wordorder*"))


def test_files_of_a_repeated_option_are_added(capsys: Capture) -> None:
    once = run(capsys, "score", "--hyp", "A.txt", "B.txt", "--ref", "ref.txt", "-m", "pef,bleu", "--samples", "0")
    twice = (
        "score",
        "--hyp",
        "A.txt",
        "--ref",
        "ref.txt",
        "--hyp",
        "B.txt",
        "-m",
        "pef",
        "-m",
        "bleu",
        "--samples",
        "0",
    )
    assert run(capsys, *twice).out == once.out


def test_a_result_does_not_overwrite_what_is_read(capsys: Capture, folder: Path) -> None:
    before = (folder / "A.txt").read_bytes()
    found = run(capsys, "score", "--hyp", "x=A.txt", "--ref", "ref.txt", "-o", "./A.txt")
    assert (found.code, found.err) == (
        2,
        "wordorder: ./A.txt is an input of this command; choose another file for the result\n",
    )
    assert (folder / "A.txt").read_bytes() == before
    assert run(capsys, "score", "--hyp", "A.txt", "--ref", "ref.txt", "--segments", "ref.txt").code == 2


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (("-o", "x.parquet"), "x.parquet: unknown result format (valid: table, tsv, csv"),
        (("--segments", "x.tsv"), "x.tsv: segments are written as JSON Lines, so use the suffix .jsonl"),
    ],
)
def test_a_name_that_promises_another_form_is_refused(
    capsys: Capture, folder: Path, option: tuple[str, str], message: str
) -> None:
    found = run(capsys, "score", "--hyp", "A.txt", "--ref", "ref.txt", *option)
    assert (found.code, message in found.err) == (2, True)
    assert not (folder / option[1]).exists()


def test_three_segments_prove_nothing(capsys: Capture, folder: Path) -> None:
    write_files(folder, {"same": "a b c\nd e f\ng h i\n", "moved": "b a c\ne d f\ng h i\n"})
    found = run(capsys, "score", "--ref", "same", "--hyp", "same", "moved", "-m", "kendall", "--json").json()
    assert [test["decidable"] for test in found["tests"]] == [False]
    assert "too little data to test" in found["notes"][-1]


def test_a_table_given_as_a_text_is_noticed(capsys: Capture, folder: Path) -> None:
    (folder / "both.tsv").write_text("a b\tb a\n" * 4)
    found = run(capsys, "score", "--hyp", "A.txt", "--ref", "both.tsv")
    told = "both.tsv is a table; choose a column with both.tsv:COLUMN (1 to 2)"
    assert (found.code, found.err) == (2, f"wordorder: {told}\n")


# --- what people see first ----------------------------------------------------------------------------------------


def test_sixteen_systems_fit_into_one_table_of_80_columns_whatever_their_names(capsys: Capture, folder: Path) -> None:
    lines = ["a b c d e f g h", "b a c d e f g h", "h g f e d c b a", "a b c d e f g"]
    names = [f"newstest.de-en.{'a-very-long-name-' * (n % 3)}{n}" for n in range(16)]
    for n, name in enumerate(names):
        write_files(folder, {name: "\n".join(lines[(n + k) % 4] for k in range(24)) + "\n"})
    write_files(folder, {"ref": "a b c d e f g h\n" * 24})
    out = run(capsys, "score", "--ref", "ref", "--hyp", *names).out.splitlines()
    assert out[0] == "newstest.de-en.*: 24 segments, scores from 0 to 1, ± 95% interval"
    rule = next(place for place, line in enumerate(out) if line.startswith("───"))
    assert len(out) <= 16 + 12
    assert max(map(len, out[:-1])) <= 80
    assert sum("newstest" in line for line in out) == 1
    assert all("±" in line for line in out[rule + 1 : rule + 17])
    assert "orders words best, but no other system is significantly worse" in out[rule + 17]
    assert len(out) - (rule + 17) <= 5


def test_systems_are_sorted_as_wished(capsys: Capture) -> None:
    command = ("score", "--permutations", "b.orders", "a.orders", "c=a.orders", "-m", "kendall,pef")
    for sort, expected in (("given", "bac"), ("name", "abc"), ("pef", "acb"), ("kendall", "acb")):
        rows = rows_of(capsys, *command, "--sort", sort)
        assert "".join(row["system"][0] for row in rows) == expected
        shown = [line.split()[1] for line in run(capsys, *command, "--sort", sort).out.splitlines() if "±" in line][1:]
        assert "".join(name[0] for name in shown) == expected
    assert "unknown order of systems 'bleu'" in run(capsys, *command, "--sort", "bleu").err


def test_a_gate_that_is_missed_ends_with_3_after_the_result_is_written(capsys: Capture, folder: Path) -> None:
    write_files(folder, {"good.orders": "1 2 3 4\n" * 30, "bad.orders": "4 3 2 1\n" * 29 + "1 2 3 4\n"})
    command = ("score", "--permutations", "good=good.orders", "bad=bad.orders", "-m", "kendall,pef", "--samples", "200")
    assert run(capsys, *command, "--fail-under", "kendall=0.03", "pef=0").code == 0
    low = run(capsys, *command, "--fail-under", "kendall=0.5", "-o", "out.json")
    assert (low.code, low.err) == (3, "wordorder: bad: kendall is 0.03333, below 0.5\n")
    assert json.loads((folder / "out.json").read_text())["systems"][1]["name"] == "bad"
    assert run(capsys, *command, "--percent", "--fail-under", "kendall=3.4").code == 3
    worse = run(capsys, *command, "--baseline", "good", "--fail-if-worse")
    assert (worse.code, worse.err) == (3, "wordorder: significantly worse than good: bad (kendall, pef)\n")
    assert run(capsys, *command, "--baseline", "bad", "--fail-if-worse").code == 0
    assert run(capsys, *command, "--fail-if-worse").err == "wordorder: --fail-if-worse requires --baseline\n"
    assert "expected METRIC=VALUE" in run(capsys, *command, "--fail-under", "pef=good").err
    assert run(capsys, *command, "--fail-under", "bleu=0.1").code == 2
    write_files(folder, {"none.orders": "\n" * 30})
    nothing = run(capsys, "score", "--permutations", "none.orders", "-m", "kendall", "--fail-under", "kendall=0")
    assert (nothing.code, nothing.err) == (3, "wordorder: none.orders: kendall is undefined\n")


@pytest.mark.filterwarnings("default::wordorder.core.runtime.errors.InputWarning")
def test_a_system_that_cannot_be_compared_fails_the_gate(capsys: Capture, folder: Path) -> None:
    write_files(folder, {"ref": "a b c d e f g h\n" * 20, "same": "a b c d e f g h\n" * 20, "few": "a q r s\n" * 20})
    found = run(capsys, "score", "--ref", "ref", "--hyp", "same", "few", "--baseline", "same", "--fail-if-worse", "-q")
    assert found.code == 3
    assert "few cannot be judged: it matches only 12.5% of the reference words" in found.err
    alone = run(capsys, "score", "--ref", "ref", "--hyp", "few", "--fail-under", "kendall-sqrt=0.5", "-q")
    assert (alone.code, "few cannot be judged" in alone.err) == (3, True)


def test_a_gate_that_decides_nothing_is_not_passed(capsys: Capture, folder: Path) -> None:
    write_files(folder, {"good.orders": "1 2 3 4\n" * 3, "bad.orders": "4 3 2 1\n" * 3})
    command = ("score", "--permutations", "good=good.orders", "bad=bad.orders", "-m", "kendall")
    few = run(capsys, *command, "--baseline", "good", "--fail-if-worse")
    assert (few.code, few.err) == (3, "wordorder: too few segments or samples to test bad against good by kendall\n")
    scale = run(capsys, *command, "--fail-under", "kendall=50")
    assert "good: kendall is 1, below 50 (without --percent, scores run from 0 to 1)" in scale.err
    assert run(capsys, *command, "--fail-under", "kendall=nan").code == 2


def test_files_and_streams_as_with_sacrebleu(folder: Path) -> None:
    command = [sys.executable, "-m", "wordorder", "score", "ref.txt", "-m", "bleu1", "--format", "tsv"]
    expected = score(str(FILES["A.txt"]).splitlines(), str(FILES["ref.txt"]).splitlines(), metrics="bleu1")
    for more, piped in (((), FILES["A.txt"]), (("-i", "A.txt"), "")):
        done = subprocess.run([*command, *more], input=piped, capture_output=True, text=True, cwd=folder, check=True)
        header, row = (line.split("\t") for line in done.stdout.splitlines())
        assert row[0] == ("hypothesis" if piped else "A")
        assert float(row[header.index("bleu1")]) == expected.values[0, 0]
    both = subprocess.run([*command, "--ref", "ref.txt"], input="", capture_output=True, text=True, cwd=folder)
    assert both.returncode == 2
    assert "unexpected argument 'ref.txt' besides --ref" in both.stderr
