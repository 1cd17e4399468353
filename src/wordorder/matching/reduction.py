"""What can be settled before any search: candidates that stand in every best matching, and independent regions.

A *link* is a pair of chosen candidates adjacent on both sides, so chunks = matches − links. What a matching is worth
(weighted words, chunks, displacement) is a sum over its candidates and links; one integer holds it, the weight in its
high bits, the displacement in its low ones.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wordorder.runtime.kernels import kernel

DEAD, OPEN, FIXED = 0, 1, 2

_BITS = 62


@kernel
def reduce(
    offsets: NDArray[np.int64],
    hyp: NDArray[np.int32],
    hyp_size: NDArray[np.int32],
    ref: NDArray[np.int32],
    ref_size: NDArray[np.int32],
    weight: NDArray[np.int64],
    hyp_lengths: NDArray[np.int64],
    ref_lengths: NDArray[np.int64],
) -> tuple[
    NDArray[np.uint8],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.bool_],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.int64],
]:
    """Settle what is certain in each row; its candidates are sorted by hypothesis start, then by reference start.

    Gives per candidate its status, what choosing it adds, and the first candidate that would link to it (−1: none);
    per row what a link adds and whether it could all be counted exactly; and the regions left: the offsets of their
    places, the row of each, and for each place (a hypothesis word where open candidates start) the span of its
    candidates and how many words of its uniform component come behind it (−1: it is in none).
    """
    rows = len(offsets) - 1
    status = np.full(len(hyp), OPEN, np.uint8)
    gain = np.empty(len(hyp), np.int64)
    following = np.empty(len(hyp), np.int64)
    link = np.zeros(rows, np.int64)
    exact = np.ones(rows, np.bool_)
    places = np.empty((64, 4), np.int64)
    region_rows = np.empty(64, np.int64)
    region_offsets = np.zeros(65, np.int64)
    regions = 0
    for row in range(rows):
        a, b = offsets[row], offsets[row + 1]
        if a == b:
            continue
        n, m = hyp_lengths[row], ref_lengths[row]
        h, hs, r, rs, w, s = hyp[a:b], hyp_size[a:b], ref[a:b], ref_size[a:b], weight[a:b], status[a:b]
        start = _index(h, n)
        follow = _follow(h, hs, r, rs, start)
        root, uniform = _components(h, hs, r, rs, w, n, m)
        _fix_isolated(h, hs, r, rs, w, n, m, s)
        if hs.max() == 1 and rs.max() == 1:
            _fix_linked(h, r, start, follow, root, uniform, m, s)
        link[row], exact[row] = _weigh(h, hs, r, rs, w, n, m, root, uniform, s, gain[a:b])
        for c in range(b - a):
            following[a + c] = a + follow[c] if follow[c] >= 0 else -1
        words, ends = _regions(h, hs, r, rs, start, follow, n, m, s)
        behind, surplus = _count_behind(h, start, root, uniform, n, s)
        if regions + len(ends) > len(region_rows):
            region_rows = np.append(region_rows, np.empty(len(region_rows) + len(ends), np.int64))
            region_offsets = np.append(region_offsets, np.empty(len(region_offsets) + len(ends), np.int64))
        used = region_offsets[regions]
        if used + len(words) > len(places):
            larger = np.empty((2 * len(places) + len(words), 4), np.int64)
            larger[:used] = places[:used]
            places = larger
        for k in range(len(words)):
            places[used + k, 0] = a + start[words[k]]
            places[used + k, 1] = a + start[words[k] + 1]
            places[used + k, 2] = behind[words[k]]
            places[used + k, 3] = surplus[words[k]]
        for k in range(len(ends)):
            region_rows[regions] = row
            region_offsets[regions + 1] = used + ends[k]
            regions += 1
    return (
        status,
        gain,
        following,
        link,
        exact,
        region_offsets[: regions + 1],
        region_rows[:regions],
        places[: region_offsets[regions]],
    )


@kernel
def _index(hyp: NDArray[np.int32], n: int) -> NDArray[np.int32]:
    """Index the sorted candidates: those that start at hypothesis word i stand at start[i]:start[i + 1]."""
    start = np.zeros(n + 2, np.int32)
    for c in range(len(hyp)):
        start[hyp[c] + 1] += 1
    for i in range(n + 1):
        start[i + 1] += start[i]
    return start


@kernel
def _follow(
    hyp: NDArray[np.int32],
    hyp_size: NDArray[np.int32],
    ref: NDArray[np.int32],
    ref_size: NDArray[np.int32],
    start: NDArray[np.int32],
) -> NDArray[np.int32]:
    """Give for each candidate the first one that starts where it ends on both sides, or −1."""
    following = np.full(len(hyp), -1, np.int32)
    for c in range(len(hyp)):
        end = hyp[c] + hyp_size[c]
        low, high = start[end], start[end + 1]
        wanted = ref[c] + ref_size[c]
        stop = high
        while low < high:
            middle = (low + high) // 2
            if ref[middle] < wanted:
                low = middle + 1
            else:
                high = middle
        if low < stop and ref[low] == wanted:
            following[c] = low
    return following


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
def _components(
    hyp: NDArray[np.int32],
    hyp_size: NDArray[np.int32],
    ref: NDArray[np.int32],
    ref_size: NDArray[np.int32],
    weight: NDArray[np.int64],
    n: int,
    m: int,
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Give the component of each hypothesis word (words joined by candidates) and whether it is uniform.

    In a uniform component every hypothesis word may go with every reference word at the same positive weight, as
    with a repeated word. Any two of its matches may then swap partners.
    """
    parent = np.arange(n + m).astype(np.int32)
    for c in range(len(hyp)):
        for k in range(hyp_size[c]):
            _join(parent, hyp[c], hyp[c] + k)
        for k in range(ref_size[c]):
            _join(parent, hyp[c], n + ref[c] + k)
    sides = np.zeros((n + m, 2), np.int64)
    edges = np.zeros(n + m, np.int64)
    common = np.full(n + m, -1, np.int64)
    uniform = np.ones(n + m, np.bool_)
    root = np.empty(n, np.int32)
    for node in range(n + m):
        top = _find(parent, node)
        sides[top, int(node >= n)] += 1
        if node < n:
            root[node] = top
    for c in range(len(hyp)):
        top = root[hyp[c]]
        edges[top] += 1
        if common[top] < 0:
            common[top] = weight[c]
        if weight[c] != common[top] or weight[c] == 0 or hyp_size[c] != 1 or ref_size[c] != 1:
            uniform[top] = False
    for node in range(n + m):
        if edges[node] != sides[node, 0] * sides[node, 1]:
            uniform[node] = False
    return root, uniform


