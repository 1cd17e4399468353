"""Random sampling of alignments from link probabilities: each target word gets one of its links or none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from wordorder.core.orders.alignment import Alignments
from wordorder.core.runtime.columns import Bools, Floats, Ints, Offsets
from wordorder.core.runtime.hashing import mix
from wordorder.core.runtime.kernels import kernel


def sample_links(posteriors: Alignments, *, seed: int, draw: int, stream: int = 0, first: int = 0) -> Alignments:
    """Sample one alignment per row: each target word gets one of its links or none, according to their probabilities.

    If the probabilities of a target word's links add up to more than 1, they are scaled to add up to 1. Alignments
    without probabilities are returned unchanged. The random numbers depend only on ``seed``, ``draw`` (the number of
    the sample), ``stream`` and the row number. If the rows are part of a larger column, ``first`` is the number of
    the first row in that column.
    """
    if posteriors.probability is None:
        return posteriors
    links = posteriors.target, posteriors.probability, posteriors.offsets
    chosen = _sample(links, np.uint64(seed % 2**64), np.uint64((draw << 16) + stream), np.uint64(first))
    return replace(posteriors.select(chosen), possible=None, probability=None)


@kernel
def _sample(links: tuple[Ints, Floats, Offsets], seed: np.uint64, draw: np.uint64, first: np.uint64) -> Bools:
    target, probability, offsets = links
    chosen = np.zeros(len(target), dtype=np.bool_)
    widest = target.max() + 1 if len(target) else 0
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
    """Return a pseudo-random number in [0, 1) that depends only on the arguments (splitmix64)."""
    state = seed
    for part in (draw, row, word):
        state = mix((state + part + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15))
    return np.float64(state >> np.uint64(11)) / 9007199254740992.0
