"""Word pairs that co-occur in at least one sentence pair: the entries of the sparse translation tables.

The pairs form a sparsity pattern: row e lists, in ascending order, the target words that co-occur with source word e.
The tables of both directions, t(f|e) and t(e|f), share this pattern, where f is a target word. Memory grows with the
number of co-occurring pairs, not with the product of the vocabulary sizes. At most ``MOST_PAIRS`` pairs are kept:
those with the strongest association, c(e, f) · ln(c(e, f) · N/(n(e) n(f))), where N is the number of sentence pairs,
c(e, f) how often e and f co-occur, and n(e) and n(f) how often they occur (the log-likelihood ratio of Dunning 1993
without its smaller terms). The pairs that are dropped mostly co-occur by chance. They are never linked in training,
and the trained aligner treats them as unseen pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.core.runtime.columns import Floats, Int64s, Ints, encode_strings, offsets_from_lengths, to_column
from wordorder.core.runtime.errors import InputError
from wordorder.core.runtime.kernels import kernel
from wordorder.core.runtime.libraries import pa
from wordorder.core.runtime.threads import budget_spans, map_chunks, spans
from wordorder.core.text import Tokens
from wordorder.linking.aligning.lookup import Arrays, Pattern, spread_rows

CELLS_PER_CHUNK = 1 << 16
"""The number of cells (source word × target word) in one chunk. It does not depend on the number of threads."""

MOST_PAIRS = 6_000_000
"""The largest number of word pairs in a model; they occupy a third of a gigabyte during training."""

_SPREAD = 1 << 22  # rows with so many entries take 16 megabytes
_WORDS_AT_A_TIME = 1 << 22
_GRADES = 64  # four grades per factor of 2: grade 0 is above 2^12, the last one below 2^-4 or no association
_STEP = 2**-0.25

SentencePairs = tuple[Tokens, Tokens]
"""A column of source sentences and a column of their translations."""

LARGEST_PAIR = 1 << 22
"""The largest number of cells that a sentence pair can have to be aligned (2,048 × 2,048 words)."""


@dataclass(frozen=True, eq=False)
class Bitext:
    """Sentence pairs as plain arrays of integer word IDs for kernels; each side has its own vocabulary."""

    source: Ints
    source_offsets: Int64s
    target: Ints
    target_offsets: Int64s

    def __len__(self) -> int:
        return len(self.source_offsets) - 1

    @property
    def arrays(self) -> Arrays:
        """The word IDs and offsets of both sides, as kernels expect them."""
        return self.source, self.source_offsets, self.target, self.target_offsets

    @property
    def cells(self) -> Int64s:
        """The number of cells (source word × target word) of each sentence pair."""
        return np.diff(self.source_offsets) * np.diff(self.target_offsets)

    def slice(self, start: int, stop: int) -> Bitext:
        """Return the sentence pairs from ``start`` up to, but not including, ``stop``."""
        source, target = self.source_offsets[start : stop + 1], self.target_offsets[start : stop + 1]
        return Bitext(
            self.source[source[0] : source[-1]],
            source - source[0],
            self.target[target[0] : target[-1]],
            target - target[0],
        )

    def spans(self) -> list[tuple[int, int]]:
        """Divide the sentence pairs into spans (of at least one pair) with about ``CELLS_PER_CHUNK`` cells each."""
        return budget_spans(self.cells + 1, CELLS_PER_CHUNK)


@dataclass(frozen=True, eq=False)
class WordPairs:
    """The word pairs that co-occur in at least one sentence pair.

    The partners of source word e are ``columns[offsets[e]:offsets[e + 1]]``, in ascending order.
    """

    offsets: Int64s
    columns: Ints

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def arrays(self) -> Pattern:
        """The offsets and columns, as kernels expect them."""
        return self.offsets, self.columns

    def spread(self, width: int) -> tuple[Ints, Ints]:
        """Spread the longest rows, so that their word pairs are found without searching; see :func:`find_cells`.

        ``width`` is the number of columns. Return the table of these rows and the number of each row in it, or −1.
        """
        longest = np.argsort(-np.diff(self.offsets), kind="stable")[: _SPREAD // max(1, width)].astype(np.int32)
        numbers = np.full(len(self.offsets) - 1, -1, dtype=np.int32)
        numbers[longest] = np.arange(len(longest))
        return spread_rows(self.arrays, longest, width), numbers


def number_words(parts: Sequence[SentencePairs]) -> tuple[Bitext, tuple[pa.Array, pa.Array]]:
    """Assign integer IDs to the words that occur in sentence pairs.

    Return the text as word IDs, together with the source vocabulary and the target vocabulary.
    """
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
    """Raise an error unless source and target have the same number of sentences."""
    if len(source) != len(target):
        raise InputError(f"source and target differ in their numbers of sentences: {len(source)} and {len(target)}")


def count_words(words: Ints, size: int) -> Int64s:
    """Count the occurrences of each word, part by part, because NumPy copies the array that it counts."""
    counts = np.zeros(size, dtype=np.int64)
    for start, stop in spans(len(words), _WORDS_AT_A_TIME):
        counts += np.bincount(words[start:stop], minlength=size)
    return counts


def count_pairs(text: Bitext, source_size: int, target_size: int, *, threads: int = 1) -> WordPairs:
    """Find the word pairs that co-occur in at least one sentence pair, given the sizes of both vocabularies."""
    starts = offsets_from_lengths(count_words(text.source, source_size))
    expected = count_words(text.target, target_size) / max(1, len(text))
    # A word has at most as many partners as there are words in the target sentences that it occurs with.
    sentences, met = _find_sentences(*text.arrays, starts)
    most = np.minimum(met, target_size)

    def work(span: tuple[int, int], worst: int) -> tuple[Int64s, Ints, Int64s]:
        first, last = span
        found = np.empty(int(most[first:last].sum()), dtype=np.int32)
        room = np.full((2, target_size), -1, dtype=np.int32)
        where = sentences, starts[first : last + 1], text.target, text.target_offsets, expected
        lengths, grades = _collect_partners(*where, worst, room, found)
        return lengths, found[: int(lengths.sum())].copy(), grades

    rows = budget_spans(met + 1, 32 * CELLS_PER_CHUNK)
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
    """For each source word, find the sentences in which it occurs, and count the target words of these sentences.

    Return the sentences grouped by word (those of word w begin at ``starts[w]``), and the count for each word. A
    sentence is listed once for each occurrence of the word in it.
    """
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
    """Write the partners of all source words to ``found``, grouped by source word and in ascending order.

    The pairs are graded by their association; a smaller grade means a stronger association, and only grades up to
    ``worst`` are written. Return the number of partners of each source word and the number of pairs of each grade.
    ``expected`` is the mean number of occurrences of each target word per sentence pair; ``room`` is working memory
    that must be filled with −1.
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
