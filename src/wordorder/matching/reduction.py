"""What can be settled before any search: candidates that stand in every best matching, and independent regions.

A *link* is a pair of chosen candidates adjacent on both sides, so chunks = matches − links. What a matching is worth
(weighted words, chunks, displacement) is a sum over its candidates and links; one integer holds it, the weight in its
high bits, the displacement in its low ones.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wordorder.runtime.kernels import kernel

HYP, HYP_END, REF, REF_END = 0, 1, 2, 3  # columns of a candidate: places in the columns of words, ends not included
DEAD, OPEN, FIXED = 0, 1, 2
FROM, TO, BEHIND, SPARE = 0, 1, 2, 3  # columns of a place, see `reduce`

_BITS = 56  # of a number that tells what a matching is worth; sums of bounds and tolls need a few more


@kernel
def reduce(
    offsets: NDArray[np.int64],
    pairs: NDArray[np.int32],
    weight: NDArray[np.int64],
    hyp_offsets: NDArray[np.int64],
    ref_offsets: NDArray[np.int64],
) -> tuple[
    NDArray[np.uint8],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.bool_],
]:
    """Settle what is certain in each row; its candidates are sorted by hypothesis start, then by reference start.

    Gives per candidate its status, what choosing it adds, and the first candidate it could link to (−1: none); the
    regions left: the offsets of their places, the row of each, what a link adds in it, and for each place, a
    hypothesis word where open candidates start, FROM and TO which candidate, how many words of its uniform component
    come BEHIND it (−1: it is in none), and whether it is to SPARE, so that it may stay unmatched; and for each row
    whether its displacements could be counted exactly.
    """
    rows = len(offsets) - 1
    status = np.full(len(pairs), OPEN, np.uint8)
    gain = np.zeros(len(pairs), np.int64)
    following = np.full(len(pairs), -1, np.int64)
    exact = np.ones(rows, np.bool_)
    regions, used = 0, 0
    region_offsets = np.zeros(rows + 2, np.int64)
    region_rows = np.zeros(rows + 1, np.int64)
    links = np.zeros(rows + 1, np.int64)
    places = np.empty((rows + 1, 4), np.int64)
    for row in range(rows):
        a, b = offsets[row], offsets[row + 1]
        n, m = hyp_offsets[row + 1] - hyp_offsets[row], ref_offsets[row + 1] - ref_offsets[row]
        i0, j0 = hyp_offsets[row], ref_offsets[row]
        p, w, s = pairs[a:b], weight[a:b], status[a:b]
        if _fix_isolated(p, w, s, i0, n, j0, m) == b - a:
            continue
        start = _index(p, i0, n)
        follow = _follow(p, start, i0)
        root, uniform = _components(p, w, s, i0, n, j0, m)
        if _is_simple(p) and _fix_linked(p, s, start, follow, root, uniform, i0, n, j0, m) == 0:
            continue
        behind, spare = _count_behind(p, s, start, root, uniform, i0, n)
        link, exact[row] = _weigh(p, w, s, behind, gain[a:b], i0, n, j0, m)
        words, ends = _regions(p, s, start, follow, i0, n, j0, m)
        for c in range(b - a):
            if follow[c] >= 0:
                following[a + c] = a + follow[c]
        if regions + len(ends) > len(region_rows):
            region_rows = _lengthen(region_rows, regions + len(ends))
            links = _lengthen(links, regions + len(ends))
            region_offsets = _lengthen(region_offsets, regions + len(ends))
        if used + len(words) > len(places):
            larger = np.empty((2 * (used + len(words)), 4), np.int64)
            for k in range(used):
                for t in range(4):
                    larger[k, t] = places[k, t]
            places = larger
        for k in range(len(ends)):
            region_rows[regions], links[regions] = row, link
            region_offsets[regions + 1] = used + ends[k]
            regions += 1
        for i in words:
            places[used, FROM], places[used, TO] = a + start[i], a + start[i + 1]
            places[used, BEHIND], places[used, SPARE] = behind[i], spare[i]
            used += 1
    return (
        status,
        gain,
        following,
        region_offsets[: regions + 1],
        region_rows[:regions],
        links[:regions],
        places[:used],
        exact,
    )


@kernel
def _lengthen(column: NDArray[np.int64], more: int) -> NDArray[np.int64]:
    longer = np.zeros(len(column) + more, np.int64)
    for k in range(len(column)):
        longer[k] = column[k]
    return longer


@kernel
def _fix_isolated(
    pairs: NDArray[np.int32], weight: NDArray[np.int64], status: NDArray[np.uint8], i0: int, n: int, j0: int, m: int
) -> int:
    """Fix each candidate of positive weight that shares no word with another one: leaving it out only loses.

    Gives the number of those fixed.
    """
    cover = np.zeros(n + m, np.int32)
    for c in range(len(pairs)):
        for i in range(pairs[c, HYP], pairs[c, HYP_END]):
            cover[i - i0] += 1
        for j in range(pairs[c, REF], pairs[c, REF_END]):
            cover[n + j - j0] += 1
    fixed = 0
    for c in range(len(pairs)):
        alone = weight[c] > 0
        for i in range(pairs[c, HYP], pairs[c, HYP_END]):
            alone &= cover[i - i0] == 1
        for j in range(pairs[c, REF], pairs[c, REF_END]):
            alone &= cover[n + j - j0] == 1
        if alone:
            status[c] = FIXED
            fixed += 1
    return fixed


@kernel
def _index(pairs: NDArray[np.int32], i0: int, n: int) -> NDArray[np.int32]:
    """Index the sorted candidates: those that start at word i of the row stand at start[i]:start[i + 1]."""
    start = np.zeros(n + 2, np.int32)
    for c in range(len(pairs)):
        start[pairs[c, HYP] - i0 + 1] += 1
    for i in range(n + 1):
        start[i + 1] += start[i]
    return start


@kernel
def _follow(pairs: NDArray[np.int32], start: NDArray[np.int32], i0: int) -> NDArray[np.int32]:
    """Return for each candidate the first one that starts where it ends on both sides, or −1."""
    following = np.full(len(pairs), -1, np.int32)
    for c in range(len(pairs)):
        end, wanted = pairs[c, HYP_END] - i0, pairs[c, REF_END]
        low, high, stop = start[end], start[end + 1], start[end + 1]
        while low < high:
            middle = (low + high) // 2
            if pairs[middle, REF] < wanted:
                low = middle + 1
            else:
                high = middle
        if low < stop and pairs[low, REF] == wanted:
            following[c] = low
    return following


@kernel
def _is_simple(pairs: NDArray[np.int32]) -> bool:
    """Whether all candidates join one word with one word."""
    for c in range(len(pairs)):
        if pairs[c, HYP_END] - pairs[c, HYP] != 1 or pairs[c, REF_END] - pairs[c, REF] != 1:
            return False
    return True


@kernel
def _find(parent: NDArray[np.int32], node: int) -> int:
    while parent[node] != node:
        parent[node] = parent[parent[node]]
        node = parent[node]
    return node


@kernel
def _join(parent: NDArray[np.int32], one: int, other: int) -> None:
    one, other = _find(parent, one), _find(parent, other)
    parent[max(one, other)] = min(one, other)


@kernel
def _join_words(
    pairs: NDArray[np.int32], status: NDArray[np.uint8], i0: int, n: int, j0: int, m: int
) -> NDArray[np.int32]:
    """Return a forest of the words of a row, hypothesis before reference, joined by open candidates."""
    parent = np.empty(n + m, np.int32)
    for node in range(n + m):
        parent[node] = node
    for c in range(len(pairs)):
        if status[c] == OPEN:
            for i in range(pairs[c, HYP] + 1, pairs[c, HYP_END]):
                _join(parent, pairs[c, HYP] - i0, i - i0)
            for j in range(pairs[c, REF], pairs[c, REF_END]):
                _join(parent, pairs[c, HYP] - i0, n + j - j0)
    return parent


@kernel
def _components(
    pairs: NDArray[np.int32], weight: NDArray[np.int64], status: NDArray[np.uint8], i0: int, n: int, j0: int, m: int
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Return the component of each hypothesis word (words joined by open candidates) and whether it is uniform.

    In a uniform component every hypothesis word may go with every reference word at the same positive weight, as
    with a repeated word. Any two of its matches may then swap partners.
    """
    parent = _join_words(pairs, status, i0, n, j0, m)
    sides = np.zeros((n + m, 2), np.int64)
    for node in range(n + m):
        sides[_find(parent, node), int(node >= n)] += 1
    edges = np.zeros(n + m, np.int64)
    common = np.zeros(n + m, np.int64)
    uniform = np.ones(n + m, np.bool_)
    root = np.empty(n, np.int32)
    for i in range(n):
        root[i] = _find(parent, i)
    for c in range(len(pairs)):
        if status[c] == OPEN:
            top = root[pairs[c, HYP] - i0]
            edges[top] += 1
            if edges[top] == 1:
                common[top] = weight[c]
            single = pairs[c, HYP_END] - pairs[c, HYP] == 1 and pairs[c, REF_END] - pairs[c, REF] == 1
            uniform[top] &= weight[c] == common[top] and weight[c] > 0 and single
    for node in range(n + m):
        uniform[node] &= edges[node] == sides[node, 0] * sides[node, 1]
    return root, uniform


