"""Text files with one sentence per line, read into Arrow columns; other modules read XML and tables.

Files are in UTF-8; a byte-order mark and carriage returns are tolerated. Lines end at ``\\n`` only and may be empty.

A name such as ``sacrebleu:wmt14:en-de:ref`` is a test set that sacreBLEU has already downloaded.

WMT test sets in SGML (up to 2020) have segments ``<doc …><seg id="1">text</seg>…``. The files are not valid XML (they
have unescaped ``&``, and tags such as ``<hl>`` and ``<p>`` anywhere), so segments are found by their tags. They are
returned in file order, because segment numbers start again in every document.

Parallel text in the format of fast_align has one pair ``source words ||| target words`` per line.
"""

import html
import os
import re
from collections.abc import Iterator

import numpy as np

from wordorder.core.runtime.columns import Strings, strings
from wordorder.core.runtime.errors import InputError, UsageError, excerpt, reject
from wordorder.core.runtime.files import LINES_PER_BLOCK, Path, display_name, full_name, line_blocks, without_packing
from wordorder.core.runtime.libraries import pa, pc
from wordorder.core.runtime.threads import spans
from wordorder.formats import tables

_SACREBLEU = "sacrebleu:"


def _sacrebleu_file(name: str) -> str:
    """Return the path of the file ``sacrebleu:SET:PAIR:FIELD``; the field is ``src``, ``ref`` or ``ref:B``."""
    test_set, _, rest = name.removeprefix(_SACREBLEU).partition(":")
    pair, _, field = rest.partition(":")
    if not (test_set and pair and field):
        raise UsageError(f"{name}: expected a test set, language pair and src or ref, like sacrebleu:wmt14:en-de:ref")
    root = os.environ.get("SACREBLEU") or os.path.join(os.path.expanduser("~"), ".sacrebleu")
    folder = os.path.join(root, test_set)
    path = os.path.join(folder, f"{test_set.replace('/', '_')}.{pair}.{field.replace(':', '-')}")
    if not os.path.isfile(path):
        raise UsageError(f"{path}: no such file; download it with: sacrebleu -t {test_set} -l {pair} --echo {field}")
    return path


_MARKED_UP = (".sgm", ".sgml", ".xml")
_LIKE_TABLE = re.compile(rb'PAR1|ARROW1|\s*\{"')
"""The beginning of a file that is probably a table."""


def read_blocks(
    path: Path, *, lines: int = LINES_PER_BLOCK, expected: str = "one sentence per line"
) -> Iterator[Strings]:
    """Read text, SGML (``.sgm``), XML with one text (``.xml``) or a column of a table in blocks of ``lines`` lines.

    If the file is empty, ``expected`` appears in the error message.
    """
    table = None if os.path.exists(path) else tables.split_column(path)
    if table is not None:
        yield from tables.read_blocks(*table, lines=lines)
        return
    path = file_behind(path)
    name = without_packing(path)
    if name.endswith(_MARKED_UP):
        from wordorder.formats import wmt_xml

        reader = wmt_xml.read_single if name.endswith(".xml") else read_sgml
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
    reject(block is None, f"the file is empty; expected {expected}", path=display_name(path), line=1)


def file_behind(path: Path) -> str:
    """Return the file or dataset folder from which a text is read, given a path such as ``FILE:column``."""
    name = full_name(path)
    table = None if os.path.exists(name) else tables.split_column(name)
    if table is not None:
        return table[0]
    return _sacrebleu_file(name) if name.startswith(_SACREBLEU) and not os.path.exists(name) else name


def is_plain(path: Path) -> bool:
    """Return whether a text is a plain file of lines and not a table, an SGML file or an XML file."""
    return file_behind(path) == full_name(path) and not without_packing(full_name(path)).endswith(_MARKED_UP)


def read(path: Path, *, most: int | None = None, expected: str = "one sentence per line") -> Strings:
    """Read a whole text file as one Arrow column; raise an error if it has more than ``most`` bytes."""
    blocks, size = [], 0
    for block in read_blocks(path, expected=expected):
        blocks.append(block)
        size += block.nbytes
        if most is not None and size > most:
            raise InputError(f"the uncompressed file exceeds the limit of {most >> 20} MB", path=display_name(path))
    return pa.chunked_array(blocks).combine_chunks()


_TAG = re.compile(r"<\s*+(/?)\s*+(seg|doc|refset|srcset|tstset)\b[^>]*>", re.IGNORECASE)


def read_sgml(path: Path) -> list[str]:
    """Read all segments of an SGML file in file order."""
    name = display_name(path)
    segments: list[str] = []
    opened: tuple[int, list[str]] | None = None
    number = 0
    for block in line_blocks(path):
        for row in range(len(block)):
            number = block.first_line + row
            line = block.text(row)
            position = 0
            for tag in _TAG.finditer(line, 0, line.rfind(">") + 1):  # a tag must end on this line
                if opened is not None:
                    opened[1].append(line[position : tag.start()])
                position = tag.end()
                closing, kind = tag[1], tag[2].lower()
                if kind == "seg" and not closing:
                    if opened is not None:
                        raise InputError(f"found <seg> inside the <seg> of line {opened[0]}", path=name, line=number)
                    opened = (number, [])
                elif kind == "seg":
                    if opened is None:
                        raise InputError("found </seg> without <seg> before it", path=name, line=number)
                    segments.append(html.unescape(" ".join("".join(opened[1]).split())))
                    opened = None
            if opened is not None:
                opened[1].append(line[position:] + " ")
    if opened is not None:
        raise InputError(f"<seg> without </seg>: {excerpt(''.join(opened[1]).strip())}", path=name, line=opened[0])
    reject(not segments, "no <seg> found; expected a WMT test set in SGML", path=name, line=max(number, 1))
    return segments


_BARS = "|||"


def read_bitext(path: Path) -> tuple[Strings, Strings]:
    """Return the source and target sides of parallel text; every line must have exactly one ``|||``."""
    lines = read(path)
    counts = pc.count_substring(lines, _BARS)
    wrong = int(np.argmax(np.from_dlpack(counts) != 1))
    if counts[wrong].as_py() != 1:
        found = f"{excerpt(lines[wrong].as_py())} has {counts[wrong].as_py()} separators"
        raise InputError(f"{found}; expected 'source {_BARS} target'", path=display_name(path), line=wrong + 1)
    sides = pc.split_pattern(lines, _BARS).flatten()
    source, target = (pc.utf8_trim_whitespace(sides[s::2]) for s in (0, 1))
    return source, target
