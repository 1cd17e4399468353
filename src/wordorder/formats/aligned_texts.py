"""Shared code for alignment formats that contain the words of both sides as well as the links."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from wordorder.core.orders import Alignment
from wordorder.core.runtime.errors import InputError, located
from wordorder.core.runtime.files import display_name
from wordorder.formats.alignment_reader import AlignmentReader
from wordorder.formats.alignment_rows import AlignmentRow, row_reader
from wordorder.formats.alignments import AlignmentFile
from wordorder.formats.pharaoh import drop_nulls


@dataclass(frozen=True)
class AlignedPair:
    """A sentence pair from a file: the words of both sides, and its sure and possible links in the Pharaoh format."""

    line: int
    source: list[str]
    target: list[str]
    sure: str
    possible: str = ""

    def row(self, file: AlignmentFile) -> AlignmentRow:
        """Return the links of the pair, except links to NULL."""
        found = AlignmentRow(source_length=len(self.source), target_length=len(self.target), line=self.line)
        for text, unsure in ((self.sure, False), (self.possible, True)):
            with located(display_name(file), self.line):
                links = Alignment.parse(drop_nulls(text), base=file.index_base)
            for link in links.links:
                found.add(link[0] << 32 | link[1], (unsure or link in links.possible, None, None))
        return found


def pair_reader(format: str, pairs: Callable[[AlignmentFile], Iterator[AlignedPair]]) -> AlignmentReader:
    """Return a reader for a format that contains words and links; ``pairs`` yields the sentence pairs of a file."""

    def rows(file: AlignmentFile) -> Iterator[AlignmentRow]:
        found = False
        for pair in pairs(file):
            found = True
            yield pair.row(file)
        if not found:
            raise InputError("no sentence pairs", path=display_name(file), line=1)

    return row_reader(format, rows)
