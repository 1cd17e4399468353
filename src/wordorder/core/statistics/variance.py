"""Tests that compare groups (analysis of variance, Tukey's HSD) or two correlations (Williams' test, Fisher's z).

Groups of different people are compared by a one-way ANOVA. If the same people (or items) are in every group, the
table of their means is analysed by a repeated-measures ANOVA.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.core.runtime.libraries import special, stats


@dataclass(frozen=True)
class Anova:
    """The result of an F test: F, its degrees of freedom (fractional for min F′), and the p-value."""

    f: float
    between: int
    within: float
    p: float


@dataclass(frozen=True)
class RepeatedAnova(Anova):
    """The result of a repeated-measures ANOVA, with the numbers of subjects used and left out.

    Subjects are left out if they have missing values. ``epsilon`` is Greenhouse and Geisser's estimate of sphericity;
    it is 1 if the differences between any two levels have the same variance. ``p_corrected`` is the p-value if both
    degrees of freedom are multiplied by ``epsilon``.
    """

    epsilon: float
    p_corrected: float
    subjects: int
    left_out: int


@dataclass(frozen=True)
class TukeyPair:
    """A comparison of two groups: the difference of their means, its simultaneous 95% interval, and its p-value."""

    a: int
    b: int
    difference: float
    low: float
    high: float
    p: float


def one_way_anova(groups: Sequence[ArrayLike]) -> Anova:
    """Test whether the means of several groups are equal; undefined values are ignored.

    >>> one_way_anova([[6, 8, 4, 5, 3, 4], [8, 12, 9, 11, 6, 8], [13, 9, 11, 8, 7, 12]]).between
    2
    """
    known = _groups(groups)
    total = sum(map(len, known))
    if np.ptp(np.concatenate([group - group.mean() for group in known])) == 0:
        return Anova(float("nan"), len(known) - 1, total - len(known), float("nan"))
    result = stats.f_oneway(*known)
    return Anova(float(result.statistic), len(known) - 1, total - len(known), float(result.pvalue))


def repeated_anova(table: ArrayLike) -> RepeatedAnova:
    """Test whether the levels of a factor differ, given ``table[subjects, levels]``; subjects may be people or items.

    For n subjects and k levels, F = (SS_levels/(k − 1)) / (SS_rest/((n − 1)(k − 1))), where SS_levels is the sum of
    squares between levels, and SS_rest is what remains after removing the means of subjects and levels. Subjects with
    missing values are left out, and the result includes their number. F is undefined for fewer than two subjects.

    >>> found = repeated_anova([[1, 2, 4], [2, 2, 5], [3, 5, 6]])
    >>> round(found.f, 3), found.between, found.within
    (21.0, 2, 4)
    """
    values, left_out = _complete(table)
    subjects, levels = values.shape
    between, within = levels - 1, max(subjects - 1, 0) * (levels - 1)
    f = epsilon = float("nan")
    if subjects > 1:
        effect, rest = _mean_squares(values)
        f = effect / rest if rest > 0 else float("nan")
        epsilon = _greenhouse_geisser(values)
    p = float(special.fdtrc(between, within, f)) if subjects > 1 else float("nan")
    corrected = float(special.fdtrc(epsilon * between, epsilon * within, f)) if subjects > 1 else float("nan")
    return RepeatedAnova(f, between, within, p, epsilon, corrected, subjects, left_out)


def min_f(by_person: Anova, by_item: Anova) -> Anova:
    """Return min F′, a lower bound for the F that generalises to other people and other items at once (Clark 1973).

    If F₁ is the F by person and F₂ the F by item, min F′ = F₁F₂/(F₁ + F₂). Its error degrees of freedom are (F₁ +
    F₂)²/(F₁²/n₂ + F₂²/n₁), where n₁ and n₂ are the error degrees of freedom of F₁ and F₂.

    >>> found = min_f(Anova(57.381, 4, 108, 0.0), Anova(24.49, 4, 156, 0.0))
    >>> round(found.f, 2), round(found.within, 1)
    (17.16, 251.4)
    """
    one, two = by_person.f, by_item.f
    if math.isnan(one + two) or one + two == 0:
        return Anova(float("nan"), by_person.between, float("nan"), float("nan"))
    f = one * two / (one + two)
    within = (one + two) ** 2 / (one**2 / by_item.within + two**2 / by_person.within)
    return Anova(f, by_person.between, within, float(special.fdtrc(by_person.between, within, f)))


def repeated_tukey(table: ArrayLike) -> list[TukeyPair]:
    """Compare all pairs of levels in ``table[subjects, levels]`` with Tukey's HSD test.

    For n subjects and k levels, q = |difference|/√(MS_rest/n) with (n − 1)(k − 1) degrees of freedom. MS_rest is the
    error term of ``repeated_anova``: SS_rest divided by these degrees of freedom.
    """
    values, _ = _complete(table)
    subjects, levels = values.shape
    freedom = max(subjects - 1, 0) * (levels - 1)
    width = math.sqrt(_mean_squares(values)[1] / subjects) if subjects > 1 else float("nan")
    reach = float(stats.studentized_range.ppf(0.95, levels, freedom)) * width if width > 0 else float("nan")
    means = values.mean(axis=0) if subjects else np.full(levels, np.nan)
    found = []
    for a, b in combinations(range(levels), 2):
        apart = float(means[a] - means[b])
        p = float(stats.studentized_range.sf(abs(apart) / width, levels, freedom)) if width > 0 else float("nan")
        found.append(TukeyPair(a, b, apart, apart - reach, apart + reach, p))
    return found


def williams_p(first: float, second: float, between: float, n: int) -> float:
    """Return the two-sided p-value of Williams' test for two metrics' correlations with the same human scores.

    ``first`` is r(human, metric 1), ``second`` is r(human, metric 2), and ``between`` is r(metric 1, metric 2), all
    over the same n items (Williams 1959; applied to metrics by Graham & Baldwin 2014).
    """
    if n < 4:
        return float("nan")
    k = 1 - first**2 - second**2 - between**2 + 2 * first * second * between
    bottom = 2 * k * (n - 1) / (n - 3) + (first + second) ** 2 / 4 * (1 - between) ** 3
    if bottom <= 0:
        return 1.0 if first == second else float("nan")
    t = (first - second) * math.sqrt((n - 1) * (1 + between) / bottom)
    return float(2 * special.stdtr(n - 3, -abs(t)))


def fisher_p(first: float, second: float, n: int, m: int) -> float:
    """Return the two-sided p-value of Fisher's z test for the difference between two correlations.

    The correlations ``first`` and ``second`` come from independent samples of n and m items, respectively.

    >>> round(fisher_p(0.5, 0.3, 103, 103), 4)
    0.09
    """
    if n < 4 or m < 4 or abs(first) >= 1 or abs(second) >= 1:
        return float("nan")
    z = (math.atanh(first) - math.atanh(second)) / math.sqrt(1 / (n - 3) + 1 / (m - 3))
    return float(2 * special.ndtr(-abs(z)))


def _complete(table: ArrayLike) -> tuple[NDArray[np.float64], int]:
    """Return the rows of the subjects without missing values, and the number of subjects left out."""
    values = np.asarray(table, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] < 2:
        raise UsageError(f"expected a row per subject and at least two levels (columns), found shape {values.shape}")
    known = ~np.isnan(values).any(axis=1)
    return values[known], int(np.count_nonzero(~known))


def _mean_squares(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the mean squares of the levels and of the residuals; mere rounding errors count as 0."""
    subjects, levels = values.shape
    effect = values.mean(axis=0) - values.mean()
    rest = values - values.mean(axis=1, keepdims=True) - effect
    left = float((rest**2).sum())
    if left <= 1e-20 * float((values**2).sum()):
        left = 0.0
    return subjects * float((effect**2).sum()) / (levels - 1), left / ((subjects - 1) * (levels - 1))


def _greenhouse_geisser(values: NDArray[np.float64]) -> float:
    """Return ε̂ = (tr S)²/((k − 1)·tr S²), where S is the doubly centred covariance matrix of the k levels."""
    rest = values - values.mean(axis=1, keepdims=True)
    rest = rest - rest.mean(axis=0)
    covariance = np.einsum("sa,sb->ab", rest, rest)
    bottom = (values.shape[1] - 1) * float((covariance**2).sum())
    return float(np.trace(covariance)) ** 2 / bottom if bottom > 0 else float("nan")


def _groups(groups: Sequence[ArrayLike]) -> list[np.ndarray[tuple[int], np.dtype[np.float64]]]:
    known = [np.asarray(group, dtype=np.float64).ravel() for group in groups]
    known = [group[~np.isnan(group)] for group in known]
    if len(known) < 2 or any(len(group) < 2 for group in known):
        raise InputError("a comparison needs at least two groups with at least two values each")
    return known
