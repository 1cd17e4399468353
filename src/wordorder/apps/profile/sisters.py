"""Reorderings between the children of a node in a parse tree, named by their labels.

Reorderings constrained by a parse (Birch 2011, §3.2.2) lie between children of one node: of two neighbouring
children, the first, A, follows the second, B, in the target. A child covers the target words from the first to the
last one linked to its words; children without links are left out. Children that overlap in the target are not
swapped. In a dependency tree, a word is a child like its dependents, and its label is its part of speech.
"""

import os
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from wordorder.apps.profile.corpus import Corpus
from wordorder.apps.profile.corpus_profile import Estimate, estimate, sum_moments
from wordorder.apps.profile.measures import Measures
from wordorder.apps.profile.sentences import TREE_ENDINGS
from wordorder.core.runtime.columns import Int64s, rows_of
from wordorder.core.runtime.errors import InputError, UsageError, mention
from wordorder.core.runtime.files import without_packing
from wordorder.core.trees import ConstituencyTrees, DependencyTrees
from wordorder.formats import brackets, conllu
from wordorder.report.table import Cell, Column, Table

Trees: TypeAlias = ConstituencyTrees | DependencyTrees

SHOWN_SHARE = 0.01
"""Tables show pairs of labels with at least this share of all swapped sisters."""


@dataclass(frozen=True)
class SwappedSisters:
    """How often a child labelled ``first`` and the next child, ``second``, are swapped in the target."""

    first: str
    second: str
    found: int
    swapped: int
    rate: Estimate
    mean_width: float


def read_trees(corpus: Corpus) -> Trees:
    """Read the parse trees of the source of a corpus: from its treebank, or from the words that links refer to."""
    path = os.path.join(corpus.path or "", "en.conllu") if corpus.is_folder else corpus.source_words or corpus.source
    name = without_packing(os.fspath(path)) if isinstance(path, (str, os.PathLike)) else ""
    if isinstance(path, (str, os.PathLike)) and name.endswith(TREE_ENDINGS):
        return brackets.read(path)
    if isinstance(path, (str, os.PathLike)) and name.endswith(".conllu"):
        return conllu.read(path)
    raise UsageError(
        f"{corpus.name}: swapped sisters need parse trees of the source; give {mention('source')} FILE.conllu, "
        f"or {mention('source_words')} with a .conllu, .mrg or .ptb file"
    )


class SisterCounter:
    """A collector of swapped sisters, block by block, for sentences that are parsed as in ``trees``."""

    def __init__(self, name: str, trees: Trees) -> None:
        self.name, self.trees = name, trees
        self._rows = 0
        self._blocks: list[Int64s] = []

    def add(self, measures: Measures) -> None:
        """Add the measures of the next block of sentences."""
        block = self.trees[self._rows : self._rows + len(measures)]
        if not np.array_equal(block.lengths, measures.alignments.source_lengths):
            raise InputError(f"{self.name}: the trees and the links count different source words")
        found = _find_sisters(block, measures)
        found[0] += self._rows
        self._rows += len(measures)
        self._blocks.append(found)

    def pairs(self) -> list[SwappedSisters]:
        """Return the pairs of labels, those that are swapped most often first."""
        row, first, second, swapped, width = np.concatenate([np.zeros((5, 0), np.int64), *self._blocks], axis=1)
        size, names = len(self.trees.strings), self.trees.strings.to_pylist()
        found = []
        for key in np.unique(first * size + second).tolist():
            here = first * size + second == key
            sentence, count = np.unique(row[here], return_inverse=True)[1], int(swapped[here].sum())
            rate = estimate(sum_moments(np.bincount(sentence, swapped[here]), np.bincount(sentence)))
            width_here = float(width[here].sum() / count) if count else np.nan
            found.append(
                SwappedSisters(names[key // size], names[key % size], int(here.sum()), count, rate, width_here)
            )
        return sorted(found, key=lambda each: (-each.swapped, -each.found, each.first, each.second))

    def table(self) -> Table:
        """Return the pairs with a large part of the swapped sisters, and how many sisters are swapped in all."""
        pairs = self.pairs()
        swapped = sum(each.swapped for each in pairs)
        rows: list[list[Cell | str | float]] = []
        for each in pairs:
            if each.swapped >= max(SHOWN_SHARE * swapped, 1):
                low, high = each.rate.interval
                rate = Cell(each.rate.value, (low, min(high, 1.0)), ends=True)
                rows.append([each.first, each.second, each.found, each.swapped, rate, each.mean_width])
        columns = [Column("A", "left"), Column("B", "left"), Column("pairs"), Column("swapped"), Column("rate")]
        notes = [
            f"{self.name}: {swapped / max(self._rows, 1):.2f} swapped sisters per sentence; pairs with less than "
            f"{SHOWN_SHARE:.0%} of them are left out",
            "B follows A in the source and precedes it in the target; 95% intervals over sentences; width: in target "
            "words",
        ]
        return Table.of("", [*columns, Column("width", number=".1f")], rows, notes=notes)


def _find_sisters(trees: Trees, measures: Measures) -> Int64s:
    """Return the row, both labels, whether they are swapped, and the width of each pair of neighbouring sisters."""
    links = measures.alignments
    parents, words, labels, rows = _nodes(trees)
    source = links.source + np.repeat(trees.offsets[:-1], np.diff(links.offsets))
    far = np.int64(1) << 40
    bounds = np.full((3, len(trees.words)), far)  # of each word: its place, and the first and minus the last target
    bounds[0] = np.arange(len(trees.words))
    np.minimum.at(bounds[1], source, links.target)
    np.minimum.at(bounds[2], source, -links.target.astype(np.int64))
    reach = np.where(words < 0, far, bounds[:, words])
    below, before = np.flatnonzero(parents >= 0), None
    while before is None or not np.array_equal(before, reach):  # once for each level of the deepest tree
        before = reach.copy()
        for values in reach:
            np.minimum.at(values, parents[below], values[below])
    linked = below[reach[1, below] < far]
    order = linked[np.lexsort((reach[0, linked], parents[linked]))]
    sisters = parents[order[:-1]] == parents[order[1:]]
    a, b = order[:-1][sisters], order[1:][sisters]
    swapped = -reach[2, b] < reach[1, a]
    width = 2 - reach[1, a] - reach[2, a] - reach[1, b] - reach[2, b]
    return np.array([rows[a], labels[a], labels[b], swapped, width * swapped], dtype=np.int64)


def _nodes(trees: Trees) -> tuple[NDArray[np.integer], ...]:
    """Return the parent of each node or −1, its own word or −1, its label and its row."""
    if isinstance(trees, ConstituencyTrees):
        rows = rows_of(trees.node_offsets)
        parents = np.where(trees.parents < 0, -1, trees.parents + trees.node_offsets[rows])
        words = np.full(len(parents), -1)
        words[np.setdiff1d(np.arange(len(parents)), parents)] = np.arange(len(trees.words))
        return parents, words, trees.labels, rows
    rows, own = rows_of(trees.offsets), np.arange(len(trees.words))
    heads = np.where(trees.heads < 0, -1, trees.heads + trees.offsets[rows])
    nothing = np.full(len(own), -1)
    columns = ((heads, own), (nothing, own), (trees.labels, trees.tags), (rows, rows))
    return tuple(np.concatenate(column) for column in columns)
