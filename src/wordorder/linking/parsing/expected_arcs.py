"""Expected dependencies over all trees of a packed forest, each weighted by the γ-th power of its probability.

1. *Inside.* The weights of all derivations of an item are summed in log space; each edge receives its share of the
item's weight.

2. *Heads.* The weight of an item is divided among the possible head words of its derivations. A step of a binarised
rule covers a run of children whose head is not yet known; its weight is divided among the possible summaries of such
a run and the words that may still become the head (see ``trees/heads.py``).

3. *Outside.* Probability flows down from the root in proportion to these shares. On the way down, the head of a
constituent is known before its steps are visited, so every child with a different head word adds an arc to this head.
If chains are requested, a separate flow is kept for every possible head of the head.
"""

from typing import NamedTuple

import numpy as np

from wordorder.core.runtime.columns import Floats, Int64s, Ints
from wordorder.core.runtime.kernels import inner_kernel, kernel
from wordorder.core.trees.heads import NEW, RunTables
from wordorder.linking.parsing.kbest import grow
from wordorder.linking.parsing.packed_forest import PackedForest

_SUMMARY, _WORDS = 0, 1  # columns of readings: the summary of a run (−1: complete), then the words in its slots
_READING, _LEFT, _RIGHT, _EDGE = range(4)  # columns of splits
_FIRST, _LAST, _FIRST_SPLIT, _LAST_SPLIT = range(4)  # columns of bounds
_HEAD, _NEXT = range(2)  # columns of flows
_DEPENDENT, _GOVERNOR, _ABOVE, _BELOW, _NEXT_ARC = range(5)  # columns of arcs


class Expected(NamedTuple):
    """The expected dependencies of one sentence.

    The rows of ``arcs`` are (dependent, head, A, B): the positions of two words, the label of the constituent in
    which they are joined, and the label of the child that contains the dependent. The rows of ``chains`` are
    (dependent, head, head of the head). The head of the root is −1. Weights are expected counts.
    """

    arcs: Ints
    weights: Floats
    chains: Ints
    chain_weights: Floats


class _Readings(NamedTuple):
    """The readings of all items, where a reading is an item with one of its possible head words.

    ``bounds`` delimits the readings and the splits of each item. ``shares`` has the share of each reading in the
    weight of its item. A split is one way to derive a reading: an edge together with one reading of each of its
    parts; ``split_shares`` has the share of each split in the weight of the item.
    """

    table: Ints
    shares: Floats
    bounds: Int64s
    splits: Ints
    split_shares: Floats


def expect(runs: RunTables, forest: PackedForest, gamma: float, length: int, *, chains: bool) -> Expected:
    """Return the expected arcs of a forest and, if requested, its expected chains.

    ``length`` is the number of words in the sentence.
    """
    arcs, weights, found = _expect(runs, forest, gamma, length, length + 1 if chains else 1)
    places = np.flatnonzero(found)
    rows = np.column_stack(np.unravel_index(places, (length, length, length + 1))).astype(np.int32)
    rows[rows[:, 2] == length, 2] = -1
    return Expected(arcs[:, :_NEXT_ARC], weights, rows, found[places])


@kernel
def _expect(
    runs: RunTables, forest: PackedForest, gamma: float, length: int, width: int
) -> tuple[Ints, Floats, Floats]:
    readings = _read_heads(runs, forest, _inside(forest, gamma))
    return _flow(forest, readings, length, width)


@inner_kernel
def _inside(forest: PackedForest, gamma: float) -> Floats:
    """Return each edge's share of the total weight of its item."""
    totals = np.empty(len(forest.starts), dtype=np.float64)
    shares = np.empty(len(forest.scores), dtype=np.float64)
    for item in range(len(totals) - 1, -1, -1):
        best = -np.inf
        for edge in range(forest.offsets[item], forest.offsets[item + 1]):
            shares[edge] = gamma * forest.scores[edge]
            if forest.left[edge] >= 0:
                shares[edge] += totals[forest.left[edge]]
            if forest.right[edge] >= 0:
                shares[edge] += totals[forest.right[edge]]
            best = max(best, shares[edge])
        total = 0.0
        for edge in range(forest.offsets[item], forest.offsets[item + 1]):
            shares[edge] = np.exp(shares[edge] - best)
            total += shares[edge]
        for edge in range(forest.offsets[item], forest.offsets[item + 1]):
            shares[edge] /= total
        totals[item] = best + np.log(total)
    return shares


