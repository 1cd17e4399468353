"""Metrics that treat a permutation as a tree of blocks (Stanojević & Sima'an 2014, 2016).

All of them use the column of flattened permutation trees (PETs), which is built once for each batch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from wordorder.core.orders.permutation import Permutation
from wordorder.core.orders.trees import BRANCHINGS, MONOTONE, SIMPLE, PermutationTrees, catalan
from wordorder.core.runtime.columns import Floats, Int64s, Ints
from wordorder.core.runtime.errors import UsageError
from wordorder.core.runtime.kernels import kernel
from wordorder.metrics.base import Array, OrderMetric, Orders, parameter
from wordorder.metrics.forest import score_trees
from wordorder.metrics.uniform_forest import uniform_forest_scores

FORESTS = "Stanojević & Sima'an 2014"
COMPLEXITY = "Stanojević & Sima'an 2016"

_EXACT_IN_DOUBLE = 31
"""The largest length n for which a double can represent Catalan(n − 1) exactly."""


def _scorers() -> tuple[str, ...]:
    """Return the scoring rules for operators: the rule of the paper, or any order metric from another module.

    An operator cannot be decomposed, so metrics of its tree would not distinguish operators.
    """
    from wordorder.metrics.registry import METRICS

    orders = (kind for kind in METRICS.values() if issubclass(kind, OrderMetric))
    return ("monotone", *(kind.name for kind in orders if kind.__module__ != __name__))


@dataclass(frozen=True)
class _Recursive(OrderMetric):
    """The common base of pet and pef: β·opScore + (1 − β)·(mean score of the blocks longer than one word)."""

    beta: float = parameter(0.6, "weight of a node's operator against what is below it", low=0, high=1)
    gamma: float = parameter(0.0, "score of the operator ⟨2,1⟩", low=0, high=1)
    operator: str = parameter(
        "monotone", "how an operator is scored: ⟨1,2⟩ → 1, ⟨2,1⟩ → γ, else 0; or a flat metric", options=_scorers
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.operator != "monotone" and self.gamma != 0:
            raise UsageError(f"{self.name}: gamma has no effect with operator={self.operator}")

    def _operator_scores(self, trees: PermutationTrees) -> tuple[float, Array]:
        """Return the score of the operator ⟨2,1⟩ and the scores of all simple operators in the trees."""
        if self.operator == "monotone":
            return self.gamma, np.zeros(len(trees.operators))
        from wordorder.metrics.registry import METRICS

        metric = METRICS[self.operator]()
        assert isinstance(metric, OrderMetric)
        return metric(Permutation((1, 0))), metric(trees.operators)


@dataclass(frozen=True)
class PET(_Recursive):
    """The score of the canonical permutation tree, computed as for ``pef`` but with one inference for each span.

    This is the only metric whose score changes when hypothesis and reference are swapped, because the canonical tree
    branches in one direction.
    """

    name: ClassVar[str] = "pet"
    formula: ClassVar[str] = "β·opScore + (1 − β)·mean(children longer than one word), canonical PET"
    paper: ClassVar[str] = FORESTS

    branching: str = parameter("left", "branching of the canonical tree", options=BRANCHINGS)

    def values(self, orders: Orders) -> Array:
        """Score a column in O(n) per row, not counting the construction of its trees."""
        trees = orders.trees
        inverted, simple = self._operator_scores(trees)
        direction = 1 if self.branching == "left" else -1
        return score_trees(trees.kinds, trees.arities, trees.offsets, self.beta, inverted, simple, direction)


@dataclass(frozen=True)
class PEF(_Recursive):
    """The score of the permutation forest: the mean over all inferences of a span (2014 paper, Figure 6).

    φ = 1 for a word, opScore for a span whose arity equals its length, and otherwise β·opScore + (1 − β)·(mean over
    inferences of the mean φ of the children longer than one word).

    ``weights=size`` selects the variant that the authors' released tool computes: children are weighted by their
    share of the words, all PETs have equal weight, and the inverted sentence is mapped to 0.
    """

    name: ClassVar[str] = "pef"
    formula: ClassVar[str] = "β·opScore + (1 − β)·mean over inferences of mean(children longer than one word)"
    paper: ClassVar[str] = FORESTS

    weights: str = parameter("equal", "weight of the children of a node", options=("equal", "size"))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.weights == "size" and (self.gamma != 0 or self.operator != "monotone"):
            raise UsageError("pef: gamma and operator have no effect with weights=size")
        if self.weights == "size" and self.beta == 0:
            raise UsageError("pef: weights=size needs beta above 0, because with 0 all orders have the same score")

    def values(self, orders: Orders) -> Array:
        """Score a column in O(n²) per row in the worst case."""
        trees = orders.trees
        if self.weights == "size":
            return uniform_forest_scores(trees, orders.permutations.lengths, beta=self.beta)
        inverted, simple = self._operator_scores(trees)
        return score_trees(trees.kinds, trees.arities, trees.offsets, self.beta, inverted, simple, 0)


@dataclass(frozen=True)
class PETSize(OrderMetric):
    """|PET|: the degree of factorisation, (nodes − 1)/(n − 2), counting the inner nodes of a binarised PET."""

    name: ClassVar[str] = "pet-size"
    formula: ClassVar[str] = "(nodes − 1)/(n − 2), inner nodes of a binarised PET; 1 for n ≤ 2"
    paper: ClassVar[str] = COMPLEXITY

    def values(self, orders: Orders) -> Array:
        """Score a column in O(n) per row, not counting the construction of its trees."""
        nodes, _, _, _ = _shape(orders)
        return _scaled(nodes - 1.0, orders)


@dataclass(frozen=True)
class PETCount(OrderMetric):
    """#PETs: the number of bracketings as a share of the maximum, (PETs(π) − 1)/(Catalan(n − 1) − 1)."""

    name: ClassVar[str] = "pet-count"
    formula: ClassVar[str] = "(PETs(π) − 1)/(Catalan(n − 1) − 1); 1 for n ≤ 2"
    paper: ClassVar[str] = COMPLEXITY

    def values(self, orders: Orders) -> Array:
        """Score a column without rounding errors in the counts.

        A kernel scores the rows whose counts a double represents exactly; Python integers are used for the others.
        """
        trees = orders.trees
        lengths = orders.permutations.lengths
        table = np.array([float(catalan(n)) for n in range(_EXACT_IN_DOUBLE)])
        result = _pet_counts(trees.kinds, trees.arities, trees.offsets, lengths, table)
        long = np.flatnonzero(lengths > _EXACT_IN_DOUBLE)
        if len(long):
            chains = np.flatnonzero((trees.kinds != SIMPLE) & (trees.arities > 2))
            widths = (trees.arities[chains] - 1).tolist()
            borders = np.searchsorted(chains, trees.offsets).tolist()
            for row, words in zip(long.tolist(), lengths[long].tolist(), strict=True):
                count = math.prod(map(catalan, widths[borders[row] : borders[row + 1]]))
                result[row] = (count - 1) / (catalan(words - 1) - 1)
        return result


