"""Do metrics agree with each other? Pearson's r of every two of them, over documents or segments."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from wordorder.metrics.base import Array
from wordorder.report.table import Cell, Column, Table
from wordorder.runtime.errors import UsageError
from wordorder.scoring.groups import document_groups
from wordorder.statistics import correlate

if TYPE_CHECKING:
    from wordorder.scoring.scores import Scores


def correlation_table(scores: Scores) -> Table:
    """Correlate every two metrics over documents, or segments where no documents are known.

    ``r`` is over the scores of all systems, ``delta-r`` over the differences between every two systems on the same
    document: what is hard about the document drops out (Kahn, Ostendorf & Roark 2009).
    """
    if len(scores.metrics) < 2:
        raise UsageError("a correlation needs two metrics or more")
    unit, values = unit_scores(scores)
    left, right = np.triu_indices(len(scores.systems), k=1)
    changes = values[:, left] - values[:, right]
    names = [str(metric) for metric in scores.metrics]
    rows: list[list[Cell | str]] = []
    for a, b in combinations(range(len(names)), 2):
        pooled, change = (correlate(part[a].ravel(), part[b].ravel()) for part in (values, changes))
        rows.append([names[a], names[b], Cell(pooled.value), Cell(change.value)])
    columns = [Column("metric", "left"), Column("with", "left"), Column("r"), Column("delta-r")]
    count = f"{values.shape[2]} {unit}s, {len(scores.systems)} systems"
    meaning = f"delta-r: of differences between two systems on one {unit}"
    return Table.of("", columns, rows, notes=[f"Pearson's r over {count}; {meaning}", scores.signature_text()])


def unit_scores(scores: Scores) -> tuple[str, Array]:
    """Give what is correlated, documents or segments, and its scores, ``[metrics, systems, units]``."""
    if scores.documents is None:
        values = [[scores.segment_scores(system, metric) for system in scores.systems] for metric in scores.metrics]
        return "segment", np.array(values)
    parts = [scores.subset(members).values for members in document_groups(scores.documents).values()]
    return "document", np.stack(parts).transpose(2, 1, 0)
