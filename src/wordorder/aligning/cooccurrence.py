"""Which word pairs occur together in some sentence pair: the sparse pattern of every translation table.

Row e of the pattern holds, sorted, the target words seen in a sentence pair with source word e. Both directions
share it: one number per pair is t(f|e), another t(e|f). Memory grows with the pairs that occur, not with the product
of the vocabularies.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordorder.runtime.errors import UsageError
from wordorder.runtime.kernels import kernel
from wordorder.runtime.ragged import offsets_from_lengths, rows_of
from wordorder.runtime.threads import map_chunks

CELLS_PER_CHUNK = 1 << 18
"""Cells (source word × target word) of the sentence pairs handled at a time, whatever the number of threads."""

MOST_PAIRS = (1 << 31) - 1
"""Word pairs in one model: they are numbered in 32 bits."""

LARGEST_PAIR = 1 << 22
"""Cells of the largest sentence pair that is aligned (2,048 × 2,048 words)."""


@dataclass(frozen=True, eq=False)
class Bitext:
    """Sentence pairs as word numbers, each side with numbers of its own; plain arrays for the kernels."""

    source: NDArray[np.int32]
    source_offsets: NDArray[np.int64]
    target: NDArray[np.int32]
    target_offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.source_offsets) - 1

    @property
    def cells(self) -> NDArray[np.int64]:
        """Give the number of cells of each sentence pair."""
        return np.diff(self.source_offsets) * np.diff(self.target_offsets)

    def slice(self, start: int, stop: int) -> Bitext:
        """Give some consecutive sentence pairs."""
        source, target = self.source_offsets[start : stop + 1], self.target_offsets[start : stop + 1]
        return Bitext(
            self.source[source[0] : source[-1]],
            source - source[0],
            self.target[target[0] : target[-1]],
            target - target[0],
        )

    def spans(self) -> list[tuple[int, int]]:
        """Cut the sentence pairs into spans of about ``CELLS_PER_CHUNK`` cells, at least one pair each."""
        return budget_spans(self.cells + 1, CELLS_PER_CHUNK)


@dataclass(frozen=True, eq=False)
class Pairs:
    """Word pairs that occur together: row e is ``columns[offsets[e]:offsets[e + 1]]``, sorted."""

    offsets: NDArray[np.int64]
    columns: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.columns)


def budget_spans(costs: NDArray[np.int64], budget: int) -> list[tuple[int, int]]:
    """Cut ``range(len(costs))`` into consecutive spans that cost at most ``budget``, or hold one item.

    >>> budget_spans(np.array([2, 2, 9, 1, 1]), 4)
    [(0, 2), (2, 3), (3, 5)]
    """
    ends = np.cumsum(costs)
    spans = []
    start = spent = 0
    while start < len(ends):
        stop = max(start + 1, int(np.searchsorted(ends, spent + budget, side="right")))
        spans.append((start, stop))
        start, spent = stop, int(ends[stop - 1])
    return spans


def count_pairs(text: Bitext, *, source_size: int, target_size: int, threads: int = 1) -> Pairs:
    """Find every pair of words that occurs in some sentence pair; the sizes are those of the vocabularies."""
    sentences = rows_of(text.source_offsets)[np.argsort(text.source, kind="stable")]
    starts = offsets_from_lengths(np.bincount(text.source, minlength=source_size))
    # A word has at most as many partners as there are words in the target sentences it meets.
    met = np.diff(np.concatenate(([0], np.cumsum(np.diff(text.target_offsets)[sentences])))[starts])
    most = np.minimum(met, target_size)

    def work(span: tuple[int, int]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        first, last = span
        found = np.empty(int(most[first:last].sum()), dtype=np.int32)
        stamp = np.full(target_size, -1, dtype=np.int32)
        lengths = _collect_partners(
            sentences, starts[first : last + 1], text.target, text.target_offsets, stamp, found
        )
        return lengths, found[: int(lengths.sum())].copy()

    rows = list(map_chunks(work, budget_spans(met + 1, 8 * CELLS_PER_CHUNK), threads=threads))
    if sum(len(columns) for _, columns in rows) > MOST_PAIRS:
        raise UsageError(f"the text has more than {MOST_PAIRS} different word pairs; train on less of it")
    return Pairs(
        offsets_from_lengths(np.concatenate([lengths for lengths, _ in rows] or [np.zeros(0, np.int64)])),
        np.concatenate([columns for _, columns in rows] or [np.zeros(0, np.int32)]),
    )


@kernel
def _collect_partners(
    sentences: NDArray[np.int64],
    starts: NDArray[np.int64],
    target: NDArray[np.int32],
    target_offsets: NDArray[np.int64],
    stamp: NDArray[np.int32],
    found: NDArray[np.int32],
) -> NDArray[np.int64]:
    """Write the sorted partners of each source word one after another; give how many each has."""
    lengths = np.zeros(len(starts) - 1, dtype=np.int64)
    filled = 0
    for word in range(len(lengths)):
        begin = filled
        before = -1
        for occurrence in range(starts[word], starts[word + 1]):
            sentence = sentences[occurrence]
            if sentence == before:
                continue
            before = sentence
            for place in range(target_offsets[sentence], target_offsets[sentence + 1]):
                partner = target[place]
                if stamp[partner] != word:
                    stamp[partner] = word
                    found[filled] = partner
                    filled += 1
        found[begin:filled].sort()
        lengths[word] = filled - begin
    return lengths
