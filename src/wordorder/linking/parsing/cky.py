"""CKY parsing in two passes: a coarse grammar prunes the chart, and the fine grammar fills only the remaining cells.

The coarse pass is exact: for each category at each span, and for each position at which the span can be split, it
computes the score of the best coarse tree that contains them. Whatever occurs only in trees that score more than a
margin below the best tree is pruned. Every coarse tree within the margin therefore survives (max-marginal pruning;
Charniak et al. 2006 prune by posteriors instead).

The tables are binary rules, unary chains, and the probability of no unary chain. A category at a span is derived in
two layers. A *bottom* is a word or is built by a binary rule. A *top* is built from a bottom at the same span: either
from that of the same category without a chain (the probability of this is called *stay*), or from that of another
category by a chain of unary rules. Binary rules join tops. A span therefore has at most one chain, and derivations
have no cycles.
"""

from typing import NamedTuple

import numpy as np

from wordorder.core.runtime.columns import Bools, Floats, Int64s, Ints
from wordorder.core.runtime.kernels import kernel


class RuleTables(NamedTuple):
    """Binary rules and unary chains with natural-log probabilities.

    Binary rules are sorted by left child; ``by_parent`` lists them by parent. Unary chains are sorted by bottom;
    ``by_top`` lists them by top. ``stay[c]`` is the log probability that category c has no chain. Do not reorder the
    fields: compiled kernels access them by position, and Numba's cache would not notice the change.
    """

    parent: Ints
    left: Ints
    right: Ints
    score: Floats
    left_offsets: Int64s
    by_parent: Ints
    parent_offsets: Int64s
    top: Ints
    bottom: Ints
    unary_score: Floats
    bottom_offsets: Int64s
    by_top: Ints
    top_offsets: Int64s
    stay: Floats


def estimate(categories: int, binary: Int64s, unary: Int64s, stay: Int64s) -> tuple[RuleTables, Int64s]:
    """Estimate rule probabilities by relative frequency. Also return, for each chain, its row in ``unary``.

    The rows of ``binary`` are (parent, left, right, count), those of ``unary`` are (top, bottom, count). ``stay``
    has, for each category, the number of nodes without a unary chain. Tags and steps are not counted there; they
    never have a chain.
    """
    binary = binary[np.lexsort((binary[:, 0], binary[:, 2], binary[:, 1]))]
    parent, left, right, count = binary.T
    score = np.log(count / np.bincount(parent, count, minlength=categories)[parent]) if len(count) else np.zeros(0)
    origin = np.lexsort((np.arange(len(unary)), unary[:, 0], unary[:, 1]))
    top, bottom, chains = unary[origin].T
    total = stay + np.bincount(top, chains, minlength=categories)
    with np.errstate(divide="ignore"):
        unary_score = np.log(chains / total[top])
        stays = np.where(total > 0, np.log(stay / np.maximum(total, 1)), 0.0)
    rules = RuleTables(
        parent.astype(np.int32),
        left.astype(np.int32),
        right.astype(np.int32),
        score,
        _bounds(left, categories),
        np.argsort(parent, kind="stable").astype(np.int32),
        _bounds(np.sort(parent), categories),
        top.astype(np.int32),
        bottom.astype(np.int32),
        unary_score,
        _bounds(bottom, categories),
        np.argsort(top, kind="stable").astype(np.int32),
        _bounds(np.sort(top), categories),
        stays,
    )
    for table in rules:
        table.setflags(write=False)
    return rules, origin


def project(rows: Int64s, coarse: Ints) -> Int64s:
    """Replace the categories in rule counts (all columns but the last) with coarser ones, and add up the counts.

    >>> project(np.array([[0, 2, 3], [1, 2, 4]]), np.array([0, 0, 1], dtype=np.int32)).tolist()
    [[0, 1, 7]]
    """
    keys, where = np.unique(coarse[rows[:, :-1]], axis=0, return_inverse=True)
    counts = np.bincount(where.ravel(), rows[:, -1], minlength=len(keys)).astype(np.int64)
    return np.column_stack((keys.astype(np.int64), counts))


def _bounds(ordered: Int64s, categories: int) -> Int64s:
    return np.searchsorted(ordered, np.arange(categories + 1)).astype(np.int64)


class Kept(NamedTuple):
    """What the coarse pass keeps: the bottom and top categories at each span, and the binary edges.

    An edge is a rule applied at a split position. Those of span (start, end) are the entries of ``rules`` and
    ``splits`` from ``firsts[start, end]`` up to, but not including, ``lasts[start, end]``. The
    description of this module explains bottoms and tops.
    """

    bottoms: Bools
    tops: Bools
    rules: Ints
    splits: Ints
    firsts: Int64s
    lasts: Int64s


