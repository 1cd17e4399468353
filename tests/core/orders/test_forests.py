"""Permutation forests as values against explicit enumeration (Stanojević & Sima'an 2014)."""

from __future__ import annotations

from itertools import accumulate, islice, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import twins
from wordorder import inspect, metric
from wordorder.core.orders import ForestNode, Permutation, PermutationForest, PermutationTree
from wordorder.core.runtime.errors import UsageError

orders = st.integers(1, 8).flatmap(lambda n: st.permutations(range(1, n + 1)).map(tuple))


def written(tree: twins.Tree) -> str:
    if not tree.children:
        return str(tree.rank)
    return f"⟨{','.join(map(str, tree.operator))}⟩({' '.join(map(written, tree.children))})"


def test_pef_2014_figures_3_and_4_the_inverted_order_of_four_words() -> None:
    forest = PermutationForest.of("4 3 2 1")
    assert forest.root == ForestNode(0, 4, (2, 1), ((1,), (2,), (3,)))
    assert forest.root.blocks((2,)) == ((0, 2), (2, 4))
    assert {node.span: node.inferences for node in forest if not node.is_word} == {
        (0, 4): ((1,), (2,), (3,)),
        (0, 3): ((1,), (2,)),
        (1, 4): ((2,), (3,)),
        (0, 2): ((1,),),
        (1, 3): ((2,),),
        (2, 4): ((3,),),
    }
    assert [node for node in forest if node.is_word] == [ForestNode(place, place + 1) for place in range(4)]
    assert {str(pet) for pet in forest.pets()} == {
        "⟨2,1⟩(4 ⟨2,1⟩(3 ⟨2,1⟩(2 1)))",
        "⟨2,1⟩(4 ⟨2,1⟩(⟨2,1⟩(3 2) 1))",
        "⟨2,1⟩(⟨2,1⟩(4 3) ⟨2,1⟩(2 1))",
        "⟨2,1⟩(⟨2,1⟩(4 ⟨2,1⟩(3 2)) 1)",
        "⟨2,1⟩(⟨2,1⟩(⟨2,1⟩(4 3) 2) 1)",
    }


def test_pef_2014_a_simple_operator_has_one_inference() -> None:
    forest = PermutationForest.of([2, 4, 5, 6, 1, 3])
    assert forest.root == ForestNode(0, 6, (2, 4, 1, 3), ((1, 4, 5),))
    assert forest[1, 4] == ForestNode(1, 4, (1, 2), ((2,), (3,)))
    assert (0, 2) not in forest
    assert "nonsense" not in forest
    with pytest.raises(KeyError):
        forest[0, 4]
    with pytest.raises(KeyError):
        forest[0, 7]


def check_literally(order: twins.Order) -> None:
    """Compare every node with the factorisations of Figure 5, and every PET with those that were enumerated."""
    forest = PermutationForest.of(order)
    spans = list(forest.spans())
    assert len(spans) == len(set(spans)) == len(forest)
    assert set(spans) == twins.intervals(order)
    for node in forest:
        part = order[node.start : node.stop]
        found = twins.inferences(part) if len(part) > 1 else ()
        assert {operator for operator, _ in found} == ({node.operator} if found else set())
        splits = [tuple(accumulate(map(len, parts), initial=node.start))[1:-1] for _, parts in found]
        assert sorted(node.inferences) == sorted(splits)
        assert forest.count_pets(node.span) == len(twins.all_pets(part))
        for inference in node.inferences:
            assert all(block in forest for block in node.blocks(inference))
    trees = [str(tree) for tree in forest.pets()]
    assert sorted(trees) == sorted(map(written, twins.all_pets(order)))
    assert len(trees) == forest.count_pets()
    flat = PermutationTree.of(Permutation.of(order))
    assert flat is not None
    assert {str(flat.canonical()), str(flat.canonical(branching="right"))} <= set(trees)


def test_pef_2014_figure_5_every_order_of_up_to_five_words() -> None:
    for length in range(1, 6):
        for order in permutations(range(1, length + 1)):
            check_literally(order)


@settings(max_examples=30, deadline=None)
@given(orders)
def test_pef_2014_figure_5_is_literal(order: twins.Order) -> None:
    check_literally(order)


@given(orders, st.sampled_from([0.0, 0.3, 0.6, 1.0]))
def test_pef_2014_figure_6_over_the_forest_is_the_metric(order: twins.Order, beta: float) -> None:
    forest = PermutationForest.of(order)

    def score(span: tuple[int, int]) -> float:
        node = forest[span]
        if node.is_word:
            return 1.0
        own = float(node.operator == (1, 2))
        if len(node.operator) == node.stop - node.start:
            return own
        means = []
        for inference in node.inferences:
            longer = [score(block) for block in node.blocks(inference) if block[1] - block[0] > 1]
            means.append(sum(longer) / len(longer))
        return beta * own + (1 - beta) * sum(means) / len(means)

    assert metric("pef", beta=beta)(Permutation.of(order)) == pytest.approx(score(forest.root.span))


def test_pets_by_number_of_a_long_order() -> None:
    forest = PermutationForest(Permutation.identity(60))
    count = forest.count_pets()
    assert count > 2**63
    assert [str(forest.pet(number)) for number in range(3)] == [str(pet) for pet in islice(forest.pets(), 3)]
    left = PermutationTree.of(forest.order)
    assert left is not None
    assert (forest.pet(count - 1), forest.pet(0)) == (left.canonical(), left.canonical(branching="right"))
    with pytest.raises(UsageError, match="there is no tree -1; the forest has"):
        forest.pet(-1)


def test_deep_forests_do_not_recurse() -> None:
    """1 n 2 n−1 …: a tree with a word a level."""
    ranks = [place // 2 if place % 2 == 0 else 2999 - place // 2 for place in range(3000)]
    forest = PermutationForest(Permutation(tuple(ranks)))
    assert forest.count_pets() == 1
    assert (2998, 3000) in forest
    assert len(forest) == 2 * 3000 - 1


def test_a_forest_is_a_value() -> None:
    assert PermutationForest.of("2 1") == PermutationForest.of([2, 1])
    assert inspect("2 1 3", metrics="kendall").forest == PermutationForest.of("2 1 3")
    with pytest.raises(UsageError, match="empty permutation"):
        PermutationForest.of("")
