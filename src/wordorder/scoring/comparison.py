"""Paired significance tests between systems, based on segment statistics and corrected for multiple comparisons.

The p-values of resampling tests are corrected by means of the largest difference in each sample, those of other tests
by Holm's method (``core/statistics/corrections.py``). Comparing more systems therefore does not require
more samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.errors import check_choice, refuse
from wordorder.core.runtime.plain import plain
from wordorder.core.statistics import tests
from wordorder.core.statistics.corrections import Pair, correct_by_resampling, holm, standard_size
from wordorder.core.statistics.resampling import interval
from wordorder.core.statistics.settings import DEFAULT_TRIALS
from wordorder.report.table import Cell, Column, Table, Value, find_name, split_shared
from wordorder.scoring.options import TESTS

if TYPE_CHECKING:
    from wordorder.metrics.base import Array, Metric
    from wordorder.scoring.scores import Scores

RESAMPLED = ("bootstrap", "randomisation")
LEVEL = 0.05
DUST = 1e-9


@dataclass(frozen=True)
class Comparison:
    """A test of the difference between systems a and b under one metric.

    ``p_corrected`` is the p-value corrected over all comparisons under that metric. ``low`` and ``high`` are the ends
    of the 95% bootstrap interval of the difference. ``decidable`` is False if there is so little data that no
    difference could be significant. ``common`` is the same comparison on the reference words that both systems
    matched, if it was made; over several pairs of systems, its p-values are corrected by Holm's method.
    """

    metric: str
    a: str
    b: str
    difference: float
    p: float
    p_corrected: float
    test: str
    segments: int
    low: float = float("nan")
    high: float = float("nan")
    decidable: bool = True
    common: Comparison | None = None

    @property
    def significant(self) -> bool:
        """Whether the corrected p-value makes the difference significant at the 5% level."""
        return self.decidable and self.p_corrected < LEVEL

    @property
    def may_come_from_matching(self) -> bool:
        """Whether the difference is significant on all matched words, but not confirmed by common words.

        On common words, such a difference is not significant although it could be, or it has the opposite sign.
        """
        if self.common is None or not self.significant:
            return False
        unconfirmed = self.common.decidable and not self.common.significant
        return unconfirmed or self.common.difference * self.difference < 0

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data; undefined numbers are None."""
        names = ("difference", "low", "high", "p", "p_corrected", "test", "segments", "decidable")
        made = {name: plain(getattr(self, name)) for name in ("metric", "a", "b", *names)}
        if self.common is None:
            return made
        common = {name: plain(getattr(self.common, name)) for name in names if name != "test"}
        return made | {"common": common | {"may_come_from_matching": self.may_come_from_matching}}


def compared_table(found: Sequence[Comparison]) -> Table:
    """Return a table of comparisons; the part that all names of systems share is in its title."""
    names = list(dict.fromkeys(name for c in found for name in (c.a, c.b)))
    shared, rest = split_shared(names) if names else ("", names)
    short = dict(zip(names, rest, strict=True))
    columns = [Column("metric", "left"), *(Column(name, "left", shorten=True) for name in ("a", "b"))]
    columns += [Column("a − b"), *(Column(name, number=".2g") for name in ("p", "corrected p"))]
    rows: list[list[Cell | Value]] = [
        [c.metric, short[c.a], short[c.b], Cell(c.difference, (c.low, c.high)), c.p, c.p_corrected] for c in found
    ]
    return Table.of(shared, columns, rows)


def correction_of(test: str) -> str:
    """Return how the p-values of several tests are corrected, as a phrase such as "by Holm's method"."""
    return "by resampling (Westfall and Young)" if test in RESAMPLED else "by Holm's method"


def compare(scores: Scores, *, baseline: str | None, test: str, common: bool | None = None) -> list[Comparison]:
    """Compare every system with the baseline or, if there is none, with the best system under each metric.

    If ``common`` is true, the systems are also compared on their common words; by default, only if there are two.
    """
    pairs = choose_pairs(scores, baseline)
    _check_test(scores, test)
    found = [each for m, one in enumerate(pairs) for each in _test_pairs(scores, m, one, test, best=baseline is None)]
    if common is None:
        common = len({system for each in found for system in (each.a, each.b)}) == 2
    return add_common(scores, found, test, best=baseline is None) if common else found


