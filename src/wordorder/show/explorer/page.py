"""The explorer page: its content, and the single file to which it is written.

The file loads nothing from the network. Data is never interpreted as markup: the browser receives it as JSON and as
packed columns, and displays it as text. The content security policy of the file allows only its own script and style,
identified by their digests.
"""

import base64
import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from wordorder.core.runtime.errors import refuse
from wordorder.core.runtime.files import atomic_write
from wordorder.report.html import browser_file
from wordorder.report.table import Cell, Column, Table, footer, printable, show_cell
from wordorder.show.explorer.packing import Packer
from wordorder.show.explorer.segments import Segments
from wordorder.version import __version__

MODULES = (
    *("elements", "data", "state", "orders", "choosing", "drawing", "marking"),
    *("charts", "overview", "patterns", "list", "segment", "scatter", "toolbar", "main"),
)
"""The JavaScript modules of the page, ordered so that each comes after the modules that it imports."""

_IMPORT = re.compile(r"^import .*?;\n", re.MULTILINE | re.DOTALL)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


@dataclass(frozen=True, eq=False)
class Page:
    """The content of a page: title, tables (the overview first), sets of segments, and the command that made it.

    ``ranking`` has what the charts of the overview show: systems in order, and the differences between them.
    ``patterns`` has groups of patterns, each a sentence with examples and the segments that it leads to.
    """

    title: str
    tables: tuple[Table, ...]
    sets: tuple[Segments, ...] = ()
    command: str = ""
    ranking: Mapping[str, Any] | None = None
    patterns: Mapping[str, Any] | None = None


def check_target(path: str) -> None:
    """Raise an error if no page can be written to this path; call this before any long computation."""
    folder = os.path.dirname(path)
    refuse(path == "-", "a page cannot be written to standard output; give a file name instead")
    refuse(folder and not os.path.isdir(folder), f"{path}: there is no folder {folder}")
    refuse(os.path.isdir(path), f"{path}: expected a file, found a folder")


def write_page(page: Page, path: str | os.PathLike[str]) -> None:
    """Write a page as one self-contained file."""
    check_target(os.fspath(path))
    with atomic_write(path) as target:
        target.write(render_page(page))


def render_page(page: Page) -> str:
    """Return the HTML of a page."""
    packer = Packer()
    sets = [packer.add_segments(segments) for segments in page.sets]
    described = {
        "title": page.title,
        "command": page.command,
        "version": __version__,
        "tables": [_describe_table(table) for table in page.tables],
        "sets": sets,
        "ranking": page.ranking,
        "patterns": page.patterns,
        "bytes": packer.size,
    }
    script, style = join_modules(), read_asset("palette.css") + read_asset("style.css")
    policy = f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}"
    parts = {
        "policy": escape(f"{policy}; base-uri 'none'; form-action 'none'"),
        "generator": escape(f"wordorder {__version__}"),
        "title": escape(printable(page.title)),
        "style": style,
        "page": _json(described),
        "data": packer.packed(),
        "script": script,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], read_asset("page.html"))


def join_modules() -> str:
    """Return all JavaScript modules as one script, because a page opened from disk cannot import other files."""
    return "".join(_EXPORT.sub("", _IMPORT.sub("", read_asset(f"{name}.js"))) for name in MODULES)


def read_asset(name: str) -> str:
    """Return the content of a file of the code that runs in the browser."""
    return browser_file("wordorder.show.explorer", name).read_text("utf-8")


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _json(value: Any) -> str:
    """Return JSON that cannot close the HTML element that contains it.

    >>> _json("</script>")
    '"\\\\u003c/script>"'
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "replace").decode().replace("<", "\\u003c")


def _describe_table(table: Table) -> dict[str, Any]:
    return {
        "title": table.title,
        "columns": [
            {"name": column.heading or column.name, "left": column.align == "left"} for column in table.columns
        ],
        "rows": [list(map(_describe_cell, row, table.columns)) for row in table.rows],
        "notes": footer(table),
    }


def _describe_cell(cell: Cell, column: Column) -> dict[str, Any]:
    labels = [mark.meaning for mark in cell.marked()]
    number = cell.value if isinstance(cell.value, (int, float)) else None
    return {**show_cell(cell, column)._asdict(), "labels": labels, "number": number, "bounds": cell.interval}
