"""Expected scores: how much of a score, and of its differences, is noise of the word alignment?

Instead of one alignment, many are drawn from the posteriors of the aligner: every target word takes a source word
with its probability, or none with what is left. Each draw is scored; the mean is the expected score, the standard
deviation its spread. References and systems are drawn independently; all systems share their random numbers, so that
equal systems have equal scores.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordorder.inputs.base import Inputs
from wordorder.inputs.source import SourceTexts
from wordorder.metrics.registry import Asked, choose_metrics
from wordorder.orders.alignment import Alignments
from wordorder.report.table import Cell, Column, Table
from wordorder.runtime.columns import offsets_from_lengths, rows_of
from wordorder.runtime.errors import UsageError
from wordorder.runtime.kernels import inner_kernel, kernel
from wordorder.runtime.plain import plain
from wordorder.runtime.progress import progress
from wordorder.scoring.score import full_signature, run
from wordorder.scoring.scores import Scores
from wordorder.statistics import Resampling
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

    def plot(self) -> Any:
        """Draw expected scores with one standard deviation on both sides, as an Altair chart (extra ``pictures``)."""
        from wordorder.charts import plot_intervals

        records = [
            {
                "system": system,
                "metric": metric,
                "value": float(value),
                "low": float(value - spread),
                "high": float(value + spread),
            }
            for m, metric in enumerate(self.metrics)
            for system, value, spread in zip(self.systems, self.values[:, m], self.spread[:, m], strict=True)
        ]
        return plot_intervals(records, name="system", panel="metric")

    def table(self) -> Table:
        """Return the table: expected score and spread of every system and metric."""
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
        return Table.of("", columns, rows, notes=[note], signature=self.signature)

    def to_dict(self) -> dict[str, Any]:
        """Return everything unrounded; undefined is None."""
        values, spread = self.values, self.spread
        return {
            "version": __version__,
            "signature": self.signature,
            "systems": [
                {
                    "name": system,
                    "scores": {
                        metric: {"value": plain(values[s, m]), "spread": plain(spread[s, m])}
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


def expected_scores(
    inputs: Inputs,
    *,
    metrics: Asked | None = None,
    draws: int = 20,
    reference_choice: str = "closest",
    resampling: Resampling | None = None,
) -> ExpectedScores:
    """Score alignments sampled from link probabilities: how much of a difference is alignment noise?

    The probabilities are the aligner's posteriors, or those of alignments that are given. What metrics take from the
    test set (the d_k of LRscore) they take from the best alignment, for all draws.
    """
    if not isinstance(inputs, SourceTexts):
        raise UsageError("expected scores are over alignments of text with its source; give the source")
    if draws < 2:
        raise UsageError(f"expected scores need 2 sampled alignments or more, not {draws}")
    resampling = resampling or Resampling()
    asked = choose_metrics(inputs.defaults if metrics is None else metrics, available=inputs.offers)
    chosen = tuple(metric.wants(inputs) for metric in asked)
    references, systems = inputs.likely_links()
    if all(column.probability is None for column in (*references, *systems)):
        raise UsageError("no link has a probability; expected scores need an aligner, or links like 3-4:0.93")
    values = []
    seed = resampling.seed
    for draw in progress(range(draws), label="sampling alignments", total=draws):
        drawn = inputs.with_links(
            [sample_links(column, seed=seed, draw=draw, stream=1 + r) for r, column in enumerate(references)],
            [sample_links(column, seed=seed, draw=draw) for column in systems],
        )
        blocks = drawn.batches(chosen)
        statistics = run(
            blocks, inputs.systems, chosen, reference_choice=reference_choice, threads=resampling.threads
        ).statistics
        values.append(Scores(inputs.systems, chosen, statistics, {}, Resampling(samples=0)).values)
    known = full_signature(inputs, chosen, reference_choice)
    known["aligner"] += "+sampled"
    names = [str(metric) for metric in chosen]
    signature = {"metrics": names, **known, "seed": seed, "version": __version__, "draws": draws}
    return ExpectedScores(inputs.systems, tuple(names), np.stack(values), signature)


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


@inner_kernel
def _uniform(seed: np.uint64, draw: np.uint64, row: np.uint64, word: np.uint64) -> float:
    """Return a number in [0, 1) that depends on nothing but its arguments (splitmix64)."""
    state = seed
    for part in (draw, row, word):
        state = (state + part + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        state = state ^ (state >> np.uint64(31))
    return np.float64(state >> np.uint64(11)) / 9007199254740992.0
