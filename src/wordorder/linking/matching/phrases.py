"""Candidate matches between a phrase in the hypothesis and a paraphrase of it in the reference.

The phrases form a trie over integer word IDs. Its edges are stored in a hash table, so each sentence is scanned only
once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wordorder.core.runtime.columns import Bools, Int64s, Ints
from wordorder.core.runtime.hashing import find_slot, hash_table
from wordorder.core.runtime.kernels import inner_kernel, kernel

_MOST = 1 << 20  # limit on the candidates of a row


class PhraseTable(NamedTuple):
    """A trie of phrases, with the paraphrases of each phrase.

    ``folded[w]`` is the ID of word w in lower case. The edge with the key ``keys[k]`` = state · (number of words) +
    word leads to state ``states[k]``. ``accepts[state]`` is the phrase that ends in a state, or −1 if none does. The
    paraphrases of phrase p are ``others[offsets[p]:offsets[p + 1]]``.
    """

    folded: Ints
    keys: Int64s
    states: Int64s
    accepts: Ints
    offsets: Int64s
    others: Ints

    @classmethod
    def build(cls, folded: Ints, one: tuple[Ints, Int64s], other: tuple[Ints, Int64s]) -> PhraseTable:
        """Build the table from two ragged columns; row i of one column is a paraphrase of row i of the other."""
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
    """Build a trie of phrases, which are the rows of a ragged column.

    Return the keys and target states of the edges, the phrase that ends in each state, and the phrase of each row.
    """
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
def _find_phrases(words: Ints, table: PhraseTable, found: Int64s) -> tuple[int, Int64s]:
    """Write the start, end and phrase number of each known phrase in a sentence to ``found``.

    Return the number of phrases found and the array ``found``, which is enlarged if necessary.
    """
    count = 0
    for start in range(len(words)):
        state = np.int64(0)
        for k in range(start, len(words)):
            slot = find_slot(table.keys, table.states, 0, state * len(table.folded) + table.folded[words[k]])
            if table.states[slot] < 0:
                break
            state = table.states[slot]
            if table.accepts[state] >= 0:
                if count == len(found):
                    found = np.concatenate((found, np.empty_like(found)))
                found[count, 0], found[count, 1], found[count, 2] = start, k + 1, table.accepts[state]
                count += 1
    return count, found


@kernel
def phrase_candidates(
    hyp_ids: Ints, hyp_offsets: Int64s, ref_ids: Ints, ref_offsets: Int64s, table: PhraseTable
) -> tuple[Int64s, Ints, Bools]:
    """Return the candidate matches of each row, and whether the list of candidates of each row is complete.

    The result consists of the row offsets, the candidates and a Boolean for each row (true if its list is complete).
    A candidate is (hypothesis start, end, reference start, end), with positions counted from the start of the row.
    """
    rows = len(hyp_offsets) - 1
    offsets = np.zeros(rows + 1, dtype=np.int64)
    whole = np.ones(rows, dtype=np.bool_)
    candidates = np.empty((1024, 4), dtype=np.int64)
    used = 0
    # The last occurrence of each phrase in the reference.
    latest = np.full(len(table.offsets) - 1, -1, dtype=np.int64)
    in_hypothesis, in_reference = np.empty((1024, 3), dtype=np.int64), np.empty((1024, 3), dtype=np.int64)
    for row in range(rows):
        hyp_words = hyp_ids[hyp_offsets[row] : hyp_offsets[row + 1]]
        hyp_count, in_hypothesis = _find_phrases(hyp_words, table, in_hypothesis)
        ref_count, in_reference = _find_phrases(ref_ids[ref_offsets[row] : ref_offsets[row + 1]], table, in_reference)
        before = np.empty(ref_count, dtype=np.int64)  # the previous occurrence of the same phrase
        for at in range(ref_count):
            before[at], latest[in_reference[at, 2]] = latest[in_reference[at, 2]], at
        for place in range(hyp_count):
            phrase = in_hypothesis[place, 2]
            for other in range(table.offsets[phrase], table.offsets[phrase + 1]):
                at = latest[table.others[other]]
                while at >= 0:
                    if used - offsets[row] == _MOST:
                        whole[row] = False
                        break
                    if used == len(candidates):
                        candidates = np.concatenate((candidates, np.empty_like(candidates)))
                    candidates[used, :2], candidates[used, 2:] = in_hypothesis[place, :2], in_reference[at, :2]
                    used += 1
                    at = before[at]
        for at in range(ref_count):
            latest[in_reference[at, 2]] = -1
        offsets[row + 1] = used
    return offsets, candidates[:used].astype(np.int32), whole
