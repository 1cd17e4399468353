"""Metrics of partial orders, which ignore source word pairs that the links leave undecided (Birch 2011, 9.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from wordorder.metrics.base import Array, Batch, MeanMetric, Need, mean_rows, parameter
from wordorder.metrics.batch import Orders
from wordorder.metrics.flat import count_pairs

GOODMAN = "Goodman & Kruskal 1954"


@dataclass(frozen=True)
class Gamma(MeanMetric):
    """The proportion of word pairs in the right order among the pairs that both alignments decide: (γ + 1)/2.

    Each pair is weighted by the degree to which its order is decided. With ``open=half``, undecided pairs count as
    half right, as if their order were guessed.
    """

    name: ClassVar[str] = "gamma"
    formula: ClassVar[str] = "concordant / (concordant + discordant) over decided pairs of source words"
    paper: ClassVar[str] = GOODMAN
    needs: ClassVar[frozenset[Need]] = frozenset({Need.PAIRS})
    slow: ClassVar[bool] = True

    open: str = parameter("drop", "undecided pairs are left out, or count half", options=("drop", "half"))

    def statistics(self, batch: Batch) -> Array:
        """Return ``(w·x, w)`` for each segment and reference, with score x and weight w."""
        right, wrong, undecided = np.moveaxis(batch.pairs, -1, 0)
        half = undecided / 2.0 if self.open == "half" else np.zeros_like(undecided)
        with np.errstate(invalid="ignore"):
            values = (right + half) / (right + wrong + 2.0 * half)
        return mean_rows(values, batch.weights)


@dataclass(frozen=True)
class OrderErrors(MeanMetric):
    """Order errors in two complementary views of a sentence: 1/((1 + d₁)(1 + d₂)).

    d₁ is the number of pairs of matched words (without punctuation) whose order differs from the reference. d₂ is the
    total weight, according to link probabilities, of the pairs of source words whose order differs. A view without
    any pair contributes 0 errors; if neither view has a pair, the score is NaN.
    """

    name: ClassVar[str] = "order-errors"
    formula: ClassVar[str] = "1/((1 + d₁)(1 + d₂)), d: pairs in the wrong order, of matched and of source words"
    paper: ClassVar[str] = "–"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.TEXT, Need.PAIRS})
    slow: ClassVar[bool] = True

    def statistics(self, batch: Batch) -> Array:
        """Return ``(w·x, w)`` for each segment and reference, with score x and weight w."""
        return mean_rows(wrong_pairs(batch)[2], batch.weights)


def wrong_pairs(batch: Batch, *, matched: bool = True, linked: bool = True) -> tuple[Array, Array, Array]:
    """Return the number of pairs in the wrong order for each of two views, and the scores.

    The first view compares matched words, the second source words. Each of the three results has the shape
    ``[segments, references]``. A view that is not requested or has no pairs contributes 0; if no view has a pair, the
    score is NaN.
    """
    known = []
    if matched:
        columns = batch.matches_weighted(punctuation=False)
        wrong, pairs = np.stack([count_pairs(Orders(matches.orders())) for matches in columns], axis=-1)
        known.append((wrong, pairs > 0.0))
    if linked:
        right, wrong, _ = np.moveaxis(batch.pairs, -1, 0)
        known.append((wrong, right + wrong > 0.0))
    nothing = np.zeros_like(known[0][0])
    first, second = known[0][0] if matched else nothing, known[-1][0] if linked else nothing
    seen = np.any([sees for _, sees in known], axis=0)
    return first, second, np.where(seen, 1.0 / ((1.0 + first) * (1.0 + second)), np.nan)
