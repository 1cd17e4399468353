"""The worst segments: which they are, how their chunks are marked, and where two systems differ most."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder import score
from wordorder.runtime.errors import UsageError, WordorderError
from wordorder.scoring.worst import mark_chunks, show_worst, worst_segments

REFERENCE = ["a b c d", "e f g", "h i", "j k l m", ""]
ONE = ["a b c d", "g f e", "x y", "l m j k", "n"]
TWO = ["d c b a", "e f g", "h i", "j k l m", ""]


@given(st.lists(st.one_of(st.floats(0, 1), st.just(np.nan)), max_size=12), st.integers(1, 6))
def test_the_lowest_scores_come_first_and_undefined_ones_not_at_all(scores: list[float], count: int) -> None:
    defined = [place for place, value in enumerate(scores) if not np.isnan(value)]
    expected = sorted(defined, key=lambda place: (scores[place], place))[:count]
    assert worst_segments(np.array(scores, dtype=float), count) == expected


def test_the_worst_segments_of_each_system_with_chunks_in_reference_order() -> None:
    scores = score({"one": ONE, "two": TWO}, REFERENCE, metrics="kendall", samples=0)
    assert show_worst(scores, count=2, by="kendall") == (
        "segment 2  one kendall 0.000\n"
        "  ref  [1 e] [2 f] [3 g]\n"
        "  hyp  [3 g] [2 f] [1 e]\n"
        "       3 reference words matched in 3 chunks\n"
        "\n"
        "segment 4  one kendall 0.333\n"
        "  ref  [1 j k] [2 l m]\n"
        "  hyp  [2 l m] [1 j k]\n"
        "       4 reference words matched in 2 chunks\n"
        "\n"
        "segment 1  two kendall 0.000\n"
        "  ref  [1 a] [2 b] [3 c] [4 d]\n"
        "  hyp  [4 d] [3 c] [2 b] [1 a]\n"
        "       4 reference words matched in 4 chunks\n"
        "\n"
        "segment 2  two kendall 1.000\n"
        "  ref  [1 e f g]\n"
        "  hyp  [1 e f g]\n"
        "       3 reference words matched in 1 chunks\n"
        "\n"
    )


def test_without_a_name_the_first_metric_counts() -> None:
    scores = score({"one": ONE}, REFERENCE, metrics="bleu,kendall", samples=0)
    assert show_worst(scores, count=1).startswith("segment 3  one bleu 0.000\n")


def test_where_two_systems_differ_most_side_by_side() -> None:
    scores = score({"one": ONE, "two": TWO}, REFERENCE, metrics="kendall", samples=0)
    shown = show_worst(scores, count=2, by="kendall", between=("two", "one"))
    assert shown == (
        "segment 1  two kendall 0.000  one kendall 1.000\n"
        "  ref  [1 a] [2 b] [3 c] [4 d]\n"
        "  two  [4 d] [3 c] [2 b] [1 a]\n"
        "       4 reference words matched in 4 chunks\n"
        "  ref  [1 a b c d]\n"
        "  one  [1 a b c d]\n"
        "       4 reference words matched in 1 chunks\n"
        "\n"
        "segment 2  two kendall 1.000  one kendall 0.000\n"
        "  ref  [1 e f g]\n"
        "  two  [1 e f g]\n"
        "       3 reference words matched in 1 chunks\n"
        "  ref  [1 e] [2 f] [3 g]\n"
        "  one  [3 g] [2 f] [1 e]\n"
        "       3 reference words matched in 3 chunks\n"
        "\n"
    )


def test_of_several_references_the_one_with_most_matches_is_shown() -> None:
    scores = score(["a b c"], [["a x y"], ["c b z"], ["q"]], metrics="pef", samples=0)
    assert "  ref  [1 c] [2 b] z\n  hyp  a [2 b] [1 c]\n" in show_worst(scores, count=5)


def test_lower_cased_words_are_shown_as_they_were_matched() -> None:
    scores = score(["B A"], ["a b"], metrics="kendall", samples=0, lowercase=True)
    assert "  ref  [1 a] [2 b]\n  hyp  [2 b] [1 a]\n" in show_worst(scores, count=1)


def test_files_are_read_again_but_a_pipe_cannot_be(tmp_path: Path) -> None:
    for name, column in {"one": ONE, "ref": REFERENCE}.items():
        (tmp_path / name).write_text("\n".join(column) + "\n")
    scores = score(tmp_path / "one", tmp_path / "ref", metrics="kendall", samples=0)
    assert show_worst(scores, count=1, by="kendall").startswith("segment 2  one kendall 0.000\n")
    (tmp_path / "ref").unlink()
    with pytest.raises(UsageError, match="cannot be read a second time"):
        show_worst(scores, count=1)
    once = score(iter(ONE), REFERENCE, metrics="kendall", samples=0)
    with pytest.raises(WordorderError, match=r"second time|differ in length"):
        show_worst(once, count=1)


def test_what_cannot_be_shown_is_told() -> None:
    with pytest.raises(UsageError, match="segments are shown as text beside a reference"):
        show_worst(score(permutations=["1 2"], samples=0), count=1)
    scores = score({"one": ONE}, REFERENCE, metrics="kendall", samples=0)
    with pytest.raises(UsageError, match="these scores have no metric 'pef'"):
        show_worst(scores, count=1, by="pef")
    with pytest.raises(UsageError, match="unknown system 'two'"):
        show_worst(scores, count=1, between=("one", "two"))


def test_a_match_of_several_words_is_one_bracket_and_what_is_unmatched_stands_bare() -> None:
    hypothesis = ["in", "spite", "of", "it", "we", "go"]
    reference = ["we", "go", "despite", "it"]
    assert mark_chunks(hypothesis, reference, [(0, 3, 2, 1), (3, 1, 3, 1), (5, 1, 1, 1)]) == (
        "[2 in spite of it] we [1 go]",
        "we [1 go] [2 despite it]",
    )
    assert mark_chunks([], ["a"], []) == ("", "a")
