"""Permutation trees against the definition of strong intervals, explicit enumeration, construction at any size."""

from __future__ import annotations

import json
import random
import sys
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import twins
from wordorder.core.orders import Permutation, Permutations, PermutationTree, PermutationTrees
from wordorder.core.orders.trees import decompose
from wordorder.core.runtime.errors import UsageError

SMALL = [order for n in range(1, 7) for order in permutations(range(1, n + 1))]
SIMPLE = [
    order
    for n in (4, 5, 6)
    for order in permutations(range(1, n + 1))
    if len(twins.intervals(order)) == n + 1  # the words and the whole
]

orders = st.integers(1, 12).flatmap(lambda n: st.permutations(range(1, n + 1)).map(tuple))


def tree_of(order: twins.Order | str) -> PermutationTree:
    text = order if isinstance(order, str) else " ".join(map(str, order))
    tree = PermutationTree.of(Permutation.parse(text))
    assert tree is not None
    return tree


def alternating(length: int) -> Permutation:
    """1 n 2 n−1 …: monotone and inverted in turn, one word a level, as deep as a tree can be."""
    low, high = 0, length - 1
    ranks = []
    while low <= high:
        ranks.append(low)
        low += 1
        if low <= high:
            ranks.append(high)
            high -= 1
    return Permutation(tuple(ranks))


def random_tree(rng: random.Random, words: int) -> twins.Order:
    """Grow a permutation by putting operators in the place of words; a word is keyed by its path of ranks."""
    operators = [tuple(range(1, 5)), (1, 2), (3, 2, 1), (2, 1), *SIMPLE]
    leaves: list[tuple[int, ...]] = [()]
    while len(leaves) < words:
        at = rng.randrange(len(leaves))
        key = leaves[at]
        leaves[at : at + 1] = [(*key, rank) for rank in rng.choice(operators)]
    ordered = {key: rank for rank, key in enumerate(sorted(leaves), start=1)}
    return tuple(ordered[key] for key in leaves)


def test_trees_of_all_small_orders_are_their_strong_intervals() -> None:
    for order in SMALL:
        assert str(tree_of(order)) == str(twins.strong_interval_tree(order))


@given(orders)
def test_trees_are_the_strong_intervals(order: twins.Order) -> None:
    assert str(tree_of(order)) == str(twins.strong_interval_tree(order))


@given(st.integers(0, 2**32), st.integers(1, 24))
def test_trees_of_nested_blocks_are_the_strong_intervals(seed: int, words: int) -> None:
    order = random_tree(random.Random(seed), words)
    assert str(tree_of(order)) == str(twins.strong_interval_tree(order))


def check(order: twins.Order, tree: PermutationTree) -> None:
    """Check everything that makes a tree the flattened PET of an order, in near-linear time: it is unique."""
    done: list[tuple[list[int], str]] = []  # ranks and kind of finished blocks
    for node in reversed(list(tree.nodes())):
        if node.is_word:
            assert node.rank is not None
            done.append(([node.rank, node.rank], "word"))
            continue
        blocks = [done.pop() for _ in node.children]
        lows = [ranks[0] for ranks, _ in blocks]
        span = [min(lows), max(ranks[1] for ranks, _ in blocks)]
        assert span[1] - span[0] + 1 == sum(ranks[1] - ranks[0] + 1 for ranks, _ in blocks)
        assert node.operator == twins.ranks_of(tuple(lows))
        if node.kind == "simple":
            assert len(twins.intervals(node.operator)) == len(node.operator) + 1
        else:
            assert all(kind != node.kind for _, kind in blocks)  # a chain is one node
        done.append((span, node.kind))
    words = [node.rank for node in tree.nodes() if node.is_word]
    assert words == list(order)
    assert [ranks for ranks, _ in done] == [[1, len(order)]]


@pytest.mark.parametrize("seed", range(20))
def test_trees_of_long_orders(seed: int) -> None:
    rng = random.Random(seed)
    order = random_tree(rng, rng.randrange(30, 1500))
    check(order, tree_of(order))


def test_trees_of_a_column_are_those_of_its_rows() -> None:
    rows = [*SMALL, (), *SMALL[::-1]]

    def trees_of(orders: Permutations) -> PermutationTrees:
        return PermutationTrees(*decompose(orders.ranks, orders.offsets))

    together = trees_of(Permutations.of(rows))
    apart = [trees_of(Permutations.of([row])) for row in rows]
    assert len(together) == len(rows)
    assert together.kinds.tolist() == [kind for tree in apart for kind in tree.kinds.tolist()]
    assert together.arities.tolist() == [arity for tree in apart for arity in tree.arities.tolist()]
    assert [str(op) for op in together.operators] == [str(op) for tree in apart for op in tree.operators]


def test_known_trees() -> None:
    assert str(tree_of("2 4 5 6 1 3")) == "⟨2,4,1,3⟩(2 ⟨1,2,3⟩(4 5 6) 1 3)"
    assert tree_of("2 4 5 6 1 3").count_binarisations() == 2
    assert str(tree_of("4 3 2 1")) == "⟨4,3,2,1⟩(4 3 2 1)"
    assert tree_of("4 3 2 1").count_binarisations() == 5
    assert {len(node.operator) for node in tree_of("4 3 2 1").canonical().nodes()} == {0, 2}
    assert str(tree_of("5 7 4 6 3 1 2")) == "⟨3,2,1⟩(⟨2,4,1,3⟩(5 7 4 6) 3 ⟨1,2⟩(1 2))"
    assert tree_of("5 7 4 6 3 1 2").canonical().operator == (2, 1)
    assert tree_of("5 7 4 6 3 1 2").count_binarisations() == 2
    assert tree_of("6 2 4 1 5 3").canonical().operator == (2, 1)  # called primal in the 2016 paper: it is not
    assert tree_of("1 3 4 2").canonical().count_binarisations() == 1


