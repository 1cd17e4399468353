"""Ragged columns: rows of different length as one array of values and the offsets of the rows.

Row i is ``values[offsets[i]:offsets[i + 1]]``. Tokens, permutations and alignments all have this form.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray


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
    """Give the row each value belongs to.

    >>> rows_of(np.array([0, 2, 2, 5])).tolist()
    [0, 0, 2, 2, 2]
    """
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def join_offsets(parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Give the offsets of columns put one after another.

    >>> join_offsets([np.array([0, 2]), np.array([0, 1, 4])]).tolist()
    [0, 2, 3, 6]
    """
    return offsets_from_lengths(np.concatenate([np.diff(part) for part in parts] or [np.zeros(0, np.int64)]))


def frozen(array: NDArray[np.generic]) -> None:
    """Make an array read-only: columns are shared, so nobody may write into them."""
    array.flags.writeable = False
