"""Metrics that treat a permutation as a flat sequence (Birch 2011; Talbot et al. 2011; Stanojević & Sima'an 2014).

A permutation of one word scores 1; the score of the empty permutation is NaN. Each call of a kernel scores a whole
column of permutations.

RIBES (Isozaki et al. 2010) is the rank correlation of words that are matched by their contexts.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from wordorder.core.orders.ascending import longest_ascending
from wordorder.core.runtime.columns import Floats, Int64s, Ints
from wordorder.core.runtime.kernels import count_below, enter, inner_kernel, kernel, longest_row
from wordorder.linking.matching import match_by_context
from wordorder.metrics.base import Array, Batch, MeanOfParts, OrderMetric, Orders, parameter
from wordorder.metrics.lexical import TextMetric

BIRCH = "Birch 2011"
LAPATA = "Lapata 2006; Birch 2011"
ISOZAKI = "Isozaki et al. 2010; Stanojević & Sima'an 2014"
TALBOT = "Talbot et al. 2011"


_BITS = 64  # of a machine word
_TWO, _FOUR, _EIGHT, _ALL = map(
    np.uint64, (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F, 0x0101010101010101)
)


class Kendall(OrderMetric):
    """The proportion of word pairs in the right order: concordant pairs / all pairs."""

    name: ClassVar[str] = "kendall"
    formula: ClassVar[str] = "concordant pairs / C(n,2)"
    paper: ClassVar[str] = LAPATA

    def values(self, orders: Orders) -> Array:
        """Return the score of each order, in O(n log n) time per order."""
        discordant, pairs = count_pairs(orders)
        return (pairs - discordant) / pairs


class KendallSqrt(OrderMetric):
    """Birch's d_k: 1 − √(discordant pairs / all pairs). The root gives more weight to small reorderings."""

    name: ClassVar[str] = "kendall-sqrt"
    formula: ClassVar[str] = "1 − √(discordant pairs / C(n,2))"
    paper: ClassVar[str] = BIRCH

    def values(self, orders: Orders) -> Array:
        """Return the score of each order, in O(n log n) time per order."""
        discordant, pairs = count_pairs(orders)
        return 1.0 - np.sqrt(discordant / pairs)


class Hamming(OrderMetric):
    """Birch's d_h: the proportion of words that are in the right position."""

    name: ClassVar[str] = "hamming"
    formula: ClassVar[str] = "#{π_i = i} / n"
    paper: ClassVar[str] = BIRCH

    def values(self, orders: Orders) -> Array:
        """Return the score of each order, in O(n) time per order."""
        return _hamming(orders.permutations.ranks, orders.permutations.offsets)


class Spearman(OrderMetric):
    """Spearman's rank correlation ρ as a score from 0 to 1: (1 + ρ)/2.

    For the ranks π_1, …, π_n, this is 1 − 3 Σ(π_i − i)² / (n(n² − 1)).
    """

    name: ClassVar[str] = "spearman"
    formula: ClassVar[str] = "1 − 3 Σ(π_i − i)² / (n(n² − 1))"
    paper: ClassVar[str] = ISOZAKI

    def values(self, orders: Orders) -> Array:
        """Return the score of each order, in O(n) time per order."""
        return _spearman(orders.permutations.ranks, orders.permutations.offsets)


class Ulam(OrderMetric):
    """The proportion of words that need not move: (length of the longest increasing subsequence − 1)/(words − 1)."""

    name: ClassVar[str] = "ulam"
    formula: ClassVar[str] = "(longest increasing subsequence − 1)/(n − 1)"
    paper: ClassVar[str] = "Birch et al. 2010; Stanojević & Sima'an 2014"

    def values(self, orders: Orders) -> Array:
        """Return the score of each order, in O(n log n) time per order."""
        lengths = orders.permutations.lengths
        values = np.where(lengths > 1, (longest_ascending(orders.permutations) - 1) / np.maximum(lengths - 1, 1), 1.0)
        values[lengths == 0] = np.nan
        return values


@dataclass(frozen=True)
class Fuzzy(OrderMetric):
    """The fuzzy reordering score of n words: 1 − (C − 1)/(n − 1), where C is the number of chunks.

    A chunk is a maximal run of consecutive ranks, in which π_{i+1} = π_i + 1. With ``boundaries=true`` (Neubig et al.
    2012, Lader), the start and the end of the sentence are treated as words, and the score is 1 − breaks/(n + 1),
    where a break is a neighbouring pair with π_{i+1} ≠ π_i + 1.
    """

    name: ClassVar[str] = "fuzzy"
    formula: ClassVar[str] = "1 − (chunks − 1)/(n − 1); with boundaries: 1 − breaks/(n + 1)"
    paper: ClassVar[str] = TALBOT

    boundaries: bool = parameter(False, "count sentence start and end as neighbours (Lader)")

    def values(self, orders: Orders) -> Array:
        """Return the score of each order, in O(n) time per order."""
        return _fuzzy(orders.permutations.ranks, orders.permutations.offsets, self.boundaries)


