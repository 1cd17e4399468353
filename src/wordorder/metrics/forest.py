"""Recursive scores over permutation trees and forests (Stanojević & Sima'an 2014, Figure 6).

The nodes of a tree are stored in post-order, so one pass with a stack of block scores is enough to score it. A block
of one word has no score, because the formula excludes single words from the mean over children.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wordorder.core.orders.trees import LEAF, MONOTONE, SIMPLE
from wordorder.core.runtime.columns import Floats, Int64s, Ints
from wordorder.core.runtime.kernels import inner_kernel, kernel, longest_row

_WORD = -1.0
"""The value that stands for a block of one word on the stack; real scores are never negative."""


@kernel
def score_trees(
    kinds: NDArray[np.int8],
    arities: Ints,
    offsets: Int64s,
    beta: float,
    inverted: float,
    simple: Floats,
    branching: int,
) -> Floats:
    """Return the score of each tree.

    ``inverted`` is the score of the operator ⟨2,1⟩, and ``simple`` holds those of all operators longer than two. With
    ``branching`` 1 (left) or −1 (right), only the canonical inference of each span counts. With ``branching`` 0, the
    score is the mean over all inferences, that is, over the whole forest.
    """
    rows = len(offsets) - 1
    longest = longest_row(offsets)
    blocks = np.empty(longest, dtype=np.float64)
    spans = np.empty(longest, dtype=np.float64)
    starting = np.empty(longest, dtype=np.float64)
    ending = np.empty(longest, dtype=np.float64)
    result = np.empty(rows, dtype=np.float64)
    seen = 0  # number of simple nodes visited so far in all rows
    for row in range(rows):
        depth = 0
        for node in range(offsets[row], offsets[row + 1]):
            kind = kinds[node]
            if kind == LEAF:
                blocks[depth] = _WORD
                depth += 1
                continue
            arity = arities[node]
            depth -= arity
            children = blocks[depth : depth + arity]
            if kind == SIMPLE:
                score = _join(simple[seen], _mean(children), beta)
                seen += 1
            else:
                operator = 1.0 if kind == MONOTONE else inverted
                if branching:
                    score = _canonical(children, operator, beta, branching)
                else:
                    score = _forest(children, operator, beta, spans, starting, ending)
            blocks[depth] = score
            depth += 1
        if depth == 0:
            result[row] = np.nan
        else:
            result[row] = 1.0 if blocks[0] == _WORD else blocks[0]
    return result


@inner_kernel
def _join(operator: float, below: float, beta: float) -> float:
    """Return β·operator + (1 − β)·below, or ``operator`` alone if all blocks below are single words (``_WORD``)."""
    return operator if below == _WORD else beta * operator + (1.0 - beta) * below


@inner_kernel
def _mean(children: Floats) -> float:
    """Return the mean score of the children that are longer than one word, or ``_WORD`` if there are none."""
    total = 0.0
    count = 0
    for child in children:
        if child != _WORD:
            total += child
            count += 1
    return total / count if count else _WORD


@inner_kernel
def _canonical(children: Floats, operator: float, beta: float, branching: int) -> float:
    last = len(children) - 1
    score = children[0] if branching > 0 else children[last]
    for step in range(1, last + 1):
        block = children[step] if branching > 0 else children[last - step]
        if score == _WORD:
            below = block
        elif block == _WORD:
            below = score
        else:
            below = (score + block) / 2.0
        score = _join(operator, below, beta)
    return float(score)


@inner_kernel
def _forest(children: Floats, operator: float, beta: float, spans: Floats, starting: Floats, ending: Floats) -> float:
    """Return the mean score of all binarisations of a chain of m blocks, in O(m²) time and O(m) space.

    All nodes of the chain have the same binary operator. Let φ(a,b) be the score of the blocks a to b. A split s
    divides them into two children with the mean score (φ(a,s) + φ(s+1,b))/2; if one child is a single word, the mean
    is the score of the other child. φ(a,b) is β·``operator`` + (1 − β)·(average of these means over all
    splits). Spans are processed
    by increasing width, while ``starting[a]`` and ``ending[b]`` sum φ(a,·) and φ(·,b) over all narrower spans: half
    of ``starting[a] + ending[b]`` is the sum over the splits. If block a or block b is a single word, the split next
    to it has only one child with a score, so the other half of this score is added.
    """
    count = len(children)
    words = 0
    for a in range(count):
        words += children[a] == _WORD
        spans[a] = starting[a] = ending[a] = 0.0 if children[a] == _WORD else children[a]
    # In a chain of single words, φ depends only on the width, so one span of each width is enough.
    uniform = words == count
    for width in range(2, count + 1):
        for a in range(1 if uniform else count - width + 1):
            b = 0 if uniform else a + width - 1
            opens, closes = children[a] == _WORD, children[b] == _WORD
            if width == 2 and opens and closes:
                score = operator
            else:
                total = 0.5 * (starting[a] + ending[b])
                if opens:
                    total += 0.5 * spans[a if uniform else a + 1]
                if closes:
                    total += 0.5 * spans[a]
                score = beta * operator + (1.0 - beta) * (total / (width - 1))
            spans[a] = score
            starting[a] += score
            if not uniform:
                ending[b] += score
        if uniform:
            ending[0] = starting[0]
    return float(spans[0])
