"""Metrics of partial orders, in which links leave the order of some source word pairs undecided (Birch 2011, 9.3)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from wordorder.metrics.base import Array, Batch, MeanMetric, Need, mean_rows, parameter
from wordorder.metrics.batch import Orders
from wordorder.metrics.flat import count_pairs

GOODMAN = "Goodman & Kruskal 1954"


@dataclass(frozen=True)
class Gamma(MeanMetric):
    """The proportion of source word pairs in the right order, among the pairs whose order is decided.

    This is (γ + 1)/2, where γ is the coefficient of Goodman and Kruskal. The order of a pair must be decided both by
    the links of the hypothesis and by those of the reference; the pair is weighted by the degree to which they decide
    it. With ``open=half``, undecided pairs are added and count as half right, as if their order were guessed.
    """

    name: ClassVar[str] = "gamma"
    formula: ClassVar[str] = "concordant / (concordant + discordant) over decided pairs of source words"
    paper: ClassVar[str] = GOODMAN
    needs: ClassVar[frozenset[Need]] = frozenset({Need.PAIRS})
    slow: ClassVar[bool] = True

    open: str = parameter("drop", "undecided pairs are left out, or count half", options=("drop", "half"))

    def statistics(self, batch: Batch) -> Array:
        """Return ``(w·x, w)`` for each segment and reference, where x is the score and w the weight."""
        right, wrong, undecided = np.moveaxis(batch.pairs, -1, 0)
        half = undecided / 2.0 if self.open == "half" else np.zeros_like(undecided)
        with np.errstate(invalid="ignore"):
            values = (right + half) / (right + wrong + 2.0 * half)
        return mean_rows(values, batch.weights)


class OrderErrors(MeanMetric):
    """A score from two counts of word pairs whose order differs from the reference: 1/((1 + d₁)(1 + d₂)).

    d₁ counts pairs of words that hypothesis and reference share, apart from case and without punctuation. d₂ counts
    pairs of source words, weighted by link probabilities. If there are no pairs of one kind, its count is 0; if there
    are no pairs of either kind, the score is NaN.
    """

    name: ClassVar[str] = "order-errors"
    formula: ClassVar[str] = "1/((1 + d₁)(1 + d₂)), d: pairs in the wrong order, of matched and of source words"
    paper: ClassVar[str] = "–"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.TEXT, Need.PAIRS})
    slow: ClassVar[bool] = True

    def statistics(self, batch: Batch) -> Array:
        """Return ``(w·x, w)`` for each segment and reference, where x is the score and w the weight."""
        return mean_rows(wrong_pairs(batch)[2], batch.weights)


def wrong_pairs(
    batch: Batch, *, matched: bool = True, linked: bool = True, case: bool = False
) -> tuple[Array, Array, Array]:
    """Return d₁, d₂ and the scores of :class:`OrderErrors`, each with the shape ``[segments, references]``.

    d₁ is 0 unless ``matched`` is true, and d₂ is 0 unless ``linked`` is true. If the requested counts have no word
    pairs to compare, the score is NaN. If ``case`` is true, words that differ in case do not match.
    """
    known = []
    if matched:
        columns = batch.matches_weighted(punctuation=False, case=case)
        wrong, pairs = np.stack([count_pairs(Orders(matches.orders())) for matches in columns], axis=-1)
        known.append((wrong, pairs > 0.0))
    if linked:
        right, wrong, _ = np.moveaxis(batch.pairs, -1, 0)
        known.append((wrong, right + wrong > 0.0))
    nothing = np.zeros_like(known[0][0])
    first, second = known[0][0] if matched else nothing, known[-1][0] if linked else nothing
    seen = np.any([sees for _, sees in known], axis=0)
    return first, second, np.where(seen, 1.0 / ((1.0 + first) * (1.0 + second)), np.nan)
