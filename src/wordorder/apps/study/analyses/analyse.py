"""Analyse a study: screen the participants, build the tables for its kind of study, and report missing answers.

The result consists of tables and charts, each with a name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from wordorder.apps.study.answers import Response, Screening, read_responses, screen
from wordorder.core.runtime.errors import InputError, check_choice, count_of
from wordorder.report.table import Cell, Column, Table, Value

if TYPE_CHECKING:
    import pyarrow as pa

    from wordorder.apps.study.folder import Study


Record = dict[str, Any]

LEVEL = 0.05
"""The significance level: results with smaller p-values are reported as differences."""


MOST_NAMED = 10
"""The number of people whom a message about screening names."""

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
        check_choice(kind, self.charts, "chart")
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


def share_cell(count: int, total: int) -> Cell | Value:
    """Return the proportion ``count / total`` with its 95% interval (Wilson 1927), or None if ``total`` is 0.

    >>> tuple(round(bound, 3) for bound in share_cell(21, 25).interval)
    (0.653, 0.936)
    """
    from scipy import stats

    if not total:
        return None
    low, high = stats.binomtest(count, total).proportion_ci(method="wilson")
    return Cell(count / total, interval=(float(low), float(high)), ends=True)


def analyse(
    study: Study,
    answers: pa.Table,
    *,
    excluded: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    seed: int | None = None,
) -> Analysis:
    """Analyse the answers of the participants who passed screening.

    If somebody was screened out, the main table also shows the result with all participants. ``notes`` are added to
    the table of people.
    """
    responses = [one for one in read_responses(study, answers) if one.role == "person"]
    screening = screen(study, responses, excluded)
    kept = [one for one in responses if one.person not in screening.reasons]
    if not any(one.is_analysed for one in kept):
        raise InputError(_nobody(screening), path=str(study.folder))
    build: Callable[..., Parts] = import_module(f"wordorder.apps.study.analyses.{study.settings.kind}").build
    seed = study.settings.seed if seed is None else seed
    parts = build(study, kept, seed)
    tables = {name: make() for name, make in parts.tables.items()}
    if screening.reasons:
        main, make = next(iter(build(study, responses, seed).tables.items()))
        tables[main] = compare(tables[main], make())
    empty = [name for name, table in tables.items() if _is_empty(table)]
    notes = [*notes, *_shortage(study, kept), *([f"too few answers for: {', '.join(empty)}"] if empty else [])]
    shown = {name: table for name, table in tables.items() if name not in empty}
    charts: dict[str, Callable[[], Any]] = {**parts.charts, "time": partial(draw_times, kept)}
    return Analysis({"people": screening.table().noting(*notes), **shown}, charts)


def _nobody(screening: Screening) -> str:
    """Say why nobody is left, person by person."""
    if not screening.reasons:
        return "nobody has answered an item that is analysed"
    named = [f"{person} ({reason})" for person, reason in screening.reasons.items()]
    more = f" and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
    counts = f"{len(named)} of {count_of(len(screening.people), 'person', 'people')}"
    return f"nobody is left to analyse; left out: {counts}: {', '.join(named[:MOST_NAMED])}{more}"


def compare(kept: Table, whole: Table) -> Table:
    """Return a table with the rows for participants who passed screening, followed by those for all."""
    rows = [(Cell(people), *row) for people, table in (("kept", kept), ("all", whole)) for row in table.rows]
    columns: list[Column | str] = [Column("people", "left"), *kept.columns]
    return Table.of(kept.title, columns, rows, notes=[*kept.notes, "all: including participants left out"])


def _is_empty(table: Table) -> bool:
    """Return whether a table has no results: the column "value" or "p", or else the first one, is empty."""
    names = [column.name for column in table.columns]
    decisive = next((names.index(name) for name in ("value", "p") if name in names), 0)
    values = [row[decisive].value for row in table.rows]
    return all(value is None or value != value for value in values)


def _shortage(study: Study, kept: Sequence[Response]) -> Iterator[str]:
    """Yield a warning if some items still have too few answers."""
    counts = Counter(one.item.id for one in kept if one.is_analysed)
    items = [item.id for item in study.items if item.role == "item"]
    wanted = study.settings.people.per_item
    complete = sum(counts[item] >= wanted for item in items)
    if complete < len(items):
        people = count_of(len({one.person for one in kept}), "participant")
        have = "has" if complete == 1 else "have"
        answers = "answer" if wanted == 1 else f"{wanted} answers"
        yield f"only {people}; {complete} of {count_of(len(items), 'item')} {have} the {answers} wanted"


def draw_times(responses: Sequence[Response]) -> Any:
    """Draw histograms of the response times in seconds."""
    from wordorder.report.charts.forms import plot_histograms

    records = [
        {"seconds": min(one.seconds, 120.0), "condition": one.item.condition or one.item.role}
        for one in responses
        if one.seconds is not None and one.item.role == "item"
    ]
    return plot_histograms(records, value="seconds", series="condition")
