"""Create versions of a sentence in which some reorderings are undone, for studies with people (Birch 2011, §6.3.1).

A reordering is a pair of blocks A and B of source words whose translations A_t and B_t are in the opposite order in
the target. Undoing it swaps them, B_t A_t → A_t B_t, which restores their source order. Any subset of the reorderings
of a sentence can be undone, narrow ones first. As in the thesis, the RQuantity of a version is measured on the source
side: the sum of the widths of the undone reorderings in source words, divided by the number of source words.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

import numpy as np

from wordorder.core.orders import Alignment, Alignments, Permutation, place
from wordorder.core.reorderings.extraction import extract, rquantity
from wordorder.core.reorderings.reorderings import Reordering
from wordorder.core.runtime.errors import refuse

FULL = ("reorderings", "source-order")
"""Ways to create the version with the most disorder: undo all reorderings, or put the words into source order."""

_ENUMERATED = 10  # up to this number of reorderings, all subsets are tried
_TRIES = 300


@dataclass(frozen=True)
class Version:
    """A version of a sentence: the order of its words, and the reorderings that were undone.

    ``order`` has the position of each word of the version in the original sentence. ``skipped`` is the number of
    reorderings that could not be undone because their blocks were not adjacent. ``source_words`` is the length of
    the source sentence.
    """

    order: Permutation
    undone: tuple[Reordering, ...]
    source_words: int
    skipped: int = 0

    @property
    def rquantity(self) -> float:
        """The RQuantity of the undone reorderings on the source side."""
        return source_rquantity(self.undone, self.source_words)


def source_rquantity(reorderings: Sequence[Reordering], words: int) -> float:
    """Return the sum of the widths of reorderings in source words, divided by the number of source words."""
    return sum(one.width("source") for one in reorderings) / words


def undo(words: int, reorderings: Sequence[Reordering], *, source_words: int) -> Version:
    """Undo reorderings of a sentence with ``words`` words, narrow ones first; skip those that cannot be undone.

    >>> found = undo(4, [Reordering((0, 1), (2, 3), (2, 2), (1, 1))], source_words=5)
    >>> str(found.order), found.rquantity
    ('1 3 4 2', 0.6)
    """
    order = list(range(words))
    undone = []
    for one in sorted(reorderings, key=lambda one: (one.width(), one)):
        at = {word: place for place, word in enumerate(order)}
        a, b = (sorted(at[word] for word in range(span[0], span[1] + 1)) for span in (one.a_target, one.b_target))
        if _is_run(a) and _is_run(b) and b[-1] + 1 == a[0]:
            start, middle, end = b[0], a[0], a[-1] + 1
            order[start:end] = order[middle:end] + order[start:middle]
            undone.append(one)
    return Version(Permutation(tuple(order)), tuple(undone), source_words, len(reorderings) - len(undone))


def measured_rquantity(orders: Sequence[Permutation]) -> np.ndarray:
    """Measure the RQuantity between every version, given by its order, and the original sentence, in its words."""
    rows = [Alignment(tuple(enumerate(order.ranks)), len(order), len(order)) for order in orders]
    aligned = Alignments.of(rows)
    return rquantity(extract(aligned), aligned)


def source_order(alignment: Alignment) -> Permutation:
    """Return the permutation of target words into source order; unaligned words follow the word before them."""
    places = place(alignment.column().transpose())
    return Permutation(tuple(int(rank) for rank in places.against_source().ranks))


def make_versions(
    alignment: Alignment,
    reorderings: Sequence[Reordering],
    edges: Sequence[float],
    *,
    chance: random.Random,
    full: str = "reorderings",
) -> list[Version] | None:
    """Create a version for each bin of RQuantity, or return None if none could be found for some bin.

    ``edges`` are the upper bounds of the bins, from 0 for the original sentence upwards. The last version must have
    an RQuantity above all edges; it undoes all reorderings or, if ``full`` is ``source-order``, is in source order.
    """
    refuse(full not in FULL, f"unknown way to create full disorder {full!r}; expected {' or '.join(FULL)}")
    words, source_words = alignment.target_length or 0, alignment.source_length or 0
    if not words or not reorderings:
        return None
    versions = [undo(words, [], source_words=source_words)]
    for low, high in pairwise(edges):
        found = _find(words, source_words, reorderings, low, high, chance)
        if found is None:
            return None
        versions.append(found)
    last = undo(words, reorderings, source_words=source_words)
    if source_rquantity(reorderings, source_words) <= edges[-1]:
        return None
    if full == "source-order":
        order = source_order(alignment)
        return [*versions, replace(last, order=order)] if len(order) == words else None
    return [*versions, last] if _is_exact(last) else None


def _find(
    words: int, source_words: int, reorderings: Sequence[Reordering], low: float, high: float, chance: random.Random
) -> Version | None:
    """Undo a random subset of reorderings such that RQuantity is in a given bin, and return the version or None.

    The bin contains values above ``low`` and up to ``high``. None is returned if no subset was found that fits the
    bin and whose reorderings can all be undone.
    """
    for subset in _subsets(source_words, reorderings, low, high, chance):
        version = undo(words, subset, source_words=source_words)
        if _is_exact(version):
            return version
    return None


def _subsets(
    words: int, reorderings: Sequence[Reordering], low: float, high: float, chance: random.Random
) -> Iterator[Sequence[Reordering]]:
    """Yield, in random order, subsets of reorderings whose RQuantity is above ``low`` and at most ``high``.

    If there are few reorderings, all such subsets are yielded; otherwise, a random sample of them.
    """

    def fits(subset: Sequence[Reordering]) -> bool:
        return low < source_rquantity(subset, words) <= high

    if len(reorderings) <= _ENUMERATED:
        sizes = range(1, len(reorderings) + 1)
        fitting = [subset for size in sizes for subset in combinations(reorderings, size) if fits(subset)]
        yield from sorted(fitting, key=lambda subset: chance.random())
        return
    for _ in range(_TRIES):
        drawn: list[Reordering] = []
        for one in sorted(reorderings, key=lambda one: chance.random()):
            if source_rquantity([*drawn, one], words) <= high:
                drawn.append(one)
            if fits(drawn) and chance.random() < 0.5:
                break
        if fits(drawn):
            yield drawn


def _is_exact(version: Version) -> bool:
    """Return whether all reorderings were undone, and the order shows that nothing else was moved."""
    undone = sum(one.width() for one in version.undone) / len(version.order)
    return not version.skipped and abs(measured_rquantity([version.order])[0] - undone) < 1e-9


def _is_run(places: Sequence[int]) -> bool:
    return places[-1] - places[0] + 1 == len(places)
