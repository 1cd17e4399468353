"""Joining the alignments of two directions into one.

========================  =============================================================================
forward, backward         one direction alone
intersection, union       links of both, links of either
grow-diag                 intersection, then again and again a link of the union that touches one already
                          there, also diagonally, and aligns a word not yet aligned (Koehn et al. 2003)
grow-diag-final           … then every link of a direction that aligns a word still unaligned on either side
grow-diag-final-and       … then every link of a direction whose words are both still unaligned
posterior-product         links whose posteriors' product reaches the threshold (Liang et al. 2006)
soft-union                links whose posteriors' mean reaches the threshold (DeNero & Klein 2007)
========================  =============================================================================

Growing visits links by source word, then target word; the final step takes the forward links, then the backward.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wordorder.orders import Alignments
from wordorder.runtime.errors import InputError, UsageError, choices
from wordorder.runtime.kernels import kernel
from wordorder.runtime.ragged import offsets_from_lengths, rows_of

METHODS = (
    "forward",
    "backward",
    "intersection",
    "union",
    "grow-diag",
    "grow-diag-final",
    "grow-diag-final-and",
    "posterior-product",
    "soft-union",
)
POSTERIOR_METHODS = ("posterior-product", "soft-union")
DEFAULT_METHOD = "grow-diag-final-and"
DEFAULT_THRESHOLD = 0.5

_FINALS = {"grow-diag": 0, "grow-diag-final": 1, "grow-diag-final-and": 2}


def check_method(method: str) -> None:
    """Refuse an unknown method with the list of the known ones."""
    if method not in METHODS:
        raise choices(method, list(METHODS), what="symmetrisation")


def symmetrise(
    forward: Alignments,
    backward: Alignments,
    method: str = DEFAULT_METHOD,
    *,
    threshold: float = DEFAULT_THRESHOLD,
) -> Alignments:
    """Join two alignments of the same text, both written source–target.

    The posterior methods need columns with probabilities; a link that one column lacks has 0 there. Where both
    columns have probabilities, the probability of a link becomes their mean.

    >>> from wordorder.orders import Alignment
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
        raise InputError(f"{len(forward)} forward alignments but {len(backward)} backward alignments")
    if forward.probability is None or backward.probability is None:
        if method in POSTERIOR_METHODS:
            raise UsageError(f"{method} needs alignments with probabilities")
        probabilities = None
    else:
        probabilities = forward.probability, backward.probability
    rows = np.concatenate((rows_of(forward.offsets), rows_of(backward.offsets)))
    source = np.concatenate((forward.source, backward.source))
    target = np.concatenate((forward.target, backward.target))
    order = np.lexsort((target, source, rows))
    rows, source, target = rows[order], source[order], target[order]
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (np.diff(rows) != 0) | (np.diff(source) != 0) | (np.diff(target) != 0)
    place = np.empty(len(order), dtype=np.int64)  # of each link, in the union
    place[order] = np.cumsum(new) - 1
    split = len(forward.source)
    rows, source, target = rows[new], source[new], target[new]
    inside = np.zeros((2, len(rows)), dtype=np.bool_)
    inside[0, place[:split]] = inside[1, place[split:]] = True
    posteriors = None
    if probabilities is not None:
        posteriors = np.zeros((2, len(rows)))
        posteriors[0, place[:split]], posteriors[1, place[split:]] = probabilities
    offsets = offsets_from_lengths(np.bincount(rows, minlength=len(forward)))
    if posteriors is not None and method in POSTERIOR_METHODS:
        keep = combine(posteriors[0], posteriors[1], method) >= threshold
    else:
        keep = choose(source, target, offsets, inside[0], inside[1], method)
    return Alignments(
        source[keep],
        target[keep],
        offsets_from_lengths(np.bincount(rows[keep], minlength=len(forward))),
        np.maximum(forward.source_lengths, backward.source_lengths),
        np.maximum(forward.target_lengths, backward.target_lengths),
        None,
        None if posteriors is None else posteriors.mean(axis=0)[keep],
    )


def combine(forward: NDArray[np.float64], backward: NDArray[np.float64], method: str) -> NDArray[np.float64]:
    """Give the joint posterior of links from those of the two directions."""
    joint: NDArray[np.float64] = forward * backward if method == "posterior-product" else (forward + backward) / 2
    return joint


def choose(
    source: NDArray[np.int32],
    target: NDArray[np.int32],
    offsets: NDArray[np.int64],
    forward: NDArray[np.bool_],
    backward: NDArray[np.bool_],
    method: str,
) -> NDArray[np.bool_]:
    """Say which links of the union to keep; they are sorted by source, then target, within each row."""
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


@kernel
def _find_link(source: NDArray[np.int32], target: NDArray[np.int32], first: int, last: int, i: int, j: int) -> int:
    """Find a link of the row ``first:last``; −1 where it is not there."""
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
    source: NDArray[np.int32],
    target: NDArray[np.int32],
    offsets: NDArray[np.int64],
    forward: NDArray[np.bool_],
    backward: NDArray[np.bool_],
    keep: NDArray[np.bool_],
    final: int,
) -> None:
    """Grow ``keep`` diagonally, then add final links: 0 none, 1 with a word still unaligned, 2 with both."""
    beside = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))
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
                for down, right in beside:
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
