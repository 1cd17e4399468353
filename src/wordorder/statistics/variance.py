"""Do groups differ? One-way ANOVA and Tukey's HSD; and do two correlations differ? Williams' test, Fisher's z."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from wordorder.runtime.errors import UsageError


@dataclass(frozen=True)
class Anova:
    """F with its degrees of freedom, and p."""

    f: float
    between: int
    within: int
    p: float


@dataclass(frozen=True)
class TukeyPair:
    """Two groups: the difference of their means, its simultaneous 95 % interval, and p."""

    a: int
    b: int
    difference: float
    low: float
    high: float
    p: float


def one_way_anova(groups: Sequence[ArrayLike]) -> Anova:
    """Test whether the means of several groups are equal; undefined values are left out.

    >>> one_way_anova([[6, 8, 4, 5, 3, 4], [8, 12, 9, 11, 6, 8], [13, 9, 11, 8, 7, 12]]).between
    2
    """
    from scipy import stats

    known = _groups(groups)
    total = sum(map(len, known))
    if np.ptp(np.concatenate([group - group.mean() for group in known])) == 0:
        return Anova(float("nan"), len(known) - 1, total - len(known), float("nan"))
    result = stats.f_oneway(*known)
    return Anova(float(result.statistic), len(known) - 1, total - len(known), float(result.pvalue))


def tukey_hsd(groups: Sequence[ArrayLike]) -> list[TukeyPair]:
    """Compare every two groups with Tukey's honestly significant difference."""
    from scipy import stats

    known = _groups(groups)
    result = stats.tukey_hsd(*known)
    bounds = result.confidence_interval()
    tables = result.statistic, bounds.low, bounds.high, result.pvalue
    pairs = combinations(range(len(known)), 2)
    return [TukeyPair(a, b, *(float(table[a, b]) for table in tables)) for a, b in pairs]


def williams_p(first: float, second: float, between: float, n: int) -> float:
    """Return the two-sided p of Williams' test: do two metrics correlate differently with the same human scores?

    ``first`` = r(human, metric 1), ``second`` = r(human, metric 2), ``between`` = r(metric 1, metric 2) over n items
    (Williams 1959; Graham & Baldwin 2014 for metrics).
    """
    from scipy import stats

    if n < 4:
        return float("nan")
    k = 1 - first**2 - second**2 - between**2 + 2 * first * second * between
    bottom = 2 * k * (n - 1) / (n - 3) + (first + second) ** 2 / 4 * (1 - between) ** 3
    if bottom <= 0:
        return 1.0 if first == second else float("nan")
    t = (first - second) * math.sqrt((n - 1) * (1 + between) / bottom)
    return float(2 * stats.t.sf(abs(t), n - 3))


def fisher_p(first: float, second: float, n: int, m: int) -> float:
    """Return the two-sided p that correlations from two independent samples of n and m items differ (Fisher's z).

    >>> round(fisher_p(0.5, 0.3, 103, 103), 4)
    0.09
    """
    from scipy import stats

    if n < 4 or m < 4 or abs(first) >= 1 or abs(second) >= 1:
        return float("nan")
    z = (math.atanh(first) - math.atanh(second)) / math.sqrt(1 / (n - 3) + 1 / (m - 3))
    return float(2 * stats.norm.sf(abs(z)))


def fisher_interval(r: float, n: int, *, level: float = 0.95) -> tuple[float, float]:
    """Return the interval of a correlation over n items by Fisher's z."""
    from scipy import stats

    if n < 4 or abs(r) >= 1:
        return float("nan"), float("nan")
    width = float(stats.norm.ppf((1 + level) / 2)) / math.sqrt(n - 3)
    return math.tanh(math.atanh(r) - width), math.tanh(math.atanh(r) + width)


def _groups(groups: Sequence[ArrayLike]) -> list[np.ndarray[tuple[int], np.dtype[np.float64]]]:
    known = [np.asarray(group, dtype=np.float64).ravel() for group in groups]
    known = [group[~np.isnan(group)] for group in known]
    if len(known) < 2 or any(len(group) < 2 for group in known):
        raise UsageError("groups can be compared if there are two or more, each with two values or more")
    return known
