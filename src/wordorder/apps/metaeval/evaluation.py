"""Meta-evaluation: the coefficients of all metrics on all test sets, with intervals, ranks and tests.

The systems of a test set are also ranked, by human scores and by each metric (Birch 2011, Table 7.7).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from wordorder.apps.metaeval import coefficients
from wordorder.apps.metaeval.judged_set import JudgedSet, join_signatures
from wordorder.core.runtime.columns import Floats
from wordorder.core.runtime.errors import UsageError, check_choice, choices, refuse
from wordorder.core.runtime.libraries import stats
from wordorder.core.runtime.plain import plain
from wordorder.core.runtime.threads import progress
from wordorder.core.statistics.resampling import interval
from wordorder.core.statistics.tests import bootstrap_p
from wordorder.formats.judgements import Comparisons
from wordorder.report.table import Cell, Column, Mark, Table, Tabular, Value
from wordorder.version import __version__

CLUSTERS = (
    "cluster: each system is significantly better than all systems of lower clusters (paired bootstrap, p < .05, for "
    "single pairs)"
)


@dataclass(frozen=True, eq=False)
class SystemRanking:
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


def rank_systems(judged: JudgedSet, setup: coefficients.Setup) -> SystemRanking:
    """Rank the systems of a set by human scores and by each metric, except those that match too few words."""
    human, metric = coefficients.system_scores(judged, setup)
    humans, metrics = coefficients.drawn_system_scores(judged, metric, setup)
    better = np.concatenate([human[:, None], metric], axis=1)
    drawn = np.concatenate([humans[:, :, None], metrics], axis=2)
    direction = np.array([1.0, *judged.direction])
    low, high = interval(drawn * direction)
    names = judged.scores.systems, judged.metrics
    ranked = better.copy()
    ranked[np.isin(judged.scores.systems, list(judged.scores.unranked)), 1:] = np.nan
    ranks: Floats = stats.rankdata(-ranked, axis=0, nan_policy="omit")
    clusters = np.stack([cluster_systems(one, drawn[:, :, m]) for m, one in enumerate(ranked.T)], axis=1)
    return SystemRanking(judged.name, *names, better * direction, low, high, ranks, clusters)


def ranking_table(
    rankings: Sequence[SystemRanking], *, notes: Sequence[str] = (), signature: Mapping[str, Any] | None = None
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
    tied = np.flatnonzero(~(varied & (p < coefficients.LEVEL)))
    starts = [not ((one[tied] < place) & (two[tied] >= place)).any() for place in range(len(order))]
    clusters[order] = np.cumsum(starts)
    return clusters


Measure = tuple[str, str]
"""A level (segment, system or document) and a coefficient."""


@dataclass(frozen=True, eq=False)
class MetaEvaluation(Tabular):
    """How well metrics agree with people: ``estimates[measure][set]`` contains a value for each metric."""

    sets: tuple[JudgedSet, ...]
    measures: tuple[Measure, ...]
    estimates: dict[Measure, tuple[coefficients.Estimates, ...]]
    setup: coefficients.Setup

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the metrics, which are the same for all sets."""
        return self.sets[0].metrics

    def values(self, level: str, coefficient: str) -> Floats:
        """Return the values of a coefficient for all metrics and sets, ``[metrics, sets]``."""
        return np.stack([found.values for found in self._of(level, coefficient)], axis=1)

    def intervals(self, level: str, coefficient: str) -> tuple[Floats, Floats]:
        """Return the lower and upper bounds of the 95% bootstrap intervals, each ``[metrics, sets]``."""
        bounds = [interval(found.replicates) for found in self._of(level, coefficient)]
        return np.stack([low for low, _ in bounds], axis=1), np.stack([high for _, high in bounds], axis=1)

    def compare(
        self, level: str, coefficient: str, *, pairs: Sequence[tuple[int, int]] | None = None
    ) -> list[coefficients.MetricTest]:
        """Test the differences between all pairs of metrics, or only the given pairs, on each set."""
        found = self._of(level, coefficient)
        return [
            test
            for judged, estimates in zip(self.sets, found, strict=True)
            for test in coefficients.compare_metrics(
                judged, level, coefficient, self.setup, estimates=estimates, pairs=pairs
            )
        ]

    def tests(self, pairs: Sequence[tuple[int, int]] | None = None) -> list[coefficients.MetricTest]:
        """Test all pairs of metrics, or only the given pairs, for each coefficient and each set."""
        return [test for measure in self.measures for test in self.compare(*measure, pairs=pairs)]

    @cached_property
    def _tests_of_best(self) -> dict[tuple[Measure, int], dict[int, coefficients.MetricTest]]:
        """For each coefficient and set, tests of the best metric against every other metric."""
        tests: dict[tuple[Measure, int], dict[int, coefficients.MetricTest]] = {}
        for measure in self.measures:
            for s, (judged, found) in enumerate(zip(self.sets, self.estimates[measure], strict=True)):
                if np.isnan(found.values).all():
                    continue
                best = int(np.nanargmax(found.values))
                others = [m for m in range(len(self.metrics)) if m != best]
                pairs = [(best, m) for m in others]
                outcome = coefficients.compare_metrics(judged, *measure, self.setup, estimates=found, pairs=pairs)
                tests[measure, s] = dict(zip(others, outcome, strict=True))
        return tests

    def table(self) -> Table:
        """Return a table with one row per metric and one column per coefficient and set.

        For several sets, each coefficient also has columns with its mean and its mean rank over the sets.
        """
        columns = [Column("metric", "left")]
        rows: list[list[Cell | str]] = [[metric] for metric in self.metrics]
        for measure in self.measures:
            label, values = self._label(measure), self.values(*measure)
            low, high = self.intervals(*measure)
            for s, judged in enumerate(self.sets):
                columns.append(Column(label if len(self.sets) == 1 else f"{judged.name} {label}"))
                tests = self._tests_of_best.get((measure, s), {})
                best = np.max(values[:, s], initial=-np.inf, where=~np.isnan(values[:, s]))
                for m, row in enumerate(rows):
                    marks = {Mark.BEST} if len(rows) > 1 and values[m, s] == best else set()
                    if not marks and m in tests and not tests[m].significant:
                        marks = {Mark.TIED}
                    facts = {"p": tests[m].p_corrected if m in tests else None} if tests else {}
                    row.append(Cell(values[m, s], (low[m, s], high[m, s]), frozenset(marks), facts))
            if len(self.sets) > 1:
                columns += [Column(f"mean {label}"), Column(f"rank {label}", number=".2f")]
                for row, mean, rank in zip(rows, values.mean(axis=1), coefficients.average_ranks(values), strict=True):
                    row += [Cell(float(mean)), Cell(float(rank))]
        return Table.of("", columns, rows, notes=self._notes(), signature=self.signature)

    def comparison_table(self, pairs: Sequence[tuple[int, int]] | None = None) -> Table:
        """Return a table with one row per test, for all pairs of metrics or only for the given pairs."""
        rows: list[list[Value]] = []
        for test in self.tests(pairs):
            better, worse = (test.a, test.b) if test.difference >= 0 else (test.b, test.a)
            numbers = abs(test.difference), test.p, test.p_corrected
            rows.append([test.set, test.level, test.coefficient, better, worse, *numbers])
        heads = [Column(name, "left") for name in ("set", "level", "coefficient", "better", "worse")]
        heads += map(Column, ("difference", "p", "p_corrected"))
        note = (
            f"test: {self.setup.test} (ratings, documents, spa: bootstrap); p_corrected: within a set and coefficient"
        )
        return Table.of("", heads, rows, notes=self._test_notes() or [note], signature=self.signature)

    def versus_table(self, baselines: Sequence[str]) -> Table:
        """Count the sets on which each metric beats, loses to or ties with each baseline metric.

        The table has the form of Table 3 of Stanojević & Sima'an (2016).
        """
        for name in baselines:
            check_choice(name, self.metrics, "baseline metric")
        names = self.metrics
        pairs = [(m, names.index(b)) for m, name in enumerate(names) if name not in baselines for b in baselines]
        rows: list[list[str]] = []
        for measure in self.measures:
            tests = self.compare(*measure, pairs=pairs)
            for metric in self.metrics:
                if metric in baselines:
                    continue
                counts = [coefficients.wins_losses_draws(tests, metric, baseline) for baseline in baselines]
                rows.append([self._label(measure), metric, *("/".join(map(str, count)) for count in counts)])
        columns = [Column("coefficient", "left"), Column("metric", "left"), *(Column(name) for name in baselines)]
        note = "N/B/D: sets where the metric is significantly better / the baseline is / neither"
        return Table.of("", columns, rows, notes=[note, *self._test_notes()], signature=self.signature)

    @cached_property
    def rankings(self) -> list[SystemRanking]:
        """The rankings of the systems of each set by people and by metrics."""
        return [rank_systems(judged, self.setup) for judged in self.sets]

    def ranking_table(self) -> Table:
        """Return a table of systems with human scores, metric scores and ranks (Birch 2011, Table 7.7)."""
        return ranking_table(self.rankings, notes=self._set_notes(), signature=self.signature)

    def plot(self, kind: str = "coefficients") -> Any:
        """Draw an Altair chart (extra ``pictures``).

        ``coefficients`` draws the coefficients with intervals; ``scaled`` draws them from the worst metric of
        each set (0) to its best (1); ``systems`` draws human scores against the scores of each metric, with a fitted
        line and the names of outliers; ``ratings`` does the same for rated translations.
        """
        from wordorder.apps.metaeval.plots import plot_agreement

        return plot_agreement(self, kind)

    def to_dict(self, pairs: Sequence[tuple[int, int]] | None = None) -> dict[str, Any]:
        """Return all results unrounded; undefined values are None.

        The tests compare all pairs of metrics or, if ``pairs`` is given, only those.
        """
        sets = []
        for s, judged in enumerate(self.sets):
            findings = []
            for level, name in self.measures:
                found = self.estimates[level, name][s]
                low, high = interval(found.replicates)
                for m, metric in enumerate(self.metrics):
                    entry = {"level": level, "coefficient": name, "metric": metric, "n": found.count}
                    entry |= {"value": plain(found.values[m]), "low": plain(low[m]), "high": plain(high[m])}
                    if found.ties is not None:
                        entry["tie"] = plain(found.ties[m])
                    if found.tied is not None:
                        entry["tied"] = plain(found.tied[m])
                    if found.p is not None:
                        entry["p"] = plain(found.p[m])
                    findings.append(entry)
            systems = self.rankings[s].to_dict()
            known = {"name": judged.name, "judgements": judged.describe()}
            sets.append({**known, "systems": systems, "findings": findings})
        return {
            "version": __version__,
            "signature": self.signature,
            "sets": sets,
            "tests": [plain(vars(test)) for test in self.tests(pairs)],
        }

    @property
    def signature(self) -> dict[str, Any]:
        """The settings that produced the results."""
        compared = any(isinstance(judged.judgements, Comparisons) for judged in self.sets)
        return {
            **join_signatures([judged.scores.inputs for judged in self.sets]),
            "human": self.setup.human if compared else "ratings",
            **({"words": "common"} if any(judged.common_words for judged in self.sets) else {}),
            "test": self.setup.test,
            "samples": self.setup.resampling.samples,
            "resampled": self.setup.resampling.resample,
            "seed": self.setup.resampling.seed,
            "version": __version__,
        }

    def _of(self, level: str, coefficient: str) -> tuple[coefficients.Estimates, ...]:
        if (level, coefficient) not in self.estimates:
            raise choices(f"{level} {coefficient}", [" ".join(measure) for measure in self.measures], what="measure")
        return self.estimates[level, coefficient]

    def _label(self, measure: Measure) -> str:
        level, name = measure
        twice = sum(other == name for _, other in self.measures) > 1
        return f"{level} {name}" if twice else name

    def _test_notes(self) -> list[str]:
        if self.setup.test != "bootstrap-t":
            return []
        samples = self.setup.resampling.samples
        return [
            f"test: bootstrap-t, Student's t-test over {samples} bootstrap samples of each metric, uncorrected: "
            "more samples make any difference significant"
        ]

    def _set_notes(self) -> list[str]:
        notes = []
        for judged in self.sets:
            known = judged.describe()
            left = known.pop("left_out", {})
            parts = [f"{count} {what}" for what, count in known.items()]
            parts += [f"{what}: {count}" for what, count in left.items()]
            notes.append(f"{judged.name}: {', '.join(parts)}")
            notes += [
                f"{system} is not ranked by metrics: {reason}" for system, reason in judged.scores.unranked.items()
            ]
        return notes

    def _notes(self) -> list[str]:
        notes = self._set_notes()
        levels = {level for level, _ in self.measures}
        if "segment" in levels and any("." not in name for level, name in self.measures if level == "segment"):
            notes.append("segment level: pairs of translations of the same segment, all pooled")
            if any(judged.common_words for judged in self.sets):
                notes.append("metrics of order compare two translations on the reference words that both match")
            notes += self._tie_notes() if ("segment", "tau") in self.measures else []
        return notes

    def _tie_notes(self) -> list[str]:
        """Return notes for each set on the pairs that people decide and τ drops: ties, and pairs without a score."""
        notes = []
        for judged, found in zip(self.sets, self.estimates["segment", "tau"], strict=True):
            assert found.tied is not None
            assert found.decided is not None
            counted = zip(self.metrics, found.tied, found.decided, strict=True)
            ties = [f"{metric} {tied:.0f} of {decided:.0f}" for metric, tied, decided in counted if tied]
            of_set = "" if len(self.sets) == 1 else f" ({judged.name})"
            notes += [f"tied by the metric, and dropped by tau{of_set}: {', '.join(ties)}"] if ties else []
            pairs = judged.pairs("segments")
            people = float(pairs.weight[pairs.human != 0].sum())
            gaps = [
                f"{metric} {people - decided:.0f} of {people:.0f}"
                for metric, decided in zip(self.metrics, found.decided, strict=True)
                if decided < people
            ]
            notes += [f"without a score, and dropped by tau{of_set}: {', '.join(gaps)}"] if gaps else []
        return notes


