"""Columns of data: rows of varying length in flat NumPy arrays, and strings in Arrow arrays.

This module builds Arrow arrays without ``pa.array``, ``pa.scalar`` and ``to_numpy``, because these functions import
pandas if it is installed.

Columns of trees have a shared vocabulary: words, tags and labels are indices into one array of strings.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Generic, Self, TypeAlias, TypeVar, cast, overload

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.libraries import pa, pc

Ints = NDArray[np.int32]
Offsets = NDArray[np.int64]
Int64s = NDArray[np.int64]
Float32s = NDArray[np.float32]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
Strings: TypeAlias = Any
"""An Arrow array of strings (``pyarrow.LargeStringArray``), typed as Any to avoid importing pyarrow here."""

Value = TypeVar("Value", covariant=True)


class Ragged:
    """A column of rows of varying length; row i occupies ``offsets[i]:offsets[i + 1]`` in one or more arrays.

    Columns are shared between callers, so their arrays are made read-only.
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


class Joinable(Ragged):
    """A ragged column that can be concatenated from parts."""

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Return one column with the rows of all parts in order; at least one part is required.

        What is not an array, such as a vocabulary, must be the same in all parts. A single part is returned itself.
        """
        if len(parts) == 1:
            return parts[0]
        names = [name for name, value in vars(parts[0]).items() if isinstance(value, np.ndarray) and name != "offsets"]
        joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
        return cast(Self, replace(cast(Any, parts[0]), **joined, offsets=join_offsets([p.offsets for p in parts])))


class ValueColumn(Joinable, Generic[Value]):
    """A ragged column in which each row represents one value; subclasses are frozen dataclasses with ``offsets``.

    ``of_values`` names the fields with one entry per item, and ``of_rows`` those with one entry per row.
    ``column[i]`` is the value of row i, as built by ``_value``; ``column[i:j]`` is a column with only these rows.
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
            raise ValueError("a column can only be sliced in steps of 1")
        offsets = self.offsets[start : max(start, stop) + 1]
        return self._at(slice(offsets[0], offsets[-1]), slice(start, max(start, stop)), offsets - offsets[0])

    def __iter__(self) -> Iterator[Value]:
        return (self[row] for row in range(len(self)))

    def take(self, rows: NDArray[np.integer]) -> Self:
        """Return a column of the given rows, in the given order; a row may be taken several times."""
        lengths = self.lengths[rows]
        offsets = offsets_from_lengths(lengths)
        places = np.repeat(self.offsets[rows] - offsets[:-1], lengths) + np.arange(offsets[-1])
        return self._at(places, rows, offsets)

    def _value(self, row: int) -> Value:
        raise NotImplementedError

    def _at(self, values: Any, rows: Any, offsets: NDArray[np.int64]) -> Self:
        """Return a column of the selected items and rows, given as slices, masks or index arrays.

        ``offsets`` are those of the new column. Fields that are None stay None.
        """
        wanted = {**dict.fromkeys(self.of_values, values), **dict.fromkeys(self.of_rows, rows)}
        kept = {name: getattr(self, name)[index] for name, index in wanted.items() if getattr(self, name) is not None}
        return cast(Self, replace(cast(Any, self), **kept, offsets=offsets))


