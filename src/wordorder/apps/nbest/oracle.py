"""Oracle scores: the scores of the best and the worst choice from n-best lists under a metric."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from wordorder.apps.nbest.scored_lists import ScoredLists
from wordorder.core.runtime.columns import Floats, Int64s
from wordorder.metrics import Metric
from wordorder.report import Column, Table

PASSES = 10
"""The maximum number of passes over all sentences that search for a better corpus score."""


@dataclass(frozen=True, eq=False)
class Oracle:
    """The best and the worst choice under one metric, and the corpus scores of these and of the model's choice."""

    metric: Metric
    best_choice: Int64s
    worst_choice: Int64s
    best: float
    worst: float
    model: float
    average: float
    """The corpus score of the mean statistics of each list, which represents randomly chosen hypotheses."""


def oracle(scored: ScoredLists, metric: str | Metric | None = None) -> Oracle:
    """Return the best and the worst choice under a metric (by default, the first metric).

    Each sentence starts with the hypothesis that has the best segment score. Then each sentence in turn gets the
    hypothesis that gives the best corpus score, with all other sentences unchanged, until no change improves the
    score. For metrics that are means of segment scores, the result is the optimum; for BLEU, it is a local optimum,
    at least as good as the start.

    >>> from wordorder.apps.nbest import NBest
    >>> found = oracle(NBest.of([["b a", "a b"]]).score(["a b"], "kendall"))
    >>> found.best, found.worst, found.model
    (1.0, 0.0, 0.0)
    """
    place = scored.place(metric)
    chosen, rows = scored.metrics[place], scored.rows(metric)[:]
    scores = scored.segments(metric)
    choices = []
    for sign in (1.0, -1.0):
        start = scored.lists.highest(np.nan_to_num(sign * scores, nan=-np.inf))
        choices.append(_improve(scored, chosen, rows, start, sign))
    sums = np.add.reduceat(rows[scored.row_of], scored.lists.offsets[:-1], axis=0)
    average = (sums / np.diff(scored.lists.offsets)[:, None]).sum(axis=0)
    best, worst, model = (
        float(chosen.corpus(rows[scored.row_of[choice]].sum(axis=0))) for choice in (*choices, scored.lists.choose())
    )
    return Oracle(chosen, choices[0], choices[1], best, worst, model, float(chosen.corpus(average)))


def _improve(scored: ScoredLists, metric: Metric, rows: Floats, choice: Int64s, sign: float) -> Int64s:
    """Change the choice for one sentence at a time while ``sign`` × corpus score increases; return the choice."""
    choice = choice.copy()
    offsets = scored.lists.offsets.tolist()
    total = rows[scored.row_of[choice]].sum(axis=0)
    for _ in range(PASSES):
        changed = False
        for sentence, (start, stop) in enumerate(pairwise(offsets)):
            current = rows[scored.row_of[choice[sentence]]]
            others = rows[scored.row_of[start:stop]]
            scores = sign * np.asarray(metric.corpus(total - current + others))
            best = start + int(np.argmax(np.nan_to_num(scores, nan=-np.inf)))
            if scores[best - start] > scores[choice[sentence] - start] + 1e-12:
                total = total - current + rows[scored.row_of[best]]
                choice[sentence], changed = best, True
        if not changed:
            break
    return choice


def oracle_table(scored: ScoredLists) -> Table:
    """Return a table with the worst, the average, the decoder's and the best corpus score under each metric."""
    found = [oracle(scored, metric) for metric in scored.metrics]
    names = ("worst", "average", "model", "best", "gap")
    columns = [Column("metric", "left"), *(Column(name, share=True) for name in names)]
    rows: list[list[Any]] = [
        [one.metric.label, one.worst, one.average, one.model, one.best, one.best - one.model] for one in found
    ]
    lists = scored.lists
    notes = [
        f"{len(lists)} sentences, {len(lists.text)} hypotheses, {len(lists.distinct()[0])} distinct",
        "model: the hypothesis with the highest total"
        if lists.totals is not None
        else "model: the first hypothesis of each list, since there are no totals",
        "gap: from the model's choice to the best",
    ]
    notes += [f"{one.metric}: {one.metric.note}" for one in found if one.metric.note]
    return Table.of("", columns, rows, notes=notes, signature=scored.signature)
