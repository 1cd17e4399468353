"""Tree and forest metrics against twins that enumerate every permutation tree."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import pytest
from calling import OPERATORS, score, scores
from hypothesis import given
from hypothesis import strategies as st

import twins

SMALL = [order for n in range(1, 7) for order in permutations(range(1, n + 1))]
"""Every permutation of up to six words."""

orders = st.integers(1, 8).flatmap(lambda n: st.permutations(range(1, n + 1)).map(tuple))
shares = st.floats(0, 1)


def nested_orders() -> st.SearchStrategy[tuple[int, ...]]:
    """Orders with much structure: blocks inside blocks, which a random permutation of eight words rarely has."""
    operators = st.sampled_from([(1, 2), (2, 1), (1, 2, 3), (3, 2, 1), (2, 4, 1, 3), (3, 1, 4, 2)])

    @st.composite
    def inflated(draw: st.DrawFn, inner: st.SearchStrategy[tuple[int, ...]]) -> tuple[int, ...]:
        operator = draw(operators)
        blocks = [draw(inner) for _ in operator]
        sizes = dict(zip(operator, map(len, blocks), strict=True))
        bases = [sum(size for other, size in sizes.items() if other < rank) for rank in operator]
        return tuple(rank + base for block, base in zip(blocks, bases, strict=True) for rank in block)

    word = st.just((1,))
    found: st.SearchStrategy[tuple[int, ...]] = st.recursive(word, inflated, max_leaves=8)
    return found.filter(lambda order: len(order) <= 8)


structured = st.one_of(orders, nested_orders())


def operator_score(operator: str, gamma: float = 0.0) -> Callable[[twins.Order], float]:
    return twins.monotone_operator(gamma) if operator == "monotone" else twins.FLAT[operator]


@pytest.mark.parametrize("operator", ["monotone", *OPERATORS])
def test_pef_of_all_small_orders(operator: str) -> None:
    expected = [twins.pef(order, beta=0.6, operator_score=operator_score(operator)) for order in SMALL]
    assert scores(f"pef:operator={operator}", SMALL).tolist() == pytest.approx(expected, abs=1e-12)


def test_pef_is_not_the_mean_over_whole_trees() -> None:
    def score_of(tree: twins.Tree) -> float:
        below = [score_of(child) for child in tree.children if child.children]
        inner = [0.4 * sum(below) / len(below)] if below else []
        return sum([(0.6 if inner else 1.0) * (tree.operator == (1, 2)), *inner])

    order = (1, 2, 3, 5, 4)
    trees = [score_of(tree) for tree in twins.all_pets(order)]
    assert len(trees) == 5
    assert sum(trees) / 5 == pytest.approx(0.8752)
    assert score("pef", order) == pytest.approx(0.8827, abs=5e-5)


@pytest.mark.parametrize("operator", ["monotone", *OPERATORS])
@pytest.mark.parametrize("branching", ["left", "right"])
def test_pet_of_all_small_orders(operator: str, branching: str) -> None:
    judge = operator_score(operator)
    expected = [twins.pet(order, beta=0.6, operator_score=judge, branching=branching) for order in SMALL]
    found = scores(f"pet:operator={operator}:branching={branching}", SMALL)
    assert found.tolist() == pytest.approx(expected, abs=1e-12)


def test_pef_by_size_of_all_small_orders() -> None:
    expected = [twins.pef_by_size(order, beta=0.6) for order in SMALL]
    assert scores("pef:weights=size", SMALL).tolist() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("spec", twins.SHAPES)
def test_shapes_of_all_small_orders(spec: str) -> None:
    found = scores(spec, SMALL).tolist()
    for order, value in zip(SMALL, found, strict=True):
        for tree in twins.all_pets(order):  # a shape does not depend on which PET is looked at
            assert value == pytest.approx(twins.SHAPES[spec](tree.operators(), len(order)), abs=1e-12)


def test_pet_count_of_all_small_orders() -> None:
    assert scores("pet-count", SMALL).tolist() == [twins.pet_count(order) for order in SMALL]


@given(order=structured, beta=shares, gamma=shares)
def test_pef_equals_figure_6(order: tuple[int, ...], beta: float, gamma: float) -> None:
    expected = twins.pef(order, beta=beta, operator_score=twins.monotone_operator(gamma))
    assert score(f"pef:beta={beta}:gamma={gamma}", order) == pytest.approx(expected, abs=1e-12)


@given(structured, st.fixed_dictionaries({"gamma": shares, "four": shares, "longer": shares}))
def test_operators_may_have_costs_of_their_own(order: tuple[int, ...], costs: dict[str, float]) -> None:
    judge = twins.monotone_operator(**costs)
    written = ":".join(f"{name}={cost}" for name, cost in costs.items())
    assert score(f"pef:{written}", order) == pytest.approx(twins.pef(order, beta=0.6, operator_score=judge))
    expected = twins.pet(order, beta=0.6, operator_score=judge, branching="left")
    assert score(f"pet:{written}", order) == pytest.approx(expected)


def test_costs_of_operators_that_the_paper_draws() -> None:
    assert score("pef:four=0.3", (2, 4, 1, 3)) == 0.3
    assert score("pef:longer=0.3", (2, 4, 1, 3)) == 0
    assert score("pef:longer=0.3", (2, 4, 1, 5, 3)) == 0.3  # primal, and contains the former
    assert score("pef:four=0.5", (2, 4, 5, 6, 1, 3)) == pytest.approx(0.6 * 0.5 + 0.4)


@given(order=structured, beta=shares, gamma=shares, branching=st.sampled_from(["left", "right"]))
def test_pet_equals_figure_6_with_one_inference(
    order: tuple[int, ...], beta: float, gamma: float, branching: str
) -> None:
    judge = twins.monotone_operator(gamma)
    expected = twins.pet(order, beta=beta, operator_score=judge, branching=branching)
    found = score(f"pet:beta={beta}:gamma={gamma}:branching={branching}", order)
    assert found == pytest.approx(expected, abs=1e-12)


@given(order=structured, beta=shares, operator=st.sampled_from(OPERATORS))
def test_flat_metrics_can_score_operators(order: tuple[int, ...], beta: float, operator: str) -> None:
    judge = operator_score(operator)
    forest = twins.pef(order, beta=beta, operator_score=judge)
    left = twins.pet(order, beta=beta, operator_score=judge, branching="left")
    assert score(f"pef:beta={beta}:operator={operator}", order) == pytest.approx(forest, abs=1e-12)
    assert score(f"pet:beta={beta}:operator={operator}", order) == pytest.approx(left, abs=1e-12)


@given(order=structured, beta=st.floats(0.01, 1))
def test_pef_by_size_is_the_mean_over_explicit_trees(order: tuple[int, ...], beta: float) -> None:
    expected = twins.pef_by_size(order, beta=beta)
    assert score(f"pef:weights=size:beta={beta}", order) == pytest.approx(expected, abs=1e-10)


@given(order=structured)
def test_shapes_and_counts_equal_their_twins(order: tuple[int, ...]) -> None:
    trees = twins.all_pets(order)
    assert score("pet-count", order) == twins.pet_count(order)
    for spec, shape in twins.SHAPES.items():
        assert score(spec, order) == pytest.approx(shape(trees[-1].operators(), len(order)), abs=1e-12)


@given(column=st.lists(structured, max_size=6))
def test_a_column_scores_like_its_rows(column: list[tuple[int, ...]]) -> None:
    """Rows do not leak into each other, in particular the operators of simple nodes, which run over all rows."""
    for spec in ("pef:operator=kendall", "pet", "pef:weights=size", "pet-size"):
        assert scores(spec, column).tolist() == [score(spec, order) for order in column]


@given(order=structured)
def test_inversion_changes_only_pet(order: tuple[int, ...]) -> None:
    inverse = tuple(order.index(rank) + 1 for rank in range(1, len(order) + 1))
    for spec in ("pef", "pef:weights=size", "pet-count", *twins.SHAPES):
        assert score(spec, order) == pytest.approx(score(spec, inverse), abs=1e-12)
