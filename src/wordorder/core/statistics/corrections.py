"""Corrections for testing many differences at once: Holm's, and the largest difference of resampled data.

Holm (1979) multiplies p by the number of tests. A p made from R samples is never below 1/(R + 1), so with enough
tests nothing could be significant. The largest of many differences has a distribution of its own, which resampling
shows (Westfall & Young 1993; Romano & Wolf 2005): p is then the share of samples in which *any* of the differences is
as large, needs no more samples for more tests, and makes use of how similar systems are.

**The best of many** needs care. Which system is best was found in the same data, so the best and the worst of many
equal systems differ more than two systems named beforehand: of 61 equal systems Holm's correction finds one that is
significantly worse than the best in 4 of 10 test sets. Whether a system is as good as the best is therefore tested by
elimination (Hansen, Lunde & Nason 2011): could all systems still in be equal? If not, the worst one goes, and the
next is tested among those that are left, with all their pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordorder.core.runtime.errors import UsageError

Floats = NDArray[np.float64]
Pair = tuple[int, int]

# Sums of the same numbers in another order differ in their last digits; such a difference is a tie.
_TIE = 1e-9


def holm(p_values: ArrayLike, *, best: bool = False) -> Floats:
    """Adjust p-values for being many (Holm 1979): step down, p₍ᵢ₎ · (m − i + 1), never below an earlier one.

    With ``best`` they are tests against the best of m + 1 systems: the factor is the number of pairs of the systems
    that are still in. Undefined values stay undefined and are not counted among the m.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    >>> holm([0.01, 0.04], best=True).tolist()
    [0.03, 0.04]
    """
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1:
        raise UsageError(f"p-values must be one list, not an array of {p.ndim} dimensions")
    order = np.argsort(p, kind="stable")  # NaN comes last
    tested = order[: np.count_nonzero(~np.isnan(p))]
    left = np.arange(len(tested), 0, -1)
    factors = left * (left + 1) // 2 if best else left
    adjusted = np.full(p.shape, np.nan)
    adjusted[tested] = np.minimum(np.maximum.accumulate(p[tested] * factors), 1.0)
    return adjusted


def correct_by_resampling(
    p_values: ArrayLike,
    sizes: ArrayLike,
    pairs: Sequence[Pair],
    null: Callable[[Pair], Floats],
    *,
    best: bool = False,
) -> Floats:
    """Adjust p-values of differences between pairs by the largest difference in samples where there is none.

    ``sizes`` are the differences in standard errors, ``null(pair)`` gives those of a pair in all samples under the
    null hypothesis; both without sign. Step down: the largest difference is held against the largest of all pairs,
    the next against the largest of the rest. With ``best`` every pair is (best system, other system), and the rest
    are all pairs of the systems that are left. Nothing is adjusted where there is only one test.

    >>> normal = np.random.default_rng(1).normal(size=(2000, 3))
    >>> null = lambda pair: np.abs(normal[:, pair[1] - 1])
    >>> correct_by_resampling([0.01, 0.5, 0.03], [2.6, 0.7, 2.2], [(0, 1), (0, 2), (0, 3)], null).round(2).tolist()
    [0.03, 0.5, 0.05]
    """
    p, sizes = np.asarray(p_values, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
    tested = np.flatnonzero(~np.isnan(p))
    if len(tested) < 2:
        return p.copy()
    order = tested[np.argsort(sizes[tested], kind="stable")]
    largest: Floats = np.zeros(1)
    adjusted = p.copy()
    for place, item in enumerate(order):
        largest = np.maximum(largest, null(pairs[item]))
        for smaller in order[:place] if best else ():
            largest = np.maximum(largest, null((pairs[smaller][1], pairs[item][1])))
        extreme = np.count_nonzero(largest >= sizes[item] * (1 - _TIE))
        adjusted[item] = max(p[item], (1 + extreme) / (1 + len(largest)))
    adjusted[order[::-1]] = np.maximum.accumulate(adjusted[order[::-1]])
    return adjusted


def standard_size(ratio: float, *, units: int, samples: int) -> float:
    """Return a difference in standard errors as that of a normal distribution with tails of the same weight.

    The standard error was estimated, from ``units`` segments or documents and then from ``samples`` samples, so the
    ratio has Student's distribution, whose tails are heavier; n units understate it by √((n − 1)/n).

    >>> round(standard_size(3.0, units=20, samples=1000), 2), round(standard_size(3.0, units=10**6, samples=10**6), 2)
    (2.62, 3.0)
    """
    from scipy import special

    if units < 2 or samples < 2:
        return 0.0
    freedom = 1 / (1 / (units - 1) + 1 / (samples - 1))
    return float(-special.ndtri(special.stdtr(freedom, -ratio * np.sqrt((units - 1) / units))))
