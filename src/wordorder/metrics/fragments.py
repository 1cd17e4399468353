"""Fragments of dependency trees, stored in columns, and the overlap of two bags of fragments.

A fragment consists of up to three integer IDs and a weight, which is the probability of its tree or its expected
count in a forest. One hash table, which is reused for all segments, numbers the fragments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from wordorder.core.runtime.columns import Bools, Floats, Int64s, Ints, Offsets, rows_of
from wordorder.core.runtime.hashing import find_slot, hash_table
from wordorder.core.runtime.kernels import kernel
from wordorder.core.text.tokens import Tokens, lower
from wordorder.core.trees import ROOT, DependencyTrees, ExpectedDependencies, ParseLists, lower_words, share_strings
from wordorder.core.trees.vocabulary import number_strings

FRAGMENTS = ("1g", "2g", "dl", "lh", "dlh", "dh", "chain")
"""The types of fragments: words, word pairs, parts of an arc (dependent, label, head), and chains of two arcs."""

STRING_FRAGMENTS = ("1g", "2g")
"""The types of fragments that do not require a tree."""

CHAIN = "chain"


class Bag(NamedTuple):
    """The fragments of one type for all segments, as columns of integer IDs.

    The fragments of segment i are at ``offsets[i]:offsets[i + 1]``.
    """

    columns: tuple[Ints, ...]
    weights: Floats
    offsets: Offsets


class FragmentSource(Protocol):
    """The sentences of the hypotheses or of one reference, which can be divided into fragments."""

    def bag(self, part: str) -> Bag:
        """Return all fragments of one type."""


@dataclass(frozen=True, eq=False)
class TreeWords:
    """The words of all trees in sequence, each with its label, its head word and the weight of its tree.

    ``grand`` holds the head of each head word. ``is_last`` is true for the last word of a tree, and ``is_root`` for
    its root.
    """

    words: Ints
    labels: Ints
    head_words: Ints
    grand: Ints
    weights: Floats
    is_last: Bools
    is_root: Bools
    offsets: Offsets

    def bag(self, part: str) -> Bag:
        """Return all fragments of one type; the last word starts no word pair, and the root starts no chain."""
        columns = {
            "1g": (self.words,),
            "2g": (self.words, np.roll(self.words, -1)),
            "dl": (self.words, self.labels),
            "lh": (self.labels, self.head_words),
            "dlh": (self.words, self.labels, self.head_words),
            "dh": (self.words, self.head_words),
            CHAIN: (self.words, self.head_words, self.grand),
        }[part]
        weights = self.weights
        if part in ("2g", CHAIN):
            weights = np.where(self.is_last if part == "2g" else self.is_root, 0.0, weights)
        return Bag(columns, weights, self.offsets)


@dataclass(frozen=True, eq=False)
class ForestWords:
    """The words of sentences, with the expected counts of arcs and chains in their parse forests."""

    expected: ExpectedDependencies

    def bag(self, part: str) -> Bag:
        """Return all fragments of one type."""
        found = self.expected
        if part in STRING_FRAGMENTS:
            return _strings(found.words, found.offsets).bag(part)
        counts = found.chains if part == CHAIN else found.arcs
        starts = found.offsets[:-1][rows_of(counts.offsets)]
        one, two, three = counts.rows.T
        words = {"d": _words_at(found, one, starts), "l": two, "h": _words_at(found, three, starts)}
        if part == CHAIN:
            return Bag((words["d"], _words_at(found, two, starts), words["h"]), counts.weights, counts.offsets)
        return Bag(tuple(words[letter] for letter in part), counts.weights, counts.offsets)


def _words_at(found: ExpectedDependencies, places: Ints, starts: Offsets) -> Ints:
    """Return the words at positions that are counted from the start of each sentence; ROOT remains ROOT."""
    if not len(found.words):
        return places
    words: Ints = np.where(places == ROOT, ROOT, found.words[np.maximum(places, 0) + starts]).astype(np.int32)
    return words


def from_tokens(*columns: Tokens, lowercase: bool) -> list[FragmentSource]:
    """Return one source of fragments for each column of sentences; it provides words and word pairs only."""
    if lowercase:
        columns = lower(columns)
    return [_strings(column.ids, column.offsets) for column in columns]


def from_parses(*columns: ParseLists[DependencyTrees], n: int, gamma: float, lowercase: bool) -> list[FragmentSource]:
    """Return one source of fragments for each column of parses; all sources share one vocabulary.

    Each source holds the words and arcs of the ``n`` best parses of each sentence. A parse is weighted by its
    probability, raised to the power ``gamma``.
    """
    if lowercase:
        columns = tuple(map(lower_words, columns))
    shared = share_strings(*(column.trees for column in columns))
    return [_weigh(column, trees, n, gamma) for column, trees in zip(columns, shared, strict=True)]


def from_forests(*columns: ExpectedDependencies, lowercase: bool) -> list[FragmentSource]:
    """Return one source of fragments for each column of expected dependencies; all sources share one vocabulary."""
    if lowercase:
        columns = tuple(column.lower_words() for column in columns)
    strings, maps = number_strings(*(column.strings for column in columns))
    return [ForestWords(column.renumbered(mapping, strings)) for column, mapping in zip(columns, maps, strict=True)]


def _strings(words: Ints, offsets: Offsets) -> TreeWords:
    """Return a source of fragments for words without trees."""
    return TreeWords(words, words, words, words, np.ones(len(words)), _last(offsets), _last(offsets), offsets)


def _weigh(lists: ParseLists[DependencyTrees], trees: DependencyTrees, n: int, gamma: float) -> TreeWords:
    starts = trees.offsets[:-1][rows_of(trees.offsets)]
    root = trees.heads == ROOT
    heads = np.where(root, 0, trees.heads + starts)
    head_words = np.where(root, ROOT, trees.words[heads]).astype(np.int32)
    weights = np.repeat(lists.weights(gamma=gamma, n=n), trees.lengths)
    last, offsets = _last(trees.offsets), trees.offsets[lists.offsets]
    return TreeWords(trees.words, trees.labels, head_words, head_words[heads], weights, last, root, offsets)


def _last(offsets: Offsets) -> Bools:
    last = np.zeros(offsets[-1], dtype=np.bool_)
    last[offsets[1:][np.diff(offsets) > 0] - 1] = True
    return last


def overlap(part: str, hypothesis: FragmentSource, reference: FragmentSource) -> Floats:
    """Count the fragments of one type in each segment, ``[segments, 3]``.

    The three counts are those of the matched fragments, Σ min(hypothesis, reference), of the hypothesis fragments and
    of the reference fragments.
    """
    one, two = hypothesis.bag(part), reference.bag(part)
    keys = np.zeros(len(one.weights) + len(two.weights), dtype=np.int64)
    for pair in zip(one.columns, two.columns, strict=True):
        column = np.concatenate(pair)
        keys = keys * (int(column.max(initial=0)) + 2) + (column + 1)  # the head word of a root is −1
    weights = np.concatenate([one.weights, two.weights])
    counts: Floats = _overlap(keys, weights, np.stack([one.offsets, two.offsets + len(one.weights)]))
    return counts


@kernel
def _overlap(fragments: Int64s, weights: Floats, offsets: Int64s) -> Floats:
    rows = offsets.shape[1] - 1
    result = np.zeros((rows, 3), dtype=np.float64)
    largest = np.int64(1)
    for row in range(rows):
        size = offsets[0, row + 1] - offsets[0, row] + offsets[1, row + 1] - offsets[1, row]
        largest = max(largest, size)
    keys, numbers = hash_table(largest)
    first = np.int64(0)  # each segment uses new numbers from here on, which makes older entries invalid
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
