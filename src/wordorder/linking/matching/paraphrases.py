"""Paraphrase tables in METEOR's format, where an entry has three lines: probability, phrase and paraphrase."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from wordorder.core.runtime.columns import Bools, Int64s, Ints, offsets_from_lengths, places_in, rows_of
from wordorder.core.runtime.errors import InputError, excerpt
from wordorder.core.runtime.files import LineBlock, line_blocks
from wordorder.core.text.tokens import Tokens, encode

if TYPE_CHECKING:
    import pyarrow as pa

Ragged = tuple[Ints, Int64s]
"""The values and offsets of a ragged column."""

_ENTRIES_AT_A_TIME = 100_000


@dataclass(frozen=True, eq=False)
class Paraphrases:
    """Pairs of phrases: row i of ``others`` is a paraphrase of row i of ``phrases``.

    METEOR does not use the probabilities in such tables, so they are checked but not stored.
    """

    phrases: Tokens
    others: Tokens

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Paraphrases:
        """Read a paraphrase table, which may be compressed (``.gz``)."""
        import pyarrow as pa

        phrases, others = [], []
        for block in line_blocks(path, lines=3 * _ENTRIES_AT_A_TIME):
            lines = _lines(block)
            if len(lines) % 3:
                raise block.error(
                    len(lines) - 1,
                    "the last entry is incomplete; expected three lines: probability, phrase, paraphrase",
                )
            _check_probabilities(lines[::3], block)
            phrases.append(lines[1::3])
            others.append(lines[2::3])
        columns = encode(*(pa.chunked_array(part, type=pa.large_string()) for part in (phrases, others)))
        for place, column in enumerate(columns, start=2):
            if len(column) and not column.lengths.min():
                line = 3 * int(np.argmin(column.lengths)) + place
                raise InputError("expected a phrase, found an empty line", path=os.fspath(path), line=line)
        return cls(*columns)

    def coded(self, folded: pa.LargeStringArray) -> tuple[Ragged, Ragged]:
        """Return the pairs whose words all occur in a lower-case vocabulary, as indices into that vocabulary."""
        number = places_in(folded, self.phrases.vocabulary)
        sides = [(number[column.ids], column.offsets) for column in (self.phrases, self.others)]
        keep = np.ones(len(self.phrases), dtype=np.bool_)
        for words, offsets in sides:
            keep[rows_of(offsets)[words < 0]] = False
        one, other = (keep_rows(side, keep) for side in sides)
        return one, other


def keep_rows(column: Ragged, keep: Bools) -> Ragged:
    """Return the selected rows of a ragged column."""
    values, offsets = column
    return values[keep[rows_of(offsets)]], offsets_from_lengths(np.diff(offsets)[keep])


def _lines(block: LineBlock) -> pa.LargeStringArray:
    """Return the lines of a block as text, without copying them."""
    import pyarrow as pa

    starts, data = (pa.py_buffer(np.ascontiguousarray(part)) for part in (block.starts, block.data))
    lines = pa.LargeStringArray.from_buffers(len(block), starts, data)
    try:
        lines.validate(full=True)
    except pa.ArrowInvalid:
        for row in range(len(block)):
            block.text(row)  # raises an error that includes the line number
        raise
    return lines


def _check_probabilities(lines: pa.LargeStringArray, block: LineBlock) -> None:
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        pc.utf8_trim_whitespace(lines).cast(pa.float64())
    except pa.ArrowInvalid:
        for row, line in enumerate(lines.to_pylist()):
            try:
                float(line)
            except ValueError:
                raise block.error(3 * row, f"expected a probability, found {excerpt(line.strip())}") from None