@inner_kernel
def _read_heads(runs: RunTables, forest: PackedForest, shares: Floats) -> _Readings:
    """Return the readings of all items, working up from the words."""
    items = len(forest.starts)
    slots = runs.slots.shape[3]
    table, reading_shares = np.empty((4096, 1 + slots), dtype=np.int32), np.empty(4096)
    splits, split_shares = np.empty((4096, 4), dtype=np.int32), np.empty(4096)
    bounds = np.empty((items, 4), dtype=np.int64)
    count = split_count = 0
    for item in range(items - 1, -1, -1):
        first = count
        bounds[item, _FIRST], bounds[item, _FIRST_SPLIT] = count, split_count
        for edge in range(forest.offsets[item], forest.offsets[item + 1]):
            left, right = forest.left[edge], forest.right[edge]
            left_from, left_to = (bounds[left, _FIRST], bounds[left, _LAST]) if left >= 0 else (-1, 0)
            right_from, right_to = (bounds[right, _FIRST], bounds[right, _LAST]) if right >= 0 else (-1, 0)
            for one in range(left_from, left_to):
                for two in range(right_from, right_to):
                    share = shares[edge]
                    share *= reading_shares[one] if one >= 0 else 1.0
                    share *= reading_shares[two] if two >= 0 else 1.0
                    if share == 0.0:
                        continue
                    if count == len(reading_shares):
                        table, reading_shares = grow(table), grow(reading_shares)
                    if split_count == len(split_shares):
                        splits, split_shares = grow(splits), grow(split_shares)
                    for column in range(1 + slots):
                        table[count, column] = table[one, column] if one >= 0 else -1
                    if one < 0:
                        table[count, _WORDS] = forest.starts[item]
                    elif two >= 0:
                        _join(runs, forest, item, edge, table, one, two, count)
                    reading = first
                    while not np.array_equal(table[reading], table[count]):
                        reading += 1
                    if reading == count:
                        reading_shares[count] = 0.0
                        count += 1
                    reading_shares[reading] += share
                    splits[split_count, _READING], splits[split_count, _EDGE] = reading, edge
                    splits[split_count, _LEFT], splits[split_count, _RIGHT] = one, two
                    split_shares[split_count] = share
                    split_count += 1
        bounds[item, _LAST], bounds[item, _LAST_SPLIT] = count, split_count
    return _Readings(table, reading_shares, bounds, splits, split_shares)


@inner_kernel
def _join(
    runs: RunTables, forest: PackedForest, item: int, edge: int, table: Ints, left: int, right: int, new: int
) -> None:
    """Write the reading of an item that results from the given readings of its two parts."""
    above = forest.labels[item]
    one, two = forest.left[edge], forest.right[edge]
    run, child, label, side = left, right, forest.labels[two], 1
    if forest.is_step[two]:
        run, child, label, side = right, left, forest.labels[one], 0
    summary = table[run, _SUMMARY]
    if summary < 0:  # with two children, the left one alone is the run
        summary = runs.single[above, forest.labels[one]]
    kind = runs.kinds[above, label]
    grown = runs.grown[side, summary, kind]
    table[new, _SUMMARY] = grown if forest.is_step[item] else -1
    for slot in range(runs.slots.shape[3]):
        word = -1
        if slot == 0 or (forest.is_step[item] and slot < runs.sizes[grown]):
            source = runs.slots[side, summary, kind, slot]
            word = table[child, _WORDS] if source == NEW else table[run, _WORDS + source]
        table[new, _WORDS + slot] = word


