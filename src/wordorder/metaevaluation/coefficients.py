"""Coefficients between people and metrics, with bootstrap replicates.

* Segment level, over pairs: the names of ``PAIR_COEFFICIENTS``. Pairs are always of one segment; all are pooled.
* Segment level, over ratings: ``pearson``, ``spearman``, ``kendall`` with the grouping after a dot:
  ``pearson.none`` pools all translations, ``pearson.segment`` is the mean over segments of the correlation across
  systems, ``pearson.system`` the mean over systems of the correlation across segments.
* System level: ``rho``, ``r``, ``tau-b``, ``accuracy`` (share of pairs of systems in the same order).
* Document level: ``delta-r``, ``delta-rho``: differences between two systems on one document (the EDPM form);
  ``r``, ``rho``: scores of documents.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordorder.formats.judgements import Comparisons, Ratings
from wordorder.metaevaluation.judged import Floats, JudgedSet
from wordorder.runtime.errors import UsageError, choices
from wordorder.statistics.correlation import CORRELATIONS, correlate, correlate_rows, pearson_from_sums
from wordorder.statistics.pairwise import PAIR_COEFFICIENTS, calibrate_ties, count_outcomes, pair_coefficient
from wordorder.statistics.pairwise import pair_outcomes as outcomes_of
from wordorder.statistics.resampling import bootstrap_counts, bootstrap_sums, sum_groups

GROUPINGS = ("none", "segment", "system")
RATING_COEFFICIENTS = tuple(f"{name}.{grouping}" for name in CORRELATIONS for grouping in GROUPINGS)
SEGMENT_COEFFICIENTS = (*PAIR_COEFFICIENTS, *RATING_COEFFICIENTS)
SYSTEM_COEFFICIENTS = ("rho", "r", "tau-b", "accuracy")
DOCUMENT_COEFFICIENTS = ("delta-r", "delta-rho", "r", "rho")
HUMAN_SCORES = ("wins", "better-or-equal")
UNITS = ("segments", "judgements")
TESTS = ("permutation", "williams")


@dataclass(frozen=True)
class Setup:
    """What is resampled how often, how comparisons become a score of a system, and how metrics are tested."""

    samples: int = 1000
    seed: int = 12345
    threads: int = 1
    unit: str = "segments"
    human: str = "wins"
    test: str = "permutation"

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise choices(self.unit, list(UNITS), what="unit of resampling")
        if self.human not in HUMAN_SCORES:
            raise choices(self.human, list(HUMAN_SCORES), what="human score")
        if self.test not in TESTS:
            raise choices(self.test, list(TESTS), what="test")
        if self.samples < 0:
            raise UsageError(f"the number of samples must be 0 or more, not {self.samples}")


@dataclass(frozen=True, eq=False)
class Estimates:
    """One coefficient for every metric: values ``[metrics]``, replicates ``[samples, metrics]``.

    ``count`` is the number of pairs, translations or systems; ``ties`` the calibrated ε per metric (``accuracy``).
    """

    values: Floats
    replicates: Floats
    count: int
    ties: Floats | None = None


def estimate(judged: JudgedSet, level: str, name: str, setup: Setup) -> Estimates:
    """Compute one coefficient at one level for every metric of a set."""
    if level == "segment":
        if name in PAIR_COEFFICIENTS:
            return _pairs(judged, name, setup)
        return _ratings(judged, name, setup)
    if level == "system":
        return _systems(judged, name, setup)
    if level == "document":
        return _documents(judged, name, setup)
    raise choices(level, ["segment", "system", "document"], what="level")


def pair_rows(judged: JudgedSet, name: str, unit: str) -> tuple[Floats, Floats, int]:
    """Give the counts ``[metrics, units, 5]`` of pair outcomes, the ε of each metric, and the number of pairs."""
    if name not in PAIR_COEFFICIENTS:
        raise choices(name, list(PAIR_COEFFICIENTS), what="coefficient over pairs")
    pairs = judged.pairs(unit)
    rows, ties = [], []
    for scores in judged.segment_scores:
        difference = pairs.differences(scores)
        tie = calibrate_ties(pairs.human, difference, weights=pairs.weight) if name == "accuracy" else 0.0
        outcomes = outcomes_of(pairs.human, difference, tie=tie)
        rows.append(count_outcomes(outcomes, pairs.unit, size=pairs.units, weights=pairs.weight))
        ties.append(tie)
    return np.stack(rows), np.array(ties), len(pairs.segment)


def _pairs(judged: JudgedSet, name: str, setup: Setup) -> Estimates:
    rows, ties, count = pair_rows(judged, name, setup.unit)
    metrics, units, width = rows.shape
    values = pair_coefficient(rows.sum(axis=1), name)
    sums = _resampled(np.moveaxis(rows, 0, 1).reshape(units, metrics * width), setup)
    replicates = pair_coefficient(sums.reshape(-1, metrics, width), name)
    return Estimates(values, replicates, count, ties if name == "accuracy" else None)


def _ratings(judged: JudgedSet, name: str, setup: Setup) -> Estimates:
    if name not in RATING_COEFFICIENTS:
        raise choices(name, list(SEGMENT_COEFFICIENTS), what="segment-level coefficient")
    if not isinstance(judged.judgements, Ratings):
        raise UsageError(
            f"{name} needs ratings, and {judged.name} has comparisons; use {', '.join(PAIR_COEFFICIENTS)}"
        )
    method, _, grouping = name.partition(".")
    scores, human = judged.segment_scores, judged.ratings
    count = int((~np.isnan(human)).sum())
    if grouping == "segment":
        each = correlate_rows(np.moveaxis(scores, 1, 2), human.T, method=method)  # [metrics, segments]
        rows = np.stack([np.nan_to_num(each), (~np.isnan(each)).astype(np.float64)], axis=-1)
        sums = _resampled(np.moveaxis(rows, 0, 1).reshape(rows.shape[1], -1), setup).reshape(-1, len(scores), 2)
        return Estimates(_ratio(rows.sum(axis=1)), _ratio(sums), count)
    if method == "pearson":
        rows = _moments(scores, human)  # [segments, metrics, systems, 6]
        if grouping == "none":
            rows = rows.sum(axis=2, keepdims=True)
        sums = _resampled(rows.reshape(len(rows), -1), setup).reshape(-1, *rows.shape[1:])
        return Estimates(
            _mean_defined(pearson_from_sums(rows.sum(axis=0))), _mean_defined(pearson_from_sums(sums)), count
        )
    places = np.arange(scores.shape[2])
    values = np.array([_rank_correlation(one, human, places, method, grouping) for one in scores])
    draws = _draws(len(places), setup)
    replicates = np.array(
        [
            [_rank_correlation(one, human, np.repeat(places, draw), method, grouping) for one in scores]
            for draw in draws
        ]
    ).reshape(-1, len(scores))
    return Estimates(values, replicates, count)


def _rank_correlation(scores: Floats, human: Floats, places: NDArray[np.int64], method: str, grouping: str) -> float:
    x, y = scores[:, places], human[:, places]
    if grouping == "none":
        return correlate(x.ravel(), y.ravel(), method=method).value
    return float(_mean_defined(np.array([correlate(a, b, method=method).value for a, b in zip(x, y, strict=True)])))


def _moments(scores: Floats, human: Floats) -> Floats:
    """Give (1, x, y, x², y², xy) of every segment, metric and system, centred; zeros where one is undefined."""
    known = ~(np.isnan(scores) | np.isnan(human))
    count = np.maximum(known.sum(axis=(1, 2), keepdims=True), 1)
    x = np.where(known, scores, 0.0)
    y = np.where(known, human, 0.0)
    x = np.where(known, x - x.sum(axis=(1, 2), keepdims=True) / count, 0.0)
    y = np.where(known, y - y.sum(axis=(1, 2), keepdims=True) / count, 0.0)
    rows = np.stack([known.astype(np.float64), x, y, x * x, y * y, x * y], axis=-1)
    return np.ascontiguousarray(np.moveaxis(rows, 2, 0))


def human_scores(sums: Floats, kind: str) -> Floats:
    """Turn sums of (wins, losses, ties) ``[..., 3]`` or (sum, number) of ratings ``[..., 2]`` into scores.

    ``wins`` is wins/(wins + losses) (WMT13), ``better-or-equal`` (wins + ties)/all (Birch 2011, WMT09–12).

    >>> counts = np.array([3.0, 1.0, 4.0])
    >>> human_scores(counts, "wins").item(), human_scores(counts, "better-or-equal").item()
    (0.75, 0.875)
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        if sums.shape[-1] == 2:
            return np.asarray(sums[..., 0] / sums[..., 1])
        wins, losses, ties = np.moveaxis(sums, -1, 0)
        if kind == "wins":
            return np.asarray(wins / (wins + losses))
        return np.asarray((wins + ties) / (wins + losses + ties))


