"""Charts of scores: intervals, histograms, two systems segment by segment, scores by group, and correlations."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from wordorder.core.runtime.errors import check_choice, refuse
from wordorder.metrics.base import Metric
from wordorder.report import table_records
from wordorder.report.charts import plot_histograms, plot_intervals, plot_matrix, plot_scatter
from wordorder.scoring.scores import Scores
from wordorder.scoring.tables import correlation_table, groups_table

KINDS = ("scores", "histogram", "segments", "buckets", "documents", "correlation")


def plot_scores(
    scores: Scores, kind: str = "scores", *, metric: str | Metric | None = None, systems: Sequence[str] | None = None
) -> Any:
    """Return an Altair chart of the scores; see :meth:`Scores.plot`."""
    check_choice(kind, KINDS, "kind of chart")
    metrics = scores.names if metric is None else [scores.names[scores.metric_place(metric)]]
    chosen = [scores.systems[scores.system_place(system)] for system in systems or scores.systems]
    if kind == "scores":
        records = [score_record(scores, system, metric) for metric in metrics for system in chosen]
        return plot_intervals(records, name="system", panel="metric")
    if kind == "histogram":
        return _plot_histograms(scores, metrics, chosen)
    if kind == "segments":
        return _plot_segments(scores, metrics[0], chosen)
    if kind == "correlation":
        return _plot_correlation(scores)
    return _plot_groups(scores, kind.removesuffix("s"), metrics, chosen)


def score_record(scores: Scores, system: str, metric: str) -> dict[str, Any]:
    """Return the score of a system under a metric, with its interval, for a chart."""
    found = scores[system, metric]
    return {"system": system, "metric": metric, "value": found.value, "low": found.low, "high": found.high}


def _plot_histograms(scores: Scores, metrics: Sequence[str], systems: Sequence[str]) -> Any:
    records = [
        {"system": system, "metric": metric, "score": value}
        for metric in metrics
        for system in systems
        for value in scores.segment_scores(system, metric).tolist()
    ]
    return plot_histograms(records, value="score", series="system", panel="metric")


def _plot_segments(scores: Scores, metric: str, systems: Sequence[str]) -> Any:
    refuse(len(systems) < 2, "this chart compares the segment scores of two systems, but only one was given")
    one, two = systems[:2]
    columns = [scores.segment_scores(system, metric).tolist() for system in (one, two)]
    points = enumerate(zip(*columns, strict=True), start=1)
    records = [{"segment": str(number), "x": x, "y": y} for number, (x, y) in points]
    titles = f"{one}: {metric}", f"{two}: {metric}"
    return plot_scatter(records, x="x", y="y", name="segment", equal=True, named=8, labels=titles)


def _plot_groups(scores: Scores, group: str, metrics: Sequence[str], systems: Sequence[str]) -> Any:
    records = [
        {group: row[group], "system": row["system"], "metric": metric, "value": row[metric]}
        | {end: row.get(f"{metric}.{end}") for end in ("low", "high")}
        for metric in metrics
        for row in table_records(groups_table(scores, group))
        if row["system"] in systems
    ]
    return plot_intervals(records, name=group, series="system", panel="metric")


def _plot_correlation(scores: Scores) -> Any:
    records: list[dict[str, Any]] = []
    for row in table_records(correlation_table(scores)):
        records += [{"metric": row["metric"], "with": row["with"], "r": row["r"]}]
        records += [{"metric": row["with"], "with": row["metric"], "r": row["r"]}]
    order = {name: place for place, name in enumerate(scores.names)}
    records = [record for record in records if record["r"] is not None and np.isfinite(record["r"])]
    records.sort(key=lambda record: (order[record["metric"]], order[record["with"]]))
    return plot_matrix(records, row="metric", column="with", value="r")
