"""Tune the parameters of a metric for agreement with human judgements, by hill climbing or by grid search.

The segments are split into two parts: parameters are chosen on the first part, and results are reported on the
second. This follows Birch (2011, §7.3), who uses greedy hill climbing with 20 restarts and, for several language
pairs, chooses the θ with the best mean coefficient. Words are matched only once; for each new setting, only the
metric is recomputed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from operator import attrgetter
from typing import Any

import numpy as np

from wordorder.apps.metaeval.coefficients import Setup, estimate
from wordorder.apps.metaeval.judged_set import JudgedSet
from wordorder.apps.metaeval.plots import scale
from wordorder.core.runtime.errors import UsageError, refuse, reject
from wordorder.core.runtime.plain import plain, to_number
from wordorder.core.runtime.threads import progress
from wordorder.core.statistics import Resampling
from wordorder.formats.judgements import Comparisons, Ratings
from wordorder.metrics import Batch, Metric, choose_metrics, metric
from wordorder.metrics.registry import split_spec
from wordorder.report.table import Column, Table
from wordorder.scoring.inputs import Inputs
from wordorder.scoring.score import full_signature, run
from wordorder.scoring.scores import Scores

Setting = tuple[float, ...]
PARTS = ("train", "test")
DIGITS = 4
"""Decimal places to which parameters are rounded; smaller differences are noise, and specs stay readable."""


@dataclass(frozen=True)
class Range:
    """A parameter of a metric and its range; a parameter of a component is written with a dot: ``order.beta``."""

    key: str
    low: float
    high: float

    @classmethod
    def parse(cls, text: str) -> "Range":
        """Parse a range that is written as ``key=low:high``.

        >>> Range.parse("order.beta=0:1")
        Range(key='order.beta', low=0.0, high=1.0)
        """
        key, equals, bounds = text.partition("=")
        low, colon, high = bounds.partition(":")
        found = cls(key.strip(), to_number(low), to_number(high))
        if not (equals and colon and found.key) or not -1e9 < found.low < found.high < 1e9:
            raise UsageError(f"expected a range key=low:high with low < high, such as alpha=0:1, found {text!r}")
        return found


@dataclass(frozen=True, eq=False)
class TuningSet:
    """A test set with human judgements, restricted to the judged segments.

    The words of the segments are already matched with the references. ``fixed`` has metric parameters for this set,
    and ``about`` more fields for its signature.
    """

    name: str
    inputs: Inputs
    blocks: Sequence[Sequence[Batch]]
    judgements: Comparisons | Ratings
    fixed: Mapping[str, str]
    about: Mapping[str, Any]

    @classmethod
    def of(
        cls,
        name: str,
        inputs: Inputs,
        judgements: Comparisons | Ratings,
        *,
        metric: Metric,
        fixed: Mapping[str, str] | None = None,
        about: Mapping[str, Any] | None = None,
    ) -> "TuningSet":
        """Prepare the judged segments of one set for scoring with ``metric``.

        ``fixed`` holds metric parameters for this set only, such as ``dk`` for a language pair; ``about`` has more
        fields for the signature.
        """
        choose_metrics(metric, available=inputs.offers)
        known = judgements.among(inputs.systems)
        reject(not len(known), f"{name}: none of the judgements is about the given systems")
        segments, place = np.unique(known.segment, return_inverse=True)
        blocks = list(inputs.select(segments).batches([metric]))
        moved = replace(known, segment=place.astype(np.int64))
        return cls(name, inputs, blocks, moved, fixed or {}, about or {})

    def scores(self, metrics: Sequence[Metric]) -> Scores:
        """Score the judged segments with the given metrics."""
        settled = metrics if self.fixed else [metric.bind(self.inputs) for metric in metrics]
        statistics = run(self.blocks, self.inputs.systems, settled).statistics
        signature = {**full_signature(self.inputs, settled), **self.about}
        return Scores(self.inputs.systems, tuple(settled), statistics, signature, Resampling(samples=0))

    def split(self, share: float, seed: int) -> tuple[Comparisons | Ratings, Comparisons | Ratings]:
        """Split the judgements at random into two parts that have no segments in common.

        ``share`` is the proportion of segments in the first part.
        """
        count = int(self.judgements.segment.max()) + 1
        order = np.random.Generator(np.random.PCG64(seed)).permutation(count)
        chosen = np.zeros(count, dtype=bool)
        chosen[order[: round(share * count)]] = True
        rows = chosen[self.judgements.segment]
        reject(rows.all() or not rows.any(), f"{self.name}: too few judged segments ({count}) to split into two parts")
        return self.judgements.select(rows), self.judgements.select(~rows)


@dataclass(frozen=True, eq=False)
class Tuning:
    """The result of tuning: the best spec and setting, and all settings that were tried, with their coefficients."""

    start: str
    spec: str
    ranges: tuple[Range, ...]
    best: Setting
    tried: tuple[tuple[Setting, float, float], ...]
    level: str
    coefficient: str
    held_out: tuple[JudgedSet, ...]
    by_set: tuple[tuple[float, ...], ...] = ()
    """For each setting that was tried, the coefficients on the held-out parts of all sets."""

    @property
    def train(self) -> float:
        """The coefficient of the best setting on the tuning part."""
        return next(train for setting, train, _ in self.tried if setting == self.best)

    @property
    def test(self) -> float:
        """The coefficient of the best setting on the held-out part."""
        return next(test for setting, _, test in self.tried if setting == self.best)

    def to_dict(self) -> dict[str, Any]:
        """Return all results as unrounded plain data, with None where undefined."""
        keys = [one.key for one in self.ranges]
        return {
            "start": self.start,
            "spec": self.spec,
            "coefficient": self.coefficient,
            "train": plain(self.train),
            "test": plain(self.test),
            "tried": [
                {**dict(zip(keys, setting, strict=True)), "train": plain(train), "test": plain(test)}
                for setting, train, test in self.tried
            ],
        }

    def plot(self, *, scaled: bool = False) -> Any:
        """Plot the coefficient against each parameter, as an Altair chart (needs the extra ``pictures``).

        For each value of a parameter, the other parameters have the best values that were tried. With ``scaled``,
        every curve ranges from 0 to 1.
        """
        from wordorder.report.charts import plot_curves

        names = [judged.name for judged in self.held_out]
        pooled = {"tuned part": 0, "held out": 1}
        curves = pooled if len(names) < 2 else {name: place for place, name in enumerate(names)}
        records: list[dict[str, Any]] = []
        for place, parameter in enumerate(self.ranges):
            values = sorted({setting[place] for setting, _, _ in self.tried})
            for curve, which in curves.items():
                best = []
                for value in values:
                    here = [n for n, (setting, _, _) in enumerate(self.tried) if setting[place] == value]
                    top = max(here, key=lambda n: or_worst(self.tried[n][1]))
                    parts = self.tried[top][1:] if len(names) < 2 else self.by_set[top]
                    best.append(parts[which])
                shown = scale(best) if scaled else best
                records += [
                    {"parameter": parameter.key, "value": value, "curve": curve, self.coefficient: coefficient}
                    for value, coefficient in zip(values, shown, strict=True)
                    if coefficient == coefficient
                ]
        height = f"{self.coefficient}, scaled" if scaled else self.coefficient
        titles = self.ranges[0].key if len(self.ranges) == 1 else "value", height
        panel = None if len(self.ranges) == 1 else "parameter"
        return plot_curves(records, x="value", y=self.coefficient, series="curve", panel=panel, labels=titles)

    def curve(self) -> Table:
        """Return a table with one row of results for each setting that was tried."""
        columns = [*(Column(one.key) for one in self.ranges), *(Column(part, number=".4f") for part in PARTS)]
        return Table.of("", columns, [[*setting, train, test] for setting, train, test in self.tried])


@dataclass(frozen=True, eq=False)
class _Objective:
    """The function to maximise: the mean coefficient over the tuning parts of all sets.

    It stores the results of all settings that were tried.
    """

    start: str
    ranges: Sequence[Range]
    sets: Sequence[TuningSet]
    parts: Sequence[tuple[Comparisons | Ratings, Comparisons | Ratings]]
    measure: tuple[str, str]
    setup: Setup
    tried: dict[Setting, tuple[float, float]] = field(default_factory=dict)
    by_set: dict[Setting, tuple[float, ...]] = field(default_factory=dict)

    def spec(self, setting: Setting, fixed: Mapping[str, str] | None = None) -> str:
        """Return the spec of the metric with the given parameter values."""
        changed = {found.key: repr(value) for found, value in zip(self.ranges, setting, strict=True)}
        return str(metric(_with_settings(self.start, {**(fixed or {}), **changed})))

    def __call__(self, setting: Setting) -> float:
        setting = tuple(round(value, DIGITS) for value in setting)
        if setting not in self.tried:
            train: list[float] = []
            test: list[float] = []
            for judged, parts in zip(self.sets, self.parts, strict=True):
                scores = judged.scores([metric(self.spec(setting, judged.fixed))])
                for part, found in zip(parts, (train, test), strict=True):
                    one = JudgedSet(judged.name, scores, part)
                    found.append(float(estimate(one, *self.measure, self.setup).values[0]))
            self.tried[setting] = float(np.mean(train)), float(np.mean(test))
            self.by_set[setting] = tuple(test)
        return self.tried[setting][0]


def tune(
    start: str,
    ranges: Sequence[Range],
    sets: Sequence[TuningSet],
    *,
    search: str = "climb",
    level: str = "segment",
    coefficient: str = "tau-zero",
    share: float = 0.5,
    restarts: int = 20,
    steps: int = 11,
    seed: int = 12345,
    human: str = "wins",
) -> Tuning:
    """Find the parameters with the best mean coefficient on the tuning part of the segments.

    The search ``climb`` starts from random points; ``grid`` tries ``steps`` values of each parameter. The original
    setting is also tried, so on the tuning part, the result is never worse than the original. The default coefficient
    is ``tau-zero``, because ``tau`` ignores ties in the metric and so would reward settings that produce many ties.
    """
    refuse(not ranges, "there is nothing to tune; give a parameter and its range, such as alpha=0:1")
    refuse(not 0 < share < 1, f"the share of segments to tune on must be between 0 and 1, not {share}")
    base = metric(start)
    parts = [judged.split(share, seed) for judged in sets]
    setup = Setup(Resampling(samples=0), human)
    objective = _Objective(str(base), ranges, sets, parts, (level, coefficient), setup)
    for end in zip(*((one.low, one.high) for one in ranges), strict=True):
        objective.spec(end)  # reject invalid values before anything is scored
    given = _given(base, ranges)
    if given is not None:
        objective(given)
    if search == "grid":
        refuse(not 2 <= steps <= 10_000, f"a grid search needs 2 to 10000 values per parameter, not {steps}")
        axes = [np.linspace(found.low, found.high, steps).tolist() for found in ranges]
        points = list(product(*axes))
        for point in progress(points, label="trying", total=len(points)):
            objective(point)
    elif search == "climb":
        starts = _starting_points(ranges, restarts, seed)
        for point in progress(starts, label="climbing", total=restarts):
            climb(objective, point, ranges)
    else:
        raise UsageError(f"unknown search {search!r} (valid: climb, grid)")
    best = max(objective.tried, key=lambda setting: (or_worst(objective.tried[setting][0]), setting))
    spec = objective.spec(best)
    held_out = []
    for judged, (_, rest) in zip(sets, objective.parts, strict=True):
        both = [metric(_with_settings(str(base), judged.fixed)), metric(objective.spec(best, judged.fixed))]
        different = both if str(both[0]) != str(both[1]) else both[:1]
        held_out.append(JudgedSet(judged.name, judged.scores(different), rest))
    tried = tuple((setting, *values) for setting, values in sorted(objective.tried.items()))
    by_set = tuple(objective.by_set[setting] for setting, _, _ in tried)
    return Tuning(str(base), spec, tuple(ranges), best, tried, level, coefficient, tuple(held_out), by_set)


def climb(value: Callable[[Setting], float], start: Setting, ranges: Sequence[Range]) -> Setting:
    """Maximise a function by greedy hill climbing, and return the best setting found.

    Each move is the best single step along any axis. The step size starts at a tenth of the range and is halved when
    no step improves the value; the search ends when the step size is less than a hundredth of the range.

    >>> climb(lambda x: -((x[0] - 0.3) ** 2), (0.9,), [Range("alpha", 0.0, 1.0)])
    (0.3,)
    """
    here = tuple(round(place, DIGITS) for place in start)
    best, step = or_worst(value(here)), 0.1
    while step >= 0.01:
        moves = [(or_worst(value(near)), near) for near in _neighbours(here, ranges, step)]
        top, place = max(moves)
        if top > best:
            best, here = top, place
        else:
            step /= 2
    return here


def _neighbours(here: Setting, ranges: Sequence[Range], step: float) -> Iterator[Setting]:
    for axis, found in enumerate(ranges):
        for sign in (-1, 1):
            moved = here[axis] + sign * step * (found.high - found.low)
            inside = round(min(max(moved, found.low), found.high), DIGITS)
            yield (*here[:axis], inside, *here[axis + 1 :])


def _starting_points(ranges: Sequence[Range], restarts: int, seed: int) -> list[Setting]:
    refuse(restarts < 1, f"the number of restarts must be 1 or more, not {restarts}")
    draws = np.random.Generator(np.random.PCG64(seed)).random((restarts, len(ranges)))
    low = np.array([found.low for found in ranges])
    high = np.array([found.high for found in ranges])
    return [tuple(round(float(place), 2) for place in point) for point in low + draws * (high - low)]


def _given(base: Metric, ranges: Sequence[Range]) -> Setting | None:
    """Return the parameter values of the original metric, or None if it does not specify all of them."""
    try:
        values = tuple(attrgetter(one.key)(base) for one in ranges)
    except AttributeError:
        return None
    return values if all(isinstance(value, float) for value in values) else None


def _with_settings(spec: str, settings: Mapping[str, str]) -> str:
    """Return a metric spec with the given settings added or replaced."""
    name, given = split_spec(spec)
    return ":".join([name, *(f"{key}={value}" for key, value in {**given, **settings}.items())])


def or_worst(value: float) -> float:
    """Return the value, or −∞ if it is NaN, so that NaN is never the maximum."""
    return -np.inf if value != value else value
