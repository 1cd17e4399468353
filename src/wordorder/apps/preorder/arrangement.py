"""Assign kinds of children to positions in a rule, so that as many pairs of neighbours as possible are in order.

A kind of child is a dependency label and a side of the head, such as ``nsubj`` before the head. Neighbours are two
children of a head, or a child and its head.
"""

from __future__ import annotations

import numpy as np

from wordorder.core.runtime.columns import Bools, Int64s
from wordorder.core.runtime.kernels import inner_kernel, kernel


@kernel
def arrange(ahead: Int64s, kept: Int64s, turned: Int64s, start: Int64s, least: int) -> tuple[Int64s, Bools]:
    """Return the position of each kind in the rule, and a flag for each position that says whether it is reversed.

    Kind 0 is the head, which is alone in its position. The matrices give numbers of pairs of neighbours that are in
    the right order: ``ahead[i, j]`` if kind i has an earlier position than kind j; ``kept[i, j]`` if they have the
    same position, so that the pairs keep the source order; and ``turned[i, j]`` if this position is reversed.
    ``kept`` and ``turned`` are symmetric; their diagonals count pairs of the same kind.

    The search begins with the positions ``start``. Each step moves a kind to another position or to a new one, or it
    reverses a position, whichever puts the most additional pairs in the right order. The search ends when no step
    adds at least ``least`` pairs.
    """
    kinds = len(start)
    place = start.copy()
    reversed_ = np.zeros(kinds, dtype=np.bool_)
    while True:
        best = np.int64(max(least, 1) - 1)
        key, target = -1, 0
        places = place.max() + 1
        for kind in range(kinds):
            now = _fulfilled(kind, 2 * place[kind], ahead, kept, turned, place, reversed_)
            # even goals are the existing places; odd goals lie between them
            for goal in range(-1, 2 * places):
                if goal % 2 == 0 and (kind == 0 or goal == 2 * place[0]):
                    continue
                gain = _fulfilled(kind, goal, ahead, kept, turned, place, reversed_) - now
                if gain > best:
                    best, key, target = gain, kind, goal
        turn = -1
        for this in range(places):
            gain = np.int64(0)
            for i in range(kinds):
                for j in range(i + 1):
                    if place[i] == this and place[j] == this:
                        gain += turned[i, j] - kept[i, j]
            gain = -gain if reversed_[this] else gain
            if gain > best:
                best, turn = gain, this
        if turn >= 0:
            reversed_[turn] = not reversed_[turn]
        elif key >= 0:
            moved = 2 * place
            moved[key] = target
            used = np.unique(moved)
            before = reversed_.copy()
            for rank in range(len(used)):
                if used[rank] % 2 == 0:
                    reversed_[rank] = before[used[rank] // 2]
                else:
                    reversed_[rank] = turned[key, key] > kept[key, key]
            for kind in range(kinds):
                place[kind] = np.searchsorted(used, moved[kind])
        else:
            return place, reversed_


@inner_kernel
def _fulfilled(
    kind: int, goal: int, ahead: Int64s, kept: Int64s, turned: Int64s, place: Int64s, reversed_: Bools
) -> np.int64:
    """Count the pairs with children of one kind that are in the right order if the kind is moved to ``goal``.

    An even ``goal`` is twice the index of an existing position; an odd one is a new position between two others.
    """
    if goal % 2:
        total: np.int64 = max(kept[kind, kind], turned[kind, kind])
    else:
        total = turned[kind, kind] if reversed_[goal // 2] else kept[kind, kind]
    for other in range(len(place)):
        if other == kind:
            continue
        if 2 * place[other] < goal:
            total += ahead[other, kind]
        elif 2 * place[other] > goal:
            total += ahead[kind, other]
        elif reversed_[place[other]]:
            total += turned[kind, other]
        else:
            total += kept[kind, other]
    return total
