"""WMT test sets in SGML (up to 2020): ``<doc …><seg id="1">text</seg>…``.

The files are not valid XML (they have unescaped ``&``, and tags such as ``<hl>`` and ``<p>`` anywhere), so segments
are found by their tags. They are returned in file order, because segment numbers start again in every document.
"""

from __future__ import annotations

import html
import re

from wordorder.core.runtime.errors import InputError, excerpt
from wordorder.core.runtime.files import Path, display_name, line_blocks

_TAG = re.compile(r"<\s*+(/?)\s*+(seg|doc|refset|srcset|tstset)\b[^>]*>", re.IGNORECASE)


def read(path: Path) -> list[str]:
    """Read all segments in file order."""
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
    if not segments:
        raise InputError("no <seg> found; expected a WMT test set in SGML", path=name, line=max(number, 1))
    return segments
