"""Which reference reorderings several systems reproduced, by width, with intervals (Birch 2011, §3.4.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordorder.reordering.corpus import Corpus
from wordorder.reordering.extraction import extract
from wordorder.reordering.reorderings import WIDTH_CLASSES, Reorderings
from wordorder.reordering.reproduced import Reproduction, find_reproduced
from wordorder.report.table import Cell, Column, Mark, Table
from wordorder.runtime.errors import UsageError
from wordorder.runtime.progress import progress
from wordorder.scoring.lockstep import lockstep
from wordorder.scoring.scores import Resampling
from wordorder.statistics.resampling import bootstrap_sums, interval
from wordorder.version import __version__

CLASSES = (*WIDTH_CLASSES, "all")


@dataclass(frozen=True, eq=False)
class SystemBlock:
    """Some sentences of one system: the reorderings of the reference and which of them were reproduced."""

    reference: Reorderings
    found: Reproduction
    first_row: int
    side: str

    def records(self) -> Iterator[dict[str, object]]:
        """Give each sentence as plain values, for one JSON object a line; sentences count from 1."""
        flags = iter(self.found.flags.tolist())
        for row, reorderings in enumerate(self.reference, start=self.first_row + 1):
            told = [
                {"reordering": str(each), "width": each.width(self.side), "reproduced": next(flags)}
                for each in reorderings
            ]
            yield {"sentence": row, "reorderings": told}


@dataclass(frozen=True, eq=False)
class Reproductions:
    """What each system reproduced. Shares are in the order of ``CLASSES``; all systems share the draws of samples."""

    systems: tuple[str, ...]
    found: tuple[Reproduction, ...]
    inputs: dict[str, object]
    side: str = "target"
    resampling: Resampling = Resampling()

    def __len__(self) -> int:
        return len(self.found[0].counts)

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """Shares reproduced, ``[systems, classes]``; NaN where the reference has no reordering of a class."""
        return _shares(np.stack([each.counts.sum(axis=0) for each in self.found]).astype(np.float64))

    @cached_property
    def intervals(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """95 % bootstrap intervals over sentences: low and high, ``[systems, classes]`` each."""
        if not self.resampling.samples or len(self) < 2:
            nothing = np.full_like(self.shares, np.nan)
            return nothing, nothing
        rows = np.stack([each.counts for each in self.found], axis=1).astype(np.float64)
        sums = bootstrap_sums(
            rows.reshape(len(rows), -1),
            samples=self.resampling.samples,
            seed=self.resampling.seed,
            threads=self.resampling.threads,
        )
        return interval(_shares(sums.reshape(-1, *rows.shape[1:])))

    @property
    def signature(self) -> dict[str, object]:
        """Say how the shares were made."""
        drawn = {"samples": self.resampling.samples, "seed": self.resampling.seed}
        return {**self.inputs, "side": self.side, **drawn, "version": __version__}

    def table(self) -> Table:
        """Make the table of shares by width; the best system of each class is marked."""
        low, high = self.intervals
        best = np.fmax.reduce(self.shares, axis=0)
        rows: list[list[Cell | str]] = []
        for s, system in enumerate(self.systems):
            marks = [
                frozenset({Mark.BEST})
                if len(self.systems) > 1 and self.shares[s, c] == best[c]
                else frozenset[Mark]()
                for c in range(len(CLASSES))
            ]
            cells = [Cell(self.shares[s, c], (low[s, c], high[s, c]), marks[c]) for c in range(len(CLASSES))]
            rows.append([system, *cells])
        totals = self._totals()
        notes = [
            f"share of the reference's reorderings that were reproduced; {len(self)} segments",
            "reference: " + ", ".join(f"{totals[name]} {name}" for name in CLASSES),
            "|".join(f"{key}:{value}" for key, value in self.signature.items()),
        ]
        if self.resampling.samples:
            notes[0] += f"; 95 % intervals from {self.resampling.samples} bootstrap samples"
        return Table.of("", [Column("system", "left"), *CLASSES], rows, notes=notes)

    def to_json(self) -> dict[str, Any]:
        """Give everything unrounded; undefined is None."""
        low, high = self.intervals
        totals = self._totals()
        systems = []
        for s, (system, found) in enumerate(zip(self.systems, self.found, strict=True)):
            done = [*found.counts[:, :, 0].sum(axis=0).tolist(), int(found.counts[:, :, 0].sum())]
            shares = {
                name: {
                    "value": _plain(self.shares[s, c]),
                    "low": _plain(low[s, c]),
                    "high": _plain(high[s, c]),
                    "reproduced": done[c],
                    "reference": totals[name],
                }
                for c, name in enumerate(CLASSES)
            }
            widths = [
                {"width": width, "reproduced": some, "reference": every}
                for width, (some, every) in found.by_width().items()
            ]
            systems.append({"name": system, "shares": shares, "by_width": widths})
        return {"version": __version__, "signature": self.signature, "segments": len(self), "systems": systems}

    def __repr__(self) -> str:
        return f"Reproductions({len(self.systems)} systems × {len(self)} segments)"

    def __str__(self) -> str:
        return str(self.table())

    def _repr_markdown_(self) -> str:
        return self.table()._repr_markdown_()

    def _totals(self) -> dict[str, int]:
        totals = self.found[0].counts[:, :, 1].sum(axis=0).tolist()
        return dict(zip(CLASSES, [*totals, sum(totals)], strict=True))


def reproduce(
    reference: Corpus,
    systems: Sequence[Corpus],
    *,
    side: str = "target",
    resampling: Resampling | None = None,
    visit: Callable[[str, SystemBlock], None] | None = None,
) -> Reproductions:
    """Say which reorderings of source→reference the systems' source→hypothesis alignments have as well.

    All are over the same source sentences; ``side`` is where the width of a reordering is measured. ``visit`` sees
    every block of every system.

    >>> from wordorder.orders import Alignment
    >>> swapped, monotone = Alignment(((0, 1), (1, 0))), Alignment(((0, 0), (1, 1)))
    >>> found = reproduce(Corpus("R", [swapped, swapped]), [Corpus("A", [swapped, monotone])])
    >>> found.shares[0].tolist()
    [0.5, nan, nan, 0.5]
    """
    if not systems:
        raise UsageError("there is no system to look at")
    names = [system.name for system in systems]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two systems are called {name!r}")
    streams = {reference.path or reference.name: (pairs[0] for pairs in reference.blocks())}
    for system in systems:
        streams[f"{system.name} ({system.path or 'values'})"] = (pairs[0] for pairs in system.blocks())
    parts: list[list[Reproduction]] = [[] for _ in systems]
    rows = 0
    for gold, *hypotheses in progress(lockstep(streams), label="comparing", unit=" blocks"):
        expected = extract(gold)
        for name, column, done in zip(names, hypotheses, parts, strict=True):
            done.append(find_reproduced(expected, extract(column), side=side))
            if visit is not None:
                visit(name, SystemBlock(expected, done[-1], rows, side))
        rows += len(gold)
    if not rows:
        raise UsageError("there is nothing to compare: the alignments have no sentences")
    return Reproductions(
        tuple(names),
        tuple(Reproduction.concatenate(done) for done in parts),
        reference.signature,
        side,
        resampling or Resampling(),
    )


def _shares(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide reproduced by all, ``[..., classes, 2]``, with all classes together as one more."""
    counts = np.concatenate([counts, counts.sum(axis=-2, keepdims=True)], axis=-2)
    result = np.full(counts.shape[:-1], np.nan)
    np.divide(counts[..., 0], counts[..., 1], out=result, where=counts[..., 1] > 0)
    return result


def _plain(value: float) -> float | None:
    return None if value != value else float(value)
