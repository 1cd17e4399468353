"""Absolute ratings of systems: means with intervals, every two of them, and how far people agree (2011 paper, §4)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from wordorder.apps.study.analyses.base import Analysis
from wordorder.apps.study.analyses.ratings import (
    RatingFindings,
    analyse_ratings,
    means_table,
    reliability_table,
    tests_table,
    variances_table,
)
from wordorder.apps.study.analyses.ratings import pairs_table as tukey_table
from wordorder.apps.study.analyses.scramble import draw_means, draw_times
from wordorder.apps.study.folder import Study
from wordorder.apps.study.kinds.rate import RateKind
from wordorder.apps.study.responses import Response
from wordorder.core.runtime.errors import InputError
from wordorder.core.statistics.corrections import holm
from wordorder.core.statistics.resampling import bootstrap_sums, interval
from wordorder.core.statistics.tests import paired_bootstrap
from wordorder.formats.judgements import Ratings
from wordorder.report.table import Cell, Column, Table, Value

LEVEL = "system"
SAMPLES = 1000


def analyse(study: Study, responses: Sequence[Response], *, seed: int, brief: bool = False) -> Analysis:
    """Compare systems; ``brief`` stops there."""
    findings = [find(study, responses, question.name) for question in study.settings.questions]
    tables = {"means": means_table(findings, LEVEL)}
    if brief:
        return Analysis(tables, main="means")
    tables |= {"tests": tests_table(findings), "pairs": tukey_table(findings)}
    tables |= {"bootstrap": bootstrap_table(findings, seed), "paired": paired_table(findings, seed)}
    tables["variances"] = variances_table(findings)
    repeats = {question.name: _repeated(study, responses, question.name) for question in study.settings.questions}
    tables["reliability"] = reliability_table(findings, repeats, seed)
    charts: dict[str, Any] = {"systems": partial(draw_means, findings, LEVEL), "time": partial(draw_times, responses)}
    return Analysis(tables, charts, main="means")


def systems_of(study: Study) -> list[str]:
    """Return the systems in the order of the file."""
    return list(dict.fromkeys(name for item in study.items for name in item.content["outputs"]))


def find(study: Study, responses: Sequence[Response], question: str) -> RatingFindings:
    """Gather the ratings of one question, each with the system whose output it was."""
    rows = [row for one in responses if one.is_analysed for row in _rows(study, one, question)]
    if not rows:
        raise InputError("nobody who was kept has rated an item", path=str(study.folder))
    return analyse_ratings(question, rows, systems_of(study), path=str(study.folder))


def _rows(study: Study, one: Response, question: str) -> list[tuple[str, int, str, float]]:
    assert isinstance(study.kind, RateKind)
    shown = study.kind.systems(one.item, one.person)
    pairs = zip(shown, one.answer[question], strict=True)
    return [(system, study.segments[one.item.group], one.person, float(value)) for system, value in pairs]


def _repeated(study: Study, responses: Sequence[Response], question: str) -> list[tuple[float, float]]:
    first = {(one.person, one.item.id): one for one in responses if not one.is_repeat}
    found = []
    for one in responses:
        before = first.get((one.person, one.item.id))
        if one.is_repeat and before is not None:
            pairs = zip(_rows(study, before, question), _rows(study, one, question), strict=True)
            found += [(a[3], b[3]) for a, b in pairs]
    return found


def _segment_rows(ratings: Ratings) -> np.ndarray:
    """Return sum and number of the ratings of every segment and system, ``[segments, systems, 2]``."""
    segments, place = np.unique(ratings.segment, return_inverse=True)
    size = len(segments) * len(ratings.systems)
    cell = place * len(ratings.systems) + ratings.system
    parts = [np.bincount(cell, weights=ratings.value, minlength=size), np.bincount(cell, minlength=size)]
    return np.stack(parts, axis=1).reshape(len(segments), len(ratings.systems), 2)


def _mean(sums: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[..., 0] / sums[..., 1])


def bootstrap_table(findings: Sequence[RatingFindings], seed: int) -> Table:
    """Show mean ratings with bootstrap intervals over segments, as the paper's Table 3."""
    rows: list[list[Cell | Value]] = []
    for found in findings:
        cells = _segment_rows(found.ratings)
        flat = cells.reshape(len(cells), -1)
        drawn = bootstrap_sums(flat, samples=SAMPLES, seed=seed).reshape(SAMPLES, *cells.shape[1:])
        low, high = interval(_mean(drawn))
        means = _mean(cells.sum(axis=0))
        for place, name in enumerate(found.ratings.systems):
            bounds = float(low[place]), float(high[place])
            rows.append([found.question, name, Cell(float(means[place]), interval=bounds)])
    columns = [Column("question", "left"), Column(LEVEL, "left"), Column("mean")]
    notes = ["95% bootstrap intervals over segments: for other segments, rated by the same people"]
    return Table.of("", columns, rows, notes=notes)


def paired_table(findings: Sequence[RatingFindings], seed: int) -> Table:
    """Compare every two systems by paired bootstrap over segments."""
    rows: list[list[Value]] = []
    for found in findings:
        cells, names = _segment_rows(found.ratings), found.ratings.systems
        pairs = list(combinations(range(len(names)), 2))
        tests = [paired_bootstrap(cells[:, a], cells[:, b], _mean, samples=SAMPLES, seed=seed) for a, b in pairs]
        for (a, b), one, corrected in zip(pairs, tests, holm([one.p for one in tests]), strict=True):
            rows.append([found.question, names[a], names[b], one.difference, one.p, float(corrected)])
    columns = [Column(head, "left") for head in ("question", "first", "second")]
    columns += [Column("difference"), Column("p", number=".2g"), Column("p Holm", number=".2g")]
    return Table.of("", columns, rows, notes=["paired bootstrap over segments"])
