"""Reorderings: pairs of neighbouring source blocks whose order is reversed in the target (Birch 2011, §3.2.1).

A ``Reordering`` is a single reordering; ``Reorderings`` is a column with the reorderings of many sentences.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordorder.core.reorderings.links import check_side
from wordorder.core.runtime.columns import Int64s, Ints, ValueColumn
from wordorder.core.runtime.kernels import kernel

A_SOURCE, A_TARGET, B_SOURCE, B_TARGET = range(4)
"""Indices of the four spans of a reordering on the second axis of ``Reorderings.spans``."""

WIDTH_CLASSES = ("short", "medium", "long")
WIDEST_SHORT, WIDEST_MEDIUM = 4, 8

Span = tuple[int, int]


@dataclass(frozen=True, order=True)
class Reordering:
    """One reordering of two blocks: B follows A in the source and precedes it in the target.

    A span is given by the positions of its first and last word, counted from 0. The text form ``A_s,A_t,B_s,B_t``
    counts positions from 1.

    >>> reordering = Reordering((0, 1), (2, 3), (2, 2), (1, 1))
    >>> str(reordering), reordering.width("target")
    ('1-2,3-4,3,2', 3)
    """

    a_source: Span
    a_target: Span
    b_source: Span
    b_target: Span

    def __str__(self) -> str:
        return ",".join(_written(span) for span in (self.a_source, self.a_target, self.b_source, self.b_target))

    def width(self, side: str = "target") -> int:
        """Return the total number of words in both blocks on one side."""
        check_side(side)
        a, b = (self.a_source, self.b_source) if side == "source" else (self.a_target, self.b_target)
        return a[1] - a[0] + b[1] - b[0] + 2


@dataclass(frozen=True, eq=False)
class Reorderings(ValueColumn[tuple[Reordering, ...]]):
    """The reorderings of many sentence pairs; those of row i are at ``offsets[i]:offsets[i + 1]``.

    ``spans[r, k]`` holds the first and the last word (0-based) of span k of reordering r, where k is ``A_SOURCE``,
    ``A_TARGET``, ``B_SOURCE`` or ``B_TARGET``. ``blocked`` counts, for each sentence, the pairs of neighbouring
    aligned words between which nothing is extracted because both lie in the same discontinuous area.
    """

    of_values = ("spans",)
    of_rows = ("blocked",)

    spans: Ints
    offsets: Int64s
    blocked: Ints

    def _value(self, row: int) -> tuple[Reordering, ...]:
        found = self.spans[self.offsets[row] : self.offsets[row + 1]].tolist()
        return tuple(Reordering(*((first, last) for first, last in spans)) for spans in found)

    def written(self, row: int) -> str:
        """Return the reorderings of one sentence as text with 1-based positions, like ``1,4,2,3; 1-2,3-4,3,2``."""
        return "; ".join(str(reordering) for reordering in self[row])

    def widths(self, side: str = "target") -> Ints:
        """Return the width of each reordering: the total number of words in A and B on one side."""
        check_side(side)
        a, b = (A_SOURCE, B_SOURCE) if side == "source" else (A_TARGET, B_TARGET)
        sizes: Ints = self.spans[:, :, 1] - self.spans[:, :, 0] + np.int32(1)
        return sizes[:, a] + sizes[:, b]

    def width_classes(self, side: str = "target") -> NDArray[np.int8]:
        """Return the class of each reordering (2–4, 5–8, or more than 8 words) as an index into ``WIDTH_CLASSES``."""
        widths = self.widths(side)
        return (widths > WIDEST_SHORT).astype(np.int8) + (widths > WIDEST_MEDIUM).astype(np.int8)

    def summed_widths(self, side: str = "target") -> Int64s:
        """Return the sum of the widths of all reorderings in each sentence."""
        totals = np.zeros(len(self.spans) + 1, dtype=np.int64)
        np.cumsum(self.widths(side), out=totals[1:])
        return np.diff(totals[self.offsets])

    def depths(self) -> Ints:
        """Return the nesting depth of each reordering: 1 plus the number of reorderings that enclose it.

        One reordering encloses another if the rectangle around its two blocks properly contains that of the other.
        """
        return _depths(self.spans, self.offsets)


def _written(span: Span) -> str:
    return f"{span[0] + 1}" if span[0] == span[1] else f"{span[0] + 1}-{span[1] + 1}"


@kernel
def _depths(spans: Ints, offsets: Int64s) -> Ints:
    depths = np.ones(len(spans), dtype=np.int32)
    for row in range(len(offsets) - 1):
        for inner in range(offsets[row], offsets[row + 1]):
            left, right = spans[inner, A_SOURCE, 0], spans[inner, B_SOURCE, 1]
            low, high = spans[inner, B_TARGET, 0], spans[inner, A_TARGET, 1]
            for outer in range(offsets[row], offsets[row + 1]):
                slack = (left - spans[outer, A_SOURCE, 0], spans[outer, B_SOURCE, 1] - right)
                slack_target = (low - spans[outer, B_TARGET, 0], spans[outer, A_TARGET, 1] - high)
                if min(slack) >= 0 and min(slack_target) >= 0 and max(max(slack), max(slack_target)) > 0:
                    depths[inner] += 1
    return depths
