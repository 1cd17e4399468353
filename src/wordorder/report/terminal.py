"""Tables for a terminal. Rows are never wrapped. Colours only highlight what marks also show as characters.

If a table is too wide, its headings are folded, and long names are shortened where a column allows it. If that is not
enough, the gaps between columns become narrower, and lean tables keep only the intervals of their first numbers.
Finally, the columns are split into blocks below each other, each of which starts with the first column. Nothing is
cut off.
"""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import replace
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple, TextIO

from wordorder.report.table import Cell, Mark, Table, footer, printable, shorten_all, show_cell

if TYPE_CHECKING:
    from rich.text import Text

DEFAULT_WIDTH = 80
_SHORT = 8  # headings up to this length are not folded, and names are not shortened to less
# All other marks are yellow.
_STYLES = {Mark.BEST: "bold green", Mark.TIED: "green", Mark.BASELINE: "cyan"} | dict.fromkeys(
    (Mark.UNDECIDED, Mark.UNRANKED), "dim"
)
_LAYOUTS = ((False, 2), (True, 2), (True, 1))
"""The layouts from widest to narrowest: whether headings are folded, and the gap between columns."""


class _Column(NamedTuple):
    """A column ready for drawing: the lines of its heading and its cells, all padded to the same width."""

    heading: list[Text]
    cells: list[Text]
    width: int


def render_terminal(table: Table, *, width: int = DEFAULT_WIDTH) -> str:
    """Return a table as plain text, without colours and without a trailing line break."""
    return "\n".join(line.plain.rstrip() for line in _draw(table, width))


def print_terminal(table: Table, file: TextIO) -> None:
    """Print a table to ``file``, fitted to the width of the page, in colour if a terminal supports it."""
    if not file.isatty() and not {"FORCE_COLOR", "TTY_COMPATIBLE"} & os.environ.keys():  # rich would print the same
        file.write(render_terminal(table, width=page_width(file)) + "\n")
        return
    from rich.console import Console

    console = Console(file=file, width=None if file.isatty() else page_width(file))
    with console.capture() as drawn:  # rich would end the process if the reader of a pipe has closed it
        for line in _draw(table, console.width):
            line.rstrip()
            console.print(line, no_wrap=True, overflow="ignore", crop=False, soft_wrap=True)
    console.file.write(drawn.get())  # the stream itself, since these escapes are our own


def page_width(file: TextIO) -> int:
    """Return the width of the terminal; if ``file`` is not a terminal, return $COLUMNS if set, otherwise 80."""
    if file.isatty():
        return shutil.get_terminal_size().columns
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdigit() and int(columns) else DEFAULT_WIDTH


def fold_heading(heading: str, width: int) -> list[str]:
    """Split a heading, such as a metric with parameters, into lines of at most ``width`` characters if possible.

    Lines may end after colons, spaces or hyphens.

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
    blocks, gap = _blocks(table, width)
    for number, block in enumerate(blocks):
        lines += [Text()] * bool(number)
        height = max(len(column.heading) for column in block)
        # Headings are aligned at the bottom, so a short one begins with empty lines.
        empty = [[Text(" " * column.width, style="bold")] * (height - len(column.heading)) for column in block]
        parts = [above + column.heading for above, column in zip(empty, block, strict=True)]
        lines += [Text(" " * gap).join(line) for line in zip(*parts, strict=True)]
        lines.append(Text("─" * (sum(column.width + gap for column in block) - gap)))
        rows = [list(row) for row in zip(*(column.cells for column in block), strict=True)]
        filled = [row for row in rows if len(blocks) == 1 or any(cell.plain.strip() for cell in row[1:])]
        lines += [Text(" " * gap).join(row) for row in filled]
    notes = [printable(line) for line in footer(table)]
    if table.brief:
        notes = [part for line in notes for part in wrap(line, width, break_long_words=False, break_on_hyphens=False)]
    return lines + [Text(line, style="dim") for line in notes]


def _blocks(table: Table, width: int) -> tuple[list[list[_Column]], int]:
    """Return the blocks of columns (only one if they all fit into ``width``) and the gap between columns."""
    if not table.columns:
        return [], 0
    layouts = [(table, *layout) for layout in _LAYOUTS]
    if table.lean:
        layouts += [(_lean(table), *layout) for layout in _LAYOUTS[1:]]
    for shown, folded, gap in layouts:
        columns = _columns(shown, folded=folded, gap=gap)
        excess = sum(column.width + gap for column in columns) - gap - width
        if folded and excess > 0 and any(column.shorten for column in table.columns):
            columns = _columns(_shorten(shown, columns, excess), folded=folded, gap=gap)
            excess = sum(column.width + gap for column in columns) - gap - width
        if excess <= 0:
            return [columns], gap
    folded, gap = _LAYOUTS[1]
    columns = _columns(table, folded=folded, gap=gap)
    # Every block begins with the columns that identify a row: the first one and further left-aligned ones.
    lean = [column.align == "left" for column in table.columns]
    names = lean.index(False, 1) if False in lean[1:] else 1  # if all are left-aligned, only the first
    blocks = [columns[:names]]
    for column in columns[names:]:
        if len(blocks[-1]) > names and sum(other.width + gap for other in blocks[-1]) + column.width > width:
            blocks.append(columns[:names])
        blocks[-1] = [*blocks[-1], column]
    return blocks, gap


def _lean(table: Table) -> Table:
    """Return the table with no intervals but those of the first column of numbers."""
    first = next((place for place, column in enumerate(table.columns) if column.align == "right"), 0)
    rows = tuple(
        tuple(cell if place == first else replace(cell, interval=None) for place, cell in enumerate(row))
        for row in table.rows
    )
    return replace(table, rows=rows)


def _shorten(table: Table, columns: list[_Column], excess: int) -> Table:
    """Return the table with shortened texts, in the columns that allow this."""
    cells = [list(column) for column in zip(*table.rows, strict=True)]
    for place, column in enumerate(table.columns):
        if column.shorten:
            texts = [printable(str(cell.value)) for cell in cells[place]]
            width = max(columns[place].width - max(excess, 0), _SHORT)
            cells[place] = list(map(Cell, shorten_all(texts, width)))
            excess -= columns[place].width - width
    return replace(table, rows=tuple(zip(*cells, strict=True)))


def _columns(table: Table, *, folded: bool, gap: int) -> list[_Column]:
    """Return the columns with cells padded so that values, intervals and marks are aligned."""
    from rich.text import Text

    columns = []
    for place, column in enumerate(table.columns):
        marked = [row[place].marked() for row in table.rows]
        shown = [show_cell(row[place], column) for row in table.rows]
        intervals = [" " * (gap - 1) * bool(cell.interval) + cell.interval for cell in shown]
        room, marks = (max(map(len, parts), default=0) for parts in (intervals, [cell.marks for cell in shown]))
        styles = [_STYLES.get(found[0], "yellow") if found else "" for found in marked]
        cells = [
            Text(f"{cell.value}{interval:<{room}}{cell.marks:<{marks}}", style=style)
            for cell, interval, style in zip(shown, intervals, styles, strict=True)
        ]
        body = max((cell.cell_len for cell in cells), default=0)
        name = printable(column.heading or column.name)
        heading = [Text(line, style="bold") for line in (fold_heading(name, max(body, _SHORT)) if folded else [name])]
        width = max(body, *(line.cell_len for line in heading))
        for text in (*heading, *cells):
            text.align(column.align, width)
        columns.append(_Column(heading, cells, width))
    return columns
