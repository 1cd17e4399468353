"""Alignments drawn from link probabilities: every target word takes a source word with its probability, or none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from wordorder.core.orders.alignment import Alignments
from wordorder.core.runtime.columns import offsets_from_lengths, rows_of
from wordorder.core.runtime.kernels import kernel


def sample_links(posteriors: Alignments, *, seed: int, draw: int, stream: int = 0, first: int = 0) -> Alignments:
    """Draw one alignment: every target word takes one of its links with the link's probability, or none.

    Probabilities of a target word that add up to more than 1 are scaled down to 1. The same seed, draw and stream
    give the same alignment, also of a part of the rows if ``first`` says which row it starts with; links without
    probabilities are certain and stay as they are.
    """
    if posteriors.probability is None:
        return posteriors
    number = np.uint64((draw << 16) + stream)
    chosen = _sample(
        posteriors.target,
        posteriors.probability,
        posteriors.offsets,
        np.uint64(seed % 2**64),
        number,
        np.uint64(first),
    )
    counts = np.bincount(rows_of(posteriors.offsets)[chosen], minlength=len(posteriors))
    return replace(
        posteriors,
        source=posteriors.source[chosen],
        target=posteriors.target[chosen],
        offsets=offsets_from_lengths(counts),
        possible=None,
        probability=None,
    )


@kernel
def _sample(
    target: NDArray[np.int32],
    probability: NDArray[np.float64],
    offsets: NDArray[np.int64],
    seed: np.uint64,
    draw: np.uint64,
    first: np.uint64,
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
            point = _uniform(seed, draw, first + np.uint64(row), np.uint64(word)) * max(total[word], 1.0)
            chosen[link] = below[word] <= point < below[word] + probability[link]
            below[word] += probability[link]
    return chosen


@kernel
def _uniform(seed: np.uint64, draw: np.uint64, row: np.uint64, word: np.uint64) -> float:
    """Return a number in [0, 1) that depends on nothing but its arguments (splitmix64)."""
    state = seed
    for part in (draw, row, word):
        state = (state + part + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        state = state ^ (state >> np.uint64(31))
    return np.float64(state >> np.uint64(11)) / 9007199254740992.0
