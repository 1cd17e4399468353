"""Target-side lists (Talbot et al. 2011): ``6,6,7_8,,0`` lists the source words of each target word.

There is one field per target word. Its source words are separated by ``_``; a target word without links has an empty
field. Words count from 0 by default. An empty line has no target words, so a single target word without links cannot
be represented.
"""

from wordorder.core.orders.alignment import Alignments
from wordorder.core.runtime.errors import InputError
from wordorder.core.runtime.files import LONGEST_SENTENCE, LineBlock
from wordorder.formats import line_kernels
from wordorder.formats.alignment_reader import AlignmentReader
from wordorder.formats.lines import check_base, check_scan
from wordorder.formats.writing import Column, Target, need_length, write_lines

EXPECTED = "source positions of each target word like '1,2_3,,0'"


def parse(block: LineBlock, *, base: int = 0) -> Alignments:
    """Parse the links in a block of lines."""
    found = line_kernels.scan_target_lists(block.data, block.starts, base, LONGEST_SENTENCE)
    source, target, offsets, lengths, failure = found
    check_scan(block, failure, expected=EXPECTED)
    return Alignments(source, target, offsets, target_lengths=lengths)


READER = AlignmentReader.of_lines("target-list", parse, expected=EXPECTED)
read_blocks, read = READER.read_blocks, READER.read


def write(target: Target, column: Column, *, base: int = 0) -> None:
    """Write one line per sentence pair, without possible marks and probabilities; target lengths must be known.

    >>> import sys
    >>> from wordorder.core.orders import Alignment
    >>> write(sys.stdout, Alignment(((0, 3), (1, 0), (2, 0)), 3, 4).column())
    1_2,,,0
    """
    check_base(base)
    write_lines(target, column, lambda block: (_format_row(block, row, base) for row in range(len(block))))


def _format_row(column: Alignments, row: int, base: int) -> str:
    fields: list[list[str]] = [[] for _ in range(need_length(column, row, "target"))]
    span = slice(int(column.offsets[row]), int(column.offsets[row + 1]))
    if len(fields) == 1 and span.start == span.stop:
        raise InputError(f"row {row + 1}: a single target word without links cannot be written in this format")
    for word, place in sorted(zip(column.source[span].tolist(), column.target[span].tolist(), strict=True)):
        fields[place].append(str(word + base))
    return ",".join("_".join(field) for field in fields)
