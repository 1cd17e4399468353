"""The segments to look at: the worst-ordered ones, and those where two systems differ most, with chunks marked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordorder.metrics.base import Array


def mark_chunks(
    hypothesis: Sequence[str], reference: Sequence[str], pairs: Sequence[tuple[int, int]]
) -> tuple[str, str]:
    """Write both sentences with their common chunks in brackets, numbered in reference order.

    ``pairs`` are matched places (hypothesis, reference). Read the numbers in the hypothesis: 1 2 3 … is good order.

    >>> mark_chunks(["to", "reduce", "it", "plans"], ["plans", "now", "to", "reduce"], [(0, 2), (1, 3), (3, 0)])
    ('[2 to reduce] it [1 plans]', '[1 plans] now [2 to reduce]')
    """
    chunks: list[list[tuple[int, int]]] = []
    for pair in sorted(pairs):
        if chunks and (pair[0] - 1, pair[1] - 1) == chunks[-1][-1]:
            chunks[-1].append(pair)
        else:
            chunks.append([pair])
    by_reference = sorted(chunks, key=lambda chunk: chunk[0][1])
    spans = [(number, chunk) for number, chunk in enumerate(by_reference, start=1)]
    return (
        _bracket(hypothesis, [(chunk[0][0], chunk[-1][0], number) for number, chunk in spans]),
        _bracket(reference, [(chunk[0][1], chunk[-1][1], number) for number, chunk in spans]),
    )


def worst_segments(scores: Array, count: int) -> list[int]:
    """Give the segments with the lowest scores, worst first; undefined ones have none and are left out.

    >>> worst_segments(np.array([0.5, np.nan, 0.1, 0.5]), 3)
    [2, 0, 3]
    """
    order = np.argsort(scores, kind="stable")  # NaN sorts last
    return [int(segment) for segment in order[:count] if not np.isnan(scores[segment])]


def widest_differences(one: Array, two: Array, count: int) -> list[int]:
    """Give the segments where two systems differ most, the widest difference first."""
    return worst_segments(-np.abs(one - two), count)


def _bracket(words: Sequence[str], spans: Sequence[tuple[int, int, int]]) -> str:
    parts: list[str] = []
    place = 0
    for first, last, number in sorted(spans):
        parts += [*words[place:first], f"[{number} {' '.join(words[first : last + 1])}]"]
        place = last + 1
    return " ".join([*parts, *words[place:]])
