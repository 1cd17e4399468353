from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.core.statistics.detection import auc, average_precision, precision_at, roc

items = st.lists(st.tuples(st.integers(0, 3), st.booleans(), st.integers(0, 2)), min_size=1, max_size=12)


def literal_auc(scores: list[int], labels: list[bool], strata: list[int]) -> float:
    wins = pairs = 0.0
    for one, marked, part in zip(scores, labels, strata, strict=True):
        for other, unmarked, same in zip(scores, labels, strata, strict=True):
            if marked and not unmarked and part == same:
                pairs += 1
                wins += 1.0 if one > other else 0.5 if one == other else 0.0
    return wins / pairs if pairs else float("nan")


@given(items)
def test_area_is_the_chance_of_a_marked_item_to_score_higher(rows: list[tuple[int, bool, int]]) -> None:
    scores, labels, strata = map(list, zip(*rows, strict=True))
    np.testing.assert_allclose(auc(scores, labels), literal_auc(scores, labels, [0] * len(rows)))
    np.testing.assert_allclose(auc(scores, labels, strata=strata), literal_auc(scores, labels, strata))


@given(items, st.integers(0, 5))
def test_weights_are_repetitions(rows: list[tuple[int, bool, int]], seed: int) -> None:
    scores, labels, strata = (np.array(column) for column in zip(*rows, strict=True))
    weights = np.random.default_rng(seed).integers(0, 3, (2, len(rows)))
    for measure in (auc, average_precision):
        expected = [measure(np.repeat(scores, row), np.repeat(labels, row)) for row in weights]
        np.testing.assert_allclose(measure(scores, labels, weights=weights), expected)
    found = auc(scores, labels, weights=weights, strata=strata)
    expected = [
        auc(*(np.repeat(column, row) for column in (scores, labels)), strata=np.repeat(strata, row)) for row in weights
    ]
    np.testing.assert_allclose(found, expected)
    long = [row for row in weights if row.sum() >= 2]
    for row in long:
        again = precision_at(np.repeat(scores, row), np.repeat(labels, row), 2)
        np.testing.assert_allclose(precision_at(scores, labels, 2, weights=row), again)


@given(st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=1, max_size=6), st.integers(1, 6))
def test_ties_for_the_last_place_are_broken_in_all_ways(rows: list[tuple[int, bool]], count: int) -> None:
    count = min(count, len(rows))
    scores, labels = zip(*rows, strict=True)
    shares = []
    for order in permutations(range(len(rows))):
        first = sorted(order, key=lambda place: -scores[place])[:count]
        shares.append(sum(labels[place] for place in first) / count)
    assert precision_at(scores, labels, count) == pytest.approx(np.mean(shares))


def test_average_precision_by_hand() -> None:
    assert average_precision([4, 3, 2, 1], [True, False, True, False]) == pytest.approx((1 + 2 / 3) / 2)
    assert average_precision([1, 1, 1, 1], [True, False, False, False]) == pytest.approx(0.25)
    assert np.isnan(average_precision([1, 2], [False, False]))


def test_the_curve_has_the_area() -> None:
    rng = np.random.default_rng(3)
    scores, labels = rng.integers(0, 9, 60), rng.random(60) < 0.3
    curve = roc(scores, labels)
    area = np.trapezoid(curve[:, 1], curve[:, 0])
    assert area == pytest.approx(float(auc(scores, labels)))
