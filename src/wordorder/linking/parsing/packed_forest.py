"""The packed forest of a sentence: the items and edges of all trees in a chart that are close to the best tree.

An item is a category at a span, either as a bottom or as a top (see ``RuleTables``); an edge is one way to derive an
item. Items are numbered from the root down, so the parts of an item have higher numbers than the item itself.
"""

from typing import NamedTuple

import numpy as np

from wordorder.core.runtime.columns import Bools, Floats, Int64s, Ints
from wordorder.core.runtime.kernels import inner_kernel, kernel
from wordorder.linking.parsing.cky import Chart, Kept, Level
from wordorder.linking.parsing.kbest import add_edge, grow

_PARENT, _LEFT, _RIGHT, _CHAIN = range(4)  # columns of edges
_CATEGORY, _START, _PLACE = range(3)  # first two by item: its category and first word; third by number: the item


class PackedForest(NamedTuple):
    """A packed forest as arrays; the edges of item i are ``offsets[i]`` up to, but not including, ``offsets[i + 1]``.

    For each item, ``labels`` has the label of its category, ``is_step`` tells whether it is a binarisation step, and
    ``starts`` has the position of its first word. For each edge, ``left`` and ``right`` are the items of its parts,
    ``below`` is the label directly below the top of its unary chain (−1 without a chain), and ``scores`` has its log
    probability. Missing parts are −1: edges of tops have no right part, and edges of words have no parts.
    """

    labels: Ints
    is_step: Bools
    starts: Ints
    offsets: Int64s
    left: Ints
    right: Ints
    below: Ints
    scores: Floats


@kernel
def extract(level: Level, kept: Kept, chart: Chart, margin: float) -> PackedForest:
    """Return the packed forest of all trees in a chart whose scores are within the margin of the best tree.

    The forest is empty if the chart contains no tree.
    """
    rules, refinement, rows = level.rules, level.refinement, chart.rows
    length = rows.shape[0]
    kinds = len(rules.stay)
    known = np.full((2, len(chart.tops), kinds), -1, dtype=np.int32)  # bottoms and tops, numbered when first reached
    table, above = np.empty((kinds, 3), dtype=np.int32), np.empty(kinds)  # the best outside score of each number
    edges, scores = np.empty((1024, 4), dtype=np.int32), np.empty(1024)
    reached = items = count = 0
    least = np.inf
    if rows[0, length] >= 0 and chart.tops[rows[0, length], level.root] > -np.inf:
        # Adding the same numbers in another order changes the last digits.
        least = chart.tops[rows[0, length], level.root] - margin - 1e-9
        reached = _reach(known[1, rows[0, length]], level.root, above, 0.0, reached)
    for width in range(length, 0, -1):
        for start in range(length - width + 1):
            end = start + width
            row = rows[start, end]
            if row < 0:
                continue
            bottom = chart.bottoms[row]
            for layer in range(1, -1, -1):
                while reached + kinds > len(above):  # at most this many bottoms can be added
                    table, above = grow(table), grow(above)
                for category in range(kinds):
                    number = known[layer, row, category]
                    if number < 0:
                        continue
                    table[number, _PLACE] = items
                    table[items, _CATEGORY], table[items, _START] = category, start
                    items += 1
                    chains = rules.top_offsets[category + 1] - rules.top_offsets[category] if layer == 1 else 0
                    while count + 1 + chains > len(scores):
                        edges, scores = grow(edges), grow(scores)
                    if layer == 0:
                        if width == 1:
                            count = add_edge(edges, scores, count, (number, -1, -1, -1), bottom[category])
                        continue
                    for place in range(-1, chains):
                        chain, below, score = -1, category, rules.stay[category]
                        if place >= 0:
                            chain = rules.by_top[rules.top_offsets[category] + place]
                            below, score = rules.bottom[chain], rules.unary_score[chain]
                        whole = above[number] + score + bottom[below]
                        if whole >= least:
                            reached = _reach(known[0, row], below, above, whole - bottom[below], reached)
                            count = add_edge(edges, scores, count, (number, known[0, row, below], -1, chain), score)
            for kept_edge in range(kept.firsts[start, end], kept.lasts[start, end]):
                split, group = kept.splits[kept_edge], kept.rules[kept_edge]
                one, two = rows[start, split], rows[split, end]
                for place in range(refinement.rule_offsets[group], refinement.rule_offsets[group + 1]):
                    rule = refinement.rules[place]
                    number = known[0, row, rules.parent[rule]]
                    if number < 0:
                        continue
                    left, right = rules.left[rule], rules.right[rule]
                    before, behind = chart.tops[one, left], chart.tops[two, right]
                    whole = above[number] + rules.score[rule] + before + behind
                    if whole < least:
                        continue
                    if count == len(scores):
                        edges, scores = grow(edges), grow(scores)
                    if reached + 2 > len(above):
                        table, above = grow(table), grow(above)
                    reached = _reach(known[1, one], left, above, whole - before, reached)
                    reached = _reach(known[1, two], right, above, whole - behind, reached)
                    edge = (number, known[1, one, left], known[1, two, right], -1)
                    count = add_edge(edges, scores, count, edge, rules.score[rule])
    return _sort(level, table, items, edges, scores, count)


@inner_kernel
def _sort(level: Level, table: Ints, items: int, edges: Ints, scores: Floats, count: int) -> PackedForest:
    """Build the forest: group the edges by item, and number the items from the root down."""
    labels, starts = np.empty(items, dtype=np.int32), np.empty(items, dtype=np.int32)
    is_step = np.empty(items, dtype=np.bool_)
    for item in range(items):
        labels[item], starts[item] = level.labels[table[item, _CATEGORY]], table[item, _START]
        is_step[item] = level.is_step[table[item, _CATEGORY]]
    offsets = np.zeros(items + 1, dtype=np.int64)
    for edge in range(count):
        offsets[table[edges[edge, _PARENT], _PLACE] + 1] += 1
    following = np.empty(items, dtype=np.int64)
    for item in range(items):
        following[item] = offsets[item]
        offsets[item + 1] += offsets[item]
    left, right = np.empty(count, dtype=np.int32), np.empty(count, dtype=np.int32)
    below, ordered = np.empty(count, dtype=np.int32), np.empty(count, dtype=np.float64)
    for edge in range(count):
        item = table[edges[edge, _PARENT], _PLACE]
        place = following[item]
        following[item] += 1
        one, two, chain = edges[edge, _LEFT], edges[edge, _RIGHT], edges[edge, _CHAIN]
        left[place] = table[one, _PLACE] if one >= 0 else -1
        right[place] = table[two, _PLACE] if two >= 0 else -1
        below[place] = -1
        if chain >= 0:
            between = level.chain_offsets[chain]
            below[place] = labels[left[place]]
            if between < level.chain_offsets[chain + 1]:
                below[place] = level.chain_labels[between]
        ordered[place] = scores[edge]
    return PackedForest(labels, is_step, starts, offsets, left, right, below, ordered)


@inner_kernel
def _reach(known: Ints, category: int, above: Floats, score: float, reached: int) -> int:
    """Record the outside score of an item, numbering the item if it is new; return the number of items so far."""
    if known[category] < 0:
        known[category] = reached
        above[reached] = score
        return reached + 1
    above[known[category]] = max(above[known[category]], score)
    return reached
