"""Word orders of two systems, restricted to the reference words that both of them matched.

Two systems usually match different words of a reference, so the difference between their order scores depends on
which words match as well as on their order. On the words that both matched, only the order can differ.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordorder.core.orders.permutation import Permutations
from wordorder.core.runtime.columns import Ints, Offsets, ValueColumn, offsets_from_lengths
from wordorder.core.runtime.kernels import kernel

FEWEST = 2
"""The smallest number of common words that have an order."""


@dataclass(frozen=True, eq=False)
class MatchedWords(ValueColumn[list[int]]):
    """The matched reference words of each segment, in hypothesis order: their positions in the reference, from 0."""

    of_values = ("positions",)

    positions: NDArray[np.integer]
    offsets: Offsets

    def _value(self, row: int) -> list[int]:
        found: list[int] = self.positions[self.offsets[row] : self.offsets[row + 1]].tolist()
        return found


def common_orders(one: MatchedWords, two: MatchedWords) -> tuple[Permutations, Permutations]:
    """Return the orders of two systems on the words that both matched.

    Both orders of a segment have the same length. They are empty if the systems share fewer than two words.

    >>> one = MatchedWords(np.array([3, 0, 2]), np.array([0, 3]))
    >>> two = MatchedWords(np.array([0, 1, 2, 3]), np.array([0, 4]))
    >>> [str(orders[0]) for orders in common_orders(one, two)]
    ['3 1 2', '1 2 3']
    """
    of_one, of_two, lengths = _restrict(
        one.positions.astype(np.int32), one.offsets, two.positions.astype(np.int32), two.offsets
    )
    offsets = offsets_from_lengths(lengths)
    return Permutations(of_one, offsets), Permutations(of_two, offsets)


@kernel
def _restrict(one: Ints, one_offsets: Offsets, two: Ints, two_offsets: Offsets) -> tuple[Ints, Ints, Offsets]:
    rows = len(one_offsets) - 1
    words = max(one.max() if len(one) else 0, two.max() if len(two) else 0) + 1
    systems = np.zeros(words, dtype=np.int8)  # how many of the systems matched a word
    ranks = np.zeros(words, dtype=np.int32)
    of_one, of_two = np.empty(len(one), dtype=np.int32), np.empty(len(one), dtype=np.int32)
    lengths = np.zeros(rows, dtype=np.int64)
    filled = 0
    for row in range(rows):
        last = -1
        for place in range(one_offsets[row], one_offsets[row + 1]):
            systems[one[place]] = 1
            last = max(last, one[place])
        for place in range(two_offsets[row], two_offsets[row + 1]):
            if two[place] <= last:
                systems[two[place]] *= 2
        count = 0
        for word in range(last + 1):
            if systems[word] == 2:
                ranks[word] = count
                count += 1
        if count >= FEWEST:
            end = filled
            for place in range(one_offsets[row], one_offsets[row + 1]):
                if systems[one[place]] == 2:
                    of_one[end] = ranks[one[place]]
                    end += 1
            end = filled
            for place in range(two_offsets[row], two_offsets[row + 1]):
                if two[place] <= last and systems[two[place]] == 2:
                    of_two[end] = ranks[two[place]]
                    end += 1
            lengths[row] = count
            filled = end
        systems[: last + 1] = 0
    return of_one[:filled].copy(), of_two[:filled].copy(), lengths
