"""Charts that compare metrics with human judgements: coefficients, scores against ratings, probes, ROC curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wordorder.core.runtime.errors import UsageError, check_choice
from wordorder.formats.judgements import Ratings
from wordorder.report.charts import plot_curves, plot_intervals, plot_scatter

if TYPE_CHECKING:
    from wordorder.apps.metaeval.evaluation import MetaEvaluation

KINDS = ("coefficients", "scaled", "systems", "ratings")

NAMED = 3
"""The number of outliers (points furthest from the fitted line) that are labelled with their names."""

Records = list[dict[str, Any]]


def plot_agreement(found: MetaEvaluation, kind: str) -> Any:
    """Draw coefficients with their intervals, or plot human scores of systems or segments against metric scores.

    ``scaled`` draws the coefficients of each set from the worst metric (0) to the best (1).
    """
    check_choice(kind, KINDS, "kind of chart")
    if kind == "coefficients":
        return plot_intervals(_coefficients(found), name="metric", series="set", panel="coefficient")
    if kind == "scaled":
        return plot_scaled(_coefficients(found))
    records = _systems(found) if kind == "systems" else _ratings(found)
    series = "set" if len(found.sets) > 1 else "system" if kind == "ratings" else None
    titles = "score", "human score" if kind == "systems" else "rating"
    look: dict[str, Any] = {"series": series, "panel": "metric", "labels": titles, "named": NAMED}
    return plot_scatter(records, x="score", y="human", name="name", fit=True, **look)


def plot_scaled(records: Records) -> Any:
    """Plot the coefficient of each metric in each set, from the worst metric of the set (0) to its best (1).

    These are Figures 9 and 10 of Stanojević & Sima'an 2014, whose sets are language pairs.
    """
    groups: dict[tuple[str, str], Records] = {}
    for record in records:
        groups.setdefault((record["coefficient"], record["set"]), []).append(record)
    rows = [
        {key: record[key] for key in ("set", "metric", "coefficient", "value")} | {"scaled": share}
        for group in groups.values()
        for record, share in zip(group, scale([record["value"] for record in group]), strict=True)
    ]
    labels = "set", "from the worst metric of the set (0) to its best (1)"
    return plot_curves(rows, x="set", y="scaled", series="metric", panel="coefficient", labels=labels)


def scale(values: list[float]) -> list[float]:
    """Scale values to the range from 0 to 1.

    >>> scale([0.25, 0.5, 0.75]), scale([0.5, 0.5])
    ([0.0, 0.5, 1.0], [1.0, 1.0])
    """
    low, high = np.nanmin(values), np.nanmax(values)
    return [1.0 if high == low else float((value - low) / (high - low)) for value in values]


def _coefficients(found: MetaEvaluation) -> Records:
    records: Records = []
    for level, name in found.measures:
        values, (low, high) = found.values(level, name), found.intervals(level, name)
        for s, judged in enumerate(found.sets):
            for m, metric in enumerate(found.metrics):
                figures = zip(("value", "low", "high"), (values[m, s], low[m, s], high[m, s]), strict=True)
                entry = {"metric": metric, "set": judged.name, "coefficient": f"{name} ({level}s)"}
                records.append(entry | {key: float(value) for key, value in figures})
    return [record for record in records if record["value"] == record["value"]]


def _systems(found: MetaEvaluation) -> Records:
    return [
        {"set": ranking.set, "name": system, "metric": metric, "score": score, "human": human}
        for ranking in found.rankings
        for m, metric in enumerate(ranking.metrics, start=1)
        for system, human, score in zip(
            ranking.systems, ranking.scores[:, 0].tolist(), ranking.scores[:, m].tolist(), strict=True
        )
    ]


def _ratings(found: MetaEvaluation) -> Records:
    records: Records = []
    for judged in found.sets:
        if not isinstance(judged.judgements, Ratings):
            raise UsageError(f"{judged.name} has comparisons, not ratings; draw the chart of systems instead")
        for m, metric in enumerate(found.metrics):
            for s, system in enumerate(judged.scores.systems):
                pairs = zip(judged.segment_scores[m, s].tolist(), judged.ratings[s].tolist(), strict=True)
                for number, (score, human) in enumerate(pairs, start=1):
                    names = {"set": judged.name, "system": system, "name": f"{system} {number}", "metric": metric}
                    records.append({**names, "score": score, "human": human})
    return records
