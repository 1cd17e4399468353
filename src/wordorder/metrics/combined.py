"""Combined metrics of word order and word choice, which also report both parts separately.

LRscore: Birch 2011, ch. 7–8. Full metric: Stanojević & Sima'an 2014, Eq. 2, and 2016.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from wordorder.core.runtime.errors import UsageError
from wordorder.metrics.base import Array, Batch, CorpusContext, MeanOfParts, Metric, Need, OrderMetric, parameter
from wordorder.metrics.flat import Hamming, KendallSqrt
from wordorder.metrics.hierarchical import PEF
from wordorder.metrics.lexical import Bleu, Bleu1, brevity_penalty

THESIS = "Birch 2011"
ASSUMED_DK = 0.6606
ASSUMED_PAIR = "zh-en"
"""The language pair of ``ASSUMED_DK``: d_k of the thesis's Chinese–English test set (its Table 8.1)."""


@dataclass(frozen=True)
class _Combined(Metric):
    """The common base of lr and full: a metric with an order part and a lexical part."""

    needs: ClassVar[frozenset[Need]] = frozenset({Need.ORDER, Need.TEXT})

    order: Metric = parameter(KendallSqrt(), "the order metric")
    lexical: Metric = parameter(Bleu(), "the lexical metric")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.order, OrderMetric):
            raise UsageError(f"{self.name}: order must be an order metric, which {self.order.name} is not")
        if self.lexical.requires not in ({Need.TEXT}, {Need.GIVEN}):
            raise UsageError(f"{self.name}: lexical must be a lexical metric, which {self.lexical.name} is not")

    @property
    def requires(self) -> frozenset[Need]:
        """Orders, text, and the needs of the lexical part."""
        return self.needs | self.lexical.requires

    def signature_fields(self) -> dict[str, Any]:
        """Return the signature fields of the lexical part."""
        return self.lexical.signature_fields()

    def _order_values(self, batch: Batch) -> Array:
        """Return the order score against each reference, ``[segments, references]``; 0 if no word is matched."""
        assert isinstance(self.order, OrderMetric)
        values = np.stack([self.order.values(orders) for orders in batch.orders], axis=1)
        return np.nan_to_num(values, nan=0.0)


