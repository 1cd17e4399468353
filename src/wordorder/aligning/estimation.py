"""From expected counts to translation tables; the formula is in :mod:`wordorder.aligning.lexicon`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wordorder.aligning.cooccurrence import Bitext, Pairs, budget_spans, count_pairs
from wordorder.aligning.lexicon import NULL_FLOOR, Lexicon, Side, Smoothing
from wordorder.aligning.lookup import fill_table, find_classes, pair_likeness, sum_counts
from wordorder.aligning.spelling import classify, letters
from wordorder.runtime.ragged import rows_of
from wordorder.runtime.threads import map_chunks

if TYPE_CHECKING:
    import pyarrow as pa

_FORGOTTEN = 1e-6  # a pair that expects fewer occurrences both ways is left to the smoothing
_PAIRS_PER_CHUNK = 1 << 20


class Estimator:
    """Turns expected counts into translation tables, again and again over the same training text."""

    def __init__(
        self, text: Bitext, source_words: pa.Array, target_words: pa.Array, smoothing: Smoothing, *, threads: int
    ) -> None:
        self.smoothing = smoothing
        self.words = source_words, target_words
        sizes = len(source_words), len(target_words)
        self.pairs = count_pairs(text, source_size=sizes[0], target_size=sizes[1], threads=threads)
        (source_stems, source_classes), (target_stems, target_classes) = map(classify, self.words)
        self.stems = source_stems, target_stems
        self.classes = source_classes, target_classes
        self.class_pairs = count_pairs(
            Bitext(
                source_classes[text.source], text.source_offsets, target_classes[text.target], text.target_offsets
            ),
            source_size=len(source_stems),
            target_size=len(target_stems),
            threads=threads,
        )
        self.pair_classes = find_classes(
            self.pairs.offsets,
            self.pairs.columns,
            self.class_pairs.offsets,
            self.class_pairs.columns,
            source_classes,
            target_classes,
        )
        self.prior = self._prior(threads)
        self.occurrences = np.bincount(text.source, minlength=sizes[0]), np.bincount(text.target, minlength=sizes[1])
        self.null = _null_table(np.zeros(sizes[0])), _null_table(np.zeros(sizes[1]))
        # Without counts, every word translates as the priors say.
        nothing = np.zeros(len(self.pairs))
        self.forward = self._estimate(nothing, stems=0.0, by_column=False)
        self.backward = self._estimate(nothing, stems=0.0, by_column=True)

    def _prior(self, threads: int) -> NDArray[np.float32]:
        prior = np.full(len(self.pairs), self.smoothing.floor, dtype=np.float32)
        if self.smoothing.spelling == 0:
            return prior
        source, target = letters(self.words[0]), letters(self.words[1])
        offsets, columns = self.pairs.offsets, self.pairs.columns
        spans = budget_spans(np.diff(offsets) + 1, _PAIRS_PER_CHUNK)

        def work(span: tuple[int, int]) -> NDArray[np.float32]:
            return pair_likeness(offsets, columns, *span, *source, *target, self.smoothing.likeness)

        for (first, last), likeness in zip(spans, map_chunks(work, spans, threads=threads), strict=True):
            prior[offsets[first] : offsets[last]] += np.float32(self.smoothing.spelling) * likeness
        return prior

    def update(
        self,
        forward: NDArray[np.float64],
        backward: NDArray[np.float64],
        source_null: NDArray[np.float64],
        target_null: NDArray[np.float64],
    ) -> None:
        """Estimate all tables from the expected counts of pairs, and of words the null word produced."""
        self.null = _null_table(source_null), _null_table(target_null)
        self.forward = self._estimate(forward, stems=self.smoothing.stems, by_column=False)
        self.backward = self._estimate(backward, stems=self.smoothing.stems, by_column=True)

    def _estimate(self, counts: NDArray[np.float64], *, stems: float, by_column: bool) -> _Direction:
        """Estimate one direction; ``by_column``: the words of the columns are given, those of the rows made."""
        rows, columns = np.zeros((2, len(self.words[0]))), np.zeros((2, len(self.words[1])))
        class_sums = np.zeros(len(self.class_pairs))
        pattern = self.pairs.offsets, self.pairs.columns, self.pair_classes, self.prior, counts
        sum_counts(*pattern, rows[0], rows[1], columns[0], columns[1], class_sums)
        given, made = (columns, rows) if by_column else (rows, columns)
        given_classes, made_classes = self.classes[::-1] if by_column else self.classes
        given_stems = self.class_pairs.columns if by_column else rows_of(self.class_pairs.offsets)
        result = _Direction(
            table=np.empty(len(self.pairs), np.float32),
            class_table=_divide(class_sums, _sum_by(given_classes, given[0])[given_stems]).astype(np.float32),
            totals=given[0] + given[1] + stems,
            shares=_divide(made[0], _sum_by(made_classes, made[0])[made_classes]),
            expected=counts >= _FORGOTTEN,
            class_expected=class_sums >= _FORGOTTEN,
        )
        fill_table(
            *pattern, by_column, result.class_table, result.shares, result.totals, stems,
            self.smoothing.variational, result.table,
        )  # fmt: skip
        return result

    def lexicon(self) -> Lexicon:
        """Give the finished tables, without the pairs that are hardly ever expected."""
        forward, backward = self.forward, self.backward
        kept = forward.expected | backward.expected
        class_kept = forward.class_expected | backward.class_expected
        sides = zip(
            self.words,
            self.stems,
            self.classes,
            self.occurrences,
            (forward.totals, backward.totals),
            (backward.shares, forward.shares),
            self.null,
            strict=True,
        )
        source, target = (Side(*parts) for parts in sides)
        return Lexicon(
            source,
            target,
            _select(self.pairs, kept),
            forward.table[kept],
            backward.table[kept],
            _select(self.class_pairs, class_kept),
            forward.class_table[class_kept],
            backward.class_table[class_kept],
            self.smoothing,
        )


@dataclass(frozen=True, eq=False)
class _Direction:
    """What the counts of one direction give: t(made | given) for words and stems, and the parts of its formula."""

    table: NDArray[np.float32]
    class_table: NDArray[np.float32]
    totals: NDArray[np.float64]
    shares: NDArray[np.float64]
    expected: NDArray[np.bool_]
    class_expected: NDArray[np.bool_]


def _select(pairs: Pairs, keep: NDArray[np.bool_]) -> Pairs:
    before = np.concatenate(([0], np.cumsum(keep)))
    return Pairs(before[pairs.offsets], pairs.columns[keep])


def _null_table(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    table: NDArray[np.float64] = (counts + NULL_FLOOR) / (counts.sum() + NULL_FLOOR * max(1, len(counts)))
    return table


def _sum_by(classes: NDArray[np.int32], values: NDArray[np.float64]) -> NDArray[np.float64]:
    sums: NDArray[np.float64] = np.bincount(classes, values).astype(np.float64)
    return sums


def _divide(some: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    ratio = np.zeros(len(some))
    np.divide(some, whole, out=ratio, where=whole > 0)
    return ratio
