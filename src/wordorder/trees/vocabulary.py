"""Strings as numbers: words, tags and labels of a column of trees share one Arrow array of distinct strings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa


def number_strings(*columns: Sequence[str] | Any) -> tuple[pa.LargeStringArray, tuple[NDArray[np.int32], ...]]:
    """Number the strings of some columns over one vocabulary, in order of first appearance.

    >>> strings, (words, tags) = number_strings(["the", "cat"], ["DT", "the"])
    >>> strings.to_pylist(), words.tolist(), tags.tolist()
    (['the', 'cat', 'DT'], [0, 1], [2, 0])
    """
    import pyarrow as pa

    parts = [
        column.cast(pa.large_string()) if isinstance(column, pa.Array) else pa.array(column, type=pa.large_string())
        for column in columns
    ]
    encoded = pa.chunked_array(parts, type=pa.large_string()).combine_chunks().dictionary_encode()
    numbers = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int32)
    cuts = np.cumsum([len(part) for part in parts])[:-1]
    return encoded.dictionary, tuple(np.ascontiguousarray(part) for part in np.split(numbers, cuts))


def merge_vocabularies(
    *vocabularies: pa.LargeStringArray,
) -> tuple[pa.LargeStringArray, tuple[NDArray[np.int32], ...]]:
    """Give one vocabulary that holds all strings, and for each old vocabulary the new number of each string.

    >>> import pyarrow as pa
    >>> strings, maps = merge_vocabularies(pa.array(["a", "b"]), pa.array(["b", "c"]))
    >>> strings.to_pylist(), [numbers.tolist() for numbers in maps]
    (['a', 'b', 'c'], [[0, 1], [1, 2]])
    """
    return number_strings(*vocabularies)


def renumber(numbers: NDArray[np.int32], mapping: NDArray[np.int32]) -> NDArray[np.int32]:
    """Replace every number by its new one; an empty column needs no mapping."""
    return mapping[numbers] if len(numbers) else numbers
