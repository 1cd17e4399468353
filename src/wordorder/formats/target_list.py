"""Target-side lists (Talbot et al. 2011): ``6,6,7_8,,0`` has one field per target word with its source words.

Source words of one target word are joined by ``_``; a target word without any has an empty field. Words count from
0 by default. An empty line has no target words, so a single target word without links cannot be written.
"""

from __future__ import annotations

import numpy as np

from wordorder.formats import scanning
from wordorder.formats.reading import LineFormat, check_base, fail
from wordorder.formats.writing import Column, Target, blocks, need_length, open_target
from wordorder.orders.alignment import Alignments
from wordorder.runtime.errors import InputError
from wordorder.runtime.files import LONGEST_SENTENCE, LineBlock

EXPECTED = "source positions of each target word like '1,2_3,,0'"


def parse(block: LineBlock, *, base: int = 0) -> Alignments:
    """Read a block of lines."""
    source, target, offsets, lengths, failure = scanning.scan_target_lists(
        block.data, block.starts, base, LONGEST_SENTENCE
    )
    if failure[0] != scanning.FINE:
        fail(block, failure, expected=EXPECTED)
    return Alignments(source, target, offsets, target_lengths=lengths)


FORMAT = LineFormat(parse, EXPECTED, base=0)
read_blocks, read = FORMAT.read_blocks, FORMAT.read


def write(target: Target, column: Column, *, base: int = 0) -> None:
    """Write one line per sentence pair; target lengths must be known, marks and probabilities are left out.

    >>> import sys
    >>> from wordorder.orders import Alignment
    >>> write(sys.stdout, Alignment(((0, 3), (1, 0), (2, 0)), 3, 4).column())
    1_2,,,0
    """
    check_base(base)
    with open_target(target) as file:
        for block in blocks(column):
            for row in range(len(block)):
                fields: list[list[str]] = [[] for _ in range(need_length(block, row, "target"))]
                span = slice(int(block.offsets[row]), int(block.offsets[row + 1]))
                if len(fields) == 1 and span.start == span.stop:
                    raise InputError(f"row {row + 1}: a single target word without links has no form in this format")
                order = np.argsort(block.source[span], kind="stable")
                for place, word in zip(
                    block.target[span][order].tolist(), block.source[span][order].tolist(), strict=True
                ):
                    fields[place].append(str(word + base))
                file.write(",".join("_".join(field) for field in fields) + "\n")
