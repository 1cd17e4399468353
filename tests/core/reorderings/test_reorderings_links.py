"""Sorting links, leaving words unaligned, counting aligned words and crossings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.core.orders import Alignment, Alignments
from wordorder.core.reorderings.links import count_aligned, mark_words, sort_links, unalign
from wordorder.core.runtime.errors import InputError
from wordorder.core.text import encode

Rows = list[list[tuple[int, int]]]
rows_of_links = st.lists(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=15), max_size=5)


def column(rows: Rows) -> Alignments:
    return Alignments.of(Alignment(tuple(links), 8, 8) for links in rows)


@given(rows_of_links)
def test_links_are_sorted_and_unique(rows: Rows) -> None:
    assert [list(row.links) for row in sort_links(column(rows))] == [sorted(set(links)) for links in rows]


@given(rows_of_links)
def test_aligned_words(rows: Rows) -> None:
    source, target = count_aligned(sort_links(column(rows)))
    assert source.tolist() == [len({s for s, _ in links}) for links in rows]
    assert target.tolist() == [len({t for _, t in links}) for links in rows]


@given(rows_of_links)
def test_crossings(rows: Rows) -> None:
    expected = [
        sum(i < k and j > l for i, j in set(links) for k, l in set(links))  # noqa: E741
        for links in rows
    ]
    assert sort_links(column(rows)).crossings().tolist() == expected


@given(rows_of_links, st.data())
def test_unaligned_words_lose_their_links_only(rows: Rows, data: st.DataObject) -> None:
    size = 8 * len(rows)
    source = np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)), dtype=np.bool_)
    target = np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)), dtype=np.bool_)
    rest = unalign(column(rows), source=source, target=target)
    for row, links in enumerate(rows):
        kept = [(s, t) for s, t in links if not source[8 * row + s] and not target[8 * row + t]]
        assert list(rest[row].links) == kept
    assert rest.source_lengths.tolist() == [8] * len(rows)


def test_unaligning_determiners_uncovers_a_reordering() -> None:
    # the big house / casa grande: "the" and "house" belong to "casa", so that "big" is hidden in a gap
    text = encode(["the big house"])[0]
    pair = Alignment(((0, 0), (0, 2), (1, 1)), 2, 3).column()
    bare = unalign(pair, target=mark_words(text, ["the", "a"]))
    assert str(bare[0]) == "0-2 1-1"


def test_tags_are_marked_like_words() -> None:
    tags = encode(["DET ADJ NOUN", "NOUN VERB"])[0]
    assert mark_words(tags, {"DET", "VERB"}).tolist() == [True, False, False, False, True]
    assert not mark_words(tags, ["det"]).any()
    assert mark_words(encode([""])[0], ["x"]).tolist() == []


def test_marks_must_fit_the_sentences() -> None:
    pair = Alignment(((0, 0),), 2, 1).column()
    with pytest.raises(InputError, match="expected a mask for 2 source words, found one for 3 words"):
        unalign(pair, source=np.zeros(3, dtype=np.bool_))
    with pytest.raises(InputError, match="length of target sentence 1 is needed to unalign words"):
        unalign(Alignment(((0, 0),), 2).column(), target=np.zeros(1, dtype=np.bool_))
