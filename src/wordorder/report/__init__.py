"""Tables of results, written in formats for people (such as LaTeX) or for programs (such as JSON)."""

from collections.abc import Callable

from wordorder.core.runtime.errors import choices
from wordorder.report.html import render_html, render_markdown
from wordorder.report.latex import render_latex
from wordorder.report.records import render_csv, render_json, render_tsv, table_document, table_records
from wordorder.report.table import Cell, Column, Mark, Style, Table
from wordorder.report.terminal import render_terminal

__all__ = ["DATA", "FORMATS", "Cell", "Column", "Mark", "Style", "Table", "render", "table_document", "table_records"]

_RENDERINGS: dict[str, Callable[[Table], str]] = {
    "table": render_terminal,
    "tsv": render_tsv,
    "csv": render_csv,
    "json": render_json,
    "markdown": render_markdown,
    "latex": render_latex,
    "html": render_html,
}
FORMATS = tuple(_RENDERINGS)

DATA = ("tsv", "csv", "json")
"""The formats for programs; they do not round numbers."""


def render(table: Table, format: str) -> str:
    """Return a table as text in one of ``FORMATS``, without a trailing line break.

    >>> render(Table.of("Scores", ["pef"], [[0.1 + 0.2]]), "tsv")
    'pef\\n0.30000000000000004'
    """
    if format not in _RENDERINGS:
        raise choices(format, list(FORMATS), what="format")
    return _RENDERINGS[format](table)
