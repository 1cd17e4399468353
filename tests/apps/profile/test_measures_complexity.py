"""Cycles and the largest operator, against their definitions."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wordorder.apps.profile.measures import count_cycles, find_largest_operators
from wordorder.core.orders import Permutation, Permutations, PermutationTree


@given(st.lists(st.integers(0, 12).flatmap(lambda n: st.permutations(range(n))), max_size=4))
def test_cycles(orders: list[list[int]]) -> None:
    values = [Permutation(tuple(order)) for order in orders]
    cycles, longest = count_cycles(Permutations.of(values))
    assert cycles.tolist() == [sum(len(cycle) > 1 for cycle in value.cycles()) for value in values]
    assert longest.tolist() == [max(map(len, value.cycles()), default=0) for value in values]


@given(st.lists(st.integers(0, 12).flatmap(lambda n: st.permutations(range(n))), max_size=4))
def test_largest_operators(orders: list[list[int]]) -> None:
    values = [Permutation(tuple(order)) for order in orders]
    expected = []
    for value in values:
        tree = PermutationTree.of(value)
        nodes = [] if tree is None else list(tree.nodes())
        expected.append(max((len(node.operator) for node in nodes if node.kind == "simple"), default=0))
    assert find_largest_operators(Permutations.of(values)).tolist() == expected
