"""The result of an analysis: tables and charts, each with a name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from wordorder.core.runtime.errors import choices
from wordorder.report.table import Cell, Table, Value

Record = dict[str, Any]

LEVEL = 0.05
"""The significance level: results with smaller p-values are reported as differences."""


Makers = dict[str, Callable[[], Table]]


class Parts(NamedTuple):
    """Functions that build the tables and charts for one kind of study; the first table is the main result."""

    tables: Makers
    charts: Mapping[str, Callable[[], Any]] = {}


@dataclass(frozen=True, eq=False)
class Analysis:
    """The tables of an analysis and the functions that draw its charts, each under its name."""

    tables: Mapping[str, Table]
    charts: Mapping[str, Callable[[], Any]] = field(default_factory=dict)

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.tables.values()))

    def plot(self, kind: str | None = None) -> Any:
        """Draw the named chart (by default the first) with Altair, which the extra ``pictures`` installs."""
        kind = next(iter(self.charts)) if kind is None else kind
        if kind not in self.charts:
            raise choices(kind, list(self.charts), what="chart")
        return self.charts[kind]()

    def to_dict(self) -> dict[str, Any]:
        """Return all tables under their names, as plain data."""
        from wordorder.report import table_document

        return {name: table_document(table) for name, table in self.tables.items()}


def write_p(p: float) -> str:
    """Format a p-value for use in a sentence.

    >>> write_p(0.0312), write_p(0.00001)
    ('p = 0.031', 'p < 0.001')
    """
    return f"p = {p:.2g}" if p >= 0.001 else "p < 0.001"


def wilson(count: int, total: int) -> tuple[float, float]:
    """Return the 95% confidence interval of the proportion ``count / total`` (Wilson 1927).

    >>> tuple(round(bound, 3) for bound in wilson(21, 25))
    (0.653, 0.936)
    """
    from scipy import stats

    if not total:
        return float("nan"), float("nan")
    found = stats.binomtest(count, total).proportion_ci(method="wilson")
    return float(found.low), float(found.high)


def share_cell(count: int, total: int) -> Cell | Value:
    """Return the proportion ``count / total`` with its 95% interval, or None if ``total`` is 0."""
    return Cell(count / total, interval=wilson(count, total), ends=True) if total else None
