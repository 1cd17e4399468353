"""``wordorder score`` through the source and against it: what is inferred, what is told, what goes where."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wordorder.cli.main import main
from wordorder.scoring.inputs import source as through_source

FILES = {
    "src": "das ist gut\nja klar\n",
    "A.txt": "this is good\nyes sure\n",
    "B.txt": "good is this\nsure yes\n",
    "ref": "this is good\nyes sure\n",
    "straight": "0-0 1-1 2-2\n0-0 1-1\n",
    "turned": "0-2 1-1 2-0\n0-1 1-0\n",
    "likely": "0-0:0.9 1-0:0.1 1-1 2-2:0.6\n0-0 1-1:0.5\n",
}
LINKS = ("--hyp-align", "straight", "turned")
BOTH = ("--source", "src", "--hyp", "A.txt", "B.txt")

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run ``wordorder score`` in a folder with small files; give exit code, output and errors."""
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        Path(name).write_text(content)

    def call(*arguments: str) -> tuple[int, str, str]:
        try:
            code = main(["score", *arguments])
        except SystemExit as stopped:
            code = int(stopped.code or 0)
        out, err = capfd.readouterr()
        return code, out, err

    return call


def scored(run: Run, *arguments: str) -> dict[str, Any]:
    code, out, err = run(*arguments, "--json")
    assert (code, err) == (0, "")
    document: dict[str, Any] = json.loads(out)
    return document


def values(document: dict[str, Any], metric: str) -> dict[str, float]:
    return {system["name"]: system["scores"][metric]["value"] for system in document["systems"]}


# --- what is compared ----------------------------------------------------------------------------------------------


def test_source_and_hypotheses_alone_are_monotone(run: Run) -> None:
    document = scored(run, *BOTH, *LINKS)
    assert document["signature"]["order"] == "monotone"
    assert list(document["systems"][0]["scores"]) == [
        "kendall-sqrt",
        "pef",
        "crossing-rate",
        "jump",
        "anticipation",
        "unaligned-source",
        "unaligned-target",
    ]
    assert values(document, "kendall-sqrt") == {"A": 1, "B": 0}
    assert document["tests"] == []


def test_a_reference_means_matched_words_unless_something_else_is_said(run: Run) -> None:
    assert scored(run, *BOTH, "--ref", "ref")["signature"]["order"] == "matched"
    document = scored(run, *BOTH, "--ref", "ref", "--order", "monotone", "--ref-align", "straight", *LINKS)
    assert [system["name"] for system in document["systems"]] == ["reference", "A", "B"]
    assert {test["b"] for test in document["tests"]} == {"reference"}
    differences = {test["a"]: test["difference"] for test in document["tests"] if test["metric"] == "kendall-sqrt"}
    assert differences == {"A": 0, "B": -1}


def test_given_links_and_made_links_do_not_stand_side_by_side(run: Run) -> None:
    common = (*BOTH, "--ref", "ref", "--metrics", "kendall", "--samples", "20", "--order")
    code, out, err = run(*common, "monotone", *LINKS)
    assert (code, out) == (2, "")
    assert "alignments are given for the systems alone; give --ref-align, too" in err
    code, out, err = run(*common, "monotone", "--ref-align", "straight")
    assert (code, out) == (2, "")
    assert "alignments are given for the references alone; give --hyp-align, too" in err
    aligner = scored(run, *common, "source", *LINKS)["signature"]["aligner"]
    assert aligner.startswith("given+")  # all systems are treated alike
    assert scored(run, *common, "source", *LINKS, "--versus", "previous")["tests"]


def test_the_order_of_the_source_words(run: Run) -> None:
    common = (*BOTH, "--ref", "ref", "--order", "source", *LINKS, "--ref-align", "turned")
    document = scored(run, *common, "--metrics", "kendall,lr-kb4")
    assert values(document, "kendall") == {"A": 0, "B": 1}
    assert document["signature"]["aligner"] == "given"
    assert (document["signature"]["dk"], document["signature"]["alpha"]) == (0, [1])
    for policy in ("talbot", "attach-left", "attach-right", "drop"):
        told = scored(run, *common, "--metrics", "kendall", "--policy", policy)["signature"]["policy"]
        assert told == policy


