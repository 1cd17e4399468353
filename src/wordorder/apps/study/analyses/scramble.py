"""Scrambled sentences: ratings by bin of disorder, reliability, and metrics against people (thesis 6.3.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from wordorder.apps.metaeval import JudgedSet, MetaEvaluation, Setup, metaevaluate
from wordorder.apps.study.analyses.base import Analysis, Record
from wordorder.apps.study.analyses.ratings import (
    RatingFindings,
    analyse_ratings,
    means_table,
    pairs_table,
    reliability_table,
    tests_table,
    variances_table,
)
from wordorder.apps.study.folder import Study
from wordorder.apps.study.items import Item
from wordorder.apps.study.lists import group_versions
from wordorder.apps.study.responses import Response
from wordorder.core.runtime.errors import InputError
from wordorder.core.runtime.plain import count_of
from wordorder.core.statistics import Resampling
from wordorder.core.statistics.correlation import correlate
from wordorder.formats.judgements import Ratings
from wordorder.report.table import Cell, Column, Table, Value
from wordorder.scoring import score
from wordorder.scoring.inputs import GivenOrders, MatchedTexts

TEXT_METRICS = "bleu,1-ter,meteor"
LEVEL = "bin"


def analyse(study: Study, responses: Sequence[Response], *, seed: int, brief: bool = False) -> Analysis:
    """Compare bins; ``brief`` stops there."""
    findings = [find(study, responses, question.name) for question in study.settings.questions]
    tables = {"means": means_table(findings, LEVEL)}
    if brief:
        return Analysis(tables, main="means")
    tables |= {"tests": tests_table(findings), "pairs": pairs_table(findings), "variances": variances_table(findings)}
    repeats = {question.name: repeated(responses, question.name) for question in study.settings.questions}
    tables["reliability"] = reliability_table(findings, repeats, seed)
    judged = {found.question: compare_metrics(study, found.ratings, seed=seed) for found in findings}
    tables["metrics"] = metrics_table(judged)
    charts: dict[str, Callable[[], Any]] = {
        "bins": partial(draw_means, findings, LEVEL),
        "metrics": lambda: next(iter(judged.values())).plot("ratings"),
        "r-by-bin": partial(_draw_by_bin, judged),
        "time": partial(draw_times, responses),
    }
    return Analysis(tables, charts, main="means")


def find(study: Study, responses: Sequence[Response], question: str) -> RatingFindings:
    """Gather the ratings of one question: bins are the systems, sentences the segments."""
    rows = [
        (one.item.condition, study.segments[one.item.group], one.person, float(one.answer[question]))
        for one in responses
        if one.is_analysed
    ]
    if not rows:
        raise InputError("nobody who was kept has rated an item", path=str(study.folder))
    return analyse_ratings(question, rows, conditions_of(study), path=str(study.folder))


def conditions_of(study: Study) -> list[str]:
    """Return the conditions in the order of the file."""
    return list(dict.fromkeys(item.condition for item in study.items if item.role == "item"))


def repeated(responses: Sequence[Response], question: str) -> list[tuple[float, float]]:
    """Return the first and second answer to items that were shown again."""
    first = {(one.person, one.item.id): one.answer for one in responses if not one.is_repeat}
    return [
        (float(first[one.person, one.item.id][question]), float(one.answer[question]))
        for one in responses
        if one.is_repeat and (one.person, one.item.id) in first
    ]


def judged_sets(study: Study) -> tuple[GivenOrders, MatchedTexts]:
    """Return the versions as systems: by their known orders, and as texts."""
    versions = list(group_versions(study).values())
    names = conditions_of(study)
    columns = {name: [_one(group, name) for group in versions] for name in names}
    orders = {name: [_written(item) for item in column] for name, column in columns.items()}
    texts = {name: [item.content["text"] for item in column] for name, column in columns.items()}
    references = [group[0].content["reference"] for group in versions]
    return GivenOrders(orders), MatchedTexts(texts, [references], tokenizer="none")


def _written(item: Item) -> str:
    return " ".join(map(str, item.content["order"]))


def _one(group: Sequence[Item], condition: str) -> Item:
    return next(item for item in group if item.condition == condition)


def compare_metrics(study: Study, ratings: Ratings, *, seed: int, samples: int = 1000) -> MetaEvaluation:
    """Correlate metrics with the mean rating of every version; order metrics use the known orders."""
    orders, texts = judged_sets(study)
    none = Resampling(samples=0)
    by_order = JudgedSet.of("study", score(orders, metrics="order", resampling=none), ratings)
    by_text = JudgedSet.of("study", score(texts, metrics=TEXT_METRICS, resampling=none), ratings)
    setup = Setup(Resampling(samples=samples, seed=seed))
    return metaevaluate([by_order.beside(by_text)], segment=("pearson.none",), system=(), setup=setup)


def metrics_table(judged: dict[str, MetaEvaluation]) -> Table:
    """Show r of every metric with every question, the best of the first question first."""
    from wordorder.core.statistics.resampling import interval

    first = next(iter(judged.values()))
    estimates = {name: found.estimates["segment", "pearson.none"][0] for name, found in judged.items()}
    values = next(iter(estimates.values())).values
    order = np.argsort(-np.where(np.isnan(values), -2.0, values), kind="stable")
    bounds = {name: interval(found.replicates) for name, found in estimates.items()}
    rows: list[list[Cell | Value]] = []
    constant = [first.metrics[place] for place in order if np.isnan(values[place])]
    for place in order[: len(order) - len(constant)].tolist():
        row: list[Cell | Value] = [first.metrics[place]]
        for name, found in estimates.items():
            low, high = (float(side[place]) for side in bounds[name])
            row.append(Cell(found.values[place], interval=(low, high)))
        rows.append(row)
    count = next(iter(estimates.values())).count
    notes = [f"r with the mean rating of {count_of(count, 'version')}; order metrics use the known orders"]
    if constant:
        notes.append(f"the same for all versions, so r is undefined: {', '.join(constant)}")
    columns: list[Column | str] = [Column("metric", "left"), *(f"r {name}" for name in judged)]
    return Table.of("", columns, rows, notes=notes)


def draw_means(findings: Sequence[RatingFindings], level: str) -> Any:
    """Draw the means of the model with their intervals."""
    from wordorder.report.charts.forms import plot_intervals

    records: list[Record] = []
    for found in findings:
        for place, name in enumerate(found.ratings.systems if found.fit else ()):
            assert found.fit is not None
            one = found.fit.contrast(np.eye(len(found.ratings.systems))[place])
            mean = {"value": one.estimate, "low": one.low, "high": one.high}
            records.append({level: name, "question": found.question, **mean})
    return plot_intervals(records, name=level, panel="question")


def _draw_by_bin(judged: dict[str, MetaEvaluation]) -> Any:
    """Draw r within every bin (thesis, Figure 6.4)."""
    from wordorder.report.charts.forms import plot_curves

    records: list[Record] = []
    for question, found in judged.items():
        (one,) = found.sets
        for metric, scores in zip(one.metrics, one.segment_scores, strict=True):
            for place, name in enumerate(one.scores.systems):
                r = correlate(scores[place], one.ratings[place]).value
                if r == r:
                    records.append({"bin": place, "r": r, "metric": metric, "question": question, "name": name})
    return plot_curves(records, x="bin", y="r", series="metric", panel="question")


def draw_times(responses: Sequence[Response]) -> Any:
    """Draw how long people took."""
    from wordorder.report.charts.forms import plot_histograms

    records = [
        {"seconds": min(one.seconds, 120.0), "condition": one.item.condition or one.item.role}
        for one in responses
        if one.seconds is not None and one.item.role == "item"
    ]
    return plot_histograms(records, value="seconds", series="condition")
