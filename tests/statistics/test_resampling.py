"""Bootstrap and randomisation against literal Python twins that use the same random numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from wordorder.runtime.errors import UsageError
from wordorder.statistics.resampling import (
    Rows,
    _draw_below,
    bootstrap_sums,
    interval,
    randomisation_sums,
    sum_groups,
)

MASK = 2**64 - 1
GAMMA = 0x9E3779B97F4A7C15

SEEDS = st.integers(-(2**70), 2**70)
VALUES = st.floats(-1e6, 1e6, allow_subnormal=False)
ROWS = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=30), elements=VALUES)


def mix(state: int) -> int:
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & MASK
    return state ^ (state >> 31)


class Stream:
    """Splitmix64 as its authors wrote it, keyed by seed and sample."""

    def __init__(self, seed: int, sample: int) -> None:
        self.state = mix((mix(seed & MASK) + sample * GAMMA) & MASK)

    def next(self) -> int:
        self.state = (self.state + GAMMA) & MASK
        return mix(self.state)

    def below(self, limit: int) -> int:
        """A row from 0 to limit − 1, every one equally likely: 2^32 mod limit of the products are refused."""
        while True:
            product = (self.next() >> 32) * limit
            if product % 2**32 >= 2**32 % limit:
                return product >> 32


def bootstrap_slowly(rows: Rows, samples: int, seed: int) -> Rows:
    result = []
    for sample in range(samples):
        stream = Stream(seed, sample)
        drawn = [stream.below(len(rows)) for _ in rows]
        sums = [0.0] * rows.shape[1]
        for row in range(len(rows)):
            for column in range(rows.shape[1]):
                sums[column] += drawn.count(row) * float(rows[row, column])
        result.append(sums)
    return np.array(result)


def randomise_slowly(rows_a: Rows, rows_b: Rows, trials: int, seed: int) -> tuple[list[Rows], list[Rows]]:
    sums_a, sums_b = [], []
    for trial in range(trials):
        stream = Stream(seed, trial)
        a, b = np.zeros(rows_a.shape[1]), np.zeros(rows_a.shape[1])
        coins = 0
        for row in range(len(rows_a)):
            coins = stream.next() if row % 64 == 0 else coins >> 1
            one, other = (rows_b, rows_a) if coins & 1 else (rows_a, rows_b)
            a, b = a + one[row], b + other[row]
        sums_a.append(a)
        sums_b.append(b)
    return sums_a, sums_b


def test_splitmix64_gives_its_published_sequence() -> None:
    state, found = 1234567, []
    for _ in range(3):
        state = (state + GAMMA) & MASK
        found.append(mix(state))
    assert found == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@given(st.integers(1, 2**32), st.integers(0, MASK))
def test_numbers_that_would_not_be_fair_are_drawn_again(limit: int, state: int) -> None:
    stream = Stream(0, 0)
    stream.state = state
    expected = stream.below(limit)
    found_state, found = _draw_below(np.uint64(state), np.uint64(limit))
    assert (int(found_state), int(found)) == (stream.state, expected)


@given(ROWS, SEEDS)
def test_bootstrap_equals_its_slow_twin(rows: Rows, seed: int) -> None:
    assert np.array_equal(bootstrap_sums(rows, samples=3, seed=seed), bootstrap_slowly(rows, 3, seed))


def test_bootstrap_equals_its_slow_twin_over_several_chunks() -> None:
    rows = np.random.default_rng(1).random((37, 2))
    assert np.array_equal(bootstrap_sums(rows, samples=150, seed=7), bootstrap_slowly(rows, 150, 7))


@given(st.integers(1, 200), SEEDS, st.integers(1, 3))
def test_randomisation_equals_its_slow_twin(count: int, seed: int, width: int) -> None:
    rng = np.random.default_rng(count)
    rows_a, rows_b = rng.integers(0, 50, (2, count, width)).astype(np.float64)
    slow_a, slow_b = randomise_slowly(rows_a, rows_b, 3, seed)
    fast_a, fast_b = randomisation_sums(rows_a, rows_b, trials=3, seed=seed)
    assert np.array_equal(fast_a, slow_a)
    assert np.array_equal(fast_b, slow_b)


def test_a_sum_depends_on_neither_threads_nor_neighbours() -> None:
    rows = np.random.default_rng(2).random((501, 7))
    whole = bootstrap_sums(rows, samples=200)
    for threads in (2, 4):
        assert bootstrap_sums(rows, samples=200, threads=threads).tobytes() == whole.tobytes()
    assert np.array_equal(bootstrap_sums(rows, samples=70), whole[:70])
    assert np.array_equal(bootstrap_sums(rows[:, 3:5], samples=200), whole[:, 3:5])
    assert not np.array_equal(bootstrap_sums(rows, samples=200, seed=1), whole)
    one = randomisation_sums(rows, rows[::-1], trials=200)
    two = randomisation_sums(rows, rows[::-1], trials=200, threads=2)
    assert np.array_equal(one, two)


def test_chunks_shrink_with_many_rows_and_the_sums_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(3).random((64, 3))
    before = bootstrap_sums(rows, samples=100)
    monkeypatch.setattr("wordorder.statistics.resampling._WEIGHT_BYTES", 1)
    assert np.array_equal(bootstrap_sums(rows, samples=100), before)


def test_every_row_is_drawn_equally_often() -> None:
    rows = np.eye(10)
    counts = bootstrap_sums(rows, samples=20_000).sum(axis=0)
    expected = 20_000
    chi_square = float(((counts - expected) ** 2 / expected).sum())
    assert chi_square < 27.9  # the 99.9 % point at 9 degrees of freedom


def test_the_spread_of_a_mean_is_the_textbook_one() -> None:
    x = np.random.default_rng(4).normal(size=400)
    means = bootstrap_sums(x[:, None], samples=5000)[:, 0] / len(x)
    assert means.std() == pytest.approx(x.std() / 20, rel=0.05)
    low, high = interval(means)
    assert (float(low), float(high)) == pytest.approx(
        (x.mean() - 1.96 * x.std() / 20, x.mean() + 1.96 * x.std() / 20), abs=0.01
    )


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
    with pytest.raises(UsageError, match=r"one group per row \(3\), found 2"):
        bootstrap_sums(rows, groups=np.array([1, 2]))
    with pytest.raises(UsageError, match="same shape"):
        randomisation_sums(rows, rows[:2])
    with pytest.raises(UsageError, match="trials must be 1 or more"):
        randomisation_sums(rows, rows, trials=-1)
    with pytest.raises(UsageError, match=r"between 0 and 1, not 95"):
        interval(rows, level=95)
