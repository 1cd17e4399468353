"""Tune the feature weights for choosing from n-best lists, under any metric whose statistics can be summed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from warnings import warn

import numpy as np

from wordorder.apps.nbest.mert import HillClimb, IntervalSmoothing, Objective
from wordorder.apps.nbest.nbest import weigh
from wordorder.apps.nbest.pro_and_mira import rank_pairs, take_steps
from wordorder.apps.nbest.scored_lists import ScoredLists, warn_if_order_only
from wordorder.apps.nbest.weights import Weights
from wordorder.core.runtime.columns import Floats, Int64s
from wordorder.core.runtime.errors import InputError, InputWarning, check_choice, count_of, refuse
from wordorder.core.runtime.threads import map_chunks, progress
from wordorder.metrics import Metric
from wordorder.report.table import Column, Table, Tabular

METHODS = ("mert", "pro", "mira")


@dataclass(frozen=True)
class TuningRun:
    """The weights found by one run of an optimiser, and the corpus score of the hypotheses chosen by them."""

    weights: Weights
    score: float


@dataclass(frozen=True, eq=False)
class Tuned(Tabular):
    """The runs of an optimiser for one objective; ``weights`` are those of the best run."""

    scored: ScoredLists = field(repr=False)
    objective: Metric
    runs: tuple[TuningRun, ...]
    fixed: tuple[str, ...] = ()

    @property
    def best(self) -> TuningRun:
        """The first run with the best score."""
        return max(self.runs, key=lambda run: run.score)

    @property
    def weights(self) -> Weights:
        """The weights of the best run."""
        return self.best.weights

    def average(self) -> Weights:
        """Return the mean of the normalised weights of all runs (Cettolo et al. 2011)."""
        scaled = [_normalised(np.array(list(run.weights.values()))) for run in self.runs]
        mean = np.mean(scaled, axis=0)
        return dict(zip(self.weights, mean.tolist(), strict=True))

    def scores(self, scored: ScoredLists, metric: str | Metric | None = None) -> Floats:
        """Return the score of each run's weights on scored lists, under one of the metrics of these lists."""
        return np.array([scored.score(scored.lists.choose(run.weights), metric) for run in self.runs])

    def surface(self, feature: str) -> Floats:
        """Return the score for each interval of one feature's weight, as rows (from, to, score)."""
        (axis,) = self.scored.lists.expand(feature)[:1]
        objective = Objective.of(self.scored, self.objective)
        weights = self.scored.lists.weights_of(self.weights)
        line = objective.along(weigh(self.scored.lists.features, weights), self.scored.lists.features[axis])
        edges = line.edges + weights[axis]
        known = ~np.isnan(line.scores)
        return np.stack([edges[:-1][known], edges[1:][known], line.scores[known]], axis=1)

    def table(self) -> Table:
        """Return a table with the weights and the score of each run."""
        names = [f"run {number}" for number in range(1, len(self.runs) + 1)]
        columns = [Column("feature", "left"), *(Column(name, number=".4f") for name in names)]
        rows: list[list[Any]] = [[name, *(run.weights[name] for run in self.runs)] for name in self.weights]
        rows.append([str(self.objective), *(run.score for run in self.runs)])
        notes = [f"{name} does not change the choice within any list; its weight is unchanged" for name in self.fixed]
        return Table.of("", columns, rows, notes=notes, signature=self.scored.signature)


