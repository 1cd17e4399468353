"""Permutation trees: the decomposition of a word order into blocks.

The *flattened* permutation tree (PET) of a permutation is its strong-interval tree. Every inner node is

* monotone – its blocks are in order,
* inverted – its blocks are in reverse order, or
* simple   – it has at least four blocks, and no run of two or more of them, except all of them, covers consecutive
  ranks, as in ⟨2,4,1,3⟩.

In a proper PET, all monotone and inverted nodes are binary. Each proper PET is thus a binarisation of the flattened
tree; there are Catalan(m − 1) ways to binarise a node with m blocks. All proper PETs together form the permutation
forest (PEF). (Zhang & Gildea 2007; Stanojević & Sima'an 2014, 2016)

Metrics use ``PermutationTrees``, a column of trees; ``PermutationTree`` is the tree of one sentence, for inspection.
For forests, see ``orders/forests.py``.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from wordorder.core.orders.permutation import Permutation, Permutations
from wordorder.core.runtime.columns import Ints, Offsets, Ragged
from wordorder.core.runtime.errors import check_choice
from wordorder.core.runtime.kernels import inner_kernel, kernel, longest_row

LEAF, MONOTONE, INVERTED, SIMPLE = range(4)
_LEFT, _SMALLEST, _KIND, _ARITY, _FIRST_CHILD, _LAST_CHILD, _NEXT_SIBLING = range(7)  # rows of the array `nodes`

BRANCHINGS = ("left", "right")

Folded = TypeVar("Folded")


@dataclass(frozen=True, eq=False)
class PermutationTrees(Ragged):
    """A column of flattened permutation trees, with nodes in post-order (children before their parent).

    ``kinds`` and ``arities`` have one entry for each node, including leaves, whose arity is 0; the nodes of row i are
    at ``offsets[i]:offsets[i + 1]``.
    """

    kinds: NDArray[np.int8]
    arities: Ints
    offsets: Offsets
    operator_ranks: Ints
    operator_offsets: Offsets

    @property
    def operators(self) -> Permutations:
        """The operators of the simple nodes, in the order of these nodes."""
        return Permutations(self.operator_ranks, self.operator_offsets)


@dataclass(frozen=True, eq=False, repr=False)
class PermutationTree:
    """A node of a permutation tree with its subtree: either a word or an operator over blocks.

    A word has an empty ``operator``. Ranks count from 1.

    >>> tree = PermutationTree.of(Permutation.parse("2 4 5 6 1 3"))
    >>> str(tree)
    '⟨2,4,1,3⟩(2 ⟨1,2,3⟩(4 5 6) 1 3)'
    >>> tree.count_binarisations()
    2
    """

    operator: tuple[int, ...]
    children: "tuple[PermutationTree, ...]"
    rank: int | None = None

    @classmethod
    def of(cls, order: Permutation) -> "PermutationTree | None":
        """Build the flattened tree of one permutation; return None for the empty permutation."""
        column = order.column()
        trees = PermutationTrees(*decompose(column.ranks, column.offsets))
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
        """Whether this node is a leaf."""
        return self.rank is not None

    @property
    def kind(self) -> str:
        """The kind of this node: ``word``, ``monotone``, ``inverted`` or ``simple``."""
        upward = tuple(sorted(self.operator))
        names = {upward: "monotone", upward[::-1]: "inverted", (): "word"}
        return names.get(self.operator, "simple")

    def nodes(self) -> "Iterator[PermutationTree]":
        """Yield all nodes of this subtree, parents before their children."""
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(node.children))

    def count_binarisations(self) -> int:
        """Return the exact number of proper trees: Π Catalan(children − 1) over monotone and inverted nodes."""
        chains = [node for node in self.nodes() if node.kind in ("monotone", "inverted")]
        return math.prod(catalan(len(node.children) - 1) for node in chains)

    def canonical(self, *, branching: str = "left") -> "PermutationTree":
        """Return the canonical permutation tree, in which chains of equal operators branch left (or right).

        >>> tree = PermutationTree.of(Permutation.parse("1 2 3"))
        >>> str(tree.canonical()), str(tree.canonical(branching="right"))
        ('⟨1,2⟩(⟨1,2⟩(1 2) 3)', '⟨1,2⟩(1 ⟨1,2⟩(2 3))')
        """
        check_choice(branching, BRANCHINGS, "branching")

        def join(node: "PermutationTree", blocks: "list[PermutationTree]") -> "PermutationTree":
            if node.kind not in ("monotone", "inverted"):
                return PermutationTree(node.operator, tuple(blocks), node.rank)
            operator = (1, 2) if node.kind == "monotone" else (2, 1)
            if branching == "left":
                return reduce(lambda joined, block: PermutationTree(operator, (joined, block)), blocks)
            return reduce(lambda joined, block: PermutationTree(operator, (block, joined)), reversed(blocks))

        return self.fold(join)

    def fold(self, join: "Callable[[PermutationTree, list[Folded]], Folded]") -> Folded:
        """Compute ``join(node, values of its children)`` for every node, children first.

        Return the value of this node.
        """
        done: list[Folded] = []
        for node in reversed(list(self.nodes())):  # children before parents, last child first
            done.append(join(node, [done.pop() for _ in node.children]))
        return done[0]

    # Trees can be deeper than Python's recursion limit, so they are compared as text.
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
        """Return a drawing of the tree as text, with one line per node.

        A node whose children are all words is drawn on one line with them.
        """
        lines: list[str] = []
        pending: list[tuple[PermutationTree, str, str]] = [(self, "", "")]
        while pending:
            node, lead, indent = pending.pop()
            if node.is_word:
                lines.append(f"{lead}{node.rank}")
                continue
            label = f"⟨{','.join(map(str, node.operator))}⟩ {node.kind}"
            if all(child.is_word for child in node.children):
                lines.append(f"{lead}{label}: " + " ".join(str(child.rank) for child in node.children))
                continue
            lines.append(lead + label)
            last = len(node.children) - 1
            for position in range(last, -1, -1):
                branch, below = ("└─ ", "   ") if position == last else ("├─ ", "│  ")
                pending.append((node.children[position], indent + branch, indent + below))
        return "\n".join(lines)

    def to_dict(self) -> Any:
        """Return the tree as nested dictionaries and lists, in which each word is given by its rank.

        >>> PermutationTree.of(Permutation.parse("1 3 2")).to_dict()
        {'operator': [1, 2], 'children': [1, {'operator': [2, 1], 'children': [3, 2]}]}
        """
        return self.fold(lambda node, children: node.rank or {"operator": list(node.operator), "children": children})


@lru_cache(maxsize=4096)
def catalan(n: int) -> int:
    """Return the n-th Catalan number, which is the number of binary trees with n inner nodes.

    >>> [catalan(n) for n in range(6)]
    [1, 1, 2, 5, 14, 42]
    """
    return math.comb(2 * n, n) // (n + 1)


@kernel
def decompose(ranks: Ints, offsets: Offsets) -> tuple[NDArray[np.int8], Ints, Offsets, Ints, Offsets]:
    """Return the fields of ``PermutationTrees`` for a column of permutations; n words take about O(n log n) time."""
    rows = len(offsets) - 1
    longest = max(1, longest_row(offsets))
    kinds = np.empty(2 * len(ranks), dtype=np.int8)
    arities = np.empty(2 * len(ranks), dtype=np.int32)
    node_offsets = np.zeros(rows + 1, dtype=np.int64)
    operators = np.empty(2 * len(ranks), dtype=np.int32)
    operator_offsets = np.zeros(len(ranks) // 4 + 2, dtype=np.int64)
    # The arrays below are scratch space for one sentence.
    needs = np.empty((2, longest), dtype=np.int32)
    stack = np.empty(2 * longest, dtype=np.int32)
    visited = np.empty(2 * longest, dtype=np.int32)
    nodes = np.empty((7, 2 * longest), dtype=np.int32)
    kind, arity, first_child, next_sibling = nodes[_KIND], nodes[_ARITY], nodes[_FIRST_CHILD], nodes[_NEXT_SIBLING]
    levels = 1
    while (1 << levels) <= longest:
        levels += 1
    lowest = np.empty((levels, longest), dtype=np.int32)
    highest = np.empty((levels, longest), dtype=np.int32)
    keys = np.empty(longest, dtype=np.int64)
    filled = simple = 0
    for row in range(rows):
        order = ranks[offsets[row] : offsets[row + 1]]
        if len(order):
            _find_needs(order, lowest, highest, needs)
            count = _merge_blocks(order, needs, visited, stack, nodes)
            # Post-order, filled from its end: first the root, which is left on the stack, then its last block, …
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
                    _rank_blocks(first_child[node], next_sibling, nodes[_SMALLEST], keys, operators[begin:])
                    simple += 1
                    operator_offsets[simple] = begin + arity[node]
            filled += count
        node_offsets[row + 1] = filled
    ranks_of_simple = operators[: operator_offsets[simple]].copy()
    ends = operator_offsets[: simple + 1].copy()
    return kinds[:filled].copy(), arities[:filled].copy(), node_offsets, ranks_of_simple, ends


@inner_kernel
def _find_needs(order: Ints, lowest: Ints, highest: Ints, needs: Ints) -> None:
    """For each k, compute which positions a block must include if it contains the neighbours k and k+1.

    A block is a run of positions that covers consecutive ranks, so it contains all ranks between those of k and k+1.
    The first and the last position of these ranks are range minima and maxima over the inverse permutation (sparse
    tables). They are stored in ``needs``.
    """
    length = len(order)
    for place in range(length):
        lowest[0, order[place]] = highest[0, order[place]] = place
    level = 1
    while (1 << level) <= length:
        half = 1 << (level - 1)
        for rank in range(length - (1 << level) + 1):
            lowest[level, rank] = min(lowest[level - 1, rank], lowest[level - 1, rank + half])
            highest[level, rank] = max(highest[level - 1, rank], highest[level - 1, rank + half])
        level += 1
    for place in range(length - 1):
        low, high = min(order[place], order[place + 1]), max(order[place], order[place + 1])
        level = 0
        while (2 << level) <= high - low + 1:
            level += 1
        second = high - (1 << level) + 1
        needs[0, place] = min(lowest[level, low], lowest[level, second])
        needs[1, place] = max(highest[level, low], highest[level, second])


@inner_kernel
def _merge_blocks(order: Ints, needs: Ints, jump: Ints, stack: Ints, nodes: Ints) -> int:
    """Read the words from left to right, merge blocks on a stack into one root, and return the number of nodes.

    The newest block merges with its left neighbour if and only if the smallest block that crosses the border between
    them ends at the current word. The extent of that block is found by walking down the borders on the stack. A
    search that fails stores its result at the border where it began (``needs``, ``jump``), so no border is visited
    twice.
    """
    need_left, need_right = needs[0], needs[1]
    left, smallest, kind, arity = nodes[_LEFT], nodes[_SMALLEST], nodes[_KIND], nodes[_ARITY]
    first_child, last_child, next_sibling = nodes[_FIRST_CHILD], nodes[_LAST_CHILD], nodes[_NEXT_SIBLING]
    count = depth = 0
    for place in range(len(order)):
        block = count
        count += 1
        left[block], smallest[block], kind[block], arity[block] = place, order[place], LEAF, 0
        first_child[block] = next_sibling[block] = -1
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
            need_left[border], need_right[border], jump[border] = reach, end, bottom
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
            kind[parent], left[parent], smallest[parent] = direction, left[stack[bottom]], smallest[block]
            first_child[parent], last_child[parent], next_sibling[parent] = stack[bottom], block, -1
            arity[parent] = depth - bottom + 1
            for item in range(bottom, depth):
                smallest[parent] = min(smallest[parent], smallest[stack[item]])
                next_sibling[stack[item]] = stack[item + 1] if item + 1 < depth else block
            block = parent
            depth = bottom
        stack[depth] = block
        jump[place] = depth
        depth += 1
    return count


@inner_kernel
def _rank_blocks(child: int, next_sibling: Ints, smallest: Ints, keys: Offsets, operator: Ints) -> None:
    """Rank a node's children by the smallest rank that each contains, and store their ranks in ``operator``.

    ``keys`` is scratch space.
    """
    low = high = smallest[child]
    other = child
    while other >= 0:
        low, high = min(low, smallest[other]), max(high, smallest[other])
        other = next_sibling[other]
    for word in range(low, high + 1):
        keys[word] = -1
    count = 0
    while child >= 0:
        keys[smallest[child]] = count
        count += 1
        child = next_sibling[child]
    rank = 0
    for word in range(low, high + 1):
        if keys[word] >= 0:
            operator[keys[word]] = rank
            rank += 1
