"""A kernel function for the length of the longest row of a ragged column."""

from __future__ import annotations

from wordorder.core.runtime.columns import Offsets
from wordorder.core.runtime.kernels import inner_kernel


@inner_kernel
def longest_row(offsets: Offsets) -> int:
    """Return the length of the longest row, or 0 if there are no rows.

    This uses a loop because ``np.diff(offsets).max()`` would load numba's linear algebra, which takes a quarter of a
    second.
    """
    longest = 0
    for row in range(len(offsets) - 1):
        longest = max(longest, offsets[row + 1] - offsets[row])
    return longest
