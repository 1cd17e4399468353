"""Metrics of partial orders, which ignore pairs of source words that the links leave unordered (Birch 2011, 9.3)."""

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
    """Kendall's share of pairs in the right order, over the pairs whose order both alignments decide: (γ + 1)/2.

    Each pair is weighted by the degree to which it is decided. With ``open=half``, undecided pairs count half, as a
    guess would.
    """

    name: ClassVar[str] = "gamma"
    formula: ClassVar[str] = "concordant / (concordant + discordant) over decided pairs of source words"
    paper: ClassVar[str] = GOODMAN
    needs: ClassVar[frozenset[Need]] = frozenset({Need.PAIRS})
    slow: ClassVar[bool] = True

    open: str = parameter("drop", "undecided pairs are left out, or count half", options=("drop", "half"))

    def statistics(self, batch: Batch) -> Array:
        """Return ``(w·x, w)`` for each segment and reference."""
        right, wrong, undecided = np.moveaxis(batch.pairs, -1, 0)
        half = undecided / 2.0 if self.open == "half" else np.zeros_like(undecided)
        with np.errstate(invalid="ignore"):
            values = (right + half) / (right + wrong + 2.0 * half)
        return mean_rows(values, batch.weights)


@dataclass(frozen=True)
class OrderErrors(MeanMetric):
    """Order errors of two complementary views of a sentence: 1/((1 + d₁)(1 + d₂)).

    d₁ is the number of pairs of matched words (without punctuation) whose order differs from the reference. d₂ is the
    weight of the pairs of source words whose order differs, over link probabilities. A view without any pair
    contributes 0; if neither view has a pair, the segment is undefined.
    """

    name: ClassVar[str] = "order-errors"
    formula: ClassVar[str] = "1/((1 + d₁)(1 + d₂)), d: pairs in the wrong order, of matched and of source words"
    paper: ClassVar[str] = "–"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.TEXT, Need.PAIRS})
    slow: ClassVar[bool] = True

    def statistics(self, batch: Batch) -> Array:
        """Return ``(w·x, w)`` for each segment and reference."""
        return mean_rows(wrong_pairs(batch)[2], batch.weights)


def wrong_pairs(batch: Batch, *, matched: bool = True, linked: bool = True) -> tuple[Array, Array, Array]:
    """Return the wrongly ordered pairs of matched words, those of source words, and the score of each segment.

    Each result has the shape ``[segments, references]``. A view that is not requested, or has no pairs, counts 0. If
    no view has a pair, the score is undefined.
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
