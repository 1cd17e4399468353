"""N-best lists with fields between bars, ``sentence ||| hypothesis ||| …``, as written by Moses and Marian."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from wordorder.core.orders.alignment import Alignments
from wordorder.core.runtime.columns import Floats, Int64s, Strings, strings, to_column
from wordorder.core.runtime.errors import InputError, located
from wordorder.core.runtime.files import LineBlock, Path
from wordorder.core.runtime.libraries import pc
from wordorder.formats import moses
from wordorder.formats.alignment_rows import AlignmentRow, gather
from wordorder.formats.lines import excerpt_of, full_blocks
from wordorder.formats.nbest.features import FeatureReader, copy_fields, number_of, scan_fields, scan_numbers
from wordorder.formats.nbest.hypotheses import Hypotheses

ONE_NUMBER = np.zeros(0, np.uint8), np.zeros(2, np.int64), np.ones(1, np.int64)

Link = Callable[[bytes, list[bytes]], AlignmentRow | None]
"""A function that returns the links of a hypothesis, given its text and the fields that may have an alignment."""


@dataclass(frozen=True)
class Layout:
    """The positions of the fields in a format.

    ``features`` and ``total`` are functions that return the position of the respective field, given the number of
    fields on a line, or −1 if the line has no such field. ``beside`` returns the fields that may contain an
    alignment.
    """

    expected: str
    features: Callable[[Int64s], Int64s]
    total: Callable[[Int64s], Int64s]
    beside: Callable[[list[bytes]], list[bytes]]

    def read_blocks(self, path: Path, *, link: Link | None = None) -> Iterator[Hypotheses]:
        """Read hypotheses in blocks; ``link``, if given, is a function that extracts the links of a hypothesis."""
        reader = FeatureReader()
        scored: bool | None = None
        for block in full_blocks(path, expected=self.expected):
            fields = _Fields(block, *scan_fields(block.data, block.starts))
            features = self.features(fields.counts)
            wrong = (fields.sentences < 0) | (features < 0)
            if wrong.any():
                row = int(np.argmax(wrong))
                raise block.error(row, f"expected {self.expected}, found {excerpt_of(fields.whole(row).strip())}")
            values = reader.read(block, *fields.at(features))
            total = self.total(fields.counts)
            scored = bool(total[0] >= 0) if scored is None else scored
            if ((total >= 0) != scored).any():
                row = int(np.argmax((total >= 0) != scored))
                found = "found no total, but line 1 has one" if scored else "found a total, but line 1 has none"
                raise block.error(row, f"{found}; expected {self.expected}")
            yield Hypotheses(
                fields.sentences,
                fields.texts(),
                tuple(reader.names),
                values,
                fields.totals(total) if scored else None,
                block.first_line + np.arange(len(block), dtype=np.int64),
                fields.alignments(self.beside, link) if link is not None else None,
            )


@dataclass(frozen=True)
class _Fields:
    """The fields of a block of lines."""

    block: LineBlock
    sentences: Int64s
    counts: Int64s
    begins: Int64s
    ends: Int64s

    def at(self, places: Int64s) -> tuple[Int64s, Int64s]:
        """Return the start and end of one field per line; ``places`` has the position of this field in each line."""
        rows = np.arange(len(places))
        return self.begins[rows, places], self.ends[rows, places]

    def whole(self, row: int) -> bytes:
        return self.block.data[self.block.starts[row] : self.block.starts[row + 1]].tobytes()

    def get(self, row: int, place: int) -> bytes:
        return self.block.data[self.begins[row, place] : self.ends[row, place]].tobytes()

    def texts(self) -> Strings:
        """Return the hypotheses without segmentation marks."""
        begins, ends = (np.ascontiguousarray(places[:, 1]) for places in (self.begins, self.ends))
        copied, offsets, marked = copy_fields(self.block.data, begins, ends)
        column = self.block.column(copied, offsets)
        if not marked.any():
            return column
        rows = np.flatnonzero(marked).tolist()
        plain = strings(moses.plain_text(self.get(row, 1)).decode("utf-8") for row in rows)
        return pc.replace_with_mask(column, to_column(marked), plain)

    def totals(self, places: Int64s) -> Floats:
        """Return the decoder's total score of each hypothesis; ``places`` has its position on each line."""
        values: Floats = np.zeros((1, len(places)))
        begins, ends = self.at(places)
        for row in np.flatnonzero(scan_numbers(self.block.data, begins, ends, ONE_NUMBER, values)).tolist():
            token = self.get(row, int(places[row]))
            number = number_of(token)
            if number is None:
                raise self.block.error(row, f"expected a total score, found {excerpt_of(token)}")
            values[0, row] = number
        total: Floats = values[0]
        return total

    def alignments(self, beside: Callable[[list[bytes]], list[bytes]], link: Link) -> Alignments:
        """Return the links of every hypothesis; raise an error for a hypothesis without an alignment."""
        rows = []
        for row, count in enumerate(self.counts.tolist()):
            fields = [self.get(row, place) for place in range(count)]
            with located(self.block.path, self.block.first_line + row):
                found = link(fields[1], beside(fields))
                if found is None:
                    raise InputError(f"no alignment for {excerpt_of(fields[1])}; expected an alignment field")
                for one in found.links:
                    if one & 0xFFFFFFFF >= found.target_length:
                        pair = f"{one >> 32}-{one & 0xFFFFFFFF}"
                        raise InputError(f"link {pair} is out of range; the text length is {found.target_length}")
            rows.append(found)
        return replace(gather(rows), phrases=None)
