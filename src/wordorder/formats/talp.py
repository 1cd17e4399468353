"""TALP (RWTH) alignments: Pharaoh lines with indices from 1; ``3-4`` is sure and ``3p4`` possible.

The syntax is that of :mod:`wordorder.formats.pharaoh`. Gold standards in this format count from 1, but some tools
write files that count from 0.
"""

from wordorder.formats import pharaoh
from wordorder.formats.alignment_reader import AlignmentReader
from wordorder.formats.writing import Column, Target

READER = AlignmentReader.of_lines("talp", pharaoh.parse, expected=pharaoh.EXPECTED)
read_blocks, read = READER.read_blocks, READER.read


def write(target: Target, column: Column, *, base: int = 1) -> None:
    """Write one line per sentence pair.

    >>> import sys
    >>> from wordorder.core.orders import Alignment
    >>> write(sys.stdout, Alignment(((0, 0), (1, 2)), possible=frozenset({(1, 2)})).column())
    1-1 2p3
    """
    pharaoh.write(target, column, base=base, possible="p")
