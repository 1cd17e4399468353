"""Fragments of dependency trees as columns, and how much two bags of them share.

Every word of every tree stands for one fragment of a type: up to three numbers, weighted by the probability of its
tree. There is no dictionary per sentence: one hash table numbers the fragments of a segment, then those of the next.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordorder.runtime.kernels import kernel
from wordorder.runtime.ragged import rows_of
from wordorder.text.joining import lower
from wordorder.text.tokens import Tokens
from wordorder.trees import ROOT, DependencyTrees, ParseLists, lower_words, share_strings

FRAGMENTS = ("1g", "2g", "dl", "lh", "dlh", "dh")
"""The types of fragments: words and pairs of words, then parts of an arc from dependent over label to head."""

STRING_FRAGMENTS = ("1g", "2g")
"""Those that need no tree."""


@dataclass(frozen=True, eq=False)
class Sentences:
    """The words of every tree one after another, with the label of their arc, their head word and the tree's weight.

    ``last`` marks the last word of each tree; the fragments of segment i stand at ``offsets[i]:offsets[i + 1]``.
    """

    words: NDArray[np.int32]
    labels: NDArray[np.int32]
    head_words: NDArray[np.int32]
    weights: NDArray[np.float64]
    last: NDArray[np.bool_]
    offsets: NDArray[np.int64]


def from_tokens(*columns: Tokens, lowercase: bool) -> list[Sentences]:
    """Take words as they stand in columns over one vocabulary; there are no arcs."""
    if lowercase:
        columns = lower(columns)
    return [
        Sentences(column.ids, column.ids, column.ids, np.ones(len(column.ids)), _last(column.offsets), column.offsets)
        for column in columns
    ]


def from_parses(*columns: ParseLists[DependencyTrees], n: int, gamma: float, lowercase: bool) -> list[Sentences]:
    """Take words and arcs of the ``n`` likeliest parses, weighted by p^γ, over one vocabulary."""
    if lowercase:
        columns = tuple(map(lower_words, columns))
    shared = share_strings(*(column.trees for column in columns))
    return [_weigh(column, trees, n, gamma) for column, trees in zip(columns, shared, strict=True)]


def _weigh(lists: ParseLists[DependencyTrees], trees: DependencyTrees, n: int, gamma: float) -> Sentences:
    starts = trees.offsets[:-1][rows_of(trees.offsets)]
    root = trees.heads == ROOT
    head_words = trees.words[np.where(root, 0, trees.heads + starts)]
    return Sentences(
        trees.words,
        trees.labels,
        np.where(root, ROOT, head_words).astype(np.int32),
        np.repeat(lists.weights(gamma=gamma, n=n), trees.lengths),
        _last(trees.offsets),
        trees.offsets[lists.offsets],
    )


def _last(offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    last = np.zeros(offsets[-1], dtype=np.bool_)
    last[offsets[1:][np.diff(offsets) > 0] - 1] = True
    return last


def overlap(part: str, hypothesis: Sentences, reference: Sentences) -> NDArray[np.float64]:
    """Count the fragments of one type, ``[segments, 3]``: Σ min(hypothesis, reference), then both totals."""
    sides = [_fragments(part, side) for side in (hypothesis, reference)]
    first, second, third, weights = (np.concatenate(columns) for columns in zip(*sides, strict=True))
    offsets = np.stack([hypothesis.offsets, reference.offsets + len(hypothesis.words)])
    counts: NDArray[np.float64] = _overlap(first, second, third, weights, offsets)
    return counts


def _fragments(
    part: str, side: Sentences
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
    """Give the three numbers of every fragment, and its weight; a type that has less repeats what it has."""
    words, labels, heads = side.words, side.labels, side.head_words
    if part == "2g":  # behind the last word nothing follows: no weight, no fragment
        return words, np.roll(words, -1), words, np.where(side.last, 0.0, side.weights)
    first, second, third = {
        "1g": (words, words, words),
        "dl": (words, labels, words),
        "lh": (labels, heads, labels),
        "dlh": (words, labels, heads),
        "dh": (words, heads, words),
    }[part]
    return first, second, third, side.weights


@kernel
def _overlap(
    first: NDArray[np.int32],
    second: NDArray[np.int32],
    third: NDArray[np.int32],
    weights: NDArray[np.float64],
    offsets: NDArray[np.int64],
) -> NDArray[np.float64]:
    rows = offsets.shape[1] - 1
    result = np.zeros((rows, 3), dtype=np.float64)
    largest = np.int64(1)
    for row in range(rows):
        size = offsets[0, row + 1] - offsets[0, row] + offsets[1, row + 1] - offsets[1, row]
        largest = max(largest, size)
    buckets = 4
    while buckets < 2 * largest:
        buckets *= 2
    mask = buckets - 1
    # A bucket holds the first fragment of its kind; it counts as empty unless it was stamped for this segment.
    stamps = np.zeros(buckets, dtype=np.int64)
    samples = np.empty(buckets, dtype=np.int64)
    numbers = np.empty(buckets, dtype=np.int64)
    counts = np.empty((largest, 2), dtype=np.float64)
    for row in range(rows):
        known = 0
        for side in range(2):
            for place in range(offsets[side, row], offsets[side, row + 1]):
                if weights[place] == 0.0:
                    continue
                a, b, c = first[place], second[place], third[place]
                key = (np.int64(a) * np.int64(1_000_003) + b) * np.int64(1_000_003) + c
                # Fibonacci hashing: the high bits of the product are well mixed.
                bucket = ((key * np.int64(-7046029254386353131)) >> 32) & mask
                while stamps[bucket] == row + 1:
                    sample = samples[bucket]
                    if first[sample] == a and second[sample] == b and third[sample] == c:
                        break
                    bucket = (bucket + 1) & mask
                if stamps[bucket] != row + 1:
                    stamps[bucket] = row + 1
                    samples[bucket] = place
                    numbers[bucket] = known
                    counts[known, 0] = 0.0
                    counts[known, 1] = 0.0
                    known += 1
                counts[numbers[bucket], side] += weights[place]
        for number in range(known):
            result[row, 0] += min(counts[number, 0], counts[number, 1])
            result[row, 1] += counts[number, 0]
            result[row, 2] += counts[number, 1]
    return result