def choose_pairs(scores: Scores, baseline: str | None) -> list[list[Pair]]:
    """Return, for each metric, the pairs to compare: each system with the baseline or, without one, with the best."""
    place = None if baseline is None else find_name(baseline, scores.systems, what="baseline")
    values, left_out = scores.values.copy(), [scores.systems.index(system) for system in scores.unranked]
    values[left_out] = np.nan
    found = []
    for m, metric in enumerate(scores.metrics):
        ranked = scores.ranked and metric.higher_is_better is True
        pairs = pair_systems(values[:, m], baseline=place, ranked=ranked)
        found.append([pair for pair in pairs if not set(pair) & set(left_out)])
    return found


def add_common(scores: Scores, found: Sequence[Comparison], test: str, *, best: bool = False) -> list[Comparison]:
    """Return comparisons that include, for metrics of order alone, the comparison on common words."""
    known = scores.matched_orders is not None and all(each.common is None for each in found)
    pairs = dict.fromkeys((each.a, each.b) for each in found) if known else {}
    made: dict[tuple[str, str, str], Comparison] = {}
    for a, b in pairs:
        part = scores.on_common_words(a, b)
        assert part.order_words is not None
        # The undefined segments are the same for all metrics. Without them, all metrics share their samples.
        defined = np.flatnonzero(part.order_words[0] > 1)
        part = part.subset(defined) if len(defined) else part
        for m, name in enumerate(part.names):
            (made[name, a, b],) = _test_pairs(part, m, [(0, 1)], test)
    for name in dict.fromkeys(name for name, _, _ in made):
        tested = [(each.metric, each.a, each.b) for each in found if each.metric == name]
        p = np.array([made[key].p for key in tested])
        smallest = 1 / (scores.resampling.samples + 1) if test in RESAMPLED else 0.0
        possible = _can_be_significant(p, np.full(len(p), smallest), best=best)
        for key, q, able in zip(tested, holm(p, best=best).tolist(), possible, strict=True):
            made[key] = replace(made[key], p_corrected=q, decidable=made[key].decidable and able)
    return [replace(each, common=made.get((each.metric, each.a, each.b), each.common)) for each in found]


def pair_systems(values: Array, *, baseline: int | None, ranked: bool) -> list[Pair]:
    """Return the pairs of systems to compare: each with the baseline, or the best system with each of the others.

    Without a baseline, the list is empty if systems are not ranked or all values are undefined.
    """
    if baseline is None and (np.isnan(values).all() or not ranked):
        return []
    anchor = int(np.nanargmax(values)) if baseline is None else baseline
    others = [s for s in range(len(values)) if s != anchor]
    return [(anchor, s) if baseline is None else (s, anchor) for s in others]


def compare_pairs(
    scores: Scores, metric: str | Metric, *, test: str = "bootstrap", pairs: Sequence[Pair] | None = None
) -> list[Comparison]:
    """Compare pairs of systems, given by their indices, under one metric; p-values are corrected over all pairs.

    By default, these are all pairs, and in each of them, system a comes after system b in the list.
    """
    _check_test(scores, test)
    every = [(later, earlier) for later in range(len(scores.systems)) for earlier in range(later)]
    return _test_pairs(scores, scores.metric_place(metric), every if pairs is None else pairs, test)


def compare_each(scores: Scores, pairs: Sequence[tuple[str, str]], *, test: str = "bootstrap") -> list[Comparison]:
    """Compare the two systems of each pair under every metric; p-values are corrected over all pairs."""
    _check_test(scores, test)
    places = [(scores.system_place(a), scores.system_place(b)) for a, b in pairs]
    found = [each for m in range(len(scores.metrics)) for each in _test_pairs(scores, m, places, test)]
    return add_common(scores, found, test)


def unranked_notes(scores: Scores) -> list[str]:
    """Return a note on each system that is not ranked; a lone system has no rank anyway."""
    several = len(scores.systems) > 1
    return [f"{name} is not ranked or tested: {reason}" for name, reason in scores.unranked.items() if several]


