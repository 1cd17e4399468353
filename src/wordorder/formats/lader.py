"""Lader alignments: ``m-n ||| s-t s-t``, the lengths of both sentences and the links; words count from 0.

An empty line is an alignment without links and with unknown lengths.
"""

from collections.abc import Iterator
from dataclasses import replace

from wordorder.core.orders.alignment import UNKNOWN, Alignments
from wordorder.core.runtime.files import LONGEST_SENTENCE, LineBlock
from wordorder.formats import line_kernels, pharaoh
from wordorder.formats.alignment_reader import AlignmentReader
from wordorder.formats.lines import check_base, check_scan
from wordorder.formats.writing import Column, Target, need_length, write_lines

EXPECTED = "'m-n ||| s-t s-t': both lengths, then links"


def parse(block: LineBlock, *, base: int = 0) -> Alignments:
    """Parse a block of lines without checking the links against the lengths."""
    source, target, begins, failure = line_kernels.scan_lader_lengths(block.data, block.starts, LONGEST_SENTENCE)
    check_scan(block, failure, expected=EXPECTED)
    return replace(pharaoh.parse(block, base=base, begins=begins), source_lengths=source, target_lengths=target)


READER = AlignmentReader.of_lines("lader", parse, expected=EXPECTED)
read_blocks, read = READER.read_blocks, READER.read


def write(target: Target, column: Column, *, base: int = 0) -> None:
    """Write one line per sentence pair; if a pair has links, both of its lengths must be known.

    >>> import sys
    >>> from wordorder.core.orders import Alignment
    >>> write(sys.stdout, Alignment(((0, 0), (1, 2)), 2, 3).column())
    2-3 ||| 0-0 1-2
    """
    check_base(base)

    def lines(block: Alignments) -> Iterator[str]:
        rows = pharaoh.format_rows(block, base=base, possible="?")
        return (_opening(block, row) + links for row, links in enumerate(rows))

    write_lines(target, column, lines)


def _opening(column: Alignments, row: int) -> str:
    empty = column.offsets[row] == column.offsets[row + 1]
    if empty and column.source_lengths[row] == UNKNOWN and column.target_lengths[row] == UNKNOWN:
        return ""
    return f"{need_length(column, row, 'source')}-{need_length(column, row, 'target')} ||| "