@kernel
def _fix_linked(
    pairs: NDArray[np.int32],
    status: NDArray[np.uint8],
    start: NDArray[np.int32],
    following: NDArray[np.int32],
    root: NDArray[np.int32],
    uniform: NDArray[np.bool_],
    i0: int,
    n: int,
    j0: int,
    m: int,
) -> int:
    """Fix a candidate (i, j) of a uniform component whose links to fixed ones outweigh all that i and j could have.

    Proof: let a best matching hold (i, j') and (i', j) instead. Swapping partners keeps the weight and the number of
    matches, gains the links of (i, j) to fixed matches, and loses at most the links counted here; with more gained
    than lost it was not the best. If i or j is unmatched, moving a match does the same. Fixing goes on until nothing
    changes, because each fixed match may settle its neighbours. Gives the number of candidates left open.
    """
    count = len(pairs)
    before = np.full(count, -1, np.int32)
    by_ref = np.zeros(m + 2, np.int32)
    for c in range(count):
        if following[c] >= 0:
            before[following[c]] = c
        by_ref[pairs[c, REF] - j0 + 2] += 1
    for j in range(m):
        by_ref[j + 2] += by_ref[j + 1]
    column = np.empty(count, np.int32)  # the candidates by reference word: of word j at by_ref[j]:by_ref[j + 1]
    partners = np.zeros(n + m, np.int32)
    todo = np.empty(count, np.int32)
    left = 0
    for c in range(count):
        i, j = pairs[c, HYP] - i0, pairs[c, REF] - j0
        column[by_ref[j + 1]] = c
        by_ref[j + 1] += 1
        if status[c] == OPEN:
            partners[i] += 1
            partners[n + j] += 1
            todo[left] = c
            left += 1
    changed = True
    while changed:
        changed = False
        for t in range(left):
            c = todo[t]
            i, j = pairs[c, HYP] - i0, pairs[c, REF] - j0
            if status[c] != OPEN or not uniform[root[i]]:
                continue
            backward = before[c] >= 0 and status[before[c]] == FIXED
            forward = following[c] >= 0 and status[following[c]] == FIXED
            alone = partners[i] == 1 and partners[n + j] == 1
            if not (backward or forward or alone):
                continue
            balance = int(backward) + int(forward)
            for side in range(2):
                low, high = (start[i], start[i + 1]) if side == 0 else (by_ref[j], by_ref[j + 1])
                lose_backward = lose_forward = False
                for k in range(low, high):
                    other = k if side == 0 else column[k]
                    if other != c and status[other] == OPEN:
                        lose_backward |= before[other] >= 0 and status[before[other]] != DEAD
                        lose_forward |= following[other] >= 0 and status[following[other]] != DEAD
                balance -= int(lose_backward and not backward) + int(lose_forward and not forward)
            if balance > 0 or alone:
                for side in range(2):
                    low, high = (start[i], start[i + 1]) if side == 0 else (by_ref[j], by_ref[j + 1])
                    for k in range(low, high):
                        other = k if side == 0 else column[k]
                        if status[other] == OPEN:
                            status[other] = DEAD
                            partners[pairs[other, HYP] - i0] -= 1
                            partners[n + pairs[other, REF] - j0] -= 1
                status[c] = FIXED
                changed = True
        still = 0
        for t in range(left):
            if status[todo[t]] == OPEN:
                todo[still] = todo[t]
                still += 1
        left = still
    return left


