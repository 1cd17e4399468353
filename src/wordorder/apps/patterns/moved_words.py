"""Find the words of a translation that must move, in which direction, and how far.

A word that must move stands too early if it stands before its place among the words that stay, and too late
otherwise; its distance is counted in words that stay. Where two equally large and equally certain sets of words could
move, such as either of two neighbours that changed places, the words of both sets move by half.
"""

from dataclasses import dataclass

import numpy as np

from wordorder.apps.find.marking import NOWHERE, WordPlaces, joint_views, keep_words
from wordorder.core.runtime.columns import Bools, Floats, Ints, Offsets, rows_of
from wordorder.core.runtime.kernels import kernel
from wordorder.core.text import Tokens


@dataclass(frozen=True, eq=False)
class MovedWords:
    """The words of all segments of one system; all arrays have one entry per word.

    ``weight`` is the certainty of a word's place, and 0 if it has no place. ``early`` and ``late`` are the parts of
    this weight with which the word stands too early or too late, and ``distance`` is how far. ``marked`` is true for
    words that :func:`wordorder.find` would move.
    """

    words: Tokens
    segment: Offsets
    weight: Floats
    early: Floats
    late: Floats
    distance: Floats
    marked: Bools

    @property
    def rate(self) -> float:
        """The share of the words that stand too early or too late."""
        return float((self.early + self.late).sum() / max(self.weight.sum(), 1e-9))


def find_moved(words: Tokens, views: list[WordPlaces]) -> MovedWords:
    """Return the words that must move so that the others are in order in every view."""
    first, second, weight = joint_views(views)
    moved = np.zeros((2, len(weight)))
    sums = np.zeros(len(weight))
    marked = np.zeros(len(weight), dtype=np.bool_)
    for last in (False, True):
        kept = keep_words(first, second, weight, words.offsets, last)
        steps = _steps(kept, first, words.offsets)
        steps = np.where(steps == 0, _steps(kept, second, words.offsets), steps)
        moved += np.stack([steps > 0, steps < 0]) / 2
        sums += np.abs(steps) / 2
        marked = ~kept if not last else marked
    shares = moved.sum(axis=0)
    distance = np.divide(sums, shares, out=np.zeros_like(sums), where=shares > 0)
    early, late = moved * weight
    return MovedWords(words, rows_of(words.offsets), weight, early, late, distance, marked)


@kernel
def _steps(kept: Bools, places: Ints, offsets: Offsets) -> Offsets:
    """Return how many kept words each other word must pass; it is positive if the word must move to the right.

    Only words with a place in this view count. A kept word, and a word without a place, need not move.
    """
    steps = np.zeros(len(places), dtype=np.int64)
    for row in range(len(offsets) - 1):
        for word in range(offsets[row], offsets[row + 1]):
            if kept[word] or places[word] == NOWHERE:
                continue
            for other in range(offsets[row], offsets[row + 1]):
                if kept[other] and places[other] != NOWHERE:
                    steps[word] += (1 if places[other] < places[word] else 0) - (1 if other < word else 0)
    return steps
