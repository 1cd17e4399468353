"""Orders on the words that two systems share: worked by hand, and a slow twin."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wordorder.core.orders.common import MatchedWords, common_orders
from wordorder.core.runtime.columns import offsets_from_lengths


def column(*rows: list[int]) -> MatchedWords:
    flat = np.array([word for row in rows for word in row], dtype=np.uint16)
    return MatchedWords(flat, offsets_from_lengths([len(row) for row in rows]))


def slow_orders(one: list[int], two: list[int]) -> tuple[list[int], list[int]]:
    """Follow the definition."""
    shared = sorted(set(one) & set(two))
    if len(shared) < 2:
        return [], []
    return [shared.index(word) for word in one if word in shared], [
        shared.index(word) for word in two if word in shared
    ]


matched = st.lists(st.sampled_from([0, 1, 2, 3, 4, 5, 9, 254, 255, 256, 65535]), unique=True)


@given(st.lists(st.tuples(matched, matched), min_size=1, max_size=6))
def test_orders_are_those_of_the_words_that_both_matched(rows: list[tuple[list[int], list[int]]]) -> None:
    one, two = common_orders(column(*(a for a, _ in rows)), column(*(b for _, b in rows)))
    assert [(list(a.ranks), list(b.ranks)) for a, b in zip(one, two, strict=True)] == [
        slow_orders(*row) for row in rows
    ]


def test_one_common_word_has_no_order() -> None:
    one, two = common_orders(column([4, 2], [1, 0], [], [7, 3, 5]), column([2, 9], [0, 1], [0, 1], [5, 3]))
    assert [str(order) for order in one] == ["", "2 1", "", "1 2"]
    assert [str(order) for order in two] == ["", "1 2", "", "2 1"]


@given(st.lists(matched, min_size=1, max_size=5), st.data())
def test_rows_can_be_taken(rows: list[list[int]], data: st.DataObject) -> None:
    taken = data.draw(st.lists(st.integers(0, len(rows) - 1)))
    assert list(column(*rows).take(np.array(taken, dtype=np.int64))) == [rows[row] for row in taken]
    assert list(MatchedWords.concatenate([column(*rows), column([3, 1])])) == [*rows, [3, 1]]