def system_scores(judged: JudgedSet, setup: Setup) -> tuple[Floats, Floats, Floats, Floats]:
    """Give the human and the metric scores of all systems, and replicates of both.

    Shapes: ``[systems]``, ``[systems, metrics]``, ``[samples, systems]``, ``[samples, systems, metrics]``. Segments
    are drawn for people and metrics alike; judgements are drawn for people alone.
    """
    rows, segment = judged.human_rows(setup.unit)
    human = human_scores(rows.sum(axis=0), setup.human)
    direction = np.array(judged.direction)
    metric = judged.scores.values * direction
    if not setup.samples:
        return human, metric, np.empty((0, len(human))), np.empty((0, *metric.shape))
    size = rows.shape[1] * rows.shape[2]
    if setup.unit == "judgements":
        drawn = _resampled(rows.reshape(len(rows), size), setup).reshape(-1, *rows.shape[1:])
        return human, metric, human_scores(drawn, setup.human), np.broadcast_to(metric, (len(drawn), *metric.shape))
    people = np.zeros((len(judged.scores), size))
    people[segment] = rows.reshape(len(rows), size)
    columns = [np.concatenate(row, axis=1) for row in judged.scores.rows]
    sums = _resampled(np.concatenate([people, *columns], axis=1), setup)
    drawn = human_scores(sums[:, :size].reshape(-1, *rows.shape[1:]), setup.human)
    machine = np.empty((len(sums), *metric.shape))
    start = size
    for s in range(metric.shape[0]):
        for m, kind in enumerate(judged.scores.metrics):
            stop = start + len(kind.columns)
            machine[:, s, m] = kind.corpus(sums[:, start:stop]) * direction[m]
            start = stop
    return human, metric, drawn, machine


