"""A batch: some consecutive segments of one system, with everything metrics ask of them, made once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wordorder.metrics.base import Orders
from wordorder.orders.permutation import Permutations


class Batch:
    """Word orders of some segments, one column per reference."""

    def __init__(self, orders: Sequence[Permutations], *, weights: NDArray[np.float64] | None = None) -> None:
        self._orders = tuple(Orders(column) for column in orders)
        self.weights = np.ones((len(self), len(self._orders))) if weights is None else weights

    def __len__(self) -> int:
        return len(self._orders[0])

    @property
    def orders(self) -> Sequence[Orders]:
        """Word orders against each reference."""
        return self._orders
