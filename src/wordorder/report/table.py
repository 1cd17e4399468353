"""A neutral table: what is to be said, without how it is drawn; and how a cell reads in every rendering for people.

Values are kept unrounded; rounding, marks and intervals become characters only in a rendering.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal, NamedTuple

import numpy as np

from wordorder.runtime.errors import UsageError

Value = str | int | float | None

UNDEFINED = "–"


class Mark(Enum):
    """What is special about a cell: its name in data formats, its character in text, and its meaning."""

    BEST = ("best", "*", "best")
    TIED = ("tied", "~", "not significantly different from the best")
    BASELINE = ("baseline", "#", "baseline")
    SIGNIFICANT = ("significant", "!", "significantly different from the baseline")
    UNDECIDED = (
        "undecided",
        "?",
        "cannot be told: with so few segments or samples nothing could be significant",
    )

    def __init__(self, label: str, symbol: str, meaning: str) -> None:
        self.label = label
        self.symbol = symbol
        self.meaning = meaning


UNBOLD = tuple(mark for mark in Mark if mark is not Mark.BEST)
"""The marks that need a character where the best is shown in bold."""


@dataclass(frozen=True)
class Cell:
    """One value, None where it is undefined, with its interval and marks if it has any.

    NaN becomes None and numpy numbers become Python numbers, so that cells compare and print as expected.

    >>> Cell(float("nan")) == Cell(None), Cell(0.5, interval=(0.25, float("nan"))).interval
    (True, None)
    """

    value: Value
    interval: tuple[float, float] | None = None
    marks: frozenset[Mark] = frozenset()

    def __post_init__(self) -> None:
        numbers = (self.value, *(self.interval or ()))
        bare = [number.item() if isinstance(number, np.generic) else number for number in numbers]
        value, *bounds = (None if number != number else number for number in bare)  # NaN alone differs from itself
        object.__setattr__(self, "value", value)
        object.__setattr__(self, "interval", tuple(bounds) if bounds and None not in bounds else None)

    def marked(self) -> list[Mark]:
        """Return the marks in the order of their definition."""
        return [mark for mark in Mark if mark in self.marks]


@dataclass(frozen=True)
class Column:
    """A column's name, the side its cells lean to, and how its numbers are written.

    ``number`` is a format specification for fractions (``.3f``, ``.1%``, ``.2g``); whole numbers are written in full.
    """

    name: str
    align: Literal["left", "right"] = "right"
    number: str = ".3f"


@dataclass(frozen=True)
class Table:
    """A title, columns, rows of cells, and notes under the table.

    >>> table = Table.of("Scores", [Column("system", "left"), "kendall"], [["A", 0.53125], ["B", None]])
    >>> table.rows[0][1].value
    0.53125
    >>> print(table)
    Scores
    system  kendall
    ───────────────
    A         0.531
    B             –
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        title: str,
        columns: Iterable[Column | str],
        rows: Iterable[Sequence[Cell | Value]] = (),
        *,
        notes: Iterable[str] = (),
    ) -> Table:
        """Make a table from columns or their names and rows of cells or bare values."""
        known = tuple(column if isinstance(column, Column) else Column(column) for column in columns)
        cells = tuple(tuple(cell if isinstance(cell, Cell) else Cell(cell) for cell in row) for row in rows)
        names = [column.name for column in known]
        for name in names:
            if names.count(name) > 1:
                raise UsageError(f"two columns of a table are called {name!r}")
        for number, row in enumerate(cells, start=1):
            if len(row) != len(names):
                raise UsageError(f"row {number} has {len(row)} cells, expected {len(names)}: one per column")
        return cls(title, known, cells, tuple(notes))

    def __str__(self) -> str:
        from wordorder.report.terminal import render_terminal

        return render_terminal(self)

    def _repr_html_(self) -> str:
        """Show the table in a notebook."""
        from wordorder.report.html import render_html

        return render_html(self)


class Shown(NamedTuple):
    """A cell as characters: its value, its interval (``±.012``) and its marks (``*~``), each perhaps empty."""

    value: str
    interval: str
    marks: str


def show_cell(cell: Cell, column: Column, *, marks: Iterable[Mark] = Mark) -> Shown:
    """Write a cell as its column wants it, with those of its ``marks`` that are shown.

    >>> show_cell(Cell(0.53412, interval=(0.52, 0.544), marks=frozenset({Mark.BEST})), Column("kendall"))
    Shown(value='0.534', interval='±.012', marks='*')
    """
    interval = ""
    if cell.value is None:
        value = UNDEFINED
    else:
        value = format(cell.value, column.number) if isinstance(cell.value, float) else printable(str(cell.value))
        if cell.interval is not None:
            half = format((cell.interval[1] - cell.interval[0]) / 2, column.number)
            # A fraction loses its leading zero, because twelve columns of them have to fit.
            interval = "±" + (half[1:] if half.startswith("0.") else half)
    return Shown(value, interval, "".join(mark.symbol for mark in marks if mark in cell.marks))


def legend(table: Table, *, marks: Iterable[Mark] = Mark) -> list[str]:
    """Explain the signs a table uses, ready to stand under it.

    >>> legend(Table.of("", ["x"], [[Cell(1.0, interval=(0.9, 1.0), marks=frozenset({Mark.BEST}))]]))
    ['±: half the width of the interval', '*: best']
    """
    cells = [cell for row in table.rows for cell in row]
    intervals = any(cell.interval is not None and cell.value is not None for cell in cells)
    used = frozenset[Mark]().union(*(cell.marks for cell in cells))
    lines = ["±: half the width of the interval"] if intervals else []
    return lines + [f"{mark.symbol}: {mark.meaning}" for mark in marks if mark in used]


def printable(text: str) -> str:
    """Keep text on one line and harmless: control characters become spaces, broken ones the replacement sign.

    >>> printable("a\\tb\\x1b[31m\\udcff")
    'a b [31m\\ufffd'
    """
    if text.isprintable():
        return text
    signs = {"Cs": "\N{REPLACEMENT CHARACTER}", "Cc": " ", "Zl": " ", "Zp": " "}
    return "".join(signs.get(unicodedata.category(character), character) for character in text)


def write_signature(signature: Mapping[str, Any]) -> str:
    """Write a signature, which says what is needed to make a number again, in one line like sacreBLEU's.

    >>> write_signature({"metrics": ["pef", "bleu"], "seed": 1})
    'metrics:pef,bleu|seed:1'
    """
    return "|".join(
        f"{key}:{','.join(map(str, value)) if isinstance(value, list) else value}" for key, value in signature.items()
    )
