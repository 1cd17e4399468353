"""Lexical metrics, which measure word choice and thus complement the metrics of word order.

BLEU and chrF are defined as in sacreBLEU, and their n-gram counts are equal to those of sacreBLEU.
"""

from typing import ClassVar

import numpy as np

from wordorder.metrics import ngrams
from wordorder.metrics.base import Array, Batch, Metric, Need, RatioMetric

PAPINENI = "Papineni et al. 2002; segments: Lin & Och 2004"


def brevity_penalty(hypothesis: Array, reference: Array) -> Array:
    """Return BLEU's brevity penalty for the given lengths.

    It is e^(1 − ref/hyp) if the hypothesis is shorter than the reference, 0 if it is empty, and 1 otherwise.

    >>> brevity_penalty(np.array([0.0, 5.0, 10.0]), np.array([3.0, 5.0, 8.0])).tolist()
    [0.0, 1.0, 1.0]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        penalty = np.where(hypothesis > reference, 1.0, np.exp(1.0 - reference / hypothesis))
    return np.where(hypothesis > 0, penalty, 0.0)


class TextMetric(Metric):
    """A metric that compares the words of hypotheses and references."""

    needs: ClassVar[frozenset[Need]] = frozenset({Need.TEXT})


class _NgramMetric(TextMetric):
    """A metric computed from n-gram counts that combine all references as in BLEU."""

    columns = ngrams.COLUMNS

    def statistics(self, batch: Batch) -> Array:
        """Return the lengths and n-gram counts of each segment; all references are combined, as in BLEU."""
        return batch.ngrams[:, None, :]

    def precisions(self, sums: Array, *, smooth: bool) -> Array:
        """Return the n-gram precisions ``[..., 4]``.

        If ``smooth`` is true, 1 is added to the matched and total counts for n = 2, 3, 4 (Lin & Och 2004).
        """
        add = np.array([0.0, 1.0, 1.0, 1.0]) * smooth
        correct = sums[..., 2 : 2 + ngrams.ORDERS] + add
        total = sums[..., 2 + ngrams.ORDERS :] + add
        with np.errstate(divide="ignore", invalid="ignore"):
            result: Array = np.where(total > 0, correct / total, 0.0)
        return result


class Bleu(_NgramMetric):
    """BLEU: brevity penalty × geometric mean of the n-gram precisions, n = 1…4.

    Only segment scores are smoothed: 1 is added to the matched and total counts for n > 1 (Lin & Och 2004).
    """

    name: ClassVar[str] = "bleu"
    formula: ClassVar[str] = "BP · (p1·p2·p3·p4)^(1/4); segments: +1 on n > 1"
    paper: ClassVar[str] = PAPINENI

    _longest: ClassVar[int] = 4

    def segment(self, rows: Array) -> Array:
        """Return segment scores, which are smoothed."""
        return self.corpus(rows, smooth=True)

    def corpus(self, sums: Array, *, smooth: bool = False) -> Array:
        """Return corpus scores, which are not smoothed by default."""
        precisions = self.precisions(sums, smooth=smooth)[..., : self._longest]
        with np.errstate(divide="ignore"):
            mean = np.exp(np.log(precisions).mean(axis=-1))
        result: Array = brevity_penalty(sums[..., 0], sums[..., 1]) * mean
        return result

    def parts(self, sums: Array) -> dict[str, Array]:
        """Return the brevity penalty as the only component."""
        return {"brevity": brevity_penalty(sums[..., 0], sums[..., 1])}


class Bleu1(Bleu):
    """BLEU-1: brevity penalty × unigram precision."""

    name: ClassVar[str] = "bleu1"
    formula: ClassVar[str] = "BP · p1"
    _longest: ClassVar[int] = 1


class _BleuPrecision(_NgramMetric):
    """The precision of n-grams of one length, without brevity penalty (1BLEU–4BLEU in Birch 2011).

    Segment scores are smoothed for n > 1, as those of BLEU.
    """

    paper: ClassVar[str] = "Birch 2011, §8.3.1"
    _order: ClassVar[int] = 1

    def segment(self, rows: Array) -> Array:
        """Return smoothed segment precisions; the precision of an empty hypothesis is NaN."""
        return self._defined(self.precisions(rows, smooth=True), rows)

    def corpus(self, sums: Array) -> Array:
        """Return corpus precisions, which are not smoothed."""
        return self._defined(self.precisions(sums, smooth=False), sums)

    def _defined(self, precisions: Array, sums: Array) -> Array:
        return np.where(sums[..., 0] > 0, precisions[..., self._order - 1], np.nan)


def _precision(order: int) -> type[_BleuPrecision]:
    texts = {"name": f"bleu-p{order}", "formula": f"p{order}, no brevity penalty{'; segments: +1' * (order > 1)}"}
    doc = f"The {order}-gram precision without brevity penalty ({order}BLEU)."
    return type(f"BleuP{order}", (_BleuPrecision,), {"__doc__": doc, **texts, "_order": order})


PRECISIONS = tuple(_precision(order) for order in range(1, ngrams.ORDERS + 1))


class F1(RatioMetric, TextMetric):
    """F1 of two bags of words: 2·matched words/(hypothesis words + reference words)."""

    name: ClassVar[str] = "f1"
    formula: ClassVar[str] = "2·|hyp ∩ ref| / (|hyp| + |ref|), bags of words"
    paper: ClassVar[str] = "Stanojević & Sima'an 2016"
    columns = ("twice_matched", "both_lengths")

    def statistics(self, batch: Batch) -> Array:
        """Return twice the number of matched words and the sum of both lengths, for each segment and reference."""
        found = [ngrams.ngram_statistics(batch.hypothesis, [reference]) for reference in batch.references]
        return np.stack([np.stack([2.0 * rows[:, 2], rows[:, 0] + rows[:, 1]], axis=1) for rows in found], axis=1)


class Matched(RatioMetric, TextMetric):
    """The proportion of reference words that are matched; only the order of these words can be scored."""

    name: ClassVar[str] = "matched"
    formula: ClassVar[str] = "matched reference words / reference words"
    paper: ClassVar[str] = "–"
    columns = ("matched", "reference_length")

    def statistics(self, batch: Batch) -> Array:
        """Count the matched words and all words of each segment and reference; with no words, the score is NaN."""
        lengths = [reference.lengths for reference in batch.references]
        return np.stack([np.stack(batch.matched_words, axis=1), np.stack(lengths, axis=1)], axis=2).astype(np.float64)


class MatchCounts(RatioMetric, TextMetric):
    """``matched`` with further counts that are written for each segment; for chunks, the matching must be found."""

    columns = (*Matched.columns, "chunks", "hypothesis_length")

    def statistics(self, batch: Batch) -> Array:
        """Count matched words, the words of both sides, and chunks, for each segment and reference."""
        chunks = np.stack([matches.chunks for matches in batch.matches], axis=1)
        lengths = np.broadcast_to(batch.hypothesis.lengths[:, None], chunks.shape)
        return np.concatenate([Matched().statistics(batch), np.stack([chunks, lengths], axis=2)], axis=2)


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
        """Count the hypothesis, reference and matched character n-grams for each segment and reference."""
        hypotheses, *references = batch.characters
        return np.stack([ngrams.character_statistics(hypotheses, each) for each in references], axis=1)

    def segment(self, rows: Array) -> Array:
        """Return the F-score of the mean precision and the mean recall.

        The means are taken over all n for which both texts have n-grams.
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
