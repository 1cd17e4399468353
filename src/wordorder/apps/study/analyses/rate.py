"""Analyse ratings of systems: means with intervals, pairwise comparisons and agreement (Talbot et al. 2011, §4)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations

import numpy as np

from wordorder.apps.study.analyses.analyse import Parts
from wordorder.apps.study.analyses.ratings import RatingFindings, draw_means, rating_tables
from wordorder.apps.study.answers import Response
from wordorder.apps.study.folder import Study
from wordorder.core.statistics.corrections import holm
from wordorder.core.statistics.resampling import bootstrap_sums, interval
from wordorder.core.statistics.tests import paired_bootstrap
from wordorder.formats.judgements import Ratings
from wordorder.report.table import Cell, Column, Table, Value

LEVEL = "system"
ORDER = ("means", "tests", "pairs", "bootstrap", "paired", "variances", "reliability")
SAMPLES = 1000


def build(study: Study, responses: Sequence[Response], seed: int) -> Parts:
    """Prepare the tables and charts that compare the mean ratings of the systems."""
    findings, tables = rating_tables(study, responses, LEVEL, seed)
    tables["bootstrap"] = partial(bootstrap_table, findings, seed)
    tables["paired"] = partial(paired_table, findings, seed)
    return Parts({name: tables[name] for name in ORDER}, {"systems": partial(draw_means, findings, LEVEL)})


def _segment_rows(ratings: Ratings) -> np.ndarray:
    """Return the sum and the number of ratings for each segment and system in an array ``[segments, systems, 2]``."""
    segments, place = np.unique(ratings.segment, return_inverse=True)
    size = len(segments) * len(ratings.systems)
    cell = place * len(ratings.systems) + ratings.system
    parts = [np.bincount(cell, weights=ratings.value, minlength=size), np.bincount(cell, minlength=size)]
    return np.stack(parts, axis=1).reshape(len(segments), len(ratings.systems), 2)


def _mean(sums: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[..., 0] / sums[..., 1])


def bootstrap_table(findings: Sequence[RatingFindings], seed: int) -> Table:
    """Show the mean rating of each system with a bootstrap interval over segments (Talbot et al. 2011, Table 3)."""
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
    """Compare all pairs of systems by a paired bootstrap over segments."""
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
