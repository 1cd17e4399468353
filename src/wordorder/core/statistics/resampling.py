"""Resampling of segment statistics: the bootstrap and approximate randomisation.

A corpus score is computed from the sum of rows, where each row holds the sufficient statistics of one segment. Both
methods therefore return sums, and use the same random samples for all columns. If the columns of all systems and
metrics are in one array, all comparisons are paired, and no text is scored twice.

A sample depends only on the seed, on its index and on the number of rows, and rows are always added in
the same order. Results are therefore identical to the last bit for any number of samples, threads and columns.

Random numbers come from splitmix64 (Steele, Lea & Flood 2014), keyed by the seed and the index of the sample.
Sample i is therefore the same for any number of samples, threads and columns, and for any version of NumPy.

Weights are generated for a few samples and a block of 4,096 rows at a time, so that they fit into the fastest cache.
To draw n rows for a bootstrap sample, the number of rows to draw from each block is chosen first, and then the rows
within each block. The result follows the multinomial distribution exactly; the computation uses only random bits and
whole numbers. If all rows fit into one block, n rows are simply drawn one by one.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import accumulate
from math import factorial
from typing import TypedDict, Unpack, cast

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.errors import UsageError, refuse
from wordorder.core.runtime.kernels import inner_kernel, kernel, mix, plain_form
from wordorder.core.runtime.threads import map_chunks, spans
from wordorder.core.statistics.rows import CompactRows
from wordorder.core.statistics.settings import DEFAULT_SAMPLES, DEFAULT_SEED, DEFAULT_TRIALS

Rows = NDArray[np.float64]
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

_TOGETHER = 64  # samples that are summed together, so that each row is read only once for all of them
_TILE = 8


class Sampling(TypedDict, total=False):
    """Options for sampling: the seed, the number of threads, and the group of each row if groups are resampled."""

    seed: int
    threads: int
    groups: NDArray[np.integer] | None


def bootstrap_sums(rows: Rows | CompactRows, *, samples: int = DEFAULT_SAMPLES, **options: Unpack[Sampling]) -> Rows:
    """Return the sums of ``samples`` bootstrap samples, each of n rows drawn with replacement.

    This is the usual bootstrap (Efron 1979; Koehn 2004). With ``groups``, which assigns each row to a group such as
    its document, whole groups are drawn instead, as many as there are groups. For ``rows[n, K]``, the result is
    ``float64[samples, K]``; all K columns use the same samples.

    >>> bootstrap_sums(np.ones((5, 2)), samples=3)
    array([[5., 5.], [5., 5.], [5., 5.]])
    """
    refuse(samples < 1, f"the number of samples must be 1 or more, not {samples}")
    return _weighted_sums(rows, draw_rows, samples, **options)


def bootstrap_counts(
    rows: int, *, samples: int = DEFAULT_SAMPLES, seed: int = DEFAULT_SEED, places: NDArray[np.int64] | None = None
) -> Weights:
    """Return how often each bootstrap sample contains each of the ``rows`` rows, ``[samples, rows]``.

    The samples are the same as in ``bootstrap_sums``. The counts are for scores that cannot be computed from sums,
    such as ranks and areas under curves. With ``places`` (ascending), only the counts of these rows are returned.

    >>> bootstrap_counts(5, samples=3).sum(axis=1).tolist()
    [5, 5, 5]
    """
    refuse(samples < 1, f"the number of samples must be 1 or more, not {samples}")
    chosen = np.arange(rows) if places is None else places
    counts = np.empty((samples, len(chosen)), dtype=np.uint8)
    for block, drawn in draw_rows(open_streams(samples, seed), rows):
        first, last = np.searchsorted(chosen, (block.start, block.stop))
        counts[:, first:last] = drawn[:, chosen[first:last] - block.start]
    return counts


def each_count(rows: int, *, samples: int, seed: int) -> Iterator[Weights]:
    """Yield the rows of ``bootstrap_counts`` one by one, without keeping all of them in memory."""
    streams = open_streams(samples, seed)
    for start, stop in spans(samples, _TOGETHER):
        counts = np.empty((stop - start, rows), dtype=np.uint8)
        for block, drawn in draw_rows(streams[start:stop], rows):
            counts[:, block] = drawn[:, : block.stop - block.start]
        yield from counts


def poisson_sums(
    rows: Rows | CompactRows, places: NDArray[np.int64], *, samples: int = DEFAULT_SAMPLES, seed: int = DEFAULT_SEED
) -> Rows:
    """Return the Poisson bootstrap sums of a part of a corpus, ``float64[samples, K]``.

    The number of times that a row is drawn follows a Poisson distribution with mean 1, independently of all other
    rows (Hanley & MacGibbon 2006; Chamandy et al. 2012). The sums of the parts of a corpus therefore add up to those
    of the whole corpus. ``places`` are the positions of the rows in the corpus; the samples depend only on these and
    on the seed.

    >>> rows, places = np.ones((5, 1)), np.arange(5)
    >>> whole = poisson_sums(rows, places, samples=3)
    >>> (whole == poisson_sums(rows[:2], places[:2], samples=3) + poisson_sums(rows[2:], places[2:], samples=3)).all()
    np.True_
    """
    return _weighted_sums(rows, partial(draw_counts, places), samples, seed=seed)


def randomisation_sums(
    rows_a: Rows | CompactRows, rows_b: Rows | CompactRows, *, trials: int = DEFAULT_TRIALS, **options: Unpack[Sampling]
) -> tuple[Rows, Rows]:
    """Return the sums of two systems after exchanging their rows at random, for each of ``trials`` trials.

    This is approximate randomisation (Noreen 1989; Riezler & Maxwell 2005). Under the null hypothesis, either system
    could have produced either row of a segment, so the two rows are exchanged with probability ½. With ``groups``,
    the rows of whole groups are exchanged. The result is a pair of arrays, ``float64[trials, K]`` each, with the sums
    of the two pseudo-systems.

    >>> a, b = randomisation_sums(np.full((4, 1), 1.0), np.full((4, 1), 3.0), trials=6)
    >>> (a + b).ravel().tolist()
    [16.0, 16.0, 16.0, 16.0, 16.0, 16.0]
    """
    if rows_a.shape != rows_b.shape:
        raise UsageError(f"rows of two systems must have the same shape, not {rows_a.shape} and {rows_b.shape}")
    refuse(trials < 1, f"the number of trials must be 1 or more, not {trials}")
    both, width = CompactRows.beside([rows_a, rows_b]), rows_a.shape[1]
    # Each trial weights the same rows twice: once for the segments that stay, once for those that are exchanged.
    stay, swap = (_weighted_sums(both, partial(toss_coins, side), trials, **options) for side in (0, 1))
    return stay[:, :width] + swap[:, width:], stay[:, width:] + swap[:, :width]


def interval(values: NDArray[np.float64], *, level: float = 0.95) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the lower and upper limits of the percentile interval of ``values[samples, ...]`` along the first axis.

    Undefined values (NaN) are ignored; the limits are NaN where all values are undefined.

    >>> low, high = interval(np.arange(101.0)[:, None], level=0.5)
    >>> low.tolist(), high.tolist()
    ([25.0], [75.0])
    """
    refuse(not 0 < level < 1, f"the level of an interval must lie between 0 and 1, not {level}")
    # NumPy's nanquantile warns about empty slices and is slow; NaN sorts last, so defined values come first.
    ordered = np.sort(np.asarray(values, dtype=np.float64), axis=0)
    if not len(ordered):
        return np.full(ordered.shape[1:], np.nan), np.full(ordered.shape[1:], np.nan)
    last = np.maximum(np.count_nonzero(~np.isnan(ordered), axis=0) - 1, 0)
    ends = []
    for share in ((1 - level) / 2, (1 + level) / 2):  # linear between order statistics, like NumPy's default
        place = share * last
        below = np.floor(place).astype(np.int64)
        low, high = np.take_along_axis(ordered, np.stack([below, np.minimum(below + 1, last)]), axis=0)
        ends.append(low + (high - low) * (place - below))
    return ends[0], ends[1]


