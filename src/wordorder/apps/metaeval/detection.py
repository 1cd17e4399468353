"""Measure whether low scores find the segments with a certain kind of error: AUC and precision.

Long sentences have more errors of all kinds and lower word-order scores, so length alone predicts some errors.
Likewise, bad translations have errors of all kinds. Therefore translations with the error are also compared only with
translations of about the same length, with translations that have other errors, and with other translations of the
same segment.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.columns import Bools, Floats, Int64s
from wordorder.core.runtime.errors import InputError, UsageError, refuse
from wordorder.core.runtime.plain import plain
from wordorder.core.runtime.threads import spans
from wordorder.core.statistics import Resampling
from wordorder.core.statistics.detection import auc, average_precision, precision_at, roc
from wordorder.core.statistics.resampling import interval
from wordorder.formats.annotations import Annotations, check_category
from wordorder.report.table import Cell, Column, Table
from wordorder.scoring.scores import Scores

LENGTH = "length"
LENGTH_BINS = 10
AT = (10, 50)
"""Default values of k for the precision among the k lowest-scoring segments."""

FEWEST_DOCUMENTS = 10
"""With fewer documents, segments are resampled instead, since intervals over few documents are unreliable."""

_SAMPLES_AT_A_TIME = 64


@dataclass(frozen=True, eq=False)
class MarkedSet:
    """The scores of some systems, and the errors that people marked in their translations.

    ``labels`` replace the names of the metrics, as in :class:`JudgedSet`.
    """

    name: str
    scores: Scores
    annotations: Annotations
    labels: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "annotations", self.annotations.among(self.scores.systems))
        if len(self.annotations.lines) != len(self.scores):
            raise UsageError(
                f"{self.name}: found {len(self.annotations.lines)} annotated and {len(self.scores)} scored segments"
            )


@dataclass(frozen=True, eq=False)
class Translations:
    """Translations that people annotated, with their scores and errors.

    ``badness[metrics, n]`` is the negated score (NaN where undefined), ``marked`` says whether a translation has an
    error of the category, and ``wrong`` whether it has any error. Translations of the same ``segment`` are compared
    with each other; those of the same ``group`` are resampled together.
    """

    metrics: tuple[str, ...]
    badness: Floats
    lengths: NDArray[np.integer]
    marked: Bools
    wrong: Bools
    segment: Int64s
    group: Int64s


@dataclass(frozen=True, eq=False)
class Detection:
    """How well each metric finds the marked translations: ``values[measures, metrics]``, ``replicates[samples, …]``.

    By chance, an area under the ROC curve (AUC) is ½; below ½, marked translations score *better* than others. By
    chance, the precision is the share of marked translations.
    """

    category: str
    metrics: tuple[str, ...]
    measures: tuple[str, ...]
    values: Floats
    replicates: Floats
    segments: int
    marked: int
    others: int
    unit: str
    undefined: tuple[int, ...]
    """The number of translations without a score, for each metric."""

    curves: tuple[Floats, ...] = ()
    """The ROC curve of each metric, ``[points, 2]``: false positive rate and true positive rate."""

    references: tuple[str, ...] = ()
    """The annotated translations that served as references."""

    def plot(self) -> Any:
        """Draw the ROC curves as an Altair chart (extra ``pictures``)."""
        from wordorder.report.charts import plot_curves

        rows = [
            {"metric": f"{metric} ({area:.3f})", "false alarms": false, "found": true}
            for metric, area, curve in zip(self.metrics, self.values[0], self.curves, strict=True)
            for false, true in _corners(curve).tolist()
        ]
        titles = "share of the other segments that score as low", "share of the marked segments found"
        return plot_curves(
            rows, x="false alarms", y="found", series="metric", labels=titles, points=False, diagonal=True
        )

    def table(self) -> Table:
        """Return a table with one row per metric and one column per measure."""
        low, high = interval(self.replicates)
        rows: list[list[Cell | str]] = [
            [name, *(Cell(self.values[i, m], (low[i, m], high[i, m])) for i in range(len(self.measures)))]
            for m, name in enumerate(self.metrics)
        ]
        rate = f"{self.marked / self.segments:.3f}"
        gaps = ", ".join(f"{n} ({name})" for name, n in zip(self.metrics, self.undefined, strict=True) if n)
        notes = [
            f"{self.marked} of {self.segments} translations are marked '{self.category}' ({rate}: precision by "
            f"chance), {self.others} others have other errors; intervals by resampling {self.unit}",
            "AUC: probability that a marked translation scores lower than an unmarked one; undefined scores count as "
            "clean",
            *([f"undefined, and so counted as clean: {gaps} of {self.segments} translations"] if gaps else []),
            *(_EXPLAINED[measure] for measure in self.measures if measure in _EXPLAINED),
            f"'{LENGTH}' is a baseline: the longer a translation, the lower its score",
            *([f"reference: {', '.join(self.references)}, from the table"] if self.references else []),
        ]
        return Table.of("", [Column("metric", "left"), *self.measures], rows, notes=notes)

    def to_dict(self) -> dict[str, Any]:
        """Return all results unrounded; undefined values are None."""
        low, high = interval(self.replicates)
        findings = []
        for m, name in enumerate(self.metrics):
            found: dict[str, Any] = {"metric": name, "undefined": self.undefined[m]}
            for i, measure in enumerate(self.measures):
                bounds = {"value": self.values[i, m], "low": low[i, m], "high": high[i, m]}
                found[_KEYS.get(measure, measure)] = plain(bounds)
            findings.append(found)
        counts = {"segments": self.segments, "marked": self.marked, "other_errors": self.others}
        known = {"references": list(self.references)} if self.references else {}
        return {"category": self.category, **counts, **known, "resampled": self.unit, "findings": findings}


SAME_LENGTH, OTHER_ERRORS, SAME_SEGMENT = "AUC same length", "AUC other errors", "AUC same segment"
_KEYS = {
    "AUC": "auc",
    SAME_LENGTH: "auc_same_length",
    OTHER_ERRORS: "auc_other_errors",
    SAME_SEGMENT: "auc_same_segment",
    "AP": "average_precision",
}
_EXPLAINED = {
    SAME_LENGTH: "same length: compared with translations in the same decile of length",
    OTHER_ERRORS: "other errors: compared with translations that have errors of other kinds only",
    SAME_SEGMENT: "same segment: compared with other translations of the same segment",
    "AP": "AP: average precision; P@k: share of marked ones among the k with the lowest scores",
}


def detect(
    sets: Sequence[MarkedSet], category: str, *, at: Sequence[int] = AT, resampling: Resampling | None = None
) -> Detection:
    """Measure how well low segment scores find the translations with an error of the given category.

    The translations of all systems and sets are pooled. The bootstrap resamples documents if ten or more are known
    and ``resampling`` does not ask for segments; otherwise it resamples segments. The length of the translations is
    added as a baseline metric.
    """
    check_category([one.annotations for one in sets], category)
    resampling = resampling or Resampling(resample="documents")
    resampling.check_unit("segments", "documents")
    enough = sum(len(set(one.annotations.documents or ())) for one in sets) >= FEWEST_DOCUMENTS
    known = enough and all(one.annotations.documents is not None for one in sets)
    unit = "documents" if known and resampling.resample == "documents" else "segments"
    found = _pool(sets, category, unit)
    return measure(found, category=category, at=at, resampling=resampling, unit=unit)


def measure(
    found: Translations, *, category: str, at: Sequence[int] = AT, resampling: Resampling, unit: str = "segments"
) -> Detection:
    """Compute how well each metric finds the marked ones among pooled translations, with bootstrap replicates."""
    marked = found.marked
    if marked.all() or not marked.any():
        raise InputError(
            f"{int(marked.sum())} of {len(marked)} translations are marked {category!r}; expected some marked and "
            "some unmarked translations"
        )
    badness = np.where(np.isnan(found.badness), -np.inf, found.badness)
    measures = _measures(found, at)
    groups = np.unique(found.group, return_inverse=True)[1]
    drawn = resampling.counts(int(groups.max()) + 1)
    replicates = np.empty((len(drawn), len(measures), len(badness)))
    for start, stop in spans(len(drawn), _SAMPLES_AT_A_TIME):
        weights = drawn[start:stop, groups].astype(np.float64)
        for i, compute in enumerate(measures.values()):
            for m, row in enumerate(badness):
                replicates[start:stop, i, m] = compute(row, weights)
    values = np.array([[float(compute(row, None)) for row in badness] for compute in measures.values()])
    return Detection(
        category,
        found.metrics,
        tuple(measures),
        values,
        replicates,
        len(marked),
        int(marked.sum()),
        int((found.wrong & ~marked).sum()),
        unit,
        tuple(np.isnan(found.badness).sum(axis=1).tolist()),
        tuple(roc(row, marked) for row in badness),
    )


Measure = Callable[[Floats, Floats | None], Floats]


def _measures(found: Translations, at: Sequence[int]) -> dict[str, Measure]:
    """Return the measures that are defined for these translations, as functions of (negated) scores and weights."""
    marked, lengths = found.marked, found.lengths
    edges = np.quantile(lengths, np.arange(1, LENGTH_BINS) / LENGTH_BINS)
    wrong = found.wrong | marked

    def area(rows: Bools | None = None, strata: NDArray[np.integer] | None = None) -> Measure:
        chosen = np.flatnonzero(np.ones(len(marked), dtype=bool) if rows is None else rows)
        parts = None if strata is None else strata[chosen]
        return lambda row, weights: auc(
            row[chosen], marked[chosen], weights=None if weights is None else weights[:, chosen], strata=parts
        )

    def at_most(count: int) -> Measure:
        return lambda row, weights: precision_at(row, marked, count, weights=weights)

    measures = {"AUC": area(), SAME_LENGTH: area(strata=np.searchsorted(edges, lengths))}
    if (wrong & ~marked).any() and not wrong.all():
        measures[OTHER_ERRORS] = area(rows=wrong)
    if np.intersect1d(found.segment[marked], found.segment[~marked]).size:
        measures[SAME_SEGMENT] = area(strata=found.segment)
    measures["AP"] = lambda row, weights: average_precision(row, marked, weights=weights)
    return measures | {f"P@{count}": at_most(count) for count in at if count < len(marked)}


def _pool(sets: Sequence[MarkedSet], category: str, unit: str) -> Translations:
    """Pool the annotated translations of all systems and sets."""
    refuse(not sets, "no annotated test set was given; expected one or more")
    parts: list[tuple[Any, ...]] = []
    segments = groups = 0
    metrics = sets[0].labels or tuple(map(str, sets[0].scores.metrics))
    for one in sets:
        if len(one.scores.metrics) != len(metrics):
            raise UsageError(f"{one.name} and {sets[0].name} have different metrics; all sets need the same ones")
        annotations = one.annotations
        read, marked, wrong = annotations.marks(category)
        names = annotations.documents if unit == "documents" else range(len(annotations.lines))
        codes = np.unique(np.array(names), return_inverse=True)[1]
        for s, system in enumerate(one.scores.systems):
            rows = np.flatnonzero(read[s])
            badness = np.stack([_badness(one.scores, system, m)[rows] for m in range(len(metrics))])
            words = [len(str(line).split()) for line in one.scores.lines(system)["hypothesis"].take(rows)]
            lengths = np.array(words, dtype=np.int64)
            combined = np.vstack([badness, lengths[None]])
            parts.append((combined, lengths, marked[s, rows], wrong[s, rows], rows + segments, codes[rows] + groups))
        segments += len(annotations.lines)
        groups += int(codes.max()) + 1
    joined = [np.concatenate(column, axis=-1) for column in zip(*parts, strict=True)]
    return Translations((*metrics, LENGTH), *joined)


def _badness(scores: Scores, system: str, m: int) -> Floats:
    metric = scores.metrics[m]
    return scores.segment_scores(system, metric) * (1.0 if metric.higher_is_better is False else -1.0)


def _corners(curve: Floats) -> Floats:
    """Remove the points of a curve at which its direction does not change.

    >>> _corners(np.array([[0, 0], [0, 0.5], [0, 1], [0.5, 1], [1, 1]])).tolist()
    [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    """
    steps = np.diff(curve, axis=0)
    turns = np.abs(steps[1:, 0] * steps[:-1, 1] - steps[1:, 1] * steps[:-1, 0]) > 1e-15
    kept: Floats = curve[np.concatenate([[True], turns, [True]])]
    return kept
