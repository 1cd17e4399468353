"""Permutation trees: how a word order is built from blocks.

The *flattened* permutation tree (PET) of a permutation is its strong-interval tree. Every inner node is

* monotone – its blocks stand in order,
* inverted – its blocks stand in reverse, or
* simple   – at least four blocks, no run of which (but all) covers consecutive ranks: ⟨2,4,1,3⟩, ⟨3,1,4,2⟩, …

A PET proper has binary monotone and inverted nodes: it is one of the binarisations of the flattened tree, and a node
with m blocks has Catalan(m − 1) of them. All of them together are the permutation forest (PEF).
(Zhang & Gildea 2007; Stanojević & Sima'an 2014, 2016)

``PermutationTrees`` is the column the metrics work on, ``PermutationTree`` the tree of one sentence to look at.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordorder.orders.permutation import Permutation, Permutations
from wordorder.runtime.errors import choices
from wordorder.runtime.kernels import kernel
from wordorder.runtime.ragged import frozen

LEAF, MONOTONE, INVERTED, SIMPLE = range(4)

BRANCHINGS = ("left", "right")


@dataclass(frozen=True, eq=False)
class PermutationTrees:
    """A column of flattened permutation trees, nodes in post-order (children before their parent).

    ``kinds`` and ``arities`` have one entry per node, leaves included (arity 0); the nodes of row i stand at
    ``offsets[i]:offsets[i + 1]``. ``operators`` holds the operators of the simple nodes, in the same order.
    """

    kinds: NDArray[np.int8]
    arities: NDArray[np.int32]
    offsets: NDArray[np.int64]
    operators: Permutations

    def __post_init__(self) -> None:
        frozen(self.kinds)
        frozen(self.arities)
        frozen(self.offsets)

    @classmethod
    def of(cls, orders: Permutations) -> PermutationTrees:
        """Build the trees of a column of permutations, near O(n log n) for a sentence of n words."""
        kinds, arities, offsets, ranks, operator_offsets = _build(orders.ranks, orders.offsets)
        return cls(kinds, arities, offsets, Permutations(ranks, operator_offsets))

    def __len__(self) -> int:
        return len(self.offsets) - 1


@dataclass(frozen=True, eq=False, repr=False)
class PermutationTree:
    """One node and what is below it: a word (``operator`` empty) or an operator over blocks; ranks are 1-based.

    >>> tree = PermutationTree.of(Permutation.parse("2 4 5 6 1 3"))
    >>> str(tree)
    '⟨2,4,1,3⟩(2 ⟨1,2,3⟩(4 5 6) 1 3)'
    >>> tree.count_binarisations()
    2
    """

    operator: tuple[int, ...]
    children: tuple[PermutationTree, ...]
    rank: int | None = None

    @classmethod
    def of(cls, order: Permutation) -> PermutationTree | None:
        """Build the flattened tree of one permutation; the empty permutation has none."""
        trees = PermutationTrees.of(order.column())
        simple = iter(trees.operators)
        words = iter(order.ranks)
        stack: list[PermutationTree] = []
        for kind, arity in zip(trees.kinds.tolist(), trees.arities.tolist(), strict=True):
            if kind == LEAF:
                stack.append(cls((), (), next(words) + 1))
                continue
            blocks = tuple(stack[-arity:])
            del stack[-arity:]
            upward = tuple(range(1, arity + 1))
            operator = {MONOTONE: upward, INVERTED: upward[::-1]}.get(kind)
            stack.append(cls(operator or tuple(rank + 1 for rank in next(simple).ranks), blocks))
        return stack[0] if stack else None

    @property
    def is_word(self) -> bool:
        """Tell whether this is a leaf."""
        return self.rank is not None

    @property
    def kind(self) -> str:
        """Name the kind of this node: ``word``, ``monotone``, ``inverted`` or ``simple``."""
        if self.is_word:
            return "word"
        if self.operator == tuple(sorted(self.operator)):
            return "monotone"
        return "inverted" if self.operator == tuple(sorted(self.operator, reverse=True)) else "simple"

    def nodes(self) -> Iterator[PermutationTree]:
        """Walk over all nodes, parents first."""
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(node.children))

    def count_binarisations(self) -> int:
        """Count the PETs: Π Catalan(children − 1) over monotone and inverted nodes, exact at any length."""
        return math.prod(
            catalan(len(node.children) - 1) for node in self.nodes() if node.kind in ("monotone", "inverted")
        )

    def canonical(self, *, branching: str = "left") -> PermutationTree:
        """Give the canonical PET: chains of one binary operator branch to the left (or right).

        >>> tree = PermutationTree.of(Permutation.parse("1 2 3"))
        >>> str(tree.canonical()), str(tree.canonical(branching="right"))
        ('⟨1,2⟩(⟨1,2⟩(1 2) 3)', '⟨1,2⟩(1 ⟨1,2⟩(2 3))')
        """
        if branching not in BRANCHINGS:
            raise choices(branching, list(BRANCHINGS), what="branching")
        done: list[PermutationTree] = []
        for node in reversed(list(self.nodes())):  # children before parents, last child first
            count = len(node.children)
            blocks = done[len(done) - count :][::-1]
            del done[len(done) - count :]
            if node.kind in ("monotone", "inverted"):
                operator = node.operator[:2] if node.kind == "monotone" else (2, 1)
                if branching == "left":
                    joined = blocks[0]
                    for block in blocks[1:]:
                        joined = PermutationTree(operator, (joined, block))
                else:
                    joined = blocks[-1]
                    for block in reversed(blocks[:-1]):
                        joined = PermutationTree(operator, (block, joined))
                done.append(joined)
            else:
                done.append(PermutationTree(node.operator, tuple(blocks), node.rank))
        return done[0]

    # Trees can be deeper than Python recurses, so they are shown and compared by their written form.
    def __repr__(self) -> str:
        return f"PermutationTree({self})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PermutationTree) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __str__(self) -> str:
        parts: list[str] = []
        pending: list[PermutationTree | str] = [self]
        while pending:
            item = pending.pop()
            if isinstance(item, str):
                parts.append(item)
            elif item.is_word:
                parts.append(str(item.rank))
            else:
                pending.append(")")
                for position, child in enumerate(reversed(item.children)):
                    pending.extend((" ", child) if position else (child,))
                pending.append(f"⟨{','.join(map(str, item.operator))}⟩(")
        return "".join(parts)

    def drawing(self) -> str:
        """Draw the tree, one node a line; words that stand together under one node share a line."""
        lines: list[str] = []
        pending: list[tuple[PermutationTree, str, str]] = [(self, "", "")]
        while pending:
            node, lead, indent = pending.pop()
            if node.is_word:
                lines.append(f"{lead}{node.rank}")
                continue
            label = "⟨" + ",".join(map(str, node.operator)) + "⟩ " + node.kind
            if all(child.is_word for child in node.children):
                lines.append(f"{lead}{label}: " + " ".join(str(child.rank) for child in node.children))
                continue
            lines.append(lead + label)
            last = len(node.children) - 1
            for position in range(last, -1, -1):
                branch, below = ("└─ ", "   ") if position == last else ("├─ ", "│  ")
                pending.append((node.children[position], indent + branch, indent + below))
        return "\n".join(lines)

    def to_json(self) -> Any:
        """Give the tree as plain lists and dictionaries: a word is its rank.

        >>> PermutationTree.of(Permutation.parse("1 3 2")).to_json()
        {'operator': [1, 2], 'children': [1, {'operator': [2, 1], 'children': [3, 2]}]}
        """
        done: list[Any] = []
        for node in reversed(list(self.nodes())):
            count = len(node.children)
            children = done[len(done) - count :][::-1]
            del done[len(done) - count :]
            done.append(node.rank if node.is_word else {"operator": list(node.operator), "children": children})
        return done[0]


@lru_cache(maxsize=4096)
def catalan(n: int) -> int:
    """Count the binary trees with n inner nodes.

    >>> [catalan(n) for n in range(6)]
    [1, 1, 2, 5, 14, 42]
    """
    return math.comb(2 * n, n) // (n + 1)


@kernel
def _build(
    ranks: NDArray[np.int32], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int8], NDArray[np.int32], NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    rows = len(offsets) - 1
    longest = 1
    for row in range(rows):
        longest = max(longest, offsets[row + 1] - offsets[row])
    kinds = np.empty(2 * len(ranks), dtype=np.int8)
    arities = np.empty(2 * len(ranks), dtype=np.int32)
    node_offsets = np.zeros(rows + 1, dtype=np.int64)
    operators = np.empty(2 * len(ranks), dtype=np.int32)
    operator_offsets = np.zeros(len(ranks) // 4 + 2, dtype=np.int64)
    # What follows is scratch for one sentence.
    need_left = np.empty(longest, dtype=np.int32)
    need_right = np.empty(longest, dtype=np.int32)
    stack = np.empty(2 * longest, dtype=np.int32)
    left = np.empty(2 * longest, dtype=np.int32)
    smallest = np.empty(2 * longest, dtype=np.int32)
    kind = np.empty(2 * longest, dtype=np.int8)
    arity = np.empty(2 * longest, dtype=np.int32)
    first_child = np.empty(2 * longest, dtype=np.int32)
    last_child = np.empty(2 * longest, dtype=np.int32)
    next_sibling = np.empty(2 * longest, dtype=np.int32)
    visited = np.empty(2 * longest, dtype=np.int32)
    levels = 1
    while (1 << levels) <= longest:
        levels += 1
    lowest = np.empty((levels, longest), dtype=np.int32)
    highest = np.empty((levels, longest), dtype=np.int32)
    keys = np.empty(longest, dtype=np.int64)
    filled = 0
    simple = 0
    for row in range(rows):
        start = offsets[row]
        length = offsets[row + 1] - start
        if length:
            order = ranks[start : start + length]
            _find_needs(order, lowest, highest, need_left, need_right)
            root, count = _merge_blocks(
                order, need_left, need_right, visited, stack, left, smallest, kind, arity, first_child, last_child,
                next_sibling,
            )  # fmt: skip
            # Walked from the end, post-order is: the root, then its last block, …
            stack[0] = root
            depth = 1
            place = count
            while depth:
                depth -= 1
                node = stack[depth]
                place -= 1
                visited[place] = node
                kinds[filled + place] = kind[node]
                arities[filled + place] = arity[node]
                child = first_child[node]
                while child >= 0:
                    stack[depth] = child
                    depth += 1
                    child = next_sibling[child]
            for place in range(count):
                node = visited[place]
                if kind[node] == SIMPLE:
                    begin = operator_offsets[simple]
                    _rank_blocks(first_child[node], next_sibling, smallest, keys, operators[begin:])
                    simple += 1
                    operator_offsets[simple] = begin + arity[node]
            filled += count
        node_offsets[row + 1] = filled
    used = operator_offsets[simple]
    return (
        kinds[:filled].copy(),
        arities[:filled].copy(),
        node_offsets,
        operators[:used].copy(),
        operator_offsets[: simple + 1].copy(),
    )


@kernel
def _find_needs(
    order: NDArray[np.int32],
    lowest: NDArray[np.int32],
    highest: NDArray[np.int32],
    need_left: NDArray[np.int32],
    need_right: NDArray[np.int32],
) -> None:
    """For each pair of neighbours k, k+1: the places that any block holding both must reach.

    A block is a run of places that covers consecutive ranks, so it holds all ranks between those of k and k+1. Their
    outermost places come from range minima and maxima over the inverse permutation (sparse tables).
    """
    length = len(order)
    for place in range(length):
        lowest[0, order[place]] = place
        highest[0, order[place]] = place
    level = 1
    while (1 << level) <= length:
        half = 1 << (level - 1)
        for rank in range(length - (1 << level) + 1):
            lowest[level, rank] = min(lowest[level - 1, rank], lowest[level - 1, rank + half])
            highest[level, rank] = max(highest[level - 1, rank], highest[level - 1, rank + half])
        level += 1
    for place in range(length - 1):
        low = min(order[place], order[place + 1])
        high = max(order[place], order[place + 1])
        level = 0
        while (2 << level) <= high - low + 1:
            level += 1
        second = high - (1 << level) + 1
        need_left[place] = min(lowest[level, low], lowest[level, second])
        need_right[place] = max(highest[level, low], highest[level, second])


@kernel
def _merge_blocks(
    order: NDArray[np.int32],
    need_left: NDArray[np.int32],
    need_right: NDArray[np.int32],
    jump: NDArray[np.int32],
    stack: NDArray[np.int32],
    left: NDArray[np.int32],
    smallest: NDArray[np.int32],
    kind: NDArray[np.int8],
    arity: NDArray[np.int32],
    first_child: NDArray[np.int32],
    last_child: NDArray[np.int32],
    next_sibling: NDArray[np.int32],
) -> tuple[int, int]:
    """Read the words left to right and merge blocks on a stack; give the root and the number of nodes.

    The newest block merges with its left neighbour k iff the smallest block over the border k ends here. What that
    block must reach is gathered downwards over the borders on the stack; a search that fails leaves what it learnt
    at the border where it began (``need_*``, ``jump``), so no border is walked over twice.
    """
    length = len(order)
    count = 0
    depth = 0
    for place in range(length):
        block = count
        count += 1
        left[block] = place
        smallest[block] = order[place]
        kind[block] = LEAF
        arity[block] = 0
        first_child[block] = -1
        next_sibling[block] = -1
        while depth:
            border = left[block] - 1
            reach = need_left[border]
            end = need_right[border]
            bottom = jump[border]
            while end <= place and left[stack[bottom]] > reach:
                lower = left[stack[bottom]] - 1
                reach = min(reach, need_left[lower])
                end = max(end, need_right[lower])
                bottom = jump[lower]
            need_left[border] = reach
            need_right[border] = end
            jump[border] = bottom
            if end > place:
                break
            neighbour = stack[depth - 1]
            if bottom == depth - 1:
                direction = MONOTONE if smallest[block] > smallest[neighbour] else INVERTED
                if kind[neighbour] == direction:
                    next_sibling[last_child[neighbour]] = block
                    last_child[neighbour] = block
                    arity[neighbour] += 1
                    smallest[neighbour] = min(smallest[neighbour], smallest[block])
                    block = neighbour
                    depth -= 1
                    continue
            else:
                direction = SIMPLE
            parent = count
            count += 1
            kind[parent] = direction
            left[parent] = left[stack[bottom]]
            arity[parent] = depth - bottom + 1
            first_child[parent] = stack[bottom]
            last_child[parent] = block
            next_sibling[parent] = -1
            smallest[parent] = smallest[block]
            for item in range(bottom, depth):
                smallest[parent] = min(smallest[parent], smallest[stack[item]])
                next_sibling[stack[item]] = stack[item + 1] if item + 1 < depth else block
            block = parent
            depth = bottom
        stack[depth] = block
        if place + 1 < length:
            jump[place] = depth
        depth += 1
    return stack[0], count


@kernel
def _rank_blocks(
    child: int,
    next_sibling: NDArray[np.int32],
    smallest: NDArray[np.int32],
    keys: NDArray[np.int64],
    operator: NDArray[np.int32],
) -> None:
    count = 0
    while child >= 0:
        keys[count] = (np.int64(smallest[child]) << 32) | count
        count += 1
        child = next_sibling[child]
    keys[:count].sort()
    for rank in range(count):
        operator[keys[rank] & 0xFFFFFFFF] = rank
