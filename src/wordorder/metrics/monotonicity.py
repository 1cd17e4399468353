"""Monotonicity: how far a translation leaves the order of its source, measured on the word alignment itself.

No reference is needed, and neither high nor low is good: the same numbers of a human translation say what is usual.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from wordorder.core.orders.alignment import UNKNOWN, Alignments
from wordorder.core.runtime.columns import Int64s, Ints
from wordorder.core.runtime.errors import InputError
from wordorder.core.runtime.kernels import kernel
from wordorder.metrics.base import Array, Batch, MeanMetric, Need, RatioMetric, mean_rows, parameter

LITERATURE = "–"


@dataclass(frozen=True)
class _Rate(RatioMetric):
    """A share of a corpus: what was counted over what could have been, summed over segments."""

    needs: ClassVar[frozenset[Need]] = frozenset({Need.SOURCE_ORDER})
    direction: ClassVar[str] = "0 to 1, lower is more monotone"
    higher_is_better: ClassVar[bool | None] = None

    columns = ("count", "total")


@dataclass(frozen=True)
class CrossingRate(_Rate):
    """Share of the pairs of links that cross: s < s′ but t > t′."""

    name: ClassVar[str] = "crossing-rate"
    formula: ClassVar[str] = "crossing pairs of links / all pairs of links"
    paper: ClassVar[str] = LITERATURE

    def statistics(self, batch: Batch) -> Array:
        """Count crossing pairs and all pairs of links."""
        links = np.diff(batch.alignments.offsets)
        return _rows(batch.alignments.crossings(), links * (links - 1) // 2)


@dataclass(frozen=True)
class MeanJump(_Rate):
    """Mean distance a reader jumps in the source from one target word to the next; 0 is word by word."""

    name: ClassVar[str] = "jump"
    formula: ClassVar[str] = "mean |π_{i+1} − π_i − 1| over the source words in target order"
    paper: ClassVar[str] = LITERATURE
    direction: ClassVar[str] = "words; 0 is monotone"

    def statistics(self, batch: Batch) -> Array:
        """Sum the jumps and count them."""
        column = batch.orders[0].permutations
        total, _ = _jumps(column.ranks, column.offsets)
        return _rows(total, np.maximum(column.lengths - 1, 0))


@dataclass(frozen=True)
class LongestJump(MeanMetric):
    """Longest jump of a segment, a mean over segments."""

    name: ClassVar[str] = "longest-jump"
    formula: ClassVar[str] = "max |π_{i+1} − π_i − 1| of a segment; mean over segments"
    paper: ClassVar[str] = LITERATURE
    needs: ClassVar[frozenset[Need]] = frozenset({Need.SOURCE_ORDER})
    direction: ClassVar[str] = "words; 0 is monotone"
    higher_is_better: ClassVar[bool | None] = None

    def statistics(self, batch: Batch) -> Array:
        """Return the longest jump of each segment; no aligned word is undefined."""
        column = batch.orders[0].permutations
        _, longest = _jumps(column.ranks, column.offsets)
        values = np.where(column.lengths > 0, longest.astype(np.float64), np.nan)
        return mean_rows(values, batch.weights[:, 0])[:, None, :]


@dataclass(frozen=True)
class Anticipation(_Rate):
    """k-anticipation rate: share of target words that a wait-k reader must guess.

    When target word j is written, a wait-k reader has seen the first j + k − 1 source words. Word j is anticipated if
    it is aligned to a source word i ≥ j + k (1-based; Chen et al. 2021).
    """

    name: ClassVar[str] = "anticipation"
    formula: ClassVar[str] = "#{target words j linked to a source word i ≥ j + k} / target words"
    paper: ClassVar[str] = "Ma et al. 2019; Chen et al. 2021"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.SOURCE_ORDER, Need.TARGET_LENGTHS})

    k: int = parameter(3, "source words a simultaneous translator waits for", low=1)

    def statistics(self, batch: Batch) -> Array:
        """Count anticipated and all target words."""
        alignments = batch.alignments
        lengths = _known(alignments.target_lengths, "target")
        counts = _anticipated(alignments.source, alignments.target, alignments.offsets, lengths, self.k)
        return _rows(counts, lengths)


@dataclass(frozen=True)
class UnalignedSource(_Rate):
    """Share of the source words without a link: what the translation left out, or the aligner missed."""

    name: ClassVar[str] = "unaligned-source"
    formula: ClassVar[str] = "source words without a link / source words"
    paper: ClassVar[str] = LITERATURE
    needs: ClassVar[frozenset[Need]] = frozenset({Need.SOURCE_ORDER, Need.SOURCE_LENGTHS})
    direction: ClassVar[str] = "0 to 1"

    def statistics(self, batch: Batch) -> Array:
        """Count unaligned and all source words."""
        return _unaligned_rows(batch.alignments, "source")


@dataclass(frozen=True)
class UnalignedTarget(_Rate):
    """Share of the target words without a link: what the translation added, or the aligner missed."""

    name: ClassVar[str] = "unaligned-target"
    formula: ClassVar[str] = "target words without a link / target words"
    paper: ClassVar[str] = LITERATURE
    needs: ClassVar[frozenset[Need]] = frozenset({Need.SOURCE_ORDER, Need.TARGET_LENGTHS})
    direction: ClassVar[str] = "0 to 1"

    def statistics(self, batch: Batch) -> Array:
        """Count unaligned and all target words."""
        return _unaligned_rows(batch.alignments.transpose(), "target")


def _rows(count: Int64s, total: NDArray[np.integer]) -> Array:
    return np.stack([count, total], axis=-1).astype(np.float64)[:, None, :]


def _unaligned_rows(alignments: Alignments, side: str) -> Array:
    lengths = _known(alignments.source_lengths, side)
    return _rows(_unaligned(alignments.source, alignments.offsets, lengths), lengths)


def _known(lengths: Ints, side: str) -> Ints:
    unknown = lengths == UNKNOWN
    if unknown.any():
        row = int(np.argmax(unknown)) + 1
        raise InputError(f"the length of {side} sentence {row} is not known; give the {side} text")
    return lengths


@kernel
def _jumps(ranks: Ints, offsets: Int64s) -> tuple[Int64s, Int64s]:
    rows = len(offsets) - 1
    total = np.zeros(rows, dtype=np.int64)
    longest = np.zeros(rows, dtype=np.int64)
    for row in range(rows):
        for place in range(offsets[row] + 1, offsets[row + 1]):
            jump = abs(np.int64(ranks[place]) - ranks[place - 1] - 1)
            total[row] += jump
            longest[row] = max(longest[row], jump)
    return total, longest


@kernel
def _anticipated(source: Ints, target: Ints, offsets: Int64s, lengths: Ints, wait: int) -> Int64s:
    rows = len(offsets) - 1
    result = np.zeros(rows, dtype=np.int64)
    longest = 0
    for row in range(rows):
        longest = max(longest, lengths[row])
    counted = np.full(longest, -1, dtype=np.int64)  # the last row each target place was counted in
    for row in range(rows):
        for link in range(offsets[row], offsets[row + 1]):
            if source[link] >= target[link] + wait and counted[target[link]] != row:
                counted[target[link]] = row
                result[row] += 1
    return result


@kernel
def _unaligned(source: Ints, offsets: Int64s, lengths: Ints) -> Int64s:
    rows = len(offsets) - 1
    result = np.zeros(rows, dtype=np.int64)
    longest = 0
    for row in range(rows):
        longest = max(longest, lengths[row])
    linked = np.full(longest, -1, dtype=np.int64)
    for row in range(rows):
        result[row] = lengths[row]
        for link in range(offsets[row], offsets[row + 1]):
            if linked[source[link]] != row:
                linked[source[link]] = row
                result[row] -= 1
    return result
