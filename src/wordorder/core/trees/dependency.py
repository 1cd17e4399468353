"""Dependency trees: ``DependencyTree`` is the tree of one sentence, ``DependencyTrees`` a column of trees.

Every word has one head. Heads are positions within the sentence, counted from 0; the head of the root is −1. Trees
may be non-projective; see :meth:`DependencyTrees.projective`.

Instead of single trees, there may be expected counts of dependencies over all trees that a parser considers.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.columns import (
    Bools,
    Floats,
    Ints,
    Offsets,
    Ragged,
    Strings,
    ValueColumn,
    join_offsets,
    number_strings,
    offsets_from_lengths,
    renumber,
    rows_of,
    to_column,
)
from wordorder.core.runtime.errors import InputError, count_of, excerpt
from wordorder.core.runtime.kernels import kernel

ROOT = -1
"""The value that marks the root of a sentence in a list of heads."""

BLANK = "_"
"""The placeholder for an unknown tag."""

_STRINGS = ("words", "labels", "tags", "fine_tags")
_PROJECTIVE, _CROSSING, _OUT_OF_RANGE, _TWO_ROOTS, _CYCLE = range(5)


@dataclass(frozen=True)
class DependencyTree:
    """One dependency tree. Instances are immutable; tags default to ``_``.

    >>> tree = DependencyTree(("the", "cat", "sleeps"), (1, 2, -1), ("det", "nsubj", "root"))
    >>> tree.root, tree.children(2), tree.tags
    (2, (1,), ('_', '_', '_'))
    """

    words: tuple[str, ...]
    heads: tuple[int, ...]
    labels: tuple[str, ...]
    tags: tuple[str, ...] = ()
    fine_tags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("tags", "fine_tags"):
            object.__setattr__(self, name, getattr(self, name) or (BLANK,) * len(self.words))
        for name in ("heads", "labels", "tags", "fine_tags"):
            if (found := len(getattr(self, name))) != len(self.words):
                raise InputError(f"expected {len(self.words)} {name.replace('_', ' ')}, found {found}")
        heads = np.array([max(-2, min(head, len(self.words))) for head in self.heads], dtype=np.int32)
        offsets = np.array([0, len(heads)], dtype=np.int64)
        heads.setflags(write=False)  # read-only like the arrays of columns, so that the kernel is compiled only once
        offsets.setflags(write=False)
        shape, word = _shapes(heads, offsets)
        if shape[0] > _CROSSING:
            raise tree_error(shape[0], int(word[0]), self.words, self.heads)

    def __len__(self) -> int:
        return len(self.words)

    @property
    def root(self) -> int:
        """The position of the root word."""
        return self.heads.index(ROOT)

    def children(self, head: int) -> tuple[int, ...]:
        """Return the positions of the words whose head is ``head``, from left to right."""
        return tuple(word for word, its_head in enumerate(self.heads) if its_head == head)

    def column(self) -> "DependencyTrees":
        """Return a column with this tree as its only row."""
        return DependencyTrees.of([self])


@dataclass(frozen=True, eq=False)
class DependencyTrees(ValueColumn[DependencyTree]):
    """A column of dependency trees: the words of row i are at ``offsets[i]:offsets[i + 1]``.

    ``words``, ``labels``, ``tags`` and ``fine_tags`` are indices into ``strings``; ``heads`` are positions within the
    row, counted from 0.

    >>> column = DependencyTrees.of([DependencyTree(("cats", "sleep"), (1, -1), ("nsubj", "root"))])
    >>> len(column), column.heads.tolist(), column[0].labels
    (1, [1, -1], ('nsubj', 'root'))
    """

    of_values = ("heads", *_STRINGS)

    words: Ints
    heads: Ints
    labels: Ints
    tags: Ints
    fine_tags: Ints
    offsets: Offsets
    strings: Strings

    @classmethod
    def of(cls, trees: Iterable[DependencyTree]) -> "DependencyTrees":
        """Build a column from trees."""
        rows = list(trees)
        columns = ([text for row in rows for text in getattr(row, name)] for name in _STRINGS)
        strings, (words, labels, tags, fine_tags) = number_strings(*columns)
        heads = np.fromiter((head for row in rows for head in row.heads), dtype=np.int32)
        offsets = offsets_from_lengths([len(row) for row in rows])
        return cls(words, heads, labels, tags, fine_tags, offsets, strings)

    @classmethod
    def concatenate(cls, parts: "Sequence[DependencyTrees]") -> "DependencyTrees":
        """Concatenate columns and give them a shared vocabulary."""
        if len(parts) < 2:
            return parts[0] if parts else cls.of([])
        shared = share_strings(*parts)
        columns = {name: np.concatenate([getattr(part, name) for part in shared]) for name in cls.of_values}
        return cls(**columns, offsets=join_offsets([part.offsets for part in shared]), strings=shared[0].strings)

    def __repr__(self) -> str:
        return f"DependencyTrees({len(self)} sentences, {len(self.words)} words)"

    def _value(self, row: int) -> DependencyTree:
        span = slice(self.offsets[row], self.offsets[row + 1])
        columns = (self.strings.take(to_column(getattr(self, name)[span])).to_pylist() for name in _STRINGS)
        words, labels, tags, fine_tags = map(tuple, columns)
        return DependencyTree(words, tuple(self.heads[span].tolist()), labels, tags, fine_tags)

    def renumbered(self, mapping: Ints, strings: Strings) -> "DependencyTrees":
        """Return the same trees with another vocabulary; ``mapping[i]`` is the new index of string i."""
        columns: dict[str, Any] = {name: renumber(getattr(self, name), mapping) for name in _STRINGS}
        return replace(self, **columns, strings=strings)

    def projective(self) -> Bools:
        """Return, for each row, whether every subtree covers consecutive words."""
        shapes, _ = _shapes(self.heads, self.offsets)
        return np.equal(shapes, _PROJECTIVE)

    def first_fault(self) -> tuple[int, int, InputError] | None:
        """Return the first row whose heads do not form a tree, with the offending word and the error; else None."""
        shapes, words = _shapes(self.heads, self.offsets)
        faulty = np.flatnonzero(shapes > _CROSSING)
        if not len(faulty):
            return None
        row = int(faulty[0])
        word = int(words[row])
        span = slice(self.offsets[row], self.offsets[row + 1])
        forms = self.strings.take(to_column(self.words[span])).to_pylist()
        return row, word, tree_error(int(shapes[row]), word, forms, self.heads[span].tolist())


def share_strings(*columns: DependencyTrees) -> tuple[DependencyTrees, ...]:
    """Return the columns with one shared vocabulary, so that equal strings have equal indices."""
    strings, maps = number_strings(*(column.strings for column in columns))
    return tuple(column.renumbered(mapping, strings) for column, mapping in zip(columns, maps, strict=True))


def check_same_words(
    trees: DependencyTrees, expected: DependencyTrees, *, names: tuple[str, str] = ("the parse", "the gold tree")
) -> None:
    """Raise an error unless both columns, which must share one vocabulary, have the same words."""
    name, other = names
    if len(trees) != len(expected):
        raise InputError(f"{name} has {count_of(len(trees), 'sentence')}; expected {len(expected)} as in {other}")
    differs = np.flatnonzero(trees.lengths != expected.lengths)
    if len(differs):
        row = int(differs[0])
        message = f"{name} has {trees.lengths[row]} words; expected {expected.lengths[row]} as in {other}"
        raise InputError(f"sentence {row + 1}: {message}")
    differs = np.flatnonzero(trees.words != expected.words)
    if len(differs):
        word = int(differs[0])
        row = int(rows_of(expected.offsets)[word])
        found, wanted = (excerpt(trees.strings[int(side.words[word])].as_py()) for side in (trees, expected))
        message = f"word {word - expected.offsets[row] + 1} of {name} is {found}; expected {wanted} as in {other}"
        raise InputError(f"sentence {row + 1}: {message}")


def tree_error(shape: int, word: int, words: Sequence[str], heads: Sequence[int]) -> InputError:
    """Return the error for heads that do not form a tree; ``word`` is the position of the offending word."""
    place = f"word {word + 1} {excerpt(words[word])}"
    if shape == _OUT_OF_RANGE:
        return InputError(f"{place} has head {heads[word] + 1}; expected 0 (root) to {len(words)}")
    if shape == _TWO_ROOTS:
        return InputError(f"{place} is a second root; expected exactly one")
    if ROOT not in heads:
        return InputError(f"no word has head 0; expected exactly one root (the heads form a cycle at {place})")
    return InputError(f"the heads form a cycle at {place}")


@kernel
def _shapes(heads: Ints, offsets: Offsets) -> tuple[NDArray[np.int8], Offsets]:
    """Classify each row as projective, crossing or not a tree, and return the offending word of each row.

    Words are removed from the leaves upwards; words that cannot be removed are part of a cycle. At the same time, the
    extent and the size of every subtree are computed; a subtree covers consecutive words if its extent equals its
    size.
    """
    shapes = np.zeros(len(offsets) - 1, dtype=np.int8)
    culprits = np.zeros(len(offsets) - 1, dtype=np.int64)
    for row in range(len(shapes)):
        start = offsets[row]
        length = offsets[row + 1] - start
        waiting = np.zeros(length, dtype=np.int64)  # children that are not yet removed
        roots = 0
        for word in range(length):
            head = heads[start + word]
            if head < -1 or head >= length:
                shapes[row], culprits[row] = _OUT_OF_RANGE, word
                break
            if head == -1:
                roots += 1
                if roots > 1:
                    shapes[row], culprits[row] = _TWO_ROOTS, word
                    break
            else:
                waiting[head] += 1
        if shapes[row] > _CROSSING:
            continue
        first, last, size = np.arange(length), np.arange(length), np.ones(length, dtype=np.int64)
        queue = np.empty(length, dtype=np.int64)
        filled = taken = 0
        for word in range(length):
            if waiting[word] == 0:
                queue[filled] = word
                filled += 1
        while taken < filled:
            word = queue[taken]
            taken += 1
            if last[word] - first[word] + 1 != size[word]:
                shapes[row] = _CROSSING
            head = heads[start + word]
            if head >= 0:
                first[head] = min(first[head], first[word])
                last[head] = max(last[head], last[word])
                size[head] += size[word]
                waiting[head] -= 1
                if waiting[head] == 0:
                    queue[filled] = head
                    filled += 1
        if filled < length:
            shapes[row] = _CYCLE
            culprits[row] = (waiting > 0).argmax()
    return shapes, culprits


@dataclass(frozen=True, eq=False)
class ExpectedCounts(Ragged):
    """A column of counted items: ``rows[k]`` identifies item k, and ``weights[k]`` is its expected count."""

    rows: Ints
    weights: Floats
    offsets: Offsets


@dataclass(frozen=True, eq=False)
class ExpectedDependencies(Ragged):
    """The words of sentences, with the expected counts of their arcs and of their chains of two arcs.

    ``arcs`` counts triples (dependent, label, head), and ``chains`` counts triples (dependent, head, head of the
    head). Dependents and heads are word positions in the sentence; the root has head −1. Words and labels are indices
    into ``strings``.
    """

    words: Ints
    offsets: Offsets
    arcs: ExpectedCounts
    chains: ExpectedCounts
    strings: Strings

    def renumbered(self, mapping: Ints, strings: Strings) -> "ExpectedDependencies":
        """Return the same counts with another vocabulary; ``mapping[i]`` is the new index of string i."""
        rows = self.arcs.rows.copy()
        rows[:, 1] = renumber(rows[:, 1], mapping)
        return replace(self, words=renumber(self.words, mapping), arcs=replace(self.arcs, rows=rows), strings=strings)

    def lower_words(self) -> "ExpectedDependencies":
        """Return the same counts with words in lower case; labels do not change."""
        low = [string.lower() for string in self.strings.to_pylist()]
        strings, (old, new) = number_strings(self.strings, low)
        return replace(self.renumbered(old, strings), words=renumber(self.words, new))