def sum_groups(rows: Rows, groups: NDArray[np.integer]) -> Rows:
    """Return the sum of the rows in each group, with groups in ascending order.

    >>> sum_groups(np.array([[1.0], [2.0], [4.0]]), np.array([7, 3, 7])).tolist()
    [[2.0], [5.0]]
    """
    groups = np.asarray(groups)
    if groups.shape != rows.shape[:1]:
        raise UsageError(f"expected one group label for each of the {rows.shape[0]} rows, found {groups.size}")
    names, codes = np.unique(groups, return_inverse=True)
    sums = np.zeros((len(names), rows.shape[1]))
    np.add.at(sums, codes, rows)
    return sums


def _weighted_sums(
    rows: Rows | CompactRows,
    weigh: Callable[[Streams, int], Iterator[tuple[slice, Weights]]],
    count: int,
    *,
    seed: int = DEFAULT_SEED,
    threads: int = 1,
    groups: NDArray[np.integer] | None = None,
) -> Rows:
    """Return ``count`` weighted sums of the rows, or of groups of rows; equal columns are summed only once."""
    if groups is not None:
        rows = sum_groups(np.asarray(rows, dtype=np.float64), groups)
    units = CompactRows.of(rows)
    if not units.columns:
        return np.empty((count, 0))
    if not all(np.isfinite(column).all() for column in units.columns if column.dtype.kind == "f"):
        raise UsageError("rows must be finite; use zeros for the statistics of undefined segments")
    size, width = units.shape
    refuse(size >= 1 << 32, f"cannot resample {size} rows; the limit is 2^32")

    streams = open_streams(count, seed)

    def sum_samples(span: tuple[int, int]) -> Rows:
        own = streams[slice(*span)]
        sums = np.zeros((len(units.columns), len(own)))
        for block, weights in weigh(own, size):
            _add_weighted(sums, units.distinct(block, step=_TILE), weights.view("<u8"))
        return sums

    result = np.empty((count, width))
    chunks = spans(count, _TOGETHER)
    for (start, stop), sums in zip(chunks, map_chunks(sum_samples, chunks, threads=threads), strict=True):
        result[start:stop] = sums[units.places].T
    return result


