"""Rank the systems of a test set by human scores and by each metric (Birch 2011, Table 7.7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.apps.metaeval.coefficients import Setup, drawn_system_scores, system_scores
from wordorder.apps.metaeval.judged_set import JudgedSet
from wordorder.apps.metaeval.significance import LEVEL
from wordorder.core.runtime.columns import Floats
from wordorder.core.runtime.plain import plain
from wordorder.core.statistics.resampling import interval
from wordorder.core.statistics.tests import bootstrap_p
from wordorder.report.table import Cell, Column, Table

CLUSTERS = (
    "cluster: each system is significantly better than all systems of lower clusters (paired bootstrap, p < .05, for "
    "single pairs)"
)


@dataclass(frozen=True, eq=False)
class Ranking:
    """The scores, 95% intervals and ranks of systems, ``[systems, 1 + metrics]``; column 0 is for human scores.

    Rank 1 is the best; systems with the same score share their mean rank; a system without a score has no rank.
    For ``clusters``, see :func:`cluster_systems`.
    """

    set: str
    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    scores: Floats
    low: Floats
    high: Floats
    ranks: Floats
    clusters: Floats

    @property
    def order(self) -> list[int]:
        """The systems from the best to the worst by human scores; systems without judgements come last."""
        return [int(place) for place in np.argsort(self.ranks[:, 0], kind="stable")]

    def to_dict(self) -> list[dict[str, Any]]:
        """Return a record of unrounded values for each system, best first; undefined values are None."""
        found = []
        for s in self.order:
            fields = zip(
                *(part[s] for part in (self.scores, self.low, self.high, self.ranks, self.clusters)), strict=True
            )
            names = ("value", "low", "high", "rank", "cluster")
            people, *machines = (plain(dict(zip(names, each, strict=True))) for each in fields)
            metrics = dict(zip(self.metrics, machines, strict=True))
            found.append({"name": self.systems[s], "human": people, "metrics": metrics})
        return found


def rank_systems(judged: JudgedSet, setup: Setup) -> Ranking:
    """Rank the systems of a set by human scores and by each metric."""
    human, metric = system_scores(judged, setup)
    humans, metrics = drawn_system_scores(judged, metric, setup)
    better = np.concatenate([human[:, None], metric], axis=1)
    drawn = np.concatenate([humans[:, :, None], metrics], axis=2)
    direction = np.array([1.0, *judged.direction])
    low, high = interval(drawn * direction)
    names = judged.scores.systems, judged.metrics
    clusters = np.stack([cluster_systems(one, drawn[:, :, m]) for m, one in enumerate(better.T)], axis=1)
    return Ranking(judged.name, *names, better * direction, low, high, _rank(better), clusters)


def ranking_table(
    rankings: Sequence[Ranking], *, notes: Sequence[str] = (), signature: Mapping[str, Any] | None = None
) -> Table:
    """Return a table of systems, best first, with their scores and ranks according to people and each metric."""
    several = len(rankings) > 1
    tested = any((found.clusters > 0).any() for found in rankings)
    columns = [Column("set", "left")] if several else []
    columns.append(Column("system", "left"))
    for name in ("human", *rankings[0].metrics):
        columns.append(Column(name))
        for part in ("rank", *["cluster"] * tested):
            columns.append(Column(part if name == "human" else f"{part} {name}", number=".3g"))
    rows = []
    for found in rankings:
        for s in found.order:
            row: list[Cell | str] = [found.set, found.systems[s]] if several else [found.systems[s]]
            for m, (score, rank, cluster) in enumerate(
                zip(found.scores[s], found.ranks[s], found.clusters[s], strict=True)
            ):
                row += [Cell(score, (found.low[s, m], found.high[s, m])), Cell(rank), *[Cell(cluster)] * tested]
            rows.append(row)
    notes = [*notes, *[CLUSTERS] * tested]
    return Table.of("", columns, rows, notes=notes, signature=signature)


def cluster_systems(scores: Floats, drawn: Floats) -> Floats:
    """Return the cluster of each system, counted from 1 for the best, as in the overview papers of WMT.

    Each system is significantly better than all systems of lower clusters, and clusters are as small as possible. The
    differences of ``scores[systems]`` are tested by the bootstrap, given replicates ``drawn[samples, systems]``. If
    these do not vary, clusters are NaN.
    """
    clusters = np.full(len(scores), np.nan)
    order = np.argsort(-scores, kind="stable")[: int((~np.isnan(scores)).sum())]
    one, two = np.triu_indices(len(order), k=1)
    better, worse = order[one], order[two]
    differences = drawn[:, better] - drawn[:, worse]
    varied = np.nan_to_num(differences).std(axis=0) > 0 if len(drawn) else np.zeros(len(one), bool)
    if not varied.any():
        return clusters
    p = bootstrap_p(scores[better] - scores[worse], differences)
    tied = np.flatnonzero(~(varied & (p < LEVEL)))
    starts = [not ((one[tied] < place) & (two[tied] >= place)).any() for place in range(len(order))]
    clusters[order] = np.cumsum(starts)
    return clusters


def _rank(scores: Floats) -> Floats:
    """Return the ranks of the defined values in each column; the highest value has rank 1."""
    from scipy import stats

    ranks: Floats = stats.rankdata(-scores, axis=0, nan_policy="omit")
    return ranks