class Refinement(NamedTuple):
    """The mapping between a coarse grammar and the fine grammar that refines it.

    ``coarse`` gives the coarse category of each fine category. ``members`` lists the fine categories of each coarse
    category; ``rules`` lists the fine rules of each coarse rule, sorted by parent.
    """

    coarse: Ints
    members: Ints
    member_offsets: Int64s
    rules: Ints
    rule_offsets: Int64s


class Level(NamedTuple):
    """A grammar as the parser uses it: its rules, their mapping to coarse rules, and the labels of categories.

    ``labels`` has the label of each category; a step of a binarised rule has the label of the constituent that it
    helps to build. ``chain_labels`` lists the labels between the top and the bottom of each unary chain.
    """

    rules: RuleTables
    refinement: Refinement
    labels: Ints
    is_step: Bools
    chain_labels: Ints
    chain_offsets: Int64s
    root: int


class Chart(NamedTuple):
    """The best bottom and top scores of every category, with one row per span that was not pruned."""

    rows: Ints
    bottoms: Floats
    tops: Floats


def prune(rules: RuleTables, tags: Ints, tag_scores: Floats, tag_offsets: Int64s, root: int, margin: float) -> Kept:
    """Return the categories and edges of all coarse trees that score no more than ``margin`` below the best tree."""
    bottoms, tops = _inside(rules, tags, tag_scores, tag_offsets)
    room = 2048 * len(bottoms)
    while True:
        good = np.zeros((2, *bottoms.shape), dtype=np.bool_)
        edge = np.empty((2, room), dtype=np.int32)
        span = np.zeros((2, *bottoms.shape[:2]), dtype=np.int64)
        kept = Kept(good[0], good[1], edge[0], edge[1], span[0], span[1])
        edges = _outside(rules, bottoms, tops, root, margin, kept)
        if edges >= 0:
            return kept._replace(rules=kept.rules[:edges].copy(), splits=kept.splits[:edges].copy())
        room *= 4


@kernel
def _inside(rules: RuleTables, tags: Ints, tag_scores: Floats, tag_offsets: Int64s) -> tuple[Floats, Floats]:
    """Return the best scores of all categories over all spans: before unary rules (bottoms) and after them (tops)."""
    length = len(tag_offsets) - 1
    categories = len(rules.stay)
    never = -np.inf
    bottoms = np.full((length, length + 1, categories), never)
    tops = np.full((length, length + 1, categories), never)
    active = np.empty((length, length + 1, categories), dtype=np.int32)  # the categories that have a top
    counts = np.zeros((length, length + 1), dtype=np.int64)
    for width in range(1, length + 1):
        for start in range(length - width + 1):
            end = start + width
            bottom, top = bottoms[start, end], tops[start, end]
            if width == 1:
                for place in range(tag_offsets[start], tag_offsets[end]):
                    bottom[tags[place]] = tag_scores[place]
            for split in range(start + 1, end):
                before, behind = tops[start, split], tops[split, end]
                for place in range(counts[start, split]):
                    left = active[start, split, place]
                    left_score = before[left]
                    for rule in range(rules.left_offsets[left], rules.left_offsets[left + 1]):
                        score = left_score + behind[rules.right[rule]] + rules.score[rule]
                        parent = rules.parent[rule]
                        if score > bottom[parent]:
                            bottom[parent] = score
            for category in range(categories):
                top[category] = max(top[category], bottom[category] + rules.stay[category])
                if bottom[category] > never:
                    for chain in range(rules.bottom_offsets[category], rules.bottom_offsets[category + 1]):
                        score = bottom[category] + rules.unary_score[chain]
                        if score > top[rules.top[chain]]:
                            top[rules.top[chain]] = score
            count = 0
            for category in range(categories):
                if top[category] > never:
                    active[start, end, count] = category
                    count += 1
            counts[start, end] = count
    return bottoms, tops


