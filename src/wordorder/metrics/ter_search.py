"""The search for the TER edits of many sentence pairs, with the limits and the ranking of shifts of sacreBLEU.

In TER (Snover et al. 2006), words of the hypothesis are inserted, deleted and substituted, and blocks of words are
shifted, until the hypothesis equals the reference. TER counts the edits that a greedy search finds. Each round tries
every shift that moves a block of wrong words to a position where the reference contains it, and performs the shift
that saves the most edits. The search ends when no shift saves any edit.

The cost of a shift is not computed from scratch. Edit distances are shortest paths through a band of the matrix
hypothesis × reference, and a shift changes a range of consecutive rows. The costs of paths from the first
cell to the rows above this range are already known, and so are the costs of paths from the rows below it to the last
cell.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from wordorder.core.runtime.columns import Int64s, Ints
from wordorder.core.runtime.kernels import inner_kernel, kernel

BEAM = 25
"""The number of columns on either side of the diagonal that paths may use."""
LONGEST_SHIFT = 10
"""The largest number of words in one shift."""
FARTHEST_SHIFT = 50
"""The largest distance between the position of a shifted block in the hypothesis and that in the reference."""
SHIFTS_TRIED = 1000
"""The number of shifts tried per sentence; the round that reaches this number does not shift anything."""

_NO_PATH = 1 << 29


class _Matrix(NamedTuple):
    """The matrix hypothesis × reference, in which row i corresponds to the first i words of the hypothesis.

    Row i has cells for the columns from low[i] to high[i] − 1 only; they are stored from index begin[i] on.
    """

    words: Ints
    reference: Ints
    low: Ints
    high: Ints
    begin: Ints


@kernel
def find_edits(
    hypothesis: Ints, hypothesis_offsets: Int64s, reference: Ints, reference_offsets: Int64s
) -> tuple[Ints, Ints, Ints, Ints]:
    """Find the edits of each sentence pair, and apply the shifts to the words of the hypotheses in place.

    Return four arrays: the edit distance of each segment after its shifts, the number of its shifts, the shifts of
    all segments, and the alignment. A shift ``[start, length, to]`` moves the block of words at ``start`` to the
    position ``to``. For each reference word, the alignment contains the position of the hypothesis word with which it
    is paired after all shifts or, if the reference word is inserted, the position of the last hypothesis word before
    it.
    """
    segments = len(hypothesis_offsets) - 1
    distances, counts = np.empty(segments, dtype=np.int32), np.empty(segments, dtype=np.int32)
    # Every shift saves an edit, and the number of edits is between |n − m| and n + m.
    shifts = np.empty((2 * len(hypothesis), 3), dtype=np.int32)
    made = 0
    alignment = np.empty(len(reference), dtype=np.int32)
    candidates = np.empty((SHIFTS_TRIED + LONGEST_SHIFT, 3), dtype=np.int32)
    for segment in range(segments):
        words = hypothesis[hypothesis_offsets[segment] : hypothesis_offsets[segment + 1]]
        gold = reference[reference_offsets[segment] : reference_offsets[segment + 1]]
        aligned = alignment[reference_offsets[segment] : reference_offsets[segment + 1]]
        n, m = len(words), len(gold)
        matrix = _make_matrix(words, gold)
        cells = matrix.begin[n + 1]
        costs = np.empty(cells, dtype=np.int32)
        back = np.empty(cells, dtype=np.int32)
        trial = np.empty(cells, dtype=np.int32)
        for column in range(m + 1):
            costs[column] = column
        for column in range(matrix.low[n], m + 1):
            back[cells - 1 - m + column] = m - column
        next_wrong, next_missed = np.empty(n + 1, dtype=np.int32), np.empty(m + 1, dtype=np.int32)
        first, end, tried = 0, n, 0
        counts[segment] = 0
        while True:
            _fill(matrix, costs, first + 1, n, 0, 0, 0)
            _align(matrix, costs, aligned, next_wrong, next_missed)
            count = _list_shifts(words, gold, aligned, next_wrong, next_missed, candidates, SHIFTS_TRIED - tried)
            tried += count
            if count == 0 or tried >= SHIFTS_TRIED:
                break
            _fill_back(matrix, back, end - 1)
            start, length, to = _best_shift(matrix, costs, back, trial, candidates, count)
            if length == 0:
                break
            shifts[made, 0], shifts[made, 1], shifts[made, 2] = start, length, to
            made += 1
            counts[segment] += 1
            first, end = min(start, to), max(start, to) + length
            for place in range(first, end):
                trial[place] = words[_origin(place, start, length, to)]
            for place in range(first, end):
                words[place] = trial[place]
        distances[segment] = costs[cells - 1]
    return distances, counts, shifts[:made], alignment


@inner_kernel
def _make_matrix(words: Ints, reference: Ints) -> _Matrix:
    """Return a matrix limited to a band around the diagonal that is wide enough for adjacent rows to overlap."""
    n, m = len(words), len(reference)
    ratio = m / n if n else 1.0
    beam = math.ceil(ratio / 2 + BEAM) if ratio / 2 > BEAM else BEAM
    low, high = np.empty(n + 1, dtype=np.int32), np.empty(n + 1, dtype=np.int32)
    begin = np.empty(n + 2, dtype=np.int32)
    begin[0] = 0
    for row in range(n + 1):
        middle = math.floor(row * ratio)
        low[row] = max(0, middle - beam)
        high[row] = min(m + 1, middle + beam) if 0 < row < n else m + 1
        begin[row + 1] = begin[row] + high[row] - low[row]
    return _Matrix(words, reference, low, high, begin)


@inner_kernel
def _origin(place: int, start: int, length: int, to: int) -> int:
    """Return the position that a word had before a shift, given its position after the shift.

    The shift 0, 0, 0 stands for no shift at all.
    """
    if to <= place < to + length:
        return place - to + start
    return place + length if start < to else place - length


@inner_kernel
def _fill(matrix: _Matrix, costs: Ints, first: int, last: int, start: int, length: int, to: int) -> None:
    """Compute the costs of paths from the first cell to the cells of the rows ``first`` to ``last``, in place.

    ``start``, ``length`` and ``to`` describe a shift that is applied first. The row above ``first`` must already be
    filled.
    """
    words, reference, low, high, begin = matrix
    for row in range(first, last + 1):
        word = words[_origin(row - 1, start, length, to)]
        above, here = begin[row - 1] - low[row - 1], begin[row] - low[row]
        above_low, above_high = low[row - 1], high[row - 1]
        cost = _NO_PATH
        for column in range(low[row], high[row]):
            other = _NO_PATH
            if column < above_high:
                other = costs[above + column] + 1
            if above_low < column <= above_high:
                other = min(other, costs[above + column - 1] + (word != reference[column - 1]))
            cost = min(cost + 1, other)
            costs[here + column] = cost


@inner_kernel
def _fill_back(matrix: _Matrix, costs: Ints, last: int) -> None:
    """Compute the costs of paths to the last cell from the cells of the rows ``last`` to 1, in place.

    The row below ``last`` must already be filled.
    """
    words, reference, low, high, begin = matrix
    for row in range(last, 0, -1):
        below, here = begin[row + 1] - low[row + 1], begin[row] - low[row]
        below_low, below_high = low[row + 1], high[row + 1]
        cost = _NO_PATH
        for column in range(high[row] - 1, low[row] - 1, -1):
            other = _NO_PATH
            if column >= below_low:
                other = costs[below + column] + 1
            if below_low <= column + 1 < below_high:
                other = min(other, costs[below + column + 1] + (words[row] != reference[column]))
            cost = min(cost + 1, other)
            costs[here + column] = cost


@inner_kernel
def _align(matrix: _Matrix, costs: Ints, aligned: Ints, next_wrong: Ints, next_missed: Ints) -> None:
    """Trace the best path backwards and write the hypothesis position of each reference word to ``aligned``.

    Among equally good steps, pairing two words is preferred to deletion, and deletion to insertion. For each
    position, ``next_wrong`` (hypothesis) and ``next_missed`` (reference) receive the first position from there on
    that is part of an edit.
    """
    words, reference, low, high, begin = matrix
    i, j = len(words), len(reference)
    next_wrong[i], next_missed[j] = i, j
    while i > 0 or j > 0:
        cost = costs[begin[i] + j - low[i]]
        above = begin[i - 1] - low[i - 1]
        if i > 0 and j > low[i - 1] and j <= high[i - 1]:
            differ = words[i - 1] != reference[j - 1]
            if costs[above + j - 1] + differ == cost:
                i -= 1
                j -= 1
                aligned[j] = i
                next_wrong[i] = i if differ else next_wrong[i + 1]
                next_missed[j] = j if differ else next_missed[j + 1]
                continue
        if i > 0 and j < high[i - 1] and costs[above + j] + 1 == cost:
            i -= 1
            next_wrong[i] = i
        else:
            j -= 1
            aligned[j] = i - 1
            next_missed[j] = j


@inner_kernel
def _list_shifts(
    words: Ints, reference: Ints, aligned: Ints, next_wrong: Ints, next_missed: Ints, candidates: Ints, most: int
) -> int:
    """Write the shifts that are worth trying to ``candidates``, at most ``most`` shifts, and return their number.

    A shift consists of the start of a block, its length, and its target: the word before which the block is inserted.
    A hypothesis block that equals a reference block is a candidate if each of the two contains a word that is part of
    an edit, and if they are not already aligned with each other. The targets are the positions next to the hypothesis
    words aligned with the reference block or with the reference word before it.
    """
    n, m = len(words), len(reference)
    count = 0
    for start in range(n):
        if next_wrong[start] >= start + LONGEST_SHIFT:
            continue
        for gold in range(max(0, start - FARTHEST_SHIFT), min(m, start + FARTHEST_SHIFT + 1)):
            for size in range(min(LONGEST_SHIFT, min(n - start, m - gold))):
                if words[start + size] != reference[gold + size]:
                    break
                if next_wrong[start] > start + size or next_missed[gold] > gold + size:
                    continue
                if start <= aligned[gold] <= start + size:
                    continue
                before = -1
                for place in range(gold - 1, gold + size + 1):
                    target = aligned[place] + 1 if place >= 0 else 0
                    if target != before:
                        candidates[count, 0], candidates[count, 1], candidates[count, 2] = start, size + 1, target
                        count += 1
                        before = target
                if count >= most:
                    return count
    return count


@inner_kernel
def _best_shift(
    matrix: _Matrix, costs: Ints, back: Ints, trial: Ints, candidates: Ints, count: int
) -> tuple[int, int, int]:
    """Return the start, the length and the new start of the best shift; the length is 0 if no shift saves an edit.

    The best shift is the one that saves the most edits; among equals, the one with the longest block, then the
    leftmost start, then the leftmost target.
    """
    begin = matrix.begin
    best_start = best_length = best_target = best_to = 0
    lowest = costs[len(costs) - 1] - 1
    for candidate in range(count):
        start, length, target = candidates[candidate, 0], candidates[candidate, 1], candidates[candidate, 2]
        # A target within the block or right after it moves the block forward by the distance from start to target.
        to = target - length if target > start + length else min(target, len(matrix.words) - length)
        first, end = min(start, to), max(start, to) + length
        for cell in range(begin[first], begin[first + 1]):
            trial[cell] = costs[cell]
        _fill(matrix, trial, first + 1, end, start, length, to)
        cost = _NO_PATH
        for cell in range(begin[end], begin[end + 1]):
            cost = min(cost, trial[cell] + back[cell])
        # Candidates are ordered from left to right, so the first of two equally long blocks is kept.
        if cost < lowest or (
            cost == lowest
            and (length > best_length or (length == best_length and start == best_start and target < best_target))
        ):
            lowest = cost
            best_start, best_length, best_target, best_to = start, length, target, to
    return best_start, best_length, best_to