@kernel
def _fix_isolated(
    hyp: NDArray[np.int32],
    hyp_size: NDArray[np.int32],
    ref: NDArray[np.int32],
    ref_size: NDArray[np.int32],
    weight: NDArray[np.int64],
    n: int,
    m: int,
    status: NDArray[np.uint8],
) -> None:
    """Fix each candidate of positive weight that shares no word with another one: leaving it out only loses."""
    cover = np.zeros(n + m, np.int32)
    for c in range(len(hyp)):
        for k in range(hyp_size[c]):
            cover[hyp[c] + k] += 1
        for k in range(ref_size[c]):
            cover[n + ref[c] + k] += 1
    for c in range(len(hyp)):
        alone = weight[c] > 0
        for k in range(hyp_size[c]):
            alone &= cover[hyp[c] + k] == 1
        for k in range(ref_size[c]):
            alone &= cover[n + ref[c] + k] == 1
        if alone:
            status[c] = FIXED


@kernel
def _fix_linked(
    hyp: NDArray[np.int32],
    ref: NDArray[np.int32],
    start: NDArray[np.int32],
    following: NDArray[np.int32],
    root: NDArray[np.int32],
    uniform: NDArray[np.bool_],
    m: int,
    status: NDArray[np.uint8],
) -> None:
    """Fix a candidate (i, j) of a uniform component whose links to fixed ones outweigh all that i and j could have.

    Proof: let a best matching hold (i, j') and (i', j) instead. Swapping partners keeps the weight and the number of
    matches, gains the links of (i, j) to fixed matches, and loses at most the links counted here; with more gained
    than lost it was not the best. If i or j is unmatched, moving a match does the same. Fixing goes on until nothing
    changes, because each fixed match may settle its neighbours.
    """
    count = len(hyp)
    before = np.full(count, -1, np.int32)
    for c in range(count):
        if following[c] >= 0:
            before[following[c]] = c
    by_ref = np.zeros(m + 2, np.int32)
    for c in range(count):
        by_ref[ref[c] + 2] += 1
    for j in range(m):
        by_ref[j + 2] += by_ref[j + 1]
    column = np.empty(count, np.int32)
    for c in range(count):
        column[by_ref[ref[c] + 1]] = c
        by_ref[ref[c] + 1] += 1
    changed = True
    while changed:
        changed = False
        for c in range(count):
            if status[c] != OPEN or not uniform[root[hyp[c]]]:
                continue
            i, j = hyp[c], ref[c]
            backward = before[c] >= 0 and status[before[c]] == FIXED
            forward = following[c] >= 0 and status[following[c]] == FIXED
            balance = int(backward) + int(forward)
            alone = True
            for side in range(2):
                low = start[i] if side == 0 else by_ref[j]
                high = start[i + 1] if side == 0 else by_ref[j + 1]
                lose_backward = lose_forward = False
                for k in range(low, high):
                    other = k if side == 0 else column[k]
                    if other != c and status[other] == OPEN:
                        alone = False
                        lose_backward |= before[other] >= 0 and status[before[other]] != DEAD
                        lose_forward |= following[other] >= 0 and status[following[other]] != DEAD
                balance -= int(lose_backward and not backward) + int(lose_forward and not forward)
            if balance > 0 or alone:
                for k in range(start[i], start[i + 1]):
                    status[k] = DEAD
                for k in range(by_ref[j], by_ref[j + 1]):
                    status[column[k]] = DEAD
                status[c] = FIXED
                changed = True


