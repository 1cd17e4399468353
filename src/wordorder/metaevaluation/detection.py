"""Does a low score find the segments with an error of a certain kind? The area under the ROC curve, with interval.

Long sentences have more errors of every kind and lower order scores, so the length alone finds some of them. A second
area compares only segments of about the same length.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordorder.formats.qrev import TaggedOutput
from wordorder.inputs import MatchedTexts
from wordorder.inputs.texts import Texts
from wordorder.report.table import Cell, Column, Table
from wordorder.runtime.columns import Bools, Floats
from wordorder.runtime.errors import InputError
from wordorder.runtime.plain import plain
from wordorder.runtime.progress import progress
from wordorder.scoring import score
from wordorder.statistics import Resampling
from wordorder.statistics.detection import auc, roc
from wordorder.statistics.resampling import interval

LENGTH = "length"
LENGTH_BINS = 10


@dataclass(frozen=True, eq=False)
class Detection:
    """How well each metric finds the marked segments: areas ``[2, metrics]``, replicates ``[2, samples, metrics]``.

    The first is over all segments, the second among segments of about the same length. ½ is chance; below ½, marked
    segments score *better*.
    """

    metrics: tuple[str, ...]
    values: Floats
    replicates: Floats
    segments: int
    marked: int
    curves: tuple[Floats, ...] = ()
    """The ROC curve of each metric, ``[points, 2]``: shares of the other and of the marked segments."""

    def plot(self) -> Any:
        """Draw the ROC curves as an Altair chart (extra ``pictures``)."""
        from wordorder.metaevaluation.plots import plot_roc

        return plot_roc(self)

    def table(self) -> Table:
        """Return a table with a row per metric."""
        rows: list[list[Cell | str]] = [
            [name, *(Cell(value, (low, high)) for value, low, high in found)]
            for name, found in zip(self.metrics, self._found, strict=True)
        ]
        notes = [
            f"chance that a marked segment scores lower than another; {self.marked} of {self.segments} are marked",
            f"same length: only segments of the same tenth by length are compared; '{LENGTH}' calls long ones bad",
        ]
        return Table.of("", [Column("metric", "left"), "AUC", "AUC same length"], rows, notes=notes)

    def to_dict(self) -> dict[str, Any]:
        """Return everything unrounded; undefined is None."""
        findings = []
        for name, found in zip(self.metrics, self._found, strict=True):
            areas = [dict(zip(("value", "low", "high"), map(plain, area), strict=True)) for area in found]
            findings.append({"metric": name, "auc": areas[0], "auc_same_length": areas[1]})
        return {"segments": self.segments, "marked": self.marked, "findings": findings}

    @property
    def _found(self) -> Floats:
        """Value, lower and upper bound of both areas of each metric, ``[metrics, 2, 3]``."""
        bounds = np.array([interval(part) for part in self.replicates])
        return np.stack([self.values, bounds[:, 0], bounds[:, 1]], axis=-1).swapaxes(0, 1)


def detect(
    scores: Floats,
    marked: Bools,
    metrics: tuple[str, ...],
    *,
    lengths: NDArray[np.integer],
    resampling: Resampling | None = None,
) -> Detection:
    """Measure how well segment scores ``[metrics, segments]`` (higher is better) find the marked segments.

    An undefined score (nothing matched) counts as the lowest: such a segment cannot be called well ordered. The
    length is added as one more metric, for comparison.
    """
    if marked.all() or not marked.any():
        raise InputError(f"{int(marked.sum())} of {len(marked)} segments are marked; both kinds are needed")
    badness = np.vstack([-np.where(np.isnan(scores), -np.inf, scores), lengths[None].astype(np.float64)])
    edges = np.quantile(lengths, np.arange(1, LENGTH_BINS) / LENGTH_BINS)
    strata = (None, np.searchsorted(edges, lengths))
    resampling = resampling or Resampling()
    resampling.check_unit("segments")
    draws = resampling.counts(len(marked))
    values = np.array([[float(auc(row, marked, strata=part)) for row in badness] for part in strata])
    replicates = np.stack(
        [np.stack([auc(row, marked, weights=draws, strata=part) for row in badness], axis=1) for part in strata]
    )
    curves = tuple(roc(row, marked) for row in badness)
    return Detection((*metrics, LENGTH), values, replicates, len(marked), int(marked.sum()), curves)


def detect_tags(
    parts: Sequence[TaggedOutput],
    *,
    metrics: str,
    texts: Callable[[Any, Any], Texts] = MatchedTexts,
    resampling: Resampling | None = None,
) -> Detection:
    """Score tagged translations against their references, and measure how well low scores find the marked ones.

    Segments of all systems are pooled. ``texts`` makes an input of hypotheses and references.
    """
    resampling = resampling or Resampling()
    columns, lengths, marks = [], [], []
    names: tuple[str, ...] = ()
    for part in progress(parts, label="scoring systems", total=len(parts)):
        inputs = texts({part.system: part.hypotheses}, [part.references])
        scores = score(inputs, metrics=metrics, resampling=replace(resampling, samples=0))
        names = tuple(map(str, scores.metrics))
        signs = [-1.0 if metric.higher_is_better is False else 1.0 for metric in scores.metrics]
        found = [scores.segment_scores(part.system, name) for name in names]
        columns.append(np.stack([sign * column for sign, column in zip(signs, found, strict=True)]))
        lengths.append([len(line.split()) for line in part.hypotheses])
        marks.append(part.marked)
    joined = np.concatenate(columns, axis=1), np.concatenate(marks)
    return detect(*joined, names, lengths=np.concatenate(lengths), resampling=resampling)
