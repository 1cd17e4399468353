"""Lader alignments: ``m-n ||| s-t s-t``, the lengths of both sentences before the links, words counted from 0.

An empty line is an alignment without links whose lengths are not known.
"""

from __future__ import annotations

from dataclasses import replace

from wordorder.formats import pharaoh, scanning
from wordorder.formats.reading import LineFormat, check_base, fail
from wordorder.formats.writing import Column, Target, need_length, write_rows
from wordorder.orders.alignment import UNKNOWN, Alignments
from wordorder.runtime.files import LONGEST_SENTENCE, LineBlock

EXPECTED = "'m-n ||| s-t s-t': both lengths, then links"


def parse(block: LineBlock, *, base: int = 0) -> Alignments:
    """Read a block of lines; whether links are within the lengths is not looked at here."""
    source, target, begins, failure = scanning.scan_lader_lengths(block.data, block.starts, LONGEST_SENTENCE)
    if failure[0] != scanning.FINE:
        fail(block, failure, expected=EXPECTED)
    return replace(pharaoh.parse(block, base=base, begins=begins), source_lengths=source, target_lengths=target)


FORMAT = LineFormat(parse, EXPECTED, base=0)
read_blocks, read = FORMAT.read_blocks, FORMAT.read


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
