"""Search for the best matching of each row, given its candidate matches.

A *link* is a pair of chosen candidates that are adjacent on both sides, so chunks = matches − links. The value of a
matching (weighted words, chunks, displacement) is therefore a sum over its candidates and links. The value is stored
as one integer, with the weighted words in its high bits and the displacement in its low bits. Crossings are counted
separately, as inversions of reference words.

A *run* is a sequence of candidates that are linked to one another. The search first builds a matching from the
longest runs whose words are all free. Dynamic programming over the hypothesis, called a *sweep*, then searches for a
better matching. If the sweep never has to drop a state, the result is proven to be the best. Otherwise, local search
improves the matching, and a sweep with more states follows.
"""

import numpy as np

from wordorder.core.runtime.columns import Bools, Int64s, Ints
from wordorder.core.runtime.kernels import inner_kernel, kernel

Mates = Int64s
"""The chosen candidate of hypothesis word i at index 1 + i and of reference word j at index −1 − j; −1 means none.

Two entries are never filled.
"""

STATES = 512  # the largest number of states for one hypothesis word
HYP, HYP_END, REF, REF_END = 0, 1, 2, 3  # columns of a candidate: positions in the row; ends are exclusive
_GAIN, _CROSSED, _FOLLOW = 4, 5, 6  # value, crossings and the first candidate it can link to; see `_open`
_START, _BEHIND, _SPARE = 0, 1, 2  # columns of a hypothesis word; see `_compare_words`
# Columns of a state. If a later word may continue the last match, END and BUSY are the positions at which that match
# ends in the reference and in the hypothesis; otherwise they are −1. AHEAD is an upper bound on the value that can
# still be gained; PARENT is the previous state.
_USED, _END, _BUSY, _WORTH, _AHEAD, _CROSSINGS, _PARENT, _CHOICE = 0, 1, 2, 3, 4, 5, 6, 7

NARROW = 64  # the largest number of states in the first sweep
_EFFORT = 4_000  # the number of candidates that local search may move in one row
_SMALL = 4096  # above this number of candidates in a row, displacement and crossings are less exact
_BITS = 61  # the number of bits for the value of a matching and for a set of words
_NEVER = 1 << 62


@kernel
def choose_quickly(
    offsets: Int64s, pairs: Ints, weight: Int64s, lengths: Int64s, chosen: Bools, proven: Bools, hard: Bools,
    width: int, states: int,
) -> None:  # fmt: skip
    """Match each row with at most ``width`` states for a word; mark the rows ``hard`` that need a wider search."""
    board, table = _boards(states)
    for row in range(len(proven)):
        a, b, n, m = offsets[row], offsets[row + 1], lengths[row, 0], lengths[row, 1]
        left = _take_isolated(pairs[a:b], weight[a:b], chosen[a:b], n, m)
        proven[row] = left == 0
        if left:
            at, open_, words, bit, uniform, link, exact = _open(pairs[a:b], weight[a:b], chosen[a:b], left, n, m)
            mates, found = np.full(n + m + 2, -1, dtype=np.int64), False
            if bit[-1] <= _BITS:
                worth = _take_longest_runs(open_, uniform, link, mates)
                found = _sweep(open_, words, uniform, link, mates, worth, bit, width, False, board, table)
            proven[row], hard[row] = found & exact, not found
            for i in range(n):
                if mates[i + 1] >= 0:
                    chosen[a + at[mates[i + 1]]] = True


@kernel
def choose_best(
    offsets: Int64s, pairs: Ints, weight: Int64s, lengths: Int64s, chosen: Bools, proven: Bools, rows: Int64s,
    states: int,
) -> None:  # fmt: skip
    """Match the given rows, all of them hard, by local search and a wider sweep."""
    board, table = _boards(states)
    for row in rows:
        a, b, n, m = offsets[row], offsets[row + 1], lengths[row, 0], lengths[row, 1]
        left = _take_isolated(pairs[a:b], weight[a:b], chosen[a:b], n, m)
        at, open_, words, bit, uniform, link, exact = _open(pairs[a:b], weight[a:b], chosen[a:b], left, n, m)
        mates = np.full(n + m + 2, -1, dtype=np.int64)
        worth = _take_longest_runs(open_, uniform, link, mates) + _improve(open_, words, uniform, link, mates)
        found = _sweep(open_, words, uniform, link, mates, worth, bit, states, True, board, table)
        if not found:
            _improve(open_, words, uniform, link, mates)
        for i in range(n):
            if mates[i + 1] >= 0:
                chosen[a + at[mates[i + 1]]] = True
        proven[row] = found & exact


