"""Tables in HTML (for notebooks and web pages) and in Markdown (GitHub's pipe tables), and the scripts of web pages.

Best values are bold, and all special characters are escaped.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from wordorder.report.table import UNBOLD, Cell, Column, Mark, Table, footer, printable, show_cell

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


def render_html(table: Table) -> str:
    """Return a table in HTML, with its title as a caption and its notes below.

    >>> print(render_html(Table.of("", [Column("system", "left"), "pef"], [["<A>", 0.5]])))
    <table>
    <thead><tr><th style="text-align:left">system</th><th>pef</th></tr></thead>
    <tbody>
    <tr><td style="text-align:left">&lt;A&gt;</td><td>0.500</td></tr>
    </tbody>
    </table>
    """
    caption = f"<caption>{_text(table.title)}</caption>\n" if table.title else ""
    heads = "".join(f"<th{_side(column)}>{_text(column.heading or column.name)}</th>" for column in table.columns)
    cells = ("".join(_cell(*pair) for pair in zip(row, table.columns, strict=True)) for row in table.rows)
    rows = [f"<tr>{row}</tr>\n" for row in cells]
    body = f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{''.join(rows)}</tbody>"
    notes = "<br>\n".join(_text(note) for note in footer(table))
    return f"<table>\n{caption}{body}\n</table>" + (f"\n<p><small>{notes}</small></p>" if notes else "")


def _cell(cell: Cell, column: Column) -> str:
    shown = show_cell(cell, column)
    value = f"<strong>{_text(shown.value)}</strong>" if Mark.BEST in cell.marks else _text(shown.value)
    return f"<td{_side(column)}>{value}{' ' + shown.interval if shown.interval else ''}{_text(shown.marks)}</td>"


def _side(column: Column) -> str:
    return ' style="text-align:left"' if column.align == "left" else ""


def _text(text: str) -> str:
    return escape(printable(text))


def browser_file(package: str, name: str) -> Traversable:
    """Return a file that web pages need, from the shared folder or else from the folder of ``package``."""
    from importlib.resources import files

    shared = files("wordorder.report") / "browser" / name
    return shared if shared.is_file() else files(package) / "browser" / name


_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|~#&!])")


def render_markdown(table: Table) -> str:
    """Return a table in Markdown, with its title above and its notes below.

    >>> print(render_markdown(Table.of("", [Column("system", "left"), "pef"], [["a|b", 0.5]])))
    | system | pef |
    | :--- | ---: |
    | a\\|b | 0.500 |
    """
    lines = []
    if table.columns:
        lines.append(_markdown_line([_escape_markdown(column.heading or column.name) for column in table.columns]))
        lines.append(_markdown_line([":---" if column.align == "left" else "---:" for column in table.columns]))
    for row in table.rows:
        lines.append(_markdown_line([_markdown_cell(*pair) for pair in zip(row, table.columns, strict=True)]))
    parts = [f"**{_escape_markdown(table.title)}**"] if table.title else []
    parts += ["\n".join(lines)] if lines else []
    # Two spaces at the end of a line are a line break in Markdown.
    notes = footer(table, marks=UNBOLD)
    parts += ["  \n".join(_escape_markdown(note) for note in notes)] if notes else []
    return "\n\n".join(parts)


def _markdown_line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown_cell(cell: Cell, column: Column) -> str:
    shown = show_cell(cell, column, marks=UNBOLD)
    value = _escape_markdown(shown.value)
    bold = f"**{value}**" if Mark.BEST in cell.marks else value
    return f"{bold}{' ' + shown.interval if shown.interval else ''}{_escape_markdown(shown.marks)}"


def _escape_markdown(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", printable(text))
