"""Bounds on what a region can gain, and the regions that a bound alone solves.

The bound is the best *way*: a choice from left to right over the hypothesis that may use reference words twice. If it
does not, it is the best matching. Otherwise tolls on reference words bring the bound down (Lagrangian relaxation):
each use of a word costs its toll, and all tolls are handed back once, so no matching seems worth less than it is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wordorder.runtime.kernels import kernel

# As in the reduction; a kernel takes no constants from another file, whose changes its cache would not notice.
_HYP, _HYP_END, _REF, _REF_END = 0, 1, 2, 3
_OPEN = 1
_FROM, _TO, _BEHIND, _SPARE = 0, 1, 2, 3

_ROUNDS = 30
_MOST_STEPS = 100  # places in a region for the cubic Hungarian method
_DEAR = 1 << 57  # more than all gains together
_FAR = 1 << 61
_NEVER = 1 << 62


@kernel
def look_ahead(
    region_offsets: NDArray[np.int64],
    places: NDArray[np.int64],
    links: NDArray[np.int64],
    pairs: NDArray[np.int32],
    gain: NDArray[np.int64],
    following: NDArray[np.int64],
    status: NDArray[np.uint8],
    reference_size: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Bound what is gained behind each candidate and from each place on, and solve what is easy.

    Gives the two bounds (the second has a place more per region: its end), the candidate chosen at each place (−1:
    none), and which regions are solved by it.
    """
    regions = len(region_offsets) - 1
    behind = np.zeros(len(pairs), np.int64)
    onward = np.empty(len(pairs), np.int64)
    leave = np.zeros(len(places) + regions, np.int64)
    choice = np.full(len(places), -1, np.int64)
    solved = np.ones(regions, np.bool_)
    toll = np.zeros(reference_size, np.int64)
    uses = np.zeros(reference_size, np.int64)
    seen = np.zeros(reference_size, np.int64)
    column = np.empty(reference_size, np.int64)
    for region in range(regions):
        a, b = region_offsets[region], region_offsets[region + 1]
        way, ahead = choice[a:b], leave[a + region : b + region + 1]
        _bound(places[a:b], links[region], pairs, gain, following, status, toll, behind, onward, ahead, way)
        for step in range(b - a):
            # Where words are to spare the way may have left out too many: it counts no weight there.
            solved[region] &= b - a == 1 or places[a + step, _BEHIND] < 0 or not places[a + step, _SPARE]
            if way[step] >= 0:
                for j in range(pairs[way[step], _REF], pairs[way[step], _REF_END]):
                    uses[j] += 1
                    solved[region] &= uses[j] == 1
        if not solved[region] and b - a <= _MOST_STEPS and _has_no_links(places[a:b], pairs, following, status):
            words = _words(places[a:b], pairs, status, seen)
            _assign(places[a:b], pairs, gain, status, words, column, True, way)
            solved[region] = True
    return behind, leave, choice, solved


@kernel
def _bound(
    places: NDArray[np.int64],
    link: int,
    pairs: NDArray[np.int32],
    gain: NDArray[np.int64],
    following: NDArray[np.int64],
    status: NDArray[np.uint8],
    toll: NDArray[np.int64],
    behind: NDArray[np.int64],
    onward: NDArray[np.int64],
    leave: NDArray[np.int64],
    way: NDArray[np.int64],
) -> None:
    """Fill in the bounds of one region, tolls paid, and the best way: the candidate of each place or −1."""
    stop = places[len(places) - 1, _TO]
    pick = np.full(len(places), -1, np.int64)
    for step in range(len(places) - 1, -1, -1):
        leave[step] = leave[step + 1] if places[step, _SPARE] else -_NEVER
        for c in range(places[step, _FROM], places[step, _TO]):
            if status[c] != _OPEN:
                continue
            later = step + 1
            while later < len(places) and pairs[places[later, _FROM], _HYP] < pairs[c, _HYP_END]:
                later += 1
            behind[c], onward[c] = leave[later], -1
            other = following[c]
            while 0 <= other < stop:
                if pairs[other, _HYP] != pairs[c, _HYP_END] or pairs[other, _REF] != pairs[c, _REF_END]:
                    break
                if status[other] == _OPEN:
                    linked = link + gain[other] - _sum(toll, pairs[other]) + behind[other]
                    if linked > behind[c]:
                        behind[c], onward[c] = linked, other
                other += 1
            total = gain[c] - _sum(toll, pairs[c]) + behind[c]
            if total > leave[step]:
                leave[step], pick[step] = total, c
    for step in range(len(places)):
        way[step] = -1
    step = 0
    linked_to = -1
    while step < len(places):
        c = linked_to if linked_to >= 0 else pick[step]
        linked_to = -1
        way[step] = c
        step += 1
        if c >= 0:
            linked_to = onward[c]
            while step < len(places) and pairs[places[step, _FROM], _HYP] < pairs[c, _HYP_END]:
                step += 1


