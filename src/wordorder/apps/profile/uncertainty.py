"""Compute confidence intervals for the figures of a profile, and test differences between corpora.

Every figure is a ratio R = Σx / Σy over the sentences of a corpus (for a mean, y = 1). Its variance is estimated by
linearisation (the delta method; Cochran 1977, *Sampling Techniques*, §2.11) as n/(n−1) · Σ(x − R·y)² / (Σy)². This
needs only n and five sums, so memory use does not grow with the corpus; x and y are integers, so the sums are exact.
Two corpora are compared as independent samples by Welch's t-test, which is conservative if they have the same
sentences.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from wordorder.apps.profile.measures import Measures
from wordorder.core.reorderings.reorderings import WIDTH_CLASSES
from wordorder.core.runtime.columns import Floats, Ints, rows_of

LEVEL = 0.05
WIDE = (7, 15)
"""Widths in words; for each of them, the profile reports how many reorderings are wider."""


@dataclass(frozen=True)
class Estimate:
    """An estimate of a ratio over sentences: its value, its standard error, and the number of sentences."""

    value: float
    error: float
    sentences: int

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% confidence interval by Student's t-distribution, cut off at 0 because no figure is negative."""
        half = _quantile(self.sentences - 1) * self.error
        return max(self.value - half, 0.0), self.value + half


@dataclass(frozen=True)
class Difference:
    """The difference in a figure between the corpora ``a`` and ``b``, with its 95% interval and p-value.

    ``p_corrected`` is the p-value after correction for the number of compared pairs of corpora.
    """

    figure: str
    a: str
    b: str
    difference: float
    low: float
    high: float
    p: float
    p_corrected: float = math.nan

    @property
    def significant(self) -> bool:
        """Whether the corpora differ significantly (at the 5% level) after correction."""
        return self.p_corrected < LEVEL


def estimate(moments: Floats) -> Estimate:
    """Estimate the ratio Σx/Σy over n sentences, and its standard error.

    ``moments`` are n, Σx, Σy, Σx², Σxy and Σy².

    >>> estimate(sum_moments([1.0, 2.0, 3.0], [1, 1, 1]))
    Estimate(value=2.0, error=0.5773502691896257, sentences=3)
    """
    count, x, y, xx, xy, yy = moments.tolist()
    if not y:
        return Estimate(math.nan, math.nan, int(count))
    ratio = x / y
    squares = max(xx - 2 * ratio * xy + ratio * ratio * yy, 0.0)
    error = math.sqrt(count / (count - 1) * squares) / abs(y) if count > 1 else math.nan
    return Estimate(ratio, error, int(count))


def compare(figure: str, a: tuple[str, Estimate], b: tuple[str, Estimate]) -> Difference:
    """Compare a figure in two corpora by Welch's t-test; ``a`` and ``b`` are pairs of a name and an estimate."""
    from scipy import stats

    (first, one), (second, two) = a, b
    difference = one.value - two.value
    parts = one.error**2, two.error**2
    error = math.sqrt(sum(parts))
    if not error > 0:  # the figure does not vary, or is undefined
        p = math.nan if math.isnan(error) or math.isnan(difference) else float(difference == 0)
        return Difference(figure, first, second, difference, difference, difference, p)
    freedom = error**4 / sum(part**2 / (each.sentences - 1) for part, each in zip(parts, (one, two), strict=True))
    half = _quantile(freedom) * error
    p = float(2 * stats.t.sf(abs(difference) / error, freedom))
    return Difference(figure, first, second, difference, difference - half, difference + half, p)


def sum_moments(x: ArrayLike, y: ArrayLike) -> Floats:
    """Return n, Σx, Σy, Σx², Σxy and Σy² over the sentences whose y is not 0."""
    ups, downs = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    used = downs != 0
    ups, downs = ups[used], downs[used]
    products = (ups, downs, ups * ups, ups * downs, downs * downs)
    return np.array([len(ups), *(product.sum() for product in products)])


def figure_moments(measures: Measures, depths: Ints) -> dict[str, Floats]:
    """Return n, Σx, Σy, Σx², Σxy and Σy², by name, for every figure that is a ratio Σx/Σy over n sentences.

    Figures based on widths are included for both sides.
    """
    links, found = measures.alignments, measures.reorderings
    sentences = np.ones(len(measures))
    linked = np.diff(links.offsets) > 0
    rows, size = rows_of(found.offsets), len(measures)

    def each(weights: ArrayLike) -> Floats:
        """Return, for each sentence, the sum of the weights of its reorderings."""
        return np.bincount(rows, weights=np.asarray(weights, dtype=np.float64), minlength=size).astype(np.float64)

    lengths = {"source": links.source_lengths, "target": links.target_lengths}
    aligned = {"source": measures.aligned_source, "target": measures.aligned_target}
    ratios: dict[str, tuple[ArrayLike, ArrayLike]] = {
        "per_sentence": (found.lengths, sentences),
        "reordered_sentences": (found.lengths > 0, sentences),
        "mean_depth": (each(depths), found.lengths),
        "blocked": (found.blocked, np.maximum(measures.aligned_source.astype(np.int64) - 1, 0)),
        "crossings_per_word": (measures.crossings, links.source_lengths),
        "cycles_per_sentence": (np.where(linked, measures.cycles, 0), linked),
        "binarisable": ((measures.largest_operator == 0) & linked, linked),
    }
    for side, words in lengths.items():
        widths, summed = found.widths(side), found.summed_widths(side)
        classes = found.width_classes(side)
        ratios |= {
            f"unaligned_{side}": (words - aligned[side], words),
            f"mean_width_{side}": (summed, found.lengths),
            **{f"{name}_{side}": (each(classes == place), found.lengths) for place, name in enumerate(WIDTH_CLASSES)},
            **{f"wider_than_{width}_{side}": (each(widths > width), sentences) for width in WIDE},
        }
    return {name: sum_moments(*ratio) for name, ratio in ratios.items()}


def _quantile(freedom: float) -> float:
    """Return the 97.5% quantile of Student's t-distribution."""
    from scipy import stats

    return float(stats.t.ppf(0.975, freedom)) if freedom > 0 else math.nan
