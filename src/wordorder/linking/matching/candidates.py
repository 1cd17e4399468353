"""Candidate matches between single words that are equal or related by stem, synonym or paraphrase."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.columns import Bools, Int64s, Ints
from wordorder.core.runtime.kernels import inner_kernel, kernel

_MOST = 1 << 20  # limit on the candidates of a row; above it, each word keeps those nearest to the diagonal
_NEAREST = 16
_SMALL = 4096


@kernel
def word_candidates(
    hyp_ids: Ints,
    hyp_offsets: Int64s,
    ref_ids: Ints,
    ref_offsets: Int64s,
    vocabulary_size: int,
    related_offsets: Int64s,
    related: Ints,
    related_stage: NDArray[np.int8],
) -> tuple[Int64s, Ints, NDArray[np.int8], Bools]:
    """Return the candidate matches of each row, and whether each row has all its candidates or only the nearest.

    The result consists of the row offsets, the candidates, the matching stage of each candidate, and a Boolean for
    each row (true if it has all its candidates). The candidates of a row are ordered by hypothesis word, then by
    reference word. A candidate is (hypothesis start, end, reference start, end), with positions counted from the
    start of the row. ``related`` lists, for each word of the vocabulary, the other words that it may match; it may be
    empty.
    """
    rows = len(hyp_offsets) - 1
    offsets = np.zeros(rows + 1, dtype=np.int64)
    whole = np.zeros(rows, dtype=np.bool_)
    pairs = np.empty((2 * len(hyp_ids) + 1024, 4), dtype=np.int32)
    stages = np.empty(len(pairs), dtype=np.int8)
    times = np.zeros(vocabulary_size, dtype=np.int32)  # how often each word occurs in the reference
    first = np.zeros(vocabulary_size, dtype=np.int32)  # where the positions of each word begin in `at`
    for row in range(rows):
        h = hyp_ids[hyp_offsets[row] : hyp_offsets[row + 1]]
        r = ref_ids[ref_offsets[row] : ref_offsets[row + 1]]
        at = _find_places(r, times, first)
        reach = len(r)
        whole[row] = True
        room = len(h) * len(r)
        if room > _SMALL:
            room = _count(h, times, reach, related_offsets, related)
            if room > _MOST:
                whole[row] = False
                reach = _NEAREST
                room = _count(h, times, reach, related_offsets, related)
        used = offsets[row]
        if used + room > len(pairs):
            pairs = np.concatenate((pairs[:used], np.empty((used + 2 * room, 4), dtype=np.int32)))
            stages = np.concatenate((stages[:used], np.empty(used + 2 * room, dtype=np.int8)))
        for i in range(len(h)):
            begin = used
            diagonal = i * len(r) // len(h)
            used = _add(at, first[h[i]], times[h[i]], diagonal, reach, 0, pairs, stages, used)
            if len(related):
                for k in range(related_offsets[h[i]], related_offsets[h[i] + 1]):
                    if times[related[k]]:
                        word, stage = related[k], int(related_stage[k])
                        used = _add(at, first[word], times[word], diagonal, reach, stage, pairs, stages, used)
                _sort(pairs, stages, begin, used)
            for c in range(begin, used):
                pairs[c, 0], pairs[c, 1], pairs[c, 3] = i, i + 1, pairs[c, 2] + 1
        offsets[row + 1] = used
        for j in range(len(r)):
            times[r[j]] = 0
    return offsets, pairs, stages, whole


@inner_kernel
def _find_places(r: Ints, times: Ints, first: Ints) -> Ints:
    """Return the reference positions grouped by word; those of word w begin at ``first[w]``."""
    for j in range(len(r)):
        times[r[j]] += 1
    begin = 0
    for j in range(len(r)):
        if times[r[j]] > 0:
            first[r[j]] = begin
            begin += times[r[j]]
            times[r[j]] = -times[r[j]]  # a negative count marks a word as seen
    at = np.empty(len(r), dtype=np.int32)
    for j in range(len(r)):
        at[first[r[j]]] = j
        first[r[j]] += 1
    for j in range(len(r)):
        if times[r[j]] < 0:
            times[r[j]] = -times[r[j]]
            first[r[j]] -= times[r[j]]
    return at


@inner_kernel
def _count(h: Ints, times: Ints, reach: int, related_offsets: Int64s, related: Ints) -> int:
    total = 0
    for i in range(len(h)):
        total += min(times[h[i]], 2 * reach)
        if len(related):
            for k in range(related_offsets[h[i]], related_offsets[h[i] + 1]):
                total += min(times[related[k]], 2 * reach)
    return total


@inner_kernel
def _add(
    at: Ints,
    first: int,
    times: int,
    diagonal: int,
    reach: int,
    stage: int,
    pairs: Ints,
    stages: NDArray[np.int8],
    used: int,
) -> int:
    """Add a candidate for each occurrence of a word in the reference; return the new number of candidates.

    At most ``reach`` occurrences on either side of the diagonal are used.
    """
    low, high = first, first + times
    if times > 2 * reach:
        while low < high:  # find the first position that is not before the diagonal
            middle = (low + high) // 2
            if at[middle] < diagonal:
                low = middle + 1
            else:
                high = middle
        low = min(max(low - reach, first), first + times - 2 * reach)
        high = low + 2 * reach
    for k in range(low, high):
        pairs[used, 2] = at[k]
        stages[used] = stage
        used += 1
    return used


@inner_kernel
def _sort(pairs: Ints, stages: NDArray[np.int8], begin: int, end: int) -> None:
    """Sort a few candidates by reference word; the list consists of runs that are already sorted."""
    for k in range(begin + 1, end):
        place, stage = pairs[k, 2], stages[k]
        t = k - 1
        while t >= begin and pairs[t, 2] > place:
            pairs[t + 1, 2], stages[t + 1] = pairs[t, 2], stages[t]
            t -= 1
        pairs[t + 1, 2], stages[t + 1] = place, stage
