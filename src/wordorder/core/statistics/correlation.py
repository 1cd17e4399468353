"""Correlation between two lists of numbers; pairs with a missing value are left out."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordorder.core.runtime.columns import Ints
from wordorder.core.runtime.errors import UsageError, check_choice
from wordorder.core.runtime.kernels import kernel
from wordorder.core.runtime.libraries import stats

CORRELATIONS = ("pearson", "spearman", "kendall")


@dataclass(frozen=True)
class Correlation:
    """A correlation coefficient, its two-sided p-value, and the number of pairs used."""

    name: str
    value: float
    p: float
    pairs: int


def correlate(x: ArrayLike, y: ArrayLike, *, method: str = "pearson") -> Correlation:
    """Return the correlation between two lists, using only the pairs in which both values are defined.

    * ``pearson``: r.
    * ``spearman``: ρ, which is Pearson's r of the ranks; tied values share their mean rank.
    * ``kendall``: τ-b, corrected for ties in both lists.

    With fewer than two pairs, or if a list is constant, the coefficient is undefined (NaN), without a warning. With
    two pairs, the p-value of ``pearson`` and ``spearman`` is undefined.

    >>> correlate([1, 2, 3, 4, None], [1, 3, 2, 4, 9], method="kendall")
    Correlation(name='kendall', value=0.6666666666666669, p=0.3333333333333333, pairs=4)
    """
    check_choice(method, CORRELATIONS, "correlation")
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if a.shape != b.shape or a.ndim != 1:
        shapes = f"{a.shape} and {b.shape}"
        raise UsageError(f"a correlation needs two lists of the same length, not arrays of shapes {shapes}")
    both = ~(np.isnan(a) | np.isnan(b))
    a, b = a[both], b[both]
    if len(a) < 2 or _constant(a) or _constant(b):
        return Correlation(method, float("nan"), float("nan"), len(a))

    function = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}[method]
    result = function(a, b)
    p = float("nan") if len(a) == 2 and method != "kendall" else float(result.pvalue)
    return Correlation(method, float(result.statistic), p, len(a))


def correlate_rows(x: ArrayLike, y: ArrayLike, *, method: str = "pearson") -> NDArray[np.float64]:
    """Return correlations along the last axis, for all leading axes at once; pairs with a NaN are ignored.

    The coefficients are those of ``correlate``. The time that ``kendall`` takes grows with the square of the length
    of the last axis.

    >>> correlate_rows([[1, 2, 3], [3, 2, 1]], [1, 2, 4], method="spearman").tolist()
    [1.0, -1.0]
    """
    check_choice(method, CORRELATIONS, "correlation")
    a, b = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
    known = ~(np.isnan(a) | np.isnan(b))
    if method == "kendall":
        return _kendall_rows(a, b, known)
    if method == "spearman":
        a, b = _rank_rows(a, known), _rank_rows(b, known)
    count = np.maximum(known.sum(axis=-1, keepdims=True), 1)
    a = np.where(known, a, 0.0)
    b = np.where(known, b, 0.0)
    a = np.where(known, a - a.sum(axis=-1, keepdims=True) / count, 0.0)
    b = np.where(known, b - b.sum(axis=-1, keepdims=True) / count, 0.0)
    spread = (a * a).sum(axis=-1) * (b * b).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = (a * b).sum(axis=-1) / np.sqrt(spread)
    moving = ~(_still(a) | _still(b))
    return np.where(moving & (count[..., 0] >= 2), np.clip(value, -1.0, 1.0), np.nan)


class RankedPairs:
    """Pairs of numbers that are sorted once, so that Spearman's ρ of many samples of them takes little time.

    >>> pairs = RankedPairs([1, 2, 3, 9, np.nan], [1, 3, 2, 9, 5])
    >>> pairs.spearman(np.array([1, 1, 1, 0, 2])), correlate([1, 2, 3], [1, 3, 2], method="spearman").value
    (0.5, 0.5)
    """

    def __init__(self, x: ArrayLike, y: ArrayLike) -> None:
        lists = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
        known = np.flatnonzero(~(np.isnan(lists[0]) | np.isnan(lists[1])))
        self._pairs = known[np.argsort(lists[0][known], kind="stable")]  # memory is read faster in this order
        found = [np.unique(each[self._pairs], return_inverse=True) for each in lists]
        self._values = [values for values, _ in found]
        self._places = [places.astype(np.int32) for _, places in found]

    def spearman(self, counts: NDArray[np.integer]) -> float:
        """Return Spearman's ρ (as in ``correlate``) of a sample; ``counts`` says how often it contains each pair."""
        drawn = counts[self._pairs]
        ranks = [np.zeros(len(values)) for values in self._values]
        size, xx, xy, yy = _sum_ranks(self._places[0], self._places[1], drawn, ranks[0], ranks[1])
        if size < 2 or any(map(_constant, (v[~np.isnan(r)] for v, r in zip(self._values, ranks, strict=True)))):
            return float("nan")
        scale = 1 / (size - 1)  # sums of up to 300,000 ranks are exact, so the operations of scipy give its digits
        value = xy * scale / np.sqrt(yy * scale) / np.sqrt(xx * scale)
        return float(np.clip(value, -1.0, 1.0))


