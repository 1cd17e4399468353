"""Word alignments: ``Alignment`` is one sentence pair, ``Alignments`` a column of them.

A link joins a source word and a target word, 0-based. Links are sure or possible and may carry a probability.
A length of −1 is unknown: many files hold links only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import overload

import numpy as np
from numpy.typing import NDArray

from wordorder.runtime.errors import InputError, LengthError
from wordorder.runtime.ragged import frozen, join_offsets, offsets_from_lengths, rows_of

UNKNOWN = -1


@dataclass(frozen=True)
class Alignment:
    """The links of one sentence pair, an immutable value; lengths may be None where they are not known.

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
        if not self.possible <= set(self.links):
            raise InputError("a possible link is not among the links")

    def __str__(self) -> str:
        return " ".join(
            f"{source}{'?' if (source, target) in self.possible else '-'}{target}" for source, target in self.links
        )

    def __len__(self) -> int:
        return len(self.links)

    def transpose(self) -> Alignment:
        """Swap the two sides."""
        return Alignment(
            tuple((target, source) for source, target in self.links),
            self.target_length,
            self.source_length,
            frozenset((target, source) for source, target in self.possible),
        )

    def column(self) -> Alignments:
        """Give the column that has this one row."""
        return Alignments.of([self])


def _check_link(place: int, length: int | None, side: str, link: tuple[int, int]) -> None:
    if place < 0 or (length is not None and place >= length):
        room = "" if length is None else f": the {side} sentence has {length} words (0 to {length - 1})"
        raise InputError(f"link {link[0]}-{link[1]} is out of range{room}")


@dataclass(frozen=True, eq=False)
class Alignments:
    """A column of alignments: the links of row i stand at ``offsets[i]:offsets[i + 1]``.

    ``possible`` and ``probability`` are None where every link is sure and none has a probability.
    """

    source: NDArray[np.int32]
    target: NDArray[np.int32]
    offsets: NDArray[np.int64]
    source_lengths: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    target_lengths: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    possible: NDArray[np.bool_] | None = None
    probability: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        for side in ("source", "target"):
            lengths = getattr(self, f"{side}_lengths")
            if len(lengths) == 0:
                object.__setattr__(self, f"{side}_lengths", np.full(len(self), UNKNOWN, dtype=np.int32))
            else:
                _check_count(lengths, len(self), side)
        for column in (self.source, self.target, self.offsets, self.source_lengths, self.target_lengths):
            frozen(column)

    @classmethod
    def of(cls, rows: Iterable[Alignment]) -> Alignments:
        """Gather values into a column.

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
    def concatenate(cls, parts: Sequence[Alignments]) -> Alignments:
        """Put columns one after another."""
        some_possible = any(part.possible is not None for part in parts)
        some_probable = any(part.probability is not None for part in parts)
        none = np.zeros(0, np.int32)
        return cls(
            np.concatenate([part.source for part in parts] or [none]),
            np.concatenate([part.target for part in parts] or [none]),
            join_offsets([part.offsets for part in parts]),
            np.concatenate([part.source_lengths for part in parts] or [none]),
            np.concatenate([part.target_lengths for part in parts] or [none]),
            np.concatenate([np.zeros(len(p.source), np.bool_) if p.possible is None else p.possible for p in parts])
            if some_possible
            else None,
            np.concatenate([np.ones(len(p.source)) if p.probability is None else p.probability for p in parts])
            if some_probable
            else None,
        )

    def __repr__(self) -> str:
        return f"Alignments({len(self)} sentence pairs, {len(self.source)} links)"

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, row: int) -> Alignment: ...
    @overload
    def __getitem__(self, row: slice) -> Alignments: ...
    def __getitem__(self, row: int | slice) -> Alignment | Alignments:
        if isinstance(row, slice):
            start, stop, step = row.indices(len(self))
            if step != 1:
                raise ValueError("a column is sliced in steps of one")
            stop = max(start, stop)
            offsets = self.offsets[start : stop + 1]
            span = slice(int(offsets[0]), int(offsets[-1]))
            return Alignments(
                self.source[span],
                self.target[span],
                offsets - offsets[0],
                self.source_lengths[start:stop],
                self.target_lengths[start:stop],
                None if self.possible is None else self.possible[span],
                None if self.probability is None else self.probability[span],
            )
        row = range(len(self))[row]
        span = slice(int(self.offsets[row]), int(self.offsets[row + 1]))
        links = tuple(zip(self.source[span].tolist(), self.target[span].tolist(), strict=True))
        possible = [] if self.possible is None else self.possible[span].tolist()
        return Alignment(
            links,
            _known(self.source_lengths[row]),
            _known(self.target_lengths[row]),
            frozenset(link for link, flag in zip(links, possible, strict=False) if flag),
        )

    def __iter__(self) -> Iterator[Alignment]:
        return (self[row] for row in range(len(self)))

    def transpose(self) -> Alignments:
        """Swap the two sides."""
        return replace(
            self,
            source=self.target,
            target=self.source,
            source_lengths=self.target_lengths,
            target_lengths=self.source_lengths,
        )

    def sure(self) -> Alignments:
        """Keep the sure links only."""
        if self.possible is None:
            return self
        keep = ~self.possible
        counts = np.bincount(rows_of(self.offsets)[keep], minlength=len(self))
        return replace(
            self,
            source=self.source[keep],
            target=self.target[keep],
            offsets=offsets_from_lengths(counts),
            possible=None,
            probability=None if self.probability is None else self.probability[keep],
        )

    def with_lengths(
        self,
        *,
        source: NDArray[np.int32] | None = None,
        target: NDArray[np.int32] | None = None,
    ) -> Alignments:
        """Set the lengths of the sentences; a link outside them is an error that names the row (1-based)."""
        for lengths, side in ((source, "source"), (target, "target")):
            if lengths is not None:
                _check_count(lengths, len(self), side)
        changed = replace(
            self,
            source_lengths=self.source_lengths if source is None else np.asarray(source, dtype=np.int32),
            target_lengths=self.target_lengths if target is None else np.asarray(target, dtype=np.int32),
        )
        row = changed.first_out_of_range()
        if row is not None:
            raise LengthError(changed.range_message(row), line=row + 1)
        return changed

    def first_out_of_range(self) -> int | None:
        """Give the first row that has a link outside its (known) lengths."""
        rows = rows_of(self.offsets)
        bad = np.zeros(len(rows), dtype=np.bool_)
        for places, lengths in ((self.source, self.source_lengths), (self.target, self.target_lengths)):
            room = lengths[rows]
            bad |= (room != UNKNOWN) & (places >= room)
        return int(rows[np.argmax(bad)]) if bad.any() else None

    def range_message(self, row: int) -> str:
        """Say which link of ``row`` is out of range."""
        for link in range(int(self.offsets[row]), int(self.offsets[row + 1])):
            pair = int(self.source[link]), int(self.target[link])
            try:
                _check_link(pair[0], _known(self.source_lengths[row]), "source", pair)
                _check_link(pair[1], _known(self.target_lengths[row]), "target", pair)
            except InputError as error:
                return error.message
        raise AssertionError("no link of this row is out of range")


def _check_count(lengths: NDArray[np.int32], rows: int, side: str) -> None:
    if len(lengths) != rows:
        raise InputError(f"{len(lengths)} {side} lengths for {rows} alignments")


def _lengths(lengths: list[int | None]) -> NDArray[np.int32]:
    return np.array([UNKNOWN if length is None else length for length in lengths], dtype=np.int32)


def _known(length: np.int32) -> int | None:
    return None if length == UNKNOWN else int(length)
