"""The result of an analysis: tables by name, and what can be drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from wordorder.core.runtime.errors import choices
from wordorder.report.table import Cell, Column, Table, Value

Record = dict[str, Any]

LEVEL = 0.05
"""A test whose p is below this is said to have found something."""


@dataclass(frozen=True, eq=False)
class Analysis:
    """Tables, and the charts that can be made of the findings; the first of ``main`` is the finding itself."""

    tables: Mapping[str, Table]
    charts: Mapping[str, Callable[[], Any]] = field(default_factory=dict)
    main: str = ""

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.tables.values()))

    def plot(self, kind: str | None = None) -> Any:
        """Draw an Altair chart (extra ``pictures``)."""
        names = list(self.charts)
        if not names:
            raise choices(str(kind), [], what="chart")
        if kind is not None and kind not in names:
            raise choices(kind, names, what="chart")
        return self.charts[kind or names[0]]()

    def to_dict(self) -> dict[str, Any]:
        """Return all tables as plain data."""
        from wordorder.report import table_document

        return {name: table_document(table) for name, table in self.tables.items()}

    def prepend(self, name: str, table: Table) -> Analysis:
        """Put a table before all others."""
        return replace(self, tables={name: table, **self.tables})

    def split_empty(self) -> tuple[Analysis, list[str]]:
        """Return the analysis without the tables that say nothing, and their names."""
        empty = [name for name, table in self.tables.items() if _is_empty(table)]
        kept = {name: table for name, table in self.tables.items() if name not in empty}
        return replace(self, tables=kept), empty

    def compare(self, whole: Analysis) -> Analysis:
        """Put the main table of an analysis of everybody under that of the people who passed."""
        rows = [
            (Cell(who), *row) for who, one in (("kept", self), ("all", whole)) for row in one.tables[self.main].rows
        ]
        table = self.tables[self.main]
        columns: list[Column | str] = [Column("people", "left"), *table.columns]
        joined = Table.of(table.title, columns, rows, notes=[*table.notes, "all: including participants left out"])
        return replace(self, tables={**self.tables, self.main: joined})


def _is_empty(table: Table) -> bool:
    """Whether a table has no rows, or none with what it is about: a value, or the p of a test."""
    names = [column.name for column in table.columns]
    told = next((names.index(name) for name in ("value", "p") if name in names), 0)
    values = [row[told].value for row in table.rows]
    return all(value is None or value != value for value in values)


def write_p(p: float) -> str:
    """Write a p value in a sentence.

    >>> write_p(0.0312), write_p(0.00001)
    ('p = 0.031', 'p < 0.001')
    """
    return f"p = {p:.2g}" if p >= 0.001 else "p < 0.001"


def wilson(count: int, total: int) -> tuple[float, float]:
    """Return the 95% interval of a share (Wilson 1927).

    >>> tuple(round(bound, 3) for bound in wilson(21, 25))
    (0.653, 0.936)
    """
    from scipy import stats

    if not total:
        return float("nan"), float("nan")
    found = stats.binomtest(count, total).proportion_ci(method="wilson")
    return float(found.low), float(found.high)


def share_cell(count: int, total: int) -> Cell | Value:
    """Return a share with its interval."""
    return Cell(count / total, interval=wilson(count, total)) if total else None
