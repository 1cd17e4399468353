"""Metrics that combine word order and word choice; they also report the score of each part.

LRscore: Birch 2011, ch. 7–8. Full metric: Stanojević & Sima'an 2014, Eq. 2, and 2016.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from wordorder.core.runtime.errors import UsageError
from wordorder.metrics.base import Array, CorpusContext, MeanOfParts, Metric, Need, OrderMetric, TakenValue, parameter
from wordorder.metrics.batch import Batch
from wordorder.metrics.flat import Hamming, KendallSqrt
from wordorder.metrics.hierarchical import PEF
from wordorder.metrics.lexical import Bleu, Bleu1, brevity_penalty

THESIS = "Birch 2011"
ASSUMED_DK = 0.6606
ASSUMED_PAIR = "zh-en"
"""The language pair of ``ASSUMED_DK``: d_k of the Chinese–English test set in the thesis (Table 8.1)."""


_DK = f"mean kendall-sqrt of source→reference against monotone (default: the test set's, else {ASSUMED_DK})"


@dataclass(frozen=True)
class _Combined(Metric):
    """The common base class of LRscore and the full metric; each has an order part and a lexical part."""

    needs: ClassVar[frozenset[Need]] = frozenset({Need.ORDER, Need.TEXT})

    order: Metric = parameter(KendallSqrt(), "the order metric")
    lexical: Metric = parameter(Bleu(), "the lexical metric")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.order, OrderMetric):
            raise UsageError(f"{self.name}: order must be a word order metric such as kendall, not {self.order.name}")
        if self.lexical.requires not in ({Need.TEXT}, {Need.GIVEN}):
            raise UsageError(f"{self.name}: lexical must be a lexical metric such as bleu, not {self.lexical.name}")

    @property
    def requires(self) -> frozenset[Need]:
        """The required kinds of input: word orders, text, and whatever the lexical metric requires."""
        return self.needs | self.lexical.requires

    def signature_fields(self) -> dict[str, Any]:
        """Return the signature fields of the lexical part."""
        return self.lexical.signature_fields()

    def _order_values(self, batch: Batch) -> Array:
        """Return the order scores ``[segments, references]``; they are 0 where no word is matched."""
        assert isinstance(self.order, OrderMetric)
        values = np.stack([self.order.values(orders) for orders in batch.orders], axis=1)
        return np.nan_to_num(values, nan=0.0)


@dataclass(frozen=True)
class LRscore(_Combined):
    """LRscore = α·R + (1 − α)·L.

    α is the weight of word order, R is the mean over segments of order score × brevity penalty (Eq. 7.3), and L is
    the lexical score; BLEU is smoothed for segments, but not for corpora. With several references, the order score
    comes from the reference with the closest order, and the brevity penalty, as in BLEU, from the one with the
    closest length. The default of α is θ^{d_k}, where θ is a parameter, and d_k is the mean ``kendall-sqrt`` score of
    the orders of the references relative to the source. The more reordering a language pair needs, the more weight
    the order part thus has.
    """

    name: ClassVar[str] = "lr"
    formula: ClassVar[str] = "α·mean(order·BP) + (1 − α)·lexical; α given or θ^dk"
    paper: ClassVar[str] = THESIS

    alpha: float | None = parameter(None, "weight of order (default: θ^dk)", low=0, high=1)
    theta: float = parameter(0.1319, "base of α", low=0, high=1)
    dk: float | None = parameter(None, _DK, low=0, high=1)

    @property
    def weight(self) -> float:
        """The weight α of the order part."""
        if self.alpha is not None:
            return self.alpha
        return float(self.theta ** (ASSUMED_DK if self.dk is None else self.dk))

    def bind(self, inputs: CorpusContext) -> Self:
        """Return a copy of the metric whose weight of word order, α, follows from the references of the test set.

        The copy uses d_k, the mean ``kendall-sqrt`` score of the orders of the references relative to the source.
        Return the metric itself if α or d_k is already set, or if the d_k of the test set is unknown.
        """
        if self.alpha is not None or self.dk is not None or inputs.dk is None:
            return self
        return replace(self, dk=TakenValue(inputs.dk))

    def signature_fields(self) -> dict[str, Any]:
        """Return the weight α unless it was set and, if the default d_k is used, this value and its language pair."""
        assumed = {"dk": ASSUMED_DK, "dk_of": ASSUMED_PAIR} if self.alpha is None and self.dk is None else {}
        followed = {"alpha": [round(self.weight, 4)]} if self.alpha is None else {}
        return super().signature_fields() | assumed | followed

    @property
    def note(self) -> str:
        """A warning if the weight of word order is that of another language pair."""
        if self.alpha is not None or self.dk is not None:
            return ""
        return f"α is that of Chinese–English (d_k {ASSUMED_DK}, {THESIS}); set dk or alpha for other languages"

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the statistics: order × brevity, weight, brevity, and the statistics of the lexical metric."""
        return ("order", "weight", "brevity", *self.lexical.columns)

    def statistics(self, batch: Batch) -> Array:
        """Return ``(w·d·BP, w, w·BP)`` and the lexical statistics for each segment and reference.

        Here w is the weight, d the order score and BP the brevity penalty.
        """
        penalty = brevity_penalty(batch.ngrams[:, :1], batch.ngrams[:, 1:2])
        weights = batch.weights
        order = np.stack([weights * self._order_values(batch) * penalty, weights, weights * penalty], axis=-1)
        lexical = self.lexical.statistics(batch)
        lexical = np.broadcast_to(lexical, (*order.shape[:2], lexical.shape[-1]))
        rows: Array = np.concatenate([order, lexical], axis=-1)
        rows[np.isnan(self.lexical.segment(lexical))] = 0.0  # undefined segments are excluded from the means
        return rows

    def segment(self, rows: Array) -> Array:
        """Return the LRscore of each segment."""
        with np.errstate(invalid="ignore", divide="ignore"):
            order = rows[..., 0] / rows[..., 1]
        return self.weight * order + (1.0 - self.weight) * self.lexical.segment(rows[..., 3:])

    def corpus(self, sums: Array) -> Array:
        """Return the LRscore of the corpus: the mean order part combined with the lexical score of the corpus."""
        parts = self.parts(sums)
        return self.weight * parts["order"] + (1.0 - self.weight) * parts["lexical"]

    def parts(self, sums: Array) -> dict[str, Array]:
        """Return the order part (times the brevity penalty), the lexical part, the brevity penalty and α."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return {
                "order": sums[..., 0] / sums[..., 1],
                "lexical": self.lexical.corpus(sums[..., 3:]),
                "brevity": sums[..., 2] / sums[..., 1],
                "alpha": np.full(sums.shape[:-1], self.weight),
            }


@dataclass(frozen=True)
class LRHB1(LRscore):
    """LRscore with the Hamming score as the order part and BLEU-1 as the lexical part."""

    name: ClassVar[str] = "lr-hb1"
    order: Metric = parameter(Hamming(), "the order metric")
    lexical: Metric = parameter(Bleu1(), "the lexical metric")
    theta: float = parameter(0.1332, "base of α", low=0, high=1)


@dataclass(frozen=True)
class LRHB4(LRscore):
    """LRscore with the Hamming score as the order part and BLEU as the lexical part."""

    name: ClassVar[str] = "lr-hb4"
    order: Metric = parameter(Hamming(), "the order metric")
    theta: float = parameter(0.0186, "base of α", low=0, high=1)


@dataclass(frozen=True)
class LRKB1(LRscore):
    """LRscore with ``kendall-sqrt`` as the order part and BLEU-1 as the lexical part."""

    name: ClassVar[str] = "lr-kb1"
    lexical: Metric = parameter(Bleu1(), "the lexical metric")
    theta: float = parameter(0.2820, "base of α", low=0, high=1)


class LRKB4(LRscore):
    """LRscore with ``kendall-sqrt`` as the order part and BLEU as the lexical part."""

    name: ClassVar[str] = "lr-kb4"


@dataclass(frozen=True)
class Full(MeanOfParts, _Combined):
    """FullMetric = α·lexical + (1 − α)·BP(|π|, |ref|)·order(π), averaged over segments.

    π is the order of the matched words, |π| is their number, and BP is the brevity penalty. The lexical part is
    BLEU-1 in Stanojević & Sima'an 2014, where the mean is unweighted, and F1 in Stanojević & Sima'an 2016, where
    segments are weighted by reference length.
    """

    name: ClassVar[str] = "full"
    formula: ClassVar[str] = "α·lexical + (1 − α)·BP(|π|, |ref|)·order(π)"
    paper: ClassVar[str] = "Stanojević & Sima'an 2014, 2016"

    order: Metric = parameter(PEF(), "the order metric")
    lexical: Metric = parameter(Bleu1(), "the lexical metric")
    alpha: float = parameter(0.5, "weight of the lexical part", low=0, high=1)

    def statistics(self, batch: Batch) -> Array:
        """Return ``w·(x, 1, order, lexical, BP)`` for each segment and reference: x is the score, w the weight.

        BP is the brevity penalty.
        """
        order = self._order_values(batch)
        matched = np.stack([orders.permutations.lengths for orders in batch.orders], axis=1).astype(np.float64)
        lengths = np.stack([reference.lengths for reference in batch.references], axis=1).astype(np.float64)
        penalty = brevity_penalty(matched, lengths)
        lexical = self.lexical.segment(self.lexical.statistics(batch))
        total = self.alpha * lexical + (1.0 - self.alpha) * penalty * order
        weights = np.where(np.isnan(total), 0.0, batch.weights)
        parts = np.broadcast_arrays(total, np.ones_like(total), order, lexical, penalty)
        result: Array = np.nan_to_num(np.stack(parts, axis=-1)) * weights[..., None]
        return result
