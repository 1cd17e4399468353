"""Preparation of links: sorting, removing duplicates, and removing the links of given words.

Links of determiners are removed as in Birch 2011, §3.3.1: if only one of the languages has determiners, these are
aligned to the noun in the other language and leave gaps that hide reorderings. The words whose links are to be
removed are given as a list or by part of speech.

Other functions find the consistent blocks and the discontinuous areas of one alignment (Birch 2011, §3.2.2). These
functions help to inspect single sentences; ``extraction.py`` extracts the reorderings of whole corpora.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from wordorder.core.orders import Alignment, Alignments
from wordorder.core.orders.alignment import UNKNOWN
from wordorder.core.runtime.columns import Bools, Int64s, Ints, offsets_from_lengths, rows_of
from wordorder.core.runtime.errors import InputError, check_choice
from wordorder.core.runtime.kernels import kernel
from wordorder.core.text import Tokens

SIDES = ("target", "source")
"""The sides on which spans can be measured; the thesis measures them on the target side."""


def check_side(side: str) -> None:
    """Raise an error if ``side`` is neither ``target`` nor ``source``."""
    check_choice(side, SIDES, "side")


def sort_links(alignments: Alignments) -> Alignments:
    """Sort the links of each row by source, then target; drop duplicates, sure/possible marks and probabilities.

    >>> from wordorder.core.orders import Alignment
    >>> str(sort_links(Alignment(((1, 0), (0, 2), (0, 1), (1, 0))).column())[0])
    '0-1 0-2 1-0'
    """
    source, target, lengths = _sorted(alignments.source, alignments.target, alignments.offsets)
    offsets = offsets_from_lengths(lengths)
    return Alignments(source, target, offsets, alignments.source_lengths, alignments.target_lengths)


def unalign(alignments: Alignments, *, source: Bools | None = None, target: Bools | None = None) -> Alignments:
    """Remove every link of the marked words.

    ``source`` and ``target`` are masks over the words of all sentences on one side (see :func:`mark_words`). Sentence
    lengths do not change, because an unaligned word is still a word.

    >>> from wordorder.core.orders import Alignment
    >>> pair = Alignment(((0, 1), (1, 0), (1, 2)), 2, 3)
    >>> str(unalign(pair.column(), target=np.array([True, False, False]))[0])
    '0-1 1-2'
    """
    check_range(alignments)
    rows = rows_of(alignments.offsets)
    keep = np.ones(len(rows), dtype=np.bool_)
    for side, marks in (("source", source), ("target", target)):
        if marks is None:
            continue
        starts = offsets_from_lengths(known_lengths(alignments, side, why="to unalign words"))
        if len(marks) != starts[-1]:
            raise InputError(f"expected a mask for {starts[-1]} {side} words, found one for {len(marks)} words")
        places = alignments.source if side == "source" else alignments.target
        keep &= ~marks[starts[rows] + places]
    return alignments.select(keep)


def mark_words(tokens: Tokens, words: Iterable[str], *, ignore_case: bool = False) -> Bools:
    """Return a mask of the tokens that are in a list of words; ``tokens`` may also be part-of-speech tags.

    >>> from wordorder.core.text import encode
    >>> mark_words(encode(["The dog and the cat"])[0], ["the"], ignore_case=True).tolist()
    [True, False, False, True, False]
    """
    wanted = {word.casefold() for word in words} if ignore_case else set(words)
    known = (word.casefold() if ignore_case else word for word in tokens.vocabulary.to_pylist())
    listed = np.array([word in wanted for word in known], dtype=np.bool_)
    return listed[tokens.ids] if len(listed) else np.zeros(0, dtype=np.bool_)


def check_range(alignments: Alignments, *, first_row: int = 0) -> None:
    """Raise an error if a link is outside its sentences; ``first_row`` is the number of earlier rows in the file."""
    row = alignments.first_out_of_range()
    if row is not None:
        number = first_row + row + 1
        raise InputError(f"sentence {number}: {alignments.range_message(row)}", line=number)


def known_lengths(alignments: Alignments, side: str, *, why: str, first_row: int = 0) -> Ints:
    """Return the sentence lengths of one side; raise an error if any of them is unknown.

    The error message says ``why`` the length is needed, and for which row of the file; ``first_row`` is the number of
    earlier rows in the file.
    """
    check_side(side)
    lengths = alignments.source_lengths if side == "source" else alignments.target_lengths
    if (lengths == UNKNOWN).any():
        row = first_row + int(np.argmax(lengths == UNKNOWN)) + 1
        problem = f"the length of {side} sentence {row} is needed {why}, but only its links are known"
        raise InputError(f"{problem} (give the {side} text or its lengths)", line=row)
    return lengths


def count_aligned(alignments: Alignments) -> tuple[Ints, Ints]:
    """Count the aligned source words and the aligned target words of each sentence; links must be sorted.

    >>> from wordorder.core.orders import Alignment
    >>> [counts.tolist() for counts in count_aligned(Alignment(((0, 1), (0, 2), (3, 1))).column())]
    [[2], [2]]
    """
    return _aligned(alignments.source, alignments.target, alignments.offsets)


@kernel
def _aligned(source: Ints, target: Ints, offsets: Int64s) -> tuple[Ints, Ints]:
    rows = len(offsets) - 1
    # The last row with a link to each target position.
    last_row = np.full(target.max() + 1 if len(target) else 0, -1, dtype=np.int64)
    sources = np.zeros(rows, dtype=np.int32)
    targets = np.zeros(rows, dtype=np.int32)
    for row in range(rows):
        for link in range(offsets[row], offsets[row + 1]):
            sources[row] += link == offsets[row] or source[link] != source[link - 1]
            targets[row] += last_row[target[link]] != row
            last_row[target[link]] = row
    return sources, targets


@kernel
def _sorted(source: Ints, target: Ints, offsets: Int64s) -> tuple[Ints, Ints, Int64s]:
    rows = len(offsets) - 1
    keys = np.empty(len(source), dtype=np.int64)
    lengths = np.zeros(rows, dtype=np.int64)
    filled = 0
    for row in range(rows):
        start = filled
        size = offsets[row + 1] - offsets[row]
        part = keys[start : start + size]
        ordered = True
        for i in range(size):
            link = offsets[row] + i
            part[i] = (np.int64(source[link]) << 32) | target[link]
            if i and part[i] <= part[i - 1]:
                ordered = False
        if not ordered:
            part.sort()
        for i in range(size):
            if i == 0 or part[i] != keys[filled - 1]:
                keys[filled] = part[i]
                filled += 1
        lengths[row] = filled - start
    sources = np.empty(filled, dtype=np.int32)
    targets = np.empty(filled, dtype=np.int32)
    for link in range(filled):
        sources[link] = keys[link] >> 32
        targets[link] = keys[link] & 0xFFFFFFFF
    return sources, targets, lengths


class Rectangle(NamedTuple):
    """A source span and a target span, each given by its first and last word, counted from 0."""

    source: tuple[int, int]
    target: tuple[int, int]

    def holds(self, other: "Rectangle") -> bool:
        """Return whether another rectangle equals this one or lies inside it."""
        return all(big[0] <= small[0] and small[1] <= big[1] for big, small in zip(self, other, strict=True))


def smallest_block(alignment: Alignment, source: tuple[int, int], target: tuple[int, int]) -> Rectangle:
    """Return the smallest rectangle that contains both spans and is consistent: no link has exactly one end inside.

    >>> smallest_block(Alignment.parse("0-0 0-2 1-1"), (0, 0), (0, 2))
    Rectangle(source=(0, 1), target=(0, 2))
    """
    while True:
        inside = [(i, j) for i, j in alignment.links if source[0] <= i <= source[1] or target[0] <= j <= target[1]]
        wider = tuple(
            (min(span[0], *(link[side] for link in inside)), max(span[1], *(link[side] for link in inside)))
            for side, span in enumerate((source, target))
        )
        if wider == (source, target):
            return Rectangle(source, target)
        source, target = wider


def consistent_blocks(alignment: Alignment) -> list[Rectangle]:
    """Return the smallest consistent block around each link, sorted from left to right, without duplicates.

    >>> consistent_blocks(Alignment.parse("0-1 1-0 1-1 2-2"))
    [Rectangle(source=(0, 1), target=(0, 1)), Rectangle(source=(2, 2), target=(2, 2))]
    """
    found = {smallest_block(alignment, (source, source), (target, target)) for source, target in alignment.links}
    return sorted(found)


def discontinuous_areas(alignment: Alignment) -> list[Rectangle]:
    """Return the smallest consistent blocks around words whose links have a gap, omitting blocks inside others.

    No reordering is extracted between two words in the same area.

    >>> discontinuous_areas(Alignment.parse("0-0 0-2 1-1 2-3"))
    [Rectangle(source=(0, 1), target=(0, 2))]
    """
    linked: tuple[dict[int, list[int]], dict[int, list[int]]] = (defaultdict(list), defaultdict(list))
    for source, target in alignment.links:
        linked[0][source].append(target)
        linked[1][target].append(source)
    found = set()
    for side, words in enumerate(linked):
        for word, others in words.items():
            if max(others) - min(others) + 1 != len(set(others)):
                spans = (word, word), (min(others), max(others))
                found.add(smallest_block(alignment, *(spans if side == 0 else spans[::-1])))
    return sorted(area for area in found if not any(area != other and other.holds(area) for other in found))
