"""Fragments of dependency trees as columns, and how much two bags of them share.

Every word of every tree stands for one fragment of a type: up to three numbers, weighted by the probability of its
tree. There is no dictionary per sentence: one hash table numbers the fragments of a segment, then those of the next.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordorder.runtime.columns import rows_of
from wordorder.runtime.hashing import find_slot, hash_table
from wordorder.runtime.kernels import kernel
from wordorder.text.tokens import Tokens, lower
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
    keys = np.zeros(len(hypothesis.words) + len(reference.words), dtype=np.int64)
    for pair in zip(*sides, strict=True):
        column = np.concatenate(pair)
        keys = keys * (int(column.max(initial=0)) + 2) + (column + 1)  # the head word of a root is −1
    weights = np.concatenate([_weights(part, side) for side in (hypothesis, reference)])
    counts: NDArray[np.float64] = _overlap(
        keys, weights, np.stack([hypothesis.offsets, reference.offsets + len(hypothesis.words)])
    )
    return counts


def _fragments(part: str, side: Sentences) -> tuple[NDArray[np.int32], ...]:
    """Return the one, two or three columns of numbers that make up the fragments."""
    return {
        "1g": (side.words,),
        "2g": (side.words, np.roll(side.words, -1)),
        "dl": (side.words, side.labels),
        "lh": (side.labels, side.head_words),
        "dlh": (side.words, side.labels, side.head_words),
        "dh": (side.words, side.head_words),
    }[part]


def _weights(part: str, side: Sentences) -> NDArray[np.float64]:
    # Nothing follows the last word: a pair that begins with it has no weight and is not a fragment.
    return np.where(side.last, 0.0, side.weights) if part == "2g" else side.weights


@kernel
def _overlap(
    fragments: NDArray[np.int64], weights: NDArray[np.float64], offsets: NDArray[np.int64]
) -> NDArray[np.float64]:
    rows = offsets.shape[1] - 1
    result = np.zeros((rows, 3), dtype=np.float64)
    largest = np.int64(1)
    for row in range(rows):
        size = offsets[0, row + 1] - offsets[0, row] + offsets[1, row + 1] - offsets[1, row]
        largest = max(largest, size)
    keys, numbers = hash_table(largest)
    first = np.int64(0)  # the numbers of a segment begin here, so the segments before it are forgotten
    counts = np.empty((largest, 2), dtype=np.float64)
    for row in range(rows):
        known = 0
        for side in range(2):
            for place in range(offsets[side, row], offsets[side, row + 1]):
                if weights[place] == 0.0:
                    continue
                slot = find_slot(keys, numbers, first, fragments[place])
                if numbers[slot] < first:
                    keys[slot], numbers[slot] = fragments[place], first + known
                    counts[known] = 0.0
                    known += 1
                counts[numbers[slot] - first, side] += weights[place]
        for number in range(known):
            result[row, 0] += min(counts[number, 0], counts[number, 1])
            result[row, 1] += counts[number, 0]
            result[row, 2] += counts[number, 1]
        first += known
    return result
