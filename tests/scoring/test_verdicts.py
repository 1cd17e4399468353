"""Sentences on which system is best, and on two systems."""

from __future__ import annotations

from typing import Any

import pytest

from wordorder import score
from wordorder.report.table import Style
from wordorder.scoring.verdicts import answer

REFERENCE = ["a b c d e f"] * 40
GOOD = ["a b c d e f"] * 20 + ["b a c d e f"] * 20
FAIR = ["a b c d f e"] * 39 + ["a b c d e f"]
BAD = ["f e d c b a"] * 40


def scored(systems: dict[str, list[str]], **options: Any) -> Any:
    return score(systems, REFERENCE, metrics="kendall,bleu", samples=200, **options)


def test_two_systems_are_compared_in_one_sentence() -> None:
    scores = scored({"A": BAD, "B": GOOD})
    found = scores.comparisons[0]
    assert answer(scores) == (
        "B orders words better than A: kendall 0.967 against 0.000, "
        f"difference 0.967 ({found.low:.3f} to {found.high:.3f}), p = {found.p:.2g}; on the words that both match, "
        f"it is 0.967 ({found.common.low:.3f} to {found.common.high:.3f}), p = {found.common.p:.2g}"
    )
    assert answer(scores, "bleu").startswith("B scores better than A: bleu 0.")
    assert answer(scores, names={"B": "ours"}).startswith("ours orders words better than A: ")
    assert "kendall 96.7 against 0.0, difference 96.7 (" in answer(scores, style=Style(percent=True))


def test_two_systems_that_do_not_differ() -> None:
    scores = scored({"A": GOOD, "B": [*GOOD[1:], GOOD[0]]})
    assert answer(scores) == "B and A score the same: kendall 0.967"
    near = scored({"A": GOOD, "B": ["a b c d e f"] * 18 + ["b a c d e f"] * 22})
    assert answer(near).startswith("A and B cannot be told apart: kendall 0.967 against 0.963, difference 0.003 (")
    few = score({"A": ["a b c"], "B": ["b a c"]}, ["a b c"], metrics="kendall", samples=200)
    assert answer(few) == (
        "A and B cannot be told apart: kendall 1.000 against 0.667, difference 0.333, too little data to test"
    )


@pytest.mark.parametrize(
    ("systems", "sentence"),
    [
        ({"A": GOOD, "B": FAIR, "C": BAD}, "A orders words better than both others"),
        ({"A": GOOD, "B": GOOD, "C": BAD}, "A orders words best; 1 of the 2 others is not significantly worse"),
        ({"A": GOOD, "B": GOOD, "C": GOOD}, "A orders words best, but no other system is significantly worse"),
    ],
)
def test_the_best_of_several_systems_and_those_that_are_not_worse(systems: dict[str, list[str]], sentence: str) -> None:
    assert answer(scored(systems)) == sentence


def test_other_metrics_do_not_order_words() -> None:
    assert answer(scored({"A": GOOD, "B": FAIR, "C": BAD}), "bleu").startswith("A scores better than both others by ")


def test_with_a_baseline_the_sentence_counts_systems() -> None:
    scores = scored({"A": GOOD, "B": FAIR, "C": BAD, "D": FAIR}, baseline="B")
    assert answer(scores) == "better than B by kendall: 1 of 3 systems; worse: 1; no significant difference: 1"


def test_there_is_no_sentence_where_nothing_is_compared() -> None:
    assert answer(scored({"A": GOOD})) == ""
    systems = {"A": GOOD, "B": FAIR}
    assert answer(score(systems, REFERENCE, metrics="kendall", samples=0)) == ""
    assert answer(score(systems, source=REFERENCE, aligner="diagonal", samples=10)) == ""


def test_the_other_metrics_are_named_in_short() -> None:
    def line(systems: dict[str, list[str]]) -> str:
        return next((note for note in scored(systems).summary().notes if " by bleu" in note), "")

    assert line({"A": BAD, "B": GOOD}).startswith("B is ahead by bleu (difference 0.")
    assert line({"A": GOOD, "B": GOOD}) == ""
    better = scored({"A": GOOD, "B": BAD}, baseline="A").summary().notes
    assert any(note.startswith("A is ahead by bleu (difference 0.") for note in better)
    assert line({"A": GOOD, "B": FAIR, "C": BAD}) == "A is also best by bleu"
    assert line({"A": GOOD, "B": GOOD, "C": GOOD}) == "A is also best by bleu (not significantly)"
    assert line({"A": GOOD, "B": GOOD, "C": BAD}) == "A is also best by bleu (1 other not significantly worse)"


def test_metrics_that_agree_share_a_clause() -> None:
    scores = score({"A": GOOD, "B": FAIR, "C": BAD}, REFERENCE, metrics="kendall,pef,bleu", samples=200)
    assert "A is also best by pef and bleu" in scores.summary().notes
