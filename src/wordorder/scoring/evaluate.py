"""The one path from inputs to scores: blocks of batches in, segment statistics out, reference chosen per metric."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from wordorder.metrics.base import Array, Batch, Metric
from wordorder.runtime.errors import InputError, choices
from wordorder.runtime.progress import progress
from wordorder.runtime.threads import map_chunks
from wordorder.scoring.comparison import TESTS
from wordorder.scoring.inputs import TextInputs
from wordorder.scoring.scores import Resampling, Scores

REFERENCE_CHOICES = ("closest", "average")


def evaluate(
    blocks: Iterable[Sequence[Batch]],
    systems: Sequence[str],
    metrics: Sequence[Metric],
    *,
    inputs: dict[str, Any],
    reference_choice: str = "closest",
    resampling: Resampling | None = None,
    documents: tuple[str, ...] | None = None,
    baseline: str | None = None,
    test: str = "bootstrap",
    texts: TextInputs | None = None,
    buckets: tuple[str, ...] | None = None,
) -> Scores:
    """Score every system of every block under every metric.

    ``blocks`` gives one batch per system for each block of segments; ``inputs`` tells the signature where the orders
    came from. Blocks have a fixed size and are handled independently, so threads do not change a digit.
    """
    if reference_choice not in REFERENCE_CHOICES:
        raise choices(reference_choice, list(REFERENCE_CHOICES), what="choice of reference")
    if baseline is not None and baseline not in systems:
        raise choices(baseline, list(systems), what="baseline")
    if test not in TESTS:
        raise choices(test, list(TESTS), what="test")
    resampling = resampling or Resampling()

    def work(batches: Sequence[Batch]) -> list[Array]:
        return [
            np.hstack([_choose(metric.statistics(batch), metric, reference_choice) for metric in metrics])
            for batch in batches
        ]

    counted = progress(blocks, label="scoring", unit=" blocks")
    done: list[list[Array]] = [[] for _ in systems]
    for block in map_chunks(work, counted, threads=resampling.threads):
        for parts, rows in zip(done, block, strict=True):
            parts.append(rows)
    if not done[0]:
        raise InputError("there is nothing to score: the input has no segments")
    statistics = tuple(_stack(parts) for parts in done)
    return Scores(
        tuple(systems), tuple(metrics), statistics, inputs, resampling, documents, baseline, test, texts, buckets
    )


def _stack(parts: list[Array]) -> Array:
    """Put blocks under one another and let go of each at once: memory holds the rows of a system once, not twice."""
    result = np.empty((sum(len(part) for part in parts), parts[0].shape[1]))
    stop = len(result)
    while parts:
        part = parts.pop()
        result[stop - len(part) : stop] = part
        stop -= len(part)
    return result


def _choose(rows: Array, metric: Metric, choice: str) -> Array:
    """Reduce the references of each segment to one row ``[segments, k]``.

    ``closest`` takes the reference with the best segment score of this very metric, ``average`` the mean row of the
    references for which the segment is defined.
    """
    if rows.shape[1] == 1:
        return rows[:, 0]
    scores = metric.segment(rows)
    defined = ~np.isnan(scores)
    if choice == "average":
        defined |= ~defined.any(axis=1, keepdims=True)
        mean: Array = np.where(defined[..., None], rows, 0.0).sum(axis=1) / defined.sum(axis=1)[:, None]
        return mean
    best = np.argmax(np.where(defined, scores, -np.inf), axis=1)
    chosen: Array = np.take_along_axis(rows, best[:, None, None], axis=1)[:, 0]
    return chosen
