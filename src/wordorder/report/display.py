"""How a cell reads: the words, figures and marks that all renderings for people share."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from wordorder.report.table import Cell, Column, Mark, Table

UNDEFINED = "–"


@dataclass(frozen=True)
class Shown:
    """A cell as characters: its value, its interval (``±.012``) and its marks (``*~``), each perhaps empty."""

    value: str
    interval: str
    marks: str


def show_cell(cell: Cell, column: Column) -> Shown:
    """Write a cell as its column wants it.

    >>> show_cell(Cell(0.53412, interval=(0.52, 0.544), marks=frozenset({Mark.BEST})), Column("kendall"))
    Shown(value='0.534', interval='±.012', marks='*')
    """
    return Shown(
        value=_show_value(cell, column),
        interval="" if cell.interval is None or cell.value is None else _show_interval(cell.interval, column),
        marks="".join(mark.symbol for mark in cell.marked()),
    )


def legend(table: Table, *, marks: Iterable[Mark] = Mark) -> list[str]:
    """Explain the signs a table uses, ready to stand under it.

    >>> legend(Table.of("", ["x"], [[Cell(1.0, interval=(0.9, 1.0), marks=frozenset({Mark.BEST}))]]))
    ['±: half the width of the interval', '*: best']
    """
    cells = [cell for row in table.rows for cell in row]
    lines = []
    if any(cell.interval is not None and cell.value is not None for cell in cells):
        lines.append("±: half the width of the interval")
    used = frozenset[Mark]().union(*(cell.marks for cell in cells))
    return lines + [f"{mark.symbol}: {mark.meaning}" for mark in marks if mark in used]


def printable(text: str) -> str:
    """Keep text on one line and harmless: control characters become blanks, broken ones the replacement sign.

    >>> printable("a\\tb\\x1b[31m\\udcff")
    'a b [31m\\ufffd'
    """
    if text.isprintable():
        return text
    return "".join(_printable(character) for character in text)


def _printable(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Cs":
        return "\N{REPLACEMENT CHARACTER}"
    return " " if category in ("Cc", "Zl", "Zp") else character


def _show_value(cell: Cell, column: Column) -> str:
    if cell.value is None:
        return UNDEFINED
    if isinstance(cell.value, float):
        return format(cell.value, column.number)
    return printable(str(cell.value))


def _show_interval(interval: tuple[float, float], column: Column) -> str:
    """Write half the width; a fraction loses its leading zero, because twelve columns of them have to fit."""
    half = format((interval[1] - interval[0]) / 2, column.number)
    return "±" + (half[1:] if half.startswith("0.") else half)