@kernel
def _add_weighted(sums: Rows, columns: Rows, weights: NDArray[np.uint64]) -> None:
    """Add Σ_i weights[s, i]·columns[k, i] to ``sums[k, s]``, always in the order of the rows.

    Each 64-bit word of ``weights`` holds the weights of 8 rows, with the first row in the lowest byte. The inner loop
    runs over samples, so it is as fast for two columns as for hundreds. Rows are added in tiles of 8, so that each
    sum is loaded and stored only once per tile.
    """
    count = sums.shape[1]
    tile = np.empty((_TILE, count), dtype=np.float64)
    words = np.empty(count, dtype=np.uint64)
    for start in range(0, columns.shape[1], _TILE):
        for sample in range(count):
            words[sample] = weights[sample, start // _TILE]
        for row in range(_TILE):
            for sample in range(count):
                tile[row, sample] = np.int32((words[sample] >> np.uint64(8 * row)) & np.uint64(0xFF))
        for column in range(len(columns)):
            own = columns[column]
            row_0, row_1, row_2, row_3 = own[start], own[start + 1], own[start + 2], own[start + 3]
            row_4, row_5, row_6, row_7 = own[start + 4], own[start + 5], own[start + 6], own[start + 7]
            for sample in range(count):
                value = sums[column, sample]
                value += tile[0, sample] * row_0
                value += tile[1, sample] * row_1
                value += tile[2, sample] * row_2
                value += tile[3, sample] * row_3
                value += tile[4, sample] * row_4
                value += tile[5, sample] * row_5
                value += tile[6, sample] * row_6
                value += tile[7, sample] * row_7
                sums[column, sample] = value


@plain_form(_add_weighted)
def _add_rows(sums: Rows, columns: Rows, weights: NDArray[np.uint64]) -> None:
    times = weights.view(np.uint8)
    for row in range(columns.shape[1]):
        sums += np.multiply.outer(columns[:, row], times[:, row])


# --- random numbers -----------------------------------------------------------------------------------------------


_mix_all = cast(Callable[[Streams], Streams], mix)  # an inner kernel is a function that also takes arrays


def open_streams(samples: int, seed: int) -> Streams:
    """Return the initial state of the random-number stream of each sample; drawing numbers updates the state."""
    return _mix_all(_mix_all(np.array([seed % 2**64], np.uint64)) + np.arange(samples, dtype=np.uint64) * _GAMMA)


def draw_rows(streams: Streams, rows: int) -> Iterator[tuple[slice, Weights]]:
    """Draw ``rows`` rows with replacement for every sample.

    Yield each block of rows as a slice, and how often each of its rows was drawn, ``[samples, rows and padding]``.
    """
    shares = _share_draws(streams, rows) if rows > BLOCK else np.full((1, len(streams)), rows, np.int64)
    for block, (start, stop) in enumerate(spans(rows, BLOCK)):
        yield slice(start, stop), _draw(streams, shares[block], _no_weights(streams, stop - start), stop - start)


def toss_coins(side: int, streams: Streams, rows: int) -> Iterator[tuple[slice, Weights]]:
    """Toss a coin for each row of each sample; yield 1 if the coin shows ``side`` (0 or 1), and 0 otherwise.

    The blocks have the same format as those of ``draw_rows``.
    """
    for start, stop in spans(rows, BLOCK):
        yield slice(start, stop), _toss(side, streams, _no_weights(streams, stop - start), stop - start)


def draw_counts(places: NDArray[np.int64], streams: Streams, rows: int) -> Iterator[tuple[slice, Weights]]:
    """Draw how often each row occurs in each sample; the counts have a Poisson distribution with mean 1.

    Each count depends only on the position of the row in the corpus, on the seed and on the sample. The blocks have
    the same format as those of ``draw_rows``.
    """
    for start, stop in spans(rows, BLOCK):
        yield slice(start, stop), _draw_counts(streams, np.ascontiguousarray(places[start:stop]))


def _no_weights(streams: Streams, rows: int) -> Weights:
    """Return weights of 0 for some rows and for the padding."""
    return np.zeros((len(streams), rows // 8 * 8 + _PADDING), dtype=np.uint8)


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


plain_form(_share_draws)(None)


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
def _draw(streams: Streams, counts: NDArray[np.int64], weights: Weights, rows: int) -> Weights:
    """Draw ``counts[sample]`` rows of a block with replacement, and return how often each row was drawn.

    The counts are stored as bytes. They cannot overflow in blocks of up to 255 rows; in larger blocks, it practically
    never happens that one row is drawn more than 255 times.
    """
    for sample in range(len(streams)):
        state, drawn, count = streams[sample], weights[sample], counts[sample]
        if rows == BLOCK:
            state = _draw_fives(state, drawn, count // 5)
            count %= 5
        streams[sample] = _draw_ones(state, drawn, count, np.uint64(rows))
    return weights


@plain_form(_draw)
def _draw_together(streams: Streams, counts: NDArray[np.int64], weights: Weights, rows: int) -> Weights:
    assert rows < BLOCK  # more is too much work for plain Python
    for turn in range(counts.max(initial=0)):
        open_ = np.flatnonzero(counts > turn)
        while len(open_):
            streams[open_] += _GAMMA
            product = (_mix_all(streams[open_]) >> np.uint64(32)) * np.uint64(rows)
            kept = product & np.uint64(0xFFFFFFFF) >= np.uint64((1 << 32) % rows)
            weights[open_[kept], (product >> np.uint64(32))[kept]] += np.uint8(1)
            open_ = open_[~kept]
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
def _toss(side: int, streams: Streams, weights: Weights, rows: int) -> Weights:
    """Toss a coin for each row of a block in each sample; one random number provides 64 coin tosses."""
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
    """Draw how often each row of a block occurs in each sample.

    The random numbers are keyed by the sample and the position of the row in the corpus.
    """
    weights = np.zeros((len(streams), len(places) // 8 * 8 + _PADDING), dtype=np.uint8)
    for sample in range(len(streams)):
        for row in range(len(places)):
            bits = mix(streams[sample] + np.uint64(places[row] + 1) * _GAMMA)
            count = 0
            while count < _MOST and bits >= _COUNTS[count]:
                count += 1
            weights[sample, row] = count
    return weights