def _check_test(scores: Scores, test: str) -> None:
    """Raise an error for an unknown test, or for a resampling test if the scores have no bootstrap samples."""
    check_choice(test, TESTS, "test")
    refuse(
        test in RESAMPLED and not scores.resampling.samples,
        f"the {test} test requires bootstrap samples; set samples to 1 or more",
    )


def _test_pairs(scores: Scores, m: int, pairs: Sequence[Pair], test: str, *, best: bool = False) -> list[Comparison]:
    """Test pairs of systems under one metric, except those with a system that is not ranked.

    ``best`` is true if every pair starts with the best system.
    """
    pairs = [pair for pair in pairs if not {scores.systems[s] for s in pair} & scores.unranked.keys()]
    if not pairs:
        return []
    shared = _SharedSegments(scores, m)
    outcomes, intervals = zip(*((_test(shared, a, b, test), shared.interval(a, b)) for a, b in pairs), strict=True)
    p = np.array([outcome.p for outcome in outcomes])
    # A single randomisation test has its own trials; only the correction of several tests uses the bootstrap samples.
    samples = DEFAULT_TRIALS if test == "randomisation" and len(pairs) == 1 else scores.resampling.samples
    floors = [_smallest_p(outcome, samples=samples) for outcome in outcomes]
    if test in RESAMPLED:
        corrected = _correct_by_resampling(scores, m, pairs, outcomes, best=best)
        decidable = [floor < LEVEL for floor in floors]
    else:
        corrected = holm(p, best=best)
        decidable = _can_be_significant(p, np.array(floors), best=best)
    return [
        Comparison(
            scores.names[m],
            scores.systems[a],
            scores.systems[b],
            outcome.difference if test in RESAMPLED else shared.difference(a, b),
            outcome.p,
            float(q),
            outcome.name,
            outcome.segments,
            low=ends[0],
            high=ends[1],
            decidable=possible,
        )
        for (a, b), outcome, ends, q, possible in zip(pairs, outcomes, intervals, corrected, decidable, strict=True)
    ]


def _can_be_significant(p: Array, smallest: Array, *, best: bool) -> list[bool]:
    """Return, for each test, whether its smallest possible p-value would be significant after Holm's correction."""
    lowest = (np.where(np.arange(len(p)) == place, least, p) for place, least in enumerate(smallest))
    return [bool(holm(each, best=best)[place] < LEVEL) for place, each in enumerate(lowest)]


def _smallest_p(outcome: tests.PairedTest, *, samples: int) -> float:
    """Return the smallest p-value that a test can yield with its number of samples and of segments or documents."""
    # The extreme case: all segments favour one system. The bootstrap could yield less, but that would be no evidence.
    by_signs = 0.5 ** max(outcome.units - 1, 0)
    return max(by_signs, 1 / (samples + 1)) if outcome.name in RESAMPLED else by_signs


def _correct_by_resampling(
    scores: Scores, m: int, pairs: Sequence[Pair], outcomes: Sequence[tests.PairedTest], *, best: bool
) -> NDArray[np.float64]:
    replicates = scores.replicates[:, :, m]

    def null(pair: Pair) -> NDArray[np.float64]:
        differences = replicates[:, pair[0]] - replicates[:, pair[1]]
        _, centre, error = tests.mean_and_spread(differences)
        return _sizes(differences - centre, error)

    def size(outcome: tests.PairedTest) -> float:
        ratio = float(_sizes(np.array(outcome.difference), np.array(outcome.error)))
        return standard_size(ratio, units=outcome.units, samples=scores.resampling.samples)

    p_values = [outcome.p for outcome in outcomes]
    if len(pairs) == 1:
        return np.array(p_values)
    return correct_by_resampling(p_values, [size(outcome) for outcome in outcomes], pairs, null, best=best)


