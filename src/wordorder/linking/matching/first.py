"""Talbot's matching rule: each hypothesis word takes the first unmatched occurrence of the same reference word."""

from __future__ import annotations

import numpy as np

from wordorder.core.runtime.columns import Int64s, Ints
from wordorder.core.runtime.kernels import kernel
from wordorder.core.text import Tokens
from wordorder.linking.matching.matches import Matches, check_columns


def match_first(hypothesis: Tokens, reference: Tokens) -> Matches:
    """Match equal words from left to right, as the fuzzy reordering score does for text (Talbot et al. 2011).

    >>> from wordorder.core.text import encode
    >>> matches = match_first(*encode(["a b a a"], ["b a c a"]))
    >>> matches.hypothesis.tolist(), matches.reference.tolist()
    ([0, 1, 2], [1, 0, 3])
    """
    check_columns(hypothesis, reference)
    size = len(hypothesis.vocabulary)
    offsets, hyp, ref = _match(hypothesis.ids, hypothesis.offsets, reference.ids, reference.offsets, size)
    ones = np.ones(len(hyp), dtype=np.int32)
    stage = np.zeros(len(hyp), dtype=np.int8)
    return Matches(hyp, ones, ref, ones, stage, offsets, np.ones(len(hypothesis), dtype=np.bool_))


@kernel
def _match(
    hyp_ids: Ints, hyp_offsets: Int64s, ref_ids: Ints, ref_offsets: Int64s, vocabulary_size: int
) -> tuple[Int64s, Ints, Ints]:
    rows = len(hyp_offsets) - 1
    offsets = np.zeros(rows + 1, dtype=np.int64)
    hyp = np.empty(len(hyp_ids), dtype=np.int32)
    ref = np.empty(len(hyp_ids), dtype=np.int32)
    # The first unmatched occurrence of each word in the reference.
    first = np.full(vocabulary_size, -1, dtype=np.int64)
    later = np.empty(len(ref_ids), dtype=np.int64)  # the next occurrence of the same word
    used = 0
    for row in range(rows):
        for j in range(ref_offsets[row + 1] - 1, ref_offsets[row] - 1, -1):
            later[j] = first[ref_ids[j]]
            first[ref_ids[j]] = j
        for i in range(hyp_offsets[row], hyp_offsets[row + 1]):
            j = first[hyp_ids[i]]
            if j >= 0:
                first[hyp_ids[i]] = later[j]
                hyp[used] = i - hyp_offsets[row]
                ref[used] = j - ref_offsets[row]
                used += 1
        for j in range(ref_offsets[row], ref_offsets[row + 1]):
            first[ref_ids[j]] = -1
        offsets[row + 1] = used
    return offsets, hyp[:used], ref[:used]
