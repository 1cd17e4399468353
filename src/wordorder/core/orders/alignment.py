"""Word alignments: ``Alignment`` is the alignment of one sentence pair, and ``Alignments`` a column of alignments.

A link joins a source word and a target word, which are numbered from 0. A link is sure or possible and may have a
probability. Sentence lengths may be unknown, because many files contain only links: they are then −1 in
``Alignments`` and None in ``Alignment``.

Alignments can be sampled at random from link probabilities: each target word gets one of its links or none.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.columns import (
    Bools,
    Floats,
    Ints,
    Offsets,
    ValueColumn,
    join_offsets,
    offsets_from_lengths,
    rows_of,
)
from wordorder.core.runtime.errors import InputError, LengthError, count_of, excerpt, reject
from wordorder.core.runtime.kernels import count_below, enter, kernel, longest_row, mix

UNKNOWN = -1

_LINK = re.compile(r"(\d{1,6})([-?p])(\d{1,6})(-[SPsp])?")


@dataclass(frozen=True)
class Alignment:
    """The immutable word alignment of one sentence pair; a sentence length is None if it is unknown.

    >>> pair = Alignment(((0, 0), (1, 2), (2, 1)), source_length=3)
    >>> str(pair), pair.transpose().target_length
    ('0-0 1-2 2-1', 3)
    """

    links: tuple[tuple[int, int], ...]
    source_length: int | None = None
    target_length: int | None = None
    possible: frozenset[tuple[int, int]] = frozenset()

    def __post_init__(self) -> None:
        for source, target in self.links:
            _check_link(source, self.source_length, "source", (source, target))
            _check_link(target, self.target_length, "target", (source, target))
        reject(not self.possible <= set(self.links), "every link in 'possible' must also be in 'links'")

    @classmethod
    def parse(
        cls, text: str, *, base: int = 0, source_length: int | None = None, target_length: int | None = None
    ) -> "Alignment":
        """Parse sure links (``0-1``, ``0-1-S``) and possible links (``0?1``, ``0p1``, ``0-1-P``).

        Word numbers in the text start from ``base``.

        >>> str(Alignment.parse("1-1 2-3-P", base=1))
        '0-0 1?2'
        """
        links: dict[tuple[int, int], bool] = {}
        for item in text.split():
            match = _LINK.fullmatch(item)
            if not match:
                raise InputError(f"{excerpt(item)} is not a link; expected source and target, such as 3-4")
            link = int(match[1]) - base, int(match[3]) - base
            reject(min(link) < 0, f"link {item!r} has index 0, but indices count from 1")
            links[link] = links.get(link, True) and (match[2] != "-" or match[4] in ("-P", "-p"))
        possible = frozenset(link for link, unsure in links.items() if unsure)
        return cls(tuple(links), source_length, target_length, possible)

    def __str__(self) -> str:
        return " ".join(f"{link[0]}{'?' if link in self.possible else '-'}{link[1]}" for link in self.links)

    def __len__(self) -> int:
        return len(self.links)

    def transpose(self) -> "Alignment":
        """Return the alignment with source and target swapped."""
        links = tuple((target, source) for source, target in self.links)
        possible = frozenset((target, source) for source, target in self.possible)
        return Alignment(links, self.target_length, self.source_length, possible)

    def column(self) -> "Alignments":
        """Return a column whose only row is this alignment."""
        return Alignments.of([self])


def _check_link(place: int, length: int | None, side: str, link: tuple[int, int]) -> None:
    if place < 0 or (length is not None and place >= length):
        room = "" if length is None else f": the {side} sentence has {length} words (0 to {length - 1})"
        raise InputError(f"link {link[0]}-{link[1]} is out of range{room}")


@dataclass(frozen=True, eq=False)
class Phrases(ValueColumn[tuple[tuple[int, int], ...]]):
    """For each sentence, the source spans of the phrase pairs that a decoder used, as pairs of first and last word.

    >>> phrases = Phrases.of([[(0, 1), (2, 2)], []])
    >>> phrases[0], len(phrases[1:])
    (((0, 1), (2, 2)), 1)
    """

    of_values = ("spans",)

    spans: Ints
    offsets: Offsets

    @classmethod
    def of(cls, rows: Iterable[Sequence[tuple[int, int]]]) -> "Phrases":
        """Build a column from the spans of each sentence, given as pairs of first and last word."""
        values = list(rows)
        spans = np.array([span for row in values for span in row], dtype=np.int32).reshape(-1, 2)
        return cls(spans, offsets_from_lengths([len(row) for row in values]))

    def _value(self, row: int) -> tuple[tuple[int, int], ...]:
        return tuple((first, last) for first, last in self.spans[self.offsets[row] : self.offsets[row + 1]].tolist())


@dataclass(frozen=True, eq=False)
class Alignments(ValueColumn[Alignment]):
    """A column of alignments; the links of row i are at ``offsets[i]:offsets[i + 1]``.

    ``possible`` is None if every link is sure, and ``probability`` is None if the links have no probabilities.
    ``phrases`` is None unless a decoder reported the phrase pairs that it used; a single :class:`Alignment` does not
    contain them.
    """

    of_values = ("source", "target", "possible", "probability")
    of_rows = ("source_lengths", "target_lengths", "phrases")

    source: Ints
    target: Ints
    offsets: Offsets
    source_lengths: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    target_lengths: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    possible: NDArray[np.bool_] | None = None
    probability: NDArray[np.float64] | None = None
    phrases: Phrases | None = None

    def __post_init__(self) -> None:
        for side in ("source", "target"):
            lengths = getattr(self, f"{side}_lengths")
            if len(lengths) == 0:
                object.__setattr__(self, f"{side}_lengths", np.full(len(self), UNKNOWN, dtype=np.int32))
            else:
                _check_count(lengths, len(self), side)
        super().__post_init__()

    @classmethod
    def of(cls, rows: Iterable[Alignment]) -> "Alignments":
        """Build a column from alignments.

        >>> Alignments.of([Alignment(((0, 1),)), Alignment(())]).offsets.tolist()
        [0, 1, 1]
        """
        values = list(rows)
        links = [link for row in values for link in row.links]
        possible = np.array([link in row.possible for row in values for link in row.links], dtype=np.bool_)
        return cls(
            np.array([source for source, _ in links], dtype=np.int32),
            np.array([target for _, target in links], dtype=np.int32),
            offsets_from_lengths([len(row) for row in values]),
            _lengths([row.source_length for row in values]),
            _lengths([row.target_length for row in values]),
            possible if possible.any() else None,
        )

    @classmethod
    def concatenate(cls, parts: "Sequence[Alignments]") -> "Alignments":
        """Return one column with the rows of all parts in order."""
        if not parts:
            return cls.of([])
        joined: dict[str, Any] = {}
        if any(part.phrases is not None for part in parts):
            known = [Phrases.of([()] * len(part)) if part.phrases is None else part.phrases for part in parts]
            joined["phrases"] = Phrases.concatenate(known)
        for name in (*cls.of_values, "source_lengths", "target_lengths"):
            columns = [getattr(part, name) for part in parts]
            default = 1.0 if name == "probability" else False  # for the parts that do not have this field
            if any(column is not None for column in columns):
                pairs = zip(columns, parts, strict=True)
                joined[name] = np.concatenate([np.full(len(p.source), default) if c is None else c for c, p in pairs])
        return cls(offsets=join_offsets([part.offsets for part in parts]), **joined)

    def __repr__(self) -> str:
        return f"Alignments({len(self)} sentence pairs, {len(self.source)} links)"

    def _value(self, row: int) -> Alignment:
        span = slice(int(self.offsets[row]), int(self.offsets[row + 1]))
        links = tuple(zip(self.source[span].tolist(), self.target[span].tolist(), strict=True))
        possible = [] if self.possible is None else self.possible[span].tolist()
        marked = frozenset(link for link, flag in zip(links, possible, strict=False) if flag)
        return Alignment(links, _known(self.source_lengths[row]), _known(self.target_lengths[row]), marked)

    def transpose(self) -> "Alignments":
        """Return the alignments with source and target swapped; phrases are dropped because they are source spans."""
        lengths: dict[str, Any] = {"source_lengths": self.target_lengths, "target_lengths": self.source_lengths}
        return replace(self, source=self.target, target=self.source, phrases=None, **lengths)

    def select(self, links: NDArray[np.bool_]) -> "Alignments":
        """Return a column with only the links where ``links`` is true; rows and sentence lengths stay the same."""
        counts = np.bincount(rows_of(self.offsets)[links], minlength=len(self))
        return self._at(links, slice(None), offsets_from_lengths(counts))

    def sure(self) -> "Alignments":
        """Return a column with only the sure links."""
        return self if self.possible is None else replace(self.select(~self.possible), possible=None)

    def crossings(self) -> Offsets:
        """Count the crossings in each row: pairs of links (i, j) and (k, l) with i < k and j > l.

        This takes O(n log n) time for n links.

        >>> Alignment(((0, 2), (1, 0), (2, 1), (2, 2))).column().crossings().tolist()
        [2]
        """
        return _crossings(self.source, self.target, self.offsets)

    def with_lengths(self, *, source: Ints | None = None, target: Ints | None = None) -> "Alignments":
        """Return the alignments with new sentence lengths; raise an error if a link lies outside its sentence."""
        new: dict[str, Any] = {}
        for lengths, side in ((source, "source"), (target, "target")):
            if lengths is not None:
                _check_count(lengths, len(self), side)
                new[f"{side}_lengths"] = np.asarray(lengths, dtype=np.int32)
        changed = replace(self, **new)
        row = changed.first_out_of_range()
        if row is not None:
            raise LengthError(changed.range_message(row), line=row + 1)
        return changed

    def first_out_of_range(self) -> int | None:
        """Return the number of the first row with a link outside its sentences, or None if there is no such row.

        In a sentence of unknown length, no link is out of range.
        """
        rows = rows_of(self.offsets)
        bad = np.zeros(len(rows), dtype=np.bool_)
        for places, lengths in ((self.source, self.source_lengths), (self.target, self.target_lengths)):
            room = lengths[rows]
            bad |= (room != UNKNOWN) & (places >= room)
        return int(rows[np.argmax(bad)]) if bad.any() else None

    def range_message(self, row: int) -> str:
        """Return the error message for the first link in ``row`` that is out of range."""
        for link in range(int(self.offsets[row]), int(self.offsets[row + 1])):
            pair = int(self.source[link]), int(self.target[link])
            try:
                _check_link(pair[0], _known(self.source_lengths[row]), "source", pair)
                _check_link(pair[1], _known(self.target_lengths[row]), "target", pair)
            except InputError as error:
                return error.message
        raise AssertionError("no link of this row is out of range")


def _check_count(lengths: Ints, rows: int, side: str) -> None:
    if len(lengths) != rows:
        found = f"{count_of(len(lengths), f'{side} length')} for {count_of(rows, 'alignment')}"
        raise InputError(f"expected one length per alignment, found {found}")


def _lengths(lengths: list[int | None]) -> Ints:
    return np.array([UNKNOWN if length is None else length for length in lengths], dtype=np.int32)


def _known(length: np.int32) -> int | None:
    return None if length == UNKNOWN else int(length)


@kernel
def _crossings(source: Ints, target: Ints, offsets: Offsets) -> Offsets:
    rows = len(offsets) - 1
    links = np.empty(longest_row(offsets), dtype=np.int64)
    seen = np.zeros(target.max() + 2 if len(target) else 0, dtype=np.int32)  # a Fenwick tree over target positions
    result = np.zeros(rows, dtype=np.int64)
    for row in range(rows):
        start, count = offsets[row], offsets[row + 1] - offsets[row]
        size = np.int64(0)
        ascending = True
        for link in range(count):
            links[link] = (np.int64(source[start + link]) << 32) | target[start + link]
            size = max(size, target[start + link] + 1)
            ascending &= link == 0 or links[link - 1] <= links[link]
        if not ascending:
            links[:count].sort()
        seen[: size + 1] = 0
        for link in range(count):
            # Links of one source word come in target order, so none of them counts as crossing another.
            place = links[link] & 0xFFFFFFFF
            result[row] += link - count_below(seen, place + 1)
            enter(seen, place, size)
    return result


def sample_links(posteriors: Alignments, *, seed: int, draw: int, stream: int = 0, first: int = 0) -> Alignments:
    """Sample one alignment per row: each target word gets one of its links or none, according to their probabilities.

    If the probabilities of a target word's links add up to more than 1, they are scaled to add up to 1. Alignments
    without probabilities are returned unchanged. The random numbers depend only on ``seed``, ``draw`` (the number of
    the sample), ``stream`` and the row number. If the rows are part of a larger column, ``first`` is the number of
    the first row in that column.
    """
    if posteriors.probability is None:
        return posteriors
    links = posteriors.target, posteriors.probability, posteriors.offsets
    chosen = _sample(links, np.uint64(seed % 2**64), np.uint64((draw << 16) + stream), np.uint64(first))
    return replace(posteriors.select(chosen), possible=None, probability=None)


@kernel
def _sample(links: tuple[Ints, Floats, Offsets], seed: np.uint64, draw: np.uint64, first: np.uint64) -> Bools:
    target, probability, offsets = links
    chosen = np.zeros(len(target), dtype=np.bool_)
    widest = target.max() + 1 if len(target) else 0
    total = np.zeros(widest, dtype=np.float64)
    below = np.zeros(widest, dtype=np.float64)
    for row in range(len(offsets) - 1):
        start, stop = offsets[row], offsets[row + 1]
        for link in range(start, stop):
            total[target[link]] = below[target[link]] = 0.0
        for link in range(start, stop):
            total[target[link]] += probability[link]
        for link in range(start, stop):
            word = target[link]
            point = _uniform(seed, draw, first + np.uint64(row), np.uint64(word)) * max(total[word], 1.0)
            chosen[link] = below[word] <= point < below[word] + probability[link]
            below[word] += probability[link]
    return chosen


@kernel
def _uniform(seed: np.uint64, draw: np.uint64, row: np.uint64, word: np.uint64) -> float:
    """Return a pseudo-random number in [0, 1) that depends only on the arguments (splitmix64)."""
    state = seed
    for part in (draw, row, word):
        state = mix((state + part + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15))
    return np.float64(state >> np.uint64(11)) / 9007199254740992.0
