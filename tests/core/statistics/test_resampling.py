"""Bootstrap and randomisation against literal Python twins that use the same random numbers."""

from __future__ import annotations

import numpy as np
import pytest
from draw_twins import BLOCK, Stream
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from wordorder.core.runtime.errors import UsageError
from wordorder.core.statistics.resampling import (
    Rows,
    bootstrap_counts,
    bootstrap_sums,
    interval,
    randomisation_sums,
    sum_groups,
)

SEEDS = st.integers(-(2**70), 2**70)
VALUES = st.floats(-1e6, 1e6, allow_subnormal=False)
ROWS = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=30), elements=VALUES)


def bootstrap_slowly(rows: Rows, samples: int, seed: int) -> Rows:
    result = []
    for sample in range(samples):
        sums = [0.0] * rows.shape[1]
        for count, row in zip(Stream(seed, sample).counts(len(rows)), rows, strict=True):
            sums = [total + count * float(value) for total, value in zip(sums, row, strict=True)]
        result.append(sums)
    return np.array(result)


def randomise_slowly(rows_a: Rows, rows_b: Rows, trials: int, seed: int) -> tuple[list[Rows], list[Rows]]:
    sums_a, sums_b = [], []
    for trial in range(trials):
        a, b = np.zeros(rows_a.shape[1]), np.zeros(rows_a.shape[1])
        for row, coin in enumerate(Stream(seed, trial).coins(len(rows_a))):
            one, other = (rows_b, rows_a) if coin else (rows_a, rows_b)
            a, b = a + one[row], b + other[row]
        sums_a.append(a)
        sums_b.append(b)
    return sums_a, sums_b


@given(ROWS, SEEDS)
def test_bootstrap_equals_its_slow_twin(rows: Rows, seed: int) -> None:
    assert np.array_equal(bootstrap_sums(rows, samples=3, seed=seed), bootstrap_slowly(rows, 3, seed))


def test_bootstrap_equals_its_slow_twin_over_several_chunks() -> None:
    rows = np.random.default_rng(1).random((37, 2))
    assert np.array_equal(bootstrap_sums(rows, samples=150, seed=7), bootstrap_slowly(rows, 150, 7))


@settings(max_examples=5)
@given(st.integers(BLOCK - 9, 3 * BLOCK), SEEDS)
def test_bootstrap_of_many_rows_equals_its_slow_twin(count: int, seed: int) -> None:
    rows = np.random.default_rng(count).normal(size=(count, 3))
    rows[:, 1] = rows[:, 0]
    assert np.array_equal(bootstrap_sums(rows, samples=2, seed=seed), bootstrap_slowly(rows, 2, seed))


def test_sums_and_counts_are_of_the_same_draws() -> None:
    rows = np.random.default_rng(6).integers(0, 100, (2 * BLOCK + 5, 2)).astype(np.float64)
    expected = bootstrap_counts(len(rows), samples=70) @ rows
    assert np.array_equal(bootstrap_sums(rows, samples=70), expected)


@given(st.integers(1, 200), SEEDS, st.integers(1, 3))
def test_randomisation_equals_its_slow_twin(count: int, seed: int, width: int) -> None:
    rng = np.random.default_rng(count)
    rows_a, rows_b = rng.integers(0, 50, (2, count, width)).astype(np.float64)
    slow_a, slow_b = randomise_slowly(rows_a, rows_b, 3, seed)
    fast_a, fast_b = randomisation_sums(rows_a, rows_b, trials=3, seed=seed)
    assert np.array_equal(fast_a, slow_a)
    assert np.array_equal(fast_b, slow_b)


@settings(max_examples=5)
@given(st.integers(BLOCK - 9, 3 * BLOCK), SEEDS)
def test_randomisation_of_many_rows_equals_its_slow_twin(count: int, seed: int) -> None:
    rows_a, rows_b = np.random.default_rng(count).integers(0, 50, (2, count, 2)).astype(np.float64)
    slow = randomise_slowly(rows_a, rows_b, 2, seed)
    assert np.array_equal(randomisation_sums(rows_a, rows_b, trials=2, seed=seed), slow)


@pytest.mark.parametrize("count", [501, 2 * BLOCK + 501])
def test_a_sum_depends_on_neither_threads_nor_neighbours(count: int) -> None:
    rows = np.random.default_rng(2).random((count, 7))
    rows[:, 4] = rows[:, 1]
    whole = bootstrap_sums(rows, samples=200)
    for threads in (2, 4):
        assert bootstrap_sums(rows, samples=200, threads=threads).tobytes() == whole.tobytes()
    assert np.array_equal(bootstrap_sums(rows, samples=70), whole[:70])
    assert np.array_equal(bootstrap_sums(rows[:, 3:5], samples=200), whole[:, 3:5])
    assert not np.array_equal(bootstrap_sums(rows, samples=200, seed=1), whole)
    one = randomisation_sums(rows, rows[::-1], trials=200)
    two = randomisation_sums(rows, rows[::-1], trials=200, threads=2)
    assert np.array_equal(one, two)


