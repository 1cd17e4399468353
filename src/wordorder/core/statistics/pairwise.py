"""Agreement between people and metrics about which of two translations is better.

Every coefficient is computed from five counts of pairs, so the counts of segments can be summed and resampled:

========== ========================================================
concordant both prefer the same translation
discordant they prefer different translations
metric_tie the person prefers one, the metric is undecided
human_tie  the person is undecided, the metric prefers one
both_tie   both are undecided
========== ========================================================
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordorder.core.runtime.columns import Floats
from wordorder.core.runtime.errors import UsageError, check_choice

PAIR_COLUMNS = ("concordant", "discordant", "metric_tie", "human_tie", "both_tie")


def pair_outcomes(human: ArrayLike, metric: ArrayLike, *, tie: float = 0.0) -> NDArray[np.int8]:
    """Return the index in ``PAIR_COLUMNS`` of the outcome of each pair, or −1 if the outcome is undefined.

    ``human`` and ``metric`` are score differences, the first translation minus the second. A metric difference is a
    tie if its absolute value is at most ``tie``.

    >>> pair_outcomes([1, 1, 1, 0, 0], [0.5, -0.5, 0.0, 0.1, 0.0]).tolist()
    [0, 1, 2, 3, 4]
    """
    person, machine = np.asarray(human, dtype=np.float64), np.asarray(metric, dtype=np.float64)
    tied = np.abs(machine) <= tie
    decided = np.where(tied, 2, np.where((person > 0) == (machine > 0), 0, 1))
    outcome = np.where(person == 0, np.where(tied, 4, 3), decided)
    return np.where(np.isnan(person) | np.isnan(machine), -1, outcome).astype(np.int8)


def count_outcomes(
    outcomes: NDArray[np.int8], groups: NDArray[np.integer], *, size: int, weights: Floats | None = None
) -> Floats:
    """Count the pairs with each outcome in each group and return ``[size, 5]``; undefined outcomes are ignored.

    A group is, for instance, a segment or a judgement; ``groups`` gives the group of each pair.

    >>> count_outcomes(np.array([0, 1, 0], np.int8), np.array([0, 0, 2]), size=3)[:, :2].tolist()
    [[1.0, 1.0], [0.0, 0.0], [1.0, 0.0]]
    """
    known = outcomes >= 0
    width = len(PAIR_COLUMNS)
    places = np.asarray(groups, dtype=np.int64)[known] * width + outcomes[known]
    weight = None if weights is None else weights[known]
    counts = np.bincount(places, weights=weight, minlength=size * width).astype(np.float64)
    return counts.reshape(size, width)


def _tau(c: Floats, d: Floats, t: Floats, h: Floats, b: Floats) -> Floats:
    return (c - d) / (c + d)


def _tau_zero(c: Floats, d: Floats, t: Floats, h: Floats, b: Floats) -> Floats:
    return (c - d) / (c + d + t)


def _tau_discordant(c: Floats, d: Floats, t: Floats, h: Floats, b: Floats) -> Floats:
    return (c - d - t) / (c + d + t)


def _tau_b(c: Floats, d: Floats, t: Floats, h: Floats, b: Floats) -> Floats:
    return (c - d) / np.sqrt((c + d + t) * (c + d + h))


def _consistency(c: Floats, d: Floats, t: Floats, h: Floats, b: Floats) -> Floats:
    return c / (c + d + t)


def _accuracy(c: Floats, d: Floats, t: Floats, h: Floats, b: Floats) -> Floats:
    return (c + b) / (c + d + t + h + b)


@dataclass(frozen=True)
class PairCoefficient:
    """A coefficient computed from counts of pair outcomes, with its formula, source and value for a random metric."""

    compute: Callable[[Floats, Floats, Floats, Floats, Floats], Floats]
    formula: str
    paper: str
    chance: float = 0.0


DEUTSCH = "Deutsch, Foster & Freitag 2023"

PAIR_COEFFICIENTS = {
    "tau": PairCoefficient(_tau, "(C − D)/(C + D), metric ties dropped", "WMT13; Stanojević & Sima'an 2014"),
    "tau-zero": PairCoefficient(_tau_zero, "(C − D)/(C + D + T), metric ties count half", "WMT14"),
    "tau-discordant": PairCoefficient(_tau_discordant, "(C − D − T)/(C + D + T), metric ties are wrong", "WMT12"),
    "tau-b": PairCoefficient(_tau_b, "(C − D)/√((C + D + T)(C + D + H))", "Kendall 1945"),
    "consistency": PairCoefficient(_consistency, "C/(C + D + T)", "Birch 2011, §7.3", 0.5),
    "accuracy": PairCoefficient(_accuracy, "(C + B)/all pairs, ties calibrated", DEUTSCH, float("nan")),
    "accuracy.segment": PairCoefficient(_accuracy, "mean of segments, calibrated", DEUTSCH, float("nan")),
}
"""In the formulas, C and D are the numbers of concordant and discordant pairs.

T, H and B are the numbers of pairs tied only by the metric, only by people, and by both. In ``accuracy.segment``, a
pair counts as its share of the pairs of its segment.
"""


def pair_coefficient(counts: ArrayLike, name: str = "tau") -> Floats:
    """Return the named coefficient for counts ``[..., 5]`` of pair outcomes; it is NaN if its denominator is 0.

    >>> pair_coefficient([6.0, 2.0, 2.0, 1.0, 0.0], "tau").item()
    0.5
    >>> pair_coefficient([6.0, 2.0, 2.0, 1.0, 0.0], "tau-discordant").item()
    0.2
    """
    check_choice(name, PAIR_COEFFICIENTS, "coefficient")
    array = np.asarray(counts, dtype=np.float64)
    if array.shape[-1] != len(PAIR_COLUMNS):
        raise UsageError(f"expected {len(PAIR_COLUMNS)} counts along the last axis, found {array.shape[-1]}")
    with np.errstate(divide="ignore", invalid="ignore"):
        value = PAIR_COEFFICIENTS[name].compute(*np.moveaxis(array, -1, 0))
    return np.where(np.isfinite(value), value, np.nan)


def calibrate_ties(human: ArrayLike, metric: ArrayLike, *, weights: ArrayLike | None = None) -> float:
    """Return the best threshold ε; metric differences up to ε count as ties (Deutsch, Foster & Freitag 2023).

    The best ε is the smallest one that maximises pairwise accuracy; it is either 0 or the absolute value of one of
    the metric differences.

    >>> calibrate_ties([1, 0, 0, -1], [0.9, 0.1, -0.2, -0.5])
    0.2
    """
    person, size = np.asarray(human, dtype=np.float64), np.abs(np.asarray(metric, dtype=np.float64))
    agree = (person > 0) == (np.asarray(metric, dtype=np.float64) > 0)
    weight = np.ones(person.shape) if weights is None else np.asarray(weights, dtype=np.float64)
    known = ~(np.isnan(person) | np.isnan(size)) & (size > 0)
    # Calling a pair a tie gains a point if people see a tie, and loses one if the metric was right.
    gain = np.where(person == 0, 1.0, np.where(agree, -1.0, 0.0))[known] * weight[known]
    size = size[known]
    order = np.argsort(size, kind="stable")
    size, total = size[order], np.cumsum(gain[order])
    if not len(size):
        return 0.0
    last = np.append(size[1:] != size[:-1], True)  # differences of the same size become ties together
    total = np.where(last, total, -np.inf)
    best = int(np.argmax(total >= total.max() - 1e-9))  # sums of weights that differ only by rounding are equal
    return float(size[best]) if total[best] > 1e-9 else 0.0
