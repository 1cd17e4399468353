"""Comparison of systems that were each tuned in several optimiser runs (Clark, Dyer, Lavie & Smith 2011).

Tuning a system again yields different scores, so a difference between two systems may be due to chance. The score of
a system is therefore the mean over its runs. Two spreads are reported with it: ``s_sel`` is the variation due to the
choice of test sentences (the standard deviation over bootstrap samples, averaged over runs), and ``s_opt`` is the
variation due to the optimiser (the standard deviation over runs, with n − 1 in the denominator). Two systems are
compared by shuffling all their runs within each segment: p = (1 + #{|d| ≥ |observed|}) / (1 + trials), where d are
the differences after shuffling. The tool multeval counts only differences with |d| > |observed|, so that two equal
systems have p ≈ 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from wordorder.core.runtime.errors import UsageError, count_of
from wordorder.core.runtime.plain import plain
from wordorder.core.statistics.corrections import holm
from wordorder.core.statistics.resampling import interval, sum_groups
from wordorder.core.statistics.runs import shuffled_sums
from wordorder.core.statistics.settings import DEFAULT_TRIALS
from wordorder.core.statistics.tests import mean_and_spread, randomisation_p
from wordorder.metrics.base import Array
from wordorder.report.table import AS_IS, Cell, Column, Mark, Style, Table, Tabular, find_name
from wordorder.scoring.comparison import LEVEL, Comparison, pair_systems
from wordorder.scoring.scores import Scores, metric_column
from wordorder.scoring.tables import score_notes, scores_document

TEST = "shuffling"


def name_runs(counts: Mapping[str, int]) -> dict[str, list[str]]:
    """Return names for the runs of each system, given the number of its runs.

    >>> name_runs({"ours": 2})
    {'ours': ['ours/1', 'ours/2']}
    """
    return {name: [f"{name}/{run}" for run in range(1, count + 1)] for name, count in counts.items()}


@dataclass(frozen=True, eq=False)
class Runs(Tabular):
    """Scores of several runs of each system; all systems have the same number of runs.

    ``scores.systems`` lists the names of all runs, and ``members[system]`` lists those of one system.
    ``values[s, r, m]`` is the score of run r of system s under metric m.
    """

    scores: Scores
    members: Mapping[str, Sequence[str]]
    baseline: str | None = None

    def __post_init__(self) -> None:
        counts = {name: len(runs) for name, runs in self.members.items()}
        if len(set(counts.values())) > 1:
            found = ", ".join(f"{name} {count}" for name, count in counts.items())
            raise UsageError(f"all systems must have equally many runs, because more are an advantage; found {found}")
        if not counts or max(counts.values()) < 2:
            raise UsageError("every system has only one run; give two or more runs of each, under the same name")
        if self.baseline is not None:
            place = find_name(self.baseline, self.systems, what="baseline")
            object.__setattr__(self, "baseline", self.systems[place])

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(self.members)

    @cached_property
    def unranked(self) -> dict[str, str]:
        """The systems that are not ranked because a run matches too few reference words, each with the reason."""
        reasons = {name: [self.scores.unranked.get(run, "") for run in runs] for name, runs in self.members.items()}
        return {name: max(found, key=bool) for name, found in reasons.items() if any(found)}

    @cached_property
    def _places(self) -> list[list[int]]:
        return [[self.scores.system_place(run) for run in runs] for runs in self.members.values()]

    @property
    def values(self) -> Array:
        """The scores of all runs, ``[systems, runs, metrics]``."""
        values: Array = self.scores.values[np.array(self._places)]
        return values

    @property
    def means(self) -> Array:
        """The mean scores over runs, ``[systems, metrics]``."""
        means: Array = self.values.mean(axis=1)
        return means

    @cached_property
    def selection_spread(self) -> Array:
        """``s_sel``: the standard deviation over bootstrap samples (NaN if there are none), averaged over runs."""
        if not self.scores.resampling.samples:
            return np.full(self.means.shape, np.nan)
        spread: Array = mean_and_spread(self.scores.replicates)[2][np.array(self._places)].mean(axis=1)
        return spread

    @property
    def optimiser_spread(self) -> Array:
        """``s_opt``: the standard deviation of scores over runs, with n − 1 in the denominator."""
        spread: Array = self.values.std(axis=1, ddof=1)
        return spread

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """Tests of each system against the baseline or, if there is none, the best system under each metric."""
        if len(self.systems) < 2 or not self.scores.resampling.samples:
            return []
        return [found for m in range(len(self.scores.metrics)) for found in self._compare(m)]

    def _compare(self, m: int) -> list[Comparison]:
        column, ranked = self.means[:, m], self.scores.ranked and self.scores.metrics[m].higher_is_better is True
        place = None if self.baseline is None else self.systems.index(self.baseline)
        left_out = np.isin(self.systems, list(self.unranked))
        pairs = pair_systems(np.where(left_out, np.nan, column), baseline=place, ranked=ranked)
        pairs = [pair for pair in pairs if not left_out[list(pair)].any()]
        p = np.array([self._p(*pair, m) for pair in pairs])
        corrected = holm(p, best=self.baseline is None)
        groups = self.scores.resampled_groups
        units = len(self.scores) if groups is None else len(np.unique(groups))
        return [
            Comparison(
                self.scores.names[m],
                self.systems[a],
                self.systems[b],
                float(column[a] - column[b]),
                float(one),
                float(q),
                TEST,
                len(self.scores),
                *self._difference_interval(a, b, m),
                0.5 ** (units - 1) < LEVEL,
            )
            for (a, b), one, q in zip(pairs, p, corrected, strict=True)
        ]

    @cached_property
    def _shuffled(self) -> dict[tuple[int, int], Array]:
        """The differences between mean scores, ``[trials, metrics]``, for each pair of systems tested so far."""
        return {}

    def _p(self, a: int, b: int, m: int) -> float:
        pair = (min(a, b), max(a, b))
        if pair not in self._shuffled:
            self._shuffled[pair] = self._shuffle(*pair)
        observed = self.means[a, m] - self.means[b, m]
        return float(randomisation_p(observed, self._shuffled[pair][:, m]))

    def _shuffle(self, a: int, b: int) -> Array:
        """Shuffle the runs of two systems within each segment; return differences of means, ``[trials, metrics]``."""
        scores, groups = self.scores, self.scores.resampled_groups
        columns = [np.asarray(scores.statistics[place]) for s in (a, b) for place in self._places[s]]
        rows = np.stack([each if groups is None else sum_groups(each, groups) for each in columns], axis=1)
        sums = shuffled_sums(rows, seed=scores.resampling.seed, threads=scores.resampling.threads)
        ends = np.cumsum([0, *(len(metric.columns) for metric in scores.metrics)])
        half = len(columns) // 2
        found = np.empty((len(sums), len(scores.metrics)))
        for m, metric in enumerate(scores.metrics):
            values = metric.corpus(sums[:, :, ends[m] : ends[m + 1]])
            found[:, m] = values[:, :half].mean(axis=1) - values[:, half:].mean(axis=1)
        return found

    def _difference_interval(self, a: int, b: int, m: int) -> tuple[float, float]:
        """Return the 95% bootstrap interval of the difference between the mean scores of two systems."""
        drawn = [self.scores.replicates[:, self._places[s], m].mean(axis=1) for s in (a, b)]
        low, high = interval(drawn[0] - drawn[1])
        return float(low), float(high)

    def table(self, *, style: Style = AS_IS) -> Table:
        """Return a table with the mean, ``s_sel``, ``s_opt`` and the p-value for every system and metric."""
        tested = {(found.metric, found.b if self.baseline is None else found.a): found for found in self.comparisons}
        columns = [Column("system", "left"), Column("runs")]
        rows: list[list[Cell | str | int]] = [[name, len(runs)] for name, runs in self.members.items()]
        for m, (name, metric) in enumerate(zip(self.scores.names, self.scores.metrics, strict=True)):
            columns += [metric_column(metric, part) for part in ("", "s_sel", "s_opt")]
            columns += [Column(f"{name} p", number=".2g")] if self.comparisons else []
            for s, row in enumerate(rows):
                found = tested.get((name, self.systems[s]))
                row += [Cell(self.means[s, m], marks=self._marks(s, m, found))]
                row += [Cell(self.selection_spread[s, m]), Cell(self.optimiser_spread[s, m])]
                row += [Cell(found.p_corrected if found else None)] if self.comparisons else []
        return style.apply(Table.of("", columns, rows, notes=self._notes(style), signature=self.signature))

    def _marks(self, s: int, m: int, found: Comparison | None) -> frozenset[Mark]:
        if self.baseline == self.systems[s]:
            return frozenset({Mark.BASELINE})
        if self.systems[s] in self.unranked:
            return frozenset({Mark.UNRANKED})
        ranked = self.means[~np.isin(self.systems, list(self.unranked)), m]
        best = self.means[s, m] == np.nanmax(ranked) and len(self.systems) > 1
        if best and self.scores.ranked and self.scores.metrics[m].higher_is_better:
            return frozenset({Mark.BEST, *([Mark.SIGNIFICANT] if found is not None and found.significant else [])})
        if found is None:
            return frozenset()
        if not (found.significant or found.decidable):
            return frozenset({Mark.UNDECIDED})
        if self.baseline is None:
            return frozenset() if found.significant else frozenset({Mark.TIED})
        return frozenset({Mark.SIGNIFICANT}) if found.significant else frozenset()

    def _notes(self, style: Style = AS_IS) -> list[str]:
        runs = len(self.members[self.systems[0]])
        notes = [f"means of {count_of(runs, 'run')}; s_opt: standard deviation over runs"]
        if self.scores.resampling.samples:
            notes[0] += f"; s_sel: over {self.scores.resampling.samples} bootstrap samples, averaged over runs"
        if self.comparisons:
            against = "the best" if self.baseline is None else f"the baseline {self.baseline}"
            corrected = ", corrected by Holm's method" if len(self.systems) > 2 else ""
            shuffled = f"p: against {against}, by shuffling runs within segments {DEFAULT_TRIALS} times"
            notes.append(shuffled + corrected)
        return score_notes(self.scores, style=style, tests=notes)

    @property
    def signature(self) -> dict[str, Any]:
        """The settings and versions that are needed to reproduce the table."""
        runs = {"runs": len(self.members[self.systems[0]])}
        return runs | self.scores.signature_with(TEST if self.comparisons else None)

    def to_dict(self) -> dict[str, Any]:
        """Return all results, including the scores of single runs, as plain data; undefined numbers are None."""
        document = scores_document(self.scores, tests=self.comparisons, notes=self._notes(), signature=self.signature)
        means = [
            {
                "name": system,
                "runs": list(runs),
                "scores": {
                    name: {
                        "mean": plain(self.means[s, m]),
                        "s_sel": plain(self.selection_spread[s, m]),
                        "s_opt": plain(self.optimiser_spread[s, m]),
                    }
                    for m, name in enumerate(self.scores.names)
                },
            }
            for s, (system, runs) in enumerate(self.members.items())
        ]
        return document | {"systems": means, "runs": document["systems"]}
