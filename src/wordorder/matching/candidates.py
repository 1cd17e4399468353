"""Candidate matches of single words: equal words, and words related by stem, synonym or paraphrase."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wordorder.runtime.kernels import kernel

_MOST = 1 << 20  # candidates of one row; beyond, each word keeps those nearest to the diagonal
_NEAREST = 16


@kernel
def word_candidates(
    hyp_ids: NDArray[np.int32],
    hyp_offsets: NDArray[np.int64],
    ref_ids: NDArray[np.int32],
    ref_offsets: NDArray[np.int64],
    vocabulary_size: int,
    related_offsets: NDArray[np.int64],
    related: NDArray[np.int32],
    related_stage: NDArray[np.int8],
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.int8], NDArray[np.bool_]]:
    """Give the candidates of each row, sorted by hypothesis word, then reference word, and which rows have them all.

    ``related`` holds for each word of the vocabulary the other words it may match; it may be empty.
    """
    rows = len(hyp_offsets) - 1
    offsets = np.zeros(rows + 1, np.int64)
    whole = np.ones(rows, np.bool_)
    hyp = np.empty(len(hyp_ids) + 1024, np.int32)
    ref = np.empty(len(hyp_ids) + 1024, np.int32)
    stage = np.empty(len(hyp_ids) + 1024, np.int8)
    times = np.zeros(vocabulary_size, np.int32)  # how often each word stands in the reference
    first = np.zeros(vocabulary_size, np.int32)  # where its places begin in `at`
    some = len(related_offsets) > 1
    for row in range(rows):
        h = hyp_ids[hyp_offsets[row] : hyp_offsets[row + 1]]
        r = ref_ids[ref_offsets[row] : ref_offsets[row + 1]]
        at = _find_places(r, times, first)
        total = 0
        for i in range(len(h)):
            total += times[h[i]]
            if some:
                for k in range(related_offsets[h[i]], related_offsets[h[i] + 1]):
                    total += times[related[k]]
        reach = len(r)
        if total > _MOST:
            whole[row] = False
            reach = _NEAREST
            total = 0
            for i in range(len(h)):
                total += min(times[h[i]], 2 * reach)
                if some:
                    for k in range(related_offsets[h[i]], related_offsets[h[i] + 1]):
                        total += min(times[related[k]], 2 * reach)
        used = offsets[row]
        if used + total > len(hyp):
            room = 2 * (used + total)
            hyp = np.append(hyp[:used], np.empty(room - used, np.int32))
            ref = np.append(ref[:used], np.empty(room - used, np.int32))
            stage = np.append(stage[:used], np.empty(room - used, np.int8))
        for i in range(len(h)):
            begin = used
            diagonal = i * len(r) // len(h)
            used = _add(at, first[h[i]], times[h[i]], diagonal, reach, 0, ref, stage, used)
            if some:
                for k in range(related_offsets[h[i]], related_offsets[h[i] + 1]):
                    word = related[k]
                    used = _add(at, first[word], times[word], diagonal, reach, related_stage[k], ref, stage, used)
                _sort(ref, stage, begin, used)
            hyp[begin:used] = i
        offsets[row + 1] = used
        for j in range(len(r)):
            times[r[j]] = 0
    used = offsets[rows]
    return offsets, hyp[:used], ref[:used], stage[:used], whole


@kernel
def _find_places(r: NDArray[np.int32], times: NDArray[np.int32], first: NDArray[np.int32]) -> NDArray[np.int32]:
    """Give the places of the reference grouped by word: those of word w stand at first[w], times[w] of them."""
    for j in range(len(r)):
        times[r[j]] += 1
    begin = 0
    for j in range(len(r)):
        if times[r[j]] > 0:
            first[r[j]] = begin
            begin += times[r[j]]
            times[r[j]] = -times[r[j]]  # seen
    at = np.empty(len(r), np.int32)
    for j in range(len(r)):
        at[first[r[j]]] = j
        first[r[j]] += 1
    for j in range(len(r)):
        if times[r[j]] < 0:
            times[r[j]] = -times[r[j]]
            first[r[j]] -= times[r[j]]
    return at


@kernel
def _add(
    at: NDArray[np.int32],
    first: int,
    times: int,
    diagonal: int,
    reach: int,
    stage: int,
    ref: NDArray[np.int32],
    stages: NDArray[np.int8],
    used: int,
) -> int:
    low, high = first, first + times
    if times > 2 * reach:
        place = first + np.searchsorted(at[first : first + times], diagonal)
        low = min(max(low, place - reach), high - 2 * reach)
        high = low + 2 * reach
    for k in range(low, high):
        ref[used] = at[k]
        stages[used] = stage
        used += 1
    return used


@kernel
def _sort(ref: NDArray[np.int32], stage: NDArray[np.int8], begin: int, end: int) -> None:
    """Sort a few candidates by reference word; they are runs already in order."""
    for k in range(begin + 1, end):
        place, kind = ref[k], stage[k]
        t = k - 1
        while t >= begin and ref[t] > place:
            ref[t + 1], stage[t + 1] = ref[t], stage[t]
            t -= 1
        ref[t + 1], stage[t + 1] = place, kind
