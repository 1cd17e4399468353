"""Arrange kinds of children into places, so that as many wishes as possible come true."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wordorder.runtime.kernels import kernel


@kernel
def arrange(
    ahead: NDArray[np.int64],
    kept: NDArray[np.int64],
    turned: NDArray[np.int64],
    start: NDArray[np.int64],
    least: int,
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Move kinds between places, one at a time, while a move makes at least ``least`` more wishes come true.

    Kind 0 is the head, which stays alone. Two kinds in different places fulfil ``ahead[first, second]`` wishes; in
    one place they fulfil ``kept[i, j]``, or ``turned[i, j]`` where the place is reversed (both symmetric; the
    diagonal is for children of one kind). Moves: a kind to another place, or to a new place between two; or a place
    is reversed. The best move comes first. Gives the place of each kind, and which places are reversed.
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
            # even targets are the places there are, odd ones lie between them
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


@kernel
def _fulfilled(
    kind: int,
    goal: int,
    ahead: NDArray[np.int64],
    kept: NDArray[np.int64],
    turned: NDArray[np.int64],
    place: NDArray[np.int64],
    reversed_: NDArray[np.bool_],
) -> np.int64:
    """Count the wishes of one kind that come true if it stands at ``goal`` (a place counted twice, odd for a gap)."""
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
