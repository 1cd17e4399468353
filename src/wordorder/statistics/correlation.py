"""Correlation of two lists of numbers with gaps: scipy's coefficients over the pairs defined on both sides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordorder.runtime.errors import UsageError, choices

CORRELATIONS = ("pearson", "spearman", "kendall")


@dataclass(frozen=True)
class Correlation:
    """A coefficient, its two-sided p, and the number of pairs used."""

    name: str
    value: float
    p: float
    pairs: int


def correlate(x: ArrayLike, y: ArrayLike, *, method: str = "pearson") -> Correlation:
    """Correlate the pairs that are defined in both lists.

    * ``pearson``: r.
    * ``spearman``: ρ, the r of the ranks; ties share their mean rank, so it is corrected for ties.
    * ``kendall``: τ-b, corrected for ties on both sides.

    Fewer than two pairs, or a side that never changes, leave the coefficient undefined (NaN), without a warning. The
    p of two pairs is undefined for ``pearson`` and ``spearman``.

    >>> correlate([1, 2, 3, 4, None], [1, 3, 2, 4, 9], method="kendall")
    Correlation(name='kendall', value=0.6666666666666669, p=0.3333333333333333, pairs=4)
    """
    if method not in CORRELATIONS:
        raise choices(method, list(CORRELATIONS), what="correlation")
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if a.shape != b.shape or a.ndim != 1:
        raise UsageError(f"a correlation needs two lists of the same length, not shapes {a.shape} and {b.shape}")
    both = ~(np.isnan(a) | np.isnan(b))
    a, b = a[both], b[both]
    if len(a) < 2 or _constant(a) or _constant(b):
        return Correlation(method, float("nan"), float("nan"), len(a))
    from scipy import stats

    function = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}[method]
    result = function(a, b)
    p = float("nan") if len(a) == 2 and method != "kendall" else float(result.pvalue)
    return Correlation(method, float(result.statistic), p, len(a))


def _constant(values: NDArray[np.float64]) -> bool:
    """Does a side change only by rounding? Its correlation with anything would be noise."""
    return bool(np.ptp(values) <= 1e-12 * np.abs(values).max())
