"""Conversion of non-projective trees to projective ones by pseudo-projective lifting (Nivre & Nilsson 2005, §2).

An arc from head h to dependent d is non-projective if a word strictly between the two does not descend from h. While
there is such an arc, the shortest one (the leftmost if several are equally short) is lifted: d is attached to the
head of h. Arcs from the root of a sentence are always projective, so lifting ends with a projective tree. Labels are
unchanged.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.columns import Bools, Ints, Offsets
from wordorder.core.runtime.errors import InputError
from wordorder.core.runtime.kernels import inner_kernel, kernel
from wordorder.core.trees.dependency import DependencyTrees


def lift(trees: DependencyTrees) -> tuple[DependencyTrees, Offsets]:
    """Make all trees projective; return them and the number of lifted words in each tree.

    >>> from wordorder.core.trees import DependencyTree
    >>> crossing = DependencyTree(("a", "hearing", "is", "scheduled", "on", "it"), (1, 2, -1, 2, 1, 4), ("x",) * 6)
    >>> projective, lifted = lift(crossing.column())
    >>> projective.heads.tolist(), lifted.tolist()
    ([1, 2, -1, 2, 2, 4], [1])
    """
    fault = trees.first_fault()
    if fault:
        raise InputError(f"sentence {fault[0] + 1}: {fault[2].message}")
    crossing = ~trees.projective()
    if not crossing.any():
        return trees, np.zeros(len(trees), dtype=np.int64)
    heads, lifted = _lift(trees.heads, trees.offsets, crossing)
    return replace(trees, heads=heads), lifted


@kernel
def _lift(heads: Ints, offsets: Offsets, crossing: Bools) -> tuple[Ints, Offsets]:
    result = heads.copy()
    lifted = np.zeros(len(offsets) - 1, dtype=np.int64)
    for row in range(len(lifted)):
        if crossing[row]:
            start, stop = offsets[row], offsets[row + 1]
            _lift_one(result[start:stop])
            for word in range(start, stop):
                lifted[row] += result[word] != heads[word]
    return result, lifted


@inner_kernel
def _lift_one(heads: Ints) -> None:
    """Make one tree projective in place.

    Lifting d away from h changes the descendants of h and of no other word. So only the arcs of h and the new arc of
    d must be checked again.
    """
    length = len(heads)
    below = np.empty(length, dtype=np.int8)
    crosses = np.zeros(length, dtype=np.bool_)
    for word in range(length):
        crosses[word] = _crosses(heads, word, below)
    while True:
        lowest = -1
        for word in range(length):
            if crosses[word] and (lowest < 0 or _comes_first(heads, word, lowest)):
                lowest = word
        if lowest < 0:
            return
        former = heads[lowest]
        heads[lowest] = heads[former]
        crosses[lowest] = _crosses(heads, lowest, below)
        for word in range(length):
            if heads[word] == former and not crosses[word]:
                crosses[word] = _crosses(heads, word, below)


@inner_kernel
def _comes_first(heads: Ints, one: int, other: int) -> bool:
    size, other_size = abs(heads[one] - one), abs(heads[other] - other)
    return bool(size < other_size or (size == other_size and min(heads[one], one) < min(heads[other], other)))


@inner_kernel
def _crosses(heads: Ints, word: int, below: NDArray[np.int8]) -> bool:
    """Return whether any word between ``word`` and its head does not descend from the head; ``below`` is a buffer."""
    head = heads[word]
    if head < 0 or abs(head - word) == 1:
        return False
    below[:] = 0  # 1: known to descend from the head
    below[head] = 1
    for between in range(min(word, head) + 1, max(word, head)):
        above = between
        while above >= 0 and below[above] == 0:
            above = heads[above]
        if above < 0:
            return True
        above = between
        while below[above] == 0:
            below[above] = 1
            above = heads[above]
    return False
