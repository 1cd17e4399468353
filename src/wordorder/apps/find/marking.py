"""The words that must move: the fewest whose removal leaves every view in order, and the places they belong to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordorder.apps.find.findings import Move
from wordorder.apps.find.places import NOWHERE, WordPlaces
from wordorder.core.runtime.columns import Bools, Ints, Offsets
from wordorder.core.runtime.kernels import inner_kernel, kernel

MOST_WORDS = 200
"""In longer sentences, the words to keep are chosen view by view, which may keep fewer words than possible."""


def keep_words(first: Ints, second: Ints, offsets: Offsets) -> Bools:
    """Mark as many words of each row as possible whose places ascend in both views; words without a place are kept.

    Words are read from left to right, and of those kept so far only the last one with a place in each view matters.
    The best choice is therefore found exactly, in O(n³) for n words.

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
    """Choose exactly; ``best[i, j]`` words can be kept if i is the last one in the first view and j in the second."""
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
    """Of the kept words with a place in one view, keep as many as possible that ascend there, in O(n²)."""
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
    """Join the words that are not kept into spans that move together, each with its new place and a confidence.

    A span goes after the last kept word that should precede it. Words without a place in any view move along if they
    are between words of a span.
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
    """Return the kept word after which a word belongs (−1: none), its place in the deciding view, and a confidence.

    The confidence is 1 − Π(1 − sure) over the views in which the word is out of place. It is halved if the word has
    a place in the other view and is in order there.
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
