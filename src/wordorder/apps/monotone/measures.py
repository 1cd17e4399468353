"""Measures whose statistics this application computes itself, as metrics of ``Scores``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from wordorder.core.runtime.errors import UsageError
from wordorder.core.statistics import Resampling
from wordorder.metrics.base import Array, Need, RatioMetric, mean_rows, parameter
from wordorder.metrics.batch import Batch
from wordorder.report.table import Column
from wordorder.scoring.scores import Scores


@dataclass(frozen=True)
class Measure(RatioMetric):
    """A ratio of two statistics, such as a mean, that this application computes itself; it prints as ``label``."""

    name: ClassVar[str] = "measure"
    formula: ClassVar[str] = "first statistic / second statistic"
    paper: ClassVar[str] = "–"
    needs: ClassVar[frozenset[Need]] = frozenset()
    direction: ClassVar[str] = ""
    columns = ("count", "total")

    label: str = parameter("", "the printed form")
    literal: bool = parameter(False, "whether higher values mean that a translation is closer to its source")

    @property
    def higher_is_better(self) -> bool | None:  # type: ignore[override]
        """True if higher values mean a more literal translation, otherwise None; no value is good in itself."""
        return self.literal or None

    def __str__(self) -> str:
        return self.label

    def statistics(self, batch: Batch) -> Array:
        """Raise an error, because batches do not contain what these measures need."""
        raise UsageError(f"{self.label} can only be computed by 'wordorder monotone'")


def scores_of(
    rows: Mapping[str, Array], measures: Sequence[Measure], inputs: dict[str, Any], resampling: Resampling, **more: Any
) -> Scores:
    """Return scores, given the statistics of each system, which has two columns for every measure."""
    return Scores(tuple(rows), tuple(measures), tuple(rows.values()), inputs, resampling, ranked=False, **more)


def mean_columns(values: Array) -> Array:
    """Return the statistics of the means of all columns of values, in which a NaN does not count."""
    return np.hstack([mean_rows(column, np.ones(len(values))) for column in values.T])


def mean_scores(given: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Return the mean of segment scores, given by name and system."""
    return {name: {s: float(np.mean(values)) for s, values in columns.items()} for name, columns in given.items()}


def score_columns(scores: Scores) -> list[Column]:
    """Return the columns of a table with these scores; values above 100 need no digits after the point."""
    largest = abs(scores.values).max(axis=0, initial=0)
    return [Column(name, number=".0f" if top > 100 else ".3f") for name, top in zip(scores.names, largest, strict=True)]
