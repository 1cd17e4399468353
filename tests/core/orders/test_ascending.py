"""The longest ascending subsequence against all subsequences."""

from __future__ import annotations

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from wordorder.core.orders import Permutations
from wordorder.core.orders.ascending import longest_ascending, mark_ascending


@given(st.lists(st.integers(0, 6).flatmap(lambda size: st.permutations(range(1, size + 1))), max_size=3))
def test_a_longest_ascending_subsequence_is_marked(rows: list[list[int]]) -> None:
    orders = Permutations.of(map(tuple, rows))
    marked = mark_ascending(orders)
    lengths = longest_ascending(orders).tolist()
    for row, length, (start, stop) in zip(rows, lengths, pairwise(orders.offsets.tolist()), strict=True):
        kept = [rank for rank, keep in zip(row, marked[start:stop], strict=True) if keep]
        longest = max(
            (size for size in range(len(row) + 1) for part in combinations(row, size) if list(part) == sorted(part)),
            default=0,
        )
        assert kept == sorted(kept)
        assert len(kept) == length == longest
        runs = [part for part in combinations(row, longest) if list(part) == sorted(part)]
        assert not row or kept[-1] == min(run[-1] for run in runs)