def optimise(
    scored: ScoredLists,
    objective: str | Metric | None = None,
    *,
    method: str = "mert",
    start: Mapping[str, float] | Sequence[Mapping[str, float]] | None = None,
    restarts: int = 100,
    runs: int = 1,
    directions: int | None = None,
    fixed: Mapping[str, float] | None = None,
    positive: Sequence[str] = (),
    bounds: Mapping[str, tuple[float, float]] | None = None,
    ranges: tuple[float, float] | Mapping[str, tuple[float, float]] = (-1.0, 1.0),
    smooth: str = "none",
    seed: int = 12345,
    threads: int = 1,
) -> Tuned:
    """Find weights that choose the hypotheses with the best corpus score under a metric.

    ``method`` is ``mert`` (Och 2003) or, for many features, ``pro`` (Hopkins & May 2011) or ``mira`` (Cherry & Foster
    2012); these two ignore restarts, directions and smoothing. Each run of MERT climbs from every set of weights in
    ``start`` and from ``restarts`` random points within ``ranges``, which is one (low, high) pair or a pair for each
    feature. It climbs along all axes and along random ``directions`` (by default, as many as there are free weights).
    ``fixed`` weights do not change, weights of ``positive`` features are at least 0, and ``bounds`` has a (low, high)
    pair for each bounded feature. In these settings, ``tm`` stands for all values of a feature: ``tm_0``, ``tm_1`` …
    ``smooth`` is ``none``, ``average`` or ``minimum``, optionally with the number of intervals on either side, as in
    ``average:3``. Weights are scaled so that their absolute values sum to 1, unless that violates fixed weights or
    bounds. The result does not depend on the number of threads.

    >>> from wordorder.apps.nbest import NBest
    >>> lists = NBest.of([["b a", "a b"]], features={"lm": [[-2.0, -1.0]], "tm": [[-1.0, -3.0]]})
    >>> tuned = optimise(lists.score(["a b"], "lr-kb1"), restarts=3)
    >>> lists.texts_at(lists.choose(tuned.weights)), tuned.best.score
    (['a b'], 1.0)
    """
    target = Objective.of(scored, objective)
    warn_if_order_only(target.metric, "tuning for it")
    check_choice(method, METHODS, "method")
    refuse(restarts < 0 or runs < 1, "the number of restarts must be 0 or more, and the number of runs 1 or more")
    refuse(seed < 0 or (directions or 0) < 0, "the seed and the number of random directions must be 0 or more")
    space = _WeightSpace.of(target, dict(fixed or {}), positive, dict(bounds or {}), ranges)
    given = [start] if isinstance(start, Mapping) else list(start or [])
    starts = [space.place(scored.lists.weights_of(weights)) for weights in given]
    if not starts and not restarts:
        starts = [space.place(np.full(len(scored.lists.names), 1 / max(len(scored.lists.names), 1)))]
    climb = HillClimb(target, space.free, space.low, space.high, directions, IntervalSmoothing.parse(smooth))

    def search(task: tuple[int, int]) -> tuple[Floats, float]:
        """Search from starting point ``task[1]`` of run ``task[0]``; return the weights found and their score."""
        rng = np.random.default_rng([seed, *task])
        if method == "mert":
            return climb.run(starts[task[1]] if task[1] < len(starts) else space.draw(rng), rng)
        if method == "pro":
            weights = rank_pairs(target, space.low, space.high, rng)
        else:
            origin = starts[0] if starts else space.place(np.zeros(len(space.low)))
            weights = take_steps(target, origin, space.low, space.high, space.free, rng)
        return weights, target.score(weights)

    each = len(starts) + restarts if method == "mert" else 1
    tasks = [(run, number) for run in range(runs) for number in range(each)]
    found = list(map_chunks(search, progress(tasks, label="tuning", total=len(tasks)), threads=threads))
    kept = tuple(space.best(found[run * each : (run + 1) * each]) for run in range(runs))
    return Tuned(scored, target.metric, kept, tuple(scored.lists.names[place] for place in target.constant))


