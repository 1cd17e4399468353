"""``wordorder inspect``, ``wordorder metrics`` and ``wordorder demo``."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from running import run
from wordorder.metrics import METRICS

Capture = pytest.CaptureFixture[str]


# --- inspect ------------------------------------------------------------------------------------------------------


def test_inspect_shows_tree_pets_cycles_and_metrics(capsys: Capture) -> None:
    found = run(capsys, "inspect", "2 4 5 6 1 3")
    assert (found.code, found.err) == (0, "")
    lines = found.out.splitlines()
    assert lines[0] == "permutation  2 4 5 6 1 3"
    assert lines[1] == "tree         ⟨2,4,1,3⟩ simple"
    assert "⟨1,2,3⟩ monotone: 4 5 6" in found.out
    assert "PETs         2" in lines
    assert "cycles       (1 2 4 6 3 5)" in lines
    scores = dict(line.split() for line in lines[lines.index("") + 1 :])
    assert (scores["pef"], scores["pet-size"], scores["max-op"]) == ("0.4000", "0.5000", "0.5000")


def test_inspect_as_json(capsys: Capture) -> None:
    document = run(capsys, "inspect", "5 7 4 6 3 1 2", "--json").json()
    assert (document["permutation"], document["length"], document["pets"]) == ("5 7 4 6 3 1 2", 7, 2)
    assert document["tree"]["operator"] == [3, 2, 1]
    assert document["tree"]["children"][0]["operator"] == [2, 4, 1, 3]
    assert document["cycles"] == [[1, 5, 3, 4, 6], [2, 7]]
    assert set(document["scores"]) == {name for name, kind in METRICS.items() if kind.needs == METRICS["pef"].needs}
    exact = document["scores"]["kendall"]
    assert exact == pytest.approx(4 / 21, abs=1e-15)


def test_inspect_only_some_metrics_with_parameters(capsys: Capture) -> None:
    document = run(capsys, "inspect", "2 1", "-m", "pef:gamma=0.5,hamming", "--json").json()
    assert document["scores"] == {"pef:gamma=0.5": 0.5, "hamming": 0.0}


@pytest.mark.parametrize(
    ("arguments", "permutation"),
    [
        (("0-0 1-2 2-1 3-3",), "1 3 2 4"),
        (("1-1 2-3 3-2", "--base", "1"), "1 3 2"),
        (("0-1 1-0",), "2 1"),
        (("0-1 1-0", "--source", "a b c"), "2 3 1"),
        (("0-1 1-0", "--source", "a b c", "--policy", "drop"), "2 1"),
        (("0?1 1-0-S 2p2",), "2 1 3"),
        (("0-0 1-1 2-2", "--reference", "0-0 1-2 2-1"), "1 3 2"),
        (("2 1 3", "--reference", "1 3 2"), "3 1 2"),
    ],
)
def test_inspect_alignments_and_references(arguments: tuple[str, ...], permutation: str, capsys: Capture) -> None:
    assert run(capsys, "inspect", *arguments, "--json").json()["permutation"] == permutation


def test_inspect_writes_the_source_in_target_order(capsys: Capture) -> None:
    found = run(capsys, "inspect", "0-1 1-0 2-0", "--source", "a b c", "--policy", "talbot")
    assert "words        {{ b c }} a" in found.out.splitlines()


def test_inspect_a_sentence_beside_its_reference(capsys: Capture) -> None:
    arguments = ("inspect", "in 2012 sat the cat .", "--reference", "the black cat sat in 2012 .")
    found = run(capsys, *arguments)
    assert (found.code, found.err) == (0, "")
    lines = found.out.splitlines()
    assert lines[:2] == ["permutation  4 5 3 1 2 6", "words        in 2012 sat the cat ."]
    assert "edits        3 for 7 reference words: 2 shifts, 1 insertion" in lines
    assert next(line for line in lines if line.startswith("shift ")) == "shift        in 2012: from position 1 to 4"
    assert "insert       black" in lines
    scores = dict(line.split() for line in lines[lines.index("") + 1 :])
    assert (scores["matched"], scores["kendall"]) == ("0.8571", "0.4667")
    document = run(capsys, *arguments, "-m", "1-ter,hamming", "--json").json()
    assert document["scores"] == {"1-ter": 1 - 3 / 7, "hamming": pytest.approx(1 / 3)}
    assert document["edits"]["shifts"][0] == {"words": ["in", "2012"], "start": 0, "to": 3}


def test_inspect_sentences_that_share_no_word(capsys: Capture) -> None:
    found = run(capsys, "inspect", "a b", "--reference", "c")
    assert found.out.startswith("permutation  empty: no word is matched\nedits        2 for 1 reference word: ")
    assert "undefined" in found.out


def test_inspect_an_empty_order(capsys: Capture) -> None:
    found = run(capsys, "inspect", "")
    assert found.code == 0
    assert "every metric is undefined" in found.out
    document = run(capsys, "inspect", "", "--json").json()
    assert (document["length"], document["tree"], document["pets"], document["cycles"]) == (0, None, None, [])
    assert set(document["scores"].values()) == {None}


def zigzag(length: int) -> str:
    """1 n 2 n−1 …: the deepest tree there is."""
    ranks = [rank for pair in zip(range(1, length + 1), range(length, 0, -1), strict=True) for rank in pair]
    return " ".join(map(str, ranks[:length]))


def test_inspect_the_deepest_and_the_widest_order(capsys: Capture) -> None:
    for order in (zigzag(400), " ".join(map(str, range(1, 401)))):
        document = run(capsys, "inspect", order, "--json").json()
        assert document["length"] == 400
        assert run(capsys, "inspect", order).code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("1 2 2",), 1, "rank 2 appears twice"),
        (("1 2 x",), 1, "'1 2 x' is not a permutation"),
        ((__file__,), 2, "is a file; give the order or sentence itself"),
        (("0 1 2",), 1, "rank"),
        (("1 2", "--reference", "1 2 3"), 1, "permutations of different lengths (3 and 2)"),
        (("1 2", "--reference", "0-0 1-1"), 2, "use one form for both"),
        (("0 1", "--base", "0"), 2, "--base 0 is only for alignments"),
        (("0-0 1",), 2, "'1' is not a link"),
        (("0-0 1-1", "--base", "1"), 2, "link '0-0' has index 0"),
        (("5-0", "--source", "a b"), 1, "link 5-0 is out of range"),
        (("0-0", "--policy", "brich"), 2, "unknown policy 'brich'"),
        (("1 2", "-m", "bleu"), 2, "needs text"),
        ((zigzag(401),), 2, "401 words are too many to inspect (at most 400)"),
        (("99999-0",), 2, "100000 words are too many to inspect"),
        (("9999999-0",), 2, "is not a link"),
        (("1 2 x", "--reference", "1 2 3"), 1, "'1 2 x' is not a permutation"),
        (("the cat sat",), 2, "give a reference sentence (--reference)"),
        (("a b", "--reference", "b a", "--source", "c"), 2, "--source and --base apply to alignments"),
        (("a b", "--reference", "b a", "-m", "jump"), 2, "needs orders of the source words"),
        (("a " * 401, "--reference", "a " * 401), 2, "401 words are too many to inspect (at most 400)"),
    ],
)
def test_inspect_mistakes(arguments: tuple[str, ...], code: int, message: str, capsys: Capture) -> None:
    found = run(capsys, "inspect", *arguments)
    assert (found.code, found.out) == (code, "")
    assert message in found.err
    assert found.err.count("\n") == 1


# --- metrics ------------------------------------------------------------------------------------------------------


def test_the_list_has_every_metric_with_formula_parameters_range_and_paper(capsys: Capture) -> None:
    listed = {entry["name"]: entry for entry in run(capsys, "metrics", "--json").json()}
    assert list(listed) == list(METRICS)
    for entry in listed.values():
        assert all(entry[key] for key in ("formula", "paper", "range", "needs"))
        assert all(parameter["meaning"] and parameter["range"] for parameter in entry["parameters"])
    beta = next(parameter for parameter in listed["pef"]["parameters"] if parameter["name"] == "beta")
    assert (beta["default"], beta["range"]) == (0.6, "0 to 1")
    alpha = next(parameter for parameter in listed["lr"]["parameters"] if parameter["name"] == "alpha")
    assert alpha["default"] is None
    shown = run(capsys, "metrics").out
    for name, entry in listed.items():
        assert f"{name}   [{entry['paper']}]\n    {entry['formula']}\n" in shown
    assert "None" not in shown


def test_some_metrics_may_be_asked_for(capsys: Capture) -> None:
    assert [entry["name"] for entry in run(capsys, "metrics", "ulam", "pef", "--json").json()] == ["ulam", "pef"]
    found = run(capsys, "metrics", "ulm")
    assert (found.code, found.out) == (2, "")
    assert "unknown metric 'ulm'; did you mean 'ulam'?" in found.err


# --- demo ---------------------------------------------------------------------------------------------------------


def test_the_demo_shows_that_order_matters(capsys: Capture) -> None:
    rows = {row["system"]: row for row in run(capsys, "demo", "--format", "tsv").tsv()}
    assert list(rows) == ["good", "monotone", "scrambled"]
    scores = {
        name: [float(rows[system][name]) for system in rows] for name in ("kendall-sqrt", "pef", "bleu", "matched")
    }
    for name in ("kendall-sqrt", "pef", "bleu"):
        assert scores[name][0] == max(scores[name])
        assert rows["good"][f"{name}.marks"] == "best"
    for name in ("kendall-sqrt", "pef"):
        assert scores[name][1] > scores[name][2]
    assert scores["bleu"][1] < scores["bleu"][2]  # BLEU takes scrambled words for the better translation
    assert scores["matched"][0] == scores["matched"][2]  # the same words, in no order


def test_the_demo_as_json_and_as_a_table(capsys: Capture) -> None:
    document = run(capsys, "demo", "--json").json()
    assert [system["name"] for system in document["systems"]] == ["good", "monotone", "scrambled"]
    assert run(capsys, "demo", "--format", "markdown").out.startswith("| system |")
    shown = run(capsys, "demo").out  # into a pipe, too
    assert "─" in shown
    assert shown.count("\nsegment ") == 3


def test_the_demo_waits_for_no_compiler_and_prints_the_same(capsys: Capture, tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    environment.pop("NUMBA_DISABLE_JIT", None)
    command = [sys.executable, "-m", "wordorder", "demo", "--json"]
    interpreted = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert interpreted.stdout == run(capsys, "demo", "--json").out
    assert interpreted.stderr == ""
    assert not list(tmp_path.iterdir())  # nothing was compiled


def test_a_sentence_without_spaces_is_cut_as_asked(capsys: Capture, tmp_path: Path) -> None:
    sentence = ("inspect", "昨天我来", "--reference", "我昨天来", "--metrics", "kendall")
    picture = ("--picture", str(tmp_path / "tree.svg"), "--draw", "tree")
    assert run(capsys, *sentence, "--json").json()["length"] == 0
    found = run(capsys, *sentence, "--tokenize", "zh", "--json", *picture).json()
    assert (found["length"], found["words"]) == (4, "昨 天 我 来")
    assert "昨" in (tmp_path / "tree.svg").read_text(encoding="utf-8")
