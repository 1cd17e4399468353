"""Draws against literal Python twins that use the same random numbers, and against the distributions they claim."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from draw_twins import BLOCK, GAMMA, MASK, Stream, mix
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from inner_kernels import from_python
from wordorder.core.statistics import resampling
from wordorder.core.statistics.resampling import _draw_binomial, bootstrap_counts, draw_counts, open_streams, toss_coins

draw_below = from_python(resampling.draw_below)

SEEDS = st.integers(-(2**70), 2**70)
# Sizes around whole blocks, where the way of drawing changes, and any others.
MANY = st.integers(0, 5).flatmap(lambda blocks: st.integers(-2, 2).map(lambda more: max(blocks * BLOCK + more, 1)))
SIZES = MANY | st.integers(1, 6 * BLOCK)


def stream(state: int) -> Stream:
    made = Stream(0, 0)
    made.state = state
    return made


def assert_likely(found: ArrayLike, expected: ArrayLike, *, freedom: int | None = None) -> None:
    """Check that Pearson's X² is neither too large nor too small, each with a chance of one in 10,000."""
    observed, predicted = np.asarray(found, dtype=np.float64), np.asarray(expected, dtype=np.float64)
    size = float(((observed - predicted) ** 2 / predicted).sum())
    low, high = stats.chi2.ppf([1e-4, 1 - 1e-4], freedom or predicted.size - 1)
    assert low < size < high


def assert_binomial(found: NDArray[np.integer], count: int, chance: float) -> None:
    """Check how often each number was found; those that are rare are put together."""
    expected = found.sum() * stats.binom.pmf(np.arange(len(found)), count, chance)
    rare = expected < 5
    assert_likely(*(np.append(cells[~rare][:-1], cells[~rare][-1] + cells[rare].sum()) for cells in (found, expected)))


