"""TALP (RWTH) alignments: Pharaoh's lines counted from 1, ``3-4`` sure and ``3p4`` possible.

The grammar is :mod:`wordorder.formats.pharaoh`'s. Gold standards in this form count from 1; some tools write files
of this name that count from 0, so check.
"""

from __future__ import annotations

from collections.abc import Iterator

from wordorder.formats import pharaoh
from wordorder.formats.reading import Lengths, Path
from wordorder.formats.writing import Column, Target
from wordorder.orders.alignment import Alignments
from wordorder.runtime.files import LINES_PER_BLOCK


def read_blocks(
    path: Path,
    *,
    base: int = 1,
    lines: int = LINES_PER_BLOCK,
    source_lengths: Lengths | None = None,
    target_lengths: Lengths | None = None,
) -> Iterator[Alignments]:
    """Read a file in blocks of at most ``lines`` sentence pairs; links outside given lengths are errors."""
    return pharaoh.read_blocks(
        path, base=base, lines=lines, source_lengths=source_lengths, target_lengths=target_lengths
    )


def read(
    path: Path,
    *,
    base: int = 1,
    source_lengths: Lengths | None = None,
    target_lengths: Lengths | None = None,
) -> Alignments:
    """Read a whole file."""
    return pharaoh.read(path, base=base, source_lengths=source_lengths, target_lengths=target_lengths)


def write(target: Target, column: Column, *, base: int = 1) -> None:
    """Write one line per sentence pair.

    >>> import sys
    >>> from wordorder.orders import Alignment
    >>> write(sys.stdout, Alignment(((0, 0), (1, 2)), possible=frozenset({(1, 2)})).column())
    1-1 2p3
    """
    pharaoh.write(target, column, base=base, possible="p")
