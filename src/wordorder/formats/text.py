"""Text files with one sentence per line, read into Arrow columns; other modules read SGML, XML and tables.

Files are in UTF-8; a byte-order mark and carriage returns are tolerated. Lines end at ``\\n`` only and may be empty.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from wordorder.core.runtime.columns import Strings, strings
from wordorder.core.runtime.errors import InputError
from wordorder.core.runtime.files import LINES_PER_BLOCK, Path, display_name, full_name, line_blocks, without_packing
from wordorder.core.runtime.threads import spans
from wordorder.formats import tables
from wordorder.formats.sacrebleu_sets import PREFIX, find_file

_MARKED_UP = (".sgm", ".sgml", ".xml")
_LIKE_TABLE = re.compile(rb'PAR1|ARROW1|\s*\{"')
"""The beginning of a file that is probably a table."""


def read_blocks(
    path: Path, *, lines: int = LINES_PER_BLOCK, expected: str = "one sentence per line"
) -> Iterator[Strings]:
    """Read text, SGML (``.sgm``), XML with one text (``.xml``) or a column of a table in blocks of ``lines`` lines.

    If the file is empty, ``expected`` appears in the error message.
    """
    import pyarrow.compute as pc

    table = None if os.path.exists(path) else tables.split_column(path)
    if table is not None:
        yield from tables.read_blocks(*table, lines=lines)
        return
    path = file_behind(path)
    name = without_packing(path)
    if name.endswith(_MARKED_UP):
        from wordorder.formats import sgml, wmt_xml

        reader = wmt_xml.read_single if name.endswith(".xml") else sgml.read
        column = strings(reader(path))
        yield from (column[start:stop] for start, stop in spans(len(column), lines))
        return
    block = None
    for block in line_blocks(path, lines=lines):
        if block.first_line == 1:
            first = block.data[: block.starts[1]].tobytes()
            if name.endswith(tables.BINARY) or _LIKE_TABLE.match(first):
                tables.check_plain(path, first)
        yield pc.utf8_rtrim(block.column(block.data, block.starts), characters="\r\n")
    if block is None:
        raise InputError(f"the file is empty; expected {expected}", path=display_name(path), line=1)


def file_behind(path: Path) -> str:
    """Return the file or dataset folder from which a text is read, given a path such as ``FILE:column``."""
    name = full_name(path)
    table = None if os.path.exists(name) else tables.split_column(name)
    if table is not None:
        return table[0]
    return find_file(name) if name.startswith(PREFIX) and not os.path.exists(name) else name


def is_plain(path: Path) -> bool:
    """Return whether a text is a plain file of lines and not a table, an SGML file or an XML file."""
    return file_behind(path) == full_name(path) and not without_packing(full_name(path)).endswith(_MARKED_UP)


def read(path: Path, *, most: int | None = None, expected: str = "one sentence per line") -> Strings:
    """Read a whole text file as one Arrow column; raise an error if it has more than ``most`` bytes."""
    import pyarrow as pa

    blocks, size = [], 0
    for block in read_blocks(path, expected=expected):
        blocks.append(block)
        size += block.nbytes
        if most is not None and size > most:
            raise InputError(f"the uncompressed file exceeds the limit of {most >> 20} MB", path=display_name(path))
    return pa.chunked_array(blocks).combine_chunks()
