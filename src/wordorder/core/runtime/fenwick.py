"""A Fenwick tree (Fenwick 1994), usable in kernels: it counts the inserted positions below a given position.

A tree over n positions is an ``int32`` array, initially n + 1 zeros; inserting a position and counting positions take
O(log n) time each.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.kernels import inner_kernel


@inner_kernel
def enter(tree: NDArray[np.int32], place: int | np.int64, size: int | np.int64) -> None:
    """Insert a position into a tree over ``size`` positions."""
    node = place + 1
    while node <= size:
        tree[node] += 1
        node += node & -node


@inner_kernel
def count_below(tree: NDArray[np.int32], place: int | np.int64) -> int:
    """Return the number of inserted positions below ``place``."""
    count = 0
    while place > 0:
        count += tree[place]
        place -= place & -place
    return count
