"""A Fenwick tree (Fenwick 1994) for kernels: how many of the places entered so far lie below a place?

The tree over n places is an ``int32`` array of n + 1 zeros; both operations take O(log n).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.kernels import inner_kernel


@inner_kernel
def enter(tree: NDArray[np.int32], place: int | np.int64, size: int | np.int64) -> None:
    """Enter a place of a tree over ``size`` places."""
    node = place + 1
    while node <= size:
        tree[node] += 1
        node += node & -node


@inner_kernel
def count_below(tree: NDArray[np.int32], place: int | np.int64) -> int:
    """Count the entered places below ``place``."""
    count = 0
    while place > 0:
        count += tree[place]
        place -= place & -place
    return count
