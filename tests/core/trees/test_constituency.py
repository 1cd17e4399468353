"""Constituency trees: brackets against a recursive reader, columns, spans."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.core.runtime.errors import InputError
from wordorder.core.trees import ConstituencyTree, ConstituencyTrees

Nested = tuple[str, Any]
"""(tag, word) or (label, [children])."""

names = st.text("abcXYZ-.,'é猫", min_size=1, max_size=4)
nested_trees = st.recursive(
    st.tuples(names, names), lambda inner: st.tuples(names, st.lists(inner, min_size=1, max_size=4)), max_leaves=12
)


def written(tree: Nested) -> str:
    label, content = tree
    return f"({label} {content if isinstance(content, str) else ' '.join(map(written, content))})"


def read_literally(text: str) -> Nested:
    """Read brackets the obvious way."""
    tokens = re.findall(r"[()]|[^\s()]+", text)

    def tree(place: int) -> tuple[Nested, int]:
        assert tokens[place] == "("
        label = tokens[place + 1]
        assert label not in "()"
        place += 2
        if tokens[place] not in "()":
            assert tokens[place + 1] == ")"
            return (label, tokens[place]), place + 2
        children = []
        while tokens[place] == "(":
            child, place = tree(place)
            children.append(child)
        assert tokens[place] == ")"
        assert children
        return (label, children), place + 1

    found, end = tree(0)
    assert end == len(tokens)
    return found


def nested(tree: ConstituencyTree) -> Nested:
    forms = iter(tree.words)

    def below(node: int) -> Nested:
        children = tree.children(node)
        return tree.labels[node], [below(child) for child in children] if children else next(forms)

    return below(0)


@given(nested_trees, st.sampled_from([" ", "\n", "\t  "]))
def test_brackets_are_read_like_the_recursive_reader(tree: Nested, blank: str) -> None:
    text = written(tree).replace(" ", blank)
    assert nested(ConstituencyTree.parse(text)) == read_literally(text) == tree
    assert str(ConstituencyTree.parse(text)) == written(tree)


@given(st.text("()ab \n", max_size=25))
def test_any_text_is_a_tree_or_an_error(text: str) -> None:
    try:
        expected: Nested | None = read_literally(text)
    except (AssertionError, IndexError):
        expected = None
    try:
        found: Nested | None = nested(ConstituencyTree.parse(text))
    except InputError:
        found = None
    if found is None or found[0] != "":  # an outer label may be missing, which the literal reader does not know
        assert found == expected


@given(st.lists(nested_trees, max_size=4), st.integers(0, 4))
def test_columns_give_their_values_back(trees: list[Nested], cut: int) -> None:
    values = [ConstituencyTree.parse(written(tree)) for tree in trees]
    column = ConstituencyTrees.of(values)
    assert list(column) == values
    assert list(column[cut:]) == values[cut:]
    assert list(ConstituencyTrees.concatenate([column[:cut], column[cut:]])) == values
    assert column.lengths.tolist() == [len(tree) for tree in values]


@given(st.lists(nested_trees, min_size=1, max_size=3))
def test_spans_are_the_leaves_below(trees: list[Nested]) -> None:
    column = ConstituencyTrees.of([written(tree) for tree in trees])
    expected: list[list[int]] = []

    def walk(tree: Nested, start: int) -> int:
        place = len(expected)
        expected.append([start, start])
        end = start + 1 if isinstance(tree[1], str) else start
        if not isinstance(tree[1], str):
            for child in tree[1]:
                end = walk(child, end)
        expected[place][1] = end
        return end

    for tree in trees:
        walk(tree, 0)
    assert column.spans().tolist() == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(S (NP a)", "a bracket is not closed"),
        ("(S (NP a)))", "without an opening bracket"),
        ("(S)", "without words"),
        ("()", "without words"),
        ("(S (NP a) b)", "next to another word"),
        ("(S a b)", "next to another word"),
        ("(S a (NP b))", "after a word"),
        ("a", "outside all brackets"),
        ("(S ((NP a)))", "without a label"),
        ("(A a) (B b)", "expected one tree, found 2"),
        ("", "expected one tree, found 0"),
    ],
)
def test_what_is_no_tree_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ConstituencyTree.parse(text)


def test_depth_does_not_matter() -> None:
    deep = "(X " * 50_000 + "(A a)" + ")" * 50_000
    assert str(ConstituencyTree.parse(deep)) == deep


@pytest.mark.parametrize(
    ("parents", "words"), [((0,), 1), ((-1, -1), 1), ((-1, 2, 0), 1), ((-1, 0, 0), 1), ((-1, 0, 0, 1), 2), ((), 0)]
)
def test_nodes_must_stand_in_preorder(parents: tuple[int, ...], words: int) -> None:
    with pytest.raises(InputError):
        ConstituencyTree(("x",) * len(parents), parents, ("w",) * words)
