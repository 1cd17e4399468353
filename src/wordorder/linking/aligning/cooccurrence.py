"""Word pairs that occur together in some sentence pair: the sparse pattern of every translation table.

Row e of the pattern lists, sorted, the target words that occur in a sentence pair with source word e. Both directions
share the pattern: one number per pair is t(f|e), another is t(e|f). Memory grows with the number of pairs that occur,
not with the product of the vocabularies, and is limited by ``MOST_PAIRS``: beyond that number, the pattern keeps the
pairs with the strongest association, c(e, f) · ln(c(e, f) · N/(n(e) n(f))) for N sentence pairs (the log-likelihood
ratio of Dunning 1993 without its smaller terms). The other pairs co-occur by chance and are never linked in training;
the trained aligner treats them as pairs it has not seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from wordorder.core.runtime.columns import Floats, Int64s, Ints, encode_strings, offsets_from_lengths, to_column
from wordorder.core.runtime.errors import InputError
from wordorder.core.runtime.kernels import kernel
from wordorder.core.runtime.threads import budget_spans, map_chunks, spans
from wordorder.core.text import Tokens
from wordorder.linking.aligning.lookup import Arrays, Pattern

if TYPE_CHECKING:
    import pyarrow as pa

CELLS_PER_CHUNK = 1 << 18
"""The number of cells (source word × target word) processed at a time, whatever the number of threads."""

MOST_PAIRS = 6_000_000
"""The largest number of word pairs in a model; they take a third of a gigabyte during training."""

_WORDS_AT_A_TIME = 1 << 22
_GRADES = 64  # four per factor of two: grade 0 is above 2^12, the last one below 2^-4 or below chance
_STEP = 2**-0.25

SentencePairs = tuple[Tokens, Tokens]
"""Source and target sentences."""

LARGEST_PAIR = 1 << 22
"""The number of cells of the largest sentence pair that can be aligned (2,048 × 2,048 words)."""


@dataclass(frozen=True, eq=False)
class Bitext:
    """Sentence pairs as plain arrays of word numbers for kernels; each side has its own numbering."""

    source: Ints
    source_offsets: Int64s
    target: Ints
    target_offsets: Int64s

    def __len__(self) -> int:
        return len(self.source_offsets) - 1

    @property
    def arrays(self) -> Arrays:
        """The four arrays in the form that kernels take."""
        return self.source, self.source_offsets, self.target, self.target_offsets

    @property
    def cells(self) -> Int64s:
        """The number of cells of each sentence pair."""
        return np.diff(self.source_offsets) * np.diff(self.target_offsets)

    def slice(self, start: int, stop: int) -> Bitext:
        """Return consecutive sentence pairs."""
        source, target = self.source_offsets[start : stop + 1], self.target_offsets[start : stop + 1]
        return Bitext(
            self.source[source[0] : source[-1]],
            source - source[0],
            self.target[target[0] : target[-1]],
            target - target[0],
        )

    def spans(self) -> list[tuple[int, int]]:
        """Divide the sentence pairs into spans of about ``CELLS_PER_CHUNK`` cells, with at least one pair each."""
        return budget_spans(self.cells + 1, CELLS_PER_CHUNK)


@dataclass(frozen=True, eq=False)
class WordPairs:
    """Word pairs that occur together: row e is ``columns[offsets[e]:offsets[e + 1]]``, sorted."""

    offsets: Int64s
    columns: Ints

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def arrays(self) -> Pattern:
        """Both arrays in the form that kernels take."""
        return self.offsets, self.columns


def number_words(parts: Sequence[SentencePairs]) -> tuple[Bitext, tuple[pa.Array, pa.Array]]:
    """Number the words that occur in sentence pairs; return the numbered text and the words of both sides."""
    import pyarrow as pa

    ids, offsets, words = [], [], []
    for side in zip(*parts, strict=True):
        numbers, distinct = encode_strings(side[0].vocabulary)
        used = np.zeros(len(distinct), dtype=np.bool_)
        for column in side:
            used[numbers[column.ids]] = True
        numbers = (np.cumsum(used, dtype=np.int32) - np.int32(1))[numbers]
        ids.append(np.concatenate([numbers[column.ids] for column in side]))
        offsets.append(offsets_from_lengths(np.concatenate([column.lengths for column in side])))
        words.append(distinct.take(to_column(np.flatnonzero(used).astype(np.int32))).cast(pa.large_string()))
    return Bitext(ids[0], offsets[0], ids[1], offsets[1]), (words[0], words[1])


def check_pairs(source: Tokens, target: Tokens) -> None:
    """Raise an error unless both columns have the same number of sentences."""
    if len(source) != len(target):
        raise InputError(f"{len(source)} source sentences but {len(target)} target sentences")


def count_words(words: Ints, size: int) -> Int64s:
    """Count the occurrences of each word, in parts, because numpy copies its input."""
    counts = np.zeros(size, dtype=np.int64)
    for start, stop in spans(len(words), _WORDS_AT_A_TIME):
        counts += np.bincount(words[start:stop], minlength=size)
    return counts


def count_pairs(text: Bitext, source_size: int, target_size: int, *, threads: int = 1) -> WordPairs:
    """Find the word pairs that occur in some sentence pair; the sizes are those of the vocabularies."""
    starts = offsets_from_lengths(count_words(text.source, source_size))
    expected = count_words(text.target, target_size) / max(1, len(text))
    # A word has at most as many partners as the target sentences it meets have words.
    sentences, met = _find_sentences(*text.arrays, starts)
    most = np.minimum(met, target_size)

    def work(span: tuple[int, int], worst: int) -> tuple[Int64s, Ints, Int64s]:
        first, last = span
        found = np.empty(int(most[first:last].sum()), dtype=np.int32)
        room = np.full((2, target_size), -1, dtype=np.int32)
        where = sentences, starts[first : last + 1], text.target, text.target_offsets, expected
        lengths, grades = _collect_partners(*where, worst, room, found)
        return lengths, found[: int(lengths.sum())].copy(), grades

    rows = budget_spans(met + 1, 8 * CELLS_PER_CHUNK)
    worst = _GRADES
    if most.sum() > MOST_PAIRS:
        grades = sum(grades for _, _, grades in map_chunks(lambda span: work(span, -1), rows, threads=threads))
        worst = max(0, int(np.searchsorted(np.cumsum(grades), MOST_PAIRS, side="right")) - 1)
    found = list(map_chunks(lambda span: work(span, worst), rows, threads=threads))
    return WordPairs(
        offsets_from_lengths(np.concatenate([lengths for lengths, _, _ in found] or [np.zeros(0, np.int64)])),
        np.concatenate([columns for _, columns, _ in found] or [np.zeros(0, np.int32)]),
    )


@kernel
def _find_sentences(
    source: Ints, source_offsets: Int64s, target: Ints, target_offsets: Int64s, starts: Int64s
) -> tuple[Ints, Int64s]:
    """Return the sentence of each occurrence, ordered by word, and the number of target words each word meets."""
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
    sentences: Ints,
    starts: Int64s,
    target: Ints,
    target_offsets: Int64s,
    expected: Floats,
    worst: int,
    room: Ints,
    found: Ints,
) -> tuple[Int64s, Int64s]:
    """Write the sorted partners of each source word one after another, down to the grade ``worst``.

    Return the number of partners of each word, and the number of pairs of each grade. ``expected`` is the number of
    chance meetings with each target word; ``room`` must be filled with −1.
    """
    lengths = np.zeros(len(starts) - 1, dtype=np.int64)
    grades = np.zeros(_GRADES + 1, dtype=np.int64)
    stamp, meetings = room
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
                    meetings[partner] = 0
                    found[filled] = partner
                    filled += 1
                meetings[partner] += 1
        met = filled
        filled = begin
        for place in range(begin, met):
            partner = found[place]
            chance = (starts[word + 1] - starts[word]) * expected[partner]
            clear = meetings[partner] * np.log(meetings[partner] / chance)
            grade = 0
            least = 4096.0
            while clear < least and grade < _GRADES:
                least *= _STEP
                grade += 1
            grades[grade] += 1
            if grade <= worst:
                found[filled] = partner
                filled += 1
        found[begin:filled].sort()
        lengths[word] = filled - begin
    return lengths, grades
