"""Resampling of segment statistics: the bootstrap and approximate randomisation.

A corpus score is computed from the sum of rows, where each row holds the sufficient statistics of one segment. Both
methods therefore return sums, and use the same random samples for all columns. If the columns of all systems and
metrics are in one array, all comparisons are paired, and no text is scored twice.

A sample depends only on the seed, on its index and on the number of rows (``draws.py``), and rows are always added in
the same order. Results are therefore identical to the last bit for any number of samples, threads and columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.errors import UsageError
from wordorder.core.runtime.kernels import kernel
from wordorder.core.runtime.threads import map_chunks, spans
from wordorder.core.statistics.draws import Streams, Weights, draw_counts, draw_rows, open_streams, toss_coins
from wordorder.core.statistics.rows import CompactRows
from wordorder.core.statistics.settings import DEFAULT_SAMPLES, DEFAULT_SEED, DEFAULT_TRIALS

Rows = NDArray[np.float64]


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
    if samples < 1:
        raise UsageError(f"the number of samples must be 1 or more, not {samples}")
    return _weighted_sums(rows, draw_rows, samples, **options)


def bootstrap_counts(rows: int, *, samples: int = DEFAULT_SAMPLES, seed: int = DEFAULT_SEED) -> Weights:
    """Return how often each bootstrap sample contains each of the ``rows`` rows, ``[samples, rows]``.

    The samples are the same as in ``bootstrap_sums``. The counts are for scores that cannot be computed from sums,
    such as ranks and areas under curves.

    >>> bootstrap_counts(5, samples=3).sum(axis=1).tolist()
    [5, 5, 5]
    """
    if samples < 1:
        raise UsageError(f"the number of samples must be 1 or more, not {samples}")
    counts = np.empty((samples, rows), dtype=np.uint8)
    for block, drawn in draw_rows(open_streams(samples, seed), rows):
        counts[:, block] = drawn[:, : block.stop - block.start]
    return counts


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
    rows_a: Rows, rows_b: Rows, *, trials: int = DEFAULT_TRIALS, **options: Unpack[Sampling]
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
    if trials < 1:
        raise UsageError(f"the number of trials must be 1 or more, not {trials}")
    both, width = np.hstack([rows_a, rows_b]), rows_a.shape[1]
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
    if not 0 < level < 1:
        raise UsageError(f"the level of an interval must lie between 0 and 1, not {level}")
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
        raise UsageError(f"expected one group for each of the {rows.shape[0]} rows, found {groups.size}")
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
    if len(shape := rows.shape) != 2:
        raise UsageError(f"rows must have two dimensions (segments, statistics), not {len(shape)}")
    if not shape[1]:
        return np.empty((count, 0))
    if not (rows.is_finite() if isinstance(rows, CompactRows) else np.isfinite(rows).all()):
        raise UsageError("rows must be finite; use zeros for the statistics of undefined segments")
    if groups is not None:
        rows = sum_groups(np.asarray(rows, dtype=np.float64), groups)
    units = rows if isinstance(rows, CompactRows) else CompactRows.of(np.asarray(rows, dtype=np.float64))
    size, width = units.shape
    if size >= 1 << 32:
        raise UsageError(f"cannot resample {size} rows; the limit is 2^32")

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
