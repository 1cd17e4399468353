"""One word order in detail: the permutation, its tree, the number of its PETs, its cycles, and every metric."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from wordorder.metrics.base import Need, OrderMetric
from wordorder.metrics.registry import choose_metrics
from wordorder.orders import Alignment, Alignments, Permutation, PermutationTree, order_against_reference, place
from wordorder.runtime.errors import UsageError
from wordorder.runtime.plain import plain

LONGEST = 400
"""The longest word order that can be inspected: its tree stays shallow enough to be written as JSON."""


@dataclass(frozen=True)
class Inspection:
    """A word order, its scores by metric, and the words of the source in that order where they are known."""

    order: Permutation
    scores: dict[str, float]
    words: str = ""

    @property
    def tree(self) -> PermutationTree | None:
        """The permutation tree; an empty order has none."""
        return PermutationTree.of(self.order)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, unrounded; undefined is None."""
        tree = self.tree
        return {
            "permutation": str(self.order),
            "length": len(self.order),
            **({"words": self.words} if self.words else {}),
            "tree": None if tree is None else tree.to_dict(),
            "pets": None if tree is None else tree.count_binarisations(),
            "cycles": [list(cycle) for cycle in self.order.cycles()],
            "scores": plain(self.scores),
        }

    def __str__(self) -> str:
        lines = [f"permutation  {str(self.order) or 'empty: no word is aligned, every metric is undefined'}"]
        if self.words:
            lines.append(f"words        {self.words}")
        tree = self.tree
        if tree is not None:
            cycles = " ".join(f"({' '.join(map(str, cycle))})" for cycle in self.order.cycles())
            lines.append("tree         " + tree.drawing().replace("\n", "\n             "))
            lines += [f"PETs         {tree.count_binarisations()}", f"cycles       {cycles}"]
        width = max(map(len, self.scores))
        for name, value in self.scores.items():
            lines.append(f"{name:{width}}  " + ("undefined" if value != value else f"{value:.4f}"))
        lines.insert(len(lines) - len(self.scores), "")
        return "\n".join(lines)


def inspect(
    order: str,
    *,
    reference: str | None = None,
    source: str | None = None,
    policy: str = "birch",
    base: int | None = None,
    metrics: str = "all",
) -> Inspection:
    """Inspect a permutation ('2 4 1 3', from 1) or an alignment ('0-0 1-2', source-target).

    An alignment is judged as the target order against the source. ``reference`` is another order or alignment of the
    same source to compare with; ``source`` is the source sentence, which tells its length.

    >>> found = inspect("2 4 5 6 1 3", metrics="kendall,pef")
    >>> found.scores["pef"], found.tree.count_binarisations()
    (0.4, 2)
    """
    judged, words = _read(order, reference, source=source, policy=policy, base=base)
    if len(judged) > LONGEST:
        raise UsageError(f"{len(judged)} words are too many to inspect (at most {LONGEST}); score them instead")
    chosen = choose_metrics(metrics, available=frozenset({Need.ORDER}))
    return Inspection(judged, {str(one): one(judged) for one in chosen if isinstance(one, OrderMetric)}, words)


def _read(
    order: str, reference: str | None, *, source: str | None, policy: str, base: int | None
) -> tuple[Permutation, str]:
    """Return the order as a permutation, and the words of the source in that order where they are known."""
    if not _is_alignment(order):
        if reference is not None and _is_alignment(reference):
            raise UsageError("the order is a permutation but the reference is an alignment; give both in one form")
        if base == 0:
            raise UsageError("permutations count from 1; base 0 is only for alignments")
        judged = Permutation.parse(order)
        return (judged if reference is None else judged.relative_to(Permutation.parse(reference))), ""
    words = None if source is None else source.split()
    links = [_links(text, base or 0) for text in (order, reference) if text is not None]
    length = 1 + max((place for row in links for place, _ in row), default=-1) if words is None else len(words)
    column, *gold = (_column(row, length) for row in links)
    if gold:
        return order_against_reference(column, *gold, policy=policy)[0], ""
    places = place(column, policy=policy)
    return places.against_source()[0], places.written(0, words) if words is not None else ""


def _is_alignment(text: str) -> bool:
    return bool(re.search(r"\d[-?p]\d", text))


def _links(text: str, base: int) -> list[tuple[int, int]]:
    links = []
    for item in text.split():
        match = re.fullmatch(r"(\d{1,6})[-?p](\d{1,6})(-[SPsp])?", item)
        if not match:
            raise UsageError(f"{item!r} is not a link; expected source-target, like 3-4")
        source, target = int(match[1]) - base, int(match[2]) - base
        if min(source, target) < 0:
            raise UsageError(f"link {item!r} has index 0, but indices count from 1")
        links.append((source, target))
    return links


def _column(links: list[tuple[int, int]], length: int) -> Alignments:
    return Alignment(tuple(dict.fromkeys(links)), length).column()