@dataclass(frozen=True, eq=False)
class _WeightSpace:
    """The search space: which weights are free, their bounds, and the ranges for random starts."""

    objective: Objective
    free: list[int]
    fixed: dict[int, float]
    low: Floats
    high: Floats
    scaled: bool
    """Whether weights can be scaled without violating fixed weights or bounds."""
    ranges: Floats
    """The lower and upper limits of random weights, ``[2, features]``."""

    @classmethod
    def of(
        cls,
        objective: Objective,
        fixed: Mapping[str, float],
        positive: Sequence[str],
        bounds: dict[str, tuple[float, float]],
        ranges: tuple[float, float] | Mapping[str, tuple[float, float]],
    ) -> "_WeightSpace":
        lists = objective.lists
        refuse(not lists.names, f"{lists.name} has no features, so there are no weights to tune")
        low, high = np.full(len(lists.names), -np.inf), np.full(len(lists.names), np.inf)
        for name, (least, most) in [*((name, (0.0, np.inf)) for name in positive), *bounds.items()]:
            _check_pair(name, least, most)
            for place in lists.expand(name):
                low[place], high[place] = max(low[place], least), min(high[place], most)
        held = {place: float(value) for name, value in fixed.items() for place in lists.expand(name)}
        for place, value in held.items():
            low[place] = high[place] = value
        free = [place for place in range(len(low)) if place not in held and place not in objective.constant]
        refuse(not free, "there is nothing to tune, because every weight is fixed or has no effect on the choice")
        scaled = not any(held.values()) and all(bound in (0.0, np.inf, -np.inf) for bound in (*low, *high))
        dull = [lists.names[place] for place in objective.constant if place not in held]
        if dull:
            are, make = ("is", "its weight makes") if len(dull) == 1 else ("are", "their weights make")
            told = f"{', '.join(dull)} {are} the same for all hypotheses of a sentence, so {make} no difference"
            warn(f"{lists.name}: {told}", InputWarning, stacklevel=3)
        drawn = np.tile(np.array([[-1.0], [1.0]]), len(lists.names))
        for name, (least, most) in ranges.items() if isinstance(ranges, Mapping) else [("", ranges)]:
            _check_pair(name or "all features", least, most)
            places = lists.expand(name) if name else range(len(lists.names))
            drawn[:, list(places)] = [[least], [most]]
        return cls(objective, free, held, low, high, scaled, drawn)

    def place(self, weights: Floats) -> Floats:
        """Move weights to the nearest values within the bounds, and return them."""
        return np.clip(weights, self.low, self.high)

    def draw(self, rng: np.random.Generator) -> Floats:
        """Return random weights within the ranges and the bounds."""
        weights = rng.uniform(self.ranges[0], self.ranges[1])
        for place in self.objective.constant:
            weights[place] = self.fixed.get(place, 0.0)
        return self.place(weights)

    def best(self, found: Sequence[tuple[Floats, float]]) -> TuningRun:
        """Return the best of several (weights, score) pairs, with its weights scaled if the bounds allow this."""
        scores = [-np.inf if np.isnan(score) else score for _, score in found]
        weights, lists = found[int(np.argmax(scores))][0], self.objective.lists
        if self.scaled:
            weights = _normalised(weights)
        score = self.objective.score(weights)
        if np.isnan(score):
            raise InputError(f"{self.objective.metric} is undefined for every choice of hypotheses from {lists.name}")
        return TuningRun(dict(zip(lists.names, weights.tolist(), strict=True)), score)


def _check_pair(name: str, low: float, high: float) -> None:
    refuse(not low <= high, f"the bounds of {name} are {low} and {high}, but the lower bound must come first")


def _normalised(weights: Floats) -> Floats:
    total = float(np.abs(weights).sum())
    return weights / total if total > 0 else weights


def tuning_table(
    tuned: Sequence[Tuned], scored: ScoredLists, *, metrics: Sequence[str] | None = None, average: bool = False
) -> Table:
    """Return a table of the scores of the weights for each objective: mean and standard deviation over runs."""
    places = range(len(scored.metrics)) if metrics is None else [scored.place(metric) for metric in metrics]
    shown = [scored.metrics[place] for place in places]
    several = len(tuned[0].runs) > 1 and not average
    columns = [Column("tuned for", "left"), Column("tuning", share=True)]
    for name in map(str, shown):
        columns += [Column(name, share=True), *([Column(f"sd {name}", share=True)] if several else [])]
    rows: list[list[Any]] = [["(model)", None, *_spread(scored, [scored.lists.choose()], shown, several=several)]]
    for one in tuned:
        weights = [one.average()] if average else [run.weights for run in one.runs]
        chosen = [scored.lists.choose(each) for each in weights]
        rows.append(
            [
                str(one.objective),
                np.mean([run.score for run in one.runs]),
                *_spread(scored, chosen, shown, several=several),
            ]
        )
    notes = ["tuning: the objective on the lists it was tuned on" + (", mean of the runs" if several else "")]
    if several:
        runs = count_of(len(tuned[0].runs), "run")
        notes.append(f"mean of {runs} from different random starts; sd: their standard deviation (n − 1)")
    if average:
        notes.append(f"weights are the mean of {count_of(len(tuned[0].runs), 'run')} (Cettolo et al. 2011)")
    notes += [f"{metric}: {metric.note}" for metric in shown if metric.note]
    return Table.of("", columns, rows, notes=notes, signature=scored.signature)


def _spread(
    scored: ScoredLists, choices: Sequence[Int64s], metrics: Sequence[Metric], *, several: bool
) -> Iterator[float | None]:
    """Yield, for each metric, the mean score of the choices and, if ``several``, their standard deviation."""
    for metric in metrics:
        scores = [scored.score(choice, metric) for choice in choices]
        yield float(np.mean(scores))
        if several:
            yield float(np.std(scores, ddof=1)) if len(scores) > 1 else None
