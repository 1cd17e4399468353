"""The order of any items: first free instance, stated policies, and what did not fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

import pytest
from hypothesis import given
from hypothesis import strategies as st

import wordorder
from wordorder.core.orders.items import POLICIES, ItemOrder, order
from wordorder.core.runtime.errors import InputError, UsageError

sequences = st.lists(st.sampled_from("abcd"), max_size=8)


def slow_order(items: list[str], reference: list[str], missing: str) -> tuple[tuple[int, ...], list[str], list[str]]:
    """Cross items off the reference one by one; give 1-based ranks, what is missing and what is extra."""
    left: list[str | None] = [*reference]
    places, extra = [], []
    for item in items:
        if item in left:
            places.append(left.index(item))
            left[left.index(item)] = None
        else:
            extra.append(item)
    if missing == "append":
        places += [place for place, item in enumerate(left) if item is not None]
    ranks = tuple(sorted(places).index(place) + 1 for place in places)
    return ranks, [item for item in left if item is not None], extra


@pytest.mark.parametrize("missing", ["drop", "append"])
@given(items=sequences, reference=sequences)
def test_order_equals_crossing_off(missing: str, items: list[str], reference: list[str]) -> None:
    ranks, left, extra = slow_order(items, reference, missing)
    found = order(items, reference, missing=missing)
    assert str(found.permutation) == " ".join(map(str, ranks))
    assert (list(found.missing), list(found.extra)) == (left, extra)


@given(sequences, sequences)
def test_nothing_is_lost(items: list[str], reference: list[str]) -> None:
    found = order(items, reference)
    both = Counter(items) & Counter(reference)
    assert len(found.permutation) == both.total()
    assert Counter(found.missing) == Counter(reference) - both
    assert Counter(found.extra) == Counter(items) - both
    assert len(order(items, reference, missing="append").permutation) == len(reference)


@given(sequences)
def test_a_sequence_against_itself_is_in_order(items: list[str]) -> None:
    expected = tuple(range(len(items)))
    for policy in POLICIES:
        assert order(items, items, missing=policy) == ItemOrder(wordorder.Permutation(expected), (), ())


def test_hand_worked() -> None:
    reference = ["greet", "ask", "answer", "thank", "leave"]
    found = order(["ask", "greet", "leave", "smile", "answer"], reference)
    assert str(found.permutation) == "2 1 4 3"
    assert found.missing == ("thank",)
    assert found.extra == ("smile",)
    appended = order(["ask", "greet", "leave", "smile", "answer"], reference, missing="append")
    assert str(appended.permutation) == "2 1 5 3 4"
    assert appended.missing == ("thank",)


def test_equal_items_take_the_first_free_instance() -> None:
    assert str(order("banana", "banana").permutation) == "1 2 3 4 5 6"
    assert str(order("aab", "baa").permutation) == "2 3 1"
    found = order("aaa", "aba")
    assert str(found.permutation) == "1 2"
    assert (found.missing, found.extra) == (("b",), ("a",))


def test_empty_sequences() -> None:
    assert order([], []) == ItemOrder(wordorder.Permutation(()), (), ())
    assert order([], ["x"]).missing == ("x",)
    assert str(order([], ["x", "y"], missing="append").permutation) == "1 2"
    assert order(["x"], []).extra == ("x",)
    assert len(order(["x"], []).permutation) == 0


@pytest.mark.parametrize(
    "items",
    [
        [3, 1, 2],
        [("a", 1), ("b", 2), ("a", 2)],
        [frozenset({1}), frozenset(), None],
        [True, "1", b"1"],
        [2.5, float("inf"), -1.0],
    ],
)
def test_items_are_anything_hashable(items: list[Hashable]) -> None:
    found = order(reversed(items), iter(items))
    assert str(found.permutation) == "3 2 1"


def test_error_policy_names_what_does_not_fit_on_one_line() -> None:
    long = "a sentence\nthat " + "goes on " * 40
    with pytest.raises(InputError, match=r"same except for their order; found missing 'x', extra 7$"):
        order([7, "y"], ["x", "y"], missing="error")
    with pytest.raises(InputError, match=r"missing 0, missing 1, missing 2, missing 3, missing 4 and 5 more$"):
        order([], range(10), missing="error")
    with pytest.raises(InputError) as caught:
        order([long], [(long,)], missing="error")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_an_unknown_policy_is_told_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"unknown policy for missing items 'dropp'; did you mean 'drop'\?"):
        order([], [], missing="dropp")


def test_an_order_goes_straight_into_a_metric() -> None:
    found = wordorder.order(["mix", "sift", "bake"], ["sift", "mix", "bake"])
    assert wordorder.metric("kendall")(found.permutation) == pytest.approx(2 / 3)
