"""Pharaoh alignments, the format of Moses and fast_align: one line per sentence pair, with links in any order.

=========================  ==================================================================
``3-4`` ``3-4-S``          source word 3 and target word 4, sure
``3?4`` ``3-4-P`` ``3p4``  the same, possible
``3-4:0.9`` ``3-4/0.9``    the same with a probability; also ``3-4-0.9`` or ``3-4-P:0.9``
``-1-4`` ``3--1``          target word 4 or source word 3 linked to NULL; dropped
=========================  ==================================================================

Words count from 0 by default. An empty line is an alignment without links. A repeated link is kept once, with the
first probability; it is sure if any of its instances is sure. If some links have probabilities, the others have 1.
"""

import re
from collections.abc import Iterator
from itertools import repeat

import numpy as np

from wordorder.core.orders.alignment import Alignments
from wordorder.core.runtime.columns import Floats, Offsets
from wordorder.core.runtime.files import LONGEST_SENTENCE, LineBlock
from wordorder.core.runtime.threads import spans
from wordorder.formats import line_kernels
from wordorder.formats.alignment_reader import AlignmentReader
from wordorder.formats.lines import check_base, check_scan
from wordorder.formats.writing import Column, Target, join_rows, write_lines

EXPECTED = "links like '0-0 1-2'"

_NULL = re.compile(rb"(?<!\S)(?:-1[-?p](?P<target>[0-9]{1,6})|(?P<source>[0-9]{1,6})[-?p]-1)(?:-[SPsp])?(?!\S)")
_NEWLINE = 10
_ROWS_AT_A_TIME = 1 << 12
_DECIMAL = re.compile(rb"[0-9.]+(?:[eE][+-]?[0-9]+)?")


def parse(block: LineBlock, *, base: int = 0, begins: Offsets | None = None) -> Alignments:
    """Parse the links in a block of lines.

    ``begins`` has the byte at which the links of each line begin (default: the start of the line).
    """
    whole_lines = begins is None
    begins = block.starts[:-1] if begins is None else begins
    source, target, offsets, possible, probability, failure = line_kernels.scan_links(
        block.data, begins, block.starts[1:], base, LONGEST_SENTENCE
    )
    if failure[0] != line_kernels.FINE:
        plain = _without_nulls(block) if whole_lines else None
        if plain is not None:
            return parse(plain, base=base)
        check_scan(block, failure, expected=EXPECTED if base == 0 else "links like '1-1 2-3'")
    _parse_long_decimals(block, offsets, probability)
    marks, shares = possible if len(possible) else None, probability if len(probability) else None
    return Alignments(source, target, offsets, possible=marks, probability=shares)


def _without_nulls(block: LineBlock) -> LineBlock | None:
    """Return the block without its links to NULL, or None if there are none; only called after parsing failed."""
    data = block.data.tobytes()
    plain = _NULL.sub(b"", data)
    if plain == data:
        return None
    bytes_ = np.frombuffer(plain, dtype=np.uint8)
    ends = np.flatnonzero(bytes_ == _NEWLINE) + 1
    starts = np.concatenate([[0], ends if len(ends) == len(block) else np.append(ends, len(bytes_))])
    return LineBlock(bytes_, starts.astype(np.int64), block.path, block.first_line)


def drop_nulls(text: str) -> str:
    """Return a line without its links to NULL.

    >>> drop_nulls("0-0 -1-5 3--1 2-1")
    '0-0   2-1'
    """
    return _NULL.sub(b"", text.encode()).decode()


def null_words(text: str, *, base: int = 0) -> tuple[set[int], set[int]]:
    """Return the source words and the target words of a line that are linked to NULL.

    >>> null_words("0-0 -1-5 3--1")
    ({3}, {5})
    """
    found: tuple[set[int], set[int]] = set(), set()
    for match in _NULL.finditer(text.encode()):
        for side, place in zip(found, (match["source"], match["target"]), strict=True):
            if place is not None:
                side.add(int(place) - base)
    return found


READER = AlignmentReader.of_lines("pharaoh", parse, expected=EXPECTED)
read_blocks, read = READER.read_blocks, READER.read


def _parse_long_decimals(block: LineBlock, offsets: Offsets, probability: Floats) -> None:
    # A decimal that the kernel cannot round correctly is stored as −1 − the position of its first byte.
    data = block.data.tobytes() if len(probability) else b""
    for link in np.flatnonzero(probability < 0).tolist():
        byte = int(-1 - probability[link])
        found = _DECIMAL.match(data, byte)
        assert found is not None
        probability[link] = float(found[0])
        if probability[link] > 1:
            row = int(np.searchsorted(offsets, link, side="right")) - 1
            check_scan(block, (line_kernels.IMPROBABLE, row, byte), expected=EXPECTED)


def write(target: Target, column: Column, *, base: int = 0, possible: str = "?") -> None:
    """Write one line per sentence pair; in a possible link, ``possible`` replaces the hyphen.

    >>> import sys
    >>> from wordorder.core.orders import Alignment
    >>> write(sys.stdout, Alignment(((0, 0), (1, 2)), possible=frozenset({(1, 2)})).column())
    0-0 1?2
    """
    check_base(base)
    write_lines(target, column, lambda block: format_rows(block, base=base, possible=possible))


def format_rows(column: Alignments, *, base: int, possible: str) -> Iterator[str]:
    """Yield the links of each row of a column as text, formatting some rows at a time to save memory."""
    for start, stop in spans(len(column), _ROWS_AT_A_TIME):
        part = column[start:stop]
        pairs = zip((part.source + base).tolist(), (part.target + base).tolist(), strict=True)
        marks = repeat("-") if part.possible is None else (possible if mark else "-" for mark in part.possible.tolist())
        links = [f"{one}{mark}{two}" for (one, two), mark in zip(pairs, marks, strict=False)]
        if part.probability is not None:
            links = [f"{link}:{share!r}" for link, share in zip(links, part.probability.tolist(), strict=True)]
        yield from join_rows(links, part.offsets)
