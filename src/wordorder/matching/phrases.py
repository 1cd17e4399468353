"""Candidate matches of several words: paraphrases found in both sentences.

The phrases stand in a trie over word numbers, its edges in a hash table, so both sentences are scanned once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordorder.runtime.kernels import kernel

_MOST = 1 << 20  # candidates of one row
_EMPTY = -1


@dataclass(frozen=True, eq=False)
class PhraseTable:
    """Phrases over a vocabulary and which of them may stand for which.

    ``folded[w]`` is the number of word w in lower case. Edge ``keys[k]`` = state · words + word leads to
    ``states[k]``; ``accepts[state]`` is the phrase that ends there or −1; the others for phrase p stand at
    ``offsets[p]:offsets[p + 1]`` of ``others``.
    """

    folded: NDArray[np.int32]
    keys: NDArray[np.int64]
    states: NDArray[np.int32]
    accepts: NDArray[np.int32]
    offsets: NDArray[np.int64]
    others: NDArray[np.int32]

    @classmethod
    def build(
        cls,
        folded: NDArray[np.int32],
        one: tuple[NDArray[np.int32], NDArray[np.int64]],
        other: tuple[NDArray[np.int32], NDArray[np.int64]],
    ) -> PhraseTable:
        """Build the trie of all phrases in two ragged columns; row i of the one may stand for row i of the other."""
        words = np.concatenate([one[0], other[0]])
        offsets = np.concatenate([one[1], one[1][-1] + other[1][1:]])
        keys, states, accepts, phrase = _build_trie(words, offsets, max(1, len(folded)))
        left, right = phrase[: len(one[1]) - 1], phrase[len(one[1]) - 1 :]
        count = int(phrase.max(initial=-1)) + 1
        pairs = np.unique(
            np.concatenate([left * np.int64(max(1, count)) + right, right * np.int64(max(1, count)) + left])
        )
        sources = pairs // max(1, count)
        return cls(
            folded,
            keys,
            states,
            accepts,
            np.searchsorted(sources, np.arange(count + 1)).astype(np.int64),
            (pairs % max(1, count)).astype(np.int32),
        )


@kernel
def _slot(keys: NDArray[np.int64], key: int) -> np.int64:
    """Find a key in the table, or the empty place where it belongs."""
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    slot = np.int64((mixed >> np.uint64(17)) & np.uint64(len(keys) - 1))
    while keys[slot] != _EMPTY and keys[slot] != key:
        slot = (slot + 1) & (len(keys) - 1)
    return slot


@kernel
def _build_trie(
    words: NDArray[np.int32], offsets: NDArray[np.int64], vocabulary_size: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """Give the edges, what each state accepts, and the number of each row's phrase."""
    size = 16
    while size < 2 * len(words):
        size *= 2
    keys = np.full(size, _EMPTY, np.int64)
    states = np.zeros(size, np.int32)
    accepts = np.full(len(words) + 1, -1, np.int32)
    phrase = np.empty(len(offsets) - 1, np.int64)
    made, phrases = 1, 0
    for row in range(len(offsets) - 1):
        state = 0
        for k in range(offsets[row], offsets[row + 1]):
            key = state * vocabulary_size + words[k]
            slot = _slot(keys, key)
            if keys[slot] == _EMPTY:
                keys[slot] = key
                states[slot] = made
                made += 1
            state = states[slot]
        if accepts[state] < 0:
            accepts[state] = phrases
            phrases += 1
        phrase[row] = accepts[state]
    return keys, states, accepts[:made], phrase


@kernel
def _enlarge(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    larger = np.empty((2 * len(rows), 4), np.int64)
    for row in range(len(rows)):
        for k in range(4):
            larger[row, k] = rows[row, k]
    return larger


@kernel
def phrase_candidates(
    hyp_ids: NDArray[np.int32],
    hyp_offsets: NDArray[np.int64],
    ref_ids: NDArray[np.int32],
    ref_offsets: NDArray[np.int64],
    folded: NDArray[np.int32],
    keys: NDArray[np.int64],
    states: NDArray[np.int32],
    accepts: NDArray[np.int32],
    offsets: NDArray[np.int64],
    others: NDArray[np.int32],
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.bool_]]:
    """Give the candidates (hypothesis start, end, reference start, end: places in the columns of words).

    And which rows have them all.
    """
    rows = len(hyp_offsets) - 1
    found_offsets = np.zeros(rows + 1, np.int64)
    whole = np.ones(rows, np.bool_)
    found = np.empty((1024, 4), np.int64)
    used = 0
    size = len(folded)
    latest = np.full(len(offsets) - 1, -1, np.int64)  # the last occurrence of each phrase in the reference
    seen = np.empty((1024, 4), np.int64)  # start, end, occurrence before it, phrase
    for row in range(rows):
        occurrences = 0
        for j in range(ref_offsets[row], ref_offsets[row + 1]):
            state = 0
            for k in range(j, ref_offsets[row + 1]):
                slot = _slot(keys, state * size + folded[ref_ids[k]])
                if keys[slot] == _EMPTY:
                    break
                state = states[slot]
                phrase = accepts[state]
                if phrase >= 0:
                    if occurrences == len(seen):
                        seen = _enlarge(seen)
                    seen[occurrences, 0], seen[occurrences, 1] = j, k + 1
                    seen[occurrences, 2], seen[occurrences, 3] = latest[phrase], phrase
                    latest[phrase] = occurrences
                    occurrences += 1
        for i in range(hyp_offsets[row], hyp_offsets[row + 1]):
            state = 0
            for k in range(i, hyp_offsets[row + 1]):
                slot = _slot(keys, state * size + folded[hyp_ids[k]])
                if keys[slot] == _EMPTY:
                    break
                state = states[slot]
                phrase = accepts[state]
                if phrase < 0:
                    continue
                for o in range(offsets[phrase], offsets[phrase + 1]):
                    at = latest[others[o]]
                    while at >= 0:
                        if used - found_offsets[row] == _MOST:
                            whole[row] = False
                            break
                        if used == len(found):
                            found = _enlarge(found)
                        found[used, 0], found[used, 1] = i, k + 1
                        found[used, 2], found[used, 3] = seen[at, 0], seen[at, 1]
                        used += 1
                        at = seen[at, 2]
        for k in range(occurrences):
            latest[seen[k, 3]] = -1
        found_offsets[row + 1] = used
    return found_offsets, found[:used].astype(np.int32), whole
