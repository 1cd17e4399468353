"""Analyse ratings of scrambled sentences: means by disorder bin, reliability, and correlation with metrics."""

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from wordorder.apps.metaeval import JudgedSet, MetaEvaluation, Setup, metaevaluate
from wordorder.apps.study.analyses.analyse import Parts, Record
from wordorder.apps.study.analyses.rate import draw_means, rating_tables
from wordorder.apps.study.answers import Response
from wordorder.apps.study.folder import Study, group_versions, versions_by_condition
from wordorder.core.runtime.errors import count_of
from wordorder.core.statistics import Resampling
from wordorder.core.statistics.correlation import correlate
from wordorder.core.statistics.resampling import interval
from wordorder.formats.judgements import Ratings
from wordorder.report.table import Cell, Column, Table, Value
from wordorder.scoring.inputs import GivenOrders, MatchedTexts
from wordorder.scoring.score import score

TEXT_METRICS = "bleu,1-ter,meteor"
LEVEL = "bin"


def build(study: Study, responses: Sequence[Response], seed: int) -> Parts:
    """Compare the mean ratings of the bins, and correlate metrics with the ratings."""
    findings, tables = rating_tables(study, responses, LEVEL, seed)

    @cache
    def evaluations() -> dict[str, MetaEvaluation]:
        return {found.question: compare_metrics(study, found.ratings, seed=seed) for found in findings}

    charts: dict[str, Callable[[], Any]] = {
        "bins": partial(draw_means, findings, LEVEL),
        "metrics": lambda: next(iter(evaluations().values())).plot("ratings"),
        "r-by-bin": lambda: _draw_by_bin(evaluations()),
    }
    return Parts({**tables, "metrics": lambda: metrics_table(evaluations())}, charts)


def make_inputs(study: Study) -> tuple[GivenOrders, MatchedTexts]:
    """Return the sentences as scoring inputs in two forms, as known orders and as texts; each bin is a system."""
    columns = versions_by_condition(study)
    orders = {name: [" ".join(map(str, item.content["order"])) for item in items] for name, items in columns.items()}
    texts = {name: [item.content["text"] for item in items] for name, items in columns.items()}
    references = [group[0].content["reference"] for group in group_versions(study).values()]
    return GivenOrders(orders), MatchedTexts(texts, [references], tokenize="none")


def compare_metrics(study: Study, ratings: Ratings, *, seed: int, samples: int = 1000) -> MetaEvaluation:
    """Correlate metrics with the mean ratings of the sentence versions; order metrics use the known orders."""
    orders, texts = make_inputs(study)
    none = Resampling(samples=0)
    by_order = JudgedSet.of("study", score(orders, metrics="order", resampling=none), ratings)
    by_text = JudgedSet.of("study", score(texts, metrics=TEXT_METRICS, resampling=none), ratings)
    setup = Setup(Resampling(samples=samples, seed=seed))
    return metaevaluate([by_order.combine(by_text)], segment=("pearson.none",), system=(), setup=setup)


def metrics_table(judged: dict[str, MetaEvaluation]) -> Table:
    """Tabulate the correlation r of each metric with the ratings for each question, sorted by the first question."""
    first = next(iter(judged.values()))
    estimates = {name: found.estimates["segment", "pearson.none"][0] for name, found in judged.items()}
    values = next(iter(estimates.values())).values
    order = np.argsort(-np.where(np.isnan(values), -2.0, values), kind="stable")
    bounds = {name: interval(found.replicates) for name, found in estimates.items()}
    rows: list[list[Cell | Value]] = []
    constant = [first.metrics[place] for place in order if np.isnan(values[place])]
    for place in order[: len(order) - len(constant)].tolist():
        cells = [
            Cell(found.values[place], interval=(float(bounds[name][0][place]), float(bounds[name][1][place])))
            for name, found in estimates.items()
        ]
        rows.append([first.metrics[place], *cells])
    count = next(iter(estimates.values())).count
    notes = [f"r with the mean rating of {count_of(count, 'version')}; order metrics use the known orders"]
    if constant:
        notes.append(f"the same for all versions, so r is undefined: {', '.join(constant)}")
    columns: list[Column | str] = [Column("metric", "left"), *(f"r {name}" for name in judged)]
    return Table.of("", columns, rows, notes=notes)


def _draw_by_bin(judged: dict[str, MetaEvaluation]) -> Any:
    """Draw the correlation of each metric with the ratings within each bin (Birch 2011, Figure 6.4)."""
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
