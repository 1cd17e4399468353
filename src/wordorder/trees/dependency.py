"""Dependency trees: ``DependencyTree`` is one sentence, ``DependencyTrees`` a column of them.

Every word has one head; heads are 0-based positions within the sentence, and the head of the root is −1. A tree may
be non-projective; :meth:`DependencyTrees.projective` says which ones are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, overload

import numpy as np
from numpy.typing import NDArray

from wordorder.runtime.errors import InputError, excerpt
from wordorder.runtime.kernels import kernel
from wordorder.runtime.ragged import frozen, join_offsets, offsets_from_lengths, rows_of
from wordorder.trees.vocabulary import merge_vocabularies, number_strings, renumber

if TYPE_CHECKING:
    import pyarrow as pa

ROOT = -1
"""The head of the root of a sentence."""

BLANK = "_"
"""What stands for a tag that is not known."""

_PROJECTIVE, _CROSSING, _OUT_OF_RANGE, _TWO_ROOTS, _CYCLE = range(5)


@dataclass(frozen=True)
class DependencyTree:
    """One dependency tree, an immutable value; tags may be left out and are then ``_``.

    >>> tree = DependencyTree(("the", "cat", "sleeps"), (1, 2, -1), ("det", "nsubj", "root"))
    >>> tree.root, tree.children(2), tree.is_projective(), tree.tags
    (2, (1,), True, ('_', '_', '_'))
    """

    words: tuple[str, ...]
    heads: tuple[int, ...]
    labels: tuple[str, ...]
    tags: tuple[str, ...] = ()
    fine_tags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        blank = (BLANK,) * len(self.words)
        for name in ("tags", "fine_tags"):
            object.__setattr__(self, name, getattr(self, name) or blank)
        for name in ("heads", "labels", "tags", "fine_tags"):
            if len(getattr(self, name)) != len(self.words):
                raise InputError(f"{len(self.words)} words, but {len(getattr(self, name))} {name.replace('_', ' ')}")
        heads = np.array([max(-2, min(head, len(self.words))) for head in self.heads], dtype=np.int32)
        offsets = np.array([0, len(heads)], dtype=np.int64)
        frozen(heads)  # as in a column, so that the kernel is compiled once
        frozen(offsets)
        shape, word = _shapes(heads, offsets)
        if shape[0] > _CROSSING:
            raise tree_error(shape[0], int(word[0]), self.words, self.heads)

    def __len__(self) -> int:
        return len(self.words)

    @property
    def root(self) -> int:
        """Give the position of the root."""
        return self.heads.index(ROOT)

    def children(self, head: int) -> tuple[int, ...]:
        """Give the positions of the words that depend on ``head``, left to right."""
        return tuple(word for word, its_head in enumerate(self.heads) if its_head == head)

    def is_projective(self) -> bool:
        """Say whether every subtree covers consecutive words."""
        return bool(self.column().projective()[0])

    def column(self) -> DependencyTrees:
        """Give the column that has this one row."""
        return DependencyTrees.of([self])


@dataclass(frozen=True, eq=False)
class DependencyTrees:
    """A column of dependency trees: the words of row i stand at ``offsets[i]:offsets[i + 1]``.

    ``words``, ``labels``, ``tags`` and ``fine_tags`` are numbers into ``strings``; ``heads`` are 0-based within the
    row.

    >>> column = DependencyTrees.of([DependencyTree(("cats", "sleep"), (1, -1), ("nsubj", "root"))])
    >>> len(column), column.heads.tolist(), column[0].labels
    (1, [1, -1], ('nsubj', 'root'))
    """

    words: NDArray[np.int32]
    heads: NDArray[np.int32]
    labels: NDArray[np.int32]
    tags: NDArray[np.int32]
    fine_tags: NDArray[np.int32]
    offsets: NDArray[np.int64]
    strings: pa.LargeStringArray

    def __post_init__(self) -> None:
        for array in (self.words, self.heads, self.labels, self.tags, self.fine_tags, self.offsets):
            frozen(array)

    @classmethod
    def of(cls, trees: Iterable[DependencyTree]) -> DependencyTrees:
        """Gather values into a column."""
        rows = list(trees)
        strings, (words, labels, tags, fine_tags) = number_strings(
            [word for row in rows for word in row.words],
            [label for row in rows for label in row.labels],
            [tag for row in rows for tag in row.tags],
            [tag for row in rows for tag in row.fine_tags],
        )
        heads = np.fromiter((head for row in rows for head in row.heads), dtype=np.int32)
        offsets = offsets_from_lengths([len(row) for row in rows])
        return cls(words, heads, labels, tags, fine_tags, offsets, strings)

    @classmethod
    def concatenate(cls, parts: Sequence[DependencyTrees]) -> DependencyTrees:
        """Put columns one after another, over one vocabulary."""
        if len(parts) < 2:
            return parts[0] if parts else cls.of([])
        shared = share_strings(*parts)
        return cls(
            np.concatenate([part.words for part in shared]),
            np.concatenate([part.heads for part in shared]),
            np.concatenate([part.labels for part in shared]),
            np.concatenate([part.tags for part in shared]),
            np.concatenate([part.fine_tags for part in shared]),
            join_offsets([part.offsets for part in shared]),
            shared[0].strings,
        )

    def __repr__(self) -> str:
        return f"DependencyTrees({len(self)} sentences, {len(self.words)} words)"

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, row: int) -> DependencyTree: ...
    @overload
    def __getitem__(self, row: slice) -> DependencyTrees: ...
    def __getitem__(self, row: int | slice) -> DependencyTree | DependencyTrees:
        if isinstance(row, slice):
            start, stop, step = row.indices(len(self))
            if step != 1:
                raise ValueError("a column is sliced in steps of one")
            offsets = self.offsets[start : max(start, stop) + 1]
            span = slice(offsets[0], offsets[-1])
            parts = (self.words[span], self.heads[span], self.labels[span], self.tags[span], self.fine_tags[span])
            return DependencyTrees(*parts, offsets - offsets[0], self.strings)
        row = range(len(self))[row]
        span = slice(self.offsets[row], self.offsets[row + 1])
        columns = (self.words[span], self.labels[span], self.tags[span], self.fine_tags[span])
        words, labels, tags, fine_tags = (tuple(self.strings.take(column).to_pylist()) for column in columns)
        return DependencyTree(words, tuple(self.heads[span].tolist()), labels, tags, fine_tags)

    def take(self, rows: NDArray[np.integer]) -> DependencyTrees:
        """Give some of the trees, in any order."""
        lengths = self.lengths[rows]
        offsets = offsets_from_lengths(lengths)
        place = np.repeat(self.offsets[:-1][rows] - offsets[:-1], lengths) + np.arange(offsets[-1])
        parts = (self.words[place], self.heads[place], self.labels[place], self.tags[place], self.fine_tags[place])
        return DependencyTrees(*parts, offsets, self.strings)

    def __iter__(self) -> Iterator[DependencyTree]:
        return (self[row] for row in range(len(self)))

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Give the number of words of each row."""
        return np.diff(self.offsets)

    def projective(self) -> NDArray[np.bool_]:
        """Say for each row whether every subtree covers consecutive words."""
        shapes, _ = _shapes(self.heads, self.offsets)
        return np.equal(shapes, _PROJECTIVE)

    def first_fault(self) -> tuple[int, int, InputError] | None:
        """Find the first row whose heads are no tree: the row, the word at fault and what is wrong with it."""
        shapes, words = _shapes(self.heads, self.offsets)
        faulty = np.flatnonzero(shapes > _CROSSING)
        if not len(faulty):
            return None
        row = int(faulty[0])
        word = int(words[row])
        span = slice(self.offsets[row], self.offsets[row + 1])
        forms = self.strings.take(self.words[span]).to_pylist()
        return row, word, tree_error(int(shapes[row]), word, forms, self.heads[span].tolist())


