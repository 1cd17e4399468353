"""RIBES (Isozaki et al. 2010): rank correlation of words matched by unique context."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from wordorder.matching.ribes import ContextMatches, match_contexts
from wordorder.metrics.base import Array, Batch, MeanOfParts, parameter
from wordorder.metrics.lexical import TextMetric, brevity_penalty
from wordorder.runtime.kernels import kernel


@dataclass(frozen=True)
class Ribes(MeanOfParts, TextMetric):
    """RIBES = NKT · P^α · BP^β, a mean over segments.

    NKT is the share of ascending pairs among the matched words, P the share of hypothesis words matched. Fewer than
    two matched words score 0, but a one-word reference matched once has NKT 1. Its parts are called order (NKT),
    lexical (P) and brevity.
    """

    name: ClassVar[str] = "ribes"
    formula: ClassVar[str] = "NKT · P^α · BP^β"
    paper: ClassVar[str] = "Isozaki et al. 2010"

    alpha: float = parameter(0.25, "exponent of the precision", low=0)
    beta: float = parameter(0.10, "exponent of the brevity penalty", low=0)

    def statistics(self, batch: Batch) -> Array:
        """Give the weighted score and its weighted parts for each segment and reference."""
        rows = []
        hypothesis = batch.hypothesis.lengths.astype(np.float64)
        for r, tokens in enumerate(batch.references):
            reference = tokens.lengths.astype(np.float64)
            order, precision = rank_correlation(match_contexts(batch.hypothesis, tokens), hypothesis, reference)
            penalty = brevity_penalty(hypothesis, reference)
            score = order * precision**self.alpha * penalty**self.beta
            weights = np.where(reference > 0, batch.weights[:, r], 0.0)  # no reference: undefined
            parts = np.stack([score, np.ones_like(score), order, precision, penalty], axis=-1)
            rows.append(parts * weights[:, None])
        return np.stack(rows, axis=1)


def rank_correlation(matches: ContextMatches, hypothesis: Array, reference: Array) -> tuple[Array, Array]:
    """Give NKT and the precision of each row, given the lengths of both sides."""
    matched = np.diff(matches.offsets).astype(np.float64)
    pairs = matched * (matched - 1) / 2
    ascending = _ascending(matches.places, matches.offsets)
    order = np.where(matched >= 2, ascending / np.maximum(pairs, 1), 0.0)
    precision = np.where(matched >= 2, matched / np.maximum(hypothesis, 1), 0.0)
    alone = (matched == 1) & (reference == 1)
    return np.where(alone, 1.0, order), np.where(alone, 1.0 / np.maximum(hypothesis, 1), precision)


@kernel
def _ascending(places: NDArray[np.int32], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count pairs of a row in strictly ascending order, with a Fenwick tree over the places."""
    result = np.zeros(len(offsets) - 1, dtype=np.int64)
    widest = 0
    for k in range(len(places)):
        widest = max(widest, places[k] + 1)
    seen = np.zeros(widest + 1, dtype=np.int32)
    for row in range(len(result)):
        top = 0
        for k in range(offsets[row], offsets[row + 1]):
            top = max(top, places[k] + 1)
        seen[: top + 1] = 0
        for k in range(offsets[row], offsets[row + 1]):
            node = places[k]
            while node > 0:
                result[row] += seen[node]
                node -= node & -node
            node = places[k] + 1
            while node <= top:
                seen[node] += 1
                node += node & -node
    return result
