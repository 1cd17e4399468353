"""Constituency trees: ``ConstituencyTree`` is the tree of one sentence, ``ConstituencyTrees`` a column of trees.

Nodes are stored in preorder, each with its label and its parent. A node without children is a preterminal: its label
is a part-of-speech tag, and it stands for one word. Trees are not nested objects, so their depth is not limited.

A scanner reads bracketed trees from bytes once, without creating a Python object for each node. A tree is ``(label
tree…)`` or ``(tag word)``; the outermost label may be missing. Whitespace between parts is ignored.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from wordorder.core.runtime.columns import (
    Bytes,
    Ints,
    Offsets,
    Strings,
    ValueColumn,
    join_offsets,
    number_strings,
    offsets_from_lengths,
    renumber,
    to_column,
)
from wordorder.core.runtime.errors import InputError, excerpt, reject
from wordorder.core.runtime.kernels import kernel
from wordorder.core.runtime.libraries import pa

FAULTS = (
    "",
    "a closing bracket without an opening bracket",
    "a constituent without words; expected '(label …)' or '(tag word)'",
    "a word outside all brackets; expected '('",
    "a word next to another word or constituent; expected '(tag word)' around each word",
    "a constituent without a label inside a tree",
    "a constituent after a word; expected ')'",
)


class Bracketing(NamedTuple):
    """The result of a scan: the complete trees, the position after the last one, and the first fault.

    ``fault`` is an index into :data:`FAULTS`, and ``position`` is the byte position of the fault. The bytes from
    ``consumed`` onwards are whitespace or belong to an incomplete tree.
    """

    parents: Ints
    label_spans: Offsets
    node_offsets: Offsets
    word_spans: Offsets
    word_offsets: Offsets
    consumed: int
    fault: int
    position: int


def texts_of(data: Bytes, spans: Offsets) -> Any:
    """Decode spans of bytes into an Arrow array of strings, or return None if they are not valid UTF-8."""
    packed, offsets = _gather(data, spans)
    column = pa.Array.from_buffers(pa.large_binary(), len(spans), [None, pa.py_buffer(offsets), pa.py_buffer(packed)])
    try:
        return column.cast(pa.large_string())
    except pa.ArrowInvalid:
        return None


@kernel
def scan_brackets(data: Bytes) -> Bracketing:
    """Find all complete trees in the bytes, up to the first fault."""
    opened = 0
    for byte in data:
        opened += byte == 40
    parents = np.empty(opened, dtype=np.int32)
    label_spans = np.empty((opened, 2), dtype=np.int64)
    word_spans = np.empty((opened, 2), dtype=np.int64)
    node_offsets = np.zeros(opened + 1, dtype=np.int64)
    word_offsets = np.zeros(opened + 1, dtype=np.int64)
    stack = np.empty(opened, dtype=np.int64)
    filled = np.zeros(opened, dtype=np.int8)  # 0: empty so far, 1: has constituents, 2: has a word
    depth = nodes = words = trees = consumed = fault = 0
    place, size = 0, len(data)
    while place < size:
        byte = data[place]
        if byte == 32 or (9 <= byte <= 13):
            place += 1
            continue
        inside = filled[stack[depth - 1]] if depth else 0
        if byte == 41:
            fault = 1 if depth == 0 else 2 if inside == 0 else 0
            if fault:
                break
            depth -= 1
            place += 1
            if depth == 0:
                trees += 1
                node_offsets[trees] = nodes
                word_offsets[trees] = words
                consumed = place
            continue
        start = place
        if byte == 40:
            start += 1
            while start < size and (data[start] == 32 or 9 <= data[start] <= 13):
                start += 1
        end = start
        while end < size and not (data[end] == 32 or 9 <= data[end] <= 13 or data[end] == 40 or data[end] == 41):
            end += 1
        if byte == 40:
            fault = 6 if inside == 2 else 5 if depth > 0 and end == start and end < size else 0
            if fault:
                break
            parents[nodes] = stack[depth - 1] - node_offsets[trees] if depth > 0 else -1
            if depth > 0:
                filled[stack[depth - 1]] = 1
            label_spans[nodes, 0], label_spans[nodes, 1] = start, end
            stack[depth] = nodes
            depth += 1
            nodes += 1
        else:
            fault = 3 if depth == 0 else 4 if inside else 0
            if fault:
                break
            filled[stack[depth - 1]] = 2
            word_spans[words, 0], word_spans[words, 1] = place, end
            words += 1
        place = end
    node_offsets, word_offsets = node_offsets[: trees + 1], word_offsets[: trees + 1]
    nodes, words = node_offsets[-1], word_offsets[-1]
    spans = label_spans[:nodes], word_spans[:words]
    return Bracketing(parents[:nodes], spans[0], node_offsets, spans[1], word_offsets, consumed, fault, place)


@kernel
def _gather(data: Bytes, spans: Offsets) -> tuple[Bytes, Offsets]:
    offsets = np.zeros(len(spans) + 1, dtype=np.int64)
    for row in range(len(spans)):
        offsets[row + 1] = offsets[row] + spans[row, 1] - spans[row, 0]
    packed = np.empty(offsets[-1], dtype=np.uint8)
    for row in range(len(spans)):
        start = spans[row, 0]
        for i in range(spans[row, 1] - start):
            packed[offsets[row] + i] = data[start + i]
    return packed, offsets


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
        reject(not self.labels, "a constituency tree must have at least one node")
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
        reject(leaves != len(self.words), f"expected one word per preterminal, found {len(self.words)} for {leaves}")

    @classmethod
    def parse(cls, text: str) -> "ConstituencyTree":
        """Parse one bracketed tree; labels and words are kept as written."""
        data = np.frombuffer(text.encode("utf-8", errors="replace"), dtype=np.uint8)
        found = scan_brackets(data)
        reject(found.fault, f"{FAULTS[found.fault]}: {excerpt(text)}")
        reject(data[found.consumed :].tobytes().strip(), f"a bracket is not closed: {excerpt(text)}")
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

    def column(self) -> "ConstituencyTrees":
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
    def of(cls, trees: Iterable[ConstituencyTree | str]) -> "ConstituencyTrees":
        """Build a column from trees or from bracketed strings."""
        rows = [ConstituencyTree.parse(tree) if isinstance(tree, str) else tree for tree in trees]
        strings, (labels, words) = number_strings(
            [label for row in rows for label in row.labels], [word for row in rows for word in row.words]
        )
        parents = np.fromiter((parent for row in rows for parent in row.parents), dtype=np.int32)
        nodes = offsets_from_lengths([len(row.labels) for row in rows])
        return cls(labels, parents, nodes, words, offsets_from_lengths([len(row) for row in rows]), strings)

    @classmethod
    def concatenate(cls, parts: "Sequence[ConstituencyTrees]") -> "ConstituencyTrees":
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

    def _at(self, values: slice, rows: slice, offsets: Offsets) -> "ConstituencyTrees":
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
        return _spans(self.parents, self.node_offsets)


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