@kernel
def _bit_length(number: int) -> int:
    bits = 0
    while number:
        bits += 1
        number >>= 1
    return bits


@kernel
def _weigh(
    hyp: NDArray[np.int32],
    hyp_size: NDArray[np.int32],
    ref: NDArray[np.int32],
    ref_size: NDArray[np.int32],
    weight: NDArray[np.int64],
    n: int,
    m: int,
    root: NDArray[np.int32],
    uniform: NDArray[np.bool_],
    status: NDArray[np.uint8],
    gain: NDArray[np.int64],
) -> tuple[int, bool]:
    """Fill in what each candidate adds, links to fixed ones included; give what a link adds and whether all fits.

    Sentences of many thousand words leave too few bits: displacement is then counted in coarser steps.
    """
    matches = min(n, m)
    distance_bits = _bit_length(matches * max(n, m))
    chunk_bits = _bit_length(matches)
    coarse = max(0, distance_bits + chunk_bits + _bit_length(weight.max() * (n + m)) - _BITS)
    link = np.int64(1) << (distance_bits - coarse)
    start_at = np.full(n + 1, -1, np.int32)
    end_at = np.full(n + 1, -1, np.int32)
    for c in range(len(hyp)):
        if status[c] == FIXED:
            start_at[hyp[c]] = ref[c]
            end_at[hyp[c] + hyp_size[c]] = ref[c] + ref_size[c]
    for c in range(len(hyp)):
        gain[c] = -(abs(hyp[c] - ref[c]) >> coarse)
        if not uniform[root[hyp[c]]]:  # there the number of matches is certain, and only what differs counts
            gain[c] += (link << chunk_bits) * weight[c] * (hyp_size[c] + ref_size[c]) - link
        gain[c] += link * int(end_at[hyp[c]] == ref[c])
        gain[c] += link * int(start_at[hyp[c] + hyp_size[c]] == ref[c] + ref_size[c])
    return link, coarse == 0


@kernel
def _regions(
    hyp: NDArray[np.int32],
    hyp_size: NDArray[np.int32],
    ref: NDArray[np.int32],
    ref_size: NDArray[np.int32],
    start: NDArray[np.int32],
    following: NDArray[np.int32],
    n: int,
    m: int,
    status: NDArray[np.uint8],
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Group the words where open candidates start by common word or possible link; give them and the groups' ends."""
    parent = np.arange(n + m).astype(np.int32)
    for c in range(len(hyp)):
        if status[c] != OPEN:
            continue
        for k in range(hyp_size[c]):
            _join(parent, hyp[c], hyp[c] + k)
        for k in range(ref_size[c]):
            _join(parent, hyp[c], n + ref[c] + k)
        other = following[c]
        while 0 <= other < len(hyp) and hyp[other] == hyp[c] + hyp_size[c] and ref[other] == ref[c] + ref_size[c]:
            if status[other] == OPEN:
                _join(parent, hyp[c], hyp[other])
            other += 1
    sizes = np.zeros(n + 1, np.int64)
    wanted = np.zeros(n, np.bool_)
    for i in range(n):
        for c in range(start[i], start[i + 1]):
            wanted[i] |= status[c] == OPEN
        if wanted[i]:
            sizes[_find(parent, i)] += 1
    number = np.zeros(n, np.int32)
    starts = np.zeros(n + 1, np.int64)
    regions = 0
    for i in range(n):
        if sizes[i]:
            number[i] = regions
            starts[regions + 1] = starts[regions] + sizes[i]
            regions += 1
    filled = starts.copy()
    places = np.empty(starts[regions], np.int32)
    for i in range(n):
        if wanted[i]:
            region = number[_find(parent, i)]
            places[filled[region]] = i
            filled[region] += 1
    return places, starts[1 : regions + 1]


@kernel
def _count_behind(
    hyp: NDArray[np.int32],
    start: NDArray[np.int32],
    root: NDArray[np.int32],
    uniform: NDArray[np.bool_],
    n: int,
    status: NDArray[np.uint8],
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Give for each open word of a uniform component how many of its open words come behind it, else −1.

    And for each open word whether it may stay unmatched: not if its component has a reference word for each.
    """
    seen = np.zeros(len(uniform), np.int32)
    behind = np.full(n, -1, np.int32)
    for c in range(len(hyp) - 1, -1, -1):
        i = hyp[c]
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
