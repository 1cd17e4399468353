"""Random sampling: how often each row occurs in a bootstrap sample, and which rows two systems exchange.

Random numbers come from splitmix64 (Steele, Lea & Flood 2014), keyed by the seed and the index of the sample.
Sample i is therefore the same for any number of samples, threads and columns, and for any version of NumPy.

Weights are generated for a few samples and a block of 4,096 rows at a time, so that they fit into the fastest cache.
To draw n rows for a bootstrap sample, the number of rows to draw from each block is chosen first, and then the rows
within each block. The result follows the multinomial distribution exactly; the computation uses only random bits and
whole numbers. If all rows fit into one block, n rows are simply drawn one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import accumulate
from math import factorial
from typing import cast

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.hashing import mix
from wordorder.core.runtime.kernels import inner_kernel, kernel
from wordorder.core.runtime.threads import spans

Weights = NDArray[np.uint8]
_MOST = 20  # more draws of one row have a probability below 2^-64
_SUMS = list(accumulate(Fraction(1, factorial(k)) for k in range(30)))  # they converge to Euler's number
_COUNTS = np.array([int(2**64 * total / _SUMS[-1]) for total in _SUMS[:_MOST]], np.uint64)
"""Cumulative probabilities of 0, 1, 2, … draws under the Poisson distribution with mean 1, multiplied by 2^64."""

Streams = NDArray[np.uint64]

BLOCK = 1 << 12
_GAMMA = np.uint64(0x9E3779B97F4A7C15)
# Extra bytes of each sample. If the weights of samples were 4,096 bytes apart, they would compete for the same few
# lines of the cache. The padding also makes them whole words of 8 rows.
_PADDING = 64


def open_streams(samples: int, seed: int) -> Streams:
    """Return the initial state of the random-number stream of each sample; drawing numbers updates the state."""
    scramble = cast(Callable[[Streams], Streams], getattr(mix, "py_func", mix))  # arrays need no compiling
    return scramble(
        scramble(np.array([seed % 2**64], dtype=np.uint64)) + np.arange(samples, dtype=np.uint64) * _GAMMA
    )


def draw_rows(streams: Streams, rows: int) -> Iterator[tuple[slice, Weights]]:
    """Draw ``rows`` rows with replacement for every sample.

    Yield each block of rows as a slice, and how often each of its rows was drawn, ``[samples, rows and padding]``.
    """
    shares = _share_draws(streams, rows) if rows > BLOCK else np.full((1, len(streams)), rows, np.int64)
    for block, (start, stop) in enumerate(spans(rows, BLOCK)):
        yield slice(start, stop), _draw(streams, shares[block], stop - start)


def toss_coins(side: int, streams: Streams, rows: int) -> Iterator[tuple[slice, Weights]]:
    """Toss a coin for each row of each sample; yield 1 if the coin shows ``side`` (0 or 1), and 0 otherwise.

    The blocks have the same format as those of ``draw_rows``.
    """
    for start, stop in spans(rows, BLOCK):
        yield slice(start, stop), _toss(side, streams, stop - start)


def draw_counts(places: NDArray[np.int64], streams: Streams, rows: int) -> Iterator[tuple[slice, Weights]]:
    """Draw how often each row is in each sample, from a Poisson distribution with mean 1.

    Each count depends only on the position of the row in the corpus, on the seed and on the sample. The blocks have
    the same format as those of ``draw_rows``.
    """
    for start, stop in spans(rows, BLOCK):
        yield slice(start, stop), _draw_counts(streams, np.ascontiguousarray(places[start:stop]))


@kernel
def _share_draws(streams: Streams, rows: int) -> NDArray[np.int64]:
    """Choose at random how many of the ``rows`` draws of each sample fall into each block, ``[blocks, samples]``.

    The blocks are split into two parts at a power of two, and the draws are divided between the parts at random. Each
    part is then split in the same way, down to single blocks (conditional binomials; Devroye 1986, chapter XI).
    """
    blocks = (rows + BLOCK - 1) // BLOCK
    shares = np.full((blocks, len(streams)), rows, dtype=np.int64)
    half = 1 << 19  # of the 2^20 blocks that 2^32 rows have
    while half:
        for left in range(0, blocks - half, 2 * half):
            whole = min(2 * half * BLOCK, rows - left * BLOCK)
            for sample in range(len(streams)):
                count = shares[left, sample]
                streams[sample], below = _draw_binomial(streams[sample], count, half * BLOCK, whole)
                shares[left, sample], shares[left + half, sample] = below, count - below
        half //= 2
    return shares


@kernel
def _draw_binomial(state: np.uint64, count: np.int64, part: int, whole: int) -> tuple[np.uint64, np.int64]:
    """Return the next state, and how many of ``count`` uniform random numbers in [0, 1) are below ``part / whole``.

    All numbers are compared with the fraction bit by bit. The first bit that differs decides, so that each further
    bit is needed for only about half as many numbers.
    """
    below = np.int64(0)
    while count and part:
        part *= 2
        state, ones = _count_ones(state, count)
        if part >= whole:  # the next bit of the fraction is 1
            part -= whole
            below += count - ones
            count = ones
        else:
            count -= ones
    return state, below


@inner_kernel
def _count_ones(state: np.uint64, count: np.int64) -> tuple[np.uint64, np.int64]:
    """Return the next state and the number of ones among ``count`` random bits."""
    ones = np.int64(0)
    while count > 0:
        state += _GAMMA
        bits = mix(state)
        if count < 64:
            bits >>= np.uint64(64 - count)
        count -= np.int64(64)
        bits -= (bits >> np.uint64(1)) & np.uint64(0x5555555555555555)
        bits = (bits & np.uint64(0x3333333333333333)) + ((bits >> np.uint64(2)) & np.uint64(0x3333333333333333))
        bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
        ones += np.int64((bits * np.uint64(0x0101010101010101)) >> np.uint64(56))
    return state, ones


@kernel
def _draw(streams: Streams, counts: NDArray[np.int64], rows: int) -> Weights:
    """Draw ``counts[sample]`` rows of a block with replacement, and return how often each row was drawn.

    The result is stored in bytes: with up to 255 rows they cannot overflow, and with more rows no row is ever drawn
    so often.
    """
    weights = np.zeros((len(streams), rows // 8 * 8 + _PADDING), dtype=np.uint8)
    for sample in range(len(streams)):
        state, drawn, count = streams[sample], weights[sample], counts[sample]
        if rows == BLOCK:
            state = _draw_fives(state, drawn, count // 5)
            count %= 5
        streams[sample] = _draw_ones(state, drawn, count, np.uint64(rows))
    return weights


@inner_kernel
def _draw_fives(state: np.uint64, drawn: Weights, times: int) -> np.uint64:
    """Draw five rows of a full block at a time, using 12 of 64 random bits for each, and return the next state."""
    for _ in range(times):
        state += _GAMMA
        bits = mix(state)
        for _ in range(5):
            drawn[bits % np.uint64(BLOCK)] += np.uint8(1)
            bits >>= np.uint64(12)
    return state


@inner_kernel
def _draw_ones(state: np.uint64, drawn: Weights, times: int, rows: np.uint64) -> np.uint64:
    """Draw rows one at a time, and return the next state."""
    for _ in range(times):
        state, row = draw_below(state, rows)
        drawn[row] += np.uint8(1)
    return state


@inner_kernel
def draw_below(state: np.uint64, limit: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return the next state and a uniform random integer below ``limit``, which is at most 2^32.

    The result is a uniform 32-bit number times the limit, shifted right by 32 bits. The few numbers that would make
    some results more likely than others are drawn again (Lemire 2019).
    """
    while True:
        state += _GAMMA
        product = (mix(state) >> np.uint64(32)) * limit
        rest = product & np.uint64(0xFFFFFFFF)
        if rest >= limit or rest >= np.uint64(1 << 32) % limit:  # the division is rarely needed
            return state, product >> np.uint64(32)


@kernel
def _toss(side: int, streams: Streams, rows: int) -> Weights:
    """Toss a coin for each row of a block in each sample; one random number provides 64 coin tosses."""
    weights = np.zeros((len(streams), rows // 8 * 8 + _PADDING), dtype=np.uint8)
    for sample in range(len(streams)):
        for row in range(rows):
            if row % 64 == 0:
                streams[sample] += _GAMMA
                coins = mix(streams[sample])
            weights[sample, row] = np.uint8((coins & np.uint64(1)) == np.uint64(side))
            coins >>= np.uint64(1)
    return weights


@kernel
def _draw_counts(streams: Streams, places: NDArray[np.int64]) -> Weights:
    """Draw how often each row of a block is in each sample, using random numbers keyed by sample and position."""
    weights = np.zeros((len(streams), len(places) // 8 * 8 + _PADDING), dtype=np.uint8)
    for sample in range(len(streams)):
        for row in range(len(places)):
            bits = mix(streams[sample] + np.uint64(places[row] + 1) * _GAMMA)
            count = 0
            while count < _MOST and bits >= _COUNTS[count]:
                count += 1
            weights[sample, row] = count
    return weights
