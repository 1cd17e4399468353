"""A neutral table: what is to be said, without how it is drawn.

Values are kept unrounded; rounding, marks and intervals become characters only in a rendering.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal

import numpy as np

from wordorder.runtime.errors import UsageError

Value = str | int | float | None


class Mark(Enum):
    """What is special about a cell: its name in data formats, its character in text, and its meaning."""

    BEST = ("best", "*", "best")
    TIED = ("tied", "~", "not significantly different from the best")
    BASELINE = ("baseline", "#", "baseline")
    SIGNIFICANT = ("significant", "!", "significantly different from the baseline")

    def __init__(self, label: str, symbol: str, meaning: str) -> None:
        self.label = label
        self.symbol = symbol
        self.meaning = meaning


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
        object.__setattr__(self, "value", _plain(self.value))
        object.__setattr__(self, "marks", frozenset(self.marks))
        if self.interval is not None:
            low, high = (_plain(bound) for bound in self.interval)
            object.__setattr__(self, "interval", None if low is None or high is None else (low, high))

    def marked(self) -> list[Mark]:
        """Give the marks in the order of their definition."""
        return [mark for mark in Mark if mark in self.marks]


@dataclass(frozen=True)
class Column:
    """A column's name, the side its cells lean to, how its numbers are written, and their unit.

    ``number`` is a format specification for fractions (``.3f``, ``.1%``, ``.2g``); whole numbers are written in full.
    """

    name: str
    align: Literal["left", "right"] = "right"
    number: str = ".3f"
    unit: str = ""

    def __post_init__(self) -> None:
        if self.align not in ("left", "right"):
            raise UsageError(f"a column leans 'left' or 'right', not {self.align!r}")
        try:
            format(0.5, self.number)
        except ValueError:
            raise UsageError(f"{self.number!r} is no number format; expected one like '.3f' or '.1%'") from None

    @property
    def heading(self) -> str:
        """The name with its unit."""
        return f"{self.name} ({self.unit})" if self.unit else self.name


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

    def __post_init__(self) -> None:
        names = [column.name for column in self.columns]
        for name in names:
            if names.count(name) > 1:
                raise UsageError(f"two columns of a table are called {name!r}")
        for number, row in enumerate(self.rows, start=1):
            if len(row) != len(names):
                raise UsageError(f"row {number} has {len(row)} cells, expected {len(names)}: one per column")

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
        return cls(
            title,
            tuple(column if isinstance(column, Column) else Column(column) for column in columns),
            tuple(tuple(cell if isinstance(cell, Cell) else Cell(cell) for cell in row) for row in rows),
            tuple(notes),
        )

    def __str__(self) -> str:
        from wordorder.report.terminal import render_terminal

        return render_terminal(self)

    def _repr_markdown_(self) -> str:
        """Show the table in a notebook."""
        from wordorder.report.markdown import render_markdown

        return render_markdown(self)


def _plain(value: Any) -> Any:
    """Turn numpy scalars into Python values and NaN into None."""
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and math.isnan(value) else value
