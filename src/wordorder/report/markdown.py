"""Tables in Markdown (GitHub's pipe tables): best values in bold, all special characters escaped."""

from __future__ import annotations

import re

from wordorder.report.table import UNBOLD, Cell, Column, Mark, Table, footer, printable, show_cell

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
        lines.append(_line([_escape(column.heading) for column in table.columns]))
        lines.append(_line([":---" if column.align == "left" else "---:" for column in table.columns]))
    for row in table.rows:
        lines.append(_line([_cell(*pair) for pair in zip(row, table.columns, strict=True)]))
    parts = [f"**{_escape(table.title)}**"] if table.title else []
    parts += ["\n".join(lines)] if lines else []
    # Two spaces at the end of a line are a line break in Markdown.
    notes = footer(table, marks=UNBOLD)
    parts += ["  \n".join(_escape(note) for note in notes)] if notes else []
    return "\n\n".join(parts)


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell, column: Column) -> str:
    shown = show_cell(cell, column, marks=UNBOLD)
    value = _escape(shown.value)
    bold = f"**{value}**" if Mark.BEST in cell.marks else value
    return f"{bold}{' ' + shown.interval if shown.interval else ''}{_escape(shown.marks)}"


def _escape(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", printable(text))
