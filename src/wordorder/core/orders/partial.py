"""Partial orders: which pairs of source words two alignments put in the same order, where order may be left open.

A source word with several links, or with links that are only probable, has no one place in a sentence. What is known
is how much speaks for one word of a pair coming first. With p_i(a) the probability of the link between source word i
and target word a, the evidence that i comes before j is

    before_ij = Σ_{a<b} p_i(a)·p_j(b),        after_ij = before_ji,

and the pair is *decided* by (before − after)/(before + after), from −1 to 1, so far as before + after reaches 1.
Links that share a target word decide nothing: a tie. Where every word has one certain link of its own, all pairs are
decided by 1 or −1, and nothing is left open.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wordorder.core.orders.alignment import Alignments
from wordorder.core.runtime.columns import Floats, Ints, Offsets
from wordorder.core.runtime.kernels import inner_kernel, kernel


def compare_pairs(judged: Alignments, gold: Alignments | None = None) -> Floats:
    """Weigh the pairs of source words of each row: in the same order, in the other order, left open; ``[rows, 3]``.

    A pair decided by m in the judged alignment and by g in the gold one has the weight |m·g| as one of the first two
    and 1 − |m·g| as open, times how far the evidence reaches in both. Without gold, the order of the source itself is
    what pairs are compared with. A row of n links and s source words takes O(n·s) time.

    >>> from wordorder.core.orders import Alignment
    >>> links = Alignments.of([Alignment(((0, 0), (1, 2), (2, 1))), Alignment(((0, 0), (1, 0), (2, 1)))])
    >>> compare_pairs(links).tolist()
    [[2.0, 1.0, 0.0], [2.0, 0.0, 0.0]]
    """
    against = judged[:0] if gold is None else gold
    return _compare(*_links(judged), *_links(against), gold is not None)


def _links(column: Alignments) -> tuple[Ints, Ints, Floats, Offsets]:
    likely = column.probability
    return (
        column.source,
        column.target,
        np.ones(len(column.source)) if likely is None else likely,
        column.offsets,
    )


@kernel
def _compare(
    source: Ints,
    target: Ints,
    likely: NDArray[np.float64],
    offsets: Offsets,
    gold_source: Ints,
    gold_target: Ints,
    gold_likely: NDArray[np.float64],
    gold_offsets: Offsets,
    has_gold: bool,
) -> NDArray[np.float64]:
    result = np.zeros((len(offsets) - 1, 3))
    words = 1
    for link in range(len(source)):
        words = max(words, source[link] + 1, target[link] + 1)
    for link in range(len(gold_source)):
        words = max(words, gold_source[link] + 1, gold_target[link] + 1)
    mass = np.zeros(words + 1)  # how much of the links of word i lies before each target word
    before, after = np.zeros(words), np.zeros(words)
    gold_before, gold_after = np.ones(words), np.zeros(words)
    for row in range(len(offsets) - 1):
        start, stop = offsets[row], offsets[row + 1]
        size = 0
        for link in range(start, stop):
            size = max(size, source[link] + 1)
        for i in range(size):
            if not _weigh(source, target, likely, start, stop, i, mass, before, after, size):
                continue
            if has_gold:
                first, last = gold_offsets[row], gold_offsets[row + 1]
                if not _weigh(
                    gold_source, gold_target, gold_likely, first, last, i, mass, gold_before, gold_after, size
                ):
                    continue
            for j in range(i + 1, size):
                known, gold_known = before[j] + after[j], gold_before[j] + gold_after[j]
                if known > 0.0 and gold_known > 0.0:
                    reach = min(1.0, known) * min(1.0, gold_known)
                    same = (before[j] - after[j]) / known * (gold_before[j] - gold_after[j]) / gold_known
                    if same > 0.0:
                        result[row, 0] += reach * same
                    else:
                        result[row, 1] -= reach * same
                    result[row, 2] += reach * (1.0 - abs(same))
    return result


@inner_kernel
def _weigh(
    source: Ints,
    target: Ints,
    likely: NDArray[np.float64],
    start: int,
    stop: int,
    i: int,
    mass: NDArray[np.float64],
    before: NDArray[np.float64],
    after: NDArray[np.float64],
    size: int,
) -> bool:
    """Fill in how much speaks for word i before and after each later word; whether it has links at all."""
    width = 0
    total = 0.0
    for link in range(start, stop):
        width = max(width, target[link] + 1)
        if source[link] == i:
            total += likely[link]
    if total == 0.0:
        return False
    for place in range(width + 1):
        mass[place] = 0.0
    for link in range(start, stop):
        if source[link] == i:
            mass[target[link] + 1] += likely[link]
    for place in range(width):
        mass[place + 1] += mass[place]
    for j in range(i, size):
        before[j] = after[j] = 0.0
    for link in range(start, stop):
        j = source[link]
        if i < j < size:
            before[j] += mass[target[link]] * likely[link]
            after[j] += max(0.0, total - mass[target[link] + 1]) * likely[link]
    return True
