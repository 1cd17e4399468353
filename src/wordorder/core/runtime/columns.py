"""Columns: rows of different length in one array, and strings in Arrow.

Arrow's columns are made here without ``pa.array``, ``pa.scalar`` and ``to_numpy``, which import pandas wherever it is
installed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar, cast, overload

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa

Ints = NDArray[np.int32]
Offsets = NDArray[np.int64]
Int64s = NDArray[np.int64]
Float32s = NDArray[np.float32]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Value = TypeVar("Value", covariant=True)


class Ragged:
    """A column of rows of different length: row i is at ``offsets[i]:offsets[i + 1]`` of one or more arrays.

    Columns are shared, so nobody may write into their arrays.
    """

    offsets: NDArray[np.int64]

    def __post_init__(self) -> None:
        for array in vars(self).values():
            if isinstance(array, np.ndarray):
                array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The length of each row."""
        return np.diff(self.offsets)


class ValueColumn(Ragged, Generic[Value]):
    """What ragged columns share; a column is a frozen dataclass that has ``offsets``.

    ``of_values`` names the fields with an entry per value, ``of_rows`` those with an entry per row. ``column[i]`` is
    the value of row i, which a column says itself (``_value``), ``column[i:j]`` the column of these rows.
    """

    of_values: ClassVar[tuple[str, ...]]
    of_rows: ClassVar[tuple[str, ...]] = ()

    @overload
    def __getitem__(self, row: int) -> Value: ...
    @overload
    def __getitem__(self, row: slice) -> Self: ...
    def __getitem__(self, row: int | slice) -> Value | Self:
        if not isinstance(row, slice):
            return self._value(range(len(self))[row])
        start, stop, step = row.indices(len(self))
        if step != 1:
            raise ValueError("a column is sliced in steps of one")
        return self._rows(start, max(start, stop))

    def __iter__(self) -> Iterator[Value]:
        return (self[row] for row in range(len(self)))

    def _value(self, row: int) -> Value:
        raise NotImplementedError

    def _rows(self, start: int, stop: int) -> Self:
        offsets = self.offsets[start : stop + 1]
        return self._at(slice(offsets[0], offsets[-1]), slice(start, stop), offsets - offsets[0])

    def _at(self, values: Any, rows: Any, offsets: NDArray[np.int64]) -> Self:
        """Return the column of some values and rows, however they are picked; a field may be None."""
        picked = {name: getattr(self, name) for name in (*self.of_values, *self.of_rows)}
        kept = {
            name: field[rows if name in self.of_rows else values]
            for name, field in picked.items()
            if field is not None
        }
        return cast(Self, replace(cast(Any, self), **kept, offsets=offsets))


def offsets_from_lengths(lengths: Iterable[int] | NDArray[np.integer]) -> NDArray[np.int64]:
    """Turn the lengths of rows into offsets.

    >>> offsets_from_lengths([2, 0, 3]).tolist()
    [0, 2, 2, 5]
    """
    counts = np.asarray(lengths if isinstance(lengths, np.ndarray) else list(lengths), dtype=np.int64)
    offsets = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def rows_of(offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the row each value belongs to.

    >>> rows_of(np.array([0, 2, 2, 5])).tolist()
    [0, 0, 2, 2, 2]
    """
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def sum_rows(values: NDArray[np.generic], offsets: Offsets) -> Offsets:
    """Sum the whole numbers (or count the true values) of each row.

    >>> sum_rows(np.array([True, True, False, True]), np.array([0, 2, 2, 4])).tolist()
    [2, 0, 1]
    """
    return np.diff(np.append(0, np.cumsum(values, dtype=np.int64))[offsets])


def positions(offsets: Offsets) -> Ints:
    """Return the position of each value within its row.

    >>> positions(np.array([0, 2, 2, 5])).tolist()
    [0, 1, 0, 1, 2]
    """
    return np.arange(offsets[-1], dtype=np.int32) - np.repeat(offsets[:-1].astype(np.int32), np.diff(offsets))


def join_offsets(parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the offsets of columns put one after another.

    >>> join_offsets([np.array([0, 2]), np.array([0, 1, 4])]).tolist()
    [0, 2, 3, 6]
    """
    return offsets_from_lengths(np.concatenate([np.diff(part) for part in parts] or [np.zeros(0, np.int64)]))


def strings(texts: Iterable[str]) -> pa.LargeStringArray:
    """Return a column of strings.

    >>> strings(["one", "zwölf"]).to_pylist()
    ['one', 'zwölf']
    """
    import pyarrow as pa

    encoded = [str.encode(text) for text in texts]
    offsets = offsets_from_lengths(map(len, encoded))
    return pa.LargeStringArray.from_buffers(len(encoded), pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded)))


