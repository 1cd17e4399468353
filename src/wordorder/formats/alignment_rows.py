"""Rows gathered in Python, for the formats that are not worth a kernel: NAACL, GIZA++ and Moses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from operator import itemgetter

import numpy as np

from wordorder.core.orders.alignment import UNKNOWN, Alignments, Phrases
from wordorder.core.runtime.columns import offsets_from_lengths
from wordorder.core.runtime.errors import InputError
from wordorder.core.runtime.files import display_name
from wordorder.formats.alignment_reader import AlignmentReader, LengthCheck
from wordorder.formats.alignments import AlignmentFile, Path

LARGEST_GAP = 100_000
"""Sentence numbers missing in a row; more than this is a damaged number, not a gap."""


Mark = tuple[bool, float | None, int | None]
"""What a file says of a link: whether it is possible only, its probability, its own line where it has one."""

SURE: Mark = (False, None, None)


@dataclass
class AlignmentRow:
    """The links of one sentence pair while a file is read, each once; ``line`` is the line of the sentence pair.

    ``phrases`` are the source spans of its phrase pairs, where a decoder tells them. A link is one number,
    source · 2³² + target: a million numbers give the garbage collector nothing to do.
    """

    links: dict[int, Mark] = field(default_factory=dict)
    source_length: int = UNKNOWN
    target_length: int = UNKNOWN
    line: int = 0
    phrases: list[tuple[int, int]] = field(default_factory=list)

    def add(self, link: int, mark: Mark) -> None:
        """Add a link; of a repeated one sure beats possible, and the first probability stays."""
        known = self.links.setdefault(link, mark)
        if known[0] and not mark[0]:
            self.links[link] = (False, *known[1:])


def gather(rows: list[AlignmentRow], check: LengthCheck) -> Alignments:
    """Gather rows into a column and put the given lengths beside it."""
    marks = [mark for row in rows for mark in row.links.values()]
    links = np.fromiter(chain.from_iterable(row.links for row in rows), np.int64, len(marks))
    possible, shares = np.fromiter(map(itemgetter(0), marks), np.bool_), list(map(itemgetter(1), marks))
    column = Alignments(
        (links >> 32).astype(np.int32),
        (links & 0xFFFFFFFF).astype(np.int32),
        offsets_from_lengths([len(row.links) for row in rows]),
        np.array([row.source_length for row in rows], dtype=np.int32),
        np.array([row.target_length for row in rows], dtype=np.int32),
        possible if possible.any() else None,
        None if shares.count(None) == len(shares) else np.array([1.0 if p is None else p for p in shares]),
        Phrases.of([row.phrases for row in rows]) if any(row.phrases for row in rows) else None,
    )

    def line(row: int, link: int) -> int:
        own = marks[link][2] if link >= 0 else None
        return rows[row].line if own is None else own

    return check.apply(column, line)


def row_reader(format: str, read: Callable[[AlignmentFile], Iterator[AlignmentRow]]) -> AlignmentReader:
    """Return the reader of a format whose rows come one after another."""

    def columns(file: AlignmentFile, check: LengthCheck, lines: int) -> Iterator[Alignments]:
        pairs = read(file)
        while rows := list(islice(pairs, lines)):
            yield gather(rows, check)

    return AlignmentReader(format, columns)


def numbered_reader(
    format: str, read: Callable[[AlignmentFile], Iterator[tuple[int, AlignmentRow]]], *, first: int
) -> AlignmentReader:
    """Return the reader of a format whose rows are numbered; what has no number is an empty row."""

    def columns(file: AlignmentFile, check: LengthCheck, lines: int) -> Iterator[Alignments]:
        for rows in fill_gaps(read(file), first=first, lines=lines, path=file):
            yield gather(rows, check)
        yield from check.rest(lines)

    return AlignmentReader(format, columns)


def fill_gaps(
    numbered: Iterable[tuple[int, AlignmentRow]], *, first: int, lines: int, path: Path
) -> Iterator[list[AlignmentRow]]:
    """Turn numbered rows into blocks of ``lines`` rows: a missing number is an empty row.

    Within a block the numbers may come in any order; a number of an earlier block is an error, since that block is
    gone.
    """
    held: dict[int, AlignmentRow] = {}
    start, last, line = first, first - 1, 1

    def take(start: int, stop: int) -> list[AlignmentRow]:
        return [held.pop(place) if place in held else AlignmentRow(line=line) for place in range(start, stop)]

    for number, row in numbered:
        line = row.line
        if number < start or number > last + LARGEST_GAP:
            message = f"sentence {number} comes after sentence {last}; expected the sentences in order"
            raise InputError(message, path=display_name(path), line=line)
        while number >= start + lines:
            yield take(start, start + lines)
            start += lines
        if held.setdefault(number, row) is not row:
            for link, mark in row.links.items():
                held[number].add(link, mark)
        last = max(last, number)
    for begin in range(start, last + 1, lines):
        yield take(begin, min(begin + lines, last + 1))