@kernel
def _sum(toll: NDArray[np.int64], pair: NDArray[np.int32]) -> int:
    total = 0
    for j in range(pair[_REF], pair[_REF_END]):
        total += toll[j]
    return total


@kernel
def tighten(
    which: NDArray[np.int64],
    first: bool,
    region_offsets: NDArray[np.int64],
    places: NDArray[np.int64],
    links: NDArray[np.int64],
    pairs: NDArray[np.int32],
    gain: NDArray[np.int64],
    following: NDArray[np.int64],
    status: NDArray[np.uint8],
    scores: NDArray[np.int64],
    toll: NDArray[np.int64],
    handed_back: NDArray[np.int64],
    behind: NDArray[np.int64],
    leave: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Adjust the tolls of some regions to lower their bounds, and tell which came down to the score already reached.

    Tolls start as the prices of the best assignment without links, which are right up to the worth of links; then
    they follow the subgradient (uses − 1) with Polyak's step, (bound − score) / length².
    """
    proven = np.zeros(len(which), np.bool_)
    onward = np.empty(len(pairs), np.int64)
    uses = np.zeros(len(toll), np.int64)
    kept = np.zeros(len(toll), np.int64)
    for k in range(len(which)):
        region = which[k]
        a, b = region_offsets[region], region_offsets[region + 1]
        p, link, ahead = places[a:b], links[region], leave[a + region : b + region + 1]
        way = np.empty(b - a, np.int64)
        words = _words(p, pairs, status, uses)
        if first and b - a <= _MOST_STEPS and _is_simple(p, pairs):
            _assign(p, pairs, gain, status, words, toll, False, way)
        lowest = _NEVER
        for turn in range(_ROUNDS + 1):
            if turn == _ROUNDS:
                for j in words:
                    toll[j] = kept[j]
            _bound(p, link, pairs, gain, following, status, toll, behind, onward, ahead, way)
            handed_back[region] = 0
            for j in words:
                handed_back[region] += toll[j]
            bound = ahead[0] + handed_back[region]
            if bound < lowest:
                lowest = bound
                for j in words:
                    kept[j] = toll[j]
            if bound <= scores[region] or turn == _ROUNDS:
                break
            for j in words:
                uses[j] = 0
            for step in range(b - a):
                if way[step] >= 0:
                    for j in range(pairs[way[step], _REF], pairs[way[step], _REF_END]):
                        uses[j] += 1
            length = 0
            for j in words:
                if uses[j] > 1 or toll[j] > 0:
                    length += (uses[j] - 1) ** 2
            step_length = max(1, (bound - scores[region]) // max(1, length))
            for j in words:
                toll[j] = max(0, toll[j] + step_length * (uses[j] - 1))
        proven[k] = lowest <= scores[region]
    return proven


@kernel
def _words(
    places: NDArray[np.int64], pairs: NDArray[np.int32], status: NDArray[np.uint8], seen: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the reference words of a region."""
    found = np.empty(16, np.int64)
    count = 0
    for step in range(len(places)):
        for c in range(places[step, _FROM], places[step, _TO]):
            if status[c] == _OPEN:
                for j in range(pairs[c, _REF], pairs[c, _REF_END]):
                    if seen[j] == 0:
                        seen[j] = 1
                        if count == len(found):
                            longer = np.empty(2 * count, np.int64)
                            for k in range(count):
                                longer[k] = found[k]
                            found = longer
                        found[count] = j
                        count += 1
    for k in range(count):
        seen[found[k]] = 0
    return found[:count]


@kernel
def _is_simple(places: NDArray[np.int64], pairs: NDArray[np.int32]) -> bool:
    for step in range(len(places)):
        for c in range(places[step, _FROM], places[step, _TO]):
            if pairs[c, _HYP_END] - pairs[c, _HYP] != 1 or pairs[c, _REF_END] - pairs[c, _REF] != 1:
                return False
    return True


@kernel
def _has_no_links(
    places: NDArray[np.int64], pairs: NDArray[np.int32], following: NDArray[np.int64], status: NDArray[np.uint8]
) -> bool:
    """Whether a region is an assignment of single words only: no two of its candidates can link."""
    for step in range(len(places)):
        for c in range(places[step, _FROM], places[step, _TO]):
            if status[c] == _OPEN and following[c] >= 0 and status[following[c]] == _OPEN:
                return False
    return _is_simple(places, pairs)


@kernel
def _assign(
    places: NDArray[np.int64],
    pairs: NDArray[np.int32],
    gain: NDArray[np.int64],
    status: NDArray[np.uint8],
    words: NDArray[np.int64],
    price: NDArray[np.int64],
    most: bool,
    way: NDArray[np.int64],
) -> None:
    """Find the best assignment of single words, links aside (the Hungarian method), and the prices of the words.

    ``most`` says that uniform components have as many matches as they can, which their gains do not tell.
    """
    for k in range(len(words)):
        price[words[k]] = k  # for now the column of the word
    # One column more for each place, "stays alone", and the last, `none`, for the place being assigned.
    none = len(words) + len(places)
    cost = np.full((len(places), none), _FAR, np.int64)
    for step in range(len(places)):
        if places[step, _SPARE]:
            cost[step, len(words) + step] = _DEAR if most and places[step, _BEHIND] >= 0 else 0
        for c in range(places[step, _FROM], places[step, _TO]):
            if status[c] == _OPEN:
                cost[step, price[pairs[c, _REF]]] = -gain[c]
    row_price = np.zeros(len(places), np.int64)
    column_price = np.zeros(none + 1, np.int64)
    taken_by = np.full(none + 1, -1, np.int64)
    came_from = np.empty(none + 1, np.int64)
    for step in range(len(places)):
        taken_by[none] = step
        at = none
        slack = np.full(none + 1, _NEVER, np.int64)
        done = np.zeros(none + 1, np.bool_)
        while taken_by[at] >= 0:
            done[at] = True
            here = taken_by[at]
            least, next_at = _NEVER, none
            for k in range(none):
                if done[k]:
                    continue
                if cost[here, k] < _FAR and cost[here, k] - row_price[here] - column_price[k] < slack[k]:
                    slack[k] = cost[here, k] - row_price[here] - column_price[k]
                    came_from[k] = at
                if slack[k] < least:
                    least, next_at = slack[k], k
            for k in range(none + 1):
                if done[k]:
                    row_price[taken_by[k]] += least
                    column_price[k] -= least
                elif slack[k] < _NEVER:
                    slack[k] -= least
            at = next_at
        while at != none:
            taken_by[at] = taken_by[came_from[at]]
            at = came_from[at]
    for step in range(len(places)):
        way[step] = -1
        for c in range(places[step, _FROM], places[step, _TO]):
            if status[c] == _OPEN and taken_by[price[pairs[c, _REF]]] == step:
                way[step] = c
    for k in range(len(words)):
        price[words[k]] = -column_price[k]
