"""Lader alignments: ``m-n ||| s-t s-t``, the lengths of both sentences before the links, words counted from 0.

An empty line is an alignment without links whose lengths are not known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from wordorder.formats import pharaoh, scanning
from wordorder.formats.reading import LengthCheck, Lengths, Path, check_base, fail, read_lines
from wordorder.formats.writing import Column, Target, need_length, write_rows
from wordorder.orders.alignment import UNKNOWN, Alignments
from wordorder.runtime.files import LINES_PER_BLOCK, LONGEST_SENTENCE, LineBlock

EXPECTED = "'m-n ||| s-t s-t': both lengths, then links"


def read_blocks(
    path: Path,
    *,
    base: int = 0,
    lines: int = LINES_PER_BLOCK,
    source_lengths: Lengths | None = None,
    target_lengths: Lengths | None = None,
) -> Iterator[Alignments]:
    """Read a file in blocks of at most ``lines`` sentence pairs; links outside the lengths are errors."""
    check_base(base)
    check = LengthCheck.of(path, source_lengths, target_lengths, base=base)
    return read_lines(path, lambda block: parse(block, base=base), check, expected=EXPECTED, lines=lines)


def read(
    path: Path,
    *,
    base: int = 0,
    source_lengths: Lengths | None = None,
    target_lengths: Lengths | None = None,
) -> Alignments:
    """Read a whole file."""
    return Alignments.concatenate(
        list(read_blocks(path, base=base, source_lengths=source_lengths, target_lengths=target_lengths))
    )


def parse(block: LineBlock, *, base: int = 0) -> Alignments:
    """Read a block of lines; whether links are within the lengths is not looked at here."""
    source, target, begins, failure = scanning.scan_lader_lengths(block.data, block.starts, LONGEST_SENTENCE)
    if failure[0] != scanning.FINE:
        fail(block, failure, expected=EXPECTED)
    return replace(pharaoh.parse(block, base=base, begins=begins), source_lengths=source, target_lengths=target)


def write(target: Target, column: Column, *, base: int = 0) -> None:
    """Write one line per sentence pair; both lengths must be known where there are links.

    >>> import sys
    >>> from wordorder.orders import Alignment
    >>> write(sys.stdout, Alignment(((0, 0), (1, 2)), 2, 3).column())
    2-3 ||| 0-0 1-2
    """
    check_base(base)
    write_rows(target, column, lambda block: pharaoh.written_links(block, base=base, possible="?"), opening=_opening)


def _opening(column: Alignments, row: int) -> str:
    empty = column.offsets[row] == column.offsets[row + 1]
    if empty and column.source_lengths[row] == UNKNOWN and column.target_lengths[row] == UNKNOWN:
        return ""
    return f"{need_length(column, row, 'source')}-{need_length(column, row, 'target')} ||| "
