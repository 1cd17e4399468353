"""RIBES (Isozaki et al. 2010): rank correlation of words that are matched by their contexts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from wordorder.linking.matching import match_by_context
from wordorder.metrics.base import Array, Batch, MeanOfParts, parameter
from wordorder.metrics.lexical import TextMetric


@dataclass(frozen=True)
class Ribes(MeanOfParts, TextMetric):
    """RIBES = NKT · P^α · BP^β, averaged over segments; α and β are parameters.

    NKT is the proportion of pairs of matched words that are in ascending order, and P is the proportion of hypothesis
    words that are matched. With fewer than two matched words, NKT and the score are 0; if the reference consists of a
    single word and this word is matched, however, NKT is 1. If the reference is empty, the score is NaN. The
    components are called order (NKT), lexical (P) and brevity (BP).
    """

    name: ClassVar[str] = "ribes"
    formula: ClassVar[str] = "NKT · P^α · BP^β"
    paper: ClassVar[str] = "Isozaki et al. 2010"
    group: ClassVar[str | None] = "combined"

    alpha: float = parameter(0.25, "exponent of the precision", low=0)
    beta: float = parameter(0.10, "exponent of the brevity penalty", low=0)

    def statistics(self, batch: Batch) -> Array:
        """Return ``w·(x, 1, NKT, P, BP)`` for each segment and reference, where x is the score and w the weight.

        NKT, P and BP are the order, the lexical and the brevity component of the score.
        """
        rows = []
        for r, reference in enumerate(batch.references):
            found = match_by_context(batch.hypothesis, reference)
            score = found.nkt * found.precision**self.alpha * found.brevity**self.beta
            parts = np.stack([score, np.ones_like(score), found.nkt, found.precision, found.brevity], axis=-1)
            weights = np.where(np.isnan(score), 0.0, batch.weights[:, r])
            rows.append(np.nan_to_num(parts) * weights[:, None])
        return np.stack(rows, axis=1)
