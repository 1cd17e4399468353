"""Hashing for kernels: a mixing function, and an open-addressing hash table with 64-bit keys.

A table consists of an array of keys and an array of values. A slot counts as empty if its value is below ``least``. A
caller that stores increasing values can therefore clear the whole table at no cost by raising ``least``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.kernels import inner_kernel


@inner_kernel
def mix(state: np.uint64) -> np.uint64:
    """Scramble a 64-bit number with the output function of splitmix64."""
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))


@inner_kernel
def hash_table(entries: int | np.int64) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the keys and values of an empty table with room for ``entries`` keys; all values are −1."""
    size = 16
    while size < 2 * entries:
        size *= 2
    return np.empty(size, dtype=np.int64), np.full(size, -1, dtype=np.int64)


@inner_kernel
def find_slot(
    keys: NDArray[np.int64], values: NDArray[np.int64], least: int | np.int64, key: int | np.int64
) -> np.int64:
    """Return the slot that holds a key, or the empty slot where it should be inserted."""
    mask = np.int64(len(keys) - 1)
    # Fibonacci hashing: the high bits of the product are well mixed.
    slot = ((np.int64(key) * np.int64(-7046029254386353131)) >> 32) & mask
    while values[slot] >= least and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot
