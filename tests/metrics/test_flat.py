"""Flat metrics against every-pair-looked-at twins, and against scipy where it computes the same thing."""

from __future__ import annotations

import numpy as np
import pytest
from calling import order_metric, score, scores
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import twins
from wordorder.core.orders import Permutations
from wordorder.metrics.flat import _fuzzy

orders = st.one_of(st.integers(1, 60), st.integers(62, 66)).flatmap(
    lambda n: st.permutations(range(1, n + 1)).map(tuple)
)
equal_lengths = st.integers(0, 12).flatmap(
    lambda n: st.tuples(st.permutations(range(1, n + 1)), st.permutations(range(1, n + 1)))
)


@given(column=st.lists(orders, min_size=1, max_size=3))
def test_flat_metrics_equal_their_literal_twins(column: list[tuple[int, ...]]) -> None:
    for spec, twin in twins.FLAT.items():
        expected = [twin(order) for order in column]
        assert scores(spec, column).tolist() == pytest.approx(expected, abs=1e-13), spec


@given(order=orders.filter(lambda order: len(order) > 1))
def test_correlations_equal_scipy(order: tuple[int, ...]) -> None:
    places = range(len(order))
    assert score("kendall", order) == pytest.approx((1 + stats.kendalltau(places, order).statistic) / 2, abs=1e-12)
    assert score("spearman", order) == pytest.approx((1 + stats.spearmanr(places, order).statistic) / 2, abs=1e-12)


@given(order=orders)
def test_inversion_changes_no_flat_metric(order: tuple[int, ...]) -> None:
    column = Permutations.of([order])
    for spec in twins.FLAT:
        flat = order_metric(spec)
        assert flat(column).tolist() == pytest.approx(flat(column.inverse()).tolist(), abs=1e-13)


@given(pair=equal_lengths)
def test_two_orders_of_one_source_are_judged_by_their_relative_order(pair: tuple[list[int], list[int]]) -> None:
    hypothesis, reference = pair
    # Read the words as the hypothesis does, each by its rank in the reference.
    words = sorted(range(len(hypothesis)), key=lambda word: hypothesis[word])
    relative = tuple(reference[word] for word in words)
    for spec in (*twins.FLAT, "pet", "pef"):
        found = order_metric(spec)(" ".join(map(str, hypothesis)), " ".join(map(str, reference)))
        np.testing.assert_equal(found, score(spec, relative))


def test_both_ends_of_an_order_count_in_plain_python() -> None:
    """The sum of two truth values is 2 in compiled code, but was 1 where there is little work."""
    function = _fuzzy.lazy.function  # type: ignore[attr-defined]
    plain = function(np.array([1, 0], dtype=np.int32), np.array([0, 2]), True)
    assert plain.tolist() == [0.0]
    assert score("fuzzy:boundaries=true", (2, 1)) == 0.0
