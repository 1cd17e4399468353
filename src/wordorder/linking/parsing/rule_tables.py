"""The tables used by a chart parser: binary rules, unary chains, and the probability of no unary chain.

A category at a span is derived in two layers. A *bottom* is a word or is built by a binary rule. A *top* is built
from a bottom at the same span: either from that of the same category without a chain (the probability of this is
called *stay*), or from that of another category by a chain of unary rules. Binary rules join tops. A span therefore
has at most one chain, and derivations have no cycles.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wordorder.core.runtime.columns import Floats, Int64s, Ints


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
