"""Systems that match too few words take no rank, no mark and no verdict, and every format says why."""

from __future__ import annotations

import numpy as np
import pytest

from wordorder import score, score_runs
from wordorder.report import FORMATS, render
from wordorder.report.table import Mark
from wordorder.scoring.comparison import compare_pairs
from wordorder.scoring.scores import Scores
from wordorder.scoring.tables import groups_table, scores_document

REFERENCE = [
    "the old man read the book in the garden .",
    "tomorrow we will go to the sea .",
    "nobody saw the cat .",
] * 20
GOOD = ["in the garden the old man read the book .", "we will go to the sea tomorrow .", "nobody saw the cat ."] * 20
POOR = ["the man the old a book read .", "sea to go will we .", "the cat saw one ."] * 20
NONSENSE = ["the ."] * 60
OTHER = ["hier wird nichts gesagt"] * 60
SYSTEMS = {"good": GOOD, "poor": POOR, "nonsense": NONSENSE, "other": OTHER}


@pytest.fixture(scope="module")
def scores() -> Scores:
    documents = [f"d{row // 3}" for row in range(60)]
    with pytest.warns(UserWarning, match="only 0.0% of the reference words are matched in other"):
        return score(SYSTEMS, REFERENCE, metrics="kendall-sqrt,pef", samples=100, docs=documents)


def test_few_matched_words_are_a_reason(scores: Scores) -> None:
    shares = [float(rows[:, 0].sum() / rows[:, 1].sum()) for rows in map(np.asarray, scores.counts or ())]
    assert scores.values[2] == pytest.approx([1, 1])  # the best values of all
    assert 0.2 < shares[2] < shares[0] / 2
    assert scores.unranked == {
        "nonsense": f"it matches only {shares[2]:.1%} of the reference words, less than half of what good matches "
        f"({shares[0]:.1%})",
        "other": "it matches only 0.0% of the reference words",
    }


def test_there_is_no_mark_and_no_test(scores: Scores) -> None:
    rows = {row[0].value: row[1:3] for row in scores.table().rows}
    assert [cell.marks for cell in rows["good"]] == [{Mark.BEST}] * 2
    assert [cell.marks for cell in rows["nonsense"]] == [{Mark.UNRANKED}] * 2
    assert {(found.a, found.b) for found in scores.comparisons} == {("good", "poor")}
    assert {(found.a, found.b) for found in scores.compare(baseline="poor")} == {("good", "poor")}
    assert scores.compare(baseline="nonsense") == []
    assert [(found.a, found.b) for found in compare_pairs(scores, "pef")] == [("poor", "good")]
    alone = score({"good": GOOD, "poor": POOR}, REFERENCE, metrics="kendall-sqrt,pef", samples=100)
    assert [found.p_corrected for found in alone.comparisons] == [found.p_corrected for found in scores.comparisons]
    assert scores.table().notes[0] == alone.table().notes[0]


def test_in_documents_too(scores: Scores) -> None:
    marks = {row[1].value: {cell.marks for cell in row[3:5]} for row in groups_table(scores, "document").rows}
    assert marks["nonsense"] == {frozenset({Mark.UNRANKED})}
    assert marks["good"] == {frozenset({Mark.BEST})}


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_says_why(scores: Scores, format: str) -> None:
    text = render(scores.table(), format)
    for system in ("nonsense", "other"):
        assert f"{system} is not ranked or tested: it matches only " in text.replace("\\%", "%")


def test_plain_data_say_why(scores: Scores) -> None:
    document = scores_document(scores)
    assert {each["name"]: each.get("unranked") for each in document["systems"]} == {
        "good": None,
        "poor": None,
        **scores.unranked,
    }
    assert sum("is not ranked" in note for note in document["notes"]) == 2


def test_pairs_with_such_a_system_are_not_tested(scores: Scores) -> None:
    found = scores.versus("good=nonsense,good=poor")
    assert {(each.a, each.b) for each in found.comparisons} == {("good", "poor")}
    table = found.table()
    assert [row[3].marks for row in table.rows if row[1].value == "nonsense"] == [{Mark.UNRANKED}]
    assert any("nonsense is not ranked" in note for note in table.notes)
    assert not any("corrected" in note for note in table.notes)


def test_runs_of_such_a_system_are_not_ranked() -> None:
    found = score_runs({"good": [GOOD, GOOD], "poor": [POOR, POOR], "bad": [GOOD, NONSENSE]}, REFERENCE, metrics="pef")
    assert list(found.unranked) == ["bad"]
    assert {(each.a, each.b) for each in found.comparisons} == {("good", "poor")}
    assert [row[2].marks for row in found.table().rows if row[0].value == "bad"] == [{Mark.UNRANKED}]
    assert any(note.startswith("bad/2 is not ranked") for note in found.table().notes)


def test_if_no_system_matches_enough_there_is_no_best() -> None:
    with pytest.warns(UserWarning, match="only"):
        scores = score({"a": OTHER, "b": OTHER[::-1]}, REFERENCE, metrics="pef")
    assert list(scores.unranked) == ["a", "b"]
    assert scores.comparisons == []
    assert not any(cell.marks for row in scores.table().rows for cell in row)


def test_empty_lines_do_not_win_by_silence() -> None:
    """A mean leaves out empty lines, so a system with half of its lines empty would score like the whole one."""
    half = [line if row % 2 else "" for row, line in enumerate(GOOD)]
    found = score({"good": GOOD, "poor": POOR, "half": half}, REFERENCE, metrics="bleu,kendall-sqrt", samples=100)
    # Just over half of the words match, so these alone would not be a reason.
    assert found.matched is not None
    assert found.matched[2] >= 0.5 * found.matched.max()
    assert found.unranked == {"half": "kendall-sqrt is defined in only 30 of its 60 segments"}
    assert "half" not in {name for each in found.comparisons for name in (each.a, each.b)}
    assert "not ranked or tested: half (kendall-sqrt is defined in only 30 of its 60 segments)" in " ".join(
        str(found).split()
    )
    few = [line if row % 3 else "" for row, line in enumerate(GOOD)]
    assert score({"good": GOOD, "few": few}, REFERENCE, metrics="pef", samples=0).unranked == {}


def test_monotonicity_ranks_nobody() -> None:
    found = score({"a": OTHER}, REFERENCE, source=OTHER, order="monotone", metrics="kendall", samples=0)
    assert found.unranked == {}
