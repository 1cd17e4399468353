"""Groups of segments, such as documents or test sets by amount of reordering: what is scored on its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wordorder.metrics.base import Array
from wordorder.report.table import Cell, Column, Table
from wordorder.runtime.errors import InputError

if TYPE_CHECKING:
    from wordorder.scoring.scores import Scores

Groups = dict[str, NDArray[np.int64]]
"""The segments of each group."""

BUCKETS = ("none", "low", "medium", "high")
"""Test sets by amount of reordering, as ``wordorder profile --buckets`` names them."""

NO_BUCKET = "-"
"""What stands in a file of buckets for a segment that is in none."""


def document_groups(ids: Sequence[str]) -> Groups:
    """Give the segments of each document, documents in the order of their first segment.

    >>> {name: rows.tolist() for name, rows in document_groups(["b", "a", "b"]).items()}
    {'b': [0, 2], 'a': [1]}
    """
    groups: dict[str, list[int]] = {}
    for row, name in enumerate(ids):
        groups.setdefault(name, []).append(row)
    return {name: np.array(rows, dtype=np.int64) for name, rows in groups.items()}


def bucket_groups(names: Sequence[str]) -> Groups:
    """Give the segments of each bucket: none, low, medium, high first; segments in no bucket are left out.

    >>> {name: rows.tolist() for name, rows in bucket_groups(["high", "-", "none", "odd", "high"]).items()}
    {'none': [2], 'high': [0, 4], 'odd': [3]}
    """
    groups = document_groups([name.strip() for name in names])
    for nowhere in (NO_BUCKET, ""):
        groups.pop(nowhere, None)
    if not groups:
        raise InputError(f"no segment is in a bucket: every one is marked {NO_BUCKET!r}")
    order = [*(name for name in BUCKETS if name in groups), *(name for name in groups if name not in BUCKETS)]
    return {name: groups[name] for name in order}


def group_table(scores: Scores, what: str, groups: Groups) -> Table:
    """Make the table of scores per group and system; the best system of each group is marked."""
    names = [str(metric) for metric in scores.metrics]
    columns = [Column(what, "left"), Column("system", "left"), Column("segments"), *map(Column, names)]
    rows: list[list[Cell | str | int]] = []
    for name, members in groups.items():
        part = scores.subset(members)
        low, high = _intervals(part)
        marks = part.mark_best()
        for s, system in enumerate(part.systems):
            cells = [
                Cell(part.values[s, m], (low[s, m], high[s, m]), frozenset(marks[s][m])) for m in range(len(names))
            ]
            rows.append([name, system, len(part), *cells])
    notes = scores.notes()
    if len(scores.systems) > 1:
        notes.insert(1, f"* is the best of its {what}; differences within a {what} were not tested")
    outside = len(scores) - sum(map(len, groups.values()))
    if outside:
        notes.insert(1, f"in no {what}, and left out: {outside} segments")
    return Table.of("", columns, rows, notes=notes)


def group_records(scores: Scores, groups: Groups) -> list[dict[str, Any]]:
    """Give the scores of every group as plain data."""
    parts = {name: scores.subset(members) for name, members in groups.items()}
    return [
        {"name": name, "segments": len(part), "systems": part.system_records(_intervals(part))}
        for name, part in parts.items()
    ]


def _intervals(part: Scores) -> tuple[Array, Array]:
    """Give the intervals, or none where there is nothing to draw from: a single segment or document."""
    units = len(part) if part.resampled_groups is None else len(np.unique(part.resampled_groups))
    if units > 1:
        return part.intervals
    nothing = np.full_like(part.values, np.nan)
    return nothing, nothing
