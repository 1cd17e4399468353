"""Minimum error rate training: hill climbing with exact line searches along many directions (Och 2003)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wordorder.apps.nbest.envelope import sums_between, upper_envelopes
from wordorder.apps.nbest.nbest import NBest, weigh
from wordorder.apps.nbest.scored_lists import ScoredLists
from wordorder.core.runtime.columns import Floats, Ints
from wordorder.core.runtime.errors import UsageError, check_choice
from wordorder.core.statistics.rows import CompactRows
from wordorder.metrics import Metric

NARROWEST = 1e-4
"""Intervals narrower than this are skipped, since their optimum is unlikely to hold on other data."""

STEP = 0.1
"""The distance of the chosen point from the last crossing if an open interval is the best."""

LEAST_GAIN = 1e-6
MOST_ROUNDS = 200


@dataclass(frozen=True)
class IntervalSmoothing:
    """Smoothing: replace the score of each interval by the mean or minimum of the scores around it (Cer et al. 2008).

    >>> IntervalSmoothing.parse("average:1").apply(np.array([0.0, 3.0, 0.0])).tolist()
    [1.5, 1.0, 1.5]
    """

    kind: str = "none"
    window: int = 3
    """The number of intervals on either side."""

    @classmethod
    def parse(cls, written: str) -> "IntervalSmoothing":
        """Parse ``none``, ``average`` or ``minimum``, optionally with a window after a colon (``minimum:3``)."""
        kind, _, window = written.partition(":")
        check_choice(kind, ("none", "average", "minimum"), "smoothing")
        if window and not (window.isascii() and window.isdigit() and 0 < int(window) < 1000):
            raise UsageError(f"smoothing {written!r}: the window must be a number of intervals, such as {kind}:3")
        return cls(kind, int(window)) if window else cls(kind)

    def apply(self, scores: Floats) -> Floats:
        """Return the smoothed scores."""
        if self.kind == "none":
            return scores
        wide = 2 * self.window + 1
        edge = np.full(self.window, np.nan)
        around = np.lib.stride_tricks.sliding_window_view(np.concatenate([edge, scores, edge]), wide)
        found: Floats = (np.nanmean if self.kind == "average" else np.nanmin)(around, axis=1)
        return found


@dataclass(frozen=True, eq=False)
class Line:
    """The corpus score along a line in weight space; it is ``scores[i]`` from ``edges[i]`` to ``edges[i + 1]``."""

    edges: Floats
    scores: Floats

    def best(self, low: float, high: float, smoothing: IntervalSmoothing) -> tuple[float, float]:
        """Return the best point within the bounds and its smoothed score, or (0, −∞) if all intervals are too narrow.

        The point is the middle of the best interval or, if several are equally good, of the widest one. If this
        interval extends to infinity on one side, the point is ``STEP`` away from its finite end.
        """
        left, right = np.maximum(self.edges[:-1], low), np.minimum(self.edges[1:], high)
        wide = (right - left >= NARROWEST) & ~np.isnan(self.scores)
        if not wide.any():
            return 0.0, -np.inf
        left, right, scores = left[wide], right[wide], smoothing.apply(self.scores[wide])
        equal = np.flatnonzero(scores == scores.max())
        place = int(equal[np.argmax((right - left)[equal])])
        start, end = float(left[place]), float(right[place])
        if np.isinf(start):
            where = 0.0 if np.isinf(end) else end - STEP
        else:
            where = start + STEP if np.isinf(end) else (start + end) / 2
        return where, float(scores[place])


@dataclass(frozen=True, eq=False)
class Objective:
    """The function to maximise: it maps weights to the corpus score of the hypotheses chosen by these weights."""

    lists: NBest
    metric: Metric
    rows: CompactRows
    row_of: Ints

    @classmethod
    def of(cls, scored: ScoredLists, metric: str | Metric | None = None) -> "Objective":
        """Build the objective for one metric of scored lists (by default, the first)."""
        chosen = scored.metrics[scored.place(metric)]
        return cls(scored.lists, chosen, scored.rows(metric), scored.row_of)

    def score(self, weights: Floats) -> float:
        """Return the corpus score of the hypotheses chosen by ``weights``."""
        choice = self.lists.highest(weigh(self.lists.features, weights))
        return float(self.metric.corpus(self.rows[self.row_of[choice]].sum(axis=0)))

    @cached_property
    def constant(self) -> list[int]:
        """The indices of features that do not vary within any sentence, so that their weights do not matter."""
        starts = self.lists.offsets[:-1]
        return [
            place
            for place, values in enumerate(self.lists.features)
            if (np.minimum.reduceat(values, starts) == np.maximum.reduceat(values, starts)).all()
        ]

    def along(self, heights: Floats, slopes: Floats) -> Line:
        """Return the corpus scores along a line in weight space, given each hypothesis's score at 0 and its slope."""
        best, begins = upper_envelopes(slopes, heights, self.lists.offsets)
        sequence = np.argsort(begins, kind="stable")
        edges = np.append(begins[sequence[len(self.lists) - 1 :]], np.inf)
        wide = np.diff(edges) >= NARROWEST
        scores = np.full(len(wide), np.nan)
        scores[wide] = self.metric.corpus(sums_between(self.rows[self.row_of[best]], sequence, wide))
        return Line(edges, scores)


@dataclass(frozen=True, eq=False)
class HillClimb:
    """Hill climbing: the free weights, their bounds, the number of random directions, and the smoothing."""

    objective: Objective
    free: Sequence[int]
    low: Floats
    high: Floats
    directions: int | None
    smoothing: IntervalSmoothing

    def run(self, start: Floats, rng: np.random.Generator) -> tuple[Floats, float]:
        """Climb from ``start``, along axes and random directions; return the final weights and their score."""
        weights = start.copy()
        score = self.objective.score(weights)
        reached = -np.inf if np.isnan(score) else score
        for _ in range(MOST_ROUNDS):
            heights = weigh(self.objective.lists.features, weights)
            found: tuple[float, Floats] | None = None
            for direction, line in self._lines(heights, rng):
                where, gained = line.best(*self._bounds(weights, direction), self.smoothing)
                if found is None or gained > found[0]:
                    found = gained, weights + where * direction
            if found is None or found[0] < reached + LEAST_GAIN:
                break
            reached, weights = found[0], np.clip(found[1], self.low, self.high)
        return weights, self.objective.score(weights)

    def _lines(self, heights: Floats, rng: np.random.Generator) -> Iterator[tuple[Floats, Line]]:
        size = len(self.low)
        for axis in self.free:
            yield np.eye(1, size, axis)[0], self.objective.along(heights, self.objective.lists.features[axis])
        count = len(self.free) if self.directions is None else self.directions
        for _ in range(count if len(self.free) > 1 else 0):
            direction = np.zeros(size)
            direction[list(self.free)] = rng.uniform(-1.0, 1.0, len(self.free))
            yield direction, self.objective.along(heights, weigh(self.objective.lists.features, direction))

    def _bounds(self, weights: Floats, direction: Floats) -> tuple[float, float]:
        """Return how far weights can move backward and forward along a direction without leaving their bounds."""
        moved = direction != 0
        with np.errstate(invalid="ignore"):
            one = (self.low - weights)[moved] / direction[moved]
            two = (self.high - weights)[moved] / direction[moved]
        return float(np.minimum(one, two).max(initial=-np.inf)), float(np.maximum(one, two).min(initial=np.inf))