@dataclass(frozen=True)
class LRscore(_Combined):
    """LRscore = α·R + (1 − α)·L.

    R is the mean over segments of order × brevity penalty; L is the lexical metric (BLEU is smoothed for a segment,
    but not for a corpus). With several references, the one with the closest order gives the order score, and the one
    with the closest length gives the brevity penalty, as in BLEU (Eq. 7.3). α is given, or it is θ^{d_k}, where d_k
    is the mean kendall-sqrt of the source-to-reference order against the monotone order: the more a language pair
    reorders, the more the order counts.
    """

    name: ClassVar[str] = "lr"
    formula: ClassVar[str] = "α·mean(order·BP) + (1 − α)·lexical; α given or θ^dk"
    paper: ClassVar[str] = THESIS

    alpha: float | None = parameter(None, "weight of order (default: θ^dk)", low=0, high=1)
    theta: float = parameter(0.1319, "base of α", low=0, high=1)
    dk: float | None = parameter(
        None,
        f"mean kendall-sqrt of source→reference against monotone (default: the test set's, else {ASSUMED_DK})",
        low=0,
        high=1,
    )

    @property
    def weight(self) -> float:
        """The weight α of the order part."""
        if self.alpha is not None:
            return self.alpha
        return float(self.theta ** (ASSUMED_DK if self.dk is None else self.dk))

    @property
    def _assumed(self) -> bool:
        """Whether α depends on a d_k that neither the user nor the test set provides."""
        return self.alpha is None and self.dk is None

    def bind(self, inputs: CorpusContext) -> Self:
        """Take d_k, and thereby α, from the amount of reordering in the test set, unless one of them is given."""
        return replace(self, dk=inputs.dk) if self._assumed and inputs.dk is not None else self

    def signature_fields(self) -> dict[str, Any]:
        """Return the α that follows from d_k; if d_k is assumed, also return d_k and its language pair."""
        assumed = {"dk": ASSUMED_DK, "dk_of": ASSUMED_PAIR} if self._assumed else {}
        followed = {"alpha": [round(self.weight, 4)]} if self.alpha is None else {}
        return super().signature_fields() | assumed | followed

    @property
    def note(self) -> str:
        """A warning if α follows from the d_k of other languages."""
        if not self._assumed:
            return ""
        return f"α is that of Chinese–English (d_k {ASSUMED_DK}, {THESIS}); set dk or alpha for other languages"

    @property
    def columns(self) -> tuple[str, ...]:
        """Order × brevity, weight, brevity, and the columns of the lexical metric."""
        return ("order", "weight", "brevity", *self.lexical.columns)

    def statistics(self, batch: Batch) -> Array:
        """Return ``(w·d·BP, w, w·BP)`` and the lexical statistics for each segment and reference."""
        penalty = brevity_penalty(batch.ngrams[:, :1], batch.ngrams[:, 1:2])
        weights = batch.weights
        order = np.stack([weights * self._order_values(batch) * penalty, weights, weights * penalty], axis=-1)
        lexical = self.lexical.statistics(batch)
        lexical = np.broadcast_to(lexical, (*order.shape[:2], lexical.shape[-1]))
        rows: Array = np.concatenate([order, lexical], axis=-1)
        rows[np.isnan(self.lexical.segment(lexical))] = 0.0  # undefined segments do not count in the means
        return rows

    def segment(self, rows: Array) -> Array:
        """Combine the two parts of a segment."""
        return self._combine(rows, self.lexical.segment(rows[..., 3:]))

    def corpus(self, sums: Array) -> Array:
        """Combine the mean order part with the corpus score of the lexical part."""
        return self._combine(sums, self.lexical.corpus(sums[..., 3:]))

    def parts(self, sums: Array) -> dict[str, Array]:
        """Return order (with brevity), lexical, brevity and α."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return {
                "order": sums[..., 0] / sums[..., 1],
                "lexical": self.lexical.corpus(sums[..., 3:]),
                "brevity": sums[..., 2] / sums[..., 1],
                "alpha": np.full(sums.shape[:-1], self.weight),
            }

    def _combine(self, rows: Array, lexical: Array) -> Array:
        with np.errstate(invalid="ignore", divide="ignore"):
            result: Array = self.weight * (rows[..., 0] / rows[..., 1]) + (1.0 - self.weight) * lexical
        return result


@dataclass(frozen=True)
class LRHB1(LRscore):
    """LRscore with Hamming distance and BLEU-1."""

    name: ClassVar[str] = "lr-hb1"
    order: Metric = parameter(Hamming(), "the order metric")
    lexical: Metric = parameter(Bleu1(), "the lexical metric")
    theta: float = parameter(0.1332, "base of α", low=0, high=1)


@dataclass(frozen=True)
class LRHB4(LRscore):
    """LRscore with Hamming distance and BLEU."""

    name: ClassVar[str] = "lr-hb4"
    order: Metric = parameter(Hamming(), "the order metric")
    theta: float = parameter(0.0186, "base of α", low=0, high=1)


@dataclass(frozen=True)
class LRKB1(LRscore):
    """LRscore with kendall-sqrt and BLEU-1."""

    name: ClassVar[str] = "lr-kb1"
    lexical: Metric = parameter(Bleu1(), "the lexical metric")
    theta: float = parameter(0.2820, "base of α", low=0, high=1)


@dataclass(frozen=True)
class LRKB4(LRscore):
    """LRscore with kendall-sqrt and BLEU."""

    name: ClassVar[str] = "lr-kb4"


@dataclass(frozen=True)
class Full(MeanOfParts, _Combined):
    """FullMetric = α·lexical + (1 − α)·BP(|π|, |ref|)·order(π), a mean over segments.

    Stanojević & Sima'an use BLEU-1 and an unweighted mean (2014), or F1 and a mean weighted by reference length
    (2016).
    """

    name: ClassVar[str] = "full"
    formula: ClassVar[str] = "α·lexical + (1 − α)·BP(|π|, |ref|)·order(π)"
    paper: ClassVar[str] = "Stanojević & Sima'an 2014, 2016"

    order: Metric = parameter(PEF(), "the order metric")
    lexical: Metric = parameter(Bleu1(), "the lexical metric")
    alpha: float = parameter(0.5, "weight of the lexical part", low=0, high=1)

    def statistics(self, batch: Batch) -> Array:
        """Return the weighted score and its weighted parts for each segment and reference."""
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
