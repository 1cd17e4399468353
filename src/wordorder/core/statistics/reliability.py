"""The reliability of mean ratings, and the highest correlation with them that a metric could reach.

Ratings are tables ``[people, items]``, with NaN for missing ratings. The correlation between one person and the
others is not an upper bound for a metric, because the mean of many people is more reliable than one person.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from wordorder.core.runtime.errors import UsageError
from wordorder.core.statistics.correlation import correlate_rows

SPLITS = 200


@dataclass(frozen=True)
class SplitHalfReliability:
    """The correlation between the mean ratings of two halves of the raters, and values derived from it.

    ``halves`` is this correlation, r. ``reliability`` is the reliability of the mean ratings of all raters, 2r/(1 +
    r) (Spearman 1910, Brown 1910). ``ceiling`` is the square root of ``reliability``: a metric that gives every item
    its true value would have this correlation with the mean ratings.
    """

    halves: float
    reliability: float
    ceiling: float
    items: int


def split_half(ratings: ArrayLike, *, splits: int = SPLITS, seed: int = 12345) -> SplitHalfReliability:
    """Return the split-half reliability, using the median correlation over many random splits of the raters.

    The raters of each item are split separately, because not everyone rates every item. Items with fewer than two
    raters are left out. If an item has an odd number of raters, one of them, chosen at random, is left out.
    """
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2:
        raise UsageError(f"ratings must have two dimensions (people, items), not {table.ndim}")
    known = ~np.isnan(table)
    table = table[:, known.sum(axis=0) >= 2]
    known = ~np.isnan(table)
    if table.shape[1] < 3:
        return SplitHalfReliability(np.nan, np.nan, np.nan, table.shape[1])
    generator = np.random.default_rng(seed)
    half = known.sum(axis=0) // 2
    filled = np.where(known, table, 0.0)
    first, second = np.empty((2, splits, table.shape[1]))
    for split in range(splits):
        drawn = np.where(known, generator.random(table.shape), np.inf)
        rank = np.argsort(np.argsort(drawn, axis=0), axis=0)
        first[split] = np.where(rank < half, filled, 0.0).sum(axis=0) / half
        second[split] = np.where((rank >= half) & (rank < 2 * half), filled, 0.0).sum(axis=0) / half
    found = correlate_rows(first, second)
    r = np.nan if np.isnan(found).all() else float(np.nanmedian(found))
    whole = 2 * r / (1 + r) if r > -1 else np.nan
    return SplitHalfReliability(r, whole, float(np.sqrt(whole)) if whole >= 0 else np.nan, table.shape[1])