@given(rows=st.integers(1, 40), columns=st.integers(1, 4), seed=SEEDS, counts=st.lists(st.integers(0, 60), min_size=1))
def test_little_work_in_plain_python_has_the_same_bytes(rows: int, columns: int, seed: int, counts: list[int]) -> None:
    found = []
    kernels: list[Any] = [resampling._draw, resampling._add_weighted]
    assert all(kernel.lazy.plain is not kernel.lazy.function for kernel in kernels)
    for form in ("dispatcher", "plain", "function"):
        streams = open_streams(len(counts), seed)
        draw, add = (getattr(kernel.lazy, form) for kernel in kernels)
        with np.errstate(over="ignore"):
            weights = draw(streams, np.array(counts), resampling._no_weights(streams, rows), rows)
        table = np.zeros((columns, rows // 8 * 8 + 8))
        table[:, :rows] = np.random.default_rng(rows).standard_normal((columns, rows))
        sums = np.zeros((columns, len(counts)))
        add(sums, table, weights.view("<u8"))
        found.append((streams.tobytes(), weights.tobytes(), sums.tobytes()))
    assert found[0] == found[1] == found[2]


def test_the_twin_cuts_the_same_blocks() -> None:
    assert resampling.BLOCK == BLOCK


def test_splitmix64_gives_its_published_sequence() -> None:
    state, found = 1234567, []
    for _ in range(3):
        state = (state + GAMMA) & MASK
        found.append(mix(state))
    assert found == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@given(SEEDS, st.integers(1, 5))
def test_every_sample_has_a_stream_of_its_own(seed: int, samples: int) -> None:
    assert open_streams(samples, seed).tolist() == [Stream(seed, sample).state for sample in range(samples)]


@given(st.integers(1, 2**32), st.integers(0, MASK))
def test_numbers_that_would_not_be_fair_are_drawn_again(limit: int, state: int) -> None:
    twin = stream(state)
    expected = twin.below(limit)
    found_state, found = draw_below(np.uint64(state), np.uint64(limit))
    assert (int(found_state), int(found)) == (twin.state, expected)


def test_a_quarter_of_the_numbers_below_three_quarters_is_drawn_again() -> None:
    limit, again = 3 << 30, 0
    for state in range(0, 100 * GAMMA, GAMMA):
        twin = stream(state & MASK)
        expected = twin.below(limit)
        found_state, found = draw_below(np.uint64(state & MASK), np.uint64(limit))
        assert (int(found_state), int(found)) == (twin.state, expected)
        again += twin.state != (state + GAMMA) & MASK
    assert 10 < again < 40


@given(st.integers(0, 2000), st.integers(1, 2**32), st.integers(1, 2**32), st.integers(0, MASK))
def test_binomial_numbers_equal_their_slow_twin(count: int, one: int, other: int, state: int) -> None:
    part, whole = sorted((one, other))
    twin = stream(state)
    expected = twin.binomial(count, Fraction(part, whole)) if part < whole else count
    found_state, found = _draw_binomial(np.uint64(state), np.int64(count), part, whole)
    assert int(found) == expected
    assert part == whole or int(found_state) == twin.state


@pytest.mark.parametrize(("part", "whole"), [(1, 2), (3, 4), (3, 7), (4096, 4097)])
def test_binomial_numbers_are_binomial(part: int, whole: int) -> None:
    state, found = np.uint64(1), np.zeros(101, dtype=np.int64)
    for _ in range(20_000):
        state, below = _draw_binomial(np.uint64(state), np.int64(100), part, whole)
        found[below] += 1
    assert_binomial(found, 100, part / whole)


@settings(max_examples=10)
@given(SIZES, SEEDS)
def test_counts_equal_their_slow_twin(rows: int, seed: int) -> None:
    expected = [Stream(seed, sample).counts(rows) for sample in range(2)]
    assert np.array_equal(bootstrap_counts(rows, samples=2, seed=seed), expected)


@settings(max_examples=10)
@given(SIZES, SEEDS)
def test_coins_equal_their_slow_twin(rows: int, seed: int) -> None:
    expected = [Stream(seed, sample).coins(rows) for sample in range(2)]
    for side in (0, 1):
        found = np.zeros((2, rows))
        for block, weights in toss_coins(side, open_streams(2, seed), rows):
            found[:, block] = weights[:, : block.stop - block.start]
            assert not weights[:, block.stop - block.start :].any()
        assert np.array_equal(found == 1, np.array(expected) == side)


@pytest.mark.parametrize("rows", [1, 2, 3, 100, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, 50_001])
def test_a_sample_has_as_many_rows_as_there_are(rows: int) -> None:
    counts = bootstrap_counts(rows, samples=70)
    assert (counts.sum(axis=1, dtype=np.int64) == rows).all()
    assert np.array_equal(bootstrap_counts(rows, samples=3), counts[:3])


def test_two_rows_are_drawn_like_coins() -> None:
    counts = bootstrap_counts(2, samples=20_000)
    assert_likely(np.bincount(counts[:, 0], minlength=3), [5000, 10_000, 5000])


# Fewer rows than a block; whole blocks; whole blocks and a single row; blocks that are no power of two, and a part.
LAWFUL = [500, 2 * BLOCK, 2 * BLOCK + 1, 6 * BLOCK + 1000]


@pytest.mark.parametrize("rows", LAWFUL)
def test_a_row_is_drawn_as_often_as_the_binomial_distribution_says(rows: int) -> None:
    counts = bootstrap_counts(rows, samples=500)
    assert_binomial(np.bincount(counts.ravel(), minlength=20), rows, 1 / rows)


@pytest.mark.parametrize("rows", LAWFUL)
def test_all_rows_are_drawn_equally_often(rows: int) -> None:
    counts = bootstrap_counts(rows, samples=500).sum(axis=0, dtype=np.int64)
    assert_likely(counts, np.full(rows, 500.0))


@pytest.mark.parametrize("rows", LAWFUL)
@pytest.mark.parametrize("parts", ["neighbours", "strewn"])
def test_parts_of_a_corpus_share_the_draws_as_the_multinomial_distribution_says(rows: int, parts: str) -> None:
    """Rows take from one another (covariance −1/n), be they neighbours, of one block, or of several."""
    part = np.arange(rows) // 301 if parts == "neighbours" else np.arange(rows) % 7
    counts = bootstrap_counts(rows, samples=1000)
    shared = np.array([np.bincount(part, weights=sample) for sample in counts])
    expected = np.bincount(part).astype(float)
    assert_likely(shared, np.broadcast_to(expected, shared.shape), freedom=len(counts) * (len(expected) - 1))
    covariance = np.cov(shared.T)
    textbook = np.diag(expected) - np.outer(expected, expected) / rows
    error = np.sqrt((textbook**2 + np.outer(np.diag(textbook), np.diag(textbook))) / len(counts))
    assert (np.abs(covariance - textbook) < 5 * error).all()


def slow_poisson(place: int, stream: int) -> int:
    """Turn the random number of a place into a count: by the distribution function, in exact fractions."""
    share = Fraction(mix((stream + (place + 1) * GAMMA) & MASK), 2**64)
    euler = sum(Fraction(1, math.factorial(k)) for k in range(40))
    count, below = 0, 1 / euler
    while share >= below:
        count += 1
        below += 1 / (euler * math.factorial(count))
    return count


@given(places=st.lists(st.integers(0, 2**40), min_size=1, max_size=12), seed=st.integers(0, 2**32))
@settings(max_examples=20)
def test_rows_drawn_by_themselves_are_drawn_as_a_slow_twin_draws_them(places: list[int], seed: int) -> None:
    streams = open_streams(3, seed)
    ((_, weights),) = draw_counts(np.array(places), streams, len(places))
    expected = [[slow_poisson(place, int(stream)) for place in places] for stream in streams]
    assert weights[:, : len(places)].tolist() == expected


def test_counts_of_rows_drawn_by_themselves_have_poissons_distribution() -> None:
    size = 2 * BLOCK + 9
    blocks = draw_counts(np.arange(size), open_streams(40, 1), size)
    counts = np.concatenate([weights[:, : block.stop - block.start] for block, weights in blocks], axis=1)
    assert counts.shape == (40, size)
    found = np.bincount(np.minimum(counts.ravel(), 6), minlength=7)
    chances = stats.poisson.pmf(np.arange(6), 1)
    assert_likely(found, counts.size * np.append(chances, 1 - chances.sum()))