def correlate_systems(human: Floats, metric: Floats, name: str) -> Floats:
    """Compute a system-level coefficient along the last axis."""
    if name == "accuracy":
        left, right = np.triu_indices(human.shape[-1], k=1)
        person = np.sign(human[..., left] - human[..., right])
        machine = np.sign(metric[..., left] - metric[..., right])
        known = ~(np.isnan(person) | np.isnan(machine)) & (person != 0)
        with np.errstate(invalid="ignore"):
            return np.asarray((known & (person == machine)).sum(axis=-1) / known.sum(axis=-1))
    if name not in SYSTEM_COEFFICIENTS:
        raise choices(name, list(SYSTEM_COEFFICIENTS), what="system-level coefficient")
    return correlate_rows(human, metric, method={"rho": "spearman", "r": "pearson", "tau-b": "kendall"}[name])


def _systems(judged: JudgedSet, name: str, setup: Setup) -> Estimates:
    human, metric, humans, metrics = system_scores(judged, setup)
    values = correlate_systems(human, metric.T, name)
    replicates = correlate_systems(humans[:, None, :], np.moveaxis(metrics, 1, 2), name)
    return Estimates(values, replicates.reshape(-1, len(values)), len(human))


def _documents(judged: JudgedSet, name: str, setup: Setup) -> Estimates:
    """Correlate scores of documents, or differences between two systems on one document; documents are drawn."""
    if name not in DOCUMENT_COEFFICIENTS:
        raise choices(name, list(DOCUMENT_COEFFICIENTS), what="document-level coefficient")
    if judged.documents is None:
        raise UsageError(f"{judged.name}: the document level needs the documents of the segments")
    codes = np.unique(np.array(judged.documents), return_inverse=True)[1]
    rows, segment = judged.human_rows()
    whole = np.zeros((len(judged.scores), rows.shape[1] * rows.shape[2]))
    whole[segment] = rows.reshape(len(rows), -1)
    human = human_scores(sum_groups(whole, codes).reshape(-1, *rows.shape[1:]), setup.human)  # [documents, systems]
    metric = np.stack(
        [
            np.stack([kind.corpus(sum_groups(row[m], codes)) for row in judged.scores.rows], axis=1)
            * judged.direction[m]
            for m, kind in enumerate(judged.scores.metrics)
        ]
    )
    person, machine = human, metric
    if name.startswith("delta-"):
        left, right = np.triu_indices(human.shape[1], k=1)
        person = human[:, left] - human[:, right]
        machine = metric[..., left] - metric[..., right]  # [metrics, documents, pairs]
    method = "pearson" if name.endswith("r") else "spearman"

    def compute(places: NDArray[np.int64]) -> list[float]:
        return [correlate(person[places].ravel(), one[places].ravel(), method=method).value for one in machine]

    places = np.arange(len(person))
    draws = _draws(len(places), setup)
    replicates = np.array([compute(np.repeat(places, draw)) for draw in draws]).reshape(-1, len(machine))
    return Estimates(np.array(compute(places)), replicates, int((~np.isnan(person)).sum()))


def _draws(rows: int, setup: Setup) -> NDArray[np.uint16]:
    if not setup.samples:
        return np.empty((0, rows), dtype=np.uint16)
    return bootstrap_counts(rows, samples=setup.samples, seed=setup.seed)


def _resampled(rows: Floats, setup: Setup) -> Floats:
    if not setup.samples:
        return np.empty((0, rows.shape[1]))
    return bootstrap_sums(rows, samples=setup.samples, seed=setup.seed, threads=setup.threads)


def _ratio(sums: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(sums[..., 0] / sums[..., 1])


def _mean_defined(values: Floats) -> Floats:
    """Give the mean over the last axis of what is defined."""
    known = ~np.isnan(values)
    return _ratio(np.stack([np.where(known, values, 0.0).sum(axis=-1), known.sum(axis=-1)], axis=-1))


def default_coefficients(judged: JudgedSet) -> tuple[str, ...]:
    """Give the segment-level coefficients shown unless others are asked for; one system alone has no pairs."""
    if isinstance(judged.judgements, Comparisons):
        return ("tau",)
    pairs = ("accuracy", "kendall.segment") if len(judged.scores.systems) > 1 else ("spearman.none",)
    return ("pearson.none", *pairs)
