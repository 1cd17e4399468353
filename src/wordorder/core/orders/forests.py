"""The permutation forest of one word order (Stanojević & Sima'an 2014, section 3.1).

A forest packs all permutation trees (PETs) of a permutation. It has a node for every span of positions that covers
consecutive ranks. A node has one operator and one or more *inferences*, each of which is a way to split the node into
blocks. An inference is a tuple of split points: the ends of all blocks except the last. A monotone or inverted node
has one inference for every inner border between its blocks, which splits it in two there; a simple node has one
inference, which splits it into all its blocks. A PET uses one inference at each node.

Nodes are computed from the flattened permutation tree on request, because a chain of m blocks has O(m²) nodes and
Catalan(m − 1) PETs. The forest metrics do not use this class: they compute their scores without building forests
(``metrics/hierarchical.py``).
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import cast

from wordorder.core.orders.permutation import Permutation
from wordorder.core.orders.trees import PermutationTree, catalan
from wordorder.core.runtime.errors import UsageError, refuse

Span = tuple[int, int]


@dataclass(frozen=True)
class ForestNode:
    """A node of a forest, with its positions ``start:stop``, its operator and its inferences.

    A node that is a single word has no operator and no inferences.
    """

    start: int
    stop: int
    operator: tuple[int, ...] = ()
    inferences: tuple[tuple[int, ...], ...] = ()

    @property
    def span(self) -> Span:
        """The node's first position, and the position after its last one."""
        return self.start, self.stop

    @property
    def is_word(self) -> bool:
        """Whether the node is a single word."""
        return not self.operator

    def blocks(self, inference: Sequence[int]) -> tuple[Span, ...]:
        """Return the spans into which an inference divides the node."""
        return tuple(pairwise((self.start, *inference, self.stop)))


@dataclass(frozen=True)
class _PlacedNode:
    """A node of the flattened tree together with its positions.

    ``borders`` holds the start of the node, followed by the end of each child. ``pets`` is the number of permutation
    trees (PETs) of the node.
    """

    tree: PermutationTree
    borders: tuple[int, ...]
    children: "tuple[_PlacedNode, ...]"
    pets: int

    @property
    def is_chain(self) -> bool:
        return self.tree.kind in ("monotone", "inverted")


