"""Measure what influences a metric's segment scores, and whether it tells human from machine translations.

Birch (2011) correlates metrics with lexical overlap and with word order (§6.4), and scores references against each
other (§6.2).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wordorder.core.runtime.errors import refuse
from wordorder.core.statistics import Resampling
from wordorder.core.statistics.corrections import holm
from wordorder.core.statistics.correlation import correlate
from wordorder.core.statistics.tests import wilcoxon
from wordorder.report.charts import plot_histograms, plot_scatter
from wordorder.report.table import Column, Table, Value
from wordorder.scoring.inputs.texts import TextInputs
from wordorder.scoring.score import score
from wordorder.scoring.scores import Scores

LEXICAL, ORDER = "bleu-p1", "kendall-sqrt"


@dataclass(frozen=True)
class Influence:
    """The correlations of a metric's segment scores with lexical overlap and with word order."""

    metric: str
    lexical: float
    order: float
    segments: int


def influences(scores: Scores) -> list[Influence]:
    """Correlate each metric with a lexical and a word-order metric (Pearson's r over all segments and systems)."""

    def pooled(metric: str) -> Any:
        return np.concatenate([scores.segment_scores(system, metric) for system in scores.systems])

    words, places = pooled(LEXICAL), pooled(ORDER)
    found = []
    for metric in map(str, scores.metrics):
        values = pooled(metric)
        first, second = correlate(values, words), correlate(values, places)
        found.append(Influence(metric, first.value, second.value, second.pairs))
    return found


def influence_table(name: str, found: Sequence[Influence]) -> Table:
    """Return a table of each metric's r and r² with the lexical metric and with the word-order metric."""
    columns: list[Column | str] = [Column("set", "left"), Column("metric", "left")]
    columns += [f"r {LEXICAL}", f"r {ORDER}", f"r² {LEXICAL}", f"r² {ORDER}"]
    rows: list[list[Value]] = [
        [name, one.metric, one.lexical, one.order, one.lexical**2, one.order**2] for one in found
    ]
    return Table.of("", columns, rows, notes=["Pearson's r of segment scores, all systems pooled"])


@dataclass(frozen=True)
class Distinction:
    """The mean scores of a second reference and of a system against the same reference, with Wilcoxon's test."""

    gold: int
    other: int
    system: str
    metric: str
    reference_mean: float
    system_mean: float
    p: float
    p_holm: float


def distinguish(texts: TextInputs, *, metrics: str, threads: int = 1) -> list[Distinction]:
    """Score other references and systems against each reference in turn, and test which of them score higher.

    The p-values are two-sided, with Holm's correction within each metric. References are numbered from 1.
    """
    rows: list[tuple[int, int, str, str, float, float, float]] = []
    for gold, scores in enumerate(_against_each_reference(texts, metrics, threads)):
        for metric in map(str, scores.metrics):
            for label in (name for name in scores.systems if name[0] == "\0"):
                people = scores.segment_scores(label, metric)
                for system in texts.hyp:
                    machine = scores.segment_scores(system, metric)
                    both = ~(np.isnan(people) | np.isnan(machine))
                    means = [float(values[both].mean()) if both.any() else np.nan for values in (people, machine)]
                    rows.append((gold + 1, int(label[1:]) + 1, system, metric, *means, wilcoxon(people, machine).p))
    corrected: dict[int, float] = {}
    for metric in {row[3] for row in rows}:
        places = [place for place, row in enumerate(rows) if row[3] == metric]
        corrected |= dict(zip(places, holm([rows[place][6] for place in places]), strict=True))
    return [Distinction(*row, float(corrected[place])) for place, row in enumerate(rows)]


def _against_each_reference(texts: TextInputs, metrics: str, threads: int) -> Iterator[Scores]:
    """Yield the scores of all other references and of the systems against each reference in turn."""
    references = texts.ref
    refuse(len(references) < 2, f"expected two or more references to score against each other, found {len(references)}")
    for gold, reference in enumerate(references):
        others = {f"\0{place}": text for place, text in enumerate(references) if place != gold}
        inputs = replace(texts, hyp={**others, **texts.hyp}, ref=[reference])
        yield score(inputs, metrics=metrics, resampling=Resampling(samples=0, threads=threads))


def plot_distinction(texts: TextInputs, *, metrics: str, threads: int = 1) -> Any:
    """Draw histograms of the segment scores of references and of systems, against all references (Figure 6.1)."""
    records = [
        {"metric": metric, "against a reference": "references" if name[0] == "\0" else name, "score": value}
        for scores in _against_each_reference(texts, metrics, threads)
        for metric in map(str, scores.metrics)
        for name in scores.systems
        for value in scores.segment_scores(name, metric).tolist()
    ]
    return plot_histograms(records, value="score", series="against a reference", panel="metric")


def plot_influences(scores: Scores) -> Any:
    """Plot each metric's segment scores against the lexical metric and the word-order metric (Figure 6.5)."""
    others = (LEXICAL, ORDER)
    shown = [(name, other) for name in scores.names if name not in others for other in others]
    records = [
        {"segment": f"{system} {number}", "panel": f"{metric} against {other}", "influence": x, "score": y}
        for metric, other in shown
        for system in scores.systems
        for pairs in [np.column_stack([scores.segment_scores(system, name) for name in (other, metric)])]
        for number, (x, y) in enumerate(pairs.tolist(), start=1)
    ]
    return plot_scatter(records, x="influence", y="score", name="segment", panel="panel", labels=("", ""))


def distinction_table(found: Sequence[Distinction]) -> Table:
    """Return a table of mean scores per metric and system, and of how often references are significantly better."""
    columns: list[Column | str] = [Column("metric", "left"), Column("system", "left"), "references", "translations"]
    columns += [Column("significant", "left"), "largest p"]
    rows: list[list[Any]] = []
    for metric, system in dict.fromkeys((one.metric, one.system) for one in found):
        tests = [one for one in found if (one.metric, one.system) == (metric, system)]
        people = float(np.mean([one.reference_mean for one in tests]))
        machine = float(np.mean([one.system_mean for one in tests]))
        clear = sum(one.p_holm < 0.05 and one.reference_mean > one.system_mean for one in tests)
        rows.append([metric, system, people, machine, f"{clear}/{len(tests)}", max(one.p_holm for one in tests)])
    notes = [
        "every reference is the gold standard in turn; paired Wilcoxon tests of another reference against the system",
        "significant: tests with references ahead and Holm-corrected p < .05",
    ]
    return Table.of("", columns, rows, notes=notes)