@pytest.mark.parametrize("count", [400, 3 * BLOCK + 400])
def test_the_spread_of_a_mean_is_the_textbook_one(count: int) -> None:
    x = np.random.default_rng(4).normal(size=count)
    means = bootstrap_sums(x[:, None], samples=5000)[:, 0] / len(x)
    error = x.std() / count**0.5
    assert means.std() == pytest.approx(error, rel=0.05)
    ends = [float(end) for end in interval(means)]
    assert ends == pytest.approx([x.mean() - 1.96 * error, x.mean() + 1.96 * error], abs=0.2 * error)


def test_groups_are_drawn_whole() -> None:
    rows = np.array([[1.0, 1], [10, 1], [100, 1], [1000, 1]])
    groups = np.array([5, -2, 5, 5])
    found = bootstrap_sums(rows, samples=50, groups=groups)
    assert set(found[:, 0]) == {20.0, 1111.0, 2202.0}
    assert np.array_equal(found, bootstrap_sums(np.array([[10.0, 1], [1101, 3]]), samples=50))
    a, b = randomisation_sums(rows, np.zeros_like(rows), trials=30, groups=groups)
    assert set(a[:, 0]) <= {0.0, 10.0, 1101.0, 1111.0}
    assert np.array_equal(a + b, np.tile([1111.0, 4.0], (30, 1)))


@given(st.lists(st.integers(0, 4), max_size=20))
def test_groups_are_summed(groups: list[int]) -> None:
    rows = np.arange(len(groups) * 2, dtype=np.float64).reshape(-1, 2)
    expected = [rows[[g == group for g in groups]].sum(axis=0) for group in sorted(set(groups))]
    assert np.array_equal(sum_groups(rows, np.array(groups, dtype=np.int64)), np.array(expected).reshape(-1, 2))


@given(arrays(np.float64, (25, 3), elements=st.floats(-10, 10) | st.just(np.nan)), st.floats(0.01, 0.99))
def test_intervals_are_those_of_the_defined_replicates(values: Rows, level: float) -> None:
    low, high = interval(values, level=level)
    for column in range(3):
        defined = values[~np.isnan(values[:, column]), column]
        expected = np.percentile(defined, [50 - 50 * level, 50 + 50 * level]) if len(defined) else [np.nan, np.nan]
        assert [low[column], high[column]] == pytest.approx(expected, nan_ok=True, abs=1e-9)


def test_intervals_of_nothing_are_undefined_without_a_warning() -> None:
    for values in (np.full((10, 2), np.nan), np.zeros((0, 2))):
        low, high = interval(values)
        assert np.isnan(low).all()
        assert np.isnan(high).all()
        assert low.shape == high.shape == (2,)


def test_no_rows_give_zero_sums_and_no_columns_none() -> None:
    assert np.array_equal(bootstrap_sums(np.zeros((0, 2)), samples=3), np.zeros((3, 2)))
    assert bootstrap_sums(np.zeros((4, 0)), samples=3).shape == (3, 0)


def test_one_row_is_drawn_always() -> None:
    assert np.array_equal(bootstrap_sums(np.array([[2.5]]), samples=4), np.full((4, 1), 2.5))


def test_wrong_arguments_are_told() -> None:
    rows = np.ones((3, 2))
    with pytest.raises(UsageError, match="samples must be 1 or more, not 0"):
        bootstrap_sums(rows, samples=0)
    with pytest.raises(UsageError, match="must be finite"):
        bootstrap_sums(np.array([[np.nan]]))
    with pytest.raises(UsageError, match=r"two dimensions .* not 1"):
        bootstrap_sums(np.ones(3))
    with pytest.raises(UsageError, match=r"one group label for each of the 3 rows, found 2"):
        bootstrap_sums(rows, groups=np.array([1, 2]))
    with pytest.raises(UsageError, match="same shape"):
        randomisation_sums(rows, rows[:2])
    with pytest.raises(UsageError, match="trials must be 1 or more"):
        randomisation_sums(rows, rows, trials=-1)
    with pytest.raises(UsageError, match=r"between 0 and 1, not 95"):
        interval(rows, level=95)
