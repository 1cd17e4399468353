"""Permutations as values and columns: the algebra by its laws, the written form, the errors."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.core.orders import Permutation, Permutations
from wordorder.core.runtime.errors import InputError, UsageError, WordorderError


def of_length(n: int) -> st.SearchStrategy[Permutation]:
    return st.permutations(range(n)).map(lambda ranks: Permutation(tuple(ranks)))


permutations = st.integers(0, 12).flatmap(of_length)
columns = st.lists(permutations, max_size=6)
pairs = st.integers(0, 12).flatmap(lambda n: st.tuples(of_length(n), of_length(n)))
triples = st.integers(0, 12).flatmap(lambda n: st.tuples(of_length(n), of_length(n), of_length(n)))


@given(permutations)
def test_the_inverse_tells_where_each_rank_stands(order: Permutation) -> None:
    inverse = order.inverse()
    assert all(order.ranks[inverse.ranks[rank]] == rank for rank in range(len(order)))
    assert inverse.inverse() == order


@given(pairs)
def test_composition_applies_the_right_one_first(pair: tuple[Permutation, Permutation]) -> None:
    outer, inner = pair
    assert outer.compose(inner).ranks == tuple(outer.ranks[inner.ranks[place]] for place in range(len(outer)))


@given(triples)
def test_permutations_form_a_group(triple: tuple[Permutation, Permutation, Permutation]) -> None:
    one, two, three = triple
    identity = Permutation.identity(len(one))
    assert one.compose(two).compose(three) == one.compose(two.compose(three))
    assert one.compose(identity) == one == identity.compose(one)
    assert one.compose(one.inverse()) == identity == one.inverse().compose(one)
    assert one.compose(two).inverse() == two.inverse().compose(one.inverse())


@given(pairs)
def test_relative_reads_the_judged_words_by_their_reference_rank(pair: tuple[Permutation, Permutation]) -> None:
    judged, reference = pair
    words = sorted(range(len(judged)), key=lambda word: judged.ranks[word])
    assert judged.relative_to(reference).ranks == tuple(reference.ranks[word] for word in words)


@given(triples)
def test_relative_forgets_how_the_source_was_numbered(triple: tuple[Permutation, Permutation, Permutation]) -> None:
    judged, reference, renumbering = triple
    relative = judged.relative_to(reference)
    assert judged.compose(renumbering).relative_to(reference.compose(renumbering)) == relative
    assert reference.relative_to(judged) == relative.inverse()
    assert judged.relative_to(judged) == Permutation.identity(len(judged))


@given(permutations)
def test_cycles_are_the_orbits(order: Permutation) -> None:
    cycles = order.cycles()
    assert sorted(member for cycle in cycles for member in cycle) == list(range(1, len(order) + 1))
    for cycle in cycles:
        assert cycle[0] == min(cycle)
        for member, following in zip(cycle, (*cycle[1:], cycle[0]), strict=True):
            assert order.ranks[member - 1] + 1 == following
    assert list(cycles) == sorted(cycles)


@given(permutations)
def test_the_written_form_reads_back(order: Permutation) -> None:
    assert Permutation.parse(str(order)) == order


@given(st.text(st.characters(codec="utf-8") | st.sampled_from("0123456789- "), max_size=12))
def test_reading_gives_a_permutation_or_a_clear_error(text: str) -> None:
    ranks: tuple[int, ...] = ()
    message = ""
    try:
        ranks = Permutation.parse(text).ranks
    except WordorderError as error:
        message = str(error)
    assert sorted(ranks) == list(range(len(ranks)))
    assert len(message.splitlines()) <= 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 2 2", "rank 2 appears twice"),
        ("0 1", "0 is not a rank in a permutation of length 2"),
        ("1 3", "3 is not a rank in a permutation of length 2"),
        ("1 two", "'1 two' is not a permutation: expected numbers like '2 4 1 3'"),
        ("1 2.0", "'1 2.0' is not a permutation: expected numbers like '2 4 1 3'"),
        ("9" * 5000, "is not a permutation"),
    ],
)
def test_what_is_no_permutation_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Permutation.parse(text)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 120


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ([2.5, 1, 3], "a rank must be a whole number, not 2.5 (float)"),
        (np.array([2.5, 1.7, 3.1]), "a rank must be a whole number, not 2.5 (float64)"),
        ([float("nan"), 1], "a rank must be a whole number, not nan (float)"),
        (np.array([np.inf, 1]), "a rank must be a whole number, not inf (float64)"),
        ([True, 2], "a rank must be a whole number, not True (bool)"),
        (["b", 1], "a rank must be a whole number, not 'b' (str)"),
        (None, "an order must be ranks such as '2 4 1 3' or [2, 4, 1, 3], not None (NoneType)"),
    ],
)
def test_ranks_are_whole_numbers(order: Any, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        Permutations.of([order])
    assert str(caught.value) == message


def test_whole_numbers_of_any_type_are_ranks() -> None:
    for order in ([2, 1], (2.0, 1.0), np.array([2, 1], np.uint8), np.array([2.0, 1.0], np.float32)):
        assert Permutation.of(order) == Permutation((1, 0))  # type: ignore[arg-type]


def test_orders_of_different_length_cannot_be_compared() -> None:
    with pytest.raises(InputError, match=r"different lengths \(3 and 2\)"):
        Permutation.parse("1 2 3").compose(Permutation.parse("1 2"))
    with pytest.raises(InputError, match="permutations of the two columns must have the same length"):
        Permutations.of(["1 2 3"]).relative_to(Permutations.of(["1 2"]))


def test_a_permutation_is_an_immutable_value() -> None:
    order = Permutation.parse("2 1")
    assert {order: "kept"}[Permutation((1, 0))] == "kept"
    with pytest.raises(dataclasses.FrozenInstanceError):
        order.ranks = (0, 1)  # type: ignore[misc]


@given(columns)
def test_a_column_gives_back_its_rows(rows: list[Permutation]) -> None:
    column = Permutations.of(rows)
    assert list(column) == rows
    assert len(column) == len(rows)
    assert column.lengths.tolist() == [len(row) for row in rows]
    assert column.ranks.dtype == np.int32
    assert column.offsets.dtype == np.int64
    assert [column[-row - 1] for row in range(len(rows))] == rows[::-1]
    assert list(Permutations.concatenate([column, column])) == rows + rows


@given(columns, st.integers(-7, 7), st.integers(-7, 7))
def test_a_column_is_sliced_like_a_list(rows: list[Permutation], start: int, stop: int) -> None:
    assert list(Permutations.of(rows)[start:stop]) == rows[start:stop]


@given(st.lists(pairs, max_size=5))
def test_a_column_computes_what_its_rows_do(rows: list[tuple[Permutation, Permutation]]) -> None:
    judged = Permutations.of([one for one, _ in rows])
    reference = Permutations.of([two for _, two in rows])
    assert list(judged.inverse()) == [one.inverse() for one, _ in rows]
    assert list(judged.relative_to(reference)) == [one.relative_to(two) for one, two in rows]


def test_a_column_takes_every_way_to_write_an_order() -> None:
    column = Permutations.of(["2 1", (1, 2, 3), [1], Permutation((1, 0)), ""])
    assert [str(row) for row in column] == ["2 1", "1 2 3", "1", "2 1", ""]
    assert [str(row) for row in Permutations.concatenate([])] == []


def test_a_column_is_shared_and_so_cannot_be_written() -> None:
    column = Permutations.of(["2 1"])
    for array in (column.ranks, column.offsets, column[:1].ranks, column.inverse().ranks):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(ValueError, match=r"in steps of 1$"):
        column[::-1]
    with pytest.raises(IndexError):
        column[1]
