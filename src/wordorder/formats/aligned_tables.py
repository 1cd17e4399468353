"""Aligned text in tab-separated tables: each line has the words of both sides and links like ``0-0 1-2``.

The number of fields shows which of two layouts a line has: XL-WA (source, target, links) or MultiMWA (ID, source,
``N/A``, target, ``N/A``, two numbers, sure links, possible links). Words are separated by whitespace, and indices
count from 0.
"""

from collections.abc import Iterator
from typing import NamedTuple

from wordorder.core.runtime.errors import InputError, count_of
from wordorder.core.runtime.files import display_name
from wordorder.formats.alignment_rows import AlignedPair, pair_reader
from wordorder.formats.alignments import AlignmentFile
from wordorder.formats.conllu import text_lines

EXPECTED = "source, target and links, separated by tabs"


class _Layout(NamedTuple):
    """The positions of the fields in a line."""

    source: int
    target: int
    sure: int
    possible: int | None


_THREE, _MANY = _Layout(0, 1, 2, None), _Layout(1, 3, 7, 8)


def pairs(file: AlignmentFile) -> Iterator[AlignedPair]:
    """Yield the sentence pairs of a file."""
    for line, text in text_lines(file):
        fields = text.split("\t")
        if len(fields) == 1 and not fields[0].strip():
            continue
        layout = _THREE if len(fields) == 3 else _MANY
        if len(fields) <= layout.sure:
            found = f"{count_of(len(fields), 'field')}; expected {EXPECTED}"
            raise InputError(found, path=display_name(file), line=line)
        possible = "" if layout.possible is None or len(fields) <= layout.possible else fields[layout.possible]
        source, target = (fields[place].split() for place in (layout.source, layout.target))
        yield AlignedPair(line, source, target, fields[layout.sure], possible)


READER = pair_reader("xl-wa", pairs)
read_blocks, read = READER.read_blocks, READER.read
