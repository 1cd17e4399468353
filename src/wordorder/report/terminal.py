"""Tables for a terminal: lined up, no row ever wrapped; marks are characters, and colour only repeats them.

A table that is too wide first folds its headings, then moves closer together, and at last goes into blocks of
columns under one another, each with the first column in front. Nothing is cut off.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TextIO

from wordorder.report.display import Shown, legend, printable, show_cell
from wordorder.report.table import Cell, Mark, Table

if TYPE_CHECKING:
    from rich.text import Text

DEFAULT_WIDTH = 80
_SHORT = 8  # a heading up to here is not folded
_STYLES = {Mark.BEST: "bold green", Mark.TIED: "green", Mark.BASELINE: "cyan", Mark.SIGNIFICANT: "yellow"}


@dataclass(frozen=True)
class _Style:
    """How much room a layout takes: are headings folded, and are columns close together?"""

    folded: bool
    close: bool


_ROOMY = _Style(folded=False, close=False)
_FOLDED = _Style(folded=True, close=False)
_CLOSE = _Style(folded=True, close=True)


@dataclass(frozen=True)
class _Column:
    """A column ready to be laid out: the lines of its heading and its cells, all padded to one width."""

    heading: list[str]
    cells: list[str]
    width: int


def render_terminal(table: Table, *, width: int = DEFAULT_WIDTH) -> str:
    """Draw a table in plain characters, no colour, no line end at its end."""
    return "\n".join(line.plain.rstrip() for line in _draw(table, width))


def print_terminal(table: Table, file: TextIO) -> None:
    """Draw a table as wide as ``file`` is, in colour if it is a terminal that wants it."""
    from rich.console import Console

    console = Console(file=file)
    with console.capture() as drawn:  # rich itself would end the process when the reader of a pipe has gone
        for line in _draw(table, console.width):
            line.rstrip()
            console.print(line, no_wrap=True, overflow="ignore", crop=False, soft_wrap=True)
    file.write(drawn.get())


def fold_heading(heading: str, width: int) -> list[str]:
    """Break a long heading, such as a metric with parameters, after colons, blanks or hyphens.

    >>> fold_heading("full:order=pef:lexical=f1", 11)
    ['full:', 'order=pef:', 'lexical=f1']
    >>> fold_heading("kendall-sqrt", 12)
    ['kendall-sqrt']
    """
    lines = [""]
    for piece in re.split(r"(?<=[:\s-])(?=[^:\s-])", heading):
        if lines[-1] and len((lines[-1] + piece).rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return [line.rstrip() for line in lines]


def _draw(table: Table, width: int) -> list[Text]:
    from rich.text import Text

    lines = [Text(printable(table.title), style="bold")] if table.title else []
    for number, block in enumerate(_blocks(table, width)):
        lines += [Text()] * bool(number) + block
    return lines + [Text(line, style="dim") for line in (*map(printable, table.notes), *legend(table))]


def _blocks(table: Table, width: int) -> list[list[Text]]:
    """Lay the table out in the roomiest style that fits; where none does, in blocks of columns."""
    places = list(range(len(table.columns)))
    if not places:
        return []
    for style in (_ROOMY, _FOLDED, _CLOSE):
        columns = _columns(table, style)
        if _total([column.width for column in columns], style) <= width:
            return [_lines(table, columns, places, style)]
    columns = _columns(table, _FOLDED)
    # What names a row stands at the left of every block: the first column, and those beside it that lean left too.
    names = next((place for place in places[1:] if table.columns[place].align != "left"), 1)  # all lean left: one
    blocks = [places[:names]]
    for place in places[names:]:
        widths = [columns[other].width for other in (*blocks[-1], place)]
        if len(blocks[-1]) > names and _total(widths, _FOLDED) > width:
            blocks.append(places[:names])
        blocks[-1] = [*blocks[-1], place]
    return [_lines(table, columns, block, _FOLDED) for block in blocks]


def _total(widths: list[int], style: _Style) -> int:
    return sum(widths) + len(_gap(style)) * (len(widths) - 1)


def _gap(style: _Style) -> str:
    return " " if style.close else "  "


def _columns(table: Table, style: _Style) -> list[_Column]:
    from rich.cells import cell_len

    columns = []
    for place, column in enumerate(table.columns):
        cells = _line_up([show_cell(row[place], column) for row in table.rows], style)
        body = max(map(cell_len, cells), default=0)
        heading = printable(column.heading)
        lines = fold_heading(heading, max(body, _SHORT)) if style.folded else [heading]
        width = max(body, *map(cell_len, lines))
        pad = partial(_pad, width=width, left=column.align == "left")
        columns.append(_Column(list(map(pad, lines)), list(map(pad, cells)), width))
    return columns


def _line_up(shown: list[Shown], style: _Style) -> list[str]:
    """Join values, intervals and marks so that each stands under its like."""
    space = "" if style.close else " "
    intervals = [space + cell.interval if cell.interval else "" for cell in shown]
    room = max(map(len, intervals), default=0)
    marks = max((len(cell.marks) for cell in shown), default=0)
    pairs = zip(shown, intervals, strict=True)
    return [f"{cell.value}{interval:<{room}}{cell.marks:<{marks}}" for cell, interval in pairs]


def _pad(text: str, *, width: int, left: bool) -> str:
    from rich.cells import cell_len

    blanks = " " * (width - cell_len(text))
    return text + blanks if left else blanks + text


def _lines(table: Table, columns: list[_Column], places: list[int], style: _Style) -> list[Text]:
    from rich.text import Text

    gap = Text(_gap(style))
    chosen = [columns[place] for place in places]
    height = max(len(column.heading) for column in chosen)
    lines = []
    for line in range(height):
        # Headings stand on the rule, so a short one begins with empty lines.
        parts = [([" " * c.width] * (height - len(c.heading)) + c.heading)[line] for c in chosen]
        lines.append(gap.join(Text(part, style="bold") for part in parts))
    lines.append(Text("─" * _total([column.width for column in chosen], style)))
    for number, row in enumerate(table.rows):
        lines.append(gap.join(Text(columns[place].cells[number], style=_style_of(row[place])) for place in places))
    return lines


def _style_of(cell: Cell) -> str:
    return next((_STYLES[mark] for mark in cell.marked()), "")
