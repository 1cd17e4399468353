"""Does a low score find the segments with an error of a certain kind? The area under the ROC curve, with interval.

Long sentences have more errors of every kind and lower order scores, so the length alone finds some of them. Beside
the plain area stands one that compares only segments of about the same length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordorder.formats.qrev import TaggedOutput
from wordorder.metaevaluation.judged import Floats
from wordorder.report.table import Cell, Column, Table
from wordorder.runtime.errors import InputError
from wordorder.runtime.progress import progress
from wordorder.scoring import score
from wordorder.statistics.detection import auc
from wordorder.statistics.resampling import bootstrap_counts, interval

LENGTH = "length"
LENGTH_BINS = 10


@dataclass(frozen=True, eq=False)
class Detection:
    """How well each metric finds the marked segments: areas ``[2, metrics]``, replicates ``[2, samples, metrics]``.

    The first is over all segments, the second among segments of about the same length. ½ is a metric that knows
    nothing; below ½, marked segments score *better*.
    """

    metrics: tuple[str, ...]
    values: Floats
    replicates: Floats
    segments: int
    marked: int

    def table(self) -> Table:
        """Make a row per metric."""
        bounds = [interval(part) for part in self.replicates]
        rows: list[list[Any]] = [
            [name, *(Cell(self.values[k, m], (bounds[k][0][m], bounds[k][1][m])) for k in (0, 1))]
            for m, name in enumerate(self.metrics)
        ]
        notes = [
            f"chance that a marked segment scores lower than another; {self.marked} of {self.segments} are marked",
            f"same length: only segments of the same tenth by length are compared; '{LENGTH}' calls long ones bad",
        ]
        return Table.of("", [Column("metric", "left"), Column("AUC"), Column("AUC same length")], rows, notes=notes)

    def to_json(self) -> dict[str, Any]:
        """Give everything unrounded; undefined is None."""
        bounds = [interval(part) for part in self.replicates]
        findings = []
        for m, name in enumerate(self.metrics):
            entry: dict[str, Any] = {"metric": name}
            for k, label in enumerate(("auc", "auc_same_length")):
                values = self.values[k, m], bounds[k][0][m], bounds[k][1][m]
                entry[label] = dict(zip(("value", "low", "high"), map(_plain, values), strict=True))
            findings.append(entry)
        return {"segments": self.segments, "marked": self.marked, "findings": findings}


def detect(
    scores: Floats,
    marked: NDArray[np.bool_],
    metrics: tuple[str, ...],
    *,
    lengths: NDArray[np.integer],
    samples: int = 1000,
    seed: int = 12345,
) -> Detection:
    """Ask of segment scores ``[metrics, segments]`` (higher is better) how well they find the marked segments.

    An undefined score (nothing matched) counts as the lowest: nobody could call such a segment well ordered. The
    length joins the metrics as one more, for comparison.
    """
    if marked.all() or not marked.any():
        raise InputError(f"{int(marked.sum())} of {len(marked)} segments are marked; both kinds are needed")
    badness = np.vstack([-np.where(np.isnan(scores), -np.inf, scores), lengths[None].astype(np.float64)])
    edges = np.quantile(lengths, np.arange(1, LENGTH_BINS) / LENGTH_BINS)
    tenths = np.searchsorted(edges, lengths)
    draws = bootstrap_counts(len(marked), samples=samples, seed=seed) if samples else np.zeros((0, len(marked)))
    strata = (None, tenths)
    values = np.array([[float(auc(row, marked, strata=part)) for row in badness] for part in strata])
    replicates = np.stack(
        [np.stack([auc(row, marked, weights=draws, strata=part) for row in badness], axis=1) for part in strata]
    )
    return Detection((*metrics, LENGTH), values, replicates, len(marked), int(marked.sum()))


def detect_tags(
    parts: Sequence[TaggedOutput], *, metrics: str, samples: int = 1000, seed: int = 12345, **options: Any
) -> Detection:
    """Score tagged translations against their references, and ask how well low scores find the marked ones.

    Segments of all systems are pooled; ``options`` go to ``score``.
    """
    columns, lengths, marks = [], [], []
    names: tuple[str, ...] = ()
    for part in progress(parts, label="scoring systems", total=len(parts)):
        scores = score({part.system: part.hypotheses}, [part.references], metrics=metrics, samples=0, **options)
        names = tuple(map(str, scores.metrics))
        signs = [-1.0 if metric.higher_is_better is False else 1.0 for metric in scores.metrics]
        found = [scores.segment_scores(part.system, name) for name in names]
        columns.append(np.stack([sign * column for sign, column in zip(signs, found, strict=True)]))
        lengths.append([len(line.split()) for line in part.hypotheses])
        marks.append(part.marked)
    joined = np.concatenate(columns, axis=1), np.concatenate(marks)
    return detect(*joined, names, lengths=np.concatenate(lengths), samples=samples, seed=seed)


def _plain(value: float) -> float | None:
    return None if value != value else float(value)
