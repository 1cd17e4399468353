"""The shared vocabulary of a column of trees: words, tags and labels are indices into one array of strings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wordorder.core.runtime.columns import Ints, Strings, encode_strings, strings


def number_strings(*columns: Sequence[str] | Any) -> tuple[Strings, tuple[Ints, ...]]:
    """Return one vocabulary for several columns, in order of first appearance, and each column as indices into it.

    >>> strings, (words, tags) = number_strings(["the", "cat"], ["DT", "the"])
    >>> strings.to_pylist(), words.tolist(), tags.tolist()
    (['the', 'cat', 'DT'], [0, 1], [2, 0])
    """
    import pyarrow as pa

    parts = [one.cast(pa.large_string()) if isinstance(one, pa.Array) else strings(one) for one in columns]
    numbers, distinct = encode_strings(pa.chunked_array(parts, type=pa.large_string()).combine_chunks())
    cuts = np.cumsum([len(part) for part in parts])[:-1]
    return distinct, tuple(np.split(numbers.copy(), cuts))


def renumber(numbers: Ints, mapping: Ints) -> Ints:
    """Replace every number with ``mapping[number]``; the mapping may be empty if there are no numbers."""
    return mapping[numbers] if len(numbers) else numbers
