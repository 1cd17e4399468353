"""Find the words that must move: the smallest set whose removal leaves the rest in order in every view."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordorder.apps.find.findings import Move
from wordorder.apps.find.places import NOWHERE, WordPlaces
from wordorder.core.runtime.columns import Bools, Ints, Offsets
from wordorder.core.runtime.kernels import inner_kernel, kernel

MOST_WORDS = 200
"""Longest sentence for which an exact solution is computed.

In longer sentences, the words to keep are chosen in one view after the other, so more words may move than necessary.
"""


def keep_words(first: Ints, second: Ints, offsets: Offsets) -> Bools:
    """Mark, in each row, a largest set of words whose positions ascend in both views.

    ``first`` and ``second`` hold the positions of the words in the two views; words without a position are kept. The
    solution is exact and takes O(n³) time for n words: from left to right, whether a word can be kept depends only on
    the last kept word with a position in each view. Very long sentences are solved approximately.

    >>> places = np.array([2, 3, 0, 1, 4], dtype=np.int32)
    >>> keep_words(places, np.full(5, -1, dtype=np.int32), np.array([0, 5])).astype(int).tolist()
    [1, 1, 0, 0, 1]
    """
    return _keep(first, second, offsets)


@kernel
def _keep(first: Ints, second: Ints, offsets: Offsets) -> Bools:
    kept = np.ones(len(first), dtype=np.bool_)
    for row in range(len(offsets) - 1):
        start = offsets[row]
        places = np.empty(offsets[row + 1] - start + 1, dtype=np.int64)
        size = 0
        for word in range(start, offsets[row + 1]):
            if first[word] != NOWHERE or second[word] != NOWHERE:
                size += 1
                places[size] = word
        if size <= MOST_WORDS:
            _keep_both(first, second, places, size, kept)
        else:
            _keep_one(first, places, size, kept)
            _keep_one(second, places, size, kept)
    return kept


@inner_kernel
def _keep_both(first: Ints, second: Ints, places: Offsets, size: int, kept: Bools) -> None:
    """Find the exact solution by dynamic programming.

    ``best[i, j]`` is the number of words that can be kept if the last kept words in the first and second view are i
    and j, respectively.
    """
    best = np.full((size + 1, size + 1), -1, dtype=np.int32)
    before = np.zeros((size + 1, size + 1, 2), dtype=np.int32)
    best[0, 0] = 0
    for word in range(1, size + 1):
        one, two = first[places[word]], second[places[word]]
        for i in range(word):
            if i > 0 and one != NOWHERE and first[places[i]] > one:
                continue
            for j in range(word):
                if best[i, j] < 0 or (j > 0 and two != NOWHERE and second[places[j]] > two):
                    continue
                to_i = word if one != NOWHERE else i
                to_j = word if two != NOWHERE else j
                if best[i, j] + 1 > best[to_i, to_j]:
                    best[to_i, to_j] = best[i, j] + 1
                    before[to_i, to_j, 0], before[to_i, to_j, 1] = i, j
    for word in range(1, size + 1):
        kept[places[word]] = False
    i = j = 0
    for end_i in range(size + 1):
        for end_j in range(size + 1):
            if best[end_i, end_j] > best[i, j]:
                i, j = end_i, end_j
    while i > 0 or j > 0:
        kept[places[max(i, j)]] = True
        i, j = before[i, j, 0], before[i, j, 1]


@inner_kernel
def _keep_one(view: Ints, places: Offsets, size: int, kept: Bools) -> None:
    """Reduce the kept words with a position in one view to a longest ascending subsequence, in O(n²) time."""
    best = np.zeros(size + 1, dtype=np.int64)
    before = np.zeros(size + 1, dtype=np.int64)
    last = 0
    for word in range(1, size + 1):
        if not kept[places[word]] or view[places[word]] == NOWHERE:
            continue
        for i in range(1, word):
            if best[i] > best[word] and view[places[i]] <= view[places[word]]:
                best[word] = best[i]
                before[word] = i
        best[word] += 1
        if best[word] > best[last]:
            last = word
    for word in range(1, size + 1):
        if best[word] > 0:
            kept[places[word]] = False
    while last > 0:
        kept[places[last]] = True
        last = before[last]


def find_moves(kept: Bools, views: Sequence[WordPlaces]) -> list[Move]:
    """Join the words that are not kept into spans that move together, and return a move for each span.

    A span moves to the position after the last kept word that should precede it. Words without a position in any view
    belong to a span if they are between two of its words.
    """
    moves: list[Move] = []
    end = NOWHERE
    for word in np.flatnonzero(~kept).tolist():
        after, place, sure = _destination(word, kept, views)
        if after is None:
            continue
        joined = moves and all(
            kept[between] and all(view.at[between] == NOWHERE for view in views)
            for between in range(moves[-1].end, word)
        )
        if joined and moves[-1].after == after and place >= end:
            last = moves[-1]
            count = last.end - last.first
            sure = (last.confidence * count + sure) / (count + 1)
            moves[-1] = Move(last.first, word + 1, after, sure, last.place)
        else:
            moves.append(Move(word, word + 1, after, sure, place))
        end = place
    return moves


def _destination(word: int, kept: Bools, views: Sequence[WordPlaces]) -> tuple[int | None, int, float]:
    """Return the kept word after which a word belongs, its position in the deciding view, and a confidence.

    The kept word is −1 if the word belongs at the beginning, and None if the word need not move. The confidence is
    1 − Π(1 − sure) over the views in which the word is out of order, halved if the other view has it in order.
    """
    after, place, doubt, in_order = None, NOWHERE, 1.0, False
    others = np.flatnonzero(kept)
    for view in views:
        here = int(view.at[word])
        if here == NOWHERE:
            continue
        known = others[view.at[others] != NOWHERE]
        lower = view.at[known] <= here
        if ((known > word) & lower).any() or ((known < word) & ~lower).any():
            doubt *= 1.0 - float(view.sure[word])
            if after is None:
                after, place = int(known[lower].max(initial=-1)), here
        else:
            in_order = True
    return after, place, (1.0 - doubt) * (0.5 if in_order else 1.0)
