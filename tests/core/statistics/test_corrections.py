"""Corrections for many tests beside their literal twins and scipy."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from wordorder.core.statistics.corrections import correct_by_resampling, holm, standard_size

Floats = NDArray[np.float64]


def stepped_down(p: list[float], sizes: list[float], null: Callable[[int, int], Floats], *, best: bool) -> list[float]:
    """Test i is system 0 against i + 1: the share of samples in which any pair still in is as far apart."""
    adjusted, highest = [0.0] * len(p), 0.0
    still_in = sorted(range(len(p)), key=lambda test: (-sizes[test], -test))
    while still_in:
        test = still_in[0]
        systems = [0, *(each + 1 for each in still_in)]
        pairs = list(combinations(systems, 2)) if best else [(0, system) for system in systems[1:]]
        columns = np.stack([null(*sorted(pair)) for pair in pairs])
        extreme = sum(any(column[sample] >= sizes[test] for column in columns) for sample in range(columns.shape[1]))
        highest = max(highest, p[test], (1 + extreme) / (1 + columns.shape[1]))
        adjusted[test] = highest
        still_in.pop(0)
    return adjusted


@given(st.integers(2, 6), st.booleans(), st.integers(0, 2**32 - 1))
def test_correction_by_resampling_is_the_literal_one(tests: int, best: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(40, tests + 1))
    sizes, p = rng.exponential(1.5, tests).round(1).tolist(), rng.random(tests).tolist()

    def null(a: int, b: int) -> Floats:
        return np.abs(noise[:, a] - noise[:, b])

    pairs = [(0, test + 1) for test in range(tests)]
    found = correct_by_resampling(p, sizes, pairs, lambda pair: null(*sorted(pair)), best=best)
    assert found == pytest.approx(stepped_down(p, sizes, null, best=best))


def test_a_single_test_and_undefined_ones_are_left_as_they_are() -> None:
    found = correct_by_resampling([np.nan, 0.03], [0.0, 2.0], [(0, 1), (0, 2)], lambda _: np.ones(9))
    assert found[1] == 0.03
    assert np.isnan(found[0])


def test_holm_against_the_best_counts_the_pairs_of_what_is_left() -> None:
    assert holm([0.001, 0.04, 0.01], best=True) == pytest.approx([6 * 0.001, 0.04, 3 * 0.01])
    assert holm([0.02, np.nan], best=True)[0] == 0.02


@pytest.mark.parametrize("units", [3, 30, 3000])
@pytest.mark.parametrize("ratio", [0.0, 1.0, 4.5])
def test_a_standard_size_has_the_tail_of_a_t_test(units: int, ratio: float) -> None:
    """With samples without end, a mean of n values: scipy's t-test has the same p as the normal size."""
    values = np.random.default_rng(units).normal(size=units)
    values += ratio * values.std() / np.sqrt(units) - values.mean()
    expected = stats.ttest_1samp(values, 0.0).pvalue
    found = standard_size(ratio, units=units, samples=10**12)
    assert 2 * stats.norm.sf(found) == pytest.approx(expected, rel=1e-6)


@given(st.lists(st.tuples(st.floats(0.001, 1.0), st.floats(0.001, 1.0)), max_size=8))
def test_holm_corrects_for_the_tests_that_can_reach_a_p_value(tests: list[tuple[float, float]]) -> None:
    pairs = [(max(pair), min(pair)) for pair in tests]  # no p-value is below the lowest one that the test can have
    found = holm([p for p, _ in pairs], lowest=[lowest for _, lowest in pairs])
    order = sorted(range(len(pairs)), key=lambda i: pairs[i][0])
    expected, highest = [0.0] * len(pairs), 0.0
    for place, i in enumerate(order):
        p = pairs[i][0]
        highest = max(highest, p * sum(pairs[j][1] <= p for j in order[place:]))
        expected[i] = min(highest, 1.0)
    assert found.tolist() == pytest.approx(expected)
    assert holm([p for p, _ in pairs], lowest=[0.0] * len(pairs)).tolist() == holm([p for p, _ in pairs]).tolist()


def test_discrete_tests_keep_their_level_with_less_correction() -> None:
    chance = np.random.default_rng(3)
    counts = np.array([3] * 80 + [8] * 15 + [20] * 5)  # most tests could never be significant
    alarms = found = 0
    for _ in range(400):
        hits = chance.binomial(counts, 0.5)
        alarms += holm(stats.binom.sf(hits - 1, counts, 0.5), lowest=0.5**counts).min() < 0.05
        hits[-1] = 17
        p = stats.binom.sf(hits - 1, counts, 0.5)
        assert (holm(p, lowest=0.5**counts) <= holm(p)).all()
        found += holm(p, lowest=0.5**counts)[-1] < 0.05 <= holm(p)[-1]
    assert alarms <= 0.05 * 400
    assert found == 400
