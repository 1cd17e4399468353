"""Corrections for testing many differences at once: Holm's, and one based on the largest resampled difference.

Holm (1979) multiplies p by the number of tests. A p from R samples is never below 1/(R + 1), so with enough tests
nothing could be significant. Resampling gives the distribution of the largest of many differences (Westfall & Young
1993; Romano & Wolf 2005). The corrected p is the share of samples in which *any* of the differences is as large. It
needs no more samples for more tests, and it takes the similarity of the systems into account.

**Comparison with the best system** is special, because the best system was found in the same data. The best and the
worst of many equal systems differ more than two systems chosen beforehand: with 61 equal systems, Holm's correction
finds one that is significantly worse than the best in 4 of 10 test sets. So systems are tested by elimination
(Hansen, Lunde & Nason 2011): if the remaining systems cannot all be equal, the worst one is removed, and the next one
is tested among the rest, with all their pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from wordorder.core.runtime.columns import Floats
from wordorder.core.runtime.errors import UsageError

Pair = tuple[int, int]

# Sums of the same numbers in a different order may differ in the last digits; such a difference is a tie.
TIE = 1e-9


def holm(p_values: ArrayLike, *, best: bool = False) -> Floats:
    """Correct p-values for m tests by Holm's step-down method (1979): p₍ᵢ₎ · (m − i + 1), made non-decreasing.

    With ``best``, the tests compare m systems with the best of all m + 1, and the factor is the number of pairs of
    the systems not yet eliminated. Undefined values stay undefined and do not count as tests.

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
    """Correct p-values of differences between pairs by the largest difference in samples of the null hypothesis.

    ``sizes`` are the absolute differences in standard errors. ``null(pair)`` returns those of a pair in all samples
    under the null hypothesis. The method steps down: the largest difference is compared with the largest of all
    pairs, the next one with the largest of the remaining pairs. With ``best``, every pair is (best system, other
    system), and the remaining pairs are those of all remaining systems. A single test is not corrected.

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
        extreme = np.count_nonzero(largest >= sizes[item] * (1 - TIE))
        adjusted[item] = max(p[item], (1 + extreme) / (1 + len(largest)))
    adjusted[order[::-1]] = np.maximum.accumulate(adjusted[order[::-1]])
    return adjusted


def standard_size(ratio: float, *, units: int, samples: int) -> float:
    """Convert a difference in estimated standard errors to the equally likely value of a normal distribution.

    The standard error was estimated from ``units`` segments or documents and then from ``samples`` samples, so the
    ratio has Student's distribution with its heavier tails; n units underestimate the error by √((n − 1)/n).

    >>> round(standard_size(3.0, units=20, samples=1000), 2), round(standard_size(3.0, units=10**6, samples=10**6), 2)
    (2.62, 3.0)
    """
    from scipy import special

    if units < 2 or samples < 2:
        return 0.0
    freedom = 1 / (1 / (units - 1) + 1 / (samples - 1))
    return float(-special.ndtri(special.stdtr(freedom, -ratio * np.sqrt((units - 1) / units))))
