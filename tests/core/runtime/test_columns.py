"""Columns of rows of different length: offsets and back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from wordorder.core.runtime.columns import Ragged, join_offsets, offsets_from_lengths, rows_of


@dataclass(frozen=True, eq=False)
class Words(Ragged):
    values: NDArray[np.float64]
    offsets: NDArray[np.int64]
    name: str


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


def test_the_arrays_of_a_column_cannot_be_written() -> None:
    column = Words(np.zeros(3), np.array([0, 2, 3]), "name")
    assert (len(column), column.lengths.tolist()) == (2, [2, 1])
    for array in (column.values, column.offsets):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
