"""Ranks of systems, with ranges from paired tests of all pairs, and the order in which tables list systems."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from wordorder.core.runtime.errors import UnknownNameError, choices
from wordorder.scoring.comparison import Comparison, compare_pairs

if TYPE_CHECKING:
    from wordorder.scoring.scores import Scores

ORDERS = ("name", "given")
"""The orders of systems that depend on no metric."""


@dataclass(frozen=True)
class Ranking:
    """The ranked systems under one metric, best first, and bootstrap tests of all pairs.

    In each test, system a scores at least as high as system b. Differences from the best system are tested by
    elimination (``core/statistics/corrections.py``), as in tables, and all others are corrected over all pairs.
    """

    metric: str
    systems: tuple[str, ...]
    tests: tuple[Comparison, ...]

    @cached_property
    def ranges(self) -> dict[str, tuple[int, int]]:
        """The first and the last rank that each system may have.

        A system ranks behind all systems that are significantly better, and before all that are significantly worse.
        """
        better, worse = dict.fromkeys(self.systems, 0), dict.fromkeys(self.systems, 0)
        for found in self.tests:
            if found.significant:
                better[found.b] += 1
                worse[found.a] += 1
        return {name: (1 + better[name], len(self.systems) - worse[name]) for name in self.systems}

    @property
    def tied(self) -> list[str]:
        """The systems that are not significantly worse than the best one."""
        return [found.b for found in self.tests if found.a == self.systems[0] and not found.significant]

    def write(self, system: str) -> str:
        """Return the range of ranks of a system as text (``2``, ``1–3``), or a dash if it is not ranked."""
        first, last = self.ranges.get(system, (0, 0))
        return "–" if not first else str(first) if first == last else f"{first}–{last}"


def rank_systems(scores: Scores) -> tuple[Ranking | None, ...]:
    """Rank the systems under each metric, or return None where nothing can be ranked or tested.

    Systems that match too few words (``scores.unranked``) or have no score are left out.
    """
    if not scores.ranked or len(scores.systems) < 2 or not scores.resampling.samples:
        return (None,) * len(scores.metrics)
    usual = scores.baseline is None and scores.test == "bootstrap"
    best = scores.comparisons if usual else scores.compare()
    return tuple(
        _rank(scores, m, [found for found in best if found.metric == scores.names[m]])
        for m in range(len(scores.metrics))
    )


def _rank(scores: Scores, m: int, against_best: Sequence[Comparison]) -> Ranking | None:
    column = scores.values[:, m]
    ranked = [s for s, name in enumerate(scores.systems) if not np.isnan(column[s]) and name not in scores.unranked]
    order = sorted(ranked, key=lambda s: -column[s])
    if len(order) < 2 or not against_best:
        return None
    names = tuple(scores.systems[s] for s in order)
    pairs = [(a, b) for place, a in enumerate(order) for b in order[place + 1 :]]
    others = [found for found in compare_pairs(scores, scores.metrics[m], pairs=pairs) if found.a != names[0]]
    return Ranking(scores.names[m], names, (*(found for found in against_best if found.b in names), *others))


def sorting_metric(scores: Scores, sort: str | None) -> int:
    """Return the index of the metric that sorts systems in tables; by default, and for other orders, the first."""
    if sort is None or sort in ORDERS:
        return 0
    with suppress(UnknownNameError):
        return scores.metric_place(sort)
    raise choices(sort, [*scores.labels, *ORDERS], what="order of systems")


def order_systems(scores: Scores, sort: str | None = None) -> list[int]:
    """Return the indices of the systems, best first under the metric ``sort`` (by default the first metric).

    Systems that are not ranked come last. ``sort`` may also be ``name`` or ``given`` (the order in which the systems
    were given, which is also used if no system is better than another).
    """
    places = list(range(len(scores.systems)))
    if sort == "given" or (sort is None and not scores.ranked):
        return places
    if sort == "name":
        return sorted(places, key=lambda s: scores.systems[s])
    m = sorting_metric(scores, sort)
    sign = 1 if scores.metrics[m].higher_is_better is False else -1
    column = np.nan_to_num(sign * scores.values[:, m], nan=np.inf)
    return sorted(places, key=lambda s: (scores.systems[s] in scores.unranked, column[s]))
