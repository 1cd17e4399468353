"""Rows that take little memory hold the very same numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.core.runtime.errors import UsageError
from wordorder.core.statistics.resampling import bootstrap_sums, randomisation_sums
from wordorder.core.statistics.rows import CompactRows, RowsBuilder

NUMBERS = st.one_of(
    st.integers(0, 70_000).map(float),
    st.sampled_from([0.0, 1.0, 255.0, 256.0, 65_535.0, 65_536.0, 0.5, 0.1, 1e300, -1.0, 16_777_217.0]),
    st.floats(-1e300, 1e300),
)


@st.composite
def tables(draw: st.DrawFn) -> Any:
    width = draw(st.integers(1, 4))
    rows = draw(st.lists(st.lists(NUMBERS, min_size=width, max_size=width), min_size=1, max_size=6))
    table = np.array(rows)
    return table[:, draw(st.lists(st.integers(0, width - 1), min_size=1, max_size=6))]  # some columns are equal


@given(table=tables(), cut=st.integers(1, 5), first=st.integers(0, 5), size=st.integers(1, 6))
def test_what_comes_out_is_what_went_in(table: Any, cut: int, first: int, size: int) -> None:
    builder = RowsBuilder()
    for block in (table[:cut], table[cut:]):
        if len(block):
            builder.add(block)
    rows = builder.finish()
    assert rows.shape == table.shape
    assert np.array_equal(np.asarray(rows), table)
    assert np.array_equal(rows[cut:], table[cut:])
    assert np.array_equal(rows[np.array([0, 0])], table[[0, 0]])
    first = min(first, table.shape[1] - 1)
    assert np.array_equal(rows.between(first, first + size)[:], table[:, first : first + size])
    backwards = np.arange(table.shape[1])[::-1]
    assert np.array_equal(rows.take(backwards)[:], table[:, backwards])
    assert np.array_equal(rows.sum(), table.sum(axis=0)) or table.shape[1] == 1  # NumPy sums one column in pairs
    assert np.array_equal(rows.distinct(slice(0, len(table)), step=8)[rows.places, : len(table)].T, table)


@given(table=tables())
def test_equal_columns_are_stored_once_and_small_numbers_in_few_bytes(table: Any) -> None:
    table = np.abs(table)  # no −0.0, which equals 0.0 in other bytes
    rows = CompactRows.of(table)
    columns = [tuple(column) for column in table.T]
    assert [columns.index(column) for column in columns] == [rows.places.tolist().index(p) for p in rows.places]
    assert len(rows.columns) == len(set(columns))
    for column in rows.columns:
        values = column.astype(np.float64)
        if (values == np.floor(values)).all() and values.max() < 65_536:
            assert column.dtype == (np.uint8 if values.max() < 256 else np.uint16)


@given(table=tables(), cut=st.integers(1, 5))
def test_rows_side_by_side_are_stacked_arrays_and_share_equal_columns(table: Any, cut: int) -> None:
    whole = CompactRows.of(table)
    parts = [whole.between(0, cut), table[:, ::-1], whole]
    joined = CompactRows.beside(parts)
    assert np.array_equal(joined[:], np.hstack([table[:, :cut], table[:, ::-1], table]))
    assert len(joined.columns) == len(whole.columns)


def test_columns_that_differ_in_one_block_alone_stay_apart() -> None:
    builder = RowsBuilder()
    builder.add(np.array([[1.0, 1.0, 1.0]]))
    builder.add(np.array([[2.0, 3.0, 2.0]]))
    rows = builder.finish()
    assert rows.places.tolist() == [0, 1, 0]
    assert rows[:].tolist() == [[1, 1, 1], [2, 3, 2]]


@pytest.mark.parametrize("size", [3, 5000])
def test_samples_of_small_rows_are_those_of_the_rows(size: int) -> None:
    generator = np.random.default_rng(3)
    table = np.column_stack([generator.integers(0, 9, size), generator.random(size), np.ones(size), np.ones(size)])
    expected = bootstrap_sums(table, samples=7)
    assert (bootstrap_sums(CompactRows.of(table), samples=7) == expected).all()
    groups = np.arange(size) // 2
    assert (
        bootstrap_sums(CompactRows.of(table), samples=7, groups=groups)
        == bootstrap_sums(table, samples=7, groups=groups)
    ).all()
    other: Any = generator.integers(0, 9, table.shape).astype(np.float64)
    compact = CompactRows.of(table), CompactRows.of(other)
    for one, two in zip(
        randomisation_sums(table, other, trials=7), randomisation_sums(*compact, trials=7), strict=True
    ):
        assert (one == two).all()
    table[1, 1] = np.inf
    with pytest.raises(UsageError, match="rows must be finite"):
        bootstrap_sums(CompactRows.of(table), samples=2)