@inner_kernel
def _boards(states: int) -> tuple[Int64s, Int64s]:
    """Return room for the states of a sweep, and an empty hash table of states."""
    return np.empty((64 * states, 8), dtype=np.int64), np.zeros(((8 << int(np.log2(states))) + 1, 2), dtype=np.int64)


@inner_kernel
def _take_isolated(pairs: Ints, weight: Int64s, chosen: Bools, n: int, m: int) -> int:
    """Mark in ``chosen`` each candidate that has a positive weight and shares no word with another candidate.

    Return the number of candidates that were not chosen.
    """
    cover, left = np.zeros(n + m, dtype=np.int64), 0
    for c in range(len(pairs)):
        for side in (HYP, REF):
            for word in range(pairs[c, side], pairs[c, side + 1]):
                cover[word + (0 if side == HYP else n)] += 1
    for c in range(len(pairs)):
        chosen[c] = weight[c] > 0
        for side in (HYP, REF):
            for word in range(pairs[c, side], pairs[c, side + 1]):
                chosen[c] &= cover[word + (0 if side == HYP else n)] == 1
        left += int(not chosen[c])
    return left


@inner_kernel
def _open(
    pairs: Ints, weight: Int64s, chosen: Bools, left: int, n: int, m: int
) -> tuple[Int64s, Int64s, Int64s, Int64s, bool, int, bool]:
    """Return the open candidates (those not yet chosen) and the data that the search needs.

    The result consists of the index of each open candidate, the table of open candidates, the table of hypothesis
    words, the bit number of each reference word, whether the row is uniform (see ``_compare_words``), the value of a
    link, and whether all values are exact. Only reference words with open candidates have a bit of their own; the
    last entry of the bit numbers is the number of these words. The gain of a candidate includes its links with chosen
    candidates, and its crossings include those with chosen candidates.
    """
    at, open_ = np.empty(left, dtype=np.int64), np.empty((left, 7), dtype=np.int64)
    words, bit = np.zeros((n + 2, 3), dtype=np.int64), np.zeros(m + 1, dtype=np.int64)
    # The chosen candidates.
    starts_at, ends_at = np.full(n + 1, -1, dtype=np.int64), np.full(n + 1, -1, dtype=np.int64)
    k, heaviest = 0, 0
    for c in range(len(pairs)):
        i, end, j, to = pairs[c, HYP], pairs[c, HYP_END], pairs[c, REF], pairs[c, REF_END]
        if chosen[c]:
            starts_at[i], ends_at[end] = j, to
        else:
            at[k] = c
            open_[k, HYP], open_[k, HYP_END], open_[k, REF], open_[k, REF_END] = i, end, j, to
            words[i + 1, _START] += 1
            heaviest = max(heaviest, weight[c])
            k += 1
            for word in range(j, to):
                bit[word + 1] = 1
    for j in range(m):
        bit[j + 1] += bit[j]
    for i in range(n + 1):
        words[i + 1, _START] += words[i, _START]
    uniform = _compare_words(open_, weight, at, words, m)
    distance_bits, chunk_bits = int(np.log2(n * m)) + 1, int(np.log2(min(n, m))) + 1
    # Sentences of many thousands of words leave too few bits, so displacement is then counted in coarser steps.
    coarse = max(0, distance_bits + chunk_bits + int(np.log2(max(1, heaviest * (n + m)))) + 1 - _BITS)
    link = 1 << max(0, distance_bits - coarse)
    for c in range(left):
        i, end, j, to = open_[c, HYP], open_[c, HYP_END], open_[c, REF], open_[c, REF_END]
        gain = link * (int(ends_at[i] == j) + int(starts_at[end] == to)) - (abs(i - j) >> coarse)
        if not uniform:  # a uniform row has a fixed number of matches, so their weight is omitted
            gain += (link << chunk_bits) * weight[at[c]] * (end - i + to - j) - link
        if c == 0 or open_[c - 1, HYP] != i or open_[c - 1, HYP_END] != end or open_[c - 1, REF_END] > to:
            low, stop = words[end, _START], words[end + 1, _START]
        while low < stop and open_[low, REF] < to:
            low += 1
        open_[c, _GAIN], open_[c, _CROSSED] = gain, 0
        open_[c, _FOLLOW] = low if low < stop and open_[low, REF] == to else -1
    for f in range(len(pairs)):
        if chosen[f] and left < _SMALL:
            i, j, size = pairs[f, HYP], pairs[f, REF], pairs[f, REF_END] - pairs[f, REF]
            for c in range(left):
                if (open_[c, HYP] < i) != (open_[c, REF] < j):
                    open_[c, _CROSSED] += size * (open_[c, REF_END] - open_[c, REF])
    return at, open_, words, bit, uniform, link, coarse == 0 and left < _SMALL


