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
from wordorder.runtime.errors import choices
from wordorder.runtime.files import atomic_write
from wordorder.statistics.resampling import bootstrap_sums, interval
from wordorder.version import __version__

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Resampling:
    """How uncertainty is measured: bootstrap samples, seed, threads. No samples: no intervals."""

    samples: int = 1000
    seed: int = 12345
    threads: int = 1


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

    def __len__(self) -> int:
        return len(self.rows[0][0])

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
            "metrics": [str(metric) for metric in self.metrics],
            **self.inputs,
            "samples": self.resampling.samples,
            "seed": self.resampling.seed,
            "version": __version__,
        }

    def signature_text(self) -> str:
        """Write the signature in one line, like sacreBLEU's."""
        return "|".join(
            f"{key}:{','.join(map(str, value)) if isinstance(value, list) else value}"
            for key, value in self.signature.items()
        )

    def table(self) -> Table:
        """Make the table of corpus scores with their intervals."""
        low, high = self.intervals
        best = np.nanmax(self.values, axis=0, initial=-np.inf)
        rows: list[list[Cell | str]] = []
        for s, system in enumerate(self.systems):
            row: list[Cell | str] = [system]
            for m in range(len(self.metrics)):
                value = self.values[s, m]
                top = len(self.systems) > 1 and value == best[m]
                row.append(Cell(value, (low[s, m], high[s, m]), frozenset({Mark.BEST} if top else ())))
            rows.append(row)
        columns = [Column("system", "left"), *(Column(str(metric)) for metric in self.metrics)]
        return Table.of("", columns, rows, notes=self._notes())

    def _notes(self) -> list[str]:
        notes = [f"{len(self)} segments; scores from 0 to 1, higher is better"]
        if self.resampling.samples:
            notes[0] += f"; 95 % intervals from {self.resampling.samples} bootstrap samples"
        undefined = len(self) - self.defined
        for s, system in enumerate(self.systems):
            if undefined[s].any():
                counts = sorted(set(undefined[s].tolist()))
                told = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
                notes.append(f"{system}: {told} of {len(self)} segments undefined and left out")
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
            "tests": [],
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
        names = [str(metric) for metric in self.metrics]
        for system in self.systems:
            scores = np.stack([self.segment_scores(system, metric) for metric in self.metrics], axis=1)
            for number, row in enumerate(scores.tolist(), start=1):
                record = {
                    "system": system,
                    "segment": number,
                    "scores": dict(zip(names, map(_plain, row), strict=True)),
                }
                yield json.dumps(record, ensure_ascii=False) + "\n"

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
        names = [str(known) for known in self.metrics]
        if str(metric) not in names:
            raise choices(str(metric), names, what="metric of these scores")
        return names.index(str(metric))

    def _metric(self, metric: str | Metric) -> Metric:
        return self.metrics[self._metric_index(metric)]


def _plain(value: float) -> float | None:
    return None if value != value else float(value)
