"""Corrections for multiple tests: Holm's method, and one based on the largest resampled difference.

Holm (1979) multiplies p-values by the number of tests. A p-value from R samples is never below 1/(R + 1), so with
enough tests, no result could be significant. Resampling gives the distribution of the largest of many differences
(Westfall & Young 1993; Romano & Wolf 2005). The corrected p-value is the share of samples in which *any* of the
differences is as large as the observed one. This method does not need more samples if there are more tests, and it
takes the similarity of the systems into account.

**Comparisons with the best system** are a special case, because the best system was chosen using the same data. The
best and the worst of many equally good systems differ more than two systems chosen beforehand: with 61 equally good
systems, Holm's correction finds one that is significantly worse than the best in 4 of 10 test sets. Systems are
therefore tested by elimination (Hansen, Lunde & Nason 2011): if the remaining systems cannot all be equal, the worst
one is removed, and the test is repeated for the systems that remain.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from wordorder.core.runtime.columns import Floats
from wordorder.core.runtime.errors import refuse
from wordorder.core.runtime.libraries import special

Pair = tuple[int, int]

# Sums of the same numbers in a different order may differ in the last digits; such a difference is a tie.
TIE = 1e-9


def holm(p_values: ArrayLike, *, best: bool = False, lowest: ArrayLike | None = None) -> Floats:
    """Correct p-values for m tests by Holm's step-down method (1979).

    The i-th smallest p-value is multiplied by m − i + 1; if the result is lower than that of a smaller p-value, the
    latter is used instead. With ``best``, the tests compare m systems with the best of all m + 1 systems, and the
    factor is the number of pairs of systems not yet eliminated. Undefined p-values stay undefined and do not count as
    tests. With ``lowest``, the lowest p-value that each (discrete) test can have, a p-value is only corrected for the
    tests that can reach it (Tarone 1990; Hommel & Krummenauer 1998).

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    >>> holm([0.01, 0.04], best=True).tolist()
    [0.03, 0.04]
    >>> holm([0.01, 0.04, 0.5], lowest=[0.001, 0.02, 0.5]).tolist()
    [0.01, 0.04, 0.5]
    """
    p = np.asarray(p_values, dtype=np.float64)
    refuse(p.ndim != 1, f"p-values must be a single list, not an array with {p.ndim} dimensions")
    order = np.argsort(p, kind="stable")  # NaN comes last
    tested = order[: np.count_nonzero(~np.isnan(p))]
    left = np.arange(len(tested), 0, -1)
    if lowest is not None:
        reached = np.sort(np.minimum(lowest, p)[tested])
        left = np.searchsorted(reached, p[tested], "right") - np.arange(len(tested))
    factors = left * (left + 1) // 2 if best else left
    adjusted = np.full(p.shape, np.nan)
    adjusted[tested] = np.minimum(np.maximum.accumulate(p[tested] * factors), 1.0)
    return adjusted


def correct_by_resampling(
    p_values: ArrayLike, sizes: ArrayLike, pairs: Sequence[Pair], null: Callable[[Pair], Floats], *, best: bool = False
) -> Floats:
    """Correct p-values of pairwise differences, using the largest differences in samples from the null hypothesis.

    ``sizes`` are the absolute differences in units of their standard errors, and ``null(pair)`` returns the sizes for
    one pair in all samples from the null hypothesis. The method is step-down: the largest difference is compared with
    the largest sampled difference of all pairs, the next one with the largest of the remaining pairs, and so on. With
    ``best``, every pair must be (best system, other system), and the remaining pairs are all pairs of the remaining
    systems. A single test is not corrected.

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
    """Convert a difference in units of its estimated standard error to the equally likely standard normal value.

    The standard error was estimated from ``samples`` samples of ``units`` segments or documents, so the ratio follows
    Student's t distribution, which has heavier tails. An estimate of the error from n units is too small by a factor
    of √((n − 1)/n).

    >>> round(standard_size(3.0, units=20, samples=1000), 2), round(standard_size(3.0, units=10**6, samples=10**6), 2)
    (2.62, 3.0)
    """
    if units < 2 or samples < 2:
        return 0.0
    freedom = 1 / (1 / (units - 1) + 1 / (samples - 1))
    return float(-special.ndtri(special.stdtr(freedom, -ratio * np.sqrt((units - 1) / units))))
