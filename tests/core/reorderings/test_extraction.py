"""Reorderings against the numbered rules: known cases, and a slow twin on random alignments."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from slow_reorderings import extract as extract_slowly
from wordorder.core.orders import Alignment, Alignments
from wordorder.core.reorderings import extract, rquantity


def pair(links: str, lengths: tuple[int, int]) -> Alignment:
    """Read 1-based links, as they are printed in the thesis."""
    numbers = [tuple(int(place) - 1 for place in link.split("-")) for link in links.split()]
    return Alignment(tuple((source, target) for source, target in numbers), *lengths)


KNOWN = [
    ("1-4 2-3 3-2 4-1", (4, 4), "1,4,2,3; 1-2,3-4,3,2; 1-3,2-4,4,1", 2.25),
    ("1-3 2-1 3-4 4-2", (4, 4), "1,3,2,1; 3,4,4,2", 1.0),
    ("1-2 2-4 3-1 4-3", (4, 4), "2,4,3,1", 0.5),
    ("2-4 4-5 5-1 6-2", (6, 6), "2-4,4-5,5-6,1-3", 5 / 6),
    ("1-1 2-3 3-4 4-3", (4, 4), "", 0.0),
    ("1-2 1-4 2-3 3-1", (3, 4), "1-2,2-4,3,1", 1.0),
    ("1-1 2-7 2-8 2-9 3-5 4-6 5-2 5-3 6-4 7-10", (7, 10), "2,7-9,3-4,5-6; 2-4,5-9,5-6,2-4", 1.3),
]


@pytest.mark.parametrize(("links", "lengths", "written", "quantity"), KNOWN)
def test_the_known_cases(links: str, lengths: tuple[int, int], written: str, quantity: float) -> None:
    column = pair(links, lengths).column()
    found = extract(column)
    assert found.written(0) == written
    assert rquantity(found, column)[0] == pytest.approx(quantity, abs=1e-15)


def test_rows_do_not_touch_each_other() -> None:
    column = Alignments.of([pair(links, lengths) for links, lengths, _, _ in KNOWN] * 2)
    found = extract(column)
    assert [found.written(row) for row in range(len(found))] == [written for _, _, written, _ in KNOWN] * 2


@pytest.mark.parametrize("length", [1, 2, 3, 10, 60])
def test_an_inverted_sentence_has_the_most_reordering(length: int) -> None:
    column = Alignment(tuple((i, length - 1 - i) for i in range(length)), length, length).column()
    quantity = rquantity(extract(column), column)[0]
    assert quantity == pytest.approx(sum(range(2, length + 1)) / length)


@pytest.mark.parametrize("length", [0, 1, 5, 40])
def test_a_monotone_sentence_has_none(length: int) -> None:
    column = Alignment(tuple((i, i) for i in range(length)), length, length).column()
    assert extract(column).written(0) == ""


def test_the_order_and_number_of_links_do_not_matter() -> None:
    links = ((2, 0), (0, 1), (2, 0), (0, 2), (0, 1))
    assert extract(Alignment(links, 3, 3).column()).written(0) == "1-2,2-3,3,1"


def test_unaligned_target_words_join_block_b_only_where_they_follow_it() -> None:
    # 2-1 4-6 stand around target 2 (free), 3 (linked elsewhere) and 5 (free): only 2 follows B directly.
    found = extract(pair("1-6 2-1 3-7 4-3", (4, 7)).column())
    assert found.written(0).split("; ")[0] == "1,6,2,1-2"


def test_an_area_blocks_only_pairs_inside_it() -> None:
    # 2-2 2-4 3-3: the area holds source 2 and 3; the swap of 4 and 5 and the swap around the area are found.
    found = extract(pair("1-5 2-2 2-4 3-3 4-7 5-6", (5, 7)).column())
    assert found.written(0) == "1,5,2-3,2-4; 4,7,5,6"
    assert found.blocked.tolist() == [1]


links_of_any_kind = st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=14)


@st.composite
def mostly_words(draw: st.DrawFn) -> set[tuple[int, int]]:
    """A permutation with some links dropped and a few added: reorderings with nulls, gaps and many-to-many."""
    length = draw(st.integers(1, 12))
    order = draw(st.permutations(range(length)))
    kept = draw(st.lists(st.booleans(), min_size=length, max_size=length))
    stretch = draw(st.integers(1, 2))
    links = {(stretch * i, stretch * order[i]) for i in range(length) if kept[i]}
    edge = stretch * length - 1
    return links | draw(st.sets(st.tuples(st.integers(0, edge), st.integers(0, edge)), max_size=3))


@settings(max_examples=600)
@given(st.lists(st.one_of(links_of_any_kind, mostly_words()), min_size=1, max_size=4))
@example([{(0, 1), (0, 3), (1, 2), (2, 0)}])
def test_the_kernel_follows_the_rules(rows: list[set[tuple[int, int]]]) -> None:
    found = extract(Alignments.of(Alignment(tuple(row)) for row in rows))
    for row, links in enumerate(rows):
        spans = [(r.a_source, r.a_target, r.b_source, r.b_target) for r in found[row]]
        assert spans == extract_slowly(links)


@settings(max_examples=300)
@given(st.one_of(links_of_any_kind, mostly_words()))
def test_whether_an_unaligned_word_makes_a_gap_does_not_matter(links: set[tuple[int, int]]) -> None:
    assert extract_slowly(links) == extract_slowly(links, nulls_make_gaps=False)


@settings(max_examples=200)
@given(mostly_words())
def test_what_a_reordering_is(links: set[tuple[int, int]]) -> None:
    for r in extract(Alignment(tuple(links)).column())[0]:
        assert r.a_source[0] <= r.a_source[1] == r.b_source[0] - 1 < r.b_source[1] + 1
        assert r.b_target[0] <= r.b_target[1] < r.a_target[0] <= r.a_target[1]


@pytest.mark.slow
def test_a_long_inverted_sentence_finishes() -> None:
    length = 20_000
    places = np.arange(length, dtype=np.int32)
    column = Alignments(places, places[::-1].copy(), np.array([0, length]))
    assert len(extract(column).spans) == length - 1
