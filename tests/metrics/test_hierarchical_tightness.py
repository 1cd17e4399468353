"""Tight metrics (Stanojević & Sima'an 2016, §4): to factorise further is never more complex.

Checked over all weak factorisations of all permutations of up to six words, as far as it is true: node count and mean
operator length are tight, the longest operator is semi-tight. The score of a permutation is that of its PETs, so it
must be the best over all its weak factorisations.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import pytest
from calling import scores

import twins

pytestmark = pytest.mark.slow

ORDERS = [order for n in range(2, 7) for order in permutations(range(1, n + 1))]


@dataclass(frozen=True)
class Factorised:
    """The weak factorisations of an order by number: the flattest is 0; their operators; the steps between them."""

    order: twins.Order
    operators: list[list[twins.Order]]
    steps: list[list[int]]


@pytest.fixture(scope="module")
def factorised() -> list[Factorised]:
    found = []
    for order in ORDERS:
        steps = twins.weak_factorisations(order)
        number = {wf: place for place, wf in enumerate(steps)}
        assert number[twins.WeakFactorisation(order, frozenset({(0, len(order))}))] == 0
        found.append(
            Factorised(order, [wf.operators() for wf in steps], [[number[wf] for wf in to] for to in steps.values()])
        )
    return found


def test_weak_factorisations_end_in_the_permutation_trees(factorised: list[Factorised]) -> None:
    for item in factorised:
        assert sum(not steps for steps in item.steps) == len(twins.all_pets(item.order))


def test_monotone_orders_have_as_many_weak_factorisations_as_bracketings(factorised: list[Factorised]) -> None:
    counts = {len(item.order): len(item.steps) for item in factorised if list(item.order) == sorted(item.order)}
    assert counts == {2: 1, 3: 3, 4: 11, 5: 45, 6: 197}  # Schröder's second problem


@pytest.mark.parametrize("spec", ["pet-size", "avg-op"])
def test_node_count_and_mean_operator_length_are_tight(spec: str, factorised: list[Factorised]) -> None:
    best = scores(spec, ORDERS)
    for item, score in zip(factorised, best, strict=True):
        value = [twins.SHAPES[spec](operators, len(item.order)) for operators in item.operators]
        assert all(value[wf] < value[finer] for wf, steps in enumerate(item.steps) for finer in steps)
        assert score == pytest.approx(max(value), abs=1e-12)


def test_longest_operator_is_semi_tight(factorised: list[Factorised]) -> None:
    best = scores("max-op", ORDERS)
    for item, score in zip(factorised, best, strict=True):
        value = [twins.max_op(operators, len(item.order)) for operators in item.operators]
        assert all(value[wf] <= value[finer] for wf, steps in enumerate(item.steps) for finer in steps)
        if len(value) > 1:
            assert all(value[0] < value[wf] for wf, steps in enumerate(item.steps) if not steps)
        assert score == pytest.approx(max(value), abs=1e-12)
