"""Kernels of the line search: which hypothesis of a sentence is best where, along a line of weights (Och 2003).

Along a line the score of a hypothesis is a line itself: its score at the current weights is the height, the weighted
sum of its features under the direction the slope. The best hypotheses of a sentence form the upper envelope of these
lines.
"""

from __future__ import annotations

import numpy as np

from wordorder.runtime.columns import Floats, Int64s, Ints, Offsets
from wordorder.runtime.kernels import kernel


@kernel
def first_highest(values: Floats, offsets: Offsets) -> Int64s:
    """Return the place of the highest value of each row, the first of equals."""
    best = offsets[:-1].copy()
    for row in range(len(best)):
        for place in range(offsets[row] + 1, offsets[row + 1]):
            if values[place] > values[best[row]]:
                best[row] = place
    return best


@kernel
def sort_slopes(slopes: Floats, offsets: Offsets) -> Ints:
    """Sort the hypotheses of each sentence by slope; equals keep their order."""
    order = np.empty(len(slopes), dtype=np.int32)
    for row in range(len(offsets) - 1):
        start, stop = offsets[row], offsets[row + 1]
        within = np.argsort(slopes[start:stop], kind="mergesort")
        for place in range(stop - start):
            order[start + place] = start + within[place]
    return order


@kernel
def upper_envelopes(
    slopes: Floats, heights: Floats, order: Ints, offsets: Offsets
) -> tuple[Int64s, Floats, Ints, Ints]:
    """Walk each sentence from −∞ to ∞: its first best hypothesis, and where which one overtakes which.

    ``order`` has the hypotheses of a sentence by slope. A line is pushed onto a stack after all lines have been taken
    off that it overtakes before they are best. Of parallel lines the higher stays, of equal ones the first.
    """
    rows = len(offsets) - 1
    first = np.empty(rows, dtype=np.int64)
    room = len(slopes) - rows
    crossings = np.empty(room)
    before = np.empty(room, dtype=np.int32)
    after = np.empty(room, dtype=np.int32)
    longest = 0
    for row in range(rows):
        longest = max(longest, offsets[row + 1] - offsets[row])
    stack = np.empty(longest, dtype=np.int32)
    begins = np.empty(longest)
    count = 0
    for row in range(rows):
        top = order[offsets[row]]
        top_slope, top_height, top_begin = slopes[top], heights[top], -np.inf
        stack[0], begins[0] = top, top_begin
        size = 1
        for place in range(offsets[row] + 1, offsets[row + 1]):
            line = order[place]
            slope, height = slopes[line], heights[line]
            if slope == top_slope and height <= top_height:
                continue
            # The line overtakes the top at (top_height − height) / (slope − top_slope): not later than it begins?
            while size and (slope == top_slope or top_height - height <= top_begin * (slope - top_slope)):
                size -= 1
                if size:
                    top = stack[size - 1]
                    top_slope, top_height, top_begin = slopes[top], heights[top], begins[size - 1]
            begin = (top_height - height) / (slope - top_slope) if size else -np.inf
            if begin == np.inf:  # so nearly parallel that it never does
                continue
            stack[size], begins[size] = line, begin
            size += 1
            top_slope, top_height, top_begin = slope, height, begin
        first[row] = stack[0]
        for place in range(1, size):
            crossings[count] = begins[place]
            before[count] = stack[place - 1]
            after[count] = stack[place]
            count += 1
    return first, crossings[:count], before[:count], after[:count]
