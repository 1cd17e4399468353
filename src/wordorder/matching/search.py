"""The search for the best matching in a region, from left to right over the hypothesis.

A state is the set of used reference words that may still be wanted, and the end of the match that the next word could
continue; of equal states the better one is kept. What a state can still gain is bounded by the best continuation that
may use reference words twice. A narrow beam of the most promising states comes first: if it never had to drop one it
is exact, else its result is a bar for a wide one, which drops what cannot pass the bar. That is exact too, unless the
states get too many even so; then the result is that of a beam, and says so.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wordorder.runtime.kernels import kernel

STATES = 4096
"""States kept at most for one hypothesis word."""

_OPEN, _FIXED = 1, 2  # as in the reduction
_NARROW = 32  # states of the first beam
_WIDER = 8  # how much wider each further one is
_EFFORT = 1 << 22  # transitions per region: one with very many candidates gets a narrower beam
_TRAIL = 1 << 20  # states remembered for reading the best path back
_NEVER = 1 << 62
_TOLL_ROUNDS = 30

# The columns of a state. END is where the last match ends in the reference if the next word may continue it, else −1;
# BUSY where it ends in the hypothesis; HOPE what it can reach at most; PAID the tolls; PARENT a place in the trail.
_END, _BUSY, _SCORE, _HOPE, _PAID, _PARENT, _CHOICE = 0, 1, 2, 3, 4, 5, 6


@kernel
def search(
    region_offsets: NDArray[np.int64],
    places: NDArray[np.int64],
    links: NDArray[np.int64],
    ref_lengths: NDArray[np.int64],
    hyp: NDArray[np.int32],
    hyp_size: NDArray[np.int32],
    ref: NDArray[np.int32],
    ref_size: NDArray[np.int32],
    gain: NDArray[np.int64],
    following: NDArray[np.int64],
    status: NDArray[np.uint8],
    states: int,
) -> NDArray[np.bool_]:
    """Choose among the open candidates of each region: the chosen get the status ``FIXED``. Tell which are exact."""
    regions = len(region_offsets) - 1
    exact = np.empty(regions, np.bool_)
    room = 2 * states
    masks = np.empty((2, room), np.uint64)
    state = np.empty((2, room, 7), np.int64)
    size = 1
    while size < 2 * room:
        size *= 2
    table = np.full((size, 2), -1, np.int64)
    trail = np.empty((_TRAIL, 2), np.int64)
    clock = np.zeros(1, np.int64)
    for region in range(regions):
        spans = places[region_offsets[region] : region_offsets[region + 1]]
        link = links[region]
        bit, final, bits, candidates = _assign_bits(spans, ref, ref_size, ref_lengths[region], status)
        words = max(1, (bits + 63) // 64)
        widest = max(1, min(states, _EFFORT // candidates, states // words, _TRAIL // len(spans)))
        width = min(_NARROW, widest)
        toll = np.zeros(ref_lengths[region], np.int64)
        behind = np.zeros(spans[len(spans) - 1, 1] - spans[0, 0], np.int64)
        leave = np.zeros(len(spans) + 1, np.int64)
        best = np.full(len(spans), -1, np.int64)
        _look_ahead(spans, hyp, hyp_size, ref, ref_size, gain, link, following, status, toll, behind, leave, best)
        bar, exact[region] = _sweep(
            spans, link, hyp, hyp_size, ref, ref_size, gain, following, status, bit, final, toll, behind, leave,
            -_NEVER, words, width, masks, state, table, trail, clock, best,
        )  # fmt: skip
        while not exact[region]:
            exact[region] = _raise_tolls(
                spans, hyp, hyp_size, ref, ref_size, gain, link, following, status, bar, toll, behind, leave
            )
            if exact[region] or width == widest:
                break
            width = min(_WIDER * width, widest)
            bar, exact[region] = _sweep(
                spans, link, hyp, hyp_size, ref, ref_size, gain, following, status, bit, final, toll, behind, leave,
                bar, words, width, masks, state, table, trail, clock, best,
            )  # fmt: skip
        for step in range(len(spans)):
            if best[step] >= 0:
                status[best[step]] = _FIXED
    return exact


@kernel
def _assign_bits(
    spans: NDArray[np.int64],
    ref: NDArray[np.int32],
    ref_size: NDArray[np.int32],
    m: int,
    status: NDArray[np.uint8],
) -> tuple[NDArray[np.int32], NDArray[np.int32], int, int]:
    """Give each contested reference word a bit for as long as it is contested; bits are used again.

    Gives the bit of each word (−1: it needs none), the last step that wants it, the number of bits, of candidates.
    """
    first = np.full(m, -1, np.int32)
    final = np.full(m, -1, np.int32)
    candidates = 0
    for step in range(len(spans)):
        for c in range(spans[step, 0], spans[step, 1]):
            if status[c] == _OPEN:
                candidates += 1
                for j in range(ref[c], ref[c] + ref_size[c]):
                    if first[j] < 0:
                        first[j] = step
                    final[j] = step
    bit = np.full(m, -1, np.int32)
    free = np.empty(m, np.int32)
    free_count = bits = 0
    for step in range(len(spans)):
        for c in range(spans[step, 0], spans[step, 1]):
            if status[c] == _OPEN:
                for j in range(ref[c], ref[c] + ref_size[c]):
                    if first[j] == step and final[j] > step and bit[j] < 0:
                        if free_count:
                            free_count -= 1
                            bit[j] = free[free_count]
                        else:
                            bit[j] = bits
                            bits += 1
        for c in range(spans[step, 0], spans[step, 1]):
            if status[c] == _OPEN:
                for j in range(ref[c], ref[c] + ref_size[c]):
                    if final[j] == step and bit[j] >= 0 and first[j] >= 0:
                        free[free_count] = bit[j]
                        free_count += 1
                        first[j] = -1  # given back once
    return bit, final, bits, candidates


@kernel
def _look_ahead(
    spans: NDArray[np.int64],
    hyp: NDArray[np.int32],
    hyp_size: NDArray[np.int32],
    ref: NDArray[np.int32],
    ref_size: NDArray[np.int32],
    gain: NDArray[np.int64],
    link: int,
    following: NDArray[np.int64],
    status: NDArray[np.uint8],
    toll: NDArray[np.int64],
    behind: NDArray[np.int64],
    leave: NDArray[np.int64],
    way: NDArray[np.int64],
) -> None:
    """Bound what can be gained behind each candidate and from each step on, tolls paid, words used twice allowed.

    ``way`` gets the candidate each step takes on the best way of this kind, −1 where it takes none.
    """
    base = spans[0, 0]
    onward = np.full(len(behind), -1, np.int64)  # the candidate linked to, on the best way behind each one
    pick = np.full(len(spans), -1, np.int64)
    for step in range(len(spans) - 1, -1, -1):
        leave[step] = leave[step + 1] if spans[step, 3] else -_NEVER
        for c in range(spans[step, 0], spans[step, 1]):
            if status[c] != _OPEN:
                continue
            end = hyp[c] + hyp_size[c]
            later = step + 1
            while later < len(spans) and hyp[spans[later, 0]] < end:
                later += 1
            rest = leave[later]
            other = following[c]
            while 0 <= other < len(hyp) and hyp[other] == end and ref[other] == ref[c] + ref_size[c]:
                if status[other] == _OPEN:
                    linked = link + gain[other] - _sum(toll, ref[other], ref_size[other]) + behind[other - base]
                    if linked > rest:
                        rest = linked
                        onward[c - base] = other
                other += 1
            behind[c - base] = rest
            rest += gain[c] - _sum(toll, ref[c], ref_size[c])
            if rest > leave[step]:
                leave[step] = rest
                pick[step] = c
    way[:] = -1
    step = 0
    c = -1
    while step < len(spans):
        if c < 0:
            c = pick[step]
        way[step] = c
        step += 1
        if c >= 0:
            end = hyp[c] + hyp_size[c]
            while step < len(spans) and hyp[spans[step, 0]] < end:
                step += 1
            c = onward[c - base]


@kernel
def _sum(values: NDArray[np.int64], start: int, size: int) -> int:
    total = np.int64(0)
    for k in range(start, start + size):
        total += values[k]
    return total


@kernel
def _raise_tolls(
    spans: NDArray[np.int64],
    hyp: NDArray[np.int32],
    hyp_size: NDArray[np.int32],
    ref: NDArray[np.int32],
    ref_size: NDArray[np.int32],
    gain: NDArray[np.int64],
    link: int,
    following: NDArray[np.int64],
    status: NDArray[np.uint8],
    bar: int,
    toll: NDArray[np.int64],
    behind: NDArray[np.int64],
    leave: NDArray[np.int64],
) -> bool:
    """Lower the bound by tolls on reference words that would be used twice; tell whether it came down to the bar.

    Lagrangian relaxation: each use of a word costs its toll, and all tolls are paid out once, so what a matching is
    worth does not rise. Tolls follow the subgradient (uses − 1) with Polyak's step, (bound − bar) / length².
    """
    uses = np.zeros(len(toll), np.int64)
    way = np.empty(len(spans), np.int64)
    kept = toll.copy()
    lowest = leave[0] + toll.sum()
    for _ in range(_TOLL_ROUNDS):
        _look_ahead(spans, hyp, hyp_size, ref, ref_size, gain, link, following, status, toll, behind, leave, way)
        bound = leave[0] + toll.sum()
        if bound < lowest:
            lowest = bound
            kept[:] = toll
        if bound <= bar:
            break
        uses[:] = 0
        for step in range(len(spans)):
            if way[step] >= 0:
                for j in range(ref[way[step]], ref[way[step]] + ref_size[way[step]]):
                    uses[j] += 1
        length = 0
        for j in range(len(toll)):
            if uses[j] > 1 or (uses[j] == 0 and toll[j] > 0):
                length += (uses[j] - 1) ** 2
        if length == 0:
            break
        move = max(np.int64(1), (bound - bar) // length)
        for j in range(len(toll)):
            toll[j] = max(np.int64(0), toll[j] + move * (uses[j] - 1)) if uses[j] != 1 else toll[j]
    toll[:] = kept
    _look_ahead(spans, hyp, hyp_size, ref, ref_size, gain, link, following, status, toll, behind, leave, way)
    return lowest <= bar


@kernel
def _sweep(
    spans: NDArray[np.int64],
    link: int,
    hyp: NDArray[np.int32],
    hyp_size: NDArray[np.int32],
    ref: NDArray[np.int32],
    ref_size: NDArray[np.int32],
    gain: NDArray[np.int64],
    following: NDArray[np.int64],
    status: NDArray[np.uint8],
    bit: NDArray[np.int32],
    final: NDArray[np.int32],
    toll: NDArray[np.int64],
    behind: NDArray[np.int64],
    leave: NDArray[np.int64],
    bar: int,
    words: int,
    width: int,
    masks: NDArray[np.uint64],
    state: NDArray[np.int64],
    table: NDArray[np.int64],
    trail: NDArray[np.int64],
    clock: NDArray[np.int64],
    best: NDArray[np.int64],
) -> tuple[int, bool]:
    """Go over a region once with at most ``width`` states that may get over the bar; tell whether none was dropped.

    If some way gets over the bar, ``best`` holds its choices afterwards.
    """
    whole = True
    wanted = np.empty(words, np.uint64)
    back = toll.sum()
    now, count, used = 0, 1, 0
    masks[now, :words] = 0
    state[now, 0] = 0
    state[now, 0, _END] = state[now, 0, _BUSY] = state[now, 0, _PARENT] = -1
    for step in range(len(spans)):
        i = hyp[spans[step, 0]]
        after = hyp[spans[step + 1, 0]] if step + 1 < len(spans) else _NEVER
        clock[0] += 1
        wanted[:] = ~np.uint64(0)
        for c in range(spans[step, 0], spans[step, 1]):
            if status[c] == _OPEN:
                for j in range(ref[c], ref[c] + ref_size[c]):
                    if final[j] == step and bit[j] >= 0:
                        wanted[bit[j] // 64] &= ~(np.uint64(1) << np.uint64(bit[j] % 64))
        old, new = state[now], state[1 - now]
        old_masks, new_masks = masks[now], masks[1 - now]
        made = 0
        for s in range(count):
            busy = old[s, _BUSY] > i
            available = 0
            # The candidates, and behind them (at spans[step, 1]) the choice to leave this word alone.
            for c in range(spans[step, 0], spans[step, 1] + 1):
                chosen = c < spans[step, 1]
                if chosen:
                    if busy or status[c] != _OPEN:
                        continue
                    taken = False
                    for j in range(ref[c], ref[c] + ref_size[c]):
                        if bit[j] >= 0:
                            taken |= (old_masks[s * words + bit[j] // 64] >> np.uint64(bit[j] % 64)) & np.uint64(
                                1
                            ) != 0
                    if taken:
                        continue
                    available += 1
                    score = old[s, _SCORE] + gain[c] + link * int(old[s, _END] == ref[c])
                    paid = old[s, _PAID] + _sum(toll, ref[c], ref_size[c])
                    hope = score - paid + back + behind[c - spans[0, 0]]
                elif busy:
                    score, paid, hope = old[s, _SCORE], old[s, _PAID], old[s, _HOPE]
                else:
                    if 0 <= spans[step, 2] < available:
                        continue  # the words behind could not take all that is free: a match would be lost
                    score, paid = old[s, _SCORE], old[s, _PAID]
                    hope = score - paid + back + leave[step + 1]
                if hope <= bar:
                    continue
                if made == 2 * width:
                    _keep_best(new_masks, new, table, words, made, width, clock)
                    made = width
                    whole = False
                for k in range(words):
                    new_masks[made * words + k] = old_masks[s * words + k]
                draft = new[made]
                draft[_SCORE], draft[_HOPE], draft[_PAID] = score, hope, paid
                draft[_PARENT], draft[_CHOICE] = used - count + s, -1
                if chosen:
                    for j in range(ref[c], ref[c] + ref_size[c]):
                        if bit[j] >= 0:
                            new_masks[made * words + bit[j] // 64] |= np.uint64(1) << np.uint64(bit[j] % 64)
                    draft[_END], draft[_BUSY], draft[_CHOICE] = ref[c] + ref_size[c], i + hyp_size[c], c
                else:
                    draft[_END], draft[_BUSY] = old[s, _END], old[s, _BUSY]
                if draft[_BUSY] < after or (chosen and draft[_BUSY] == after and following[c] < 0):
                    draft[_END] = draft[_BUSY] = -1
                for k in range(words):
                    new_masks[made * words + k] &= wanted[k]
                there = _enter(new_masks, new, table, words, made, clock)
                if there == made:
                    made += 1
                elif score > new[there, _SCORE]:
                    new[there] = draft
        if made > width:
            _keep_best(new_masks, new, table, words, made, width, clock)
            made = width
            whole = False
        for s in range(made):
            trail[used + s, 0] = new[s, _PARENT]
            trail[used + s, 1] = new[s, _CHOICE]
        now, count = 1 - now, made
        used += made
    top = -1
    for s in range(count):
        if state[now, s, _SCORE] > bar:
            bar = state[now, s, _SCORE]
            top = used - count + s
    if top >= 0:
        for step in range(len(spans) - 1, -1, -1):
            best[step] = trail[top, 1]
            top = trail[top, 0]
    return bar, whole


@kernel
def _enter(
    masks: NDArray[np.uint64],
    state: NDArray[np.int64],
    table: NDArray[np.int64],
    words: int,
    at: int,
    clock: NDArray[np.int64],
) -> int:
    """Find the state equal to the one drafted at ``at``, or enter that one into the hash table; give its place."""
    code = np.uint64(state[at, _END] * 1000003 + state[at, _BUSY])
    for k in range(words):
        code = (code ^ masks[at * words + k]) * np.uint64(0x9E3779B97F4A7C15)
        code ^= code >> np.uint64(29)
    slot = np.int64(code & np.uint64(len(table) - 1))
    while table[slot, 0] == clock[0]:
        there = table[slot, 1]
        same = state[there, _END] == state[at, _END] and state[there, _BUSY] == state[at, _BUSY]
        for k in range(words):
            same &= masks[there * words + k] == masks[at * words + k]
        if same:
            return there
        slot = (slot + 1) & (len(table) - 1)
    table[slot, 0] = clock[0]
    table[slot, 1] = at
    return at


@kernel
def _keep_best(
    masks: NDArray[np.uint64],
    state: NDArray[np.int64],
    table: NDArray[np.int64],
    words: int,
    count: int,
    width: int,
    clock: NDArray[np.int64],
) -> None:
    """Keep the ``width`` most promising of ``count`` states, ties in their order, and enter them anew."""
    order = np.argsort(-state[:count, _HOPE], kind="mergesort")
    old_masks, old = masks[: count * words].copy(), state[:count].copy()
    clock[0] += 1  # forgets what the table holds
    for s in range(width):
        state[s] = old[order[s]]
        for k in range(words):
            masks[s * words + k] = old_masks[order[s] * words + k]
        _enter(masks, state, table, words, s, clock)
