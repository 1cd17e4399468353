"""Dependency trees: validation, projectivity against its literal definition, columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.core.runtime.errors import InputError
from wordorder.core.trees import DependencyTree, DependencyTrees, share_strings
from wordorder.core.trees.dependency import check_same_words


def ancestors(heads: Sequence[int], word: int) -> list[int] | None:
    """Follow the heads up to the root; None if they never get there."""
    path = []
    while word != -1:
        if word in path:
            return None
        path.append(word)
        word = heads[word]
    return path


def is_tree(heads: Sequence[int]) -> bool:
    if not all(-1 <= head < len(heads) for head in heads):
        return False
    return not heads or (list(heads).count(-1) == 1 and all(ancestors(heads, word) for word in range(len(heads))))


def is_projective(heads: Sequence[int]) -> bool:
    """Every word between a head and its dependent descends from the head."""
    for word, head in enumerate(heads):
        if head >= 0:
            for between in range(min(word, head) + 1, max(word, head)):
                if head not in (ancestors(heads, between) or []):
                    return False
    # The root arc comes from outside; it crosses an arc that spans the root without being below it: covered above,
    # because a word between head and dependent must descend from the head, and the root descends from nobody.
    return True


def value(heads: Sequence[int]) -> DependencyTree:
    words = tuple(f"w{i}" for i in range(len(heads)))
    return DependencyTree(words, tuple(heads), tuple(f"l{i % 3}" for i in range(len(heads))))


@st.composite
def tree_heads(draw: st.DrawFn) -> list[int]:
    """Attach words in a random order, each to one attached before."""
    count = draw(st.integers(1, 9))
    order = draw(st.permutations(range(count)))
    heads = [-1] * count
    for place, word in enumerate(order[1:], start=1):
        heads[word] = order[draw(st.integers(0, place - 1))]
    return heads


any_heads = st.integers(0, 6).flatmap(lambda n: st.lists(st.integers(-2, n), min_size=n, max_size=n))


@given(any_heads | tree_heads())
def test_a_value_is_made_exactly_when_the_heads_are_a_tree(heads: list[int]) -> None:
    if is_tree(heads):
        assert value(heads).heads == tuple(heads)
    else:
        with pytest.raises(InputError):
            value(heads)


@given(st.lists(tree_heads(), max_size=4))
def test_projectivity_is_the_literal_one(rows: list[list[int]]) -> None:
    column = DependencyTrees.of(map(value, rows))
    assert column.projective().tolist() == [is_projective(heads) for heads in rows]


def test_crossing_arcs_are_found() -> None:
    assert not value([2, 3, -1, 2]).column().projective().all()
    assert value([1, 2, -1, 2]).column().projective().all()


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ((1, 0), "no word has head 0; expected exactly one root (the heads form a cycle at word 1 'w0')"),
        ((1, 2, 1, -1), "the heads form a cycle at word 2 'w1'"),
        ((-1, 0, -1), "word 3 'w2' is a second root; expected exactly one"),
        ((-1, 7), "word 2 'w1' has head 8; expected 0 (root) to 2"),
        ((-1, 10**30), f"word 2 'w1' has head {10**30 + 1}; expected 0 (root) to 2"),
        ((-1, -5), "word 2 'w1' has head -4; expected 0 (root) to 2"),
    ],
)
def test_what_is_no_tree_is_refused(heads: tuple[int, ...], message: str) -> None:
    with pytest.raises(InputError) as caught:
        value(heads)
    assert str(caught.value) == message


def test_columns_of_different_length_are_refused() -> None:
    with pytest.raises(InputError, match="expected 2 labels, found 1"):
        DependencyTree(("a", "b"), (-1, 0), ("root",))


@given(st.lists(tree_heads(), max_size=5), st.integers(0, 5), st.integers(0, 5))
def test_columns_give_their_values_back(rows: list[list[int]], start: int, stop: int) -> None:
    values = [value(heads) for heads in rows]
    column = DependencyTrees.of(values)
    assert list(column) == values
    assert list(column[start:stop]) == values[start:stop]
    assert list(DependencyTrees.concatenate([column[:start], column[start:]])) == values
    assert column.lengths.tolist() == [len(heads) for heads in rows]


def test_shared_strings_make_numbers_comparable() -> None:
    one = DependencyTree(("a", "b"), (-1, 0), ("root", "x"), ("N", "N"), ("NN", "NNS")).column()
    two = DependencyTree(("b", "c"), (1, -1), ("x", "root"), ("N", "V"), ("NNS", "VB")).column()
    left, right = share_strings(one, two)
    assert left.strings is right.strings
    assert left.words[1] == right.words[0]
    assert left.labels[1] == right.labels[0]
    assert left.fine_tags[1] == right.fine_tags[0]
    assert left.tags[0] == right.tags[0] != right.tags[1]
    assert [left[0], right[0]] == [one[0], two[0]]


def test_a_faulty_column_names_row_and_word() -> None:
    good = value([-1, 0]).column()
    heads = np.array([-1, 0, -1, -1], dtype=np.int32)
    doubled = DependencyTrees.concatenate([good, good])
    broken = DependencyTrees(
        doubled.words, heads, doubled.labels, doubled.tags, doubled.fine_tags, doubled.offsets, doubled.strings
    )
    fault = broken.first_fault()
    assert fault is not None
    assert fault[:2] == (1, 1)
    assert good.first_fault() is None


def test_an_empty_sentence_is_a_row() -> None:
    column = DependencyTrees.of([value([]), value([-1])])
    assert column.lengths.tolist() == [0, 1]
    assert column.projective().tolist() == [True, True]
    assert len(DependencyTrees.concatenate([])) == 0


@given(st.lists(tree_heads(), min_size=1, max_size=4), st.data())
def test_some_trees_in_any_order(rows: list[list[int]], data: st.DataObject) -> None:
    values = [value(heads) for heads in rows]
    chosen = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=6))
    column = DependencyTrees.of(values)
    assert list(column.take(np.array(chosen, dtype=np.int64))) == [values[row] for row in chosen]


def test_other_words_are_refused_with_their_sentence() -> None:
    def columns(*texts: list[str]) -> list[DependencyTrees]:
        return [
            DependencyTrees.of(
                DependencyTree(tuple(words.split()), (-1, *[0] * words.count(" ")), ("x",) * len(words.split()))
                for words in text
            )
            for text in texts
        ]

    for found, message in (
        (["a b", "c d"], None),
        (["a b"], "the parse has 1 sentence; expected 2 as in the gold tree"),
        (["a b", "c"], "sentence 2: the parse has 1 words; expected 2 as in the gold tree"),
        (["a b", "c x"], "sentence 2: word 2 of the parse is 'x'; expected 'd' as in the gold tree"),
    ):
        one, two = share_strings(*columns(found, ["a b", "c d"]))
        if message is None:
            check_same_words(one, two)
        else:
            with pytest.raises(InputError) as caught:
                check_same_words(one, two)
            assert str(caught.value) == message
