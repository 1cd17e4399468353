"""Is a difference between systems real? Paired tests over the segment statistics, corrected for many systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from wordorder.report.table import Column, Table
from wordorder.runtime.errors import UsageError, choices
from wordorder.runtime.plain import plain
from wordorder.statistics.resampling import interval
from wordorder.statistics.tests import (
    PairedTest,
    approximate_randomisation,
    bootstrap_p,
    holm,
    paired_bootstrap,
    sign_test,
    wilcoxon,
)

if TYPE_CHECKING:
    from wordorder.metrics.base import Metric
    from wordorder.scoring.scores import Scores

TESTS = ("bootstrap", "randomisation", "wilcoxon", "sign")
RESAMPLED = ("bootstrap", "randomisation")
LEVEL = 0.05
_WEAK_LEVEL = 0.1


@dataclass(frozen=True)
class Comparison:
    """System a against system b under one metric; ``p_holm`` is corrected over all comparisons of that metric.

    ``low`` and ``high`` bound the 95 % bootstrap interval of the difference.
    """

    metric: str
    a: str
    b: str
    difference: float
    p: float
    p_holm: float
    test: str
    segments: int
    low: float = float("nan")
    high: float = float("nan")

    @property
    def significant(self) -> bool:
        """Whether the difference is significant at 5 % after correction."""
        return self.p_holm < LEVEL

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data; undefined is None."""
        return {
            "metric": self.metric,
            "a": self.a,
            "b": self.b,
            "difference": plain(self.difference),
            "low": plain(self.low),
            "high": plain(self.high),
            "p": plain(self.p),
            "p_holm": plain(self.p_holm),
            "test": self.test,
            "segments": self.segments,
        }


def compare(scores: Scores, *, baseline: str | None, test: str) -> list[Comparison]:
    """Compare every system with the baseline, or with the best system of each metric where there is none."""
    if test not in TESTS:
        raise choices(test, list(TESTS), what="test")
    if baseline is not None and baseline not in scores.systems:
        raise choices(baseline, list(scores.systems), what="baseline")
    _check_samples(scores, test)
    found: list[Comparison] = []
    for m, metric in enumerate(scores.metrics):
        column = scores.values[:, m]
        if baseline is not None:
            anchor = scores.systems.index(baseline)
        elif np.isnan(column).all() or not (scores.ranked and metric.higher_is_better):
            continue
        else:
            anchor = int(np.nanargmax(column))
        others = [s for s in range(len(scores.systems)) if s != anchor]
        pairs = [(s, anchor) if baseline is not None else (anchor, s) for s in others]
        found += _corrected(scores, metric, pairs, [_test(scores, m, a, b, test) for a, b in pairs])
    return found


def compare_pairs(scores: Scores, metric: str | Metric, *, test: str = "bootstrap") -> list[Comparison]:
    """Compare every two systems under one metric, the later one with the earlier one."""
    if test not in TESTS:
        raise choices(test, list(TESTS), what="test")
    _check_samples(scores, test)
    if str(metric) not in scores.names:
        raise UsageError(f"these scores have no metric {str(metric)!r}; they have {', '.join(scores.names)}")
    m = scores.names.index(str(metric))
    pairs = [(later, earlier) for later in range(len(scores.systems)) for earlier in range(later)]
    return _corrected(scores, scores.metrics[m], pairs, [_test(scores, m, a, b, test) for a, b in pairs])


def pair_table(scores: Scores, metric: str | Metric, *, test: str = "bootstrap") -> Table:
    """Draw which systems differ, like Tables 3 to 5 of Talbot et al. (2011): is the column better than the row?"""
    found = {(each.a, each.b): each for each in compare_pairs(scores, metric, test=test)}
    names = scores.systems
    rows = [
        [row, *(_sign(found[column, row]) if s + 1 >= r else "" for s, column in enumerate(names[1:]))]
        for r, row in enumerate(names[:-1], start=1)
    ]
    notes = [
        "+ the column is better than the row, - it is worse, 0 not significant; * at 90 %, ** at 95 %",
        f"paired {test}, p values Holm-corrected over {len(found)} pairs, not only those with the best system",
    ]
    columns = [Column("", "left"), *(Column(name, "left") for name in names[1:])]
    return Table.of(f"pairwise significance in {metric}", columns, rows, notes=notes)


