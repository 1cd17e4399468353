"""Lexical metrics, which measure word choice and complement the metrics of word order.

BLEU and chrF are defined as in sacreBLEU; the n-gram counts are computed from columns and agree with sacreBLEU's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from wordorder.core.runtime.columns import sum_rows
from wordorder.metrics import ngrams
from wordorder.metrics.base import Array, Batch, Metric, Need, RatioMetric

PAPINENI = "Papineni et al. 2002; segments: Lin & Och 2004"


def brevity_penalty(hypothesis: Array, reference: Array) -> Array:
    """Return BLEU's brevity penalty for the given lengths.

    It is 1 for a longer hypothesis, e^(1 − ref/hyp) for a shorter one, and 0 for an empty hypothesis.

    >>> brevity_penalty(np.array([0.0, 5.0, 10.0]), np.array([3.0, 5.0, 8.0])).tolist()
    [0.0, 1.0, 1.0]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        penalty = np.where(hypothesis > reference, 1.0, np.exp(1.0 - reference / hypothesis))
    return np.where(hypothesis > 0, penalty, 0.0)


@dataclass(frozen=True)
class TextMetric(Metric):
    """A metric that compares the words of hypotheses and references."""

    needs: ClassVar[frozenset[Need]] = frozenset({Need.TEXT})


@dataclass(frozen=True)
class _NgramMetric(TextMetric):
    """A metric computed from n-gram counts, with several references combined as in BLEU."""

    columns = ngrams.COLUMNS

    def statistics(self, batch: Batch) -> Array:
        """Return lengths and n-gram counts for each segment, with all references combined."""
        return batch.ngrams[:, None, :]

    def precisions(self, sums: Array, *, smooth: bool) -> Array:
        """Return the n-gram precisions ``[..., 4]``.

        With ``smooth``, one is added to the counts for n = 2, 3, 4 (Lin & Och 2004).
        """
        add = np.array([0.0, 1.0, 1.0, 1.0]) * smooth
        correct = sums[..., 2 : 2 + ngrams.ORDERS] + add
        total = sums[..., 2 + ngrams.ORDERS :] + add
        with np.errstate(divide="ignore", invalid="ignore"):
            result: Array = np.where(total > 0, correct / total, 0.0)
        return result


@dataclass(frozen=True)
class Bleu(_NgramMetric):
    """BLEU: brevity penalty × geometric mean of the n-gram precisions, n = 1…4.

    Corpus scores are not smoothed; for segment scores, one is added to the counts for n > 1 (Lin & Och 2004).
    """

    name: ClassVar[str] = "bleu"
    formula: ClassVar[str] = "BP · (p1·p2·p3·p4)^(1/4); segments: +1 on n > 1"
    paper: ClassVar[str] = PAPINENI

    _longest: ClassVar[int] = 4

    def segment(self, rows: Array) -> Array:
        """Return smoothed BLEU scores."""
        return self._score(rows, smooth=True)

    def corpus(self, sums: Array) -> Array:
        """Return BLEU scores without smoothing."""
        return self._score(sums, smooth=False)

    def parts(self, sums: Array) -> dict[str, Array]:
        """Return the brevity penalty."""
        return {"brevity": brevity_penalty(sums[..., 0], sums[..., 1])}

    def _score(self, sums: Array, *, smooth: bool) -> Array:
        precisions = self.precisions(sums, smooth=smooth)[..., : self._longest]
        with np.errstate(divide="ignore"):
            mean = np.exp(np.log(precisions).mean(axis=-1))
        result: Array = brevity_penalty(sums[..., 0], sums[..., 1]) * mean
        return result


@dataclass(frozen=True)
class Bleu1(Bleu):
    """BLEU-1: brevity penalty × unigram precision."""

    name: ClassVar[str] = "bleu1"
    formula: ClassVar[str] = "BP · p1"
    _longest: ClassVar[int] = 1