def share_strings(*columns: DependencyTrees) -> tuple[DependencyTrees, ...]:
    """Put columns over one vocabulary, so that equal numbers are equal words, tags and labels."""
    strings, maps = merge_vocabularies(*(column.strings for column in columns))
    return tuple(
        replace(
            column,
            words=renumber(column.words, mapping),
            labels=renumber(column.labels, mapping),
            tags=renumber(column.tags, mapping),
            fine_tags=renumber(column.fine_tags, mapping),
            strings=strings,
        )
        for column, mapping in zip(columns, maps, strict=True)
    )


def check_same_words(
    trees: DependencyTrees, expected: DependencyTrees, *, names: tuple[str, str] = ("the parse", "the gold tree")
) -> None:
    """Refuse trees over other words than expected; both columns share one vocabulary."""
    name, other = names
    if len(trees) != len(expected):
        raise InputError(f"{name} has {len(trees)} sentences; expected {len(expected)} as in {other}")
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
    """Build the error for heads that are no tree; ``word`` is the position of the offending word."""
    named = f"word {word + 1} {excerpt(words[word])}"
    if shape == _OUT_OF_RANGE:
        return InputError(f"{named} has head {heads[word] + 1}; expected 0 (root) to {len(words)}")
    if shape == _TWO_ROOTS:
        return InputError(f"{named} is a second root; expected exactly one")
    if ROOT not in heads:
        return InputError(f"no word has head 0; expected exactly one root (the heads form a cycle at {named})")
    return InputError(f"the heads form a cycle at {named}")


@kernel
def _shapes(heads: NDArray[np.int32], offsets: NDArray[np.int64]) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """Classify each row (projective, crossing, or why it is no tree) and give the offending word.

    Words are taken off from the leaves upwards; what cannot be taken off lies on a cycle. On the way every word
    learns the extent and the size of its subtree; a subtree is contiguous when the two agree.
    """
    shapes = np.zeros(len(offsets) - 1, dtype=np.int8)
    culprits = np.zeros(len(offsets) - 1, dtype=np.int64)
    for row in range(len(shapes)):
        start = offsets[row]
        length = offsets[row + 1] - start
        waiting = np.zeros(length, dtype=np.int64)  # children not yet taken off
        roots = 0
        for word in range(length):
            head = heads[start + word]
            if head < -1 or head >= length:
                shapes[row], culprits[row] = 2, word
                break
            if head == -1:
                roots += 1
                if roots > 1:
                    shapes[row], culprits[row] = 3, word
                    break
            else:
                waiting[head] += 1
        if shapes[row] > 1:
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
                shapes[row] = 1
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
            shapes[row] = 4
            for word in range(length):
                if waiting[word] > 0:
                    culprits[row] = word
                    break
    return shapes, culprits
