"""HTML tables for notebooks and web pages (all special characters are escaped), and the scripts of web pages."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from importlib.resources.abc import Traversable

from wordorder.report.table import Cell, Column, Mark, Table, footer, printable, show_cell


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
    heads = "".join(f"<th{_side(column)}>{_text(column.heading)}</th>" for column in table.columns)
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
    shared = files("wordorder.report") / "browser" / name
    return shared if shared.is_file() else files(package) / "browser" / name
