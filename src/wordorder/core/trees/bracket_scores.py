"""The quality of constituency parses: labelled brackets, counted as in *evalb* (Black et al. 1991; Collins 1997).

A bracket is a label and the span of words below it. Tags and the root do not count as brackets.
Punctuation (words with the gold tags ``, : `` '' .``) is removed from the sentence first, and brackets that become
empty do not count. Unlike with the default settings of *evalb*, ADVP and PRT count as different labels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.errors import InputError
from wordorder.core.trees.constituency import ConstituencyTrees
from wordorder.core.trees.conversion import ROOT_LABEL

PUNCTUATION = frozenset({",", ":", "``", "''", "."})


@dataclass(frozen=True)
class BracketScore:
    """Counts of brackets (matched, gold, found), sentences (all, fully correct), words, and correct tags."""

    matched: int
    gold: int
    found: int
    sentences: int
    exact: int
    words: int
    right_tags: int

    @property
    def precision(self) -> float:
        """The share of the found brackets that are correct."""
        return self.matched / self.found if self.found else float("nan")

    @property
    def recall(self) -> float:
        """The share of the gold brackets that are found."""
        return self.matched / self.gold if self.gold else float("nan")

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall: 2·matched / (gold + found)."""
        return 2 * self.matched / (self.gold + self.found) if self.gold + self.found else float("nan")

    @property
    def tag_accuracy(self) -> float:
        """The share of words with the correct tag."""
        return self.right_tags / self.words if self.words else float("nan")


def score_brackets(gold: ConstituencyTrees, found: ConstituencyTrees) -> BracketScore:
    """Compare parses with gold trees of the same sentences and count the matching brackets.

    >>> gold = ConstituencyTrees.of(["(ROOT (S (NP (DT a) (NN b)) (VP (VB c)) (. .)))"])
    >>> found = ConstituencyTrees.of(["(ROOT (S (NP (DT a)) (VP (NN b) (VB c)) (. .)))"])
    >>> score = score_brackets(gold, found)
    >>> score.matched, score.gold, score.found, score.right_tags
    (1, 3, 3, 4)
    """
    if not np.array_equal(gold.offsets, found.offsets):
        raise InputError("a parse does not have the same number of words as the gold tree of the sentence")
    totals = np.zeros(7, dtype=np.int64)
    for wanted, given in zip(_unpack(gold), _unpack(found), strict=True):
        kept = np.cumsum([0] + [tag not in PUNCTUATION for tag in wanted.tags])
        one, other = _brackets(wanted, kept), _brackets(given, kept)
        right = sum(tag == guess for tag, guess in zip(wanted.tags, given.tags, strict=True))
        totals += [(one & other).total(), one.total(), other.total(), 1, one == other, len(wanted.tags), right]
    return BracketScore(*totals.tolist())


class _Phrases(NamedTuple):
    phrases: list[tuple[str, int, int]]
    tags: list[str]


def _unpack(trees: ConstituencyTrees) -> Iterator[_Phrases]:
    """Yield the phrases of each tree (except the root) with their spans, together with the tags of its words."""
    names = trees.strings.to_pylist()
    spans = trees.spans()
    for row in range(len(trees)):
        nodes = slice(trees.node_offsets[row], trees.node_offsets[row + 1])
        inner = set(trees.parents[nodes].tolist())
        labels = [names[label] for label in trees.labels[nodes].tolist()]
        phrases = [
            (label, start, end)
            for node, (label, (start, end)) in enumerate(zip(labels, spans[nodes].tolist(), strict=True))
            if node in inner and label != ROOT_LABEL
        ]
        yield _Phrases(phrases, [label for node, label in enumerate(labels) if node not in inner])


def _brackets(tree: _Phrases, kept: NDArray[np.int64]) -> Counter[tuple[str, int, int]]:
    """Count the brackets of a tree; their spans are computed without punctuation."""
    moved = ((label, int(kept[start]), int(kept[end])) for label, start, end in tree.phrases)
    return Counter(bracket for bracket in moved if bracket[2] > bracket[1])
