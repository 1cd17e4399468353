"""Findings for a person: a neutral table and its renderings."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TextIO

from wordorder.report.latex import render_latex
from wordorder.report.markdown import render_markdown
from wordorder.report.records import render_json, render_tsv, table_records
from wordorder.report.table import Cell, Column, Mark, Table, Value
from wordorder.report.terminal import print_terminal, render_terminal
from wordorder.runtime.errors import choices

__all__ = [
    "FORMATS",
    "Cell",
    "Column",
    "Mark",
    "Table",
    "Value",
    "print_table",
    "print_terminal",
    "render",
    "render_json",
    "render_latex",
    "render_markdown",
    "render_terminal",
    "render_tsv",
    "table_records",
]

_RENDERINGS: dict[str, Callable[[Table], str]] = {
    "terminal": render_terminal,
    "tsv": render_tsv,
    "json": render_json,
    "markdown": render_markdown,
    "latex": render_latex,
}
FORMATS = tuple(_RENDERINGS)


def render(table: Table, format: str) -> str:
    """Write a table in one of ``FORMATS``; no line end at its end.

    >>> render(Table.of("Scores", ["pef"], [[0.1 + 0.2]]), "tsv")
    'pef\\n0.30000000000000004'
    """
    if format not in _RENDERINGS:
        raise choices(format, list(FORMATS), what="format")
    return _RENDERINGS[format](table)


def print_table(table: Table, format: str | None = None, *, file: TextIO | None = None) -> None:
    """Print a table; without a ``format`` a terminal gets it drawn, a pipe or file gets TSV."""
    file = sys.stdout if file is None else file
    if format is None:
        format = "terminal" if file.isatty() else "tsv"
    if format == "terminal":
        print_terminal(table, file)
    else:
        file.write(render(table, format) + "\n")
