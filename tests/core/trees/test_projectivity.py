"""Pseudo-projective lifting against its literal definition."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_dependency import ancestors, is_projective, is_tree, tree_heads, value

from wordorder.core.runtime.errors import InputError
from wordorder.core.trees import DependencyTree, DependencyTrees, lift
from wordorder.formats import conllu


def crossing_arcs(heads: Sequence[int]) -> list[tuple[int, int, int]]:
    """Every non-projective arc as length, left end, dependent."""
    found = []
    for word, head in enumerate(heads):
        left, right = min(word, head), max(word, head)
        if head >= 0 and any(head not in (ancestors(heads, other) or []) for other in range(left + 1, right)):
            found.append((right - left, left, word))
    return found


def lifted_slowly(heads: Sequence[int]) -> list[int]:
    """While an arc is non-projective, attach the dependent of the smallest one to its head's head."""
    result = list(heads)
    while arcs := crossing_arcs(result):
        word = min(arcs)[2]
        result[word] = result[result[word]]
    return result


@given(st.lists(tree_heads(), max_size=4))
def test_lifting_is_the_literal_one(rows: list[list[int]]) -> None:
    trees = DependencyTrees.of(map(value, rows))
    result, counts = lift(trees)
    expected = [lifted_slowly(heads) for heads in rows]
    assert [list(tree.heads) for tree in result] == expected
    assert counts.tolist() == [
        sum(one != two for one, two in zip(new, old, strict=True)) for new, old in zip(expected, rows, strict=True)
    ]


@given(st.permutations(range(24)), st.randoms(use_true_random=False))
def test_long_trees_become_projective_trees(order: list[int], random: Random) -> None:
    heads = [-1] * len(order)
    for place, word in enumerate(order[1:], start=1):
        heads[word] = order[random.randint(max(0, place - 3), place - 1)]  # deep trees: many lifts of one word
    result, counts = lift(value(heads).column())
    new = list(result[0].heads)
    assert new == lifted_slowly(heads)
    assert is_tree(new)
    assert is_projective(new)
    assert bool(counts[0]) != is_projective(heads)
    for word, head in enumerate(new):  # a word moves up, never aside
        assert head in (ancestors(heads, word) or []) or head == heads[word]


def test_projective_trees_come_back_as_they_are() -> None:
    trees = DependencyTrees.of([value([1, -1, 1]), value([])])
    result, counts = lift(trees)
    assert result is trees
    assert counts.tolist() == [0, 0]
    assert counts.dtype == np.int64


def test_only_heads_change() -> None:
    crossing = DependencyTree(("a", "b", "c", "d"), (2, 3, -1, 2), ("w", "x", "y", "z"), ("N",) * 4, ("F",) * 4)
    trees = DependencyTrees.of([crossing, value([-1, 0])])
    result, counts = lift(trees)
    assert result[0] == DependencyTree(crossing.words, (2, 2, -1, 2), crossing.labels, ("N",) * 4, ("F",) * 4)
    assert result[1] == trees[1]
    assert counts.tolist() == [1, 0]
    assert result.words is trees.words
    assert result.labels is trees.labels


def test_the_shortest_arc_is_lifted_first_and_the_leftmost_of_equals() -> None:
    # Rightmost of equals, leftmost of all and longest first would give [1, 3, 1, …], [1, 3, 3, …] and [3, 3, 3, …].
    heads = [2, 3, 4, -1, 1]
    assert sorted(crossing_arcs(heads)) == [(2, 0, 0), (2, 2, 2), (3, 1, 4)]
    assert lift(value(heads).column())[0].heads.tolist() == [3, 3, 1, -1, 3]


def test_what_is_no_tree_is_refused() -> None:
    good = value([-1, 0]).column()
    heads = np.array([1, 0], dtype=np.int32)
    broken = DependencyTrees(good.words, heads, good.labels, good.tags, good.fine_tags, good.offsets, good.strings)
    with pytest.raises(InputError, match="sentence 2: no word has head 0"):
        lift(DependencyTrees.concatenate([good, broken]))


@pytest.mark.realdata
def test_english_needs_little_lifting(shared: Path) -> None:
    trees = conllu.read(shared / "data" / "pud-aligned" / "en-jp" / "en.conllu")
    result, counts = lift(trees)
    assert result.projective().all()
    assert np.array_equal(counts > 0, ~trees.projective())
    assert 0 < counts.sum() < 0.02 * len(trees.words)
