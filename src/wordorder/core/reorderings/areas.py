"""The consistent blocks and the discontinuous areas of one alignment (Birch 2011, §3.2.2).

These functions help to inspect single sentences; ``extraction.py`` extracts the reorderings of whole corpora.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from wordorder.core.orders import Alignment


class Rectangle(NamedTuple):
    """A source span and a target span, each given by its first and last word, counted from 0."""

    source: tuple[int, int]
    target: tuple[int, int]

    def holds(self, other: Rectangle) -> bool:
        """Return whether another rectangle equals this one or lies inside it."""
        return all(big[0] <= small[0] and small[1] <= big[1] for big, small in zip(self, other, strict=True))


def smallest_block(alignment: Alignment, source: tuple[int, int], target: tuple[int, int]) -> Rectangle:
    """Return the smallest rectangle that contains both spans and is consistent: no link has exactly one end inside.

    >>> smallest_block(Alignment.parse("0-0 0-2 1-1"), (0, 0), (0, 2))
    Rectangle(source=(0, 1), target=(0, 2))
    """
    while True:
        inside = [(i, j) for i, j in alignment.links if source[0] <= i <= source[1] or target[0] <= j <= target[1]]
        wider = tuple(
            (min(span[0], *(link[side] for link in inside)), max(span[1], *(link[side] for link in inside)))
            for side, span in enumerate((source, target))
        )
        if wider == (source, target):
            return Rectangle(source, target)
        source, target = wider


def consistent_blocks(alignment: Alignment) -> list[Rectangle]:
    """Return the smallest consistent block around each link, sorted from left to right, without duplicates.

    >>> consistent_blocks(Alignment.parse("0-1 1-0 1-1 2-2"))
    [Rectangle(source=(0, 1), target=(0, 1)), Rectangle(source=(2, 2), target=(2, 2))]
    """
    found = {smallest_block(alignment, (source, source), (target, target)) for source, target in alignment.links}
    return sorted(found)


def discontinuous_areas(alignment: Alignment) -> list[Rectangle]:
    """Return the smallest consistent blocks around words whose links have a gap, omitting blocks inside others.

    No reordering is extracted between two words in the same area.

    >>> discontinuous_areas(Alignment.parse("0-0 0-2 1-1 2-3"))
    [Rectangle(source=(0, 1), target=(0, 2))]
    """
    linked: tuple[dict[int, list[int]], dict[int, list[int]]] = (defaultdict(list), defaultdict(list))
    for source, target in alignment.links:
        linked[0][source].append(target)
        linked[1][target].append(source)
    found = set()
    for side, words in enumerate(linked):
        for word, others in words.items():
            if max(others) - min(others) + 1 != len(set(others)):
                spans = (word, word), (min(others), max(others))
                found.add(smallest_block(alignment, *(spans if side == 0 else spans[::-1])))
    return sorted(area for area in found if not any(area != other and other.holds(area) for other in found))
