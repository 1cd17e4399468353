"""Lists of parses: flattened probabilities, conversion, joining."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.core.trees import ConstituencyTrees, ParseLists, best_trees, lower_words, to_dependency_lists


def lists_of(rows: list[list[float]]) -> ParseLists[ConstituencyTrees]:
    scores = [score for row in rows for score in row]
    trees = ConstituencyTrees.of([f"(NP (NN w{i}))" for i in range(len(scores))])
    offsets = np.cumsum([0, *map(len, rows)])
    return ParseLists(trees, np.array(scores, dtype=float), offsets, tuple(str(i) for i in range(len(rows))))


scores = st.lists(st.lists(st.floats(-900, 0), max_size=5), max_size=4)


@given(scores, st.floats(0, 3), st.integers(1, 6))
def test_weights_follow_the_formula(rows: list[list[float]], gamma: float, n: int) -> None:
    found = lists_of(rows).weights(gamma=gamma, n=n)
    expected: list[float] = []
    for row in rows:
        kept = sorted(range(len(row)), key=lambda i: -row[i])[:n]
        total = math.fsum(math.exp(gamma * (row[i] - row[kept[0]])) for i in kept)
        expected += [math.exp(gamma * (row[i] - row[kept[0]])) / total if i in kept else 0.0 for i in range(len(row))]
    assert found == pytest.approx(expected)


def test_gamma_zero_is_uniform_and_a_large_one_the_best() -> None:
    lists = lists_of([[-1.0, -2.0, -3.0], [-5.0], []])
    assert lists.weights(gamma=0).tolist() == pytest.approx([1 / 3] * 3 + [1])
    assert lists.weights(gamma=1e6).tolist() == [1, 0, 0, 1]
    assert lists.weights(gamma=0, n=2).tolist() == [0.5, 0.5, 0, 1]


def test_a_parse_without_probability_gets_none() -> None:
    assert lists_of([[-1.0, -math.inf]]).weights(gamma=0.25).tolist() == [1, 0]


@pytest.mark.parametrize("gamma", [-1, math.nan, math.inf])
def test_gamma_must_make_sense(gamma: float) -> None:
    with pytest.raises(UsageError, match="gamma"):
        lists_of([[-1.0]]).weights(gamma=gamma)


def test_lists_are_joined_and_converted() -> None:
    one, two = lists_of([[-1.0, -2.0]]), lists_of([[], [-3.0]])
    joined = ParseLists.concatenate([one, two])
    assert joined.offsets.tolist() == [0, 2, 2, 3]
    assert joined.names == ("0", "0", "1")
    converted = to_dependency_lists(joined)
    assert [tree.labels for tree in converted.trees] == [("ROOT/NP",)] * 3
    assert converted.log_probabilities.tolist() == [-1, -2, -3]


def test_counts_must_agree() -> None:
    trees = ConstituencyTrees.of(["(A a)"])
    with pytest.raises(InputError, match="expected one probability per parse, found 2"):
        ParseLists(trees, np.zeros(2), np.array([0, 1]), ("x",))
    with pytest.raises(InputError, match="expected one name per list of parses, found 2 for 1"):
        ParseLists(trees, np.zeros(1), np.array([0, 1]), ("x", "y"))


@given(st.lists(st.lists(st.sampled_from([-math.inf, -2.0, -1.0, 0.0]), max_size=4), max_size=5))
def test_the_likeliest_of_each_list_is_taken(rows: list[list[float]]) -> None:
    lists = to_dependency_lists(lists_of(rows))
    found = best_trees(lists)
    expected: list[tuple[str, ...]] = []
    start = 0
    for row in rows:
        expected.append((f"w{start + row.index(max(row))}",) if row else ())  # of equals the first
        start += len(row)
    assert [tree.words for tree in found] == expected


def test_lists_are_sliced() -> None:
    lists = lists_of([[-1.0, -2.0], [], [-3.0], [-4.0]])
    part = lists[1:3]
    assert part.names == ("1", "2")
    assert part.offsets.tolist() == [0, 0, 1]
    assert part.log_probabilities.tolist() == [-3.0]
    assert [tree.words for tree in part.trees] == [("w2",)]
    assert len(lists[2:1]) == 0
    assert len(lists[4:]) == 0
    with pytest.raises(ValueError, match=r"in steps of 1$"):
        lists[::2]


def test_lower_case_keeps_labels() -> None:
    trees = ConstituencyTrees.of(["(ROOT (NP (NNP DT) (NN Dt)))"])
    lists = to_dependency_lists(ParseLists(trees, np.zeros(1), np.array([0, 1]), ("1",)))
    low = lower_words(lists).trees[0]
    assert low.words == ("dt", "dt")
    assert (low.labels, low.fine_tags) == (lists.trees[0].labels, ("NNP", "NN"))
