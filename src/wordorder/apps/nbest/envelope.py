"""Line search kernels: find the best hypothesis of a sentence at each point on a line in weight space (Och 2003).

Along such a line, the score of a hypothesis is a linear function. Its height is the score at the current weights; its
slope is the sum of the hypothesis's features, weighted by the direction of the line. The best hypotheses of a
sentence form the upper envelope of these functions.
"""

import numpy as np

from wordorder.core.runtime.columns import Bools, Floats, Int64s, Ints, Offsets
from wordorder.core.runtime.kernels import inner_kernel, kernel, longest_row

MOST_INSERTED = 64
"""The largest number of lines for insertion sort; more lines are sorted with merge sort."""


@kernel
def first_highest(values: Floats, offsets: Offsets) -> Int64s:
    """Return, for each row of ``values``, the position of its highest value, or of the first if several are equal.

    Row i is ``values[offsets[i]:offsets[i + 1]]``; positions are counted in the whole array."""
    best = offsets[:-1].copy()
    for row in range(len(best)):
        for place in range(offsets[row] + 1, offsets[row + 1]):
            if values[place] > values[best[row]]:
                best[row] = place
    return best


@kernel
def upper_envelopes(slopes: Floats, heights: Floats, offsets: Offsets) -> tuple[Ints, Floats]:
    """Return each sentence's best hypotheses from −∞ to ∞, and the point at which each of them becomes the best.

    Each hypothesis is a line with a slope and a height. Lines are pushed onto a stack in order of slope; each new
    line first removes those that it overtakes before they become the best. Of parallel lines, only the highest is
    kept; of identical lines, only the first.
    """
    best = np.empty(len(slopes), dtype=np.int32)
    begins = np.empty(len(slopes))
    order = np.empty(longest_row(offsets) + 1, dtype=np.int32)
    count = 0
    for row in range(len(offsets) - 1):
        lines = _gather_high(slopes, heights, offsets[row], offsets[row + 1], order)
        _sort_by_slope(slopes, order[:lines])
        bottom = count
        top = order[0]
        top_slope, top_height, top_begin = slopes[top], heights[top], -np.inf
        best[count], begins[count] = top, top_begin
        count += 1
        for place in range(1, lines):
            line = order[place]
            slope, height = slopes[line], heights[line]
            if slope == top_slope and height <= top_height:
                continue
            # The line overtakes the top at (top_height − height) / (slope − top_slope). Is that before its start?
            while count > bottom and (slope == top_slope or top_height - height <= top_begin * (slope - top_slope)):
                count -= 1
                if count > bottom:
                    top = best[count - 1]
                    top_slope, top_height, top_begin = slopes[top], heights[top], begins[count - 1]
            begin = (top_height - height) / (slope - top_slope) if count > bottom else -np.inf
            if begin == np.inf:  # nearly parallel lines that never meet
                continue
            best[count], begins[count] = line, begin
            count += 1
            top_slope, top_height, top_begin = slope, height, begin
    return best[:count], begins[:count]


@kernel
def sums_between(rows: Floats, sequence: Int64s, wanted: Bools) -> Floats:
    """Return the summed statistics of the best hypotheses of all sentences, for each wanted interval of a line.

    ``rows`` has the statistics of each sentence's best hypotheses, from −∞ to ∞. ``sequence`` lists indices into
    ``rows`` in the order in which the hypotheses become the best: first one per sentence, at −∞; after that, each
    hypothesis replaces the one in the row before its own.
    """
    sentences = len(sequence) - len(wanted) + 1
    result = np.empty((np.count_nonzero(wanted), rows.shape[1]))
    total = np.zeros(rows.shape[1])
    count = 0
    for rank in range(len(sequence)):
        place = sequence[rank]
        for k in range(len(total)):
            total[k] += rows[place, k] if rank < sentences else rows[place, k] - rows[place - 1, k]
        if rank >= sentences - 1 and wanted[rank - sentences + 1]:
            result[count] = total
            count += 1
    return result


@inner_kernel
def _gather_high(slopes: Floats, heights: Floats, start: int, stop: int, kept: Ints) -> int:
    """Collect in ``kept`` the lines of a sentence that may be part of its envelope, and return their number.

    With each line seen as a point (slope, height), the envelope is the upper hull of these points, so points below a
    chord can be skipped. The first chord joins the points with the lowest and the highest slope; two more join these
    points to the highest point above the first chord (Eddy 1977). Only a few lines remain to be sorted.
    """
    low = high = start
    largest = 0.0
    for place in range(start, stop):
        slope, height = slopes[place], heights[place]
        largest = max(largest, abs(height))
        if slope < slopes[low] or (slope == slopes[low] and height > heights[low]):
            low = place
        if slope > slopes[high] or (slope == slopes[high] and height > heights[high]):
            high = place
    allowed = -1e-12 * largest  # so that rounding never drops a line
    steep = (heights[high] - heights[low]) / (slopes[high] - slopes[low])
    count, middle, most = 0, low, 0.0
    for place in range(start, stop):
        above = heights[place] - heights[low] - steep * (slopes[place] - slopes[low])
        kept[count] = place
        count += int(not above < allowed)
        if above > most:
            middle, most = place, above
    left = (heights[middle] - heights[low]) / (slopes[middle] - slopes[low])
    right = (heights[high] - heights[middle]) / (slopes[high] - slopes[middle])
    size = 0
    for rank in range(count):
        place = kept[rank]
        away = slopes[place] - slopes[middle]
        above = heights[place] - heights[middle] - (left if away < 0 else right) * away
        kept[size] = place
        size += int(not above < allowed)
    return size


@inner_kernel
def _sort_by_slope(slopes: Floats, lines: Ints) -> None:
    """Sort lines by slope; lines with equal slopes keep their order."""
    if len(lines) > MOST_INSERTED:
        lines[:] = lines[np.argsort(slopes[lines], kind="mergesort")]
        return
    for place in range(1, len(lines)):
        line = lines[place]
        while place > 0 and slopes[lines[place - 1]] > slopes[line]:
            lines[place] = lines[place - 1]
            place -= 1
        lines[place] = line
