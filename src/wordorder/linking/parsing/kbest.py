"""Lazy computation of the k best trees of a chart: algorithm 3 of Huang and Chiang (2005), *Better k-best parsing*.

An item is a category at a span, either as a bottom or as a top (see ``RuleTables``). Its derivations are computed on
request, from best to worst. A derivation (a, b) uses the a-th best derivation of the left part and the b-th best
derivation of the right part. Its successors are (a, b + 1) and, if b = 1, also (a + 1, b), so every pair is reached
exactly once.

Derivations that differ only in refined categories yield the same tree, which is listed once, with the probability of
its best derivation.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.columns import Floats, Int64s, Ints
from wordorder.core.runtime.kernels import inner_kernel, kernel
from wordorder.linking.parsing.cky import Chart, Kept, Level, Refinement, RuleTables

_UNKNOWN, _NONE = -1, -2  # a derivation that has not been requested yet, or that does not exist
_NEW, _DUE, _READY = 0, 1, 2  # item states: not opened; successors of last derivation missing; candidates complete
_NO_RULE = -1  # a word (bottom), or no chain (top)

# The columns of the tables.
_START, _END, _CATEGORY, _IS_TOP, _FIRST, _LAST, _HEAP, _STATE = range(8)  # items
_ITEM, _NEXT = 4, 5  # derivations; their first four columns are those of candidates
_SHARED = 4
_RULE, _SPLIT, _LEFT, _RIGHT, _CHILD, _SIBLING = range(6)  # candidates


class Found(NamedTuple):
    """The trees of one sentence: node labels, node parents, the first node of each tree, and log probabilities."""

    labels: Ints
    parents: Ints
    offsets: Int64s
    scores: Floats


@kernel
def list_trees(level: Level, kept: Kept, chart: Chart, wanted: int, patience: int) -> Found:
    """Return the best trees, up to ``wanted`` of them, after examining at most ``patience`` derivations."""
    rules, refinement, rows = level.rules, level.refinement, chart.rows
    length = rows.shape[0]
    numbers = np.full((2, *chart.tops.shape), -1, dtype=np.int32)  # item numbers of bottoms, then of tops
    items = np.empty((256, 8), dtype=np.int32)
    derivations, derivation_scores = np.empty((1024, 6), dtype=np.int32), np.empty(1024)
    candidates, candidate_scores = np.empty((4096, 6), dtype=np.int32), np.empty(4096)
    sizes = np.zeros(3, dtype=np.int64)  # of items, derivations, candidates
    stack = np.empty(8 * length + 8, dtype=np.int64)

    chains = np.diff(level.chain_offsets)
    longest = chains.max() if len(chains) else 0
    nodes = np.empty((2, 2 * length * (longest + 2)), dtype=np.int32)  # labels, parents
    found_labels, found_parents = np.empty(4096, dtype=np.int32), np.empty(4096, dtype=np.int32)
    offsets, scores = np.zeros(wanted + 1, dtype=np.int64), np.empty(wanted)
    found = 0

    if rows[0, length] < 0 or chart.tops[rows[0, length], level.root] == -np.inf:
        return Found(found_labels[:0], found_parents[:0], offsets[:1], scores[:0])
    goal = _item(items, numbers, sizes, rows, 0, length, level.root, 1)
    for _ in range(patience):
        before = items[goal, _LAST]
        stack[0] = goal
        depth = 1
        while depth > 0:
            item = stack[depth - 1]
            # Make room for everything that one round may add.
            if sizes[0] + 2 > len(items):
                items = grow(items)
            if sizes[1] + 1 > len(derivations):
                derivations, derivation_scores = grow(derivations), grow(derivation_scores)
            if items[item, _STATE] == _NEW:
                edges, edge_scores = _edges(rules, refinement, kept, chart, items[item])
                while sizes[2] + len(edges) > len(candidates):
                    candidates, candidate_scores = grow(candidates), grow(candidate_scores)
                for place in range(len(edges)):
                    candidates[sizes[2], :_SHARED] = edges[place]
                    candidate_scores[sizes[2]] = edge_scores[place]
                    _add_candidate(items[item], candidates, candidate_scores, sizes)
                items[item, _STATE] = _READY
            elif items[item, _STATE] == _DUE:
                last = items[item, _LAST]
                left, right = derivations[last, _LEFT], derivations[last, _RIGHT]
                moves_left = left >= 0 and (right < 0 or right == items[derivations[right, _ITEM], _FIRST])
                if moves_left and derivations[left, _NEXT] == _UNKNOWN:
                    stack[depth] = derivations[left, _ITEM]
                    depth += 1
                    continue
                if right >= 0 and derivations[right, _NEXT] == _UNKNOWN:
                    stack[depth] = derivations[right, _ITEM]
                    depth += 1
                    continue
                if sizes[2] + 2 > len(candidates):
                    candidates, candidate_scores = grow(candidates), grow(candidate_scores)
                for side in range(2):
                    part = left if side == 0 else right
                    if part < 0 or derivations[part, _NEXT] < 0 or (side == 0 and not moves_left):
                        continue
                    new = sizes[2]
                    candidates[new, :_SHARED] = derivations[last, :_SHARED]
                    candidates[new, _LEFT + side] = derivations[part, _NEXT]
                    candidate_scores[new] = _score(rules, items[item], candidates[new], derivation_scores)
                    _add_candidate(items[item], candidates, candidate_scores, sizes)
                items[item, _STATE] = _READY
            best = items[item, _HEAP]
            last = items[item, _LAST]
            if best < 0:
                if last >= 0:
                    derivations[last, _NEXT] = _NONE
                depth -= 1
                continue
            missing = False
            for side in range(2):
                if candidates[best, _LEFT + side] == _UNKNOWN:
                    part = _part(rules, rows, items, numbers, sizes, item, candidates[best], side)
                    if items[part, _FIRST] == _UNKNOWN:
                        stack[depth] = part
                        depth += 1
                        missing = True
                        break
                    candidates[best, _LEFT + side] = items[part, _FIRST]
            if missing:
                continue
            new = sizes[1]
            derivations[new, :_SHARED] = candidates[best, :_SHARED]
            derivations[new, _ITEM] = item
            derivations[new, _NEXT] = _UNKNOWN
            derivation_scores[new] = candidate_scores[best]
            sizes[1] += 1
            if last >= 0:
                derivations[last, _NEXT] = new
            else:
                items[item, _FIRST] = new
            items[item, _LAST] = new
            items[item, _HEAP] = _pop(candidates, candidate_scores, best)
            items[item, _STATE] = _DUE
            depth -= 1
        new = items[goal, _LAST]
        if new == before:
            break
        size = _unfold(level, items, derivations, new, nodes, stack)
        end = offsets[found] + size
        while end > len(found_labels):
            found_labels, found_parents = grow(found_labels), grow(found_parents)
        found_labels[offsets[found] : end] = nodes[0, :size]
        found_parents[offsets[found] : end] = nodes[1, :size]
        offsets[found + 1] = end
        if not _is_listed(found_labels, found_parents, offsets, found):
            scores[found] = derivation_scores[new]
            found += 1
            if found == wanted:
                break
    end = offsets[found]
    return Found(found_labels[:end].copy(), found_parents[:end].copy(), offsets[: found + 1], scores[:found])


@inner_kernel
def _add_candidate(item: Ints, candidates: Ints, scores: Floats, sizes: Int64s) -> None:
    """Insert the newest candidate in the table into the heap of its item."""
    new = sizes[2]
    candidates[new, _CHILD] = candidates[new, _SIBLING] = -1
    item[_HEAP] = _meld(candidates, scores, item[_HEAP], new)
    sizes[2] += 1


@inner_kernel
def _item(
    items: Ints, numbers: Ints, sizes: Int64s, rows: Ints, start: int, end: int, category: int, is_top: int
) -> int:
    """Return the number of an item, creating it if necessary."""
    row = rows[start, end]
    if numbers[is_top, row, category] < 0:
        new = sizes[0]
        numbers[is_top, row, category] = new
        items[new, _START], items[new, _END] = start, end
        items[new, _CATEGORY], items[new, _IS_TOP] = category, is_top
        items[new, _FIRST] = items[new, _LAST] = _UNKNOWN
        items[new, _HEAP], items[new, _STATE] = -1, _NEW
        sizes[0] += 1
    return int(numbers[is_top, row, category])


@inner_kernel
def _part(
    rules: RuleTables, rows: Ints, items: Ints, numbers: Ints, sizes: Int64s, item: int, candidate: Ints, side: int
) -> int:
    """Return the item number of the left (0) or right (1) part of a candidate; the left part of a top is a bottom."""
    start, end, category = items[item, _START], items[item, _END], items[item, _CATEGORY]
    rule, split = candidate[_RULE], candidate[_SPLIT]
    if items[item, _IS_TOP]:
        below = category if rule == _NO_RULE else rules.bottom[rule]
        return _item(items, numbers, sizes, rows, start, end, below, 0)
    if side == 0:
        return _item(items, numbers, sizes, rows, start, split, rules.left[rule], 1)
    return _item(items, numbers, sizes, rows, split, end, rules.right[rule], 1)


@kernel
def _score(rules: RuleTables, item: Ints, candidate: Ints, derivation_scores: Floats) -> float:
    """Return the score of a candidate whose parts are known.

    The terms are added in the same order as when the chart was filled, so that equal scores remain equal.
    """
    rule = candidate[_RULE]
    score = derivation_scores[candidate[_LEFT]]
    if item[_IS_TOP]:
        score += rules.stay[item[_CATEGORY]] if rule == _NO_RULE else rules.unary_score[rule]
    else:
        score = score + derivation_scores[candidate[_RIGHT]] + rules.score[rule]
    return float(score)


@inner_kernel
def _edges(rules: RuleTables, refinement: Refinement, kept: Kept, chart: Chart, item: Ints) -> tuple[Ints, Floats]:
    """Return one candidate, with its score, for each rule that derives an item; candidates use the best parts."""
    start, end, category = item[_START], item[_END], item[_CATEGORY]
    bottom = chart.bottoms[chart.rows[start, end]]
    if item[_IS_TOP]:
        size = 1 + rules.top_offsets[category + 1] - rules.top_offsets[category]
    elif end - start == 1:
        size = 1
    else:
        size = 0
        for edge in range(kept.firsts[start, end], kept.lasts[start, end]):
            first, last = refinement.rule_offsets[kept.rules[edge]], refinement.rule_offsets[kept.rules[edge] + 1]
            own = refinement.coarse[category]
            if first < last and refinement.coarse[rules.parent[refinement.rules[first]]] == own:
                size += last - first
    edges = np.empty((size, 4), dtype=np.int32)
    scores = np.empty(size)
    count = 0
    if item[_IS_TOP]:
        score = bottom[category] + rules.stay[category]
        if score > -np.inf:
            count = add_edge(edges, scores, 0, (_NO_RULE, -1, _UNKNOWN, _NONE), score)
        for place in range(rules.top_offsets[category], rules.top_offsets[category + 1]):
            chain = rules.by_top[place]
            if bottom[rules.bottom[chain]] > -np.inf:
                score = bottom[rules.bottom[chain]] + rules.unary_score[chain]
                count = add_edge(edges, scores, count, (chain, -1, _UNKNOWN, _NONE), score)
    elif end - start == 1:
        count = add_edge(edges, scores, 0, (_NO_RULE, -1, _NONE, _NONE), bottom[category])
    else:
        for edge in range(kept.firsts[start, end], kept.lasts[start, end]):
            split = kept.splits[edge]
            first, last = refinement.rule_offsets[kept.rules[edge]], refinement.rule_offsets[kept.rules[edge] + 1]
            before, behind = chart.tops[chart.rows[start, split]], chart.tops[chart.rows[split, end]]
            for place in range(first, last):
                rule = refinement.rules[place]
                if rules.parent[rule] != category:
                    continue
                score = before[rules.left[rule]] + behind[rules.right[rule]] + rules.score[rule]
                if score > -np.inf:
                    count = add_edge(edges, scores, count, (rule, split, _UNKNOWN, _UNKNOWN), score)
    return edges[:count], scores[:count]


@inner_kernel
def add_edge(edges: Ints, scores: Floats, count: int, edge: tuple[int, int, int, int], score: float) -> int:
    """Write the four columns of an edge and its score at the end of a table, and return the number of edges."""
    edges[count, 0], edges[count, 1], edges[count, 2], edges[count, 3] = edge
    scores[count] = score
    return count + 1


@inner_kernel
def _meld(candidates: Ints, scores: Floats, one: int, two: int) -> int:
    """Merge two pairing heaps and return the root; of two candidates with equal scores, the older one comes first."""
    if one < 0:
        return two
    if two < 0:
        return one
    if scores[two] > scores[one] or (scores[two] == scores[one] and two < one):
        one, two = two, one
    candidates[two, _SIBLING] = candidates[one, _CHILD]
    candidates[one, _CHILD] = two
    return one


@inner_kernel
def _pop(candidates: Ints, scores: Floats, best: int) -> int:
    """Remove the root of a pairing heap, merge its children pairwise, and return the new root."""
    pairs = -1
    child = candidates[best, _CHILD]
    while child >= 0:
        second = candidates[child, _SIBLING]
        following = candidates[second, _SIBLING] if second >= 0 else -1
        candidates[child, _SIBLING] = -1
        if second >= 0:
            candidates[second, _SIBLING] = -1
        pair = _meld(candidates, scores, child, second)
        candidates[pair, _SIBLING] = pairs
        pairs = pair
        child = following
    heap = -1
    while pairs >= 0:
        following = candidates[pairs, _SIBLING]
        candidates[pairs, _SIBLING] = -1
        heap = _meld(candidates, scores, heap, pairs)
        pairs = following
    return heap


@inner_kernel
def _unfold(level: Level, items: Ints, derivations: Ints, derivation: int, nodes: Ints, stack: Int64s) -> int:
    """Write the tree nodes of a derivation in preorder, omitting binarisation steps; return the number of nodes."""
    size = 0
    stack[0], stack[1] = derivation, -1
    depth = 1
    while depth > 0:
        depth -= 1
        current, above = stack[2 * depth], stack[2 * depth + 1]
        item, rule = derivations[current, _ITEM], derivations[current, _RULE]
        category = items[item, _CATEGORY]
        is_chain = items[item, _IS_TOP] and rule != _NO_RULE
        if is_chain or not (items[item, _IS_TOP] or level.is_step[category]):
            nodes[0, size], nodes[1, size] = level.labels[category], above
            above = size
            size += 1
        if is_chain:
            for place in range(level.chain_offsets[rule], level.chain_offsets[rule + 1]):
                nodes[0, size], nodes[1, size] = level.chain_labels[place], above
                above = size
                size += 1
        for side in range(1, -1, -1):  # the left part is popped from the stack first
            part = derivations[current, _LEFT + side]
            if part >= 0:
                stack[2 * depth], stack[2 * depth + 1] = part, above
                depth += 1
    return size


@inner_kernel
def _is_listed(labels: Ints, parents: Ints, offsets: Int64s, tree: int) -> bool:
    """Return whether a tree equals one of the trees listed before it."""
    own = slice(offsets[tree], offsets[tree + 1])
    for other in range(tree):
        nodes = slice(offsets[other], offsets[other + 1])
        if np.array_equal(labels[nodes], labels[own]) and np.array_equal(parents[nodes], parents[own]):
            return True
    return False


@kernel
def grow(table: NDArray[Any]) -> NDArray[Any]:
    """Return a copy of a table with twice the capacity."""
    return np.concatenate((table, np.empty_like(table)))
