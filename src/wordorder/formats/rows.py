"""Rows gathered in Python, for the formats that are not worth a kernel: NAACL, GIZA++ and Moses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from wordorder.formats.reading import LengthCheck, Path, full_blocks
from wordorder.orders.alignment import UNKNOWN, Alignments
from wordorder.runtime.errors import InputError
from wordorder.runtime.files import display_name
from wordorder.runtime.ragged import offsets_from_lengths

LARGEST_GAP = 100_000
"""Sentence numbers missing in a row; more than this is no gap but a damaged number."""

_DIGITS = 18


def numbered_lines(path: Path, *, expected: str) -> Iterator[tuple[int, bytes]]:
    """Give every line with its number."""
    line = 0
    for block in full_blocks(path, expected=expected):
        data = block.data.tobytes()
        starts = block.starts.tolist()
        for start, stop in pairwise(starts):
            line += 1
            yield line, data[start:stop]


def natural(token: bytes) -> int | None:
    """Read a number of ASCII digits; None if it is none. One too long to mean anything stays a large one.

    >>> natural(b"0012"), natural(b"-1"), natural(b"1_0")
    (12, None, None)
    """
    if not token.isdigit():
        return None
    return int(token if len(token) <= _DIGITS else token.lstrip(b"0")[:_DIGITS] or b"0")


@dataclass
class Row:
    """The links of one sentence pair while a file is read.

    ``possible``, ``probability`` and ``lines`` (where links have a line each) are empty or as long as the links.
    ``line`` is the line of the sentence pair.
    """

    source: list[int] = field(default_factory=list)
    target: list[int] = field(default_factory=list)
    possible: list[bool] = field(default_factory=list)
    probability: list[float | None] = field(default_factory=list)
    source_length: int = UNKNOWN
    target_length: int = UNKNOWN
    line: int = 0
    lines: list[int] = field(default_factory=list)

    def extend(self, other: Row) -> None:
        """Add the links of another row of the same sentence pair."""
        self.source += other.source
        self.target += other.target
        self.possible += other.possible
        self.probability += other.probability
        self.lines += other.lines

    def drop_repeated_links(self) -> None:
        """Keep each link once: sure beats possible, the first probability stays."""
        links = list(zip(self.source, self.target, strict=True))
        if len(set(links)) == len(links):
            return
        sure = {link for link, mark in zip(links, self.possible, strict=False) if not mark}
        first: dict[tuple[int, int], int] = {}
        for place, link in enumerate(links):
            first.setdefault(link, place)
        keep = list(first.values())
        self.source = [self.source[place] for place in keep]
        self.target = [self.target[place] for place in keep]
        self.possible = [link not in sure for link in first] if self.possible else []
        self.probability = [self.probability[place] for place in keep] if self.probability else []
        self.lines = [self.lines[place] for place in keep] if self.lines else []


def gather(rows: list[Row], check: LengthCheck) -> Alignments:
    """Gather rows into a column and put the given lengths beside it."""
    for row in rows:
        row.drop_repeated_links()
    possible = probability = None
    if any(any(row.possible) for row in rows):
        marks = [mark for row in rows for mark in row.possible or [False] * len(row.source)]
        possible = np.array(marks, dtype=np.bool_)
    if any(share is not None for row in rows for share in row.probability):
        shares = [share for row in rows for share in row.probability or [None] * len(row.source)]
        probability = np.array([1.0 if share is None else share for share in shares])
    column = Alignments(
        np.array([place for row in rows for place in row.source], dtype=np.int32),
        np.array([place for row in rows for place in row.target], dtype=np.int32),
        offsets_from_lengths([len(row.source) for row in rows]),
        np.array([row.source_length for row in rows], dtype=np.int32),
        np.array([row.target_length for row in rows], dtype=np.int32),
        possible,
        probability,
    )

    def line(row: int, link: int) -> int:
        here = rows[row]
        return here.lines[link - int(column.offsets[row])] if link >= 0 and here.lines else here.line

    return check.apply(column, line)


def fill_gaps(
    numbered: Iterable[tuple[int, Row]], *, first: int, lines: int, path: Path, count: int | None = None
) -> Iterator[list[Row]]:
    """Turn numbered rows into blocks of ``lines`` rows: a number that nobody has is an empty row.

    Within a block the numbers may come in any order; a number of an earlier block is an error, since that block is
    gone. ``count`` is the number of sentences, where it is known.
    """
    held: dict[int, Row] = {}
    start = first
    last = first - 1
    line = 1

    def take(start: int, stop: int) -> list[Row]:
        return [held.pop(place) if place in held else Row(line=line) for place in range(start, stop)]

    for number, row in numbered:
        line = row.line
        if number < start or number > last + LARGEST_GAP:
            message = f"sentence {number} comes after sentence {last}; expected the sentences in order"
            raise InputError(message, path=display_name(path), line=line)
        if count is not None and number >= first + count:
            message = f"sentence {number} is beyond the {count} sentences there should be"
            raise InputError(message, path=display_name(path), line=line)
        while number >= start + lines:
            yield take(start, start + lines)
            start += lines
        if number in held:
            held[number].extend(row)
        else:
            held[number] = row
        last = max(last, number)
    end = last + 1 if count is None else first + count
    while start < end:
        stop = min(start + lines, end)
        yield take(start, stop)
        start = stop