@dataclass(frozen=True)
class _BleuPrecision(_NgramMetric):
    """An n-gram precision without brevity penalty (1BLEU–4BLEU in the thesis), smoothed for segments."""

    paper: ClassVar[str] = "Birch 2011, §8.3"
    _order: ClassVar[int] = 1

    def segment(self, rows: Array) -> Array:
        """Return smoothed precisions; that of an empty hypothesis is NaN."""
        return self._defined(self.precisions(rows, smooth=True), rows)

    def corpus(self, sums: Array) -> Array:
        """Return precisions without smoothing."""
        return self._defined(self.precisions(sums, smooth=False), sums)

    def _defined(self, precisions: Array, sums: Array) -> Array:
        return np.where(sums[..., 0] > 0, precisions[..., self._order - 1], np.nan)


def _precision(order: int) -> type[_BleuPrecision]:
    texts = {"name": f"bleu-p{order}", "formula": f"p{order}, no brevity penalty"}
    doc = f"The {order}-gram precision without brevity penalty ({order}BLEU)."
    return type(f"BleuP{order}", (_BleuPrecision,), {"__doc__": doc, **texts, "_order": order})


PRECISIONS = tuple(_precision(order) for order in range(1, ngrams.ORDERS + 1))


@dataclass(frozen=True)
class F1(RatioMetric, TextMetric):
    """F1 of two bags of words: 2·matched words/(hypothesis words + reference words), summed over a corpus."""

    name: ClassVar[str] = "f1"
    formula: ClassVar[str] = "2·|hyp ∩ ref| / (|hyp| + |ref|), bags of words"
    paper: ClassVar[str] = "Stanojević & Sima'an 2016"
    columns = ("twice_matched", "both_lengths")

    def statistics(self, batch: Batch) -> Array:
        """Count the common words and the words of both sides for each segment and reference."""
        found = [ngrams.ngram_statistics(batch.hypothesis, [reference]) for reference in batch.references]
        return np.stack([np.stack([2.0 * rows[:, 2], rows[:, 0] + rows[:, 1]], axis=1) for rows in found], axis=1)


@dataclass(frozen=True)
class Matched(RatioMetric, TextMetric):
    """The proportion of reference words that are matched: how much of the text the order scores cover."""

    name: ClassVar[str] = "matched"
    formula: ClassVar[str] = "matched reference words / reference words"
    paper: ClassVar[str] = "–"
    columns = ("matched", "reference_length", "chunks", "hypothesis_length")

    def statistics(self, batch: Batch) -> Array:
        """Count matched words, chunks and lengths for each segment and reference.

        The score for an empty reference is NaN.
        """
        length = batch.hypothesis.lengths
        counts = [
            (sum_rows(matches.reference_size, matches.offsets), reference.lengths, matches.chunks, length)
            for matches, reference in zip(batch.matches, batch.references, strict=True)
        ]
        return np.stack([np.stack(each, axis=1) for each in counts], axis=1).astype(np.float64)


@dataclass(frozen=True)
class ChrF(TextMetric):
    """chrF2: sacreBLEU's F-score of character n-grams, computed from the original lines."""

    name: ClassVar[str] = "chrf"
    formula: ClassVar[str] = "F2 of character n-grams, n = 1…6"
    paper: ClassVar[str] = "Popović 2015"
    columns = tuple(
        f"{count}{order}"
        for order in range(1, ngrams.CHARACTER_ORDERS + 1)
        for count in ("hypothesis", "reference", "matched")
    )

    _beta: ClassVar[int] = 2

    def statistics(self, batch: Batch) -> Array:
        """Count character n-grams for each segment and reference."""
        hypotheses, references = batch.lines
        return np.stack([ngrams.character_statistics(hypotheses, lines) for lines in references], axis=1)

    def segment(self, rows: Array) -> Array:
        """Return the F-score of mean precision and mean recall.

        The means are over the n-gram orders for which both texts have n-grams.
        """
        hypothesis, reference, matched = (rows[..., count::3] for count in range(3))
        counted = (hypothesis > 0) & (reference > 0)
        factor = self._beta**2
        with np.errstate(invalid="ignore", divide="ignore"):
            precision, recall = (
                np.where(counted, matched / total, 0.0).sum(axis=-1) / counted.sum(axis=-1)
                for total in (hypothesis, reference)
            )
            score = (1 + factor) * precision * recall / (factor * precision + recall)
        return np.where(precision + recall > 0, score, 0.0)
