"""Files that hold both sides of a text and its links: tables, records, treebanks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from wordorder.core.orders import Alignment
from wordorder.core.runtime.errors import InputError
from wordorder.core.runtime.files import display_name
from wordorder.formats.alignment_reader import AlignmentReader
from wordorder.formats.alignment_rows import AlignmentRow, row_reader
from wordorder.formats.alignments import AlignmentFile
from wordorder.formats.pharaoh import drop_nulls


@dataclass(frozen=True)
class AlignedPair:
    """A sentence pair as a file has it: words, and sure and possible links as Pharaoh's lines have them."""

    line: int
    source: list[str]
    target: list[str]
    sure: str
    possible: str = ""

    def row(self, file: AlignmentFile) -> AlignmentRow:
        """Return the links of the pair, those with NULL left out."""
        found = AlignmentRow(source_length=len(self.source), target_length=len(self.target), line=self.line)
        for text, unsure in ((self.sure, False), (self.possible, True)):
            try:
                links = Alignment.parse(drop_nulls(text), base=file.index_base)
            except InputError as error:
                raise InputError(error.message, path=display_name(file), line=self.line) from None
            for link in links.links:
                found.add(link[0] << 32 | link[1], (unsure or link in links.possible, None, None))
        return found


def pair_reader(format: str, pairs: Callable[[AlignmentFile], Iterator[AlignedPair]]) -> AlignmentReader:
    """Return the reader of a format that has the words beside the links."""

    def rows(file: AlignmentFile) -> Iterator[AlignmentRow]:
        found = False
        for pair in pairs(file):
            found = True
            yield pair.row(file)
        if not found:
            raise InputError("has no sentence pair", path=display_name(file), line=1)

    return row_reader(format, rows)