def test_counts_of_all_small_orders() -> None:
    for order in SMALL:
        assert tree_of(order).count_binarisations() == len(twins.all_pets(order))


@pytest.mark.parametrize("length", [36, 37, 38, 100])
def test_counts_are_exact_beyond_64_bits(length: int) -> None:
    assert tree_of(tuple(range(1, length + 1))).count_binarisations() == twins.count_binary_trees(length)


def canonical(order: twins.Order, branching: str) -> str:
    if len(order) == 1:
        return str(order[0])
    choose = max if branching == "left" else min
    operator, parts = choose(twins.inferences(order), key=lambda inference: len(inference[1][0]))
    inner = " ".join(canonical(part, branching) for part in parts)
    return f"⟨{','.join(map(str, operator))}⟩({inner})"


@pytest.mark.parametrize("branching", ["left", "right"])
def test_canonical_trees_of_all_small_orders(branching: str) -> None:
    for order in SMALL:
        assert str(tree_of(order).canonical(branching=branching)) == canonical(order, branching)


def test_the_canonical_tree_branches_to_the_left() -> None:
    tree = tree_of("1 2 3 4")
    assert str(tree.canonical()) == "⟨1,2⟩(⟨1,2⟩(⟨1,2⟩(1 2) 3) 4)"
    assert str(tree.canonical(branching="right")) == "⟨1,2⟩(1 ⟨1,2⟩(2 ⟨1,2⟩(3 4)))"
    with pytest.raises(UsageError, match=r"unknown branching 'up'.*valid: left, right"):
        tree.canonical(branching="up")


def test_the_empty_order_has_no_tree_and_one_word_is_a_leaf() -> None:
    assert PermutationTree.of(Permutation(())) is None
    tree = tree_of("1")
    assert (str(tree), tree.kind, tree.to_dict(), tree.drawing()) == ("1", "word", 1, "1")
    assert tree.count_binarisations() == 1
    assert tree.canonical() == tree


def test_drawing() -> None:
    assert tree_of("2 4 5 6 1 3").drawing().splitlines() == [
        "⟨2,4,1,3⟩ simple",
        "├─ 2",
        "├─ ⟨1,2,3⟩ monotone: 4 5 6",
        "├─ 1",
        "└─ 3",
    ]
    assert tree_of("5 7 4 6 3 1 2").drawing().splitlines() == [
        "⟨3,2,1⟩ inverted",
        "├─ ⟨2,4,1,3⟩ simple: 5 7 4 6",
        "├─ 3",
        "└─ ⟨1,2⟩ monotone: 1 2",
    ]
    assert tree_of("1 3 2 5 6 4").drawing().splitlines() == [
        "⟨1,2,3⟩ monotone",
        "├─ 1",
        "├─ ⟨2,1⟩ inverted: 3 2",
        "└─ ⟨2,1⟩ inverted",
        "   ├─ ⟨1,2⟩ monotone: 5 6",
        "   └─ 4",
    ]
    assert tree_of("2 3 1 4").drawing().splitlines() == [
        "⟨1,2⟩ monotone",
        "├─ ⟨2,1⟩ inverted",
        "│  ├─ ⟨1,2⟩ monotone: 2 3",
        "│  └─ 1",
        "└─ 4",
    ]


@given(orders)
def test_the_json_form_holds_the_whole_tree(order: twins.Order) -> None:
    def written(item: Any) -> str:
        if isinstance(item, int):
            return str(item)
        assert set(item) == {"operator", "children"}
        return f"⟨{','.join(map(str, item['operator']))}⟩({' '.join(map(written, item['children']))})"

    tree = tree_of(order)
    assert written(json.loads(json.dumps(tree.to_dict()))) == str(tree)


@given(orders)
def test_nodes_come_parents_first_and_words_in_order(order: twins.Order) -> None:
    nodes = list(tree_of(order).nodes())
    assert [node.rank for node in nodes if node.is_word] == list(order)
    seen: set[int] = {id(nodes[0])}
    for node in nodes:
        assert id(node) in seen
        seen.update(id(child) for child in node.children)


@pytest.mark.slow
def test_deep_trees_do_not_hit_the_recursion_limit() -> None:
    order = alternating(5_000)
    tree = PermutationTree.of(order)
    assert tree is not None
    assert sys.getrecursionlimit() < 5_000
    check(tuple(rank + 1 for rank in order.ranks), tree)
    text = str(tree)
    assert text.startswith("⟨1,2⟩(1 ⟨2,1⟩(5000 ⟨1,2⟩(2 ⟨2,1⟩(4999 ")
    assert text.count("(") == 4_999
    assert tree.count_binarisations() == 1
    assert str(tree.canonical()) == str(tree.canonical(branching="right")) == text
    assert repr(tree) == f"PermutationTree({text})"
    again = PermutationTree.of(order)
    assert tree == again
    assert hash(tree) == hash(again)
    form, depth = tree.to_dict(), 0
    while isinstance(form, dict):
        form, depth = form["children"][-1], depth + 1
    assert depth == 4_999


def test_deep_trees_can_be_drawn() -> None:
    tree = PermutationTree.of(alternating(1_500))
    assert tree is not None
    lines = tree.drawing().splitlines()
    assert len(lines) == 1_499 + 1_498  # a line for each operator and word, the last operator has its two words
    assert lines[-1] == "   " * 1_497 + "└─ ⟨1,2⟩ monotone: 750 751"