@kernel
def _bit_length(number: int) -> int:
    bits = 0
    while number:
        bits += 1
        number >>= 1
    return bits


@kernel
def _weigh(
    pairs: NDArray[np.int32],
    weight: NDArray[np.int64],
    status: NDArray[np.uint8],
    behind: NDArray[np.int32],
    gain: NDArray[np.int64],
    i0: int,
    n: int,
    j0: int,
    m: int,
) -> tuple[int, bool]:
    """Fill in what each candidate adds, links to fixed ones included; give what a link adds and whether all fits.

    Sentences of many thousand words leave too few bits: displacement is then counted in coarser steps.
    """
    matches = min(n, m)
    distance_bits, chunk_bits = _bit_length(matches * max(n, m)), _bit_length(matches)
    heaviest = 0
    for c in range(len(pairs)):
        heaviest = max(heaviest, weight[c])
    coarse = max(0, distance_bits + chunk_bits + _bit_length(heaviest * (n + m)) - _BITS)
    link = 1 << (distance_bits - coarse)
    starts_at = np.full(n + 1, -1, np.int32)
    ends_at = np.full(n + 1, -1, np.int32)
    for c in range(len(pairs)):
        if status[c] == FIXED:
            starts_at[pairs[c, HYP] - i0] = pairs[c, REF]
            ends_at[pairs[c, HYP_END] - i0] = pairs[c, REF_END]
    for c in range(len(pairs)):
        i, j = pairs[c, HYP] - i0, pairs[c, REF] - j0
        gain[c] = -(abs(i - j) >> coarse)
        gain[c] += link * int(ends_at[i] == pairs[c, REF])
        gain[c] += link * int(starts_at[pairs[c, HYP_END] - i0] == pairs[c, REF_END])
        if behind[i] < 0:  # in a uniform component the number of matches is certain: only what differs counts
            words = pairs[c, HYP_END] - pairs[c, HYP] + pairs[c, REF_END] - pairs[c, REF]
            gain[c] += (link << chunk_bits) * weight[c] * words - link
    return link, coarse == 0


