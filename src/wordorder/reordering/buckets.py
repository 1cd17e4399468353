"""Test sets by amount of reordering (Birch 2011, §3.3.2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wordorder.runtime.errors import InputError, UsageError

BUCKETS = ("none", "low", "medium", "high")
LEFT_OUT = -1
"""The bucket of a sentence outside the range of lengths, or whose amount of reordering is undefined."""


def divide(
    quantities: NDArray[np.float64],
    lengths: NDArray[np.integer],
    *,
    shortest: int = 20,
    longest: int = 39,
) -> NDArray[np.int8]:
    """Divide sentences by RQuantity into ``BUCKETS``: none (0), then equal thirds of the rest.

    Only sentences of ``shortest`` to ``longest`` words take part, so that length does not decide. Of sentences
    with the same RQuantity the earlier comes first; where the rest is no multiple of three, the lower thirds are
    one larger.

    >>> amounts = np.array([0.0, 0.5, 0.1, 0.9, 0.1, 0.2])
    >>> divide(amounts, np.array([20, 20, 20, 20, 40, 20])).tolist()
    [0, 2, 1, 3, -1, 1]
    """
    if len(quantities) != len(lengths):
        raise InputError(f"{len(quantities)} amounts of reordering but {len(lengths)} sentence lengths")
    if shortest > longest:
        raise UsageError(f"the shortest sentence ({shortest}) is longer than the longest ({longest})")
    taking_part = (lengths >= shortest) & (lengths <= longest) & ~np.isnan(quantities)
    buckets = np.full(len(quantities), LEFT_OUT, dtype=np.int8)
    buckets[taking_part & (quantities == 0)] = 0
    reordered = np.flatnonzero(taking_part & (quantities > 0))
    ranked = reordered[np.argsort(quantities[reordered], kind="stable")]
    for bucket, rows in enumerate(np.array_split(ranked, 3), start=1):
        buckets[rows] = bucket
    return buckets


def bucket_names(buckets: NDArray[np.int8]) -> list[str]:
    """Give the bucket of each sentence by name; a sentence left out has the empty name.

    >>> bucket_names(np.array([3, -1, 0], dtype=np.int8))
    ['high', '', 'none']
    """
    return [BUCKETS[bucket] if bucket != LEFT_OUT else "" for bucket in buckets]