def offsets_from_lengths(lengths: Iterable[int] | NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the offsets of rows with the given lengths.

    >>> offsets_from_lengths([2, 0, 3]).tolist()
    [0, 2, 2, 5]
    """
    counts = np.asarray(lengths if isinstance(lengths, np.ndarray) else list(lengths), dtype=np.int64)
    offsets = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def rows_of(offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the row number of each item.

    >>> rows_of(np.array([0, 2, 2, 5])).tolist()
    [0, 0, 2, 2, 2]
    """
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def sum_rows(values: NDArray[np.generic], offsets: Offsets) -> Offsets:
    """Return the sum of each row of integers or booleans; True counts as 1.

    >>> sum_rows(np.array([True, True, False, True]), np.array([0, 2, 2, 4])).tolist()
    [2, 0, 1]
    """
    return np.diff(np.append(0, np.cumsum(values, dtype=np.int64))[offsets])


def positions(offsets: Offsets) -> Ints:
    """Return the position of each item within its row, counting from 0.

    >>> positions(np.array([0, 2, 2, 5])).tolist()
    [0, 1, 0, 1, 2]
    """
    return np.arange(offsets[-1], dtype=np.int32) - np.repeat(offsets[:-1].astype(np.int32), np.diff(offsets))


def join_offsets(parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the offsets of the concatenation of several columns, given the offsets of each.

    >>> join_offsets([np.array([0, 2]), np.array([0, 1, 4])]).tolist()
    [0, 2, 3, 6]
    """
    return offsets_from_lengths(np.concatenate([np.diff(part) for part in parts] or [np.zeros(0, np.int64)]))


def strings(texts: Iterable[str]) -> Strings:
    """Return the texts as an Arrow array of strings.

    >>> strings(["one", "zwölf"]).to_pylist()
    ['one', 'zwölf']
    """
    encoded = [str.encode(text) for text in texts]
    offsets = offsets_from_lengths(map(len, encoded))
    return pa.LargeStringArray.from_buffers(len(encoded), pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded)))


def bytes_of(column: Strings) -> tuple[NDArray[np.uint8], Offsets]:
    """Return the UTF-8 bytes of an Arrow array of strings and the offset of each string in these bytes.

    The bytes are not copied.

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


def to_column(values: NDArray[Any]) -> Any:
    """Return numbers or booleans as an Arrow array, with null for NaN.

    >>> to_column(np.array([0.5, np.nan])).to_pylist(), to_column(np.array([True, False])).to_pylist()
    ([0.5, None], [True, False])
    """
    undefined = np.isnan(values)
    known = pa.py_buffer(np.packbits(~undefined, bitorder="little")) if undefined.any() else None
    bits = np.packbits(values, bitorder="little") if values.dtype == np.bool_ else np.ascontiguousarray(values)
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [known, pa.py_buffer(bits)])


def from_column(truths: Any) -> Bools:
    """Return an Arrow array of booleans as a numpy array; Arrow's own conversion would import pandas.

    >>> from_column(to_column(np.array([True, False]))).tolist()
    [True, False]
    """
    return cast(Bools, np.from_dlpack(truths.cast("uint8")).view(np.bool_))


def encode_strings(column: Strings) -> tuple[NDArray[np.int32], Strings]:
    """Number distinct strings in order of first appearance; return each string's number and the distinct strings.

    >>> numbers, distinct = encode_strings(strings(["b", "a", "b"]))
    >>> numbers.tolist(), distinct.to_pylist()
    ([0, 1, 0], ['b', 'a'])
    """
    encoded = column.dictionary_encode()
    return cast(NDArray[np.int32], np.from_dlpack(encoded.indices)), encoded.dictionary


def places_in(column: Strings, values: Strings) -> NDArray[np.int32]:
    """Return the position of each of ``values`` among the distinct strings in ``column``, or −1 if it is absent.

    >>> places_in(strings(["a", "b"]), strings(["b", "c"])).tolist()
    [1, -1]
    """
    missing = to_column(np.array([-1], dtype=np.int32))[0]
    return cast(NDArray[np.int32], np.from_dlpack(pc.index_in(values, value_set=column).fill_null(missing)))


def number_strings(*columns: Sequence[str] | Any) -> tuple[Strings, tuple[Ints, ...]]:
    """Return one vocabulary for several columns, in order of first appearance, and each column as indices into it.

    >>> strings, (words, tags) = number_strings(["the", "cat"], ["DT", "the"])
    >>> strings.to_pylist(), words.tolist(), tags.tolist()
    (['the', 'cat', 'DT'], [0, 1], [2, 0])
    """
    parts = [one.cast(pa.large_string()) if isinstance(one, pa.Array) else strings(one) for one in columns]
    numbers, distinct = encode_strings(pa.chunked_array(parts, type=pa.large_string()).combine_chunks())
    cuts = np.cumsum([len(part) for part in parts])[:-1]
    return distinct, tuple(np.split(numbers.copy(), cuts))


def renumber(numbers: Ints, mapping: Ints) -> Ints:
    """Replace every number with ``mapping[number]``; the mapping may be empty if there are no numbers."""
    return mapping[numbers] if len(numbers) else numbers
