"""Candidate matches of several words: paraphrases found in both sentences.

The phrases are in a trie over word numbers, its edges in a hash table, so both sentences are scanned once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.core.runtime.columns import Bools, Int64s, Ints
from wordorder.core.runtime.hashing import find_slot, hash_table
from wordorder.core.runtime.kernels import inner_kernel, kernel

_MOST = 1 << 20  # candidates of one row


@dataclass(frozen=True, eq=False)
class PhraseTable:
    """Phrases over a vocabulary and which of them paraphrase which.

    ``folded[w]`` is the number of word w in lower case. Edge ``keys[k]`` = state · words + word leads to
    ``states[k]``; ``accepts[state]`` is the phrase that ends there or −1; the paraphrases of phrase p are
    ``others[offsets[p]:offsets[p + 1]]``.
    """

    folded: Ints
    keys: Int64s
    states: Int64s
    accepts: Ints
    offsets: Int64s
    others: Ints

    @classmethod
    def build(cls, folded: Ints, one: tuple[Ints, Int64s], other: tuple[Ints, Int64s]) -> PhraseTable:
        """Build the trie of all phrases in two ragged columns; row i of one paraphrases row i of the other."""
        words = np.concatenate([one[0], other[0]])
        offsets = np.concatenate([one[1], one[1][-1] + other[1][1:]])
        keys, states, accepts, phrase = _build_trie(words, offsets, max(1, len(folded)))
        left, right = phrase[: len(one[1]) - 1], phrase[len(one[1]) - 1 :]
        count = max(1, int(phrase.max(initial=-1)) + 1)
        one_way, other_way = np.divmod(np.unique(np.concatenate([left * count + right, right * count + left])), count)
        starts = np.searchsorted(one_way, np.arange(count + 1)).astype(np.int64)
        return cls(folded, keys, states, accepts, starts, other_way.astype(np.int32))


@kernel
def _build_trie(words: Ints, offsets: Int64s, vocabulary_size: int) -> tuple[Int64s, Int64s, Ints, Int64s]:
    """Return the edges, what each state accepts, and the number of each row's phrase."""
    keys, states = hash_table(len(words))
    accepts = np.full(len(words) + 1, -1, dtype=np.int32)
    phrase = np.empty(len(offsets) - 1, dtype=np.int64)
    made, phrases = 1, 0
    for row in range(len(offsets) - 1):
        state = 0
        for k in range(offsets[row], offsets[row + 1]):
            key = state * vocabulary_size + words[k]
            slot = find_slot(keys, states, 0, key)
            if states[slot] < 0:
                keys[slot] = key
                states[slot] = made
                made += 1
            state = states[slot]
        if accepts[state] < 0:
            accepts[state] = phrases
            phrases += 1
        phrase[row] = accepts[state]
    return keys, states, accepts[:made], phrase


@inner_kernel
def _enlarge(rows: Int64s) -> Int64s:
    larger = np.empty((2 * len(rows), 4), dtype=np.int64)
    for row in range(len(rows)):
        for k in range(4):
            larger[row, k] = rows[row, k]
    return larger


@kernel
def phrase_candidates(
    hyp_ids: Ints,
    hyp_offsets: Int64s,
    ref_ids: Ints,
    ref_offsets: Int64s,
    folded: Ints,
    keys: Int64s,
    states: Int64s,
    accepts: Ints,
    offsets: Int64s,
    others: Ints,
) -> tuple[Int64s, Ints, Bools]:
    """Return the candidates of each row, and which rows have all of them.

    A candidate is (hypothesis start, end, reference start, end), counted within the row.
    """
    rows = len(hyp_offsets) - 1
    found_offsets = np.zeros(rows + 1, dtype=np.int64)
    whole = np.ones(rows, dtype=np.bool_)
    found = np.empty((1024, 4), dtype=np.int64)
    used = 0
    size = len(folded)
    latest = np.full(len(offsets) - 1, -1, dtype=np.int64)  # the last occurrence of each phrase in the reference
    seen = np.empty((1024, 4), dtype=np.int64)  # start, end, occurrence before it, phrase
    for row in range(rows):
        occurrences = 0
        for j in range(ref_offsets[row], ref_offsets[row + 1]):
            state = 0
            for k in range(j, ref_offsets[row + 1]):
                slot = find_slot(keys, states, 0, state * size + folded[ref_ids[k]])
                if states[slot] < 0:
                    break
                state = states[slot]
                phrase = accepts[state]
                if phrase >= 0:
                    if occurrences == len(seen):
                        seen = _enlarge(seen)
                    seen[occurrences, 0], seen[occurrences, 1] = j - ref_offsets[row], k + 1 - ref_offsets[row]
                    seen[occurrences, 2], seen[occurrences, 3] = latest[phrase], phrase
                    latest[phrase] = occurrences
                    occurrences += 1
        for i in range(hyp_offsets[row], hyp_offsets[row + 1]):
            state = 0
            for k in range(i, hyp_offsets[row + 1]):
                slot = find_slot(keys, states, 0, state * size + folded[hyp_ids[k]])
                if states[slot] < 0:
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
                        found[used, 0], found[used, 1] = i - hyp_offsets[row], k + 1 - hyp_offsets[row]
                        found[used, 2], found[used, 3] = seen[at, 0], seen[at, 1]
                        used += 1
                        at = seen[at, 2]
        for k in range(occurrences):
            latest[seen[k, 3]] = -1
        found_offsets[row + 1] = used
    return found_offsets, found[:used].astype(np.int32), whole
