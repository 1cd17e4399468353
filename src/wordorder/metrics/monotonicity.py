"""Monotonicity: how closely a translation follows the order of its source, measured on word alignments.

These metrics do not require a reference. Neither high nor low values are good in themselves; human translations show
which values are normal.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from wordorder.core.orders.alignment import UNKNOWN, Alignments
from wordorder.core.orders.permutation import Permutations
from wordorder.core.runtime.columns import Bools, Int64s, Ints, offsets_from_lengths, positions, rows_of, sum_rows
from wordorder.core.runtime.errors import InputError
from wordorder.metrics.base import Array, Batch, MeanMetric, Metric, Need, RatioMetric, mean_rows, parameter

LITERATURE = "–"


class _Rate(RatioMetric):
    """The base class of metrics that divide one count by another after summing both over the corpus."""

    needs: ClassVar[frozenset[Need]] = frozenset({Need.SOURCE_ORDER})
    direction: ClassVar[str] = "0 to 1, lower is more monotone"
    higher_is_better: ClassVar[bool | None] = None

    columns = ("count", "total")


class CrossingRate(_Rate):
    """The proportion of pairs of links (s, t) and (s′, t′) that cross: s < s′ but t > t′."""

    name: ClassVar[str] = "crossing-rate"
    formula: ClassVar[str] = "crossing pairs of links / all pairs of links"
    paper: ClassVar[str] = LITERATURE

    def statistics(self, batch: Batch) -> Array:
        """Count the crossing pairs of links and all pairs of links in each segment."""
        links = np.diff(batch.alignments.offsets)
        return _rows(batch.alignments.crossings(), links * (links - 1) // 2)


class MeanJump(_Rate):
    """The mean jump in the source from one target word to the next.

    A jump is the distance from the position right after the previous aligned source word to the next aligned source
    word. If the source is translated word by word, all jumps are 0.
    """

    name: ClassVar[str] = "jump"
    formula: ClassVar[str] = "mean |π_{i+1} − π_i − 1| over the source words in target order"
    paper: ClassVar[str] = LITERATURE
    direction: ClassVar[str] = "words; 0 is monotone"

    def statistics(self, batch: Batch) -> Array:
        """Return the sum of all jumps and the number of jumps in each segment."""
        column = batch.orders[0].permutations
        return _rows(sum_rows(_jumps(column), column.offsets), np.maximum(column.lengths - 1, 0))


class LongestJump(MeanMetric):
    """The length of the longest jump in a segment, averaged over segments."""

    name: ClassVar[str] = "longest-jump"
    formula: ClassVar[str] = "max |π_{i+1} − π_i − 1| of a segment; mean over segments"
    paper: ClassVar[str] = LITERATURE
    needs: ClassVar[frozenset[Need]] = frozenset({Need.SOURCE_ORDER})
    direction: ClassVar[str] = "words; 0 is monotone"
    higher_is_better: ClassVar[bool | None] = None

    def statistics(self, batch: Batch) -> Array:
        """Return ``(w·x, w)`` for each segment, where x is the length of its longest jump and w its weight.

        Both statistics are 0 for a segment that has no aligned words and thus no score.
        """
        column = batch.orders[0].permutations
        values = np.where(column.lengths > 0, 0.0, np.nan)
        if len(column.ranks):
            values[column.lengths > 0] = np.maximum.reduceat(_jumps(column), column.offsets[:-1][column.lengths > 0])
        return mean_rows(values, batch.weights[:, 0])[:, None, :]


class NonMonotonicity(MeanMetric):
    """The mean distance of links from the diagonal of a sentence pair, averaged over sentences.

    The links (i, j) are counted from 1 in sentences of J source and I target words. Raunak et al. print the value
    multiplied by 100.
    """

    name: ClassVar[str] = "non-monotonicity"
    formula: ClassVar[str] = "mean |i/J − j/I| over the links of a segment; mean over segments"
    paper: ClassVar[str] = "Schioppa et al. 2021; Raunak et al. 2023"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.SOURCE_ORDER, Need.SOURCE_LENGTHS, Need.TARGET_LENGTHS})
    direction: ClassVar[str] = "0 to 1, lower is more monotone"
    higher_is_better: ClassVar[bool | None] = None

    def statistics(self, batch: Batch) -> Array:
        """Return ``(w·x, w)`` for each segment, where x is the mean distance of its links and w its weight."""
        links, rows = batch.alignments, rows_of(batch.alignments.offsets)
        source = _known(links.source_lengths, "source").astype(np.int64)
        target = _known(links.target_lengths, "target").astype(np.int64)
        distances = np.abs((1 + links.source) * target[rows] - (1 + links.target) * source[rows])
        with np.errstate(invalid="ignore"):
            values = sum_rows(distances, links.offsets) / (source * target * links.lengths)
        return mean_rows(values, batch.weights[:, 0])[:, None, :]


@dataclass(frozen=True)
class Anticipation(_Rate):
    """k-anticipation rate: the proportion of target words that a wait-k translator would have to guess.

    Links (i, j) are counted from 1. When writing target word j, a wait-k translator has read the first j + k − 1
    source words, and word j is anticipated if it is linked to a source word i ≥ j + k (Chen et al. 2021). A
    translation that is shorter than its source falls behind this schedule and seems to anticipate. With ``catchup``,
    the translator therefore reads and writes at the rate of the sentence pair, which has J source and I target words:
    word j is anticipated if i ≥ j·J/I + k.
    """

    name: ClassVar[str] = "anticipation"
    formula: ClassVar[str] = "#{target words j linked to a source word i ≥ j·J/I + k} / target words"
    paper: ClassVar[str] = "Ma et al. 2019; Chen et al. 2021"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.SOURCE_ORDER, Need.SOURCE_LENGTHS, Need.TARGET_LENGTHS})

    k: int = parameter(3, "source words a simultaneous translator waits for", low=1, high=65_536)
    catchup: bool = parameter(True, "read at the rate of the sentence pair; false: i ≥ j + k, as published")

    @property
    def requires(self) -> frozenset[Need]:
        """The lengths of the source sentences are needed only for catch-up."""
        return self.needs if self.catchup else self.needs - {Need.SOURCE_LENGTHS}

    def statistics(self, batch: Batch) -> Array:
        """Count the anticipated target words and all target words in each segment."""
        alignments, rows = batch.alignments, rows_of(batch.alignments.offsets)
        lengths = _known(alignments.target_lengths, "target")
        due = (1 + alignments.target).astype(np.int64)
        scale = np.ones(len(due), dtype=np.int64)
        if self.catchup:
            due, scale = due * _known(alignments.source_lengths, "source")[rows], lengths[rows].astype(np.int64)
        late = (1 + alignments.source) * scale >= due + self.k * scale
        return _rows(_count_linked(alignments.target, alignments.offsets, lengths, late), lengths)


class ForcedLag(_Rate):
    """The lag that the order of a translation makes necessary, in source words, averaged over target words.

    A translator who guesses nothing writes target word j only after reading h(j) source words, the last of those that
    are linked to the words up to j. In a sentence pair with J source and I target words, a steady translator would
    have needed j·J/I of them. The difference is waiting that the word order costs; any other delay is the policy's.
    """

    name: ClassVar[str] = "forced-lag"
    formula: ClassVar[str] = "mean max(0, h(j) − j·J/I) over target words j, h(j) = last source word linked up to j"
    paper: ClassVar[str] = LITERATURE
    needs: ClassVar[frozenset[Need]] = frozenset({Need.SOURCE_ORDER, Need.SOURCE_LENGTHS, Need.TARGET_LENGTHS})
    direction: ClassVar[str] = "source words; 0 is monotone"

    def statistics(self, batch: Batch) -> Array:
        """Return the sum of the lags of all target words and the number of target words in each segment."""
        pairs, read = batch.alignments, words_read(batch.alignments)
        starts = offsets_from_lengths(pairs.target_lengths)
        rows, words = rows_of(starts), np.maximum(pairs.target_lengths, 1).astype(np.int64)
        due = (1 + positions(starts)) * _known(pairs.source_lengths, "source")[rows].astype(np.int64)
        lags = sum_rows(np.maximum(read * words[rows] - due, 0), starts) / words
        return np.stack([lags, pairs.target_lengths], axis=-1).astype(np.float64)[:, None, :]


class UnalignedSource(_Rate):
    """The proportion of source words without a link: the translation omits them, or the aligner misses them."""

    name: ClassVar[str] = "unaligned-source"
    formula: ClassVar[str] = "source words without a link / source words"
    paper: ClassVar[str] = LITERATURE
    needs: ClassVar[frozenset[Need]] = frozenset({Need.SOURCE_ORDER, Need.SOURCE_LENGTHS})
    direction: ClassVar[str] = "0 to 1"

    def statistics(self, batch: Batch) -> Array:
        """Count the unaligned source words and all source words in each segment."""
        return _unaligned_rows(batch.alignments, "source")


class UnalignedTarget(_Rate):
    """The proportion of target words without a link: the translation adds them, or the aligner misses them."""

    name: ClassVar[str] = "unaligned-target"
    formula: ClassVar[str] = "target words without a link / target words"
    paper: ClassVar[str] = LITERATURE
    needs: ClassVar[frozenset[Need]] = frozenset({Need.SOURCE_ORDER, Need.TARGET_LENGTHS})
    direction: ClassVar[str] = "0 to 1"

    def statistics(self, batch: Batch) -> Array:
        """Count the unaligned target words and all target words in each segment."""
        return _unaligned_rows(batch.alignments.transpose(), "target")


KINDS: tuple[type[Metric], ...] = (
    *(CrossingRate, MeanJump, LongestJump, NonMonotonicity, Anticipation, ForcedLag),
    *(UnalignedSource, UnalignedTarget),
)
"""All metrics of this module, in the order in which documentation lists them."""


def words_read(alignments: Alignments) -> Int64s:
    """Return, for every target word, how many source words a translator who guesses nothing must have read.

    This is the position (from 1) of the last source word that is linked to this word or an earlier one of the
    sentence, or 0 if there is none.
    """
    rows, starts = rows_of(alignments.offsets), offsets_from_lengths(_known(alignments.target_lengths, "target"))
    floor = rows_of(starts).astype(np.int64) << 32  # no maximum reaches into the next sentence
    read = floor.copy()
    np.maximum.at(read, starts[rows] + alignments.target, (rows.astype(np.int64) << 32) + 1 + alignments.source)
    result: Int64s = np.maximum.accumulate(read) - floor
    return result


def _rows(count: Int64s, total: NDArray[np.integer]) -> Array:
    return np.stack([count, total], axis=-1).astype(np.float64)[:, None, :]


def _unaligned_rows(alignments: Alignments, side: str) -> Array:
    lengths = _known(alignments.source_lengths, side)
    return _rows(lengths - _count_linked(alignments.source, alignments.offsets, lengths), lengths)


def _known(lengths: Ints, side: str) -> Ints:
    unknown = lengths == UNKNOWN
    if unknown.any():
        row = int(np.argmax(unknown)) + 1
        raise InputError(f"the length of {side} sentence {row} is unknown; give the {side} text")
    return lengths


def _jumps(orders: Permutations) -> Int64s:
    """Return the length of the jump to each source word from the position right after the previous one.

    The first source word of each order has a jump of length 0.
    """
    jumps = np.abs(np.diff(orders.ranks, prepend=0).astype(np.int64) - 1)
    jumps[orders.offsets[:-1][orders.lengths > 0]] = 0
    return jumps


def _count_linked(words: Ints, offsets: Int64s, lengths: Ints, chosen: Bools | None = None) -> Int64s:
    """Return the number of linked words in each sentence, given all sentence lengths.

    ``words`` holds the linked word of each link. If ``chosen`` is given, only the links for which it is true are
    used.
    """
    starts = offsets_from_lengths(lengths)
    places = starts[rows_of(offsets)] + words
    linked = np.zeros(starts[-1], dtype=np.bool_)
    linked[places if chosen is None else places[chosen]] = True
    return sum_rows(linked, starts)