def metaevaluate(
    sets: Sequence[JudgedSet],
    *,
    segment: Sequence[str] | None = None,
    system: Sequence[str] | None = None,
    document: Sequence[str] = (),
    setup: coefficients.Setup | None = None,
) -> MetaEvaluation:
    """Measure how well metrics agree with the human judgements of some test sets.

    The default coefficients are τ for segments (for ratings: r, accuracy and τ-b) and ρ for systems.
    """
    refuse(not sets, "no test set with judgements was given; expected one or more")
    for judged in sets[1:]:
        if judged.metrics != sets[0].metrics:
            raise UsageError(f"{judged.name} and {sets[0].name} have different metrics; all sets need the same ones")
    names = [judged.name for judged in sets]
    for name in names:
        refuse(names.count(name) > 1, f"two sets have the same name, {name!r}")
    setup = setup or coefficients.Setup()
    segment = coefficients.default_coefficients(sets[0]) if segment is None else segment
    if system is None:
        system = ("rho",) if len(sets[0].scores.systems) > 1 else ()
    levels = {"segment": segment, "system": system, "document": document}
    measures = tuple((level, name) for level, chosen in levels.items() for name in chosen)
    found: dict[Measure, list[coefficients.Estimates]] = {measure: [] for measure in measures}
    work = [(measure, judged) for measure in measures for judged in sets]
    for measure, judged in progress(work, label="comparing with judgements", total=len(work)):
        found[measure].append(coefficients.estimate(judged, *measure, setup))
    return MetaEvaluation(tuple(sets), measures, {key: tuple(value) for key, value in found.items()}, setup)