def bytes_of(column: pa.LargeStringArray) -> tuple[NDArray[np.uint8], Offsets]:
    """Return the bytes behind a column of strings, without copying, and where in them each string begins and ends.

    >>> data, offsets = bytes_of(strings(["one", "zwölf"])[1:])
    >>> data[offsets[0] : offsets[1]].tobytes().decode()
    'zwölf'
    """
    _, ends, text = column.buffers()
    data = np.frombuffer(text or b"", np.uint8)
    offsets = np.frombuffer(ends, np.int64)[column.offset : column.offset + len(column) + 1]
    for array in (data, offsets):
        array.setflags(write=False)
    return data, offsets


def numbers(values: NDArray[np.float64] | NDArray[np.int64]) -> pa.Array:
    """Return numbers as a column; NaN is null.

    >>> numbers(np.array([0.5, np.nan])).to_pylist(), numbers(np.array([1, 2])).to_pylist()
    ([0.5, None], [1, 2])
    """
    import pyarrow as pa

    known = None
    if np.isnan(values).any():
        known = pa.py_buffer(np.packbits(~np.isnan(values), bitorder="little"))
    kind = pa.float64() if values.dtype == np.float64 else pa.int64()
    return pa.Array.from_buffers(kind, len(values), [known, pa.py_buffer(np.ascontiguousarray(values))])


def marks(values: Bools) -> pa.BooleanArray:
    """Return truth values as a column.

    >>> marks(np.array([True, False])).to_pylist()
    [True, False]
    """
    import pyarrow as pa

    packed = pa.py_buffer(np.packbits(values, bitorder="little"))
    return pa.BooleanArray.from_buffers(pa.bool_(), len(values), [None, packed])


def encode_strings(column: pa.LargeStringArray) -> tuple[NDArray[np.int32], pa.LargeStringArray]:
    """Number the strings of a column: return the number of each, and the distinct strings as they first appear.

    >>> numbers, distinct = encode_strings(strings(["b", "a", "b"]))
    >>> numbers.tolist(), distinct.to_pylist()
    ([0, 1, 0], ['b', 'a'])
    """
    encoded = column.dictionary_encode()
    return cast(NDArray[np.int32], np.from_dlpack(encoded.indices)), encoded.dictionary


def places_in(column: pa.LargeStringArray, values: pa.LargeStringArray) -> NDArray[np.int32]:
    """Return the place of each value in a column of distinct strings, −1 where it is not there.

    >>> places_in(strings(["a", "b"]), strings(["b", "c"])).tolist()
    [1, -1]
    """
    import pyarrow.compute as pc

    missing = to_column(np.array([-1], dtype=np.int32))[0]
    return cast(NDArray[np.int32], np.from_dlpack(pc.index_in(values, value_set=column).fill_null(missing)))


def to_column(numbers: NDArray[np.integer]) -> pa.Int32Array:
    """Return an array of numbers as a column.

    >>> to_column(np.array([3, 1])).to_pylist()
    [3, 1]
    """
    import pyarrow as pa

    buffer = pa.py_buffer(np.ascontiguousarray(numbers, dtype=np.int32))
    return pa.Int32Array.from_buffers(pa.int32(), len(numbers), [None, buffer])
