"""Segment scores that were computed by other programs, such as COMET, MetricX or a language model."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from wordorder.core.runtime.errors import UsageError
from wordorder.metrics.base import Array, Batch, MeanMetric, Need, mean_rows, parameter, write_value


@dataclass(frozen=True)
class ExternalScores(MeanMetric):
    """(x − low)/(high − low) for external segment scores x; the score of a system is the mean over its segments.

    The spec is ``given:comet`` or, as the lexical part of the full metric, ``full:lexical=given:comet``. ``low`` and
    ``high`` map the scores to the range from 0 to 1. They can also reverse a scale on which lower is better,
    as in ``given:metricx:low=25:high=0``.
    """

    name: ClassVar[str] = "given"
    formula: ClassVar[str] = "(x − low)/(high − low) of scores x that were given; a mean over segments"
    paper: ClassVar[str] = "that of the metric whose scores are given"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.GIVEN})
    direction: ClassVar[str] = "as given; higher is better"
    slow: ClassVar[bool] = True  # excluded from "all" because it requires the name of the scores

    scores: str = parameter("", "which of the given scores: their name", values="a name")
    low: float = parameter(0.0, "score that becomes 0", values="a number")
    high: float = parameter(1.0, "score that becomes 1", values="a number")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not np.isfinite([self.low, self.high]).all() or self.low == self.high:
            raise UsageError(f"given: low and high must be two different numbers, not {self.low:g} and {self.high:g}")

    def _settings(self, prefix: str) -> list[str]:
        """Return the settings as specs write them: the name of the scores has no key, as in ``given:comet``."""
        ends = (("low", self.low, 0.0), ("high", self.high, 1.0))
        changed = [f"{prefix}{end}={write_value(value)}" for end, value, default in ends if value != default]
        return [*([self.scores] if self.scores else []), *changed]

    @property
    def note(self) -> str:
        """A note that these scores were computed by another program."""
        return "computed elsewhere and read as is" + (
            f"; {self.low:g} becomes 0 and {self.high:g} becomes 1" if (self.low, self.high) != (0.0, 1.0) else ""
        )

    def rescale(self, values: Array) -> Array:
        """Rescale the scores linearly so that ``low`` becomes 0 and ``high`` becomes 1."""
        return (values - self.low) / (self.high - self.low)

    def statistics(self, batch: Batch) -> Array:
        """Return ``(w·x, w)`` for each segment and reference; the score x is the same for every reference."""
        values = self.rescale(batch.given_scores(self.scores))
        weights = batch.weights
        return mean_rows(np.broadcast_to(values[:, None], weights.shape), weights)