def _sizes(differences: NDArray[np.float64], errors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return absolute differences in units of the standard error, or 0 if they are undefined or negligible."""
    size = np.abs(differences)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(size > DUST, size / np.where(errors > DUST, errors, 0.0), 0.0)


class _SharedSegments:
    """The scores of pairs of systems under one metric, over the segments for which both have a score.

    Bootstrap samples are drawn from all segments, once for all systems. For each pair, the sums of the segments that
    are undefined for either system are then subtracted.
    """

    def __init__(self, scores: Scores, m: int) -> None:
        self.scores, self.m = scores, m
        self.undefined = np.array([np.isnan(scores.scores_at(s, m)) for s in range(len(scores.systems))])
        self._gaps = np.flatnonzero(self.undefined.any(axis=0))
        self._last: tuple[Pair, Array] | None = None

    @cached_property
    def _weights(self) -> NDArray[np.float64]:
        """How often each sample contains each segment that is undefined for any system, ``[samples, gaps]``."""
        resampling, groups = self.scores.resampling, self.scores.resampled_groups
        if groups is None:
            return resampling.counts(len(self.scores), places=self._gaps).astype(np.float64)
        return resampling.counts(int(groups.max()) + 1)[:, groups[self._gaps]].astype(np.float64)

    def defined(self, a: int, b: int) -> NDArray[np.bool_]:
        """Return, for each segment, whether both systems have a score."""
        result: NDArray[np.bool_] = ~(self.undefined[a] | self.undefined[b])
        return result

    def difference(self, a: int, b: int) -> float:
        """Return the difference between the scores of two systems."""
        return self._score(a, b) - self._score(b, a)

    def differences(self, a: int, b: int) -> Array:
        """Return the difference between the scores of two systems in each bootstrap sample."""
        if self._last is None or self._last[0] != (a, b):
            self._last = (a, b), self._drawn(a, b) - self._drawn(b, a)
        return self._last[1]

    def interval(self, a: int, b: int) -> tuple[float, float]:
        """Return the 95% bootstrap interval of the difference between the scores of two systems."""
        if not self.scores.resampling.samples or not self.defined(a, b).any():
            return float("nan"), float("nan")
        low, high = interval(self.differences(a, b))
        return float(low), float(high)

    def _score(self, s: int, other: int) -> float:
        defined = self.defined(s, other)
        if defined.all():
            return float(self.scores.values[s, self.m])
        rows = self.scores.rows[s].block(self.m, np.flatnonzero(defined))
        return float(self.scores.metrics[self.m].corpus(rows.sum(axis=0)))

    def _drawn(self, s: int, other: int) -> Array:
        left_out = ~self.defined(s, other)[self._gaps]
        if not left_out.any():
            return self.scores.replicates[:, s, self.m]
        rows = self.scores.rows[s]
        # einsum without optimisation adds up in a fixed order, unlike the product of matrices
        without = np.einsum("sg,gk->sk", self._weights[:, left_out], rows.block(self.m, self._gaps[left_out]))
        sums = self.scores.resampled_sums[s][:, rows.ends[self.m] : rows.ends[self.m + 1]]
        return self.scores.metrics[self.m].corpus(sums - without)


def _test(shared: _SharedSegments, a: int, b: int, test: str) -> tests.PairedTest:
    scores, m = shared.scores, shared.m
    if test in ("wilcoxon", "sign"):
        return (tests.wilcoxon if test == "wilcoxon" else tests.sign_test)(
            scores.scores_at(a, m), scores.scores_at(b, m)
        )
    defined, groups = shared.defined(a, b), scores.resampled_groups
    if test == "randomisation":
        return tests.approximate_randomisation(
            scores.rows[a][m],
            scores.rows[b][m],
            scores.metrics[m].corpus,
            defined=defined,
            seed=scores.resampling.seed,
            threads=scores.resampling.threads,
            groups=groups,
        )
    count = int(np.count_nonzero(defined))
    units = count if groups is None else len(np.unique(groups[defined]))
    observed = shared.difference(a, b)
    if units < 2:  # a single segment or document cannot be resampled and is no evidence
        return tests.PairedTest("bootstrap", observed, 1.0 if units else float("nan"), count, units)
    differences = shared.differences(a, b)
    p, error = tests.bootstrap_p(observed, differences), tests.mean_and_spread(differences)[2]
    return tests.PairedTest("bootstrap", observed, float(p), count, units, float(error))
