"""Coefficients of agreement between people and metrics, with bootstrap replicates and tests of differences.

* Segment level, for pairs: the coefficients in ``PAIR_COEFFICIENTS``. A pair is two translations of one segment; all
  pairs are pooled. In ``accuracy.segment``, all segments have the same weight, as in the WMT metrics tasks (acc*eq).
* Segment level, for ratings: ``pearson``, ``spearman`` or ``kendall``, with the grouping after a dot:
  ``pearson.none`` pools all translations; ``pearson.segment`` is the mean over segments of the correlation across
  systems; ``pearson.system`` is the mean over systems of the correlation across segments.
* System level: ``rho``, ``r``, ``tau-b``, ``accuracy`` (share of the pairs of systems that are ranked in the same
  order), ``spa`` (soft pairwise accuracy, Thompson et al. 2024: are metric and people equally sure of each pair?).
* Document level: ``delta-r`` and ``delta-rho`` for differences between two systems on one document (as in EDPM);
  ``r`` and ``rho`` for scores of documents.

The test of whether one metric agrees better with people than another does depends on the coefficient:

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

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np

from wordorder.apps.metaeval.judged_set import JudgedSet
from wordorder.core.runtime.columns import Floats, Int64s
from wordorder.core.runtime.errors import UsageError, check_choice, mention
from wordorder.core.runtime.libraries import special, stats
from wordorder.core.statistics import correlation, pairwise
from wordorder.core.statistics.corrections import correct_by_resampling, holm
from wordorder.core.statistics.pairwise import pair_outcomes as outcomes_of
from wordorder.core.statistics.resampling import Weights, randomisation_sums, sum_groups
from wordorder.core.statistics.rows import CompactRows
from wordorder.core.statistics.settings import Resampling
from wordorder.core.statistics.tests import bootstrap_p, bootstrap_t_p, mean_and_spread, randomisation_p
from wordorder.core.statistics.variance import fisher_p, williams_p
from wordorder.formats.judgements import Comparisons, Ratings

GROUPINGS = ("none", "segment", "system")
RATING_COEFFICIENTS = tuple(f"{name}.{grouping}" for name in correlation.CORRELATIONS for grouping in GROUPINGS)
SEGMENT_COEFFICIENTS = (*pairwise.PAIR_COEFFICIENTS, *RATING_COEFFICIENTS)
SYSTEM_METHODS = {"rho": "spearman", "r": "pearson", "tau-b": "kendall"}
SYSTEM_COEFFICIENTS = (*SYSTEM_METHODS, "accuracy", "spa")
CALIBRATED = ("accuracy", "accuracy.segment")
PERMUTATIONS = 1000
_EQUAL = 1e-12
DOCUMENT_COEFFICIENTS = ("delta-r", "delta-rho", "r", "rho")
HUMAN_SCORES = ("wins", "better-or-equal", "best")
TESTS = ("permutation", "williams", "fisher", "bootstrap-t")


@dataclass(frozen=True)
class Setup:
    """Settings of a meta-evaluation: resampling, the kind of human system score, and the significance test."""

    resampling: Resampling = Resampling()
    human: str = "wins"
    test: str = "permutation"

    def __post_init__(self) -> None:
        self.resampling.check_unit("segments", "judgements")
        check_choice(self.human, HUMAN_SCORES, "human score")
        check_choice(self.test, TESTS, "test")
        if self.test == "bootstrap-t" and not self.resampling.samples:
            raise UsageError(f"{mention('test', 'bootstrap-t')} needs samples; set {mention('samples')} above 0")


@dataclass(frozen=True, eq=False)
class Estimates:
    """The values ``[metrics]`` of one coefficient, and their bootstrap replicates ``[samples, metrics]``.

    ``count`` is the number of pairs, translations or systems. ``ties`` is the calibrated tie threshold ε of each
    metric (only for ``CALIBRATED``), and ``p`` is the p-value of each metric's correlation, where one is defined.
    Of the ``decided`` pairs, in which people prefer one translation, ``tied`` is the number that each metric ties.
    """

    values: Floats
    replicates: Floats
    count: int
    ties: Floats | None = None
    p: Floats | None = None
    tied: Floats | None = None
    decided: Floats | None = None


def estimate(judged: JudgedSet, level: str, name: str, setup: Setup) -> Estimates:
    """Compute one coefficient at one level for all metrics of a test set."""
    segments = _pairs if name in pairwise.PAIR_COEFFICIENTS else _ratings
    compute = {"segment": segments, "system": _systems, "document": _documents}
    check_choice(level, tuple(compute), "level")
    return compute[level](judged, name, setup)


def pair_rows(judged: JudgedSet, name: str, unit: str) -> tuple[CompactRows, Floats, int]:
    """Count the pair outcomes in each resampling unit.

    Return the five counts of each metric ``[units, metrics · 5]``, its tie threshold ε, and the number of pairs.
    """
    pairs = judged.pairs(unit)
    rows, ties = [], []
    for difference in judged.differences(pairs):
        weight = pairs.weight
        if name == "accuracy.segment":  # the weights of the pairs of a segment add up to 1
            known = weight * ~np.isnan(difference)
            total = np.bincount(pairs.segment, known)[pairs.segment]
            weight = np.divide(known, total, out=np.zeros(len(known)), where=total > 0)
        tie = pairwise.calibrate_ties(pairs.human, difference, weights=weight) if name in CALIBRATED else 0.0
        outcomes = outcomes_of(pairs.human, difference, tie=tie)
        counts = pairwise.count_outcomes(outcomes, pairs.unit, size=pairs.units, weights=weight)
        rows.append(CompactRows.of(counts))
        ties.append(tie)
    return CompactRows.beside(rows), np.array(ties), len(pairs.segment)


def _pairs(judged: JudgedSet, name: str, setup: Setup) -> Estimates:
    rows, ties, count = pair_rows(judged, name, setup.resampling.resample)
    counts = rows.sum().reshape(len(ties), -1)
    values = pairwise.pair_coefficient(counts, name)
    replicates = pairwise.pair_coefficient(setup.resampling.sums(rows).reshape(-1, *counts.shape), name)
    tied, decided = counts[:, pairwise.PAIR_COLUMNS.index("metric_tie")], counts[:, :3].sum(axis=1)
    return Estimates(values, replicates, count, ties if name in CALIBRATED else None, tied=tied, decided=decided)


def _ratings(judged: JudgedSet, name: str, setup: Setup) -> Estimates:
    check_choice(name, SEGMENT_COEFFICIENTS, "segment-level coefficient")
    if not isinstance(judged.judgements, Ratings):
        usable = ", ".join(pairwise.PAIR_COEFFICIENTS)
        raise UsageError(f"coefficient {name} needs ratings, but {judged.name} has comparisons; choose from {usable}")
    method, _, grouping = name.partition(".")
    scores, human = judged.segment_scores, judged.ratings
    count = int((~np.isnan(human)).sum())
    p = _p_values(scores, human, method) if grouping == "none" else None
    if grouping == "segment":
        each = (correlation.correlate_rows(one.T, human.T, method=method) for one in scores)
        rows = CompactRows.beside(np.stack([np.nan_to_num(one), ~np.isnan(one)], axis=1) for one in each)
        values, replicates = (
            _ratio(sums.reshape(-1, len(scores), 2)) for sums in (rows.sum(), setup.resampling.sums(rows))
        )
        return Estimates(values[0], replicates, count)
    if method == "pearson":
        pooled = grouping == "none"
        rows = CompactRows.beside(_moments(one, human, pooled=pooled) for one in scores)
        shape = -1, len(scores), 1 if pooled else len(human), 6
        values, replicates = (
            mean_defined(correlation.pearson_from_sums(sums.reshape(shape)))
            for sums in (rows.sum(), setup.resampling.sums(rows))
        )
        return Estimates(values[0], replicates, count, p=p)

    repeats = len(human) if grouping == "none" else 1
    parts = [
        [_sampler(x, y, method) for x, y in zip(one.reshape(-1, width), human.reshape(-1, width), strict=True)]
        for width in [repeats * scores.shape[2]]
        for one in scores
    ]

    def compute(counts: Weights) -> list[float]:
        counts = np.tile(counts, repeats)
        return [float(mean_defined(np.array([part(counts) for part in each]))) for each in parts]

    return Estimates(*_recomputed(compute, scores.shape[2], setup), count, p=p)


def _sampler(x: Floats, y: Floats, method: str) -> Callable[[Weights], float]:
    """Return a function that computes the rank correlation in a sample, given how often it contains each pair."""
    if method == "spearman":
        return correlation.RankedPairs(x, y).spearman
    return lambda counts: correlation.correlate(np.repeat(x, counts), np.repeat(y, counts), method=method).value


def _p_values(scores: Floats, human: Floats, method: str) -> Floats:
    """Return, for each metric, the p-value of its correlation with the human scores."""
    return np.array([correlation.correlate(one.ravel(), human.ravel(), method=method).p for one in scores])


def _moments(scores: Floats, human: Floats, *, pooled: bool) -> Floats:
    """Return (1, x, y, x², y², xy) of each system, side by side, for each segment; 0 where x or y is undefined.

    x is the score under one metric and y the human score, both ``[systems, segments]`` and centred on their means. If
    ``pooled`` is true, the systems are added up.
    """
    known = ~(np.isnan(scores) | np.isnan(human))
    count = max(int(known.sum()), 1)
    x, y = (np.where(known, each, 0.0) for each in (scores, human))
    x, y = (np.where(known, each - each.sum() / count, 0.0) for each in (x, y))
    products = (a * b for a, b in ((known, known), (x, known), (y, known), (x, x), (y, y), (x, y)))
    rows = np.stack([each.sum(axis=0, keepdims=True) if pooled else each for each in products])
    return rows.T.reshape(rows.shape[2], -1)


def human_scores(sums: Floats, kind: str) -> Floats:
    """Compute human scores from summed rows of :meth:`JudgedSet.human_rows`.

    For comparisons, ``wins`` is wins/(wins + losses) (WMT13), ``better-or-equal`` is (wins + ties)/all (Birch 2011,
    WMT09–12), and ``best`` is the share of screens on which no other system is better (Birch 2011, Table 7.7).

    >>> counts = np.array([3.0, 1.0, 4.0, 1.0, 2.0])
    >>> [human_scores(counts, kind).item() for kind in HUMAN_SCORES]
    [0.75, 0.875, 0.5]
    """
    if sums.shape[-1] == 2:
        return _ratio(sums)
    if kind == "best":
        return _ratio(sums[..., 3:])
    wins, losses, ties = np.moveaxis(sums[..., :3], -1, 0)
    better, all_ = (wins, wins + losses) if kind == "wins" else (wins + ties, wins + losses + ties)
    return _ratio(np.stack([better, all_], axis=-1))


def system_scores(judged: JudgedSet, setup: Setup) -> tuple[Floats, Floats]:
    """Return the human scores ``[systems]`` and the metric scores ``[systems, metrics]`` of all systems."""
    rows, _ = judged.human_rows(setup.resampling.resample)
    return human_scores(rows.sum(axis=0), setup.human), judged.scores.values * np.array(judged.direction)


def drawn_system_scores(judged: JudgedSet, metric: Floats, setup: Setup) -> tuple[Floats, Floats]:
    """Return bootstrap replicates of the human and metric scores of systems.

    The shapes are ``[samples, systems]`` and ``[samples, systems, metrics]``. Human and metric scores use the same
    samples of segments; if judgements are resampled instead, the metric scores stay the same in all samples.
    """
    rows, segment = judged.human_rows(setup.resampling.resample)
    rows = rows if judged.knows_words else np.zeros_like(rows)  # the human scores are undefined, 0/0
    size = rows.shape[1] * rows.shape[2]
    if setup.resampling.resample == "judgements" or not setup.resampling.samples:
        drawn = setup.resampling.sums(rows.reshape(len(rows), size)).reshape(-1, *rows.shape[1:])
        return human_scores(drawn, setup.human), np.broadcast_to(metric, (len(drawn), *metric.shape))
    sums = setup.resampling.sums(CompactRows.beside([_by_segment(judged, rows, segment), *judged.scores.statistics]))
    drawn = human_scores(sums[:, :size].reshape(-1, *rows.shape[1:]), setup.human)
    machine = np.empty((len(sums), *metric.shape))
    start = size
    for s in range(metric.shape[0]):
        for m, kind in enumerate(judged.scores.metrics):
            stop = start + len(kind.columns)
            machine[:, s, m] = kind.corpus(sums[:, start:stop]) * judged.direction[m]
            start = stop
    return drawn, machine


def correlate_systems(human: Floats, metric: Floats, name: str) -> Floats:
    """Return a system-level coefficient of human and metric scores, whose last axis is the systems."""
    if name == "accuracy":
        left, right = np.triu_indices(human.shape[-1], k=1)
        person = np.sign(human[..., left] - human[..., right])
        machine = np.sign(metric[..., left] - metric[..., right])
        known = ~(np.isnan(person) | np.isnan(machine)) & (person != 0)
        with np.errstate(invalid="ignore"):
            return np.asarray((known & (person == machine)).sum(axis=-1) / known.sum(axis=-1))
    check_choice(name, SYSTEM_COEFFICIENTS, "system-level coefficient")
    return correlation.correlate_rows(human, metric, method=SYSTEM_METHODS[name])


def _systems(judged: JudgedSet, name: str, setup: Setup) -> Estimates:
    _check_words(judged)
    if name == "spa":
        return _soft_accuracy(judged, setup)
    human, metric = system_scores(judged, setup)
    humans, metrics = drawn_system_scores(judged, metric, setup)
    values = correlate_systems(human, metric.T, name)
    replicates = correlate_systems(humans[:, None, :], np.moveaxis(metrics, 1, 2), name)
    p = None if name == "accuracy" else _p_values(metric.T, human, SYSTEM_METHODS[name])
    return Estimates(values, replicates.reshape(-1, len(values)), len(human), p=p)


def _soft_accuracy(judged: JudgedSet, setup: Setup) -> Estimates:
    """Return 1 − mean |p_people − p_metric| over pairs of systems (Thompson, Mathur, Deutsch & Khayrallah 2024).

    Each p comes from a one-sided paired permutation test: it is the share of random exchanges of segments between
    the two systems after which the first system is ahead by at least the observed difference. In the bootstrap
    samples, p comes from a normal distribution with the standard deviation of the differences after exchanges.
    """
    left, right = np.triu_indices(len(judged.scores.systems), k=1)
    human, metric = system_scores(judged, setup)
    rows, segment = judged.human_rows()
    tests = [_exchanged(_by_segment(judged, rows, segment), rows.shape[1], partial(human_scores, kind=setup.human))]
    for m, kind in enumerate(judged.scores.metrics):
        columns = CompactRows.beside(row.columns(m) for row in judged.scores.rows)
        tests.append(_exchanged(columns, rows.shape[1], kind.corpus, judged.direction[m]))
    scores = np.vstack([human, metric.T])
    observed = scores[:, left] - scores[:, right]
    p = np.array([_share_ahead(seen, null) for seen, null in zip(observed, tests, strict=True)])
    humans, metrics = drawn_system_scores(judged, metric, setup)
    drawn = np.concatenate([humans[:, None], np.moveaxis(metrics, 1, 2)], axis=1)
    spread = np.array([np.sqrt((null**2).mean(axis=0)) for null in tests])
    ahead = drawn[..., left] - drawn[..., right]
    replicated = special.ndtr(-np.divide(ahead, spread, out=np.zeros_like(ahead), where=spread > 0))
    values = mean_defined(1.0 - np.abs(p[1:] - p[0]))
    return Estimates(values, mean_defined(1.0 - np.abs(replicated[:, 1:] - replicated[:, :1])), len(human))


def _exchanged(
    rows: Floats | CompactRows, systems: int, value: Callable[[Floats], Floats], sign: float = 1.0
) -> Floats:
    """Return the score differences of all pairs of systems after random exchanges of segments.

    ``value`` computes scores from summed rows; the shape of the result is ``[exchanges, pairs]``.
    """
    left, right = np.triu_indices(systems, k=1)
    columns = np.arange(rows.shape[1]).reshape(systems, -1)
    first, second = (CompactRows.of(rows).take(columns[side].ravel()) for side in (left, right))
    sums = randomisation_sums(first, second, trials=PERMUTATIONS)
    one, two = (value(side.reshape(PERMUTATIONS, len(left), -1)) for side in sums)
    return sign * (one - two)


def _share_ahead(observed: Floats, null: Floats) -> Floats:
    """Return one-sided p-values: the share of ``null`` above the observed difference; equal values count half."""
    ahead = (null > observed + _EQUAL).mean(axis=0) + (np.abs(null - observed) <= _EQUAL).mean(axis=0) / 2.0
    return np.where(np.isnan(observed) | np.isnan(null).any(axis=0), np.nan, ahead)


def _documents(judged: JudgedSet, name: str, setup: Setup) -> Estimates:
    """Correlate document scores, or their differences between pairs of systems; the bootstrap samples documents."""
    check_choice(name, DOCUMENT_COEFFICIENTS, "document-level coefficient")
    if judged.documents is None:
        raise UsageError(
            f"{judged.name}: document-level coefficients need a document ID for each segment; give {mention('docs')}"
        )
    _check_words(judged)
    codes = np.unique(np.array(judged.documents), return_inverse=True)[1]
    rows, segment = judged.human_rows()
    sums = sum_groups(_by_segment(judged, rows, segment), codes).reshape(-1, *rows.shape[1:])
    person = human_scores(sums, setup.human)  # [documents, systems]
    machine = []  # the same for each metric
    for m, kind in enumerate(judged.scores.metrics):
        found = [kind.corpus(sum_groups(row[m], codes)) for row in judged.scores.rows]
        machine.append(np.stack(found, axis=1) * judged.direction[m])
    if name.startswith("delta-"):
        left, right = np.triu_indices(person.shape[1], k=1)
        person, *machine = (each[:, left] - each[:, right] for each in (person, *machine))
    method = "pearson" if name.endswith("r") else "spearman"

    if method == "spearman":
        pairs = [correlation.RankedPairs(person.ravel(), one.ravel()) for one in machine]

    def compute(counts: Weights) -> list[float]:
        if method == "spearman":
            return [each.spearman(np.repeat(counts, person.shape[1])) for each in pairs]
        places = np.repeat(np.arange(len(person)), counts)
        return [correlation.correlate(person[places].ravel(), one[places].ravel()).value for one in machine]

    return Estimates(*_recomputed(compute, len(person), setup), int((~np.isnan(person)).sum()))


def _check_words(judged: JudgedSet) -> None:
    if not judged.knows_words:
        raise UsageError(
            f"{judged.name}: error rates of systems and documents cannot be computed without the number of words in "
            "each segment; give edits and words, or the post-edited texts, or use only segment-level coefficients"
        )


def _by_segment(judged: JudgedSet, rows: Floats, segment: Int64s) -> Floats:
    """Expand rows of judged segments to one row per segment of the set; segments without judgements get zeros."""
    whole = np.zeros((len(judged.scores), rows.shape[1] * rows.shape[2]))
    whole[segment] = rows.reshape(len(rows), -1)
    return whole


def _recomputed(compute: Callable[[Weights], list[float]], rows: int, setup: Setup) -> tuple[Floats, Floats]:
    """Return a coefficient computed from all rows, and its values for bootstrap samples of the rows.

    This is for coefficients that cannot be computed from sums over segments; ``compute`` takes how often a sample
    contains each row.
    """
    values = np.array(compute(np.ones(rows, dtype=np.uint8)))
    drawn = list(map(compute, setup.resampling.each_count(rows)))
    return values, np.array(drawn).reshape(-1, len(values))


def _ratio(sums: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(sums[..., 0] / sums[..., 1])


def mean_defined(values: Floats) -> Floats:
    """Return the mean over the last axis, ignoring NaN."""
    known = ~np.isnan(values)
    return _ratio(np.stack([np.where(known, values, 0.0).sum(axis=-1), known.sum(axis=-1)], axis=-1))


def default_coefficients(judged: JudgedSet) -> tuple[str, ...]:
    """Return the default segment-level coefficients; with a single system, none of them compares systems."""
    if isinstance(judged.judgements, Comparisons):
        return ("tau",)
    pairs = ("accuracy", "kendall.segment") if len(judged.scores.systems) > 1 else ("spearman.none",)
    return ("pearson.none", *pairs)


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
    elif level == "segment" and name in pairwise.PAIR_COEFFICIENTS:
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
        first, second, between = (float(correlation.correlate_rows(x[known], y[known])) for x, y in pairs)
        count = int(known.sum())
        if setup.test == "williams":
            found.append(williams_p(first, second, between, count))
        else:
            found.append(fisher_p(first, second, count, count))
    return np.array(found)


def _exchange_outcomes(judged: JudgedSet, name: str, setup: Setup, a: Int64s, b: Int64s, trials: int) -> Floats:
    rows, ties, _ = pair_rows(judged, name, setup.resampling.resample)
    columns = np.arange(rows.shape[1]).reshape(len(ties), -1)
    one, two = (rows.take(columns[side].ravel()) for side in (a, b))
    sums = randomisation_sums(one, two, trials=trials, seed=setup.resampling.seed, threads=setup.resampling.threads)
    first, second = (pairwise.pair_coefficient(side.reshape(trials, len(a), -1), name) for side in sums)
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
