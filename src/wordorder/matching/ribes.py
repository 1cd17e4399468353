"""RIBES's own rule for matching words: unique contexts (Isozaki et al. 2010, as their released script does it).

A hypothesis word that occurs once on both sides is matched with its like. Any other word is looked up with growing
context: its n-gram to the left, then to the right, then a longer one to the left, …; the first that occurs exactly
once in the hypothesis and once in the reference decides. Two hypothesis words may get the same reference word.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordorder.matching.matcher import check_columns
from wordorder.runtime.kernels import kernel
from wordorder.runtime.ragged import frozen
from wordorder.text import Tokens


@dataclass(frozen=True, eq=False)
class ContextMatches:
    """For each row, the reference places of the matched hypothesis words, in the order of the hypothesis."""

    places: NDArray[np.int32]
    offsets: NDArray[np.int64]

    def __post_init__(self) -> None:
        frozen(self.places)
        frozen(self.offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1


def match_contexts(hypothesis: Tokens, reference: Tokens) -> ContextMatches:
    """Match words by unique context; the second "the" is found by what stands before it.

    >>> from wordorder.text import encode
    >>> match_contexts(*encode(["the cat saw the dog"], ["the dog saw the cat"])).places.tolist()
    [3, 4, 2, 3, 1]
    """
    check_columns(hypothesis, reference)
    return ContextMatches(*_match(hypothesis.ids, hypothesis.offsets, reference.ids, reference.offsets))


@kernel
def _match(
    hyp_ids: NDArray[np.int32],
    hyp_offsets: NDArray[np.int64],
    ref_ids: NDArray[np.int32],
    ref_offsets: NDArray[np.int64],
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    rows = len(hyp_offsets) - 1
    longest = 1
    for row in range(rows):
        longest = max(longest, hyp_offsets[row + 1] - hyp_offsets[row], ref_offsets[row + 1] - ref_offsets[row])
    # Where the n-gram around the present word still occurs: left or right context, in hypothesis or reference.
    alive = np.empty((4, longest), dtype=np.int32)
    places = np.empty(len(hyp_ids), dtype=np.int32)
    offsets = np.zeros(rows + 1, dtype=np.int64)
    filled = 0
    for row in range(rows):
        hyp = hyp_ids[hyp_offsets[row] : hyp_offsets[row + 1]]
        ref = ref_ids[ref_offsets[row] : ref_offsets[row + 1]]
        for i in range(len(hyp)):
            found = _find(hyp, ref, i, alive)
            if found >= 0:
                places[filled] = found
                filled += 1
        offsets[row + 1] = filled
    return places[:filled].copy(), offsets


@kernel
def _find(hyp: NDArray[np.int32], ref: NDArray[np.int32], i: int, alive: NDArray[np.int32]) -> int:
    """Give the reference place of hypothesis word ``i``, or −1."""
    in_ref = _occurrences(ref, hyp[i], alive[0])
    if in_ref == 0:
        return -1
    in_hyp = _occurrences(hyp, hyp[i], alive[1])
    if in_ref == 1 and in_hyp == 1:
        return int(alive[0, 0])
    alive[2, :in_ref] = alive[0, :in_ref]
    alive[3, :in_hyp] = alive[1, :in_hyp]
    left_ref, left_hyp, right_ref, right_hyp = in_ref, in_hyp, in_ref, in_hyp
    for window in range(1, max(i + 1, len(hyp) - i)):
        if window <= i and left_ref:
            left_ref = _extend(ref, hyp[i - window], -window, alive[0], left_ref)
            left_hyp = _extend(hyp, hyp[i - window], -window, alive[1], left_hyp)
            if left_ref == 1 and left_hyp == 1:
                return int(alive[0, 0])
        if i + window < len(hyp) and right_ref:
            right_ref = _extend(ref, hyp[i + window], window, alive[2], right_ref)
            right_hyp = _extend(hyp, hyp[i + window], window, alive[3], right_hyp)
            if right_ref == 1 and right_hyp == 1:
                return int(alive[2, 0])
        if (window >= i or left_ref == 0) and (i + window >= len(hyp) - 1 or right_ref == 0):
            break
    return -1


@kernel
def _occurrences(words: NDArray[np.int32], word: int, alive: NDArray[np.int32]) -> int:
    count = 0
    for place in range(len(words)):
        if words[place] == word:
            alive[count] = place
            count += 1
    return count


@kernel
def _extend(words: NDArray[np.int32], word: int, shift: int, alive: NDArray[np.int32], count: int) -> int:
    """Keep the places that have ``word`` at distance ``shift``."""
    kept = 0
    for k in range(count):
        place = alive[k] + shift
        if 0 <= place < len(words) and words[place] == word:
            alive[kept] = alive[k]
            kept += 1
    return kept