def test_alignments_alone(run: Run) -> None:
    document = scored(run, "--hyp-align", "A=straight", "B=turned", "--order", "monotone", "--source", "src")
    assert values(document, "crossing-rate") == {"A": 0, "B": 1}
    assert "anticipation" not in document["systems"][0]["scores"]
    document = scored(run, "--hyp-align", "turned", "--ref-align", "straight", "--order", "monotone", "--source", "src")
    assert values(document, "crossing-rate") == {"reference": 0, "turned": 1}


def test_alignment_files_are_named_or_come_in_the_order_of_the_systems(run: Run) -> None:
    by_place = scored(run, *BOTH, *LINKS)
    by_name = scored(run, *BOTH, "--hyp-align", "B=turned", "A=straight")
    assert values(by_place, "crossing-rate") == values(by_name, "crossing-rate") == {"A": 0, "B": 1}
    swapped = scored(run, *BOTH, "--hyp-align", "turned", "straight")
    assert values(swapped, "crossing-rate") == {"A": 1, "B": 0}
    twice = scored(run, *BOTH, "--hyp-align", "turned", "turned")
    assert values(twice, "crossing-rate") == {"A": 1, "B": 1}


# --- aligning ------------------------------------------------------------------------------------------------------


def test_links_are_made_where_none_are_given(run: Run) -> None:
    document = scored(run, *BOTH, "--aligner", "model1", "--symmetrise", "union", "--metrics", "unaligned-source")
    assert document["signature"]["aligner"] == "model1+union"
    document = scored(run, *BOTH, *("--metrics", "unaligned-source", "--train-source", "src", "--train-target", "ref"))
    assert document["signature"]["aligner"] == "hmm+grow-diag-final-and"
    assert document["signature"]["train_pairs"] == 6  # the training text, and both systems


def test_a_model_of_wordorder_align_is_taken(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["align", "--train-source", "src", "--train-target", "ref", "--save", "model"]) == 0
    monkeypatch.setattr(through_source, "train", None)
    document = scored(run, *BOTH, "--align-model", "model", "--metrics", "jump")
    assert document["signature"]["aligner"] == "model+grow-diag-final-and"


@pytest.mark.parametrize("order", ["source", "monotone"])
def test_any_number_of_threads_gives_the_same_bytes(run: Run, order: str) -> None:
    arguments = (*BOTH, "--ref", "ref", "--order", order, "--samples", "50")
    first = run(*arguments)
    assert first[0] == 0
    assert run(*arguments, "--threads", "2") == first
    expected = run(*arguments, "--expected", "3", "--json")
    assert expected[0] == 0
    assert run(*arguments, "--expected", "3", "--json", "--threads", "2") == expected


# --- tables --------------------------------------------------------------------------------------------------------


def test_the_table_says_that_monotone_is_not_good(run: Run) -> None:
    _, out, _ = run(*BOTH, *LINKS, "--format", "table")
    assert "2 segments, against the source: how monotone, not how good" in out
    assert "higher is better" not in out
    assert "best" not in out
    _, out, _ = run(
        *BOTH, *LINKS, "--ref", "ref", "--ref-align", "straight", "--order", "monotone", "--format=terminal"
    )
    assert "#: baseline" in out
    assert next(line for line in out.splitlines() if "1.000" in line).startswith("reference")


def test_segments_are_written_for_the_reference_too(run: Run) -> None:
    run(*BOTH, *LINKS, "--ref", "ref", "--ref-align", "straight", "--order", "monotone", "--segments", "out.jsonl")
    records = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    assert [(record["system"], record["segment"]) for record in records][:3] == [
        ("reference", 1),
        ("reference", 2),
        ("A", 1),
    ]