def count_pairs(orders: Orders) -> tuple[Array, Array]:
    """Return the number of discordant pairs and the number of all pairs for each order.

    To avoid a division by 0, the number of all pairs is 1 for an order of one word; it is NaN for an empty order.
    """
    column = orders.permutations
    lengths = column.lengths
    pairs = np.maximum(lengths * (lengths - 1) // 2, 1).astype(np.float64)
    pairs[lengths == 0] = np.nan
    return _discordant(column.ranks, column.offsets).astype(np.float64), pairs


@kernel
def _discordant(ranks: Ints, offsets: Int64s) -> Int64s:
    rows = len(offsets) - 1
    longest = longest_row(offsets)
    seen = np.zeros(longest + 1, dtype=np.int32)  # a Fenwick tree over ranks
    result = np.empty(rows, dtype=np.int64)
    for row in range(rows):
        start, stop = offsets[row], offsets[row + 1]
        length = stop - start
        if length <= _BITS:
            result[row] = _count_in_bits(ranks[start:stop])
            continue
        count = np.int64(0)
        highest = np.int64(-1)
        for place in range(start, stop):
            rank = np.int64(ranks[place])
            if rank > highest:  # larger than all ranks before it, so there is no discordant pair
                highest = rank
            else:
                count += place - start - count_below(seen, rank)
            enter(seen, rank, length)
        seen[: length + 1] = 0
        result[row] = count
    return result


@inner_kernel
def _count_in_bits(ranks: Ints) -> np.int64:
    """Return the number of discordant pairs of a short order; the ranks seen so far are the bits of a number."""
    seen, count = np.uint64(0), np.uint64(0)
    for rank in ranks:
        bits = seen >> np.uint64(rank)  # the higher ranks; what follows counts ones in 2, 4, 8 and all bits
        bits -= (bits >> np.uint64(1)) & _TWO
        bits = (bits & _FOUR) + ((bits >> np.uint64(2)) & _FOUR)
        bits = (bits + (bits >> np.uint64(4))) & _EIGHT
        count += (bits * _ALL) >> np.uint64(56)
        seen |= np.uint64(1) << np.uint64(rank)
    return np.int64(count)


@kernel
def _hamming(ranks: Ints, offsets: Int64s) -> Floats:
    result = np.empty(len(offsets) - 1, dtype=np.float64)
    for row in range(len(result)):
        start, stop = offsets[row], offsets[row + 1]
        right = 0
        for place in range(start, stop):
            right += ranks[place] == place - start
        result[row] = right / (stop - start)  # 0/0 is NaN
    return result


@kernel
def _spearman(ranks: Ints, offsets: Int64s) -> Floats:
    result = np.empty(len(offsets) - 1, dtype=np.float64)
    for row in range(len(result)):
        start, stop = offsets[row], offsets[row + 1]
        length = stop - start
        total = np.int64(0)
        for place in range(start, stop):
            shift = np.int64(ranks[place]) - (place - start)
            total += shift * shift
        if length == 1:
            result[row] = 1.0
        else:
            result[row] = 1.0 - 3.0 * total / (np.float64(length) * (length * length - 1))
    return result


@kernel
def _fuzzy(ranks: Ints, offsets: Int64s, boundaries: bool) -> Floats:
    result = np.empty(len(offsets) - 1, dtype=np.float64)
    for row in range(len(result)):
        start, stop = offsets[row], offsets[row + 1]
        length = stop - start
        if length < 2:
            result[row] = 1.0 if length else np.nan
            continue
        breaks = 0
        for place in range(start + 1, stop):
            breaks += ranks[place] != ranks[place - 1] + 1
        if boundaries:
            breaks += ranks[start] != 0  # one at a time: the sum of two truth values of numpy is a truth value
            breaks += ranks[stop - 1] != length - 1
        result[row] = 1.0 - breaks / (length + (1 if boundaries else -1))
    return result


@dataclass(frozen=True)
class Ribes(MeanOfParts, TextMetric):
    """RIBES = NKT · P^α · BP^β, averaged over segments; α and β are parameters.

    NKT is the proportion of pairs of matched words that are in ascending order, and P is the proportion of hypothesis
    words that are matched. With fewer than two matched words, NKT and the score are 0; if the reference consists of a
    single word and this word is matched, however, NKT is 1. If the reference is empty, the score is NaN. The
    components are called order (NKT), lexical (P) and brevity (BP).
    """

    name: ClassVar[str] = "ribes"
    formula: ClassVar[str] = "NKT · P^α · BP^β"
    paper: ClassVar[str] = "Isozaki et al. 2010"
    group: ClassVar[str | None] = "combined"

    alpha: float = parameter(0.25, "exponent of the precision", low=0)
    beta: float = parameter(0.10, "exponent of the brevity penalty", low=0)

    def statistics(self, batch: Batch) -> Array:
        """Return ``w·(x, 1, NKT, P, BP)`` for each segment and reference, where x is the score and w the weight.

        NKT, P and BP are the order, the lexical and the brevity component of the score.
        """
        rows = []
        for r, reference in enumerate(batch.references):
            found = match_by_context(batch.hypothesis, reference)
            score = found.nkt * found.precision**self.alpha * found.brevity**self.beta
            parts = np.stack([score, np.ones_like(score), found.nkt, found.precision, found.brevity], axis=-1)
            weights = np.where(np.isnan(score), 0.0, batch.weights[:, r])
            rows.append(np.nan_to_num(parts) * weights[:, None])
        return np.stack(rows, axis=1)