def _check_samples(scores: Scores, test: str) -> None:
    if test in RESAMPLED and not scores.resampling.samples:
        raise UsageError(f"the {test} test needs samples: 1 or more")


def _sign(comparison: Comparison) -> str | None:
    if np.isnan(comparison.p_holm):
        return None
    if not comparison.p_holm < _WEAK_LEVEL:
        return "0"
    return ("+" if comparison.difference > 0 else "-") + ("**" if comparison.significant else "*")


def _corrected(
    scores: Scores, metric: Metric, pairs: Sequence[tuple[int, int]], outcomes: Sequence[PairedTest]
) -> list[Comparison]:
    adjusted = holm([outcome.p for outcome in outcomes])
    return [
        Comparison(
            str(metric),
            scores.systems[a],
            scores.systems[b],
            outcome.difference,
            outcome.p,
            float(p),
            outcome.name,
            outcome.segments,
            *_difference_interval(scores, scores.metrics.index(metric), a, b),
        )
        for (a, b), outcome, p in zip(pairs, outcomes, adjusted, strict=True)
    ]


def _difference_interval(scores: Scores, m: int, a: int, b: int) -> tuple[float, float]:
    """Return the 95 % interval of the difference over the segments that are defined for both systems."""
    if not scores.resampling.samples:
        return float("nan"), float("nan")
    metric = scores.metrics[m]
    pair = scores.rows[a][m], scores.rows[b][m]
    defined = ~(np.isnan(metric.segment(pair[0])) | np.isnan(metric.segment(pair[1])))
    if defined.all():  # the samples of the intervals are paired already
        drawn = scores.replicates[:, a, m] - scores.replicates[:, b, m]
    elif not defined.any():
        return float("nan"), float("nan")
    else:
        groups = None if scores.resampled_groups is None else scores.resampled_groups[defined]
        sums = [scores.resampling.sums(rows[defined], groups=groups) for rows in pair]
        drawn = metric.corpus(sums[0]) - metric.corpus(sums[1])
    low, high = interval(drawn)
    return float(low), float(high)


def _test(scores: Scores, m: int, a: int, b: int, test: str) -> PairedTest:
    metric = scores.metrics[m]
    rows_a, rows_b = scores.rows[a][m], scores.rows[b][m]
    score_a, score_b = metric.segment(rows_a), metric.segment(rows_b)
    if test == "wilcoxon":
        return wilcoxon(score_a, score_b)
    if test == "sign":
        return sign_test(score_a, score_b)
    defined = ~(np.isnan(score_a) | np.isnan(score_b))
    options: dict[str, Any] = {
        "defined": defined,
        "seed": scores.resampling.seed,
        "threads": scores.resampling.threads,
        "groups": scores.resampled_groups,
    }
    if test == "randomisation":
        return approximate_randomisation(rows_a, rows_b, metric.corpus, **options)
    groups = scores.resampled_groups
    units = np.count_nonzero(defined) if groups is None else len(np.unique(groups[defined]))
    if units == 1:  # nothing to resample: a single segment or document is no evidence
        difference = float(metric.corpus(rows_a[defined].sum(axis=0)) - metric.corpus(rows_b[defined].sum(axis=0)))
        return PairedTest("bootstrap", difference, 1.0, int(np.count_nonzero(defined)))
    if defined.all():  # the samples of the intervals are paired already
        observed = scores.values[a, m] - scores.values[b, m]
        p = bootstrap_p(observed, scores.replicates[:, a, m] - scores.replicates[:, b, m])
        return PairedTest("bootstrap", float(observed), float(p), len(scores))
    return paired_bootstrap(rows_a, rows_b, metric.corpus, samples=scores.resampling.samples, **options)
