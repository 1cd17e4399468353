"""Alignment error rate: known values, and sets."""

from __future__ import annotations

import math

import numpy as np
import pytest
from aligning_twins import Link
from hypothesis import given
from hypothesis import strategies as st

from wordorder.core.orders import Alignment, Alignments
from wordorder.core.runtime.errors import InputError
from wordorder.linking.aligning import error_rate

LINKS = st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=8)


@given(st.lists(st.tuples(LINKS, LINKS, LINKS), max_size=5))
def test_rates_are_those_over_sets(rows: list[tuple[set[Link], set[Link], set[Link]]]) -> None:
    found = Alignments.of([Alignment(tuple(links)) for links, _, _ in rows])
    gold = Alignments.of([Alignment(tuple(sure | more), possible=frozenset(more - sure)) for _, sure, more in rows])
    rate = error_rate(found, gold)
    assert len(rate) == len(rows)
    sums = [0, 0, 0, 0]
    for row, (links, sure, more) in enumerate(rows):
        counts = len(links), len(sure), len(links & sure), len(links & (sure | more))
        assert (rate.found[row], rate.sure[row], rate.found_sure[row], rate.found_possible[row]) == counts
        sums = [total + count for total, count in zip(sums, counts, strict=True)]
    a, s, a_s, a_p = sums
    assert rate.precision == pytest.approx(a_p / a if a else math.nan, nan_ok=True)
    assert rate.recall == pytest.approx(a_s / s if s else math.nan, nan_ok=True)
    assert rate.aer == pytest.approx(1 - (a_s + a_p) / (a + s) if a + s else math.nan, nan_ok=True)


def test_a_perfect_alignment_has_no_error() -> None:
    gold = Alignment(((0, 0), (1, 1), (2, 1)), possible=frozenset({(2, 1)})).column()
    assert error_rate(gold, gold).aer == 0.0
    assert error_rate(gold.sure(), gold).aer == 0.0
    assert error_rate(Alignment(((5, 5),)).column(), gold).aer == 1.0


def test_links_given_twice_count_once_and_sure_wins() -> None:
    twice = np.array([0, 0], np.int32)
    found = Alignments(twice, twice, np.array([0, 2]))
    gold = Alignments(twice, twice, np.array([0, 2]), possible=np.array([True, False]))
    rate = error_rate(found, gold)
    assert (rate.found[0], rate.sure[0], rate.found_sure[0], rate.found_possible[0]) == (1, 1, 1, 1)


def test_different_numbers_of_rows() -> None:
    one = Alignment(()).column()
    with pytest.raises(InputError, match="expected one gold alignment per alignment, found 2 for 1"):
        error_rate(one, Alignments.concatenate([one, one]))
