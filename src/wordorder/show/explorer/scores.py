"""The explorer page for scores, with all tables and every segment."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from wordorder.core.runtime.errors import count_of
from wordorder.core.runtime.plain import plain
from wordorder.scoring.comparison import compared_table, unranked_notes
from wordorder.scoring.ranking import order_systems
from wordorder.scoring.scores import Scores
from wordorder.scoring.tables import groups_table, score_notes, scores_table
from wordorder.scoring.verdicts import answer
from wordorder.scoring.worst import order_metric
from wordorder.show.explorer.gathering import gather_segments
from wordorder.show.explorer.packing import short_names
from wordorder.show.explorer.page import Page

if TYPE_CHECKING:
    from wordorder.formats.sources import TextSource


def scores_page(
    scores: Scores, *, title: str | None = None, source: TextSource | None = None, command: str = ""
) -> Page:
    """Return a page with the score table, any tables of buckets, documents and significance tests, and every segment.

    ``source`` is the source text to show if the scored inputs do not contain it.
    """
    tables = [replace(scores_table(scores), notes=tuple(score_notes(scores)))]
    for what, names in (("bucket", scores.buckets), ("document", scores.documents)):
        tables += [groups_table(scores, what)] if names is not None else []
    if scores.comparisons:
        title_of_tests = f"Differences, tested by paired {scores.test} and corrected for each metric"
        tables.append(replace(compared_table(scores.comparisons), title=title_of_tests))
    title = title or f"Scores of {count_of(len(scores.systems), 'system')}"
    return Page(title, tuple(tables), (gather_segments(scores, source=source),), command, describe_ranking(scores))


def describe_ranking(scores: Scores) -> dict[str, Any]:
    """Return what the charts of the overview show, as JSON: systems in order, and the differences of all pairs."""
    metric = order_metric(scores)
    m = scores.metric_place(metric)
    ranking, (low, high) = scores.rankings[m], scores.intervals
    names = short_names(scores.systems)
    order = order_systems(scores, metric.label if scores.ranked else None)
    systems = [
        {
            "name": scores.systems[s],
            "short": names[s],
            "value": plain(scores.values[s, m]),
            "low": plain(low[s, m]),
            "high": plain(high[s, m]),
            "rank": "" if ranking is None else ranking.write(scores.systems[s]),
            "matched": None if scores.matched is None else plain(scores.matched[s]),
        }
        for s in order
    ]
    tests = {
        label: [found.to_dict() | {"significant": found.significant} for found in ranking.tests]
        for label, ranking in zip(scores.labels, scores.rankings, strict=True)
        if ranking
    }
    sentence = answer(scores, metric, names=dict(zip(scores.systems, names, strict=True)))
    return {
        "answer": f"{sentence}." if sentence else "",
        "basis": scores.summary().title,
        "metric": metric.label,
        "ranked": scores.ranked,
        "systems": systems,
        "tests": tests,
        "notes": [*unranked_notes(scores), *scores.notes],
    }
