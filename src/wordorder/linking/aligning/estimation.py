"""Estimation of translation tables from expected counts; see ``translation_tables`` for the formula."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.core.runtime.columns import Bools, Float32s, Floats, Strings
from wordorder.core.runtime.threads import budget_spans, map_chunks
from wordorder.linking.aligning.cooccurrence import Bitext, WordPairs, count_pairs, count_words
from wordorder.linking.aligning.lookup import Counted, fill_table, find_classes, pair_likeness, sum_counts
from wordorder.linking.aligning.translation_tables import (
    NULL_FLOOR,
    Smoothing,
    TranslatedPairs,
    TranslationTables,
    WordTable,
    classify,
    letters,
)

_FORGOTTEN = 1e-6  # a pair with a smaller expected count in both directions is dropped; smoothing covers it
_PAIRS_PER_CHUNK = 1 << 20


class Estimator:
    """The M-step of training, which turns the expected counts of each iteration into new translation tables."""

    def __init__(self, text: Bitext, words: tuple[Strings, Strings], smoothing: Smoothing, *, threads: int) -> None:
        self.smoothing = smoothing
        self.words = words
        sizes = len(words[0]), len(words[1])
        self.pairs = count_pairs(text, *sizes, threads=threads)
        self.spread = self.pairs.spread(sizes[1])
        self.stems, self.classes = zip(*map(classify, words), strict=True)
        # Each source word is treated as a sentence of one stem, which is paired with the stems of its partners.
        met = self.classes[1][self.pairs.columns]
        stems = Bitext(self.classes[0], np.arange(sizes[0] + 1), met, self.pairs.offsets)
        self.class_pairs = count_pairs(stems, *map(len, self.stems), threads=threads)
        self.pair_classes = find_classes(self.pairs.arrays, self.class_pairs.arrays, *self.classes)
        self.prior = self._prior(threads)
        self.room = [np.empty(len(self.pairs) + 1, dtype=np.float32) for _ in range(2)]  # for the tables of words
        self.occurrences = count_words(text.source, sizes[0]), count_words(text.target, sizes[1])
        # Without counts, the priors alone determine the translation probabilities.
        none = np.zeros((1, len(self.pairs) + 1), dtype=np.float32)
        self.update(none, [np.zeros(size) for size in sizes], stems=0.0)

    def _prior(self, threads: int) -> Float32s:
        prior = np.full(len(self.pairs), self.smoothing.floor, dtype=np.float32)
        if self.smoothing.spelling == 0:
            return prior
        source, target = letters(self.words[0]), letters(self.words[1])
        offsets, columns = self.pairs.arrays
        spans = budget_spans(np.diff(offsets) + 1, _PAIRS_PER_CHUNK)
        found = map_chunks(
            lambda span: pair_likeness(offsets, columns, *span, source, target, self.smoothing.likeness),
            spans,
            threads=threads,
        )
        for (first, last), likeness in zip(spans, found, strict=True):
            prior[offsets[first] : offsets[last]] += np.float32(self.smoothing.spelling) * likeness
        return prior

    def update(self, counts: Float32s, nulls: Sequence[Floats], *, stems: float) -> None:
        """Re-estimate all tables from expected counts.

        ``counts`` has one row per direction, or one for both: the expected count of each co-occurring word pair, and
        finally the expected count of all other pairs together. ``nulls`` holds two arrays: the expected number of
        times that the null word produces each source word, and each target word. ``stems`` is the weight of the prior
        for words with the same stem.
        """
        sums = [float(side.sum() + NULL_FLOOR * max(1, len(side))) for side in nulls]
        self.null = (nulls[0] + NULL_FLOOR) / sums[0], (nulls[1] + NULL_FLOOR) / sums[1]
        both = [self._sum(row[:-1]) for row in counts]
        self.forward = self._estimate(both[0], stems=stems, by_column=False)
        self.backward = self._estimate(both[-1], stems=stems, by_column=True)

    def _sum(self, counts: Float32s) -> _Sums:
        """Add up expected counts by source word, by target word and by pair of stems."""
        rows, columns = np.zeros((2, len(self.words[0]))), np.zeros((2, len(self.words[1])))
        classes = np.zeros(len(self.class_pairs))
        counted = *self.pairs.arrays, self.pair_classes, self.prior, counts
        sum_counts(counted, rows, columns, classes)
        return _Sums(counted, rows, columns, classes, counts >= _FORGOTTEN)

    def _estimate(self, sums: _Sums, *, stems: float, by_column: bool) -> _Direction:
        """Re-estimate the tables of one direction.

        Source words (the rows) generate target words (the columns); with ``by_column``, it is the reverse.
        """
        counted, class_sums = sums.counted, sums.classes
        given, made = (sums.columns, sums.rows) if by_column else (sums.rows, sums.columns)
        given_classes, made_classes = self.classes[::-1] if by_column else self.classes
        whole = np.bincount(given_classes, given[0]).astype(np.float64)
        offsets, columns_of = self.class_pairs.arrays
        given_counts = whole[columns_of] if by_column else np.repeat(whole, np.diff(offsets))
        class_table = np.divide(class_sums, given_counts, out=np.zeros_like(class_sums), where=given_counts > 0)
        totals = given[0] + given[1] + stems
        of_class = np.bincount(made_classes, made[0]).astype(np.float64)[made_classes]
        shares = np.divide(made[0], of_class, out=np.zeros_like(of_class), where=of_class > 0)
        class_table = class_table.astype(np.float32)
        table = self.room[by_column]
        fill_table(counted, by_column, class_table, shares, totals, stems, self.smoothing.variational, table)
        return _Direction(table, class_table, totals, shares, sums.expected, class_sums >= _FORGOTTEN)

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
class _Sums:
    """Expected counts, their sums by source word, target word and pair of stems, and the pairs that are expected.

    The second row of ``rows`` and of ``columns`` has the sums of the priors.
    """

    counted: Counted
    rows: Floats
    columns: Floats
    classes: Floats
    expected: Bools


@dataclass(frozen=True, eq=False)
class _Direction:
    """The translation tables of words and stems in one direction, and the terms from which they were computed.

    The last entry of ``table`` applies to all word pairs that do not co-occur in the training text.
    """

    table: Float32s
    class_table: Float32s
    totals: Floats
    shares: Floats
    expected: Bools
    class_expected: Bools


def _select(pairs: WordPairs, forward: Float32s, backward: Float32s, keep: Bools) -> TranslatedPairs:
    kept = np.flatnonzero(keep)
    return TranslatedPairs(np.searchsorted(kept, pairs.offsets), pairs.columns[kept], forward[kept], backward[kept])
