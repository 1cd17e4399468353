from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.core.runtime.errors import UsageError
from wordorder.core.statistics.correlation import correlate, correlate_rows, pearson_from_sums
from wordorder.core.statistics.pairwise import (
    PAIR_COEFFICIENTS,
    calibrate_ties,
    count_outcomes,
    pair_coefficient,
    pair_outcomes,
)
from wordorder.core.statistics.resampling import bootstrap_counts, bootstrap_sums

HAND_WORKED = {  # 5 concordant, 2 discordant, 3 tied by the metric, 1 tied by people, 4 by both
    "tau": 3 / 7,
    "tau-zero": 3 / 10,
    "tau-discordant": 0.0,
    "tau-b": 3 / math.sqrt(10 * 8),
    "consistency": 5 / 10,
    "accuracy": 9 / 15,
    "accuracy.segment": 9 / 15,
}


@pytest.mark.parametrize("name", PAIR_COEFFICIENTS)
def test_every_variant_by_hand(name: str) -> None:
    assert pair_coefficient([5, 2, 3, 1, 4], name).item() == pytest.approx(HAND_WORKED[name])


@pytest.mark.parametrize("name", PAIR_COEFFICIENTS)
def test_nothing_to_say_is_undefined(name: str) -> None:
    assert np.isnan(pair_coefficient(np.zeros((2, 5)), name)).all()


def test_wrong_names_and_shapes_are_refused() -> None:
    with pytest.raises(UsageError, match="tau-b"):
        pair_coefficient([1, 2, 3, 4, 5], "taub")
    with pytest.raises(UsageError, match="5 counts"):
        pair_coefficient([1, 2], "tau")


grades = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=7)


@given(grades)
def test_tau_b_over_all_pairs_is_kendalls(items: list[tuple[int, int]]) -> None:
    x, y = np.array(items, dtype=float).T
    left, right = np.triu_indices(len(x), k=1)
    outcomes = pair_outcomes(x[left] - x[right], y[left] - y[right])
    counts = count_outcomes(outcomes, np.zeros(len(left), np.int64), size=1)[0]
    np.testing.assert_allclose(pair_coefficient(counts, "tau-b"), correlate(x, y, method="kendall").value, atol=1e-12)


decisions = st.lists(
    st.tuples(st.sampled_from([-1, 0, 1]), st.sampled_from([-2.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0, np.nan])),
    min_size=1,
    max_size=12,
)


@given(decisions)
def test_outcomes_are_what_a_person_would_write(items: list[tuple[int, float]]) -> None:
    def literal(person: int, machine: float) -> int:
        if machine != machine:
            return -1
        if person == 0:
            return 4 if machine == 0 else 3
        if machine == 0:
            return 2
        return 0 if person * machine > 0 else 1

    human, metric = zip(*items, strict=True)
    assert pair_outcomes(human, metric).tolist() == [literal(*item) for item in items]


@given(decisions)
def test_no_other_threshold_is_more_accurate(items: list[tuple[int, float]]) -> None:
    human, metric = (np.array(side, dtype=float) for side in zip(*items, strict=True))

    def accuracy(tie: float) -> float:
        outcomes = pair_outcomes(human, metric, tie=tie)
        known = outcomes[outcomes >= 0]
        return float(np.isin(known, (0, 4)).sum())

    found = calibrate_ties(human, metric)
    tries = [0.0, *np.abs(metric[~np.isnan(metric)])]
    assert accuracy(found) == max(map(accuracy, tries))
    assert found == min(tie for tie in tries if accuracy(tie) == accuracy(found))


def test_weights_count_pairs_in_part() -> None:
    rows = count_outcomes(np.array([0, 0, -1], np.int8), np.array([1, 1, 0]), size=2, weights=np.array([0.5, 0.25, 9]))
    assert rows.tolist() == [[0, 0, 0, 0, 0], [0.75, 0, 0, 0, 0]]


table = st.lists(st.tuples(*[st.one_of(st.integers(-3, 3), st.just(None))] * 2), min_size=1, max_size=6)


@pytest.mark.parametrize("method", ["pearson", "spearman", "kendall"])
@given(items=table)
def test_rows_correlate_as_lists_do(method: str, items: list[tuple[int | None, int | None]]) -> None:
    x, y = (np.array(side, dtype=float) for side in zip(*items, strict=True))
    rows = correlate_rows(np.stack([x, -x]), y, method=method)
    expected = correlate(x, y, method=method).value
    np.testing.assert_allclose(rows, [expected, -expected], atol=1e-12)


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=8))
def test_r_from_sums(items: list[tuple[int, int]]) -> None:
    x, y = np.array(items, dtype=float).T
    sums = np.stack([np.ones(len(x)), x, y, x * x, y * y, x * y], axis=1).sum(axis=0)
    np.testing.assert_allclose(pearson_from_sums(sums), correlate(x, y).value, atol=1e-9)


def test_counts_are_the_draws_of_the_sums() -> None:
    rows = np.arange(7.0)[:, None]
    counts = bootstrap_counts(7, samples=20, seed=3)
    assert ((counts * rows.T).sum(axis=1) == bootstrap_sums(rows, samples=20, seed=3)[:, 0]).all()
    assert bootstrap_counts(0, samples=2).shape == (2, 0)