# --- expected scores -----------------------------------------------------------------------------------------------


def test_expected_scores_of_given_probabilities(run: Run) -> None:
    links = ("--source", "src", "--hyp", "A.txt", "--hyp-align", "likely")
    arguments = (*links, "--expected", "50", "--metrics", "unaligned-source")
    document = scored(run, *arguments)
    found = document["systems"][0]["scores"]["unaligned-source"]
    # the last word of each sentence, and the first one of the first, may be free: 0.4, 0.1 and 0.5 of 5 words
    assert found["value"] == pytest.approx(1 / 5, abs=0.1)
    assert found["spread"] > 0
    assert document["signature"]["draws"] == 50
    assert scored(run, *arguments) == document
    assert scored(run, *arguments, "--seed", "7") != document
    _, out, _ = run(*arguments, "--format", "table", "--verbose")
    assert "unaligned-source spread" in out
    assert "expected over 50 sampled alignments; spread is their standard deviation" in out
    assert "metrics:unaligned-source|order:monotone" in out


def test_expected_scores_of_aligned_text(run: Run) -> None:
    document = scored(run, *BOTH, "--ref", "ref", "--expected", "3")
    assert document["signature"]["order"] == "source"
    assert document["signature"]["aligner"].endswith("+sampled")
    assert [test["metric"] for test in document["tests"]] == list(document["systems"][0]["scores"])
    code, out, _ = run(*BOTH, "--ref", "ref", "--expected", "3", "-m", "kendall", "--worst", "1", "--segments", "s")
    assert (code, "\nsegment " in out) == (0, True)
    with open("s") as lines:
        assert [json.loads(line)["segment"] for line in lines] == [1, 2, 1, 2]
    document = scored(run, *BOTH, "--ref", "ref", "--expected", "3", "--order", "monotone")
    assert [system["name"] for system in document["systems"]] == ["reference", "A", "B"]


