"""Compact storage for rows of statistics: each distinct column is stored once, in the smallest exact type.

Most segment statistics are small counts, and many metrics share them. No number is rounded: reading returns exactly
the numbers that were stored.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.errors import refuse
from wordorder.core.runtime.threads import spans

Array = NDArray[np.float64]

_AT_A_TIME = 1 << 14
_WHOLE = (np.uint8, np.uint16)


@dataclass(frozen=True, eq=False)
class CompactRows:
    """Rows of numbers, ``[rows, K]``; column k is stored as ``columns[places[k]]``.

    NumPy functions accept them as an array of floats.

    >>> rows = CompactRows.of(np.array([[1.0, 0.1, 1.0], [300.0, 0.2, 300.0]]))
    >>> [column.dtype.name for column in rows.columns], rows.places.tolist(), rows[1:].tolist()
    (['uint16', 'float64'], [0, 1, 0], [[300.0, 0.2, 300.0]])
    """

    columns: tuple[NDArray[Any], ...]
    places: NDArray[np.int64]

    @classmethod
    def of(cls, rows: "Array | CompactRows") -> "CompactRows":
        """Build compact rows from an array; compact rows stay as they are."""
        if isinstance(rows, CompactRows):
            return rows
        rows = np.asarray(rows, dtype=np.float64)
        refuse(rows.ndim != 2, f"rows must have two dimensions (segments, statistics), not {rows.ndim}")
        builder = RowsBuilder()
        for start, stop in spans(len(rows), _AT_A_TIME) or [(0, 0)]:
            builder.add(rows[start:stop])
        return builder.finish()

    @classmethod
    def beside(cls, parts: "Iterable[Array | CompactRows]") -> "CompactRows":
        """Join rows side by side, as ``np.hstack`` does; only one part at a time need exist as an array.

        >>> joined = CompactRows.beside([np.array([[1.0, 0.1]]), np.array([[2.0, 1.0]])])
        >>> joined[:].tolist(), joined.places.tolist()
        ([[1.0, 0.1, 2.0, 1.0]], [0, 1, 2, 0])
        """
        columns: dict[tuple[str, bytes], NDArray[Any]] = {}
        wanted: list[tuple[str, bytes]] = []
        for part in map(cls.of, parts):
            keys = [(column.dtype.str, blake2b(column.data).digest()) for column in part.columns]
            columns |= zip(keys, part.columns, strict=True)
            wanted += [keys[place] for place in part.places]
        places = {key: place for place, key in enumerate(columns)}
        return cls(tuple(columns.values()), np.array([places[key] for key in wanted], np.int64))

    def __len__(self) -> int:
        return len(self.columns[0])

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return len(self), len(self.places)

    def __getitem__(self, rows: Any) -> Array:
        """Return the given rows as an array of floats."""
        chosen = [column[rows] for column in self.columns]
        result = np.empty((*chosen[0].shape, len(self.places)))
        for k, place in enumerate(self.places):
            result[..., k] = chosen[place]
        return result

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        whole = self[:]
        return whole if dtype is None else whole.astype(dtype)

    def distinct(self, rows: slice, *, step: int = 1) -> Array:
        """Return the given rows of every stored column, ``[columns, rows]``.

        Rows of zeros are appended until the number of rows is a multiple of ``step``.
        """
        size = rows.stop - rows.start
        result = np.zeros((len(self.columns), -(-size // step) * step))
        for k, column in enumerate(self.columns):
            result[k, :size] = column[rows]
        return result

    def between(self, first: int, last: int) -> "CompactRows":
        """Return compact rows with only the columns ``first`` to ``last - 1``, without copying these."""
        return self.take(slice(first, last))

    def take(self, chosen: slice | NDArray[np.integer]) -> "CompactRows":
        """Return compact rows with the chosen columns, without copying these."""
        used, places = np.unique(self.places[chosen], return_inverse=True)
        return CompactRows(tuple(self.columns[column] for column in used), places.astype(np.int64))

    def sum(self) -> Array:
        """Return the sum of each column, computed block by block but identical to NumPy's sum of the whole array."""
        total: Array = self[:1].sum(axis=0)
        for start, stop in spans(len(self) - 1, _AT_A_TIME):
            total = np.vstack([total, self[start + 1 : stop + 1]]).sum(axis=0)
        return total


@dataclass
class RowsBuilder:
    """A builder of compact rows, which compacts each block as soon as it is added."""

    _blocks: list[list[NDArray[Any]]] = field(default_factory=list)
    _first: list[list[int]] = field(default_factory=list)

    def add(self, rows: Array) -> None:
        """Add a block of rows."""
        known: dict[bytes, int] = {}
        first: list[int] = []
        stored: list[NDArray[Any]] = []
        for k in range(rows.shape[1]):
            column = np.ascontiguousarray(rows[:, k])
            first.append(known.setdefault(column.tobytes(), k))
            stored.append(_shrink(column) if first[k] == k else stored[first[k]])
        self._blocks.append(stored)
        self._first.append(first)

    def finish(self) -> CompactRows:
        """Return all rows that were added; columns that are equal in every block are stored only once."""
        known: dict[tuple[int, ...], int] = {}
        places = np.array([known.setdefault(key, len(known)) for key in zip(*self._first, strict=True)], np.int64)
        originals = [int(np.argmax(places == place)) for place in range(len(known))]
        columns = tuple(np.concatenate([block[k] for block in self._blocks]) for k in originals)
        self._blocks.clear()
        return CompactRows(columns, places)


def _shrink(column: Array) -> NDArray[Any]:
    """Return a column of numbers in the smallest type that represents all of them exactly."""
    if len(column) and column.min() >= 0:
        for kind in _WHOLE:
            if column.max() <= np.iinfo(kind).max:
                small: NDArray[Any] = column.astype(kind)
                if (small == column).all():
                    return small
                break
    with np.errstate(over="ignore"):
        single = column.astype(np.float32)
    return single if (single == column).all() else column
