"""Test whether one metric agrees better with people than another does.

The test depends on the coefficient:

* Segment level, for pairs of translations: approximate randomisation. For each segment, the outcomes of its pairs
  under two metrics are exchanged with probability ½, and the coefficients of the two pseudo-metrics are compared. The
  scales of the metrics do not matter, since outcomes are exchanged instead of raw scores.
* System level: for each system, the standardised scores under two metrics are exchanged (PERM-SYS of Deutsch, Dror &
  Roth 2021). All 2^systems exchanges are used if there are few of them, otherwise a sample.
* On request, for Pearson's r of segments or systems: Williams' test of two correlations with the same human scores;
  or Fisher's z, which treats the correlations as if they came from independent samples (Birch 2011, 6.3) and so finds
  fewer differences.
* Segment-level ratings, documents and soft pairwise accuracy: a bootstrap test of the difference of the coefficients.
* On request, for all coefficients: ``bootstrap-t``, Student's t-test between the bootstrap replicates of two metrics,
  which was used for Table 3 of Stanojević & Sima'an (2016). It is not corrected for multiple tests, and more samples
  make any difference significant (see ``bootstrap_t_p``).

The p-values are corrected for multiple tests: those of resampling tests with the largest difference in each sample,
others with Holm's method.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from wordorder.apps.metaeval.coefficients import (
    Estimates,
    Setup,
    correlate_systems,
    mean_defined,
    pair_rows,
    system_scores,
)
from wordorder.apps.metaeval.judged_set import JudgedSet
from wordorder.core.runtime.columns import Floats, Int64s
from wordorder.core.runtime.errors import UsageError
from wordorder.core.statistics.corrections import correct_by_resampling, holm
from wordorder.core.statistics.correlation import correlate_rows
from wordorder.core.statistics.pairwise import PAIR_COEFFICIENTS, pair_coefficient
from wordorder.core.statistics.resampling import randomisation_sums
from wordorder.core.statistics.tests import bootstrap_p, bootstrap_t_p, mean_and_spread, randomisation_p
from wordorder.core.statistics.variance import fisher_p, williams_p

TRIALS = 5000
LEVEL = 0.05


@dataclass(frozen=True)
class MetricTest:
    """A test of metric a against metric b; ``p_corrected`` accounts for all tests on the same set and coefficient.

    ``difference`` is the difference of the coefficients or, for ``bootstrap-t``, of their means over the samples.
    """

    set: str
    level: str
    coefficient: str
    a: str
    b: str
    difference: float
    p: float
    p_corrected: float
    test: str = "permutation"

    @property
    def significant(self) -> bool:
        """Whether the corrected p-value is below 5%; the p-value of ``bootstrap-t`` is not corrected."""
        return (self.p if self.test == "bootstrap-t" else self.p_corrected) < LEVEL


def compare_metrics(
    judged: JudgedSet,
    level: str,
    name: str,
    setup: Setup,
    *,
    estimates: Estimates,
    pairs: Sequence[tuple[int, int]] | None = None,
    trials: int = TRIALS,
) -> list[MetricTest]:
    """Test whether metrics differ in one coefficient on one set, for the given pairs of metrics or all pairs."""
    metrics = judged.metrics
    chosen = list(combinations(range(len(metrics)), 2)) if pairs is None else list(pairs)
    if not chosen:
        return []
    a, b = (np.array(side) for side in zip(*chosen, strict=True))
    observed = estimates.values[a] - estimates.values[b]
    test, corrected = setup.test, None
    if test in ("williams", "fisher"):
        p = _compare_correlations(judged, level, name, setup, a, b)
    elif test == "bootstrap-t":
        left, right = estimates.replicates[:, a], estimates.replicates[:, b]
        observed, p = mean_defined(left.T) - mean_defined(right.T), bootstrap_t_p(left, right)
    elif level == "segment" and name in PAIR_COEFFICIENTS:
        null = _exchange_outcomes(judged, name, setup, a, b, trials)
        p = randomisation_p(observed, null)
        corrected = _correct(p, observed, null)
    elif level == "system" and name != "spa":
        seen, null = _exchange_systems(judged, name, setup, a, b, trials)
        p = randomisation_p(seen, null)
        corrected = _correct(p, seen, null)
    elif not setup.resampling.samples:
        test, p = "bootstrap", np.full(len(chosen), np.nan)
    else:
        test, differences = "bootstrap", estimates.replicates[:, a] - estimates.replicates[:, b]
        p = bootstrap_p(observed, differences)
        corrected = _correct(p, observed, differences - mean_and_spread(differences)[1])
    corrected = holm(p) if corrected is None else corrected
    return [
        MetricTest(judged.name, level, name, metrics[i], metrics[j], float(d), float(q), float(r), test)
        for i, j, d, q, r in zip(a, b, observed, p, corrected, strict=True)
    ]


def _correct(p: Floats, observed: Floats, null: Floats) -> Floats:
    """Correct p-values for multiple tests, using the largest value in each sample of ``null[samples, tests]``."""
    spread = np.sqrt(np.nan_to_num(null**2).mean(axis=0))
    spread = np.where(spread > 0, spread, np.inf)
    sizes = np.abs(np.nan_to_num(null)) / spread
    tests = [(test, test) for test in range(len(p))]
    return correct_by_resampling(p, np.abs(observed) / spread, tests, lambda pair: sizes[:, pair[0]])


def _compare_correlations(judged: JudgedSet, level: str, name: str, setup: Setup, a: Int64s, b: Int64s) -> Floats:
    """Return p-values of Williams' test or Fisher's z for pairs of metrics.

    These tests need Pearson's r over all systems (``r``) or over all translations (``pearson.none``).
    """
    if (level, name) == ("system", "r"):
        human, metric = system_scores(judged, setup)
        metric = metric.T
    elif (level, name) == ("segment", "pearson.none"):
        human, metric = judged.ratings.ravel(), judged.segment_scores.reshape(len(judged.metrics), -1)
    else:
        which = "Williams' test" if setup.test == "williams" else "Fisher's z"
        raise UsageError(f"{which} tests only system-level r or segment-level pearson.none, not {level}-level {name}")
    found = []
    for i, j in zip(a, b, strict=True):
        known = ~(np.isnan(human) | np.isnan(metric[i]) | np.isnan(metric[j]))
        pairs = (human, metric[i]), (human, metric[j]), (metric[i], metric[j])
        first, second, between = (float(correlate_rows(x[known], y[known])) for x, y in pairs)
        count = int(known.sum())
        if setup.test == "williams":
            found.append(williams_p(first, second, between, count))
        else:
            found.append(fisher_p(first, second, count, count))
    return np.array(found)


def _exchange_outcomes(judged: JudgedSet, name: str, setup: Setup, a: Int64s, b: Int64s, trials: int) -> Floats:
    rows, _, _ = pair_rows(judged, name, setup.resampling.resample)
    _, units, width = rows.shape
    one = np.moveaxis(rows[a], 0, 1).reshape(units, -1)
    two = np.moveaxis(rows[b], 0, 1).reshape(units, -1)
    sums = randomisation_sums(one, two, trials=trials, seed=setup.resampling.seed, threads=setup.resampling.threads)
    first, second = (pair_coefficient(side.reshape(trials, len(a), width), name) for side in sums)
    return first - second


def _exchange_systems(
    judged: JudgedSet, name: str, setup: Setup, a: Int64s, b: Int64s, trials: int
) -> tuple[Floats, Floats]:
    """Return the differences between coefficients, as observed and after exchanging scores between the metrics."""
    human, metric = system_scores(judged, setup)
    known = ~np.isnan(metric)
    count = np.maximum(known.sum(axis=0), 1)
    centred = metric - np.where(known, metric, 0.0).sum(axis=0) / count
    spread = np.sqrt(np.where(known, centred**2, 0.0).sum(axis=0) / count)
    scores = (centred / np.where(spread > 0, spread, 1.0)).T  # [metrics, systems]
    systems = scores.shape[1]
    if 2**systems <= trials:
        swap = (np.arange(2**systems)[:, None] >> np.arange(systems)) & 1 == 1
    else:
        swap = np.random.Generator(np.random.PCG64(setup.resampling.seed)).random((trials, systems)) < 0.5
    observed = correlate_systems(human, scores[a], name) - correlate_systems(human, scores[b], name)
    differences = []
    for i, j in zip(a, b, strict=True):
        first, second = np.where(swap, scores[j], scores[i]), np.where(swap, scores[i], scores[j])
        differences.append(correlate_systems(human, first, name) - correlate_systems(human, second, name))
    return observed, np.stack(differences, axis=1)


def average_ranks(values: Floats) -> Floats:
    """Return the mean rank of each metric over all sets, from ``values[metrics, sets]``; rank 1 is the best.

    Ties share their mean rank; sets on which a metric is undefined are left out (Stanojević & Sima'an 2014, Table 3).

    >>> average_ranks(np.array([[0.3, 0.1], [0.2, 0.1]])).tolist()
    [1.25, 1.75]
    """
    from scipy import stats

    whole = ~np.isnan(values).any(axis=0)
    if not whole.any():
        return np.full(len(values), np.nan)
    ranks: Floats = stats.rankdata(-values[:, whole], axis=0).mean(axis=1)
    return ranks


def wins_losses_draws(tests: Sequence[MetricTest], new: str, baseline: str) -> tuple[int, int, int]:
    """Count the sets on which ``new`` is significantly better than ``baseline``, significantly worse, or neither."""
    compared = [test for test in tests if {test.a, test.b} == {new, baseline}]
    decided = [test.difference if test.a == new else -test.difference for test in compared if test.significant]
    wins = sum(difference > 0 for difference in decided)
    return wins, len(decided) - wins, len(compared) - len(decided)
