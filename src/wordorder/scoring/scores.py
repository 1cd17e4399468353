"""Scores: what came out for systems × metrics × segments, and everything that follows from it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wordorder.metrics.base import Array, Metric
from wordorder.report.table import Cell, Column, Mark, Table
from wordorder.runtime.errors import InputError, UsageError, choices
from wordorder.runtime.files import atomic_write
from wordorder.scoring.comparison import RESAMPLED, Comparison, compare
from wordorder.scoring.correlations import correlation_table
from wordorder.scoring.groups import bucket_groups, document_groups, group_records, group_table
from wordorder.statistics.resampling import bootstrap_sums, interval
from wordorder.version import __version__

if TYPE_CHECKING:
    import pyarrow as pa

    from wordorder.scoring.inputs import TextInputs

UNITS = ("segments", "documents")
_SHOWN_PARTS = ("order", "lexical", "brevity")
_MONOTONE_NOTE = "against the source: how monotone, not how good (ranges: wordorder metrics)"


@dataclass(frozen=True)
class Resampling:
    """How uncertainty is measured. No samples: no intervals. ``unit`` is what is drawn: segments or documents."""

    samples: int = 1000
    seed: int = 12345
    threads: int = 1
    unit: str = "segments"

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise choices(self.unit, list(UNITS), what="unit of resampling")
        if self.samples < 0:
            raise UsageError(f"the number of samples must be 0 or more, not {self.samples}")


@dataclass(frozen=True, eq=False)
class Scores:
    """Segment statistics of every system and metric; corpus scores, intervals and tables are made from them.

    ``statistics[s]`` holds the rows of system s, ``[segments, columns of all metrics]``, the reference already
    chosen; ``rows[s][m]`` are those of metric m, ``[segments, k]``. ``documents`` and ``buckets`` name the group of
    each segment; groups can be scored on their own.
    """

    systems: tuple[str, ...]
    metrics: tuple[Metric, ...]
    statistics: tuple[Array, ...]
    inputs: dict[str, Any]
    resampling: Resampling = Resampling()
    documents: tuple[str, ...] | None = None
    baseline: str | None = None
    test: str = "bootstrap"
    texts: TextInputs | None = None
    buckets: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        for names, what in ((self.documents, "document ids"), (self.buckets, "buckets")):
            if names is not None and len(names) != len(self):
                raise InputError(f"{len(names)} {what} for {len(self)} segments; expected one a segment")
        if self.resampling.unit == "documents" and self.documents is None:
            raise UsageError("to resample documents, say which segment belongs to which (--docs)")

    def __len__(self) -> int:
        return len(self.statistics[0])

    @cached_property
    def rows(self) -> tuple[tuple[Array, ...], ...]:
        """The statistics of each system under each metric: views, not copies."""
        ends = np.cumsum([len(metric.columns) for metric in self.metrics])[:-1]
        return tuple(tuple(np.split(statistics, ends, axis=1)) for statistics in self.statistics)

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """Paired tests of every system against the baseline, or against the best system of each metric."""
        if len(self.systems) < 2 or (self.test in RESAMPLED and not self.resampling.samples):
            return []
        return self.compare(baseline=self.baseline, test=self.test)

    def compare(self, *, baseline: str | None = None, test: str = "bootstrap") -> list[Comparison]:
        """Test every system against ``baseline``, or against the best system of each metric where none is named."""
        return compare(self, baseline=baseline, test=test)

    @cached_property
    def resampled_groups(self) -> NDArray[np.int64] | None:
        """The document of each segment as a number, if documents are what is drawn."""
        if self.resampling.unit != "documents":
            return None
        return np.unique(np.array(self.documents), return_inverse=True)[1].astype(np.int64)

    def subset(self, segments: NDArray[np.integer]) -> Scores:
        """Give the scores of some segments only: the same systems and metrics, nothing scored again."""
        members = segments.tolist()
        return replace(
            self,
            statistics=tuple(statistics[segments] for statistics in self.statistics),
            documents=None if self.documents is None else tuple(self.documents[member] for member in members),
            buckets=None if self.buckets is None else tuple(self.buckets[member] for member in members),
            texts=None,
        )

    def segment_scores(self, system: str, metric: str | Metric) -> Array:
        """Give the score of every segment; NaN is undefined."""
        return self._metric(metric).segment(self.rows[self._system(system)][self._metric_index(metric)])

    @cached_property
    def values(self) -> Array:
        """Corpus scores, ``[systems, metrics]``."""
        return np.array(
            [
                [float(metric.corpus(rows.sum(axis=0))) for metric, rows in zip(self.metrics, row, strict=True)]
                for row in self.rows
            ]
        )

    @cached_property
    def defined(self) -> NDArray[np.int64]:
        """Number of segments that have a score, ``[systems, metrics]``."""
        return np.array(
            [
                [
                    np.count_nonzero(~np.isnan(metric.segment(rows)))
                    for metric, rows in zip(self.metrics, row, strict=True)
                ]
                for row in self.rows
            ]
        )

    @cached_property
    def replicates(self) -> Array:
        """Corpus scores of the bootstrap samples, ``[samples, systems, metrics]``; all systems share the draws."""
        result = np.empty((self.resampling.samples, len(self.systems), len(self.metrics)))
        if not self.resampling.samples:
            return result
        ends = np.cumsum([len(metric.columns) for metric in self.metrics])[:-1]
        for s, statistics in enumerate(self.statistics):
            sums = bootstrap_sums(
                statistics,
                samples=self.resampling.samples,
                seed=self.resampling.seed,
                threads=self.resampling.threads,
                groups=self.resampled_groups,
            )
            for m, (metric, part) in enumerate(zip(self.metrics, np.split(sums, ends, axis=1), strict=True)):
                result[:, s, m] = metric.corpus(part)
        return result

    @cached_property
    def intervals(self) -> tuple[Array, Array]:
        """95 % bootstrap intervals: low and high, ``[systems, metrics]`` each; undefined where there are none."""
        if not self.resampling.samples:
            nothing = np.full_like(self.values, np.nan)
            return nothing, nothing
        return interval(self.replicates)

    @property
    def signature(self) -> dict[str, Any]:
        """Say how the scores were made: what is needed to make them again."""
        return {
            "metrics": self._names,
            **self.inputs,
            "samples": self.resampling.samples,
            **({"resampled": self.resampling.unit} if self.resampling.unit != "segments" else {}),
            **({"test": self.test} if self.comparisons else {}),
            "seed": self.resampling.seed,
            "version": __version__,
        }

    def signature_text(self) -> str:
        """Write the signature in one line, like sacreBLEU's."""
        return write_signature(self.signature)

    def table(self) -> Table:
        """Make the table of corpus scores with intervals and marks; a combined metric has its parts beside it."""
        low, high = self.intervals
        marks = self._marks()
        columns = [Column("system", "left")]
        rows: list[list[Cell | str]] = [[system] for system in self.systems]
        for m, metric in enumerate(self.metrics):
            columns.append(Column(str(metric)))
            for s, row in enumerate(rows):
                row.append(Cell(self.values[s, m], (low[s, m], high[s, m]), frozenset(marks[s][m])))
            parts = [metric.parts(row[m].sum(axis=0)) for row in self.rows]
            for part in _SHOWN_PARTS if "order" in parts[0] else ():
                columns.append(Column(f"{metric} {part}"))
                for row, values in zip(rows, parts, strict=True):
                    row.append(Cell(float(values[part])))
        return Table.of("", columns, rows, notes=self.notes())

    @property
    def ranked(self) -> bool:
        """Tell whether one system can be better than another; being close to the source is neither good nor bad."""
        return self.inputs.get("order") != "monotone"

    def _marks(self) -> list[list[set[Mark]]]:
        """Mark the best system and its equals, or the baseline and what differs from it."""
        marks = self.mark_best()
        names = self._names
        for found in self.comparisons:
            m = names.index(found.metric)
            if self.baseline is not None:
                if found.significant:
                    marks[self.systems.index(found.a)][m].add(Mark.SIGNIFICANT)
            elif not found.significant:
                cell = marks[self.systems.index(found.b)][m]
                if Mark.BEST not in cell:
                    cell.add(Mark.TIED)
        if self.baseline is not None and len(self.systems) > 1:
            for cell in marks[self.systems.index(self.baseline)]:
                cell.add(Mark.BASELINE)
        return marks

    def mark_best(self) -> list[list[set[Mark]]]:
        """Mark the best system of every metric, where there are several."""
        marks: list[list[set[Mark]]] = [[set() for _ in self.metrics] for _ in self.systems]
        for m in range(len(self.metrics) if len(self.systems) > 1 else 0):
            column = self.values[:, m]
            if self.ranked and self.metrics[m].higher_is_better and not np.isnan(column).all():
                for s in np.flatnonzero(column == np.nanmax(column)):
                    marks[s][m].add(Mark.BEST)
        return marks

    def document_table(self) -> Table:
        """Make the table of scores per document and system."""
        if self.documents is None:
            raise UsageError("these scores know no documents")
        return group_table(self, "document", document_groups(self.documents))

    def bucket_table(self) -> Table:
        """Make the table of scores per bucket and system; segments in no bucket take no part."""
        if self.buckets is None:
            raise UsageError("these scores know no buckets")
        return group_table(self, "bucket", bucket_groups(self.buckets))

    def correlation_table(self) -> Table:
        """Make the table of correlations between the metrics, over documents where they are known, else segments."""
        return correlation_table(self)

    @property
    def _names(self) -> list[str]:
        return [str(metric) for metric in self.metrics]

    def notes(self, *, intervals: bool = True) -> list[str]:
        """Say what stands under every table: segments, intervals, what is undefined, the signature."""
        usual = all(metric.direction == Metric.direction for metric in self.metrics)
        meaning = "scores from 0 to 1, higher is better" if usual else "higher is better (ranges: wordorder metrics)"
        notes = [f"{len(self)} segments; {meaning if self.ranked else _MONOTONE_NOTE}"]
        if intervals and self.resampling.samples:
            notes[0] += f"; 95 % intervals from {self.resampling.samples} bootstrap samples"
        undefined = len(self) - self.defined
        gaps = [m for m in range(len(self.metrics)) if undefined[:, m].any()]
        if gaps:
            low, high = int(undefined[:, gaps].min()), int(undefined[:, gaps].max())
            count = str(low) if low == high else f"{low} to {high}"
            names = ", ".join(self._names[m] for m in gaps)
            notes.append(f"undefined, and left out of the means: {count} segments of a system ({names})")
        if self.ranked and len(self.systems) > 1 and not self.resampling.samples and self.test in RESAMPLED:
            notes.append("differences between systems were not tested (--samples 0)")
        return [*notes, self.signature_text()]

    def to_json(self) -> dict[str, Any]:
        """Give everything unrounded; undefined is None."""
        document: dict[str, Any] = {
            "version": __version__,
            "signature": self.signature,
            "segments": len(self),
            "systems": self.system_records(self.intervals),
        }
        if self.documents is not None:
            document["documents"] = group_records(self, document_groups(self.documents))
        if self.buckets is not None:
            document["buckets"] = group_records(self, bucket_groups(self.buckets))
        return document | {"tests": [comparison.to_json() for comparison in self.comparisons]}

    def system_records(self, intervals: tuple[Array, Array]) -> list[dict[str, Any]]:
        """Give the scores of every system as plain data, with these intervals."""
        low, high = intervals
        systems = []
        for s, system in enumerate(self.systems):
            scores = {}
            for m, metric in enumerate(self.metrics):
                parts = metric.parts(self.rows[s][m].sum(axis=0))
                scores[str(metric)] = {
                    "value": _plain(self.values[s, m]),
                    "low": _plain(low[s, m]),
                    "high": _plain(high[s, m]),
                    "defined": int(self.defined[s, m]),
                    "undefined": int(len(self) - self.defined[s, m]),
                    "parts": {name: _plain(float(part)) for name, part in parts.items()},
                }
            systems.append({"name": system, "scores": scores})
        return systems

    def _by_name(self, scores: list[float]) -> dict[str, float | None]:
        return dict(zip(self._names, map(_plain, scores), strict=True))

    def segments(self) -> pa.Table:
        """Give the segment scores as an Arrow table: system, segment (from 1), one column per metric."""
        import pyarrow as pa

        count = len(self)
        columns: dict[str, Any] = {
            "system": pa.array([system for system in self.systems for _ in range(count)], pa.string()),
            "segment": np.tile(np.arange(1, count + 1), len(self.systems)),
        }
        for metric in self.metrics:
            columns[str(metric)] = pa.array(
                np.concatenate([self.segment_scores(system, metric) for system in self.systems]), from_pandas=True
            )
        return pa.table(columns)

    def write_segments(self, path: str) -> None:
        """Write one JSON object per segment and system; undefined is null."""
        with atomic_write(path) as target:
            for line in self._segment_lines():
                target.write(line)

    def _segment_lines(self) -> Iterator[str]:
        for system in self.systems:
            scores = np.stack([self.segment_scores(system, metric) for metric in self.metrics], axis=1)
            counts = self._counts(system)
            for number, row in enumerate(scores.tolist(), start=1):
                record = {
                    "system": system,
                    "segment": number,
                    **{name: column[number - 1] for name, column in counts.items()},
                    "scores": self._by_name(row),
                }
                yield json.dumps(record, ensure_ascii=False) + "\n"

    def _counts(self, system: str) -> dict[str, list[float]]:
        """Give what the metric ``matched`` counts in each segment: matched words, chunks and both lengths."""
        for m, metric in enumerate(self.metrics):
            if metric.name == "matched":
                rows = self.rows[self._system(system)][m]
                return {name: _whole(rows[:, place]) for place, name in enumerate(metric.columns)}
        return {}

    def __repr__(self) -> str:
        return f"Scores({len(self.systems)} systems × {len(self.metrics)} metrics × {len(self)} segments)"

    def __str__(self) -> str:
        return str(self.table())

    def _repr_markdown_(self) -> str:
        return self.table()._repr_markdown_()

    def _system(self, system: str) -> int:
        if system not in self.systems:
            raise choices(system, list(self.systems), what="system")
        return self.systems.index(system)

    def _metric_index(self, metric: str | Metric) -> int:
        names = self._names
        if str(metric) not in names:
            raise choices(str(metric), names, what="metric of these scores")
        return names.index(str(metric))

    def _metric(self, metric: str | Metric) -> Metric:
        return self.metrics[self._metric_index(metric)]


def write_signature(signature: dict[str, Any]) -> str:
    """Write a signature in one line.

    >>> write_signature({"metrics": ["pef", "bleu"], "seed": 1})
    'metrics:pef,bleu|seed:1'
    """
    return "|".join(
        f"{key}:{','.join(map(str, value)) if isinstance(value, list) else value}" for key, value in signature.items()
    )


def _whole(counts: Array) -> list[float]:
    """Give counts as whole numbers, unless an average over references made a fraction of one.

    >>> _whole(np.array([2.0, 3.0])), _whole(np.array([2.0, 2.5]))
    ([2, 3], [2.0, 2.5])
    """
    whole = counts.astype(np.int64)
    found: list[float] = (whole if (whole == counts).all() else counts).tolist()
    return found


def _plain(value: float) -> float | None:
    return None if value != value else float(value)
