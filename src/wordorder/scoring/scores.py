"""Scores: what came out for systems × metrics × segments, and everything that follows from it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wordorder.metrics.base import Array, Metric
from wordorder.report.table import Cell, Column, Mark, Table
from wordorder.runtime.errors import InputError, UsageError, choices
from wordorder.runtime.files import atomic_write
from wordorder.scoring.comparison import Comparison, compare
from wordorder.statistics.resampling import bootstrap_sums, interval, sum_groups
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

    ``rows[s][m]`` are the statistics ``[segments, k]`` of system s under metric m, the reference already chosen.
    """

    systems: tuple[str, ...]
    metrics: tuple[Metric, ...]
    rows: tuple[tuple[Array, ...], ...]
    inputs: dict[str, Any]
    resampling: Resampling = Resampling()
    documents: tuple[str, ...] | None = None
    baseline: str | None = None
    test: str = "bootstrap"
    texts: TextInputs | None = None

    def __post_init__(self) -> None:
        if self.documents is not None and len(self.documents) != len(self):
            raise InputError(f"{len(self.documents)} document ids for {len(self)} segments; expected one a segment")
        if self.resampling.unit == "documents" and self.documents is None:
            raise UsageError("to resample documents, say which segment belongs to which (--docs)")

    def __len__(self) -> int:
        return len(self.rows[0][0])

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """Paired tests of every system against the baseline, or against the best system of each metric."""
        if len(self.systems) < 2 or not self.resampling.samples:
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
        sums = bootstrap_sums(
            np.concatenate([rows for row in self.rows for rows in row], axis=1),
            samples=self.resampling.samples,
            seed=self.resampling.seed,
            threads=self.resampling.threads,
            groups=self.resampled_groups,
        )
        result = np.empty((self.resampling.samples, len(self.systems), len(self.metrics)))
        start = 0
        for s in range(len(self.systems)):
            for m, metric in enumerate(self.metrics):
                stop = start + len(metric.columns)
                result[:, s, m] = metric.corpus(sums[:, start:stop])
                start = stop
        return result

    @cached_property
    def intervals(self) -> tuple[Array, Array]:
        """95 % bootstrap intervals: low and high, ``[systems, metrics]`` each."""
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
        return Table.of("", columns, rows, notes=self._notes())

    @property
    def ranked(self) -> bool:
        """Tell whether one system can be better than another; being close to the source is neither good nor bad."""
        return self.inputs.get("order") != "monotone"

    def _marks(self) -> list[list[set[Mark]]]:
        """Mark the best system and its equals, or the baseline and what differs from it."""
        marks: list[list[set[Mark]]] = [[set() for _ in self.metrics] for _ in self.systems]
        if len(self.systems) < 2:
            return marks
        for m in range(len(self.metrics)):
            column = self.values[:, m]
            if self.ranked and self.metrics[m].higher_is_better and not np.isnan(column).all():
                for s in np.flatnonzero(column == np.nanmax(column)):
                    marks[s][m].add(Mark.BEST)
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
        if self.baseline is not None:
            for cell in marks[self.systems.index(self.baseline)]:
                cell.add(Mark.BASELINE)
        return marks

    def document_table(self) -> Table:
        """Make the table of scores per document and system."""
        if self.documents is None:
            raise UsageError("these scores know no documents")
        names = list(dict.fromkeys(self.documents))
        codes = np.array([names.index(name) for name in self.documents])
        columns = [
            Column("document", "left"),
            Column("system", "left"),
            Column("segments"),
            *map(Column, self._names),
        ]
        rows: list[list[Cell | str | int]] = []
        sums = [[sum_groups(rows, codes) for rows in row] for row in self.rows]
        counts = np.bincount(codes)
        for d, name in enumerate(names):
            for s, system in enumerate(self.systems):
                scores = [Cell(float(metric.corpus(sums[s][m][d]))) for m, metric in enumerate(self.metrics)]
                rows.append([name, system, int(counts[d]), *scores])
        return Table.of("", columns, rows, notes=self._notes())

    @property
    def _names(self) -> list[str]:
        return [str(metric) for metric in self.metrics]

    def _notes(self) -> list[str]:
        meaning = "scores from 0 to 1, higher is better" if self.ranked else _MONOTONE_NOTE
        notes = [f"{len(self)} segments; {meaning}"]
        if self.resampling.samples:
            notes[0] += f"; 95 % intervals from {self.resampling.samples} bootstrap samples"
        undefined = len(self) - self.defined
        gaps = [m for m in range(len(self.metrics)) if undefined[:, m].any()]
        if gaps:
            low, high = int(undefined[:, gaps].min()), int(undefined[:, gaps].max())
            count = str(low) if low == high else f"{low} to {high}"
            names = ", ".join(self._names[m] for m in gaps)
            notes.append(f"undefined, and left out of the means: {count} segments of a system ({names})")
        return [*notes, self.signature_text()]

    def to_json(self) -> dict[str, Any]:
        """Give everything unrounded; undefined is None."""
        low, high = self.intervals
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
        return {
            "version": __version__,
            "signature": self.signature,
            "segments": len(self),
            "systems": systems,
            "tests": [comparison.to_json() for comparison in self.comparisons],
        }

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
        names = self._names
        for system in self.systems:
            scores = np.stack([self.segment_scores(system, metric) for metric in self.metrics], axis=1)
            counts = self._counts(system)
            for number, row in enumerate(scores.tolist(), start=1):
                record = {
                    "system": system,
                    "segment": number,
                    **{name: int(column[number - 1]) for name, column in counts.items()},
                    "scores": dict(zip(names, map(_plain, row), strict=True)),
                }
                yield json.dumps(record, ensure_ascii=False) + "\n"

    def _counts(self, system: str) -> dict[str, Array]:
        """Give what the metric ``matched`` counts in each segment: matched words, chunks and both lengths."""
        for m, metric in enumerate(self.metrics):
            if metric.name == "matched":
                rows = self.rows[self._system(system)][m]
                return {name: rows[:, place] for place, name in enumerate(metric.columns)}
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


def _plain(value: float) -> float | None:
    return None if value != value else float(value)
