"""Symmetrisation: combining the alignments of the two directions.

========================  =============================================================================
forward, backward         the links of one direction
intersection, union       links that are in both directions, links that are in at least one
grow-diag                 the intersection, then repeatedly a link of the union that is a neighbour of
                          an existing link (also diagonally) and aligns a word that is still unaligned
                          (Koehn et al. 2003)
grow-diag-final           … then every link of a direction with at least one word still unaligned
grow-diag-final-and       … then every link of a direction with both words still unaligned
posterior-product         links for which the product of both posteriors reaches the threshold
                          (Liang et al. 2006)
soft-union                links for which the mean of both posteriors reaches the threshold
                          (DeNero & Klein 2007)
========================  =============================================================================

While the alignment grows, links are visited in the order of their source words, then of their target words. The final
step considers first the forward links, then the backward links.
"""

import numpy as np

from wordorder.core.orders import Alignments
from wordorder.core.runtime.columns import Bools, Floats, Int64s, Ints, offsets_from_lengths, rows_of
from wordorder.core.runtime.errors import InputError, UsageError, check_choice
from wordorder.core.runtime.kernels import inner_kernel, kernel

_FINALS = {"grow-diag": 0, "grow-diag-final": 1, "grow-diag-final-and": 2}
POSTERIOR_METHODS = ("posterior-product", "soft-union")
METHODS = ("forward", "backward", "intersection", "union", *_FINALS, *POSTERIOR_METHODS)
DEFAULT_METHOD = "grow-diag-final-and"
DEFAULT_THRESHOLD = 0.5


def check_method(method: str) -> None:
    """Raise an error that lists the valid methods if ``method`` is not one of them."""
    check_choice(method, METHODS, "symmetrisation")


def symmetrise(
    forward: Alignments, backward: Alignments, method: str = DEFAULT_METHOD, *, threshold: float = DEFAULT_THRESHOLD
) -> Alignments:
    """Combine a forward and a backward alignment of each sentence pair; links are (source, target) in both.

    The posterior methods require links with probabilities; a link that is missing in one direction has probability 0
    there. If both directions have probabilities, the probability of each combined link is the mean of its two
    probabilities.

    >>> from wordorder.core.orders import Alignment
    >>> forward = Alignment(((0, 0), (1, 1), (1, 2)), 4, 3).column()
    >>> backward = Alignment(((0, 0), (1, 1), (3, 0)), 4, 3).column()
    >>> for method in ("intersection", "grow-diag", "union"):
    ...     print(symmetrise(forward, backward, method)[0])
    0-0 1-1
    0-0 1-1 1-2
    0-0 1-1 1-2 3-0
    """
    check_method(method)
    if len(forward) != len(backward):
        raise InputError(f"forward and backward alignments differ in number: {len(forward)} and {len(backward)}")
    known = forward.probability is not None and backward.probability is not None
    if method in POSTERIOR_METHODS and not known:
        raise UsageError(f"{method} requires alignments with probabilities; use another symmetrisation")
    size = link_size(forward, backward)
    split = len(forward.source)
    keys, place = np.unique(np.hstack((link_keys(forward, size), link_keys(backward, size))), return_inverse=True)
    rows, cells = np.divmod(keys, size * size)
    source, target = (part.astype(np.int32) for part in np.divmod(cells, size))
    inside = np.zeros((2, len(rows)), dtype=np.bool_)
    inside[0, place[:split]] = inside[1, place[split:]] = True
    posteriors = np.zeros((2, len(rows)))
    for side, column, places in ((0, forward, place[:split]), (1, backward, place[split:])):
        if column.probability is not None:
            posteriors[side, places] = column.probability
    offsets = offsets_from_lengths(np.bincount(rows, minlength=len(forward)))
    if method in POSTERIOR_METHODS:
        keep = combine(posteriors[0], posteriors[1], method) >= threshold
    else:
        keep = choose(source, target, offsets, inside[0], inside[1], method)
    kept = offsets_from_lengths(np.bincount(rows[keep], minlength=len(forward)))
    source_lengths = np.maximum(forward.source_lengths, backward.source_lengths)
    target_lengths = np.maximum(forward.target_lengths, backward.target_lengths)
    probability = posteriors.mean(axis=0)[keep] if known else None
    return Alignments(source[keep], target[keep], kept, source_lengths, target_lengths, None, probability)


def link_size(*columns: Alignments) -> int:
    """Return a number larger than every position in the given columns."""
    return 1 + max(int(places.max(initial=0)) for column in columns for places in (column.source, column.target))


def link_keys(alignments: Alignments, size: int) -> Int64s:
    """Number the links so that their numbers sort by row, then source position, then target position.

    ``size`` must be larger than all positions.
    """
    return (rows_of(alignments.offsets) * size + alignments.source) * size + alignments.target


def combine(forward: Floats, backward: Floats, method: str) -> Floats:
    """Return the combined posteriors of links, given their posteriors in the two directions."""
    return forward * backward if method == "posterior-product" else (forward + backward) / 2


def choose(source: Ints, target: Ints, offsets: Int64s, forward: Bools, backward: Bools, method: str) -> Bools:
    """Given the union of two alignments, mark the links that ``method`` keeps.

    The links of each row must be sorted by source, then by target; ``forward`` and ``backward`` mark the links found
    in the respective direction.
    """
    if method == "forward":
        return forward
    if method == "backward":
        return backward
    if method == "union":
        return forward | backward
    keep = forward & backward
    if method in _FINALS:
        _grow(source, target, offsets, forward, backward, keep, _FINALS[method])
    return keep


@inner_kernel
def _find_link(source: Ints, target: Ints, first: int, last: int, i: int, j: int) -> int:
    """Search the row ``first:last`` for link (i, j); return its index, or −1 if it is not there."""
    low, high = first, last
    while low < high:
        middle = (low + high) // 2
        if source[middle] < i or (source[middle] == i and target[middle] < j):
            low = middle + 1
        else:
            high = middle
    if low < last and source[low] == i and target[low] == j:
        return low
    return -1


@kernel
def _grow(
    source: Ints, target: Ints, offsets: Int64s, forward: Bools, backward: Bools, keep: Bools, final: int
) -> None:
    """Apply grow-diag to ``keep``, which marks the intersection of the links at first; then apply the final step.

    ``final`` is the number of words of a link that must be unaligned for the final step to add the link: 1 means at
    least one, 2 means both, and 0 skips the final step.
    """
    neighbours = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))
    for row in range(len(offsets) - 1):
        first, last = offsets[row], offsets[row + 1]
        if first == last:
            continue
        source_done = np.zeros(source[first:last].max() + 1, dtype=np.bool_)
        target_done = np.zeros(target[first:last].max() + 1, dtype=np.bool_)
        for link in range(first, last):
            if keep[link]:
                source_done[source[link]] = target_done[target[link]] = True
        growing = True
        while growing:
            growing = False
            for link in range(first, last):
                if not keep[link]:
                    continue
                for down, right in neighbours:
                    near = _find_link(source, target, first, last, source[link] + down, target[link] + right)
                    if near < 0 or keep[near] or (source_done[source[near]] and target_done[target[near]]):
                        continue
                    keep[near] = growing = True
                    source_done[source[near]] = target_done[target[near]] = True
        for direction in range(2 if final else 0):
            links = backward if direction else forward
            for link in range(first, last):
                if keep[link] or not links[link]:
                    continue
                done = int(source_done[source[link]]) + int(target_done[target[link]])
                if done == 0 or (done == 1 and final == 1):
                    keep[link] = source_done[source[link]] = target_done[target[link]] = True
