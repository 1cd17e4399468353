"""Partial orders: counts of source word pairs in the same order, in opposite orders or undecided in two alignments.

A source word with several links, or with uncertain links, has no single position in the target sentence, but the
links still give evidence about which word of a pair comes first. If p_i(a) is the probability of the link between
source word i and target word a, the evidence that i comes before j is

    before_ij = Σ_{a<b} p_i(a)·p_j(b),        after_ij = before_ji,

and the *decision* about the pair is (before − after)/(before + after), from −1 to 1, with weight min(1, before +
after). Two links to the same target word provide no evidence. If every word has one certain link, to a target word of
its own, every decision is 1 or −1 and no pair is undecided.
"""

import numpy as np

from wordorder.core.orders.alignment import Alignments
from wordorder.core.runtime.columns import Floats, Ints, Offsets
from wordorder.core.runtime.kernels import inner_kernel, kernel

Links = tuple[Ints, Ints, Floats, Offsets]
"""The source words, target words and probabilities of the links, and the offsets of the rows."""


def compare_pairs(alignments: Alignments, gold: Alignments | None = None) -> Floats:
    """Return, for each row, the total weight of the pairs in the same order, in opposite orders and undecided.

    The result has the shape ``[rows, 3]``. The pairs are all pairs of source words in a row. If the decision about a
    pair is m in ``alignments`` and g in ``gold``, the pair adds |m·g| to the first number if m·g is positive, or to
    the second number if it is negative, and 1 − |m·g| to the third. Each amount is multiplied by the weights of both
    decisions. Without ``gold``, pairs are compared with the order of the source sentence. A row with n links and s
    source words takes O(n·s) time.

    >>> from wordorder.core.orders import Alignment
    >>> links = Alignments.of([Alignment(((0, 0), (1, 2), (2, 1))), Alignment(((0, 0), (1, 0), (2, 1)))])
    >>> compare_pairs(links).tolist()
    [[2.0, 1.0, 0.0], [2.0, 0.0, 0.0]]
    """
    return _compare(_links(alignments), _links(alignments[:0] if gold is None else gold), gold is not None)


def _links(column: Alignments) -> Links:
    likely = np.ones(len(column.source)) if column.probability is None else column.probability
    return column.source, column.target, likely, column.offsets


@kernel
def _compare(links: Links, gold: Links, has_gold: bool) -> Floats:
    source, target, _, offsets = links
    result = np.zeros((len(offsets) - 1, 3))
    words = 1
    for column in (source, target, gold[0], gold[1]):
        words = max(words, column.max() + 1 if len(column) else 0)
    mass = np.zeros(words + 1)  # total probability of the links from word i to words before each target word
    before, after = np.zeros(words), np.zeros(words)
    gold_before, gold_after = np.ones(words), np.zeros(words)
    for row in range(len(offsets) - 1):
        size = 0
        for link in range(offsets[row], offsets[row + 1]):
            size = max(size, source[link] + 1)
        for i in range(size):
            if not _weigh(links, row, i, mass, before, after, size):
                continue
            if has_gold and not _weigh(gold, row, i, mass, gold_before, gold_after, size):
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
def _weigh(links: Links, row: int, i: int, mass: Floats, before: Floats, after: Floats, size: int) -> bool:
    """Compute the evidence that word i comes before and after each later word.

    The results are stored in ``before`` and ``after``. Return False if word i has no links.
    """
    source, target, likely, offsets = links
    start, stop = offsets[row], offsets[row + 1]
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