@dataclass(frozen=True)
class MaxOp(OrderMetric):
    """MAX|Op|: 1 − (longest operator − 2)/(n − 2)."""

    name: ClassVar[str] = "max-op"
    formula: ClassVar[str] = "1 − (longest operator − 2)/(n − 2); 1 for n ≤ 2"
    paper: ClassVar[str] = COMPLEXITY

    def values(self, orders: Orders) -> Array:
        """Score a column in O(n) per row, not counting the construction of its trees."""
        _, longest, _, _ = _shape(orders)
        return 1.0 - _scaled(longest - 2.0, orders, degenerate=0.0)


@dataclass(frozen=True)
class AvgOp(OrderMetric):
    """1 − (mean operator length − 2)/(n − 2), where the mean is over the inner nodes of a binarised PET."""

    name: ClassVar[str] = "avg-op"
    formula: ClassVar[str] = "1 − (mean operator length − 2)/(n − 2); 1 for n ≤ 2"
    paper: ClassVar[str] = COMPLEXITY

    def values(self, orders: Orders) -> Array:
        """Score a column in O(n) per row, not counting the construction of its trees."""
        nodes, _, total, _ = _shape(orders)
        return 1.0 - _scaled(total / np.maximum(nodes, 1) - 2.0, orders, degenerate=0.0)


@dataclass(frozen=True)
class NonBinary(OrderMetric):
    """1 − (number of nodes with arity > 2)/(number of inner nodes of the PET)."""

    name: ClassVar[str] = "non-binary"
    formula: ClassVar[str] = "1 − (nodes of arity > 2)/(nodes of the PET)"
    paper: ClassVar[str] = COMPLEXITY

    def values(self, orders: Orders) -> Array:
        """Score a column in O(n) per row, not counting the construction of its trees."""
        nodes, _, _, simple = _shape(orders)
        result: Array = 1.0 - simple / np.maximum(nodes, 1)
        result[orders.permutations.lengths == 0] = np.nan
        return result


def _scaled(values: NDArray[np.floating[Any]], orders: Orders, *, degenerate: float = 1.0) -> Array:
    """Return values divided by n − 2, ``degenerate`` for orders of one or two words, and NaN for empty orders."""
    lengths = orders.permutations.lengths
    result: Array = values / np.maximum(lengths - 2, 1)
    result[lengths <= 2] = degenerate
    result[lengths == 0] = np.nan
    return result


def _shape(orders: Orders) -> Int64s:
    """Return four numbers for each order.

    They are the number of nodes of a binarised PET, the longest operator, the sum of operator lengths, and the number
    of simple nodes.
    """
    return _shapes(orders.trees.kinds, orders.trees.arities, orders.trees.offsets)


@kernel
def _shapes(kinds: NDArray[np.int8], arities: Ints, offsets: Int64s) -> Int64s:
    rows = len(offsets) - 1
    shape = np.zeros((4, rows), dtype=np.int64)
    for row in range(rows):
        for node in range(offsets[row], offsets[row + 1]):
            arity = arities[node]
            if kinds[node] == SIMPLE:
                shape[0, row] += 1
                shape[1, row] = max(shape[1, row], arity)
                shape[2, row] += arity
                shape[3, row] += 1
            elif kinds[node] >= MONOTONE:  # a chain of m blocks corresponds to m − 1 binary nodes
                shape[0, row] += arity - 1
                shape[1, row] = max(shape[1, row], 2)
                shape[2, row] += 2 * (arity - 1)
    return shape


@kernel
def _pet_counts(
    kinds: NDArray[np.int8], arities: Ints, offsets: Int64s, lengths: Int64s, catalan_numbers: Floats
) -> Floats:
    result = np.empty(len(lengths), dtype=np.float64)
    for row in range(len(lengths)):
        length = lengths[row]
        if length <= 2:
            result[row] = 1.0 if length else np.nan
        elif length <= len(catalan_numbers):
            count = 1.0
            for node in range(offsets[row], offsets[row + 1]):
                if kinds[node] != SIMPLE and arities[node] > 2:
                    count *= catalan_numbers[arities[node] - 1]
            result[row] = (count - 1.0) / (catalan_numbers[length - 1] - 1.0)
    return result