@dataclass(frozen=True)
class PermutationForest:
    """A compact representation of all permutation trees (PETs) of a permutation.

    >>> forest = PermutationForest.of("4 3 2 1")
    >>> forest.root
    ForestNode(start=0, stop=4, operator=(2, 1), inferences=((1,), (2,), (3,)))
    >>> forest[1, 3].inferences
    ((2,),)
    >>> forest.count_pets(), str(forest.pet(0))
    (5, '⟨2,1⟩(4 ⟨2,1⟩(3 ⟨2,1⟩(2 1)))')
    """

    order: Permutation

    @classmethod
    def of(cls, order: Permutation | str | Sequence[int]) -> "PermutationForest":
        """Build the forest of a permutation; raise an error if the permutation is empty."""
        return cls(Permutation.of(order))

    def __post_init__(self) -> None:
        refuse(not len(self.order), "an empty permutation has no permutation forest")

    @property
    def root(self) -> ForestNode:
        """The node that covers the whole order."""
        return self[0, len(self.order)]

    def __getitem__(self, span: Span) -> ForestNode:
        block, first, last = self._find(span)
        if block.tree.is_word:
            return ForestNode(*span)
        splits = block.borders[first + 1 : last]
        if block.is_chain:
            operator = (1, 2) if block.tree.kind == "monotone" else (2, 1)
            return ForestNode(*span, operator, tuple((split,) for split in splits))
        return ForestNode(*span, block.tree.operator, (splits,))

    def __contains__(self, span: object) -> bool:
        try:
            self._find(cast("Span", span))
        except (KeyError, TypeError, ValueError):
            return False
        return True

    def spans(self) -> Iterator[Span]:
        """Yield the span of every node once; a node comes before the nodes inside it."""
        pending = [self._root]
        while pending:
            block = pending.pop()
            ends, whole = block.borders, len(block.borders) - 1
            yield ends[0], ends[-1]
            for width in range(whole - 1, 1, -1) if block.is_chain else ():
                yield from ((ends[first], ends[first + width]) for first in range(whole - width + 1))
            pending.extend(reversed(block.children))

    def __iter__(self) -> Iterator[ForestNode]:
        return (self[span] for span in self.spans())

    def __len__(self) -> int:
        """Return the number of nodes, including words."""
        return sum(1 for _ in self.spans())

    def count_pets(self, span: Span | None = None) -> int:
        """Return the exact number of permutation trees (PETs) of all words or of the node with this ``span``."""
        if span is None:
            return self._root.pets
        block, first, last = self._find(span)
        return _count(block, first, last)

    def pets(self) -> Iterator[PermutationTree]:
        """Yield all permutation trees (PETs) one by one, keeping only one of them in memory.

        >>> [str(pet) for pet in PermutationForest.of("1 2 3").pets()]
        ['⟨1,2⟩(1 ⟨1,2⟩(2 3))', '⟨1,2⟩(⟨1,2⟩(1 2) 3)']
        """
        number = 0
        while number < self.count_pets():  # a range cannot be longer than 2⁶³
            yield self.pet(number)
            number += 1

    def pet(self, number: int) -> PermutationTree:
        """Return the permutation tree (PET) with the given number, counting from 0.

        The numbers enumerate the choices in all blocks, like the digits of a counter; the last block varies fastest.
        """
        if not 0 <= number < self.count_pets():
            raise UsageError(f"there is no tree {number}; the forest has {self.count_pets()}, numbered from 0")
        plan: list[tuple[tuple[int, ...], int]] = []  # operator and first position, parents before their children
        pending = [((0, len(self.order)), number)]
        while pending:
            span, rest = pending.pop()
            node = self[span]
            plan.append((node.operator, node.start))
            if node.is_word:
                continue
            for inference in node.inferences:
                blocks = node.blocks(inference)
                counts = [self.count_pets(block) for block in blocks]
                if rest < math.prod(counts):
                    break
                rest -= math.prod(counts)
            for block, count in zip(reversed(blocks), reversed(counts), strict=True):
                rest, digit = divmod(rest, count)
                pending.append((block, digit))
        done: list[PermutationTree] = []
        for operator, start in reversed(plan):
            children = tuple(done.pop() for _ in operator)
            done.append(PermutationTree(operator, children, None if operator else self.order.ranks[start] + 1))
        return done[0]

    @cached_property
    def _root(self) -> _PlacedNode:
        tree = PermutationTree.of(self.order)
        assert tree is not None
        place = len(self.order)

        def join(node: PermutationTree, children: list[_PlacedNode]) -> _PlacedNode:
            nonlocal place
            if node.is_word:  # words are visited from the last to the first
                place -= 1
                return _PlacedNode(node, (place, place + 1), (), 1)
            borders = (children[0].borders[0], *(child.borders[-1] for child in children))
            whole = _PlacedNode(node, borders, tuple(children), 0)
            return _PlacedNode(node, borders, whole.children, _count(whole, 0, len(children)))

        return tree.fold(join)

    def _find(self, span: Span) -> tuple[_PlacedNode, int, int]:
        """Return the flattened-tree node that contains a span, and the indices of the borders at the span's ends."""
        start, stop = span
        block = self._root
        if not 0 <= start < stop <= len(self.order):
            raise KeyError(span)
        while True:
            first = bisect_right(block.borders, start) - 1
            last = bisect_left(block.borders, stop)
            if last - first > 1 or not block.children:
                break
            block = block.children[first]
        whole = (first, last) == (0, len(block.borders) - 1)
        if (block.borders[first], block.borders[last]) != (start, stop) or not (whole or block.is_chain):
            raise KeyError(span)
        return block, first, last


def _count(block: _PlacedNode, first: int, last: int) -> int:
    """Return the number of permutation trees that cover the children ``first`` to ``last - 1`` of a node.

    For a simple node, these must be all of its children.
    """
    below = math.prod(child.pets for child in block.children[first:last])
    return below * (catalan(last - first - 1) if block.is_chain else 1)
