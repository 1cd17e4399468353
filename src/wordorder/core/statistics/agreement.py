"""Agreement between raters beyond chance: κ, Fleiss' κ and Krippendorff's α."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from wordorder.core.runtime.columns import Floats
from wordorder.core.runtime.errors import UsageError, choices

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
    if scale not in SCALES:
        raise choices(scale, list(SCALES), what="scale")
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2:
        raise UsageError(f"ratings must have two dimensions (raters, items), not {table.ndim}")
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