@kernel
def _regions(
    pairs: NDArray[np.int32],
    status: NDArray[np.uint8],
    start: NDArray[np.int32],
    following: NDArray[np.int32],
    i0: int,
    n: int,
    j0: int,
    m: int,
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Group the words where open candidates start by common word or possible link; give them and the groups' ends."""
    parent = _join_words(pairs, status, i0, n, j0, m)
    for c in range(len(pairs)):
        other = following[c]
        while status[c] == OPEN and 0 <= other < len(pairs):
            if pairs[other, HYP] != pairs[c, HYP_END] or pairs[other, REF] != pairs[c, REF_END]:
                break
            if status[other] == OPEN:
                _join(parent, pairs[c, HYP] - i0, pairs[other, HYP] - i0)
            other += 1
    sizes = np.zeros(n + m, np.int64)
    wanted = np.zeros(n, np.bool_)
    for i in range(n):
        for c in range(start[i], start[i + 1]):
            wanted[i] |= status[c] == OPEN
        sizes[_find(parent, i)] += int(wanted[i])
    ends = np.empty(n, np.int64)
    filled = np.zeros(n, np.int64)
    regions = total = 0
    for i in range(n):
        if sizes[i]:
            filled[i] = total
            total += sizes[i]
            ends[regions] = total
            regions += 1
    words = np.empty(total, np.int32)
    for i in range(n):
        if wanted[i]:
            top = _find(parent, i)
            words[filled[top]] = i
            filled[top] += 1
    return words, ends[:regions]


@kernel
def _count_behind(
    pairs: NDArray[np.int32],
    status: NDArray[np.uint8],
    start: NDArray[np.int32],
    root: NDArray[np.int32],
    uniform: NDArray[np.bool_],
    i0: int,
    n: int,
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Return for each open word of a uniform component how many of its open words come behind it, else −1.

    And for each word whether it may stay unmatched: not in a uniform component with a reference word for each.
    """
    seen = np.zeros(len(uniform), np.int32)
    behind = np.full(n, -1, np.int32)
    for c in range(len(pairs) - 1, -1, -1):
        i = pairs[c, HYP] - i0
        if status[c] == OPEN and uniform[root[i]] and behind[i] < 0:
            behind[i] = seen[root[i]]
            seen[root[i]] += 1
    spare = np.ones(n, np.bool_)
    for i in range(n):
        if behind[i] >= 0:
            partners = 0
            for c in range(start[i], start[i + 1]):
                partners += int(status[c] == OPEN)
            spare[i] = seen[root[i]] > partners
    return behind, spare
