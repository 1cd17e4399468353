"""The metric ``pef:weights=size``: the forest score as computed by the tool that its authors released.

The score φ of a word is 1, and that of any other node is β·[op = ⟨1,2⟩] + (1 − β)·Σ (|child|/|node|)·φ(child), where
op is the operator of the node, and |node| is its number of words. The scores of the root are averaged uniformly over
all permutation trees, then rescaled so that the fully inverted sentence scores 0.

Let q = 1 − β. In a monotone chain, the loss of a node is 1 − φ = q·Σ (|child|/|node|)·(1 − φ(child)); in an inverted
chain, φ = q·Σ (|child|/|node|)·φ(child). Both expand to sums over the blocks of a chain, in which each block is
weighted by its share of the words and by q^depth. One table is therefore sufficient: the mean of q^depth of the j-th
of m leaves over all binary trees.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wordorder.core.orders.trees import LEAF, MONOTONE, SIMPLE, PermutationTrees
from wordorder.core.runtime.columns import Floats, Int64s, Ints
from wordorder.core.runtime.errors import InputError
from wordorder.core.runtime.kernels import kernel, longest_row

WIDEST_CHAIN = 2_048
"""The largest number of blocks in one chain.

Wider chains are rejected because the computation of the table of depths takes cubic time.
"""


def uniform_forest_scores(trees: PermutationTrees, lengths: Int64s, *, beta: float) -> Floats:
    """Return the score of each tree, given the lengths of the sentences."""
    decay = 1.0 - beta
    longest = int(lengths.max(initial=0))
    widest = int(_widest_mixed_chain(trees.kinds, trees.arities, trees.offsets))
    if widest > WIDEST_CHAIN:
        raise InputError(f"pef:weights=size supports chains of {WIDEST_CHAIN} blocks, not {widest}; use plain pef")
    shares = _left_shares(widest)
    inverted = _inverted_scores(longest, decay)
    raw = _scores(trees.kinds, trees.arities, trees.offsets, decay, _depth_means(widest, decay, shares), inverted)
    base = inverted[lengths]
    with np.errstate(invalid="ignore", divide="ignore"):
        scores: Floats = (raw - base) / (1.0 - base)
    scores[lengths == 1] = 1.0
    return scores


@kernel
def _widest_mixed_chain(kinds: NDArray[np.int8], arities: Ints, offsets: Int64s) -> int:
    widest = 2
    longest = longest_row(offsets)
    is_word = np.empty(longest, dtype=np.bool_)
    for row in range(len(offsets) - 1):
        depth = 0
        for node in range(offsets[row], offsets[row + 1]):
            arity = arities[node]
            depth -= arity
            if kinds[node] != LEAF and kinds[node] != SIMPLE and not is_word[depth : depth + arity].all():
                widest = max(widest, arity)
            is_word[depth] = kinds[node] == LEAF
            depth += 1
    return widest


@kernel
def _left_shares(widest: int) -> Floats:
    """Return, as ``[m, k]``, the proportion of binary trees with m leaves in which the left subtree has k leaves.

    The proportion is Cat(k−1)·Cat(m−k−1)/Cat(m−1), where Cat(n) is the n-th Catalan number.
    """
    shares = np.zeros((widest + 1, widest + 1), dtype=np.float64)
    scaled = np.ones(widest + 1, dtype=np.float64)  # Cat(m − 1)/4^(m − 1), which does not overflow
    for m in range(2, widest + 1):
        scaled[m] = scaled[m - 1] * (2.0 * m - 3.0) / (2.0 * m)
    for m in range(2, widest + 1):
        for k in range(1, m):
            shares[m, k] = scaled[k] * scaled[m - k] / (4.0 * scaled[m])
    return shares


@kernel
def _depth_means(widest: int, decay: float, shares: Floats) -> Floats:
    """Return, as ``[m, j]``, the mean of decay^(depth of leaf j) over all binary trees with m leaves (j from 0)."""
    means = np.zeros((widest + 1, widest + 1), dtype=np.float64)
    means[1, 0] = 1.0
    for m in range(2, widest + 1):
        for j in range((m + 1) // 2):
            total = 0.0
            for k in range(1, m):  # k is the number of leaves of the left subtree
                total += shares[m, k] * (means[k, j] if j < k else means[m - k, j - k])
            means[m, j] = means[m, m - 1 - j] = decay * total
    return means


@kernel
def _inverted_scores(longest: int, decay: float) -> Floats:
    """Return the score of the inverted sentence of each length up to ``longest``.

    The score is the mean of decay^depth over all leaves of all binary trees. For m leaves, the sum of decay^depth is
    the coefficient of x^(m−1) in W = 1/(1 − 2·decay·x·c(x)), where c is the generating function of the Catalan
    numbers, so that W = 1 + 2·decay·x·c·W. Coefficients are scaled by 4^−(m−1) to keep them small.
    """
    scores = np.ones(longest + 1, dtype=np.float64)
    scaled = np.ones(longest + 1, dtype=np.float64)  # Cat(m − 1)/4^(m − 1)
    for m in range(2, longest + 1):
        scaled[m] = scaled[m - 1] * (2.0 * m - 3.0) / (2.0 * m)
    series = np.zeros(longest + 1, dtype=np.float64)
    series[0] = 1.0
    for m in range(1, longest):
        total = 0.0
        for k in range(1, m + 1):
            total += scaled[k] * series[m - k]
        series[m] = 2.0 * decay * total / 4.0
        scores[m + 1] = series[m] / ((m + 1) * scaled[m + 1])
    return scores


@kernel
def _scores(
    kinds: NDArray[np.int8], arities: Ints, offsets: Int64s, decay: float, depth_means: Floats, inverted: Floats
) -> Floats:
    rows = len(offsets) - 1
    longest = longest_row(offsets)
    scores = np.empty(longest, dtype=np.float64)
    sizes = np.empty(longest, dtype=np.float64)
    result = np.empty(rows, dtype=np.float64)
    for row in range(rows):
        depth = 0
        for node in range(offsets[row], offsets[row + 1]):
            arity = arities[node]
            if kinds[node] == LEAF:
                scores[depth] = sizes[depth] = 1.0
                depth += 1
                continue
            depth -= arity
            size = 0.0
            for child in range(depth, depth + arity):
                size += sizes[child]
            total = 0.0
            if kinds[node] == SIMPLE:
                for child in range(depth, depth + arity):
                    total += sizes[child] / size * decay * scores[child]
            elif kinds[node] == MONOTONE:
                lost = 0.0
                for child in range(depth, depth + arity):
                    if sizes[child] > 1.0:
                        lost += sizes[child] / size * depth_means[arity, child - depth] * (1.0 - scores[child])
                total = 1.0 - lost
            elif size == arity:
                total = inverted[arity]
            else:
                for child in range(depth, depth + arity):
                    total += sizes[child] / size * depth_means[arity, child - depth] * scores[child]
            scores[depth] = total
            sizes[depth] = size
            depth += 1
        result[row] = scores[0] if depth else np.nan
    return result