@inner_kernel
def _compare_words(open_: Int64s, weight: Int64s, at: Int64s, words: Int64s, m: int) -> bool:
    """Fill in the columns BEHIND and SPARE of the hypothesis words, and return whether the row is uniform.

    BEHIND is the number of later hypothesis words that may match the same reference words; SPARE is 1 if the best
    matching may leave the word unmatched. A row is uniform if any two hypothesis words that may match the same
    reference word may match exactly the same reference words, all with the same weight, as repetitions of a word do.
    In a uniform row, every matching that cannot be extended has as many words as the best one.
    """
    uniform = True
    last = np.full(m, -1, dtype=np.int64)  # the last visited hypothesis word that may match this reference word
    for i in range(len(words) - 3, -1, -1):
        low, high, other = words[i, _START], words[i + 1, _START], -1
        if low < high:
            other = last[open_[low, REF]]
            if other >= 0:
                first = words[other, _START]
                words[i, _BEHIND] = words[other, _BEHIND] + 1
                uniform &= words[other + 1, _START] - first == high - low and weight[at[first]] == weight[at[low]]
        for c in range(low, high):
            uniform &= open_[c, HYP_END] - open_[c, HYP] == 1 and open_[c, REF_END] - open_[c, REF] == 1
            uniform &= weight[at[c]] == weight[at[low]] and weight[at[c]] > 0 and last[open_[c, REF]] == other
            last[open_[c, REF]] = i
    for i in range(len(words) - 2):
        low, high = words[i, _START], words[i + 1, _START]
        words[i, _SPARE] = 1
        if uniform and low < high:  # `last` now holds the first word with these candidates
            words[i, _SPARE] = int(words[last[open_[low, REF]], _BEHIND] + 1 > high - low)
    return uniform


@inner_kernel
def _worth(open_: Int64s, link: int, mates: Mates, c: int) -> int:
    """Return the value that a candidate adds to a matching, including its links with adjacent candidates."""
    before, after = mates[open_[c, HYP]], mates[open_[c, HYP_END] + 1]
    links = int(before >= 0 and open_[before, REF_END] == open_[c, REF])
    links += int(after >= 0 and open_[after, REF] == open_[c, REF_END])
    return int(open_[c, _GAIN] + link * links)


@inner_kernel
def _set(open_: Int64s, mates: Mates, c: int, mate: int) -> None:
    """Set the mate of all words of candidate ``c``: ``mate=c`` adds the candidate to the matching, −1 removes it."""
    for i in range(open_[c, HYP], open_[c, HYP_END]):
        mates[i + 1] = mate
    for j in range(open_[c, REF], open_[c, REF_END]):
        mates[-1 - j] = mate


