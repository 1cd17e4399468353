"""Measure the complexity of permutations by their cycles and by the operators of their permutation trees."""

from __future__ import annotations

import numpy as np

from wordorder.core.orders import Permutations, PermutationTrees
from wordorder.core.orders.trees import SIMPLE, decompose
from wordorder.core.runtime.columns import Int64s, Ints
from wordorder.core.runtime.kernels import kernel


def count_cycles(orders: Permutations) -> tuple[Ints, Ints]:
    """Return, for each order, the number of cycles of two words or more, and the length of the longest cycle.

    The words of a cycle exchange positions with one another (Birch 2011, §5.5.1). A word in its original position is
    a cycle of one word. Both numbers are 0 for an empty order, which means that the order is undefined.

    >>> cycles, longest = count_cycles(Permutations.of(["2 1 3 5 6 4", "1 2", ""]))
    >>> cycles.tolist(), longest.tolist()
    ([2, 0, 0], [3, 1, 0])
    """
    return _cycles(orders.ranks, orders.offsets)


def find_largest_operators(orders: Permutations) -> Ints:
    """Return the number of children of the largest simple operator in the permutation tree of each order, or 0.

    A simple operator is a permutation of four or more children that cannot be decomposed further. A permutation
    without simple operators is binarisable: inversion transduction grammars (Wu 1997) can generate it.

    >>> find_largest_operators(Permutations.of(["2 4 1 3", "4 3 1 2", "2 4 1 3 5 7 10 8 6 9", ""])).tolist()
    [4, 0, 5, 0]
    """
    trees = PermutationTrees(*decompose(orders.ranks, orders.offsets))
    simple = np.flatnonzero(trees.kinds == SIMPLE)
    largest = np.zeros(len(orders), dtype=np.int32)
    np.maximum.at(largest, np.searchsorted(trees.offsets, simple, side="right") - 1, trees.arities[simple])
    return largest


@kernel
def _cycles(ranks: Ints, offsets: Int64s) -> tuple[Ints, Ints]:
    rows = len(offsets) - 1
    cycles = np.zeros(rows, dtype=np.int32)
    longest = np.zeros(rows, dtype=np.int32)
    seen = np.zeros(len(ranks), dtype=np.bool_)
    for row in range(rows):
        start = offsets[row]
        for first in range(start, offsets[row + 1]):
            length = 0
            place = first
            while not seen[place]:
                seen[place] = True
                length += 1
                place = start + ranks[place]
            cycles[row] += length > 1
            longest[row] = max(longest[row], length)
    return cycles, longest