# --- what is wrong is told in one line -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--hyp", "A.txt"), "hypotheses require references or a source to compare with: give --ref or --source"),
        (
            ("--hyp", "A.txt", "--ref", "ref", "--order", "source"),
            "--order source needs the source text; give --source",
        ),
        (
            ("--hyp", "A.txt", "--ref", "ref", "--order", "monotone"),
            "--order monotone needs the source text; give --source",
        ),
        ((*BOTH, "--order", "source"), "--order source requires a reference; --order monotone does not"),
        ((*BOTH, "--ref", "ref", *LINKS), "with text, --hyp-align requires --order source or --order monotone"),
        (("--hyp-align", "straight", "--source", "src"), "there is no reference: give --ref-align or --order monotone"),
        (("--hyp-align", "straight", "--order", "monotone"), "the policy birch requires the length of every source"),
        (("--permutations", "src", "--order", "monotone"), "--order monotone applies to texts and alignments only"),
        ((*BOTH, "--hyp-align", "A=straight"), "alignments are given for A, but the systems are A, B"),
        ((*BOTH, "--hyp-align", "A=straight", "C=turned"), "alignments are given for A, C, but the systems are A, B"),
        ((*BOTH, "--metrics", "bleu"), "metric bleu needs text with a reference, which this input does not include"),
        ((*BOTH, "--ref", "ref", "--aligner", "hmm"), "an aligner can be used only with text and --order source"),
        ((*BOTH, "--ref", "ref", "--train-source", "src"), "training requires both"),
        (("--permutations", "src", "--align-model", "x"), "an aligner can be used only with text and --order source"),
        ((*BOTH, "--aligner", "giza"), "unknown alignment model 'giza' (valid: model1, diagonal, hmm, eflomal)"),
        ((*BOTH, "--symmetrise", "grow"), "unknown symmetrisation 'grow'"),
        ((*BOTH, "--policy", "birth"), "unknown policy 'birth'; did you mean 'birch'?"),
        ((*BOTH, "--align-model", "nowhere"), "nowhere: no such file"),
        (
            (*BOTH, "--align-model", "m", "--train-source", "s", "--train-target", "t"),
            "a saved model cannot be trained",
        ),
        ((*BOTH, "--train-source", "src"), "training requires both --train-source and --train-target"),
        ((*BOTH, "--weight", "ref-length"), "--weight ref-length applies only to comparisons with references"),
        ((*BOTH, "--expected", "1"), "--expected (the number of sampled alignments) must be 2 or more, not 1"),
        ((*BOTH, *LINKS, "--expected", "9"), "no link has a probability; expected scores need an aligner, or links"),
        (
            ("--hyp", "A.txt", "--ref", "ref", "--expected", "9"),
            "--expected requires text aligned with its source; give --source",
        ),
        (
            (*BOTH, "--ref", "ref", "--expected", "9", "--order", "matched"),
            "--expected requires text aligned with its source",
        ),
        (
            ("--source", "src", "--hyp", "reference=A.txt", "--ref", "ref", "--order", "monotone"),
            "the system name 'reference' is reserved",
        ),
    ],
)
def test_bad_arguments_are_one_line_and_exit_code_2(run: Run, arguments: tuple[str, ...], message: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("wordorder: ")
    assert message in err
    assert err.count("\n") == 1


def test_bad_content_is_one_line_and_exit_code_1(run: Run) -> None:
    Path("short").write_text("0-0\n")
    Path("far").write_text("0-0\n2-2\n")
    Path("one").write_text("ja\n")
    hypothesis = ("--source", "src", "--hyp", "A.txt")
    cases = {
        (*hypothesis, "--hyp-align", "short"): "short: the file ends after 1 sentence, but the source has",
        (*hypothesis, "--hyp-align", "far"): "far:2: link 2-2 is out of range: the source sentence has 2 words",
        (*hypothesis, "--hyp-align", "src"): "src:1: expected links like '0-0 1-2', found 'das'",
        (*hypothesis, "--hyp-align", "turned", "--align-format", "talp"): "turned:1: index 0 in a 1-based file",
        ("--source", "one", "--hyp", "A.txt"): "the inputs differ in length: one has 1 line, A.txt has 2",
        (*hypothesis, "--align-model", "src"): "src: not an alignment model made by wordorder",
        (*hypothesis, "--train-source", "src", "--train-target", "one"): "training texts differ in length: 2 and 1",
        ("--hyp-align", "A=straight", "B=short", "--order", "monotone", "--policy", "drop"): "straight has 2 lines",
    }
    for arguments, message in cases.items():
        code, out, err = run(*arguments)
        assert (code, out) == (1, ""), arguments
        assert message in err
        assert err.count("\n") == 1
    asked = "is this the alignment of src with A.txt, line by line, and of their words as --tokenize 13a splits them"
    assert asked in run(*hypothesis, "--hyp-align", "far")[2]


def test_help_tells_every_order(run: Run) -> None:
    code, out, _ = run("--help")
    assert code == 0
    shown = " ".join(out.split())
    for text in ("matched: ", "source: ", "monotone: ", "--align-model", "--expected N", "--order monotone"):
        assert text in shown


@pytest.mark.realdata
def test_german_moves_more_than_czech_and_french(run: Run, shared: Path) -> None:
    folder = shared / "data" / "multi30k"
    crossing = {}
    for language in ("de", "cs", "fr"):
        for side, name in ((language, "source"), ("en", "english")):
            lines = (folder / f"test_2016_flickr.lc.norm.tok.{side}").read_text().splitlines()[:400]
            Path(name).write_text("\n".join(lines) + "\n")
        arguments = ("--source", "source", "--hyp", "english", "--tokenize", "none", "--samples", "0")
        crossing[language] = values(scored(run, *arguments), "crossing-rate")["english"]
    assert 0.1 > crossing["de"] > max(crossing["cs"], crossing["fr"]) > 0
