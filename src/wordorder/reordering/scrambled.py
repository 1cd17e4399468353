"""How scrambled the reference is in source order, by BLEU (Al-Onaizan & Papineni 2006).

The reference words are put into the order of the source words they are aligned to, and BLEU compares the result
with the reference itself: 1 is a monotone language pair. A projection policy, with the sides swapped, says what
unaligned reference words do. A sentence without links has no source order and is left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordorder.orders import DEFAULT_POLICY, Alignments, place
from wordorder.runtime.errors import InputError
from wordorder.runtime.kernels import kernel
from wordorder.text import Tokens

COUNTS = 10
"""Columns of the BLEU statistics: matching 1- to 4-grams, all 1- to 4-grams, hypothesis and reference length."""


def in_source_order(references: Tokens, alignments: Alignments, *, policy: str = DEFAULT_POLICY) -> Tokens:
    """Put the words of each reference into the order of the source; a sentence without links becomes empty.

    >>> from wordorder.orders import Alignment
    >>> from wordorder.text import encode
    >>> pair = Alignment(((0, 1), (1, 0)), 2, 2).column()
    >>> in_source_order(encode(["green witch"])[0], pair).words(0)
    ['witch', 'green']
    """
    if len(references) != len(alignments):
        raise InputError(f"{len(references)} references but {len(alignments)} alignments")
    lengths = references.lengths.astype(np.int32)
    places = place(alignments.with_lengths(target=lengths).transpose(), policy=policy)
    orders = places.against_source()
    kept = references.ids[places.places >= 0]
    starts = np.repeat(orders.offsets[:-1], orders.lengths)
    return Tokens(kept[starts + orders.ranks], orders.offsets, references.vocabulary)


def bleu_counts(hypotheses: Tokens, references: Tokens) -> NDArray[np.int64]:
    """Count what BLEU needs for each sentence, the same counts as sacreBLEU's; see ``COUNTS``.

    The columns share a vocabulary. An empty hypothesis gives zeros throughout, so that it is left out of the sum.
    """
    return _bleu_counts(hypotheses.ids, hypotheses.offsets, references.ids, references.offsets)


def bleu(counts: NDArray[np.int64]) -> float:
    """Give the BLEU, 0 to 1 and unsmoothed, of summed counts; NaN where nothing was counted."""
    if not counts[8]:
        return float("nan")
    from sacrebleu.metrics.bleu import BLEU

    score: Any = BLEU.compute_bleu(
        correct=counts[:4].tolist(),
        total=counts[4:8].tolist(),
        sys_len=int(counts[8]),
        ref_len=int(counts[9]),
        smooth_method="none",
    )
    return float(score.score) / 100


@kernel
def _bleu_counts(
    hypothesis: NDArray[np.int32],
    hypothesis_offsets: NDArray[np.int64],
    reference: NDArray[np.int32],
    reference_offsets: NDArray[np.int64],
) -> NDArray[np.int64]:
    rows = len(reference_offsets) - 1
    longest = 0
    for row in range(rows):
        longest = max(longest, reference_offsets[row + 1] - reference_offsets[row])
        longest = max(longest, hypothesis_offsets[row + 1] - hypothesis_offsets[row])
    # An n-gram is a number: that of its first n - 1 words and its last word in one key. Numbers are ranks among
    # the n-grams of the reference; -1 is an n-gram the reference does not have.
    mine = np.empty(longest, dtype=np.int64)
    theirs = np.empty(longest, dtype=np.int64)
    keys = np.empty(longest, dtype=np.int64)
    left = np.empty(longest, dtype=np.int64)
    counts = np.zeros((rows, 10), dtype=np.int64)
    for row in range(rows):
        start, their_start = hypothesis_offsets[row], reference_offsets[row]
        length, their_length = hypothesis_offsets[row + 1] - start, reference_offsets[row + 1] - their_start
        if length == 0:
            continue
        counts[row, 8], counts[row, 9] = length, their_length
        mine[:length] = 0
        theirs[:their_length] = 0
        for order in range(4):
            grams, their_grams = max(length - order, 0), max(their_length - order, 0)
            counts[row, 4 + order] = grams
            for i in range(their_grams):
                theirs[i] = (theirs[i] << 32) | reference[their_start + i + order]
            keys[:their_grams] = theirs[:their_grams]
            keys[:their_grams].sort()
            kinds = 0
            for i in range(their_grams):
                if kinds and keys[kinds - 1] == keys[i]:
                    left[kinds - 1] += 1
                else:
                    keys[kinds] = keys[i]
                    left[kinds] = 1
                    kinds += 1
            for i in range(their_grams):
                theirs[i] = np.searchsorted(keys[:kinds], theirs[i])
            for i in range(grams):
                if mine[i] < 0:
                    continue
                key = (mine[i] << 32) | hypothesis[start + i + order]
                kind = np.searchsorted(keys[:kinds], key)
                if kind == kinds or keys[kind] != key:
                    mine[i] = -1
                    continue
                mine[i] = kind
                if left[kind]:
                    left[kind] -= 1
                    counts[row, order] += 1
    return counts
