"""The Fenwick tree and the hash table that kernels share, against lists and dicts."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from inner_kernels import from_python
from wordorder.core.runtime import kernels

count_below, enter = from_python(kernels.count_below), from_python(kernels.enter)
find_slot, hash_table = from_python(kernels.find_slot), from_python(kernels.hash_table)


@given(st.integers(1, 20).flatmap(lambda size: st.tuples(st.just(size), st.lists(st.integers(0, size - 1)))))
def test_a_fenwick_tree_counts_what_was_entered(case: tuple[int, list[int]]) -> None:
    size, places = case
    tree = np.zeros(size + 1, np.int32)
    for place in places:
        enter(tree, place, size)
    assert [count_below(tree, place) for place in range(size + 1)] == [
        sum(other < place for other in places) for place in range(size + 1)
    ]


KEYS = st.lists(st.one_of(st.integers(0, 5), st.integers(-(2**63), 2**63 - 1)), max_size=20)


@given(st.lists(KEYS, max_size=3))
def test_a_hash_table_numbers_keys_and_forgets_them_when_told_to(rounds: list[list[int]]) -> None:
    keys, values = hash_table(20)
    least = 0
    for drawn in rounds:
        expected: dict[int, int] = {}
        for key in drawn:
            slot = find_slot(keys, values, least, key)
            if values[slot] < least:
                assert key not in expected
                keys[slot], values[slot] = key, least + len(expected)
            assert values[slot] == expected.setdefault(key, least + len(expected))
        least += len(expected)
