"""Which word pairs occur together in some sentence pair: the sparse pattern of every translation table.

Row e of the pattern holds, sorted, the target words seen in a sentence pair with source word e. Both directions
share it: one number per pair is t(f|e), another t(e|f). Memory grows with the pairs that occur, not with the product
of the vocabularies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from wordorder.aligning.lookup import Arrays, Pattern
from wordorder.runtime.columns import Int64s, Ints, offsets_from_lengths, to_column
from wordorder.runtime.errors import InputError, UsageError
from wordorder.runtime.kernels import kernel
from wordorder.runtime.threads import budget_spans, map_chunks
from wordorder.text import Tokens

if TYPE_CHECKING:
    import pyarrow as pa

CELLS_PER_CHUNK = 1 << 18
"""Cells (source word × target word) of the sentence pairs handled at a time, whatever the number of threads."""

MOST_PAIRS = (1 << 31) - 1
"""The most word pairs a model can have: they are numbered in 32 bits."""

LARGEST_PAIR = 1 << 22
"""Cells of the largest sentence pair that can be aligned (2,048 × 2,048 words)."""


@dataclass(frozen=True, eq=False)
class Bitext:
    """Sentence pairs as word numbers, each side with numbers of its own; plain arrays for the kernels."""

    source: Ints
    source_offsets: Int64s
    target: Ints
    target_offsets: Int64s

    def __len__(self) -> int:
        return len(self.source_offsets) - 1

    @property
    def arrays(self) -> Arrays:
        """Return the four arrays, as kernels take them."""
        return self.source, self.source_offsets, self.target, self.target_offsets

    @property
    def cells(self) -> Int64s:
        """Return the number of cells of each sentence pair."""
        return np.diff(self.source_offsets) * np.diff(self.target_offsets)

    def slice(self, start: int, stop: int) -> Bitext:
        """Return some consecutive sentence pairs."""
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

    offsets: Int64s
    columns: Ints

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def arrays(self) -> Pattern:
        """Return both arrays, as kernels take them."""
        return self.offsets, self.columns


def number_words(source: Tokens, target: Tokens) -> tuple[Bitext, tuple[pa.Array, pa.Array]]:
    """Number the words that two columns really use; return the text in these numbers and both lists of words."""
    import pyarrow as pa

    check_pairs(source, target)
    ids, words = [], []
    for side in (source, target):
        used = np.zeros(len(side.vocabulary), dtype=np.bool_)
        used[side.ids] = True
        ids.append((np.cumsum(used, dtype=np.int32) - np.int32(1))[side.ids])
        words.append(side.vocabulary.take(to_column(np.flatnonzero(used).astype(np.int32))).cast(pa.large_string()))
    return Bitext(ids[0], source.offsets.copy(), ids[1], target.offsets.copy()), (words[0], words[1])


def check_pairs(source: Tokens, target: Tokens) -> None:
    """Refuse columns that are not sentence pairs."""
    if len(source) != len(target):
        raise InputError(f"{len(source)} source sentences but {len(target)} target sentences")


def count_pairs(text: Bitext, source_size: int, target_size: int, *, threads: int = 1) -> Pairs:
    """Find every pair of words that occurs in some sentence pair; the sizes are those of the vocabularies."""
    starts = offsets_from_lengths(np.bincount(text.source, minlength=source_size))
    # A word has at most as many partners as there are words in the target sentences it meets.
    sentences, met = _find_sentences(*text.arrays, starts)
    most = np.minimum(met, target_size)

    def work(span: tuple[int, int]) -> tuple[Int64s, Ints]:
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
def _find_sentences(
    source: Ints, source_offsets: Int64s, target: Ints, target_offsets: Int64s, starts: Int64s
) -> tuple[Ints, Int64s]:
    """Return the sentence of each occurrence, words in their order, and how many target words each word meets."""
    sentences = np.empty(len(source), dtype=np.int32)
    met = np.zeros(len(starts) - 1, dtype=np.int64)
    filled = starts.copy()
    for sentence in range(len(source_offsets) - 1):
        length = target_offsets[sentence + 1] - target_offsets[sentence]
        for place in range(source_offsets[sentence], source_offsets[sentence + 1]):
            word = source[place]
            sentences[filled[word]] = sentence
            filled[word] += 1
            met[word] += length
    return sentences, met


@kernel
def _collect_partners(
    sentences: Ints, starts: Int64s, target: Ints, target_offsets: Int64s, stamp: Ints, found: Ints
) -> Int64s:
    """Write the sorted partners of each source word one after another; return how many each has."""
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
