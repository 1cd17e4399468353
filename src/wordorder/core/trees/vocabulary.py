"""Strings as numbers: words, tags and labels of a column of trees share one Arrow array of distinct strings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.columns import encode_strings, strings

if TYPE_CHECKING:
    import pyarrow as pa

Ints = NDArray[np.int32]
Offsets = NDArray[np.int64]


def number_strings(*columns: Sequence[str] | Any) -> tuple[pa.LargeStringArray, tuple[NDArray[np.int32], ...]]:
    """Number the strings of some columns over one vocabulary, in order of first appearance.

    >>> strings, (words, tags) = number_strings(["the", "cat"], ["DT", "the"])
    >>> strings.to_pylist(), words.tolist(), tags.tolist()
    (['the', 'cat', 'DT'], [0, 1], [2, 0])
    """
    import pyarrow as pa

    parts = [one.cast(pa.large_string()) if isinstance(one, pa.Array) else strings(one) for one in columns]
    numbers, distinct = encode_strings(pa.chunked_array(parts, type=pa.large_string()).combine_chunks())
    cuts = np.cumsum([len(part) for part in parts])[:-1]
    return distinct, tuple(np.split(numbers.copy(), cuts))


def renumber(numbers: NDArray[np.int32], mapping: NDArray[np.int32]) -> NDArray[np.int32]:
    """Replace every number by its new one; an empty column needs no mapping."""
    return mapping[numbers] if len(numbers) else numbers
