"""Word error rates: WER, which counts every misplaced word as an error, and PER, which ignores word order.

TER (``metrics/ter.py``) lies between these two: moving a block of words counts as one error.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.columns import Int64s, Ints
from wordorder.core.runtime.kernels import kernel, longest_row
from wordorder.core.text import Tokens
from wordorder.metrics import ngrams
from wordorder.metrics.base import Array, Batch
from wordorder.metrics.lexical import TextMetric


@dataclass(frozen=True)
class ErrorRate(TextMetric):
    """The base class of metrics that compute 1 − edits / reference words, which can be negative."""

    columns = ("edits", "reference_length")
    direction: ClassVar[str] = "at most 1, higher is better"

    def segment(self, rows: Array) -> Array:
        """Return 1 − edits / reference words.

        If the reference is empty, the score is 1 if the hypothesis is empty, too, and 0 otherwise.
        """
        edits, length = rows[..., 0], rows[..., 1]
        with np.errstate(invalid="ignore", divide="ignore"):
            result: Array = 1.0 - np.where(length > 0, edits / length, np.where(edits > 0, 1.0, 0.0))
        return result


@dataclass(frozen=True)
class _WordErrorRate(ErrorRate):
    """An error rate over the words that the tokeniser returns; it is computed for each reference separately."""

    def statistics(self, batch: Batch) -> Array:
        """Count the errors and the reference words for each segment and reference."""
        counts = [(self._errors(batch.hypothesis, gold), gold.lengths) for gold in batch.references]
        return np.stack([np.stack(each, axis=1) for each in counts], axis=1).astype(np.float64)

    @abstractmethod
    def _errors(self, hypothesis: Tokens, reference: Tokens) -> NDArray[np.integer] | Array:
        """Return the number of errors in each segment."""


@dataclass(frozen=True)
class OneMinusWer(_WordErrorRate):
    """1 − word error rate.

    The rate is the edit distance in words divided by the number of reference words.
    """

    name: ClassVar[str] = "1-wer"
    formula: ClassVar[str] = "1 − edit distance / reference words"
    paper: ClassVar[str] = "Och et al. 1999"

    def _errors(self, hypothesis: Tokens, reference: Tokens) -> NDArray[np.integer]:
        return edit_distances(hypothesis.ids, hypothesis.offsets, reference.ids, reference.offsets)


@dataclass(frozen=True)
class OneMinusPer(_WordErrorRate):
    """1 − position-independent error rate.

    The rate is the word error rate after the words that both texts share have been put into the same order.
    """

    name: ClassVar[str] = "1-per"
    formula: ClassVar[str] = "1 − (max(|hyp|, |ref|) − |hyp ∩ ref|) / |ref|, bags of words"
    paper: ClassVar[str] = "Tillmann et al. 1997"

    def _errors(self, hypothesis: Tokens, reference: Tokens) -> Array:
        counts = ngrams.ngram_statistics(hypothesis, [reference])
        return np.maximum(counts[:, 0], counts[:, 1]) - counts[:, 2]


@kernel
def edit_distances(
    hypothesis: Ints, hypothesis_offsets: Int64s, reference: Ints, reference_offsets: Int64s
) -> Int64s:
    """Return the smallest number of insertions, deletions and substitutions for each segment.

    Only one row of the cost matrix is kept in memory.
    """
    segments = len(hypothesis_offsets) - 1
    longest = longest_row(reference_offsets)
    costs = np.empty(longest + 1, dtype=np.int64)
    result = np.empty(segments, dtype=np.int64)
    for segment in range(segments):
        start, stop = hypothesis_offsets[segment], hypothesis_offsets[segment + 1]
        first, last = reference_offsets[segment], reference_offsets[segment + 1]
        while start < stop and first < last and hypothesis[start] == reference[first]:
            start += 1
            first += 1
        while start < stop and first < last and hypothesis[stop - 1] == reference[last - 1]:
            stop -= 1
            last -= 1
        size = last - first
        for place in range(size + 1):
            costs[place] = place
        for word in range(start, stop):
            diagonal = costs[0]
            costs[0] += 1
            for place in range(size):
                kept = diagonal + (hypothesis[word] != reference[first + place])
                diagonal = costs[place + 1]
                costs[place + 1] = min(kept, costs[place] + 1, diagonal + 1)
        result[segment] = costs[size]
    return result
