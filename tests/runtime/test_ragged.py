"""Ragged columns: offsets and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.runtime.ragged import frozen, join_offsets, offsets_from_lengths, rows_of

lengths = st.lists(st.integers(0, 5), max_size=8)


@given(lengths)
def test_offsets_and_rows(counts: list[int]) -> None:
    offsets = offsets_from_lengths(counts)
    assert offsets.dtype == np.int64
    assert offsets.tolist() == [sum(counts[:row]) for row in range(len(counts) + 1)]
    assert offsets_from_lengths(np.array(counts, dtype=np.int32)).tolist() == offsets.tolist()
    assert rows_of(offsets).tolist() == [row for row, count in enumerate(counts) for _ in range(count)]


@given(st.lists(lengths, max_size=4))
def test_joined_offsets(parts: list[list[int]]) -> None:
    joined = join_offsets([offsets_from_lengths(part) for part in parts])
    assert joined.tolist() == offsets_from_lengths([count for part in parts for count in part]).tolist()


def test_frozen_arrays_cannot_be_written() -> None:
    array = np.zeros(2)
    frozen(array)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1
