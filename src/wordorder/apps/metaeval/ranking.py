"""Rank the systems of a test set by human scores and by each metric (Birch 2011, Table 7.7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.apps.metaeval.coefficients import Setup, drawn_system_scores, system_scores
from wordorder.apps.metaeval.judged_set import JudgedSet
from wordorder.core.runtime.columns import Floats
from wordorder.core.runtime.plain import plain
from wordorder.core.statistics.resampling import interval
from wordorder.report.table import Cell, Column, Table


@dataclass(frozen=True, eq=False)
class Ranking:
    """The scores, 95% intervals and ranks of systems, ``[systems, 1 + metrics]``; column 0 is for human scores.

    Rank 1 is the best; systems with the same score share their mean rank; a system without a score has no rank.
    """

    set: str
    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    scores: Floats
    low: Floats
    high: Floats
    ranks: Floats

    @property
    def order(self) -> list[int]:
        """The systems from the best to the worst by human scores; systems without judgements come last."""
        return [int(place) for place in np.argsort(self.ranks[:, 0], kind="stable")]

    def to_dict(self) -> list[dict[str, Any]]:
        """Return a record of unrounded values for each system, best first; undefined values are None."""
        found = []
        for s in self.order:
            fields = zip(self.scores[s], self.low[s], self.high[s], self.ranks[s], strict=True)
            people, *machines = (plain(dict(zip(("value", "low", "high", "rank"), x, strict=True))) for x in fields)
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
    return Ranking(judged.name, *names, better * direction, low, high, _rank(better))


def ranking_table(
    rankings: Sequence[Ranking], *, notes: Sequence[str] = (), signature: Mapping[str, Any] | None = None
) -> Table:
    """Return a table of systems, best first, with their scores and ranks according to people and each metric."""
    several = len(rankings) > 1
    columns = [Column("set", "left")] if several else []
    columns.append(Column("system", "left"))
    for name in ("human", *rankings[0].metrics):
        columns += [Column(name), Column("rank" if name == "human" else f"rank {name}", number=".3g")]
    rows = []
    for found in rankings:
        for s in found.order:
            row: list[Cell | str] = [found.set, found.systems[s]] if several else [found.systems[s]]
            for score, low, high, rank in zip(
                found.scores[s], found.low[s], found.high[s], found.ranks[s], strict=True
            ):
                row += [Cell(score, (low, high)), Cell(rank)]
            rows.append(row)
    return Table.of("", columns, rows, notes=notes, signature=signature)


def _rank(scores: Floats) -> Floats:
    """Return the ranks of the defined values in each column; the highest value has rank 1."""
    from scipy import stats

    ranks: Floats = stats.rankdata(-scores, axis=0, nan_policy="omit")
    return ranks
