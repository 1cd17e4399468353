"""Estimation of translation tables from expected counts; ``translation_tables`` explains the formula."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from wordorder.core.runtime.columns import Bools, Float32s, Floats, Ints
from wordorder.core.runtime.threads import budget_spans, map_chunks
from wordorder.linking.aligning.cooccurrence import Bitext, WordPairs, count_pairs, count_words
from wordorder.linking.aligning.lookup import fill_table, find_classes, pair_likeness, sum_counts
from wordorder.linking.aligning.spelling import classify, letters
from wordorder.linking.aligning.translation_tables import (
    NULL_FLOOR,
    Smoothing,
    TranslatedPairs,
    TranslationTables,
    WordTable,
)

if TYPE_CHECKING:
    import pyarrow as pa

_FORGOTTEN = 1e-6  # a pair with a smaller expected count in both directions is dropped; smoothing covers it
_PAIRS_PER_CHUNK = 1 << 20


class Estimator:
    """An estimator that repeatedly turns expected counts into translation tables for one training text."""

    def __init__(self, text: Bitext, words: tuple[pa.Array, pa.Array], smoothing: Smoothing, *, threads: int) -> None:
        self.smoothing = smoothing
        self.words = words
        sizes = len(words[0]), len(words[1])
        self.pairs = count_pairs(text, *sizes, threads=threads)
        self.stems, self.classes = zip(*map(classify, words), strict=True)
        # Each source word is treated as a sentence of one stem, which is paired with the stems of its partners.
        met = self.classes[1][self.pairs.columns]
        stems = Bitext(self.classes[0], np.arange(sizes[0] + 1), met, self.pairs.offsets)
        self.class_pairs = count_pairs(stems, *map(len, self.stems), threads=threads)
        self.pair_classes = find_classes(self.pairs.arrays, self.class_pairs.arrays, *self.classes)
        self.prior = self._prior(threads)
        self.occurrences = count_words(text.source, sizes[0]), count_words(text.target, sizes[1])
        # Without counts, the priors alone determine the translation probabilities.
        self.update(np.zeros((2, len(self.pairs) + 1)), [np.zeros(size) for size in sizes], stems=0.0)

    def _prior(self, threads: int) -> Float32s:
        prior = np.full(len(self.pairs), self.smoothing.floor, dtype=np.float32)
        if self.smoothing.spelling == 0:
            return prior
        source, target = letters(self.words[0]), letters(self.words[1])
        offsets, columns = self.pairs.arrays
        spans = budget_spans(np.diff(offsets) + 1, _PAIRS_PER_CHUNK)

        def work(span: tuple[int, int]) -> Float32s:
            return pair_likeness(offsets, columns, *span, source, target, self.smoothing.likeness)

        for (first, last), likeness in zip(spans, map_chunks(work, spans, threads=threads), strict=True):
            prior[offsets[first] : offsets[last]] += np.float32(self.smoothing.spelling) * likeness
        return prior

    def update(self, counts: Floats, nulls: Sequence[Floats], *, stems: float) -> None:
        """Re-estimate all tables from expected counts.

        For each direction, ``counts`` holds the expected count of each pair, followed by that of all pairs outside
        the pattern. ``nulls`` holds the expected number of times that the null word produces each source word and
        each target word, respectively. ``stems`` is the weight of the prior for words with the same stem.
        """
        self.null = _null_table(nulls[0]), _null_table(nulls[1])
        self.forward = self._estimate(counts[0, :-1], stems=stems, by_column=False)
        self.backward = self._estimate(counts[1, :-1], stems=stems, by_column=True)

    def _estimate(self, counts: Floats, *, stems: float, by_column: bool) -> _Direction:
        """Estimate one direction.

        The words of the rows generate the words of the columns, or the reverse with ``by_column``.
        """
        rows, columns = np.zeros((2, len(self.words[0]))), np.zeros((2, len(self.words[1])))
        class_sums = np.zeros(len(self.class_pairs))
        counted = *self.pairs.arrays, self.pair_classes, self.prior, counts
        sum_counts(counted, rows, columns, class_sums)
        given, made = (columns, rows) if by_column else (rows, columns)
        given_classes, made_classes = self.classes[::-1] if by_column else self.classes
        whole = _sum_by(given_classes, given[0])
        offsets, columns_of = self.class_pairs.arrays
        given_counts = whole[columns_of] if by_column else np.repeat(whole, np.diff(offsets))
        class_table = _divide(class_sums, given_counts).astype(np.float32)
        totals = given[0] + given[1] + stems
        shares = _divide(made[0], _sum_by(made_classes, made[0])[made_classes])
        table = fill_table(counted, by_column, class_table, shares, totals, stems, self.smoothing.variational)
        return _Direction(table, class_table, totals, shares, counts >= _FORGOTTEN, class_sums >= _FORGOTTEN)

    def tables(self) -> TranslationTables:
        """Return the final tables, without the pairs whose expected count is negligible."""
        forward, backward = self.forward, self.backward
        totals, shares = (forward.totals, backward.totals), (backward.shares, forward.shares)
        parts = zip(self.words, self.stems, self.classes, self.occurrences, totals, shares, self.null, strict=True)
        source, target = (WordTable(*part) for part in parts)
        pairs = _select(self.pairs, forward.table[:-1], backward.table[:-1], forward.expected | backward.expected)
        class_expected = forward.class_expected | backward.class_expected
        class_pairs = _select(self.class_pairs, forward.class_table, backward.class_table, class_expected)
        return TranslationTables(source, target, pairs, class_pairs, self.smoothing)


@dataclass(frozen=True, eq=False)
class _Direction:
    """The estimates of one direction: t(made | given) for words and stems, and the terms of its formula.

    The last entry of ``table`` applies to all pairs that are not in the pattern.
    """

    table: Float32s
    class_table: Float32s
    totals: Floats
    shares: Floats
    expected: Bools
    class_expected: Bools


def _select(pairs: WordPairs, forward: Float32s, backward: Float32s, keep: Bools) -> TranslatedPairs:
    before = np.concatenate(([0], np.cumsum(keep)))
    return TranslatedPairs(before[pairs.offsets], pairs.columns[keep], forward[keep], backward[keep])


def _null_table(counts: Floats) -> Floats:
    table: Floats = (counts + NULL_FLOOR) / (counts.sum() + NULL_FLOOR * max(1, len(counts)))
    return table


def _sum_by(classes: Ints, values: Floats) -> Floats:
    return np.bincount(classes, values).astype(np.float64)


def _divide(some: Floats, whole: Floats) -> Floats:
    ratio = np.zeros(len(some))
    np.divide(some, whole, out=ratio, where=whole > 0)
    return ratio