@kernel
def _outside(rules: RuleTables, bottoms: Floats, tops: Floats, root: int, margin: float, kept: Kept) -> int:
    """Store in ``kept`` the categories and edges within the margin, working down from the whole sentence.

    Return the number of edges, or −1 if ``kept`` does not have enough space for them.
    """
    length, _, categories = tops.shape
    never = -np.inf
    if tops[0, length, root] == never:
        return 0
    # Adding in another order changes the last digits; the slack ensures that the parts of a kept edge are kept.
    least = tops[0, length, root] - margin - 1e-9
    floor = least - 1e-6
    above_bottoms = np.full((length, length + 1, categories), never)
    above_tops = np.full((length, length + 1, categories), never)
    above_tops[0, length, root] = 0.0
    edges = 0
    for width in range(length, 0, -1):
        for start in range(length - width + 1):
            end = start + width
            bottom, top = bottoms[start, end], tops[start, end]
            above_bottom, above_top = above_bottoms[start, end], above_tops[start, end]
            for category in range(categories):
                if above_top[category] + top[category] < floor:
                    continue
                kept.tops[start, end, category] = True
                above_bottom[category] = max(above_bottom[category], above_top[category] + rules.stay[category])
                for place in range(rules.top_offsets[category], rules.top_offsets[category + 1]):
                    chain = rules.by_top[place]
                    score = above_top[category] + rules.unary_score[chain]
                    if score > above_bottom[rules.bottom[chain]]:
                        above_bottom[rules.bottom[chain]] = score
            kept.firsts[start, end] = edges
            for category in range(categories):
                above = above_bottom[category]
                if above + bottom[category] < floor:
                    continue
                kept.bottoms[start, end, category] = True
                for place in range(rules.parent_offsets[category], rules.parent_offsets[category + 1]):
                    rule = rules.by_parent[place]
                    left, right, rule_score = rules.left[rule], rules.right[rule], rules.score[rule]
                    for split in range(start + 1, end):
                        before = tops[start, split, left]
                        if before == never:
                            continue
                        behind = tops[split, end, right]
                        whole = above + rule_score + before + behind
                        if whole >= least:
                            above_tops[start, split, left] = max(above_tops[start, split, left], whole - before)
                            above_tops[split, end, right] = max(above_tops[split, end, right], whole - behind)
                            if edges == len(kept.rules):
                                return -1
                            kept.rules[edges], kept.splits[edges] = rule, split
                            edges += 1
            kept.lasts[start, end] = edges
    return edges


@kernel
def fill(level: Level, kept: Kept, tags: Ints, tag_scores: Floats, tag_offsets: Int64s) -> Chart:
    """Fill the chart of the fine grammar, using only refinements of the categories and edges that were kept."""
    rules, refinement = level.rules, level.refinement
    length = len(tag_offsets) - 1
    never = -np.inf
    rows = np.full((length, length + 1), -1, dtype=np.int32)
    count = 0
    for start in range(length):
        for end in range(start + 1, length + 1):
            if kept.tops[start, end].any():
                rows[start, end] = count
                count += 1
    bottoms = np.full((count, len(rules.stay)), never)
    tops = np.full((count, len(rules.stay)), never)
    for width in range(1, length + 1):
        for start in range(length - width + 1):
            end = start + width
            if rows[start, end] < 0:
                continue
            bottom, top = bottoms[rows[start, end]], tops[rows[start, end]]
            if width == 1:
                for place in range(tag_offsets[start], tag_offsets[end]):
                    if kept.bottoms[start, end, refinement.coarse[tags[place]]]:
                        bottom[tags[place]] = tag_scores[place]
            for edge in range(kept.firsts[start, end], kept.lasts[start, end]):
                split, group = kept.splits[edge], kept.rules[edge]
                before, behind = tops[rows[start, split]], tops[rows[split, end]]
                for place in range(refinement.rule_offsets[group], refinement.rule_offsets[group + 1]):
                    rule = refinement.rules[place]
                    score = before[rules.left[rule]] + behind[rules.right[rule]] + rules.score[rule]
                    if score > bottom[rules.parent[rule]]:
                        bottom[rules.parent[rule]] = score
            allowed = kept.tops[start, end]
            for group in range(len(allowed)):
                if not kept.bottoms[start, end, group]:
                    continue
                for place in range(refinement.member_offsets[group], refinement.member_offsets[group + 1]):
                    category = refinement.members[place]
                    if bottom[category] == never:
                        continue
                    if allowed[group]:
                        top[category] = max(top[category], bottom[category] + rules.stay[category])
                    for chain in range(rules.bottom_offsets[category], rules.bottom_offsets[category + 1]):
                        score = bottom[category] + rules.unary_score[chain]
                        if score > top[rules.top[chain]] and allowed[refinement.coarse[rules.top[chain]]]:
                            top[rules.top[chain]] = score
    return Chart(rows, bottoms, tops)
