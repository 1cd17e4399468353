"""Metrics that see a permutation as a flat sequence (Birch 2011; Talbot et al. 2011; Stanojević & Sima'an 2014).

n = 1 scores 1; n = 0 is undefined. Every kernel takes a whole column.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from wordorder.core.orders.ascending import longest_ascending
from wordorder.core.runtime.columns import Int64s, Ints, positions, sum_rows
from wordorder.core.runtime.fenwick import count_below, enter
from wordorder.core.runtime.kernels import kernel
from wordorder.metrics.base import Array, OrderMetric, Orders, parameter

BIRCH = "Birch 2011"
LAPATA = "Lapata 2006; Birch 2011"
ISOZAKI = "Isozaki et al. 2010; Stanojević & Sima'an 2014"
TALBOT = "Talbot et al. 2011"


@dataclass(frozen=True)
class Kendall(OrderMetric):
    """Share of word pairs in the right order: concordant pairs / C(n,2)."""

    name: ClassVar[str] = "kendall"
    formula: ClassVar[str] = "concordant pairs / C(n,2)"
    paper: ClassVar[str] = LAPATA

    def values(self, orders: Orders) -> Array:
        """Score a column in O(n log n) a row."""
        discordant, pairs = count_pairs(orders)
        return (pairs - discordant) / pairs


@dataclass(frozen=True)
class KendallSqrt(OrderMetric):
    """Birch's d_k: 1 − √(discordant pairs / C(n,2)); the root spreads out small reorderings."""

    name: ClassVar[str] = "kendall-sqrt"
    formula: ClassVar[str] = "1 − √(discordant pairs / C(n,2))"
    paper: ClassVar[str] = BIRCH

    def values(self, orders: Orders) -> Array:
        """Score a column in O(n log n) a row."""
        discordant, pairs = count_pairs(orders)
        return 1.0 - np.sqrt(discordant / pairs)


@dataclass(frozen=True)
class Hamming(OrderMetric):
    """Birch's d_h: share of words at their place, #{π_i = i} / n."""

    name: ClassVar[str] = "hamming"
    formula: ClassVar[str] = "#{π_i = i} / n"
    paper: ClassVar[str] = BIRCH

    def values(self, orders: Orders) -> Array:
        """Score a column."""
        column = orders.permutations
        with np.errstate(invalid="ignore"):
            return sum_rows(column.ranks == positions(column.offsets), column.offsets) / column.lengths


@dataclass(frozen=True)
class Spearman(OrderMetric):
    """Squared displacement: 1 − 3 Σ(π_i − i)² / (n(n² − 1)), that is (1 + ρ)/2."""

    name: ClassVar[str] = "spearman"
    formula: ClassVar[str] = "1 − 3 Σ(π_i − i)² / (n(n² − 1))"
    paper: ClassVar[str] = ISOZAKI

    def values(self, orders: Orders) -> Array:
        """Score a column."""
        column, n = orders.permutations, orders.permutations.lengths
        shifts = column.ranks - positions(column.offsets).astype(np.int64)
        values = 1.0 - 3.0 * sum_rows(shifts * shifts, column.offsets) / np.maximum(n * (n * n - 1), 1)
        values[n == 0] = np.nan
        return values


@dataclass(frozen=True)
class Ulam(OrderMetric):
    """Words that need not move: (longest increasing subsequence − 1)/(n − 1)."""

    name: ClassVar[str] = "ulam"
    formula: ClassVar[str] = "(longest increasing subsequence − 1)/(n − 1)"
    paper: ClassVar[str] = "Birch et al. 2010; Stanojević & Sima'an 2014"

    def values(self, orders: Orders) -> Array:
        """Score a column in O(n log n) a row."""
        lengths = orders.permutations.lengths
        values = np.where(lengths > 1, (longest_ascending(orders.permutations) - 1) / np.maximum(lengths - 1, 1), 1.0)
        values[lengths == 0] = np.nan
        return values


@dataclass(frozen=True)
class Fuzzy(OrderMetric):
    """Fuzzy reordering score: 1 − (C − 1)/(n − 1), C = chunks, the maximal runs with π_{i+1} = π_i + 1.

    With ``boundaries=true`` (Neubig et al. 2012, Lader) the start and the end of the sentence count as neighbours:
    1 − breaks/(n + 1).
    """

    name: ClassVar[str] = "fuzzy"
    formula: ClassVar[str] = "1 − (chunks − 1)/(n − 1); with boundaries: 1 − breaks/(n + 1)"
    paper: ClassVar[str] = TALBOT

    boundaries: bool = parameter(False, "count sentence start and end as neighbours (Lader)")

    def values(self, orders: Orders) -> Array:
        """Score a column."""
        column, n = orders.permutations, orders.permutations.lengths
        breaks = np.diff(column.ranks, prepend=-1) != 1
        first, last = column.offsets[:-1][n > 0], column.offsets[1:][n > 0] - 1
        breaks[first] = (column.ranks[first] != 0) & self.boundaries
        counts = sum_rows(breaks, column.offsets)
        if self.boundaries:
            counts[n > 0] += column.ranks[last] != n[n > 0] - 1
        values = 1.0 - counts / np.maximum(n + 1 if self.boundaries else n - 1, 1)
        values[n == 0] = np.nan
        return values


def count_pairs(orders: Orders) -> tuple[Array, Array]:
    """Count for each row the discordant pairs and all pairs; one word has one pair (with itself), no word has NaN."""
    column = orders.permutations
    lengths = column.lengths
    pairs = np.maximum(lengths * (lengths - 1) // 2, 1).astype(np.float64)
    pairs[lengths == 0] = np.nan
    return _discordant(column.ranks, column.offsets).astype(np.float64), pairs


@kernel
def _discordant(ranks: Ints, offsets: Int64s) -> Int64s:
    rows = len(offsets) - 1
    longest = np.diff(offsets).max() if rows else 0
    seen = np.zeros(longest + 1, dtype=np.int32)  # a Fenwick tree over ranks
    result = np.empty(rows, dtype=np.int64)
    for row in range(rows):
        start, stop = offsets[row], offsets[row + 1]
        length = stop - start
        count = np.int64(0)
        highest = np.int64(-1)
        for place in range(start, stop):
            rank = np.int64(ranks[place])
            if rank > highest:  # larger than all before it: no pair to count
                highest = rank
            else:
                count += place - start - count_below(seen, rank)
            enter(seen, rank, length)
        seen[: length + 1] = 0
        result[row] = count
    return result
