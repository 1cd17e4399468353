"""Rows of links built in plain Python, for formats without a compiled parser: NAACL, GIZA++, Moses and others.

Some alignment formats contain the words of both sides as well as the links; they share code here.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from operator import itemgetter

import numpy as np

from wordorder.core.orders import Alignment
from wordorder.core.orders.alignment import UNKNOWN, Alignments, Phrases
from wordorder.core.runtime.columns import offsets_from_lengths
from wordorder.core.runtime.errors import InputError, located, reject
from wordorder.core.runtime.files import Path, display_name
from wordorder.formats.alignment_reader import AlignmentReader, LengthCheck
from wordorder.formats.alignments import AlignmentFile
from wordorder.formats.pharaoh import drop_nulls

LARGEST_GAP = 100_000
"""The largest gap allowed between sentence numbers; a larger one means that a number is corrupt."""


Mark = tuple[bool, float | None, int | None]
"""The properties of a link: whether it is only possible, its probability, and its own line number, if any."""

SURE: Mark = (False, None, None)


@dataclass
class AlignmentRow:
    """The links of one sentence pair, without duplicates, as they are collected while a file is read.

    ``line`` is the line number of the sentence pair. ``phrases`` are the source spans of the phrase pairs, if a
    decoder wrote them. A link is stored as the integer source · 2³² + target, because integers do not burden the
    garbage collector.
    """

    links: dict[int, Mark] = field(default_factory=dict)
    source_length: int = UNKNOWN
    target_length: int = UNKNOWN
    line: int = 0
    phrases: list[tuple[int, int]] = field(default_factory=list)

    def add(self, link: int, mark: Mark) -> None:
        """Add a link; a repeated link keeps its first probability, and is sure if any of its instances is sure."""
        known = self.links.setdefault(link, mark)
        if known[0] and not mark[0]:
            self.links[link] = (False, *known[1:])


def gather(rows: list[AlignmentRow]) -> Alignments:
    """Build a column of alignments from rows."""
    marks = [mark for row in rows for mark in row.links.values()]
    links = np.fromiter(chain.from_iterable(row.links for row in rows), np.int64, len(marks))
    possible, shares = np.fromiter(map(itemgetter(0), marks), np.bool_), list(map(itemgetter(1), marks))
    return Alignments(
        (links >> 32).astype(np.int32),
        (links & 0xFFFFFFFF).astype(np.int32),
        offsets_from_lengths([len(row.links) for row in rows]),
        np.array([row.source_length for row in rows], dtype=np.int32),
        np.array([row.target_length for row in rows], dtype=np.int32),
        possible if possible.any() else None,
        None if shares.count(None) == len(shares) else np.array([1.0 if p is None else p for p in shares]),
        Phrases.of([row.phrases for row in rows]) if any(row.phrases for row in rows) else None,
    )


def _check(rows: list[AlignmentRow], check: LengthCheck) -> Alignments:
    """Build a column from rows and check it; errors name the line of the link if known, else that of the row."""

    def line(row: int, link: int) -> int:
        own = next(islice(chain.from_iterable(r.links.values() for r in rows), link, None))[2] if link >= 0 else None
        return rows[row].line if own is None else own

    return check.apply(gather(rows), line)


def row_reader(format: str, read: Callable[[AlignmentFile], Iterator[AlignmentRow]]) -> AlignmentReader:
    """Return a reader for a format without sentence numbers."""

    def columns(file: AlignmentFile, check: LengthCheck, lines: int) -> Iterator[Alignments]:
        pairs = read(file)
        while rows := list(islice(pairs, lines)):
            yield _check(rows, check)

    return AlignmentReader(format, columns)


def numbered_reader(
    format: str, read: Callable[[AlignmentFile], Iterator[tuple[int, AlignmentRow]]], *, first: int
) -> AlignmentReader:
    """Return a reader for a format with sentence numbers; a skipped number becomes a row without links."""

    def columns(file: AlignmentFile, check: LengthCheck, lines: int) -> Iterator[Alignments]:
        for rows in fill_gaps(read(file), first=first, lines=lines, path=file):
            yield _check(rows, check)
        yield from check.rest(lines)

    return AlignmentReader(format, columns)


def fill_gaps(
    numbered: Iterable[tuple[int, AlignmentRow]], *, first: int, lines: int, path: Path
) -> Iterator[list[AlignmentRow]]:
    """Group numbered rows into blocks of ``lines`` rows; a skipped number becomes a row without links.

    Within a block, the numbers may be in any order. A number that belongs to an earlier block is an error.
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


@dataclass(frozen=True)
class AlignedPair:
    """A sentence pair from a file: the words of both sides, and its sure and possible links in the Pharaoh format."""

    line: int
    source: list[str]
    target: list[str]
    sure: str
    possible: str = ""

    def row(self, file: AlignmentFile) -> AlignmentRow:
        """Return the links of the pair, except links to NULL."""
        found = AlignmentRow(source_length=len(self.source), target_length=len(self.target), line=self.line)
        for text, unsure in ((self.sure, False), (self.possible, True)):
            with located(display_name(file), self.line):
                links = Alignment.parse(drop_nulls(text), base=file.index_base)
            for link in links.links:
                found.add(link[0] << 32 | link[1], (unsure or link in links.possible, None, None))
        return found


def pair_reader(format: str, pairs: Callable[[AlignmentFile], Iterator[AlignedPair]]) -> AlignmentReader:
    """Return a reader for a format that contains words and links; ``pairs`` yields the sentence pairs of a file."""

    def rows(file: AlignmentFile) -> Iterator[AlignmentRow]:
        found = False
        for pair in pairs(file):
            found = True
            yield pair.row(file)
        reject(not found, "no sentence pairs", path=display_name(file), line=1)

    return row_reader(format, rows)
