"""The longest ascending subsequence of a word order: the largest set of words that need not move."""

import numpy as np
from numpy.typing import NDArray

from wordorder.core.orders.permutation import Permutations
from wordorder.core.runtime.columns import Ints, Offsets
from wordorder.core.runtime.kernels import kernel, longest_row


def longest_ascending(orders: Permutations) -> Offsets:
    """Return the length of each row's longest ascending subsequence, in O(n log n) time (Fredman 1975).

    >>> longest_ascending(Permutations.of(["2 4 1 3", "", "3 2 1"])).tolist()
    [2, 0, 1]
    """
    return _longest_ascending(orders.ranks, orders.offsets, np.zeros(0, dtype=np.bool_))


def mark_ascending(orders: Permutations) -> NDArray[np.bool_]:
    """Return a mask of the words in a longest ascending subsequence of each row.

    If a row has several such subsequences, the one with the lowest ranks is marked.

    >>> mark_ascending(Permutations.of(["2 4 1 3", "", "3 2 1"])).astype(int).tolist()
    [0, 0, 1, 1, 0, 0, 1]
    """
    marked = np.zeros(len(orders.ranks), dtype=np.bool_)
    _longest_ascending(orders.ranks, orders.offsets, marked)
    return marked


@kernel
def _longest_ascending(ranks: Ints, offsets: Offsets, marked: NDArray[np.bool_]) -> Offsets:
    rows = len(offsets) - 1
    longest = longest_row(offsets)
    ends = np.empty(longest, dtype=np.int32)  # the lowest rank that ends a subsequence, indexed by its length − 1
    positions = np.empty(longest, dtype=np.int64)  # of each word in the longest subsequence that ends with it
    lengths = np.zeros(rows, dtype=np.int64)
    for row in range(rows):
        start, stop = offsets[row], offsets[row + 1]
        size = 0
        for place in range(start, stop):
            rank = ranks[place]
            low, high = 0, size
            if size and ends[size - 1] < rank:
                low = size
            while low < high:
                middle = (low + high) // 2
                if ends[middle] < rank:
                    low = middle + 1
                else:
                    high = middle
            ends[low] = rank
            if len(marked):
                positions[place - start] = low
            if low == size:
                size += 1
        lengths[row] = size
        if len(marked) == 0:
            continue
        for place in range(stop - 1, start - 1, -1):  # of all words at a position, the last has the lowest rank
            if positions[place - start] == size - 1:
                marked[place] = True
                size -= 1
    return lengths
