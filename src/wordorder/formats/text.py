"""Text files, one sentence per line, as Arrow columns; SGML and XML test sets go through their own modules.

UTF-8; a byte-order mark and carriage returns are tolerated; lines end at ``\\n`` only; empty lines are legal.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from wordorder.runtime.columns import strings
from wordorder.runtime.errors import InputError
from wordorder.runtime.files import LINES_PER_BLOCK, display_name, line_blocks
from wordorder.runtime.threads import spans

if TYPE_CHECKING:
    import pyarrow as pa


def read_blocks(path: str | os.PathLike[str], *, lines: int = LINES_PER_BLOCK) -> Iterator[pa.LargeStringArray]:
    """Read a text, SGML (``.sgm``) or single-text XML (``.xml``) file as columns of at most ``lines`` lines."""
    import pyarrow as pa
    import pyarrow.compute as pc

    name = os.fspath(path).removesuffix(".gz")
    if name.endswith((".sgm", ".sgml", ".xml")):
        from wordorder.formats import sgml, wmt_xml

        reader = wmt_xml.read_single if name.endswith(".xml") else sgml.read
        column = strings(reader(path))
        yield from (column[start:stop] for start, stop in spans(len(column), lines))
        return
    block = None
    for block in line_blocks(path, lines=lines):
        buffers = pa.py_buffer(block.starts), pa.py_buffer(block.data)
        column = pa.LargeStringArray.from_buffers(len(block.starts) - 1, *buffers)
        try:
            column.validate(full=True)
        except pa.ArrowInvalid:
            for row in range(len(block)):
                block.text(row)  # raises the error that names the line
            raise block.error(0, "is not UTF-8; convert the file") from None
        yield pc.utf8_rtrim(column, characters="\r\n")
    if block is None:
        raise InputError("is empty; expected one sentence per line", path=display_name(path), line=1)


def read(path: str | os.PathLike[str]) -> pa.LargeStringArray:
    """Read a whole text file as one Arrow column."""
    import pyarrow as pa

    return pa.chunked_array(list(read_blocks(path))).combine_chunks()
