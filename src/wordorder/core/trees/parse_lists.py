"""Lists of alternative parses for each sentence, with their probabilities."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.columns import (
    Floats,
    Offsets,
    ValueColumn,
    join_offsets,
    number_strings,
    offsets_from_lengths,
    renumber,
    rows_of,
)
from wordorder.core.runtime.errors import InputError, refuse
from wordorder.core.runtime.kernels import kernel
from wordorder.core.trees.constituency import ConstituencyTrees
from wordorder.core.trees.conversion import to_dependencies
from wordorder.core.trees.dependency import DependencyTrees

TreeColumn = TypeVar("TreeColumn", ConstituencyTrees, DependencyTrees)


@dataclass(frozen=True, eq=False)
class ParseLists(ValueColumn[TreeColumn], Generic[TreeColumn]):
    """A column of parse lists: the parses of sentence i are the trees at ``offsets[i]:offsets[i + 1]``.

    ``log_probabilities`` are natural logarithms, one per tree. The list of an empty sentence is empty. ``names`` are
    the names of the sentences.

    >>> trees = ConstituencyTrees.of(["(NP (NN a))", "(VP (VB a))"])
    >>> lists = ParseLists(trees, np.log([0.6, 0.2]), np.array([0, 2]), ("1",))
    >>> lists.weights().round(2).tolist(), lists.weights(gamma=0).tolist()
    ([0.75, 0.25], [0.5, 0.5])
    """

    of_values = ("trees", "log_probabilities")
    of_rows = ("names",)

    trees: TreeColumn
    log_probabilities: Floats
    offsets: Offsets
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not len(self.trees) == len(self.log_probabilities) == self.offsets[-1]:
            raise InputError(f"expected one probability per parse, found {len(self.log_probabilities)}")
        if len(self.names) != len(self):
            raise InputError(f"expected one name per list of parses, found {len(self.names)} for {len(self)}")

    def __repr__(self) -> str:
        return f"ParseLists({len(self)} sentences, {len(self.trees)} parses)"

    def _value(self, row: int) -> TreeColumn:
        return self.trees[int(self.offsets[row]) : int(self.offsets[row + 1])]

    @classmethod
    def concatenate(cls, parts: "Sequence[ParseLists[TreeColumn]]") -> "ParseLists[TreeColumn]":
        """Concatenate one or more columns of parse lists."""
        return ParseLists(
            type(parts[0].trees).concatenate([part.trees for part in parts]),
            np.concatenate([part.log_probabilities for part in parts]),
            join_offsets([part.offsets for part in parts]),
            tuple(name for part in parts for name in part.names),
        )

    def weights(self, *, gamma: float = 1.0, n: int | None = None) -> Floats:
        """Return weights p^γ, normalised over the ``n`` most likely parses in each list, with 0 for the others.

        Here p is the probability of a parse, and γ is ``gamma``. If ``n`` is None, all parses are used. γ < 1
        flattens the distribution, γ = 0 makes it uniform, and γ → ∞ leaves only the best parse.
        """
        refuse(not gamma >= 0 or not np.isfinite(gamma), f"gamma must be a finite number of at least 0, not {gamma}")
        refuse(n is not None and n < 1, f"the number of parses must be 1 or more, not {n}")
        limit = n or int(np.diff(self.offsets).max(initial=1))
        return _weights(self.log_probabilities, self.offsets, gamma, limit)


def take_lists(lists: ParseLists[DependencyTrees], rows: NDArray[np.integer]) -> ParseLists[DependencyTrees]:
    """Return the lists of the given rows, in the given order; a row may be taken several times."""
    lengths = np.diff(lists.offsets)[rows]
    offsets = offsets_from_lengths(lengths)
    places = np.arange(offsets[-1]) + np.repeat(lists.offsets[:-1][rows] - offsets[:-1], lengths)
    names = tuple(lists.names[row] for row in rows.tolist())
    return ParseLists(lists.trees.take(places), lists.log_probabilities[places], offsets, names)


def best_trees(lists: ParseLists[DependencyTrees]) -> DependencyTrees:
    """Return the most likely parse in each list (the first one if several tie); for an empty list, an empty tree."""
    order = np.lexsort((-lists.log_probabilities, rows_of(lists.offsets)))
    filled = np.diff(lists.offsets) > 0
    trees = lists.trees.take(order[lists.offsets[:-1][filled]])
    lengths = np.zeros(len(lists), dtype=np.int64)
    lengths[filled] = trees.lengths
    return replace(trees, offsets=offsets_from_lengths(lengths))


def to_dependency_lists(lists: ParseLists[ConstituencyTrees]) -> ParseLists[DependencyTrees]:
    """Convert lists of constituency parses to lists of dependency parses with the same probabilities.

    If two constituency parses give the same dependency parse, both are kept, so that expected counts do not change.
    """
    return ParseLists(to_dependencies(lists.trees), lists.log_probabilities, lists.offsets, lists.names)


def lower_words(lists: ParseLists[DependencyTrees]) -> ParseLists[DependencyTrees]:
    """Return the lists with words in lower case; labels and tags do not change.

    >>> trees = ConstituencyTrees.of(["(ROOT (NP (DT The) (NN cat)))"])
    >>> lists = ParseLists(trees, np.zeros(1), np.array([0, 1]), ("1",))
    >>> lower_words(to_dependency_lists(lists)).trees[0].words
    ('the', 'cat')
    """
    trees = lists.trees
    strings, (old, low) = number_strings(trees.strings, [string.lower() for string in trees.strings.to_pylist()])
    return replace(lists, trees=replace(trees.renumbered(old, strings), words=renumber(trees.words, low)))


@kernel
def _weights(scores: Floats, offsets: Offsets, gamma: float, limit: int) -> Floats:
    weights = np.zeros(len(scores))
    for row in range(len(offsets) - 1):
        start, stop = offsets[row], offsets[row + 1]
        order = np.argsort(-scores[start:stop], kind="mergesort")[:limit]  # stable: the first among equal scores
        total = 0.0
        for i in order:
            difference = scores[start + i] - scores[start + order[0]]
            weights[start + i] = np.exp(gamma * difference) if difference < 0.0 and gamma > 0.0 else 1.0
            total += weights[start + i]
        for i in order:
            weights[start + i] /= total
    return weights
