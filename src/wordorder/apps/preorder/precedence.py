"""Compare the order of neighbours in a tree with the reference order, and find the best order that a tree allows.

Neighbours are two children of a head, or a child and its head. Reordering a tree never interleaves the phrases of two
neighbours, so the number of word pairs in the wrong order is a sum over all pairs of neighbours. Rules are learned
from the same counts (:mod:`.learning`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.apps.preorder.reorder import linearise
from wordorder.core.orders.permutation import Permutations
from wordorder.core.orders.projection import Places
from wordorder.core.runtime.columns import Bools, Int64s, Ints, rows_of
from wordorder.core.runtime.errors import InputError
from wordorder.core.runtime.kernels import kernel
from wordorder.core.trees.dependency import DependencyTrees
from wordorder.core.trees.projectivity import lift

WIDEST = 12
"""Largest number of neighbours for which all orders are tried; larger sets are improved by moving one at a time."""

MOST_CHILDREN = 4096
"""Largest number of children of a head; the pairs of more children would not fit into memory."""


@dataclass(frozen=True, eq=False)
class Precedence:
    """Pairs of neighbours in trees, where ``first`` precedes ``second`` in the source.

    ``head``, ``first`` and ``second`` are word indices; either neighbour may be the head itself. All word pairs with
    one word in the phrase of each neighbour are compared with the reference: ``before`` counts the pairs in the same
    order and ``after`` those in the opposite order. Words without a position in the reference, and pairs that may be
    in any order, are not counted. The rows are sorted by head.
    """

    trees: DependencyTrees
    head: Int64s
    first: Int64s
    second: Int64s
    before: Int64s
    after: Int64s

    def __len__(self) -> int:
        return len(self.head)

    def keep(self, rows: Bools) -> Precedence:
        """Return the pairs for which ``rows`` is true."""
        columns = (self.head, self.first, self.second, self.before, self.after)
        return Precedence(self.trees, *(column[rows] for column in columns))


def compare_neighbours(trees: DependencyTrees, reference: Places) -> Precedence:
    """Compare all pairs of neighbours with the reference, and return the counts of their word pairs in each order.

    Trees with crossing arcs are made projective first.
    """
    projective, _ = lift(trees)
    _check_width(projective)
    return Precedence(projective, *_compare(projective.heads, projective.offsets, reference.places))


def order_best(trees: DependencyTrees, reference: Places) -> Permutations:
    """Return the best order that each tree allows: the one with the fewest word pairs in the wrong order.

    The children of each head are ordered independently. With up to 12 neighbours, the order is optimal; if there are
    several optimal orders, it is the one closest to the source. The remaining errors are due to the tree, so no rule
    can correct them.

    >>> from wordorder.core.orders import Alignment, place
    >>> from wordorder.core.trees import DependencyTree
    >>> tree = DependencyTree(("a", "b", "c"), (1, -1, 1), ("x", "root", "y")).column()
    >>> str(order_best(tree, place(Alignment(((0, 2), (1, 1), (2, 0)), 3).column(), policy="talbot"))[0])
    '3 2 1'
    """
    pairs = compare_neighbours(trees, reference)
    places, head_places = _order_best(
        len(pairs.trees.heads), pairs.head, pairs.first, pairs.second, pairs.before, pairs.after, WIDEST
    )
    forwards = np.zeros(len(places), dtype=np.bool_)
    return linearise(pairs.trees, places, head_places, forwards)


def _check_width(trees: DependencyTrees) -> None:
    rows = rows_of(trees.offsets)
    children = np.bincount((trees.offsets[rows] + trees.heads)[trees.heads >= 0])
    if children.max(initial=0) > MOST_CHILDREN:
        word = int(children.argmax())
        found = f"word {word - trees.offsets[rows[word]] + 1} has {children[word]} children"
        raise InputError(f"sentence {rows[word] + 1}: {found}; expected at most {MOST_CHILDREN}")


@kernel
def _compare(heads: Ints, offsets: Int64s, places: Ints) -> Int64s:
    """Return the five numeric columns of :class:`Precedence` as an array ``[5, pairs]``."""
    words = len(heads)
    children = np.zeros(words, dtype=np.int64)
    low, high = np.arange(words), np.arange(words)  # the words of each subtree, which are contiguous
    for row in range(len(offsets) - 1):
        start = offsets[row]
        for word in range(start, offsets[row + 1]):
            at = word
            while heads[at] >= 0:
                at = start + heads[at]
                low[at] = min(low[at], word)
                high[at] = max(high[at], word)
            if heads[word] >= 0:
                children[start + heads[word]] += 1
    pairs = np.zeros((5, (children * (children + 1) // 2).sum()), dtype=np.int64)
    filled = 0
    items = np.empty(words + 1, dtype=np.int64)
    for row in range(len(offsets) - 1):
        start = offsets[row]
        for parent in range(start, offsets[row + 1]):
            count = 0
            at = low[parent]
            while at <= high[parent]:  # jump from neighbour to neighbour
                item = at
                while item != parent and start + heads[item] != parent:
                    item = start + heads[item]
                items[count] = item
                at = at + 1 if item == parent else high[item] + 1
                count += 1
            for i in range(count):
                x = items[i]
                from_x, to_x = (x, x) if x == parent else (low[x], high[x])
                for j in range(i + 1, count):
                    y = items[j]
                    from_y, to_y = (y, y) if y == parent else (low[y], high[y])
                    before = after = 0
                    for one in range(from_x, to_x + 1):
                        for other in range(from_y, to_y + 1):
                            if min(places[one], places[other]) < 0:
                                continue
                            if places[one] > places[other]:
                                after += 1
                            elif places[one] < places[other] or places[one] % 2 == 0:
                                before += 1  # words in the same place keep their source order outside free groups
                    pairs[:, filled] = parent, x, y, before, after
                    filled += 1
    return pairs


@kernel
def _order_best(
    words: int, head: Int64s, first: Int64s, second: Int64s, before: Int64s, after: Int64s, widest: int
) -> tuple[Ints, Ints]:
    places = np.zeros(words, dtype=np.int32)
    head_places = np.zeros(words, dtype=np.int32)
    at = 0
    while at < len(head):
        parent = head[at]
        count = 2
        while at + count - 1 < len(head) and head[at + count - 1] == parent and first[at + count - 1] == first[at]:
            count += 1
        # cost[i, j]: the cost of item i before item j, plus a small penalty if this is not the source order
        scale = np.int64(count) * count
        cost = np.zeros((count, count), dtype=np.int64)
        items = np.empty(count, dtype=np.int64)
        items[0] = first[at]
        for i in range(count):
            for j in range(i + 1, count):
                items[j] = second[at]
                cost[i, j] = after[at] * scale
                cost[j, i] = before[at] * scale + 1
                at += 1
        order = _try_all(cost) if count <= widest else _move_one(cost)
        for rank in range(count):
            item = items[order[rank]]
            if item == parent:
                head_places[item] = rank
            else:
                places[item] = rank
    return places, head_places


@kernel
def _try_all(cost: Int64s) -> Int64s:
    """Return the order with the lowest cost; ``cost[i, j]`` is the cost of item i before item j.

    It is found by dynamic programming over sets of items.
    """
    count = len(cost)
    best = np.zeros(1 << count, dtype=np.int64)
    last = np.zeros(1 << count, dtype=np.int64)
    for chosen in range(1, 1 << count):
        best[chosen] = np.int64(2) ** 62
        for i in range(count):
            if chosen >> i & 1:
                total = best[chosen & ~(1 << i)]
                for j in range(count):
                    if j != i and chosen >> j & 1:
                        total += cost[j, i]
                if total < best[chosen]:
                    best[chosen], last[chosen] = total, i
    order = np.empty(count, dtype=np.int64)
    chosen = (1 << count) - 1
    for rank in range(count - 1, -1, -1):
        order[rank] = last[chosen]
        chosen &= ~(1 << last[chosen])
    return order


@kernel
def _move_one(cost: Int64s) -> Int64s:
    """Return a low-cost order: start from the source order, and move single items while this lowers the cost."""
    count = len(cost)
    order = np.arange(count)
    better = True
    while better:
        better = False
        for rank in range(count):
            item = order[rank]
            gain, best, target = np.int64(0), np.int64(0), rank
            for other in range(rank - 1, -1, -1):
                gain += cost[order[other], item] - cost[item, order[other]]
                if gain > best:
                    best, target = gain, other
            gain = np.int64(0)
            for other in range(rank + 1, count):
                gain += cost[item, order[other]] - cost[order[other], item]
                if gain > best:
                    best, target = gain, other
            if target != rank:
                better = True
                step = 1 if target > rank else -1
                for place in range(rank, target, step):
                    order[place] = order[place + step]
                order[target] = item
    return order
