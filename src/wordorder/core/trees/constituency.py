"""Constituency trees: ``ConstituencyTree`` is the tree of one sentence, ``ConstituencyTrees`` a column of trees.

Nodes are stored in preorder, each with its label and its parent. A node without children is a preterminal: its label
is a part-of-speech tag, and it stands for one word. Trees are not nested objects, so their depth is not limited.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.core.runtime.columns import (
    Ints,
    Offsets,
    Strings,
    ValueColumn,
    join_offsets,
    offsets_from_lengths,
    to_column,
)
from wordorder.core.runtime.errors import InputError, excerpt
from wordorder.core.runtime.kernels import kernel
from wordorder.core.trees.bracketing import FAULTS, scan_brackets, texts_of
from wordorder.core.trees.vocabulary import number_strings, renumber


@dataclass(frozen=True)
class ConstituencyTree:
    """One constituency tree. Instances are immutable.

    >>> tree = ConstituencyTree.parse("(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))")
    >>> tree.words, tree.labels[1], tree.children(0)
    (('the', 'cat', 'sleeps'), 'NP', (1, 4))
    >>> str(tree)
    '(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))'
    """

    labels: tuple[str, ...]
    parents: tuple[int, ...]
    words: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.labels:
            raise InputError("a constituency tree must have at least one node")
        if len(self.labels) != len(self.parents):
            raise InputError(f"expected one parent per node, found {len(self.parents)} for {len(self.labels)}")
        path: list[int] = []  # from the root to the previous node
        for node, parent in enumerate(self.parents):
            while path and path[-1] != parent:
                path.pop()
            if (parent == -1) != (node == 0) or (node and not path):
                raise InputError(f"node {node} has parent {parent}: the nodes of a tree must be in preorder")
            path.append(node)
        leaves = len(self.labels) - len(set(self.parents) - {-1})
        if leaves != len(self.words):
            raise InputError(f"expected one word per preterminal, found {len(self.words)} for {leaves}")

    @classmethod
    def parse(cls, text: str) -> ConstituencyTree:
        """Parse one bracketed tree; labels and words are kept as written."""
        data = np.frombuffer(text.encode("utf-8", errors="replace"), dtype=np.uint8)
        found = scan_brackets(data)
        if found.fault:
            raise InputError(f"{FAULTS[found.fault]}: {excerpt(text)}")
        if data[found.consumed :].tobytes().strip():
            raise InputError(f"a bracket is not closed: {excerpt(text)}")
        if len(found.node_offsets) != 2:
            raise InputError(f"expected one tree, found {len(found.node_offsets) - 1}: {excerpt(text)}")
        labels, words = texts_of(data, found.label_spans), texts_of(data, found.word_spans)
        return cls(tuple(labels.to_pylist()), tuple(found.parents.tolist()), tuple(words.to_pylist()))

    def __str__(self) -> str:
        return format_brackets(self.labels, self.parents, self.words)

    def __len__(self) -> int:
        return len(self.words)

    def children(self, node: int) -> tuple[int, ...]:
        """Return the children of ``node`` from left to right; a preterminal has none."""
        return tuple(other for other, parent in enumerate(self.parents) if parent == node)

    def column(self) -> ConstituencyTrees:
        """Return a column with this tree as its only row."""
        return ConstituencyTrees.of([self])


@dataclass(frozen=True, eq=False)
class ConstituencyTrees(ValueColumn[ConstituencyTree]):
    """A column of constituency trees with a shared vocabulary.

    The nodes of row i are at ``node_offsets[i]:node_offsets[i + 1]``, and its words are at
    ``offsets[i]:offsets[i + 1]``. ``labels`` and ``words`` are indices into ``strings``; ``parents`` are node
    positions within the row.

    >>> column = ConstituencyTrees.of(["(S (NP (NNS cats)) (VP (VBP sleep)))"])
    >>> column.parents.tolist(), str(column[0])
    ([-1, 0, 1, 0, 3], '(S (NP (NNS cats)) (VP (VBP sleep)))')
    """

    labels: Ints
    parents: Ints
    node_offsets: Offsets
    words: Ints
    offsets: Offsets
    strings: Strings

    @classmethod
    def of(cls, trees: Iterable[ConstituencyTree | str]) -> ConstituencyTrees:
        """Build a column from trees or from bracketed strings."""
        rows = [ConstituencyTree.parse(tree) if isinstance(tree, str) else tree for tree in trees]
        strings, (labels, words) = number_strings(
            [label for row in rows for label in row.labels], [word for row in rows for word in row.words]
        )
        parents = np.fromiter((parent for row in rows for parent in row.parents), dtype=np.int32)
        nodes = offsets_from_lengths([len(row.labels) for row in rows])
        return cls(labels, parents, nodes, words, offsets_from_lengths([len(row) for row in rows]), strings)

    @classmethod
    def concatenate(cls, parts: Sequence[ConstituencyTrees]) -> ConstituencyTrees:
        """Concatenate columns and give them a shared vocabulary."""
        if not parts:
            return cls.of([])
        strings, maps = number_strings(*(part.strings for part in parts))
        labels = np.concatenate([renumber(part.labels, new) for part, new in zip(parts, maps, strict=True)])
        words = np.concatenate([renumber(part.words, new) for part, new in zip(parts, maps, strict=True)])
        parents = np.concatenate([part.parents for part in parts])
        nodes, offsets = (join_offsets([getattr(p, name) for p in parts]) for name in ("node_offsets", "offsets"))
        return cls(labels, parents, nodes, words, offsets, strings)

    def __repr__(self) -> str:
        return f"ConstituencyTrees({len(self)} trees, {len(self.words)} words)"

    def _at(self, values: slice, rows: slice, offsets: Offsets) -> ConstituencyTrees:
        nodes = self.node_offsets[rows.start : rows.stop + 1]
        inner = slice(nodes[0], nodes[-1])
        columns = (self.labels[inner], self.parents[inner], nodes - nodes[0], self.words[values])
        return ConstituencyTrees(*columns, offsets, self.strings)

    def _value(self, row: int) -> ConstituencyTree:
        span = slice(self.node_offsets[row], self.node_offsets[row + 1])
        words = self.words[self.offsets[row] : self.offsets[row + 1]]
        labels, forms = (tuple(self.strings.take(to_column(part)).to_pylist()) for part in (self.labels[span], words))
        return ConstituencyTree(labels, tuple(self.parents[span].tolist()), forms)

    def spans(self) -> Ints:
        """Return the span of words below each node as start and stop positions within its row.

        >>> ConstituencyTrees.of(["(S (NP (NNS cats)) (VP (VBP sleep)))"]).spans().tolist()
        [[0, 2], [0, 1], [0, 1], [1, 2], [1, 2]]
        """
        spans: Ints = _spans(self.parents, self.node_offsets)
        return spans


def format_brackets(labels: Sequence[str], parents: Sequence[int], words: Sequence[str]) -> str:
    """Return one tree as bracketed text on a single line."""
    inner = set(parents)
    parts: list[str] = []
    path: list[int] = []
    forms = iter(words)
    for node, (label, parent) in enumerate(zip(labels, parents, strict=True)):
        while path and path[-1] != parent:
            path.pop()
            parts.append(")")
        parts.append(f"{' ' if node else ''}({label}" + ("" if node in inner else f" {next(forms)}"))
        path.append(node)
    return "".join(parts) + ")" * len(path)


@kernel
def _spans(parents: Ints, offsets: Offsets) -> Ints:
    spans = np.full((len(parents), 2), -1, dtype=np.int32)
    for row in range(len(offsets) - 1):
        start = offsets[row]
        word = 0
        for node in range(start, offsets[row + 1]):
            spans[node, 0] = word
            # In preorder, a node is a leaf exactly when the next node is not its child.
            if node + 1 == offsets[row + 1] or parents[node + 1] != node - start:
                word += 1
                spans[node, 1] = word
        for node in range(offsets[row + 1] - 1, start, -1):
            above = start + parents[node]
            if spans[above, 1] < 0:  # the loop runs backwards, so the last child comes first
                spans[above, 1] = spans[node, 1]
    return spans
