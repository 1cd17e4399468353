"""The worst segments: which they are, how their chunks are marked, and where two systems differ most."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twins
from wordorder import score
from wordorder.core.orders import Alignment
from wordorder.core.runtime.errors import UsageError, WordorderError
from wordorder.scoring.inputs.drawing import draw_crossings, find_crossings, mark_chunks
from wordorder.scoring.tables import write_segments
from wordorder.scoring.worst import worst_segments

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
    assert str(scores.worst(count=2, by="kendall")) == (
        # "two" is the better system
        "segment 1  two kendall 0.000\n"
        "  ref  [1 a] [2 b] [3 c] [4 d]\n"
        "  hyp  [4 d] [3 c] [2 b] [1 a]\n"
        "       4 reference words matched in 4 chunks\n"
        "\n"
        "segment 2  one kendall 0.000\n"
        "  ref  [1 e] [2 f] [3 g]\n"
        "  hyp  [3 g] [2 f] [1 e]\n"
        "       3 reference words matched in 3 chunks\n"
        "\n"
        "segment 4  one kendall 0.333\n"
        "  ref  [1 j k] [2 l m]\n"
        "  hyp  [2 l m] [1 j k]\n"
        "       4 reference words matched in 2 chunks\n"
    )


def test_without_a_name_the_first_metric_of_order_counts() -> None:
    scores = score({"one": ONE}, REFERENCE, metrics="lr-kb4,bleu,kendall,pef", samples=0)
    assert [(example.segment, example.metric) for example in scores.worst(1)] == [(2, "kendall")]
    words = score({"one": ONE}, REFERENCE, metrics="bleu", samples=0).worst(1)
    assert [(example.segment, example.metric) for example in words] == [(3, "bleu")]


SEGMENTS = st.lists(st.permutations(range(5)).flatmap(lambda p: st.integers(0, 5).map(lambda n: p[:n])), min_size=1)


@given(SEGMENTS, SEGMENTS, st.integers(1, 4))
def test_what_a_segment_lacks_counts_as_often_as_it_has_words(
    one: list[list[int]], two: list[list[int]], count: int
) -> None:
    size = min(len(one), len(two))
    orders = {
        name: [" ".join(str(sorted(row).index(value) + 1) for value in row) for row in rows[:size]]
        for name, rows in {"A": one, "B": two}.items()
    }
    scores = score(permutations=orders, metrics="hamming,kendall", samples=0)
    values = {name: [twins.FLAT["kendall"](_ranks(row)) if row else None for row in orders[name]] for name in orders}
    expected = []
    for name in orders:
        loss = {
            row: (1 - value) * len(orders[name][row].split())
            for row, value in enumerate(values[name])
            if value is not None and value < 1
        }
        expected += [(name, row + 1) for row in sorted(loss, key=lambda row: (-round(loss[row], 9), row))[:count]]
    found = scores.worst(count, by="kendall", of=["A", "B"])
    assert [(next(iter(example.scores)), example.segment) for example in found] == expected
    apart = {
        row: abs(a - b) * min(len(orders["A"][row].split()), len(orders["B"][row].split()))
        for row, (a, b) in enumerate(zip(values["A"], values["B"], strict=True))
        if a is not None and b is not None and a != b
    }
    between = scores.worst(count, by="kendall", between=("A", "B"))
    rows = sorted(apart, key=lambda row: (-round(apart[row], 9), row))[:count]
    assert [example.segment for example in between] == [row + 1 for row in rows]


def _ranks(order: str) -> tuple[int, ...]:
    return tuple(int(rank) for rank in order.split())


def test_where_two_systems_differ_most_side_by_side() -> None:
    scores = score({"one": ONE, "two": TWO}, REFERENCE, metrics="kendall", samples=0)
    shown = str(scores.worst(count=2, by="kendall", between=("two", "one")))
    assert shown == (
        "segment 1  two kendall 0.000  one kendall 1.000, on the words that both match\n"
        "  ref  [1 a] [2 b] [3 c] [4 d]\n"
        "  two  [4 d] [3 c] [2 b] [1 a]\n"
        "       4 reference words matched in 4 chunks\n"
        "  ref  [1 a b c d]\n"
        "  one  [1 a b c d]\n"
        "       4 reference words matched in 1 chunk\n"
        "\n"
        "segment 2  two kendall 1.000  one kendall 0.000, on the words that both match\n"
        "  ref  [1 e f g]\n"
        "  two  [1 e f g]\n"
        "       3 reference words matched in 1 chunk\n"
        "  ref  [1 e] [2 f] [3 g]\n"
        "  one  [3 g] [2 f] [1 e]\n"
        "       3 reference words matched in 3 chunks\n"
    )


def test_of_several_references_the_one_with_most_matches_is_shown() -> None:
    scores = score(["a b c"], [["q r s"], ["c b z"], ["b y y"]], metrics="pef", samples=0)
    # One word alone is in order, and pef takes the closest reference.
    assert str(scores.worst()).startswith("no segment")
    scores = score(["a b c"], [["q r s"], ["c b z"]], metrics="pef", samples=0)
    assert "  ref  [1 c] [2 b] z\n  hyp  a [2 b] [1 c]\n" in str(scores.worst(count=5))


def test_lower_cased_words_are_shown_as_they_were_matched() -> None:
    scores = score(["B A"], ["a b"], metrics="kendall", samples=0, lowercase=True)
    assert "  ref  [1 a] [2 b]\n  hyp  [2 b] [1 a]\n" in str(scores.worst(count=1))


def test_files_are_read_again_but_a_pipe_cannot_be(tmp_path: Path) -> None:
    for name, column in {"one": ONE, "ref": REFERENCE}.items():
        (tmp_path / name).write_text("\n".join(column) + "\n")
    scores = score(tmp_path / "one", tmp_path / "ref", metrics="kendall", samples=0)
    assert str(scores.worst(count=1, by="kendall")).startswith("segment 2  one kendall 0.000\n")
    (tmp_path / "ref").unlink()
    with pytest.raises(UsageError, match="cannot be read a second time"):
        str(scores.worst(count=1))
    once = score(iter(ONE), REFERENCE, metrics="kendall", samples=0)
    with pytest.raises(WordorderError, match=r"second time|differ in length"):
        str(once.worst(count=1))


def test_what_cannot_be_shown_is_told() -> None:
    scores = score({"one": ONE}, REFERENCE, metrics="kendall", samples=0)
    with pytest.raises(UsageError, match="these scores have no metric 'pef'"):
        str(scores.worst(count=1, by="pef"))
    with pytest.raises(UsageError, match="unknown system 'two'"):
        str(scores.worst(count=1, between=("one", "two")))
    with pytest.raises(UsageError, match="must be 1 or more, not 0"):
        scores.worst(0)
    with pytest.raises(UsageError, match="subsets of scores do not include the inputs"):
        scores.subset(np.array([0])).worst()
    assert (
        str(score(REFERENCE, REFERENCE, samples=0).worst())
        == "no segment to show: nothing is out of order, or nothing differs"
    )


LINKS = {
    "source": ["la maison bleue est grande"],
    "hyp_align": [Alignment(((0, 0), (1, 2), (2, 1), (3, 3), (4, 4)))],
    "samples": 0,
}


def test_without_a_reference_crossing_links_are_shown_with_their_words() -> None:
    (example,) = score({"A": ["the blue house is big"]}, **LINKS).worst()  # type: ignore[arg-type]
    assert str(example) == (
        "segment 1  A kendall-sqrt 0.684\n"
        "  src  la maison bleue est grande\n"
        "  hyp  the blue house is big\n"
        "       crossing links: 1 (maison–house × bleue–blue)\n"
    )
    assert example.words == {"A": 5}


def test_the_worst_by_anticipation_name_the_words_to_guess() -> None:
    links = LINKS | {"hyp_align": [Alignment(((0, 1), (1, 3), (2, 2), (3, 4), (4, 0), (2, 0)))]}
    text = {"A": ["big the blue house is"]}
    (example,) = score(text, metrics="anticipation:k=4,anticipation:k=5", **links).worst(by="anticipation:k=4")  # type: ignore[arg-type]
    assert example.lines["A"][-1] == ("", "to guess: 1 (big before grande)")
    assert example.scores == {"A": 0.2}


def test_through_the_source_links_that_cross_on_one_side_alone_are_shown() -> None:
    scores = score(
        {"A": ["the blue house is big"]},
        ["big is the blue house"],
        order="source",
        metrics="kendall",
        ref_align=[Alignment(((0, 2), (1, 4), (2, 3), (3, 1), (4, 0)))],
        **LINKS,  # type: ignore[arg-type]
    )
    assert [text for _, text in scores.worst()[0].lines["A"]] == [
        "la maison bleue est grande",
        "big is the blue house",
        "the blue house is big",
        "crossing here, not in the reference: 0",
        "crossing in the reference, not here: 7 (la–the × est–is, la–the × grande–big, maison–house × est–is, "
        "maison–house × grande–big, bleue–blue × est–is, bleue–blue × grande–big, est–is × grande–big)",
    ]


def test_orders_and_alignments_without_text_are_shown_too(tmp_path: Path) -> None:
    (order,) = score(permutations={"A": ["1 2", "2 4 5 6 1 3"]}, metrics="kendall", samples=0).worst(3)
    assert (order.segment, order.lines["A"]) == (2, [("hyp", "2 | 4 5 6 | 1 | 3")])
    (tmp_path / "A").write_text("0-0 1-1\n0-1 1-0\n")
    (tmp_path / "ref").write_text("0-0 1-1\n0-0 1-1\n")
    (tmp_path / "src").write_text("la maison\nmaison bleue\n")
    files = {"hyp_align": {"A": tmp_path / "A"}, "metrics": "kendall", "samples": 0}
    for options in ({"ref_align": [tmp_path / "ref"]}, {"order": "monotone"}):
        (with_text,) = score(source=tmp_path / "src", **files, **options).worst()  # type: ignore[arg-type]
        assert with_text.lines["A"] == [
            ("src", "maison bleue"),
            ("hyp", "0-1 1-0"),
            ("", "crossing links: 1 (maison–1 × bleue–0)"),
        ]
        (bare,) = score(source_lengths=[2, 2], **files, **options).worst()  # type: ignore[arg-type]
        assert bare.lines["A"] == [("hyp", "0-1 1-0"), ("", "crossing links: 1 (0–1 × 1–0)")]


@given(st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=9))
def test_as_many_crossings_are_listed_as_are_counted(links: set[tuple[int, int]]) -> None:
    alignment = Alignment(tuple(sorted(links)))
    assert len(find_crossings(alignment)) == alignment.column().crossings()[0]


def test_a_long_list_of_crossings_is_cut() -> None:
    links = Alignment(tuple((place, 9 - place) for place in range(10)))
    assert draw_crossings(find_crossings(links), None, None, what="crossings")[1].endswith(" × 8–1, and 37 more)")


def test_examples_are_data_too() -> None:
    scores = score({"one": ONE}, REFERENCE, metrics="kendall", samples=0)
    assert scores.worst(1)[0].to_dict() == {
        "segment": 2,
        "metric": "kendall",
        "systems": [
            {
                "name": "one",
                "score": 0.0,
                "words": 3,
                "lines": [
                    {"what": "ref", "text": "[1 e] [2 f] [3 g]"},
                    {"what": "hyp", "text": "[3 g] [2 f] [1 e]"},
                    {"what": "", "text": "3 reference words matched in 3 chunks"},
                ],
            }
        ],
    }


def test_segments_can_hold_the_text(tmp_path: Path) -> None:
    scores = score({"one": ONE, "two": TWO}, [REFERENCE, ONE], metrics="kendall", samples=0, lowercase=True)
    table = scores.segments(text=True)
    assert table["hypothesis"].to_pylist() == ONE + TWO
    assert table["reference1"].to_pylist() == REFERENCE * 2
    assert table["reference2"].to_pylist() == ONE * 2
    write_segments(scores, str(tmp_path / "out"), text=True)
    records = [json.loads(line) for line in (tmp_path / "out").read_text().splitlines()]
    assert [record["hypothesis"] for record in records] == ONE + TWO
    source = score({"A": ["x y"]}, ["u v"], source=["a b"], order="monotone", metrics="jump", samples=0)
    assert source.segments(text=True).select(["source", "reference", "hypothesis"]).to_pylist() == [
        {"source": "a b", "reference": "u v", "hypothesis": "u v"},
        {"source": "a b", "reference": "u v", "hypothesis": "x y"},
    ]
    with pytest.raises(UsageError, match="only word orders were given"):
        score(permutations=["1 2"], samples=0).segments(text=True)


def test_a_match_of_several_words_is_one_bracket_and_what_is_unmatched_stands_bare() -> None:
    hypothesis = ["in", "spite", "of", "it", "we", "go"]
    reference = ["we", "go", "despite", "it"]
    assert mark_chunks(hypothesis, reference, [(0, 3, 2, 1), (3, 1, 3, 1), (5, 1, 1, 1)]) == (
        "[2 in spite of it] we [1 go]",
        "we [1 go] [2 despite it]",
    )
    assert mark_chunks([], ["a"], []) == ("", "a")
