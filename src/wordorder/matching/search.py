"""The search for the best matching in a region, from left to right over the hypothesis.

A state is the set of used reference words that may still be wanted, and the end of the match that the next word could
continue; of equal states the better one is kept. A state that cannot get over the score already reached is dropped.
With all others kept the search is exact. Where they get too many only the most promising are kept: a beam.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wordorder.runtime.kernels import kernel

STATES = 4096
"""States kept at most for one hypothesis word."""

EXACT, WIDEN, LIMIT = 0, 1, 2  # all states kept; some dropped, a wider beam may help; none wider is to be had

# As in the reduction; a kernel takes no constants from another file, whose changes its cache would not notice.
_HYP, _HYP_END, _REF, _REF_END = 0, 1, 2, 3
_OPEN = 1
_FROM, _TO, _BEHIND = 0, 1, 2
# The columns of a state. END is where the last match ends in the reference if the next word may continue it, else −1;
# BUSY where it ends in the hypothesis; HOPE what it can reach at most; PAID the tolls; PARENT a place in the trail.
_END, _BUSY, _SCORE, _HOPE, _PAID, _PARENT, _CHOICE = 0, 1, 2, 3, 4, 5, 6
_COLUMNS = 7

_EFFORT = 1 << 22  # candidates tried per row, times words of a set: very long sentences get a narrower beam
_TRAIL = 1 << 20  # states remembered for reading the best path back
_NEVER = 1 << 62


@kernel
def search(
    which: NDArray[np.int64],
    width: int,
    region_offsets: NDArray[np.int64],
    places: NDArray[np.int64],
    links: NDArray[np.int64],
    pairs: NDArray[np.int32],
    gain: NDArray[np.int64],
    following: NDArray[np.int64],
    status: NDArray[np.uint8],
    toll: NDArray[np.int64],
    handed_back: NDArray[np.int64],
    behind: NDArray[np.int64],
    leave: NDArray[np.int64],
    sharing: NDArray[np.int64],
    scores: NDArray[np.int64],
    choice: NDArray[np.int64],
) -> NDArray[np.uint8]:
    """Search some regions with at most ``width`` states for more than their ``scores``; update these and ``choice``.

    ``toll``, what is ``handed_back`` of it, ``behind`` and ``leave`` are the bounds; ``sharing`` is how many regions
    of its row are searched. Tells of each region how the search went: ``EXACT``, ``WIDEN`` or ``LIMIT``.
    """
    outcome = np.empty(len(which), np.uint8)
    masks = np.empty((2, 2 * width), np.uint64)
    states = np.empty((2, 2 * width, _COLUMNS), np.int64)
    size = 1
    while size < 4 * width:
        size *= 2
    table = np.zeros((size, 2), np.int64)
    clock = np.zeros(1, np.int64)  # entries of the table with another time are empty
    bit = np.empty(len(toll), np.int32)
    first = np.full(len(toll), -1, np.int32)
    final = np.empty(len(toll), np.int32)
    trail = np.empty((1024, 2), np.int64)
    for k in range(len(which)):
        region = which[k]
        a, b = region_offsets[region], region_offsets[region + 1]
        bits, candidates = _assign_bits(places[a:b], pairs, status, bit, first, final)
        words = max(1, (bits + 63) // 64)
        room = max(1, min(width, _EFFORT // (candidates * words * sharing[region]), _TRAIL // (b - a)))
        if masks.shape[1] < 2 * room * words:
            masks = np.empty((2, 2 * room * words), np.uint64)
        if len(trail) < room * (b - a):
            trail = np.empty((room * (b - a), 2), np.int64)
        whole, scores[region] = _sweep(
            places[a:b], links[region], pairs, gain, following, status, toll, handed_back[region], behind,
            leave[a + region : b + region + 1], bit, final, words, room, scores[region], choice[a:b],
            masks, states, table, clock, trail,
        )  # fmt: skip
        outcome[k] = EXACT if whole else (WIDEN if room == width else LIMIT)
    return outcome


@kernel
def _assign_bits(
    places: NDArray[np.int64],
    pairs: NDArray[np.int32],
    status: NDArray[np.uint8],
    bit: NDArray[np.int32],
    first: NDArray[np.int32],
    final: NDArray[np.int32],
) -> tuple[int, int]:
    """Assign each contested reference word a bit for as long as it is contested; bits are used again.

    Fills in the bit of each word of the region (−1: it needs none) and the final step that wants it; ``first`` is −1
    before and after. Gives the number of bits and of candidates.
    """
    candidates = 0
    for step in range(len(places)):
        for c in range(places[step, _FROM], places[step, _TO]):
            if status[c] == _OPEN:
                candidates += 1
                for j in range(pairs[c, _REF], pairs[c, _REF_END]):
                    if first[j] < 0:
                        first[j] = step
                    bit[j], final[j] = -1, step
    free = np.empty(16, np.int32)
    free_count = bits = 0
    for step in range(len(places)):
        for c in range(places[step, _FROM], places[step, _TO]):
            if status[c] == _OPEN:
                for j in range(pairs[c, _REF], pairs[c, _REF_END]):
                    if first[j] == step and final[j] > step and bit[j] < 0:
                        if free_count:
                            free_count -= 1
                            bit[j] = free[free_count]
                        else:
                            bit[j] = bits
                            bits += 1
        for c in range(places[step, _FROM], places[step, _TO]):
            if status[c] == _OPEN:
                for j in range(pairs[c, _REF], pairs[c, _REF_END]):
                    if final[j] == step and first[j] >= 0:
                        first[j] = -1
                        if bit[j] >= 0:
                            if free_count == len(free):
                                longer = np.empty(2 * free_count, np.int32)
                                for k in range(free_count):
                                    longer[k] = free[k]
                                free = longer
                            free[free_count] = bit[j]
                            free_count += 1
    return bits, candidates


@kernel
def _sweep(
    places: NDArray[np.int64],
    link: int,
    pairs: NDArray[np.int32],
    gain: NDArray[np.int64],
    following: NDArray[np.int64],
    status: NDArray[np.uint8],
    toll: NDArray[np.int64],
    handed_back: int,
    behind: NDArray[np.int64],
    leave: NDArray[np.int64],
    bit: NDArray[np.int32],
    final: NDArray[np.int32],
    words: int,
    width: int,
    bar: int,
    choice: NDArray[np.int64],
    masks: NDArray[np.uint64],
    states: NDArray[np.int64],
    table: NDArray[np.int64],
    clock: NDArray[np.int64],
    trail: NDArray[np.int64],
) -> tuple[bool, int]:
    """Go over a region once; tell whether no promising state was dropped, and the score reached.

    If some way gets over the bar, ``choice`` holds it afterwards.
    """
    whole = True
    wanted = np.empty(words, np.uint64)
    now, count, used = 0, 1, 0
    for k in range(words):
        masks[now, k] = 0
    for k in range(_COLUMNS):
        states[now, 0, k] = 0
    states[now, 0, _END] = states[now, 0, _BUSY] = states[now, 0, _PARENT] = -1
    for step in range(len(places)):
        low, high = places[step, _FROM], places[step, _TO]
        i = pairs[low, _HYP]
        next_i = pairs[places[step + 1, _FROM], _HYP] if step + 1 < len(places) else _NEVER
        clock[0] += 1
        for k in range(words):
            wanted[k] = ~np.uint64(0)
        for c in range(low, high):
            if status[c] == _OPEN:
                for j in range(pairs[c, _REF], pairs[c, _REF_END]):
                    if final[j] == step and bit[j] >= 0:
                        wanted[bit[j] // 64] &= ~(np.uint64(1) << np.uint64(bit[j] % 64))
        old, new = states[now], states[1 - now]
        old_masks, new_masks = masks[now], masks[1 - now]
        made = 0
        for s in range(count):
            busy = old[s, _BUSY] > i
            available = 0
            for c in range(low, high + 1):
                chosen = c < high  # the last turn leaves this word alone
                score, paid = old[s, _SCORE], old[s, _PAID]
                if chosen:
                    if busy or status[c] != _OPEN or _is_used(old_masks, s * words, bit, pairs[c]):
                        continue
                    available += 1
                    score += gain[c] + link * int(old[s, _END] == pairs[c, _REF])
                    for j in range(pairs[c, _REF], pairs[c, _REF_END]):
                        paid += toll[j]
                    hope = score - paid + handed_back + behind[c]
                elif busy:
                    hope = old[s, _HOPE]
                else:
                    if 0 <= places[step, _BEHIND] < available:
                        continue  # the words behind could not take all that is free: a match would be lost
                    hope = score - paid + handed_back + leave[step + 1]
                if hope <= bar:
                    continue
                if made == 2 * width:
                    _keep_best(new_masks, new, table, clock, words, made, width)
                    made = width
                    whole = False
                draft = new[made]
                draft[_SCORE], draft[_HOPE], draft[_PAID], draft[_PARENT] = score, hope, paid, used - count + s
                draft[_END], draft[_BUSY], draft[_CHOICE] = old[s, _END], old[s, _BUSY], -1
                for k in range(words):
                    new_masks[made * words + k] = old_masks[s * words + k]
                if chosen:
                    draft[_END], draft[_BUSY], draft[_CHOICE] = pairs[c, _REF_END], pairs[c, _HYP_END], c
                    for j in range(pairs[c, _REF], pairs[c, _REF_END]):
                        if bit[j] >= 0:
                            new_masks[made * words + bit[j] // 64] |= np.uint64(1) << np.uint64(bit[j] % 64)
                for k in range(words):
                    new_masks[made * words + k] &= wanted[k]
                if draft[_BUSY] < next_i or (chosen and draft[_BUSY] == next_i and following[c] < 0):
                    draft[_END] = draft[_BUSY] = -1  # nothing can continue this match
                there = _enter(new_masks, new, table, clock, words, made)
                if there == made:
                    made += 1
                elif score > new[there, _SCORE]:
                    for k in range(_COLUMNS):
                        new[there, k] = draft[k]
        if made > width:
            _keep_best(new_masks, new, table, clock, words, made, width)
            made = width
            whole = False
        for s in range(made):
            trail[used + s, 0], trail[used + s, 1] = new[s, _PARENT], new[s, _CHOICE]
        now, count, used = 1 - now, made, used + made
    top = -1
    for s in range(count):
        if states[now, s, _SCORE] > bar:
            bar = states[now, s, _SCORE]
            top = used - count + s
    if top >= 0:
        for step in range(len(places) - 1, -1, -1):
            choice[step] = trail[top, 1]
            top = trail[top, 0]
    return whole, bar


@kernel
def _is_used(masks: NDArray[np.uint64], at: int, bit: NDArray[np.int32], pair: NDArray[np.int32]) -> bool:
    """Whether a reference word of a candidate is in the set that starts at ``at``."""
    for j in range(pair[_REF], pair[_REF_END]):
        if bit[j] >= 0 and (masks[at + bit[j] // 64] >> np.uint64(bit[j] % 64)) & np.uint64(1):
            return True
    return False


@kernel
def _enter(
    masks: NDArray[np.uint64],
    states: NDArray[np.int64],
    table: NDArray[np.int64],
    clock: NDArray[np.int64],
    words: int,
    at: int,
) -> int:
    """Find the state equal to the one drafted at ``at``, or enter that one into the hash table; give its place."""
    # A table of its own, not runtime.hashing: a state is a key of any number of words, compared where it stands.
    code = np.uint64(states[at, _END] * 1000003 + states[at, _BUSY])
    for k in range(words):
        code = (code ^ masks[at * words + k]) * np.uint64(0x9E3779B97F4A7C15)
        code ^= code >> np.uint64(29)
    slot = np.int64(code & np.uint64(len(table) - 1))
    while table[slot, 0] == clock[0]:
        there = table[slot, 1]
        same = states[there, _END] == states[at, _END] and states[there, _BUSY] == states[at, _BUSY]
        for k in range(words):
            same &= masks[there * words + k] == masks[at * words + k]
        if same:
            return int(there)
        slot = (slot + 1) & (len(table) - 1)
    table[slot, 0], table[slot, 1] = clock[0], at
    return at


@kernel
def _keep_best(
    masks: NDArray[np.uint64],
    states: NDArray[np.int64],
    table: NDArray[np.int64],
    clock: NDArray[np.int64],
    words: int,
    count: int,
    width: int,
) -> None:
    """Keep the ``width`` most promising of ``count`` states, of equal ones the first, and enter them anew."""
    hopes = np.empty(count, np.int64)
    for s in range(count):
        hopes[s] = states[s, _HOPE]
    least = _select(hopes, count - width)
    above = 0
    for s in range(count):
        above += int(states[s, _HOPE] > least)
    equal = width - above
    clock[0] += 1
    kept = 0
    for s in range(count):
        if states[s, _HOPE] == least:
            equal -= 1
        if states[s, _HOPE] > least or (states[s, _HOPE] == least and equal >= 0):
            for k in range(_COLUMNS):
                states[kept, k] = states[s, k]
            for k in range(words):
                masks[kept * words + k] = masks[s * words + k]
            _enter(masks, states, table, clock, words, kept)
            kept += 1


@kernel
def _select(values: NDArray[np.int64], place: int) -> int:
    """Return the value that would stand at ``place`` if they were sorted (Hoare's selection; moves them about)."""
    low, high = 0, len(values) - 1
    while low < high:
        pivot = values[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if place <= j:
            high = j
        elif place >= i:
            low = i
        else:
            break
    return int(values[place])
