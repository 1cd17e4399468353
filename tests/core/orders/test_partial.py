"""Pairs of source words in the right order, in the wrong one and left open: known values and a slow twin."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordorder.core.orders import Alignment, Alignments
from wordorder.core.orders.partial import compare_pairs

Weighted = dict[tuple[int, int], float]


def column_of(*rows: Weighted) -> Alignments:
    plain = Alignments.of([Alignment(tuple(row)) for row in rows])
    return Alignments(
        plain.source,
        plain.target,
        plain.offsets,
        probability=np.array([share for row in rows for share in row.values()]),
    )


def decided(links: Weighted, i: int, j: int) -> tuple[float, float]:
    """How far a pair is decided, and how far the evidence reaches."""
    before = sum(p * q for (k, a), p in links.items() for (m, b), q in links.items() if (k, m) == (i, j) and a < b)
    after = sum(p * q for (k, a), p in links.items() for (m, b), q in links.items() if (k, m) == (i, j) and a > b)
    known = before + after
    return ((before - after) / known, min(1.0, known)) if known > 0 else (0.0, 0.0)


def slow_pairs(judged: Weighted, gold: Weighted | None) -> list[float]:
    """Follow the definition."""
    found = [0.0, 0.0, 0.0]
    for i, j in combinations(range(8), 2):
        m, reach = decided(judged, i, j)
        g, gold_reach = (1.0, 1.0) if gold is None else decided(gold, i, j)
        weight = reach * gold_reach
        found[0] += weight * max(m * g, 0.0)
        found[1] += weight * max(-m * g, 0.0)
        found[2] += weight * (1.0 - abs(m * g))
    return found


rows = st.dictionaries(
    st.tuples(st.integers(0, 6), st.integers(0, 6)), st.sampled_from([0.1, 0.3, 0.5, 1.0]), max_size=9
)


@settings(max_examples=60)
@given(st.lists(st.tuples(rows, rows), min_size=1, max_size=3))
def test_pairs_are_weighed_as_defined(sentences: list[tuple[Weighted, Weighted]]) -> None:
    judged, gold = column_of(*(one for one, _ in sentences)), column_of(*(two for _, two in sentences))
    np.testing.assert_allclose(compare_pairs(judged, gold), [slow_pairs(*both) for both in sentences], atol=1e-12)
    np.testing.assert_allclose(compare_pairs(judged), [slow_pairs(one, None) for one, _ in sentences], atol=1e-12)


def test_ties_and_several_links_leave_pairs_open() -> None:
    tied = column_of({(0, 0): 1.0, (1, 0): 1.0, (2, 1): 1.0})  # two source words, one target word
    assert compare_pairs(tied).tolist() == [[2.0, 0.0, 0.0]]
    around = column_of({(0, 0): 1.0, (0, 2): 1.0, (1, 1): 1.0})  # a word on both sides of another (ne … pas)
    assert compare_pairs(around).tolist() == [[0.0, 0.0, 1.0]]
    split = column_of({(0, 0): 0.75, (0, 2): 0.25, (1, 1): 1.0})
    assert compare_pairs(split).tolist() == [[0.5, 0.0, 0.5]]
    faint = column_of({(0, 1): 0.1, (1, 0): 0.5})
    np.testing.assert_allclose(compare_pairs(faint), [[0.0, 0.05, 0.0]])


def test_a_word_that_is_linked_on_one_side_alone_decides_nothing() -> None:
    judged, gold = (
        column_of({(0, 1): 1.0, (1, 0): 1.0, (5, 2): 1.0}),
        column_of({(0, 0): 1.0, (1, 1): 1.0, (6, 3): 1.0}),
    )
    assert compare_pairs(judged, gold).tolist() == [[0.0, 1.0, 0.0]]
    assert compare_pairs(column_of({}, {}), column_of({}, {(0, 0): 1.0})).tolist() == [[0.0] * 3] * 2


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 1, 0, 2), (3, 2, 1, 0)])
def test_certain_links_one_by_one_give_kendalls_pairs(order: tuple[int, ...]) -> None:
    discordant = sum(a > b for a, b in combinations(order, 2))
    links = column_of(dict.fromkeys(enumerate(order), 1.0))
    assert compare_pairs(links).tolist() == [[6.0 - discordant, discordant, 0.0]]
