"""Random draws: how often each row is in a bootstrap sample, and which rows two systems exchange.

Random numbers come from splitmix64 (Steele, Lea & Flood 2014), keyed by the seed and the number of the sample.
Sample i is therefore the same for any number of samples, threads and columns, and for any version of NumPy.

Weights are drawn for a few samples and a block of 4,096 rows at a time, so that they fit into the fastest cache. A
bootstrap sample first draws how many of its n draws fall into each block, then the rows within the block. This is the
exact multinomial distribution, computed from random bits and whole numbers. If there are fewer rows than in a block,
n rows are simply drawn one by one.
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
"""Upper limits, as fractions of 2^64, for 0, 1, 2 … draws under Poisson's distribution with mean 1."""

Streams = NDArray[np.uint64]

BLOCK = 1 << 12
_GAMMA = np.uint64(0x9E3779B97F4A7C15)
# Extra bytes of each sample. If the weights of samples were 4,096 bytes apart, they would compete for the same few
# lines of the cache. The padding also makes them whole words of 8 rows.
_PADDING = 64


def open_streams(samples: int, seed: int) -> Streams:
    """Return the initial state of each sample's stream of random numbers; drawing changes the state."""
    scramble = cast(Callable[[Streams], Streams], getattr(mix, "py_func", mix))  # arrays need no compiling
    return scramble(
        scramble(np.array([seed % 2**64], dtype=np.uint64)) + np.arange(samples, dtype=np.uint64) * _GAMMA
    )


def draw_rows(streams: Streams, rows: int) -> Iterator[tuple[slice, Weights]]:
    """Draw ``rows`` rows with replacement for every sample.

    Yield for each block its rows as a slice, and how often each was drawn, ``[samples, rows and padding]``.
    """
    shares = _share_draws(streams, rows) if rows > BLOCK else np.full((1, len(streams)), rows, np.int64)
    for block, (start, stop) in enumerate(spans(rows, BLOCK)):
        yield slice(start, stop), _draw(streams, shares[block], stop - start)


def toss_coins(side: int, streams: Streams, rows: int) -> Iterator[tuple[slice, Weights]]:
    """Toss a coin for each row and sample and yield, like ``draw_rows``, 1 if it shows ``side`` (0 or 1), else 0."""
    for start, stop in spans(rows, BLOCK):
        yield slice(start, stop), _toss(side, streams, stop - start)


def draw_counts(places: NDArray[np.int64], streams: Streams, rows: int) -> Iterator[tuple[slice, Weights]]:
    """Draw each row independently for every sample; the counts have Poisson's distribution with mean 1.

    A count depends only on the position of the row in the corpus, on the seed and on the sample. Yields the same as
    ``draw_rows``.
    """
    for start, stop in spans(rows, BLOCK):
        yield slice(start, stop), _draw_counts(streams, np.ascontiguousarray(places[start:stop]))


@kernel
def _share_draws(streams: Streams, rows: int) -> NDArray[np.int64]:
    """Draw how many of a sample's ``rows`` draws fall into each block, ``[blocks, samples]``.

    The blocks are split in two at a power of two, and the draws are divided between the parts at random; the parts
    are split in the same way, down to single blocks (conditional binomials; Devroye 1986, chapter XI).
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
    """Return the next state and how many of ``count`` uniform numbers are below ``part / whole``.

    All numbers are compared with the fraction bit by bit. The first different bit decides, so that each further bit
    is needed for only half as many numbers.
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
    """Draw ``counts[sample]`` rows of a block with replacement, and count how often each was drawn.

    A count is stored in a byte: with up to 255 rows it cannot overflow, and with more rows it never gets so high.
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
    """Draw five rows of a full block at a time; each uses 12 of 64 random bits."""
    for _ in range(times):
        state += _GAMMA
        bits = mix(state)
        for _ in range(5):
            drawn[bits % np.uint64(BLOCK)] += np.uint8(1)
            bits >>= np.uint64(12)
    return state


@inner_kernel
def _draw_ones(state: np.uint64, drawn: Weights, times: int, rows: np.uint64) -> np.uint64:
    """Draw one row at a time."""
    for _ in range(times):
        state, row = draw_below(state, rows)
        drawn[row] += np.uint8(1)
    return state


@inner_kernel
def draw_below(state: np.uint64, limit: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return the next state and a uniform random number below ``limit`` (at most 2^32).

    The number is a uniform 32-bit number times the limit, shifted right by 32 bits. The few products that would make
    some numbers more likely are drawn again (Lemire 2019).
    """
    while True:
        state += _GAMMA
        product = (mix(state) >> np.uint64(32)) * limit
        rest = product & np.uint64(0xFFFFFFFF)
        if rest >= limit or rest >= np.uint64(1 << 32) % limit:  # the division is rarely needed
            return state, product >> np.uint64(32)


@kernel
def _toss(side: int, streams: Streams, rows: int) -> Weights:
    """Toss a coin for each row of a block and each sample; one random number gives 64 coins."""
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
    """Draw each row of a block independently, by the random number for the sample and the row's position."""
    weights = np.zeros((len(streams), len(places) // 8 * 8 + _PADDING), dtype=np.uint8)
    for sample in range(len(streams)):
        for row in range(len(places)):
            bits = mix(streams[sample] + np.uint64(places[row] + 1) * _GAMMA)
            count = 0
            while count < _MOST and bits >= _COUNTS[count]:
                count += 1
            weights[sample, row] = count
    return weights