@kernel
def _sum_ranks(
    x: Ints, y: Ints, counts: NDArray[np.integer], x_ranks: NDArray[np.float64], y_ranks: NDArray[np.float64]
) -> tuple[int, float, float, float]:
    """Return the size of a sample and the sums of squares and products of its centred ranks, x², xy and y².

    ``x`` and ``y`` say which of the distinct values in ascending order a pair has, and ``counts`` how often the pair
    is in the sample. The ranks of distinct values are written to ``x_ranks`` and ``y_ranks``; NaN if not in the
    sample.
    """
    size = 0
    for pair in range(len(counts)):
        if counts[pair]:
            x_ranks[x[pair]] += counts[pair]
            y_ranks[y[pair]] += counts[pair]
            size += int(counts[pair])
    for ranks in (x_ranks, y_ranks):
        before = 0.0
        for place in range(len(ranks)):
            count = ranks[place]
            ranks[place] = before + (count - size) / 2 if count else np.nan
            before += count
    xx = xy = yy = 0.0
    for pair in range(len(counts)):
        if counts[pair]:
            a, b = x_ranks[x[pair]], y_ranks[y[pair]]
            xx += counts[pair] * a * a
            xy += counts[pair] * a * b
            yy += counts[pair] * b * b
    return size, xx, xy, yy


def pearson_from_sums(sums: ArrayLike) -> NDArray[np.float64]:
    """Return Pearson's r from the sums ``[..., 6]`` of 1, x, y, x², y² and xy; for precision, centre x and y first.

    >>> round(pearson_from_sums([3, 0, 0, 2, 2, 1]).item(), 3)
    0.5
    """
    n, x, y, xx, yy, xy = np.moveaxis(np.asarray(sums, dtype=np.float64), -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread_x, spread_y = xx - x * x / n, yy - y * y / n
        value = (xy - x * y / n) / np.sqrt(spread_x * spread_y)
    moving = (spread_x > 1e-12 * xx) & (spread_y > 1e-12 * yy)
    return np.where(moving & (n >= 2), np.clip(value, -1.0, 1.0), np.nan)


def _rank_rows(values: NDArray[np.float64], known: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return ranks along the last axis; tied values share their mean rank, and unknown values rank last."""
    ranks: NDArray[np.float64] = stats.rankdata(np.where(known, values, np.inf), axis=-1)
    return ranks


def _kendall_rows(a: NDArray[np.float64], b: NDArray[np.float64], known: NDArray[np.bool_]) -> NDArray[np.float64]:
    left, right = np.triu_indices(a.shape[-1], k=1)
    both = known[..., left] & known[..., right]
    with np.errstate(invalid="ignore"):
        sign_a = np.where(both, np.sign(a[..., left] - a[..., right]), 0.0)
        sign_b = np.where(both, np.sign(b[..., left] - b[..., right]), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = (sign_a * sign_b).sum(axis=-1) / np.sqrt(np.abs(sign_a).sum(axis=-1) * np.abs(sign_b).sum(axis=-1))
    return np.where(np.isfinite(value), value, np.nan)


def _still(centred: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return a mask of the rows that are constant except for rounding errors."""
    return np.asarray(np.abs(centred).max(axis=-1, initial=0.0) <= 1e-12)


def _constant(values: NDArray[np.float64]) -> bool:
    """Return whether a list is constant except for rounding errors, in which case correlations would be noise."""
    return bool(np.ptp(values) <= 1e-12 * np.abs(values).max())
