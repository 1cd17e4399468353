"""Expected scores: how much of a score, and of its differences, is noise of the word alignment?

Instead of one alignment, many are drawn from the posteriors of the aligner: every target word takes a source word
with its probability, or none with what is left. Each draw is scored; the mean is the expected score, the standard
deviation its spread. References and systems are drawn independently; all systems share their random numbers, so that
equal systems have equal scores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordorder.orders.alignment import Alignments
from wordorder.report.table import Cell, Column, Table
from wordorder.runtime.errors import UsageError
from wordorder.runtime.kernels import kernel
from wordorder.runtime.progress import progress
from wordorder.runtime.ragged import offsets_from_lengths, rows_of
from wordorder.scoring.scores import Scores, write_signature
from wordorder.version import __version__


@dataclass(frozen=True, eq=False)
class ExpectedScores:
    """Corpus scores of every draw, ``[draws, systems, metrics]``, and how they were made."""

    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    draws: NDArray[np.float64]
    signature: dict[str, Any]

    @property
    def values(self) -> NDArray[np.float64]:
        """Expected scores, ``[systems, metrics]``."""
        result: NDArray[np.float64] = self.draws[0] + (self.draws - self.draws[0]).mean(axis=0)
        return result

    @property
    def spread(self) -> NDArray[np.float64]:
        """Standard deviation over the draws, ``[systems, metrics]``; what never changes has none, to the last bit."""
        result: NDArray[np.float64] = (self.draws - self.draws[0]).std(axis=0)
        return result

    def table(self) -> Table:
        """Make the table: expected score and spread of every system and metric."""
        columns = [Column("system", "left")]
        for metric in self.metrics:
            columns += [Column(metric), Column(f"{metric} spread", number=".4f")]
        rows: list[list[Cell | str]] = []
        for s, system in enumerate(self.systems):
            row: list[Cell | str] = [system]
            for m in range(len(self.metrics)):
                row += [Cell(self.values[s, m]), Cell(self.spread[s, m])]
            rows.append(row)
        note = f"expected over {len(self.draws)} sampled alignments; spread is their standard deviation"
        return Table.of("", columns, rows, notes=[note, write_signature(self.signature)])

    def to_json(self) -> dict[str, Any]:
        """Give everything unrounded; undefined is None."""
        values, spread = self.values, self.spread
        return {
            "version": __version__,
            "signature": self.signature,
            "systems": [
                {
                    "name": system,
                    "scores": {
                        metric: {"value": _plain(values[s, m]), "spread": _plain(spread[s, m])}
                        for m, metric in enumerate(self.metrics)
                    },
                }
                for s, system in enumerate(self.systems)
            ],
        }


def sample_links(posteriors: Alignments, *, seed: int, draw: int, stream: int = 0) -> Alignments:
    """Draw one alignment: every target word takes one of its links with the link's probability, or none.

    Probabilities of a target word that add up to more than 1 are scaled down to 1. The same seed, draw and stream
    give the same alignment; links without probabilities are certain and stay as they are.
    """
    if posteriors.probability is None:
        return posteriors
    number = np.uint64((draw << 16) + stream)
    chosen = _sample(posteriors.target, posteriors.probability, posteriors.offsets, np.uint64(seed % 2**64), number)
    counts = np.bincount(rows_of(posteriors.offsets)[chosen], minlength=len(posteriors))
    return replace(
        posteriors,
        source=posteriors.source[chosen],
        target=posteriors.target[chosen],
        offsets=offsets_from_lengths(counts),
        possible=None,
        probability=None,
    )


def expect(
    score: Callable[[Sequence[Alignments], Sequence[Alignments]], Scores],
    references: Sequence[Alignments],
    systems: Sequence[Alignments],
    *,
    draws: int,
    seed: int,
) -> ExpectedScores:
    """Score ``draws`` sampled alignments; ``score`` turns those of the references and of the systems into scores."""
    if draws < 2:
        raise UsageError(f"expected scores need 2 sampled alignments or more, not {draws}")
    if all(column.probability is None for column in (*references, *systems)):
        raise UsageError("no link has a probability; expected scores need an aligner, or links like 3-4:0.93")
    values = []
    for draw in progress(range(draws), label="sampling alignments", total=draws):
        scores = score(
            [sample_links(column, seed=seed, draw=draw, stream=1 + r) for r, column in enumerate(references)],
            [sample_links(column, seed=seed, draw=draw) for column in systems],
        )
        values.append(scores.values)
    signature = {key: value for key, value in scores.signature.items() if key != "samples"}
    return ExpectedScores(
        scores.systems, tuple(map(str, scores.metrics)), np.stack(values), {**signature, "draws": draws}
    )


def _plain(value: float) -> float | None:
    return None if value != value else float(value)


@kernel
def _sample(
    target: NDArray[np.int32],
    probability: NDArray[np.float64],
    offsets: NDArray[np.int64],
    seed: np.uint64,
    draw: np.uint64,
) -> NDArray[np.bool_]:
    chosen = np.zeros(len(target), dtype=np.bool_)
    widest = 0
    for link in range(len(target)):
        widest = max(widest, target[link] + 1)
    total = np.zeros(widest, dtype=np.float64)
    below = np.zeros(widest, dtype=np.float64)
    for row in range(len(offsets) - 1):
        start, stop = offsets[row], offsets[row + 1]
        for link in range(start, stop):
            total[target[link]] = below[target[link]] = 0.0
        for link in range(start, stop):
            total[target[link]] += probability[link]
        for link in range(start, stop):
            word = target[link]
            point = _uniform(seed, draw, np.uint64(row), np.uint64(word)) * max(total[word], 1.0)
            chosen[link] = below[word] <= point < below[word] + probability[link]
            below[word] += probability[link]
    return chosen


@kernel
def _uniform(seed: np.uint64, draw: np.uint64, row: np.uint64, word: np.uint64) -> float:
    """Give a number in [0, 1) that depends on nothing but its arguments (splitmix64)."""
    state = seed
    for part in (draw, row, word):
        state = (state + part + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        state = state ^ (state >> np.uint64(31))
    return np.float64(state >> np.uint64(11)) / 9007199254740992.0