@inner_kernel
def _flow(forest: PackedForest, readings: _Readings, length: int, width: int) -> tuple[Ints, Floats, Floats]:
    """Let probability flow down from the root; return the arcs, their weights, and the weights of the chains.

    Each flow belongs to a reading and to the head of the constituent that is being split into its children. If this
    constituent is ROOT, the head is stored with ``length`` added. A flow consists of a single amount or, if chains
    are requested, of one amount per possible head of the head.
    """
    table, splits = readings.table, readings.splits
    newest = np.full(len(table), -1, dtype=np.int32)  # the most recent flow of each reading
    flows, amounts = np.empty((4096, 2), dtype=np.int32), np.empty(4096 * width)
    sizes = np.zeros(2, dtype=np.int64)  # of flows, of arcs
    lists = np.full((length, length + 1), -1, dtype=np.int32)  # the most recent arc of each pair
    arcs, weights = np.empty((1024, 5), dtype=np.int32), np.empty(1024)
    chains = np.zeros(length * length * (length + 1) if width > 1 else 0)
    for reading in range(readings.bounds[0, _FIRST], readings.bounds[0, _LAST]):
        flow = _flow_of(newest, flows, amounts, sizes, reading, length + table[reading, _WORDS])
        amounts[flow + width - 1] = readings.shares[reading]
    for item in range(len(forest.starts)):
        for split in range(readings.bounds[item, _FIRST_SPLIT], readings.bounds[item, _LAST_SPLIT]):
            reading, edge = splits[split, _READING], splits[split, _EDGE]
            share = readings.split_shares[split] / readings.shares[reading]
            flow = newest[reading]
            while flow >= 0:
                key = flows[flow // width, _HEAD]
                head = key % length
                total = 0.0
                for place in range(width):
                    total += share * amounts[flow + place]
                for side in range(2):
                    part = splits[split, _LEFT + side]
                    if part < 0:
                        continue
                    if sizes[0] == len(flows):
                        flows, amounts = grow(flows), grow(amounts)
                    if sizes[1] + 1 == len(weights):
                        arcs, weights = grow(arcs), grow(weights)
                    child = forest.left[edge] if side == 0 else forest.right[edge]
                    below = forest.labels[child]
                    word = table[part, _WORDS]
                    is_child = forest.right[edge] >= 0 and not forest.is_step[child]
                    if key >= length and forest.below[edge] >= 0:
                        is_child, below = True, forest.below[edge]
                    to = _flow_of(newest, flows, amounts, sizes, part, word if is_child else key)
                    if is_child and key == word + length:
                        _add_arc(lists, arcs, weights, sizes, (word, -1, forest.labels[item], below), total)
                    if is_child and word != head:
                        _add_arc(lists, arcs, weights, sizes, (word, head, forest.labels[item], below), total)
                        amounts[to + (head if width > 1 else 0)] += total
                        if width > 1:
                            first = (word * length + head) * width
                            for place in range(width):
                                chains[first + place] += share * amounts[flow + place]
                    else:
                        for place in range(width):
                            amounts[to + place] += share * amounts[flow + place]
                flow = flows[flow // width, _NEXT]
    return arcs[: sizes[1]], weights[: sizes[1]], chains


@inner_kernel
def _flow_of(newest: Ints, flows: Ints, amounts: Floats, sizes: Int64s, reading: int, key: int) -> int:
    """Find or create the flow of a reading for the given head (``key``); return the index of its first amount."""
    width = len(amounts) // len(flows)
    flow = newest[reading]
    while flow >= 0:
        if flows[flow // width, _HEAD] == key:
            return int(flow)
        flow = flows[flow // width, _NEXT]
    new = sizes[0]
    flows[new, _HEAD], flows[new, _NEXT] = key, newest[reading]
    newest[reading] = new * width
    for place in range(width):
        amounts[new * width + place] = 0.0
    sizes[0] += 1
    return int(new * width)


@inner_kernel
def _add_arc(
    lists: Ints, arcs: Ints, weights: Floats, sizes: Int64s, arc: tuple[int, int, int, int], weight: float
) -> None:
    """Add ``weight`` to the expected count of an arc; the arcs of each dependent–head pair form a linked list."""
    dependent, head, above, below = arc
    place = lists[dependent, head]
    while place >= 0 and not (arcs[place, _ABOVE] == above and arcs[place, _BELOW] == below):
        place = arcs[place, _NEXT_ARC]
    if place < 0:
        place = sizes[1]
        arcs[place, _DEPENDENT], arcs[place, _GOVERNOR] = dependent, head
        arcs[place, _ABOVE], arcs[place, _BELOW] = above, below
        arcs[place, _NEXT_ARC] = lists[dependent, head]
        lists[dependent, head] = place
        weights[place] = 0.0
        sizes[1] += 1
    weights[place] += weight
