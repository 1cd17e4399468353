"""The explorer page for scores, with all tables and every segment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordorder.core.runtime.errors import count_of
from wordorder.report.table import Column, Table
from wordorder.scoring.scores import Scores
from wordorder.scoring.tables import groups_table, scores_table
from wordorder.show.explorer.gathering import gather_segments
from wordorder.show.explorer.page import Page

if TYPE_CHECKING:
    from wordorder.formats.sources import TextSource


def scores_page(
    scores: Scores, *, title: str | None = None, source: TextSource | None = None, command: str = ""
) -> Page:
    """Return a page with the score table, any tables of buckets, documents and significance tests, and every segment.

    ``source`` is the source text to show if the scored inputs do not contain it.
    """
    tables = [scores_table(scores)]
    for what, names in (("bucket", scores.buckets), ("document", scores.documents)):
        tables += [groups_table(scores, what)] if names is not None else []
    tables += [_tests_table(scores)] if scores.comparisons else []
    title = title or f"Scores of {count_of(len(scores.systems), 'system')}"
    return Page(title, tuple(tables), (gather_segments(scores, source=source),), command)


def _tests_table(scores: Scores) -> Table:
    texts = ("metric", "a", "b")
    columns = [Column(name, "left") for name in texts]
    columns += [Column("difference"), Column("p", number=".4f"), Column("p corrected", number=".4f")]
    rows: list[list[str | float]] = [
        [found.metric, found.a, found.b, found.difference, found.p, found.p_corrected] for found in scores.comparisons
    ]
    note = f"paired {scores.test}: a − b; p corrected over the comparisons of a metric"
    return Table.of("Which differences are significant?", columns, rows, notes=[note])