@inner_kernel
def _is_free(open_: Int64s, mates: Mates, c: int) -> bool:
    taken = -1
    for i in range(open_[c, HYP], open_[c, HYP_END]):
        taken = max(taken, mates[i + 1])
    for j in range(open_[c, REF], open_[c, REF_END]):
        taken = max(taken, mates[-1 - j])
    return taken < 0


@inner_kernel
def _take_longest_runs(open_: Int64s, uniform: bool, link: int, mates: Mates) -> int:
    """Repeatedly add the longest run of free candidates to a matching; return the total value added.

    Among runs of equal length, those with the smallest displacement come first.
    """
    count, worth = len(open_), 0
    run, level = np.zeros(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    while True:
        longest = size = 0
        for c in range(count - 1, -1, -1):
            run[c] = 0
            if _is_free(open_, mates, c) and (uniform or open_[c, _GAIN] > 0):
                run[c] = 1 + (run[open_[c, _FOLLOW]] if open_[c, _FOLLOW] >= 0 else 0)
                if run[c] >= longest:
                    longest, size = run[c], size + 1 if run[c] == longest else 1
                    level[count - size] = c
        if longest == 0:
            return worth
        rest, near = level[count - size :], 0
        while len(rest):
            far, size = _NEVER, 0
            for c in rest:
                distance = abs(open_[c, HYP] - open_[c, REF])
                if distance > near:
                    level[size], size, far = c, size + 1, min(far, distance)
                else:
                    while c >= 0 and _is_free(open_, mates, c):
                        worth += _worth(open_, link, mates, c)
                        _set(open_, mates, c, c)
                        c = open_[c, _FOLLOW]
            rest, near = level[:size], far if count < _SMALL else max(far, 2 * near)


@inner_kernel
def _improve(open_: Int64s, words: Int64s, uniform: bool, link: int, mates: Mates) -> int:
    """Improve a matching by forcing runs and single candidates into it; return the gain in value."""
    log = np.empty(2 * len(mates), dtype=np.int64)
    gained, effort, idle, c = 0, _EFFORT, 0, 0
    while idle < len(open_) and effort > 0:
        idle += 1
        for size in (len(mates), 1):
            if mates[open_[c, HYP] + 1] != c and (size > 1 or open_[c, _FOLLOW] >= 0):
                more, moved = _force(open_, words, uniform, link, mates, c, size, log)
                effort -= moved
                if more >= 0:
                    gained, idle = gained + more, 0
        c = c + 1 if c + 1 < len(open_) else 0
    return gained


@inner_kernel
def _force(
    open_: Int64s, words: Int64s, uniform: bool, link: int, mates: Mates, c: int, size: int, log: Int64s
) -> tuple[int, int]:
    """Force a run of at most ``size`` candidates, starting with candidate c, into a matching.

    Candidates that share a word with the run are removed, and their words are rematched by the best free candidates.
    Among matchings of equal value, one with a smaller Σ(i − j)² over its matches of hypothesis word i and reference
    word j, and therefore fewer crossings, counts as better. If the matching does not become better, the change is
    undone. Return the gain, or −1 if the change was undone, and the number of candidates added or removed.
    """
    gained, straight, moved = 0, 0, 0
    while c >= 0 and size > 0:
        hyp_words = open_[c, HYP_END] - open_[c, HYP]
        for k in range(hyp_words + open_[c, REF_END] - open_[c, REF]):
            other = mates[open_[c, HYP] + 1 + k if k < hyp_words else -1 - (open_[c, REF] + k - hyp_words)]
            if other >= 0 and other != c:
                _set(open_, mates, other, -1)
                gained -= _worth(open_, link, mates, other)
                straight += (open_[other, HYP] - open_[other, REF]) ** 2
                log[moved] = -1 - other
                moved += 1
        if mates[open_[c, HYP] + 1] != c:
            gained += _worth(open_, link, mates, c)
            straight -= (open_[c, HYP] - open_[c, REF]) ** 2
            _set(open_, mates, c, c)
            log[moved] = c
            moved += 1
        c, size = open_[c, _FOLLOW], size - 1
    for t in range(moved):
        out = -1 - log[t]
        for i in range(open_[out, HYP], open_[out, HYP_END] if out >= 0 else 0):
            best, most = -1, -_NEVER if uniform else 0
            for c in range(words[i, _START], words[i + 1, _START]):
                if _is_free(open_, mates, c):
                    worth = _worth(open_, link, mates, c)
                    if worth > most:
                        best, most = c, worth
            if best >= 0:
                gained += most
                straight -= (open_[best, HYP] - open_[best, REF]) ** 2
                _set(open_, mates, best, best)
                log[moved] = best
                moved += 1
    if gained > 0 or (gained == 0 and straight > 0):
        return gained, moved
    for t in range(moved - 1, -1, -1):
        _set(open_, mates, max(log[t], -1 - log[t]), max(-1, -1 - log[t]))
    return -1, moved


@inner_kernel
def _look_ahead(open_: Int64s, words: Int64s, link: int) -> tuple[Int64s, Int64s]:
    """Return upper bounds on the value that can be gained after each candidate, and from each hypothesis word on.

    The bounds ignore the fact that a reference word can be matched only once.
    """
    behind, onward = np.zeros(len(open_), dtype=np.int64), np.zeros(len(words), dtype=np.int64)
    for i in range(len(words) - 3, -1, -1):
        low, high = words[i, _START], words[i + 1, _START]
        onward[i] = onward[i + 1] if words[i, _SPARE] or low == high else -_NEVER
        for c in range(low, high):
            behind[c] = onward[open_[c, HYP_END]]
            other, stop = open_[c, _FOLLOW], words[open_[c, HYP_END] + 1, _START]
            while 0 <= other < stop and open_[other, REF] == open_[c, REF_END]:
                behind[c] = max(behind[c], link + open_[other, _GAIN] + behind[other])
                other += 1
            onward[i] = max(onward[i], open_[c, _GAIN] + behind[c])
    return behind, onward


@inner_kernel
def _sweep(
    open_: Int64s, words: Int64s, uniform: bool, link: int, mates: Mates, worth: int, bit: Int64s,
    width: int, thin: bool, states: Int64s, table: Int64s,
) -> bool:  # fmt: skip
    """Search a row from left to right for a matching better than the one in ``mates``; store the best one there.

    Return whether the search was exhaustive, that is, whether no state was dropped for lack of space.

    A state consists of the set of matched reference words and, if the next word may continue the last match, the end
    of that match. If two paths lead to the same state, only the better path is kept. States from which the value of
    ``mates`` can no longer be reached are discarded. If there are more than ``width`` states, the sweep ends or, with
    ``thin``, continues as a beam search that keeps the most promising states.
    """
    if bit[-1] > _BITS:
        return False
    behind, onward = _look_ahead(open_, words, link)
    for k in range(_CHOICE + 1):
        states[0, k] = -1 if k in (_END, _BUSY, _PARENT, _CHOICE) else 0
    first, last, whole, i = 0, 1, True, 0
    while i < len(words) - 2:
        after = i + 1
        while words[after, _START] == words[after + 1, _START] and after < len(words) - 2:
            after += 1
        if last + width > len(states):
            return False
        made, table[-1, 0] = last, table[-1, 0] + 1
        for s in range(first, last):
            available = 0
            for c in range(words[i, _START], words[i + 1, _START] + 1):
                mask, end, busy, choice = states[s, _USED], states[s, _END], states[s, _BUSY], -1
                value, ahead, crossed = states[s, _WORTH], states[s, _AHEAD], states[s, _CROSSINGS]
                if c < words[i + 1, _START]:
                    taken = (2 << bit[open_[c, REF_END] - 1]) - (1 << bit[open_[c, REF]])
                    if busy > i or mask & taken:
                        continue
                    available += 1
                    value += open_[c, _GAIN] + link * int(end == open_[c, REF])
                    ahead, choice = behind[c], c
                elif busy <= i:
                    if uniform and words[i, _BEHIND] < available:
                        continue  # the later words could not fill all free positions, so a match would be lost
                    ahead = onward[after]
                if value + ahead < worth:
                    continue
                if choice >= 0:
                    crossed, passed = crossed + open_[c, _CROSSED], mask >> bit[open_[c, REF]]
                    while passed:  # one iteration for each bit that is set
                        crossed, passed = crossed + open_[c, REF_END] - open_[c, REF], passed & (passed - 1)
                    mask, end, busy = mask | taken, open_[c, REF_END], open_[c, HYP_END]
                if busy < after or (busy == after and choice >= 0 and open_[choice, _FOLLOW] < 0):
                    end = busy = -1  # nothing can continue this match
                if after == len(words) - 2:
                    mask, end, busy = 0, -1, -1  # all final states are equal, so only the best one is kept
                there = _find(states, table, mask, end, busy, made)
                if there == last + width:
                    whole = False
                    made = _keep_promising(states, table, worth, last, made) if thin else made
                    if made == last + width:
                        return False
                    there = _find(states, table, mask, end, busy, made)
                new = states[there]
                if there < made:
                    better = value - new[_WORTH] or new[_CROSSINGS] - crossed
                    if (better or _compare_ways(states, s, choice, new[_PARENT], new[_CHOICE])) <= 0:
                        continue
                made = max(made, there + 1)
                new[_USED], new[_END], new[_BUSY], new[_WORTH] = mask, end, busy, value
                new[_AHEAD], new[_CROSSINGS], new[_PARENT], new[_CHOICE] = ahead, crossed, s, choice
        first, last, i = last, made, after
    at = last - 1 if last > first else -1
    if at >= 0:
        mates.fill(-1)
    while at >= 0:
        if states[at, _CHOICE] >= 0:
            _set(open_, mates, states[at, _CHOICE], states[at, _CHOICE])
        at = states[at, _PARENT]
    return whole


@inner_kernel
def _find(states: Int64s, table: Int64s, mask: int, end: int, busy: int, made: int) -> int:
    """Look up a state in the hash table and return its index; a new state gets the index ``made``."""
    code = np.int64(mask ^ (end * 1000003 + busy)) * np.int64(-7046029254386353131)
    slot = (code >> 32) & (len(table) - 2)
    while table[slot, 0] == table[-1, 0]:  # entries with a different time stamp count as empty
        there = table[slot, 1]
        if states[there, _USED] == mask and states[there, _END] == end and states[there, _BUSY] == busy:
            return int(there)
        slot = (slot + 1) & (len(table) - 2)
    table[slot, 0], table[slot, 1] = table[-1, 0], made
    return made


@inner_kernel
def _keep_promising(states: Int64s, table: Int64s, worth: int, first: int, made: int) -> int:
    """Drop the states whose upper bound is below the mean of all upper bounds; return the new end of the list.

    The upper bound of a state is its value plus an upper bound on what it can still gain.
    """
    total = 0
    for s in range(first, made):
        total += states[s, _WORTH] + states[s, _AHEAD] - worth
    table[-1, 0] += 1
    kept = first
    for s in range(first, made):
        if (states[s, _WORTH] + states[s, _AHEAD] - worth) * (made - first) >= total:
            for k in range(_CHOICE + 1):
                states[kept, k] = states[s, k]
            kept = 1 + _find(states, table, states[s, _USED], states[s, _END], states[s, _BUSY], kept)
    return kept


@inner_kernel
def _compare_ways(states: Int64s, one: int, choice: int, other: int, instead: int) -> int:
    """Compare two sequences of choices; return a positive number if the first is preferred.

    The leftmost hypothesis word where they differ decides: a match is preferred to no match, and an earlier candidate
    is preferred to a later one.
    """
    better = 0
    while True:
        if choice != instead:
            better = instead - choice if min(choice, instead) >= 0 else choice - instead
        if one == other:
            return better
        choice, instead = states[one, _CHOICE], states[other, _CHOICE]
        one, other = states[one, _PARENT], states[other, _PARENT]
