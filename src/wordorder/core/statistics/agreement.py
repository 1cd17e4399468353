"""Agreement between raters beyond chance (κ, Fleiss' κ, Krippendorff's α), and the reliability of mean ratings.

The reliability limits the correlation with the mean ratings that a metric could reach. Ratings are tables ``[people,
items]``, with NaN for missing ratings. The correlation between one person and the others is not an upper bound for a
metric, because the mean of many people is more reliable than one person.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from wordorder.core.runtime.columns import Floats
from wordorder.core.runtime.errors import UsageError, check_choice, refuse
from wordorder.core.statistics.correlation import correlate_rows

SCALES = ("nominal", "ordinal", "interval", "ratio")


def kappa(observed: float, expected: float) -> float:
    """Return κ = (P(A) − P(E))/(1 − P(E)), the agreement beyond chance.

    P(A) is the ``observed`` agreement, and P(E) is the agreement ``expected`` by chance.

    >>> round(kappa(0.7, 0.5), 3)
    0.4
    """
    return float("nan") if expected == 1 else (observed - expected) / (1.0 - expected)


def fleiss_kappa(counts: ArrayLike) -> float:
    """Return Fleiss' κ (1971), given how many raters chose each category for each item.

    ``counts`` has the shape ``[items, categories]``. Every item must have the same number of raters, at least two.
    """
    table = np.asarray(counts, dtype=np.float64)
    if table.ndim != 2 or not len(table):
        raise UsageError(f"counts must be a non-empty table [items, categories], not an array of shape {table.shape}")
    raters = table.sum(axis=1)
    if raters[0] < 2 or (raters != raters[0]).any():
        raise UsageError("all items must have the same number of raters (at least two); else use krippendorff_alpha")
    observed = (table * (table - 1)).sum(axis=1) / (raters * (raters - 1))
    expected = (table.sum(axis=0) / table.sum()) ** 2
    return kappa(float(observed.mean()), float(expected.sum()))


def krippendorff_alpha(ratings: ArrayLike, *, scale: str = "nominal") -> float:
    """Return Krippendorff's α of ``ratings[raters, items]``, where missing ratings are NaN (Krippendorff 2011).

    α = 1 − D_o/D_e, where D_o and D_e are the observed and the expected disagreement between two ratings of an item.
    ``scale`` defines the distance between two values: ``nominal``, ``ordinal``, ``interval`` or ``ratio``.
    """
    check_choice(scale, SCALES, "scale")
    table = np.asarray(ratings, dtype=np.float64)
    refuse(table.ndim != 2, f"ratings must have two dimensions (raters, items), not {table.ndim}")
    table = table[:, (~np.isnan(table)).sum(axis=0) >= 2]
    values, places = np.unique(table, return_inverse=True)
    values = values[~np.isnan(values)]
    places = places.reshape(table.shape)
    if not len(values):
        return float("nan")
    counts = np.stack([(places == place).sum(axis=0) for place in range(len(values))], axis=1).astype(np.float64)
    raters = counts.sum(axis=1)
    share = counts / (raters - 1)[:, None]
    coincidence = np.einsum("ic,ik->ck", share, counts) - np.diag(share.sum(axis=0))
    totals = coincidence.sum(axis=0)
    apart = _distances(values, totals, scale)
    expected = (np.outer(totals, totals) * apart).sum() / (totals.sum() - 1)
    if expected == 0:
        return float("nan")
    return float(1.0 - (coincidence * apart).sum() / expected)


def _distances(values: Floats, totals: Floats, scale: str) -> Floats:
    """Return the squared distance between each pair of values."""
    difference = values[:, None] - values[None, :]
    if scale == "nominal":
        return np.asarray(difference != 0, dtype=np.float64)
    if scale == "interval":
        return np.asarray(difference**2)
    if scale == "ratio":
        total = values[:, None] + values[None, :]
        return np.asarray(np.where(total != 0, difference / np.where(total == 0, 1.0, total), 0.0) ** 2)
    ranks = np.cumsum(totals) - totals / 2.0
    return np.asarray((ranks[:, None] - ranks[None, :]) ** 2)


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
    refuse(table.ndim != 2, f"ratings must have two dimensions (people, items), not {table.ndim}")
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
