"""Metrics that treat a permutation as a tree of blocks (Stanojević & Sima'an 2014, 2016).

All of them use permutation trees (PETs), which are built once for each batch and stored in flat arrays.
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
NORMALISED = f"after {COMPLEXITY}, §4, who do not map it to 0–1"

_EXACT_IN_DOUBLE = 31
"""The largest length n for which a double can represent Catalan(n − 1) exactly."""


def _scorers() -> tuple[str, ...]:
    """Return the names of the scoring rules for operators: ``monotone``, as in the paper, and other order metrics.

    The metrics in this module are excluded: the tree of an operator is a single node, so they would give the same
    score to all operators of one length.
    """
    from wordorder.metrics.registry import METRICS

    orders = (kind for kind in METRICS.values() if issubclass(kind, OrderMetric))
    return ("monotone", *(kind.name for kind in orders if kind.__module__ != __name__))


@dataclass(frozen=True)
class _Recursive(OrderMetric):
    """The base class of ``pet`` and ``pef``, whose score is computed from the root of the tree downwards.

    The score of a node is β·opScore + (1 − β)·(mean score of its blocks longer than one word), where opScore is the
    score of its operator.
    """

    beta: float = parameter(0.6, "weight of a node's operator against what is below it", low=0, high=1)
    gamma: float = parameter(0.0, "score of the operator ⟨2,1⟩", low=0, high=1)
    four: float = parameter(0.0, "score of the operators ⟨2,4,1,3⟩ and ⟨3,1,4,2⟩", low=0, high=1)
    longer: float = parameter(0.0, "score of operators of five and more blocks", low=0, high=1)
    operator: str = parameter(
        "monotone", "how an operator is scored: ⟨1,2⟩ → 1, ⟨2,1⟩ → γ, else 0; or a flat metric", options=_scorers
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.operator != "monotone" and self._costs:
            chosen = f"{self._costs} has no effect with operator={self.operator}"
            raise UsageError(f"{self.name}: {chosen}; leave one of them out")

    @property
    def _costs(self) -> str:
        """The name of the first parameter that sets the score of some operators, or an empty string."""
        return next((name for name in ("gamma", "four", "longer") if getattr(self, name) != 0), "")

    def _operator_scores(self, trees: PermutationTrees) -> tuple[float, Array]:
        """Return the score of the operator ⟨2,1⟩ and the scores of all operators longer than two in the trees."""
        if self.operator == "monotone":
            return self.gamma, np.where(np.diff(trees.operator_offsets) == 4, self.four, self.longer)
        from wordorder.metrics.registry import METRICS

        metric = METRICS[self.operator]()
        assert isinstance(metric, OrderMetric)
        return metric(Permutation((1, 0))), metric(trees.operators)


@dataclass(frozen=True)
class PET(_Recursive):
    """The score of the canonical permutation tree: like ``pef``, but with only one inference for each span.

    The canonical tree branches in one direction. Unlike all other order metrics, the score can therefore change when
    hypothesis and reference are swapped.
    """

    name: ClassVar[str] = "pet"
    formula: ClassVar[str] = "β·opScore + (1 − β)·mean(children longer than one word), canonical PET"
    paper: ClassVar[str] = FORESTS

    branching: str = parameter("left", "branching of the canonical tree", options=BRANCHINGS)

    def values(self, orders: Orders) -> Array:
        """Return the score of each order, in O(n) time per order once its tree is built."""
        trees = orders.trees
        inverted, simple = self._operator_scores(trees)
        direction = 1 if self.branching == "left" else -1
        return score_trees(trees.kinds, trees.arities, trees.offsets, self.beta, inverted, simple, direction)


@dataclass(frozen=True)
class PEF(_Recursive):
    """The score φ of the permutation forest, a mean over all inferences of each span.

    φ is 1 for a single word, and opScore, the score of the operator, for a span whose children are all single words.
    For any other span, it is β·opScore + (1 − β)·(mean over inferences of the mean φ of the children longer than one
    word) (Stanojević & Sima'an 2014, Figure 6).

    ``weights=size`` selects the variant computed by the tool that the authors released: children are weighted by
    their share of the words, all permutation trees have equal weight, and scores are rescaled so that a completely
    inverted sentence scores 0.
    """

    name: ClassVar[str] = "pef"
    formula: ClassVar[str] = "β·opScore + (1 − β)·mean over inferences of mean(children longer than one word)"
    paper: ClassVar[str] = FORESTS

    weights: str = parameter("equal", "weight of the children of a node", options=("equal", "size"))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.weights == "size" and (self._costs or self.operator != "monotone"):
            raise UsageError(f"pef: {self._costs or 'operator'} has no effect with weights=size; leave it out")
        if self.weights == "size" and self.beta == 0:
            raise UsageError("pef: weights=size needs a beta above 0; with beta=0, all orders have the same score")

    def values(self, orders: Orders) -> Array:
        """Return the score of each order, in O(n²) time per order in the worst case."""
        trees = orders.trees
        if self.weights == "size":
            return uniform_forest_scores(trees, orders.permutations.lengths, beta=self.beta)
        inverted, simple = self._operator_scores(trees)
        return score_trees(trees.kinds, trees.arities, trees.offsets, self.beta, inverted, simple, 0)


@dataclass(frozen=True)
class PETSize(OrderMetric):
    """The degree of factorisation: (inner nodes of a binarised permutation tree − 1)/(words − 2)."""

    name: ClassVar[str] = "pet-size"
    formula: ClassVar[str] = "(nodes − 1)/(n − 2), inner nodes of a binarised PET; 1 for n ≤ 2"
    paper: ClassVar[str] = COMPLEXITY

    def values(self, orders: Orders) -> Array:
        """Return the score of each order, in O(n) time per order once its tree is built."""
        nodes, _, _, _ = _shape(orders)
        return _scaled(nodes - 1.0, orders)


@dataclass(frozen=True)
class PETCount(OrderMetric):
    """The number of permutation trees (bracketings), rescaled to the range from 0 to 1.

    For n words, the number is from 1 to Catalan(n − 1).
    """

    name: ClassVar[str] = "pet-count"
    formula: ClassVar[str] = "(PETs(π) − 1)/(Catalan(n − 1) − 1); 1 for n ≤ 2"
    paper: ClassVar[str] = COMPLEXITY

    def values(self, orders: Orders) -> Array:
        """Return the score of each order, computed without rounding errors in the counts.

        A kernel scores the orders whose counts a double can represent exactly; the others need Python integers.
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
    """1 − (length of the longest operator in the permutation tree − 2)/(words − 2)."""

    name: ClassVar[str] = "max-op"
    formula: ClassVar[str] = "1 − (longest operator − 2)/(n − 2); 1 for n ≤ 2"
    paper: ClassVar[str] = COMPLEXITY

    def values(self, orders: Orders) -> Array:
        """Return the score of each order, in O(n) time per order once its tree is built."""
        _, longest, _, _ = _shape(orders)
        return 1.0 - _scaled(longest - 2.0, orders, degenerate=0.0)


@dataclass(frozen=True)
class AvgOp(OrderMetric):
    """1 − (mean operator length − 2)/(words − 2), with a mean over inner nodes of a binarised permutation tree."""

    name: ClassVar[str] = "avg-op"
    formula: ClassVar[str] = "1 − (mean operator length − 2)/(n − 2); 1 for n ≤ 2"
    paper: ClassVar[str] = NORMALISED

    def values(self, orders: Orders) -> Array:
        """Return the score of each order, in O(n) time per order once its tree is built."""
        nodes, _, total, _ = _shape(orders)
        return 1.0 - _scaled(total / np.maximum(nodes, 1) - 2.0, orders, degenerate=0.0)


@dataclass(frozen=True)
class NonBinary(OrderMetric):
    """1 − (number of nodes with arity > 2)/(number of inner nodes), in a binarised permutation tree."""

    name: ClassVar[str] = "non-binary"
    formula: ClassVar[str] = "1 − (nodes of arity > 2)/(nodes of the PET)"
    paper: ClassVar[str] = NORMALISED

    def values(self, orders: Orders) -> Array:
        """Return the score of each order, in O(n) time per order once its tree is built."""
        nodes, _, _, simple = _shape(orders)
        result: Array = 1.0 - simple / np.maximum(nodes, 1)
        result[orders.permutations.lengths == 0] = np.nan
        return result


def _scaled(values: NDArray[np.floating[Any]], orders: Orders, *, degenerate: float = 1.0) -> Array:
    """Divide values by the number of words minus 2; short orders get ``degenerate``, and empty orders NaN.

    An order is short if it has one or two words.
    """
    lengths = orders.permutations.lengths
    result: Array = values / np.maximum(lengths - 2, 1)
    result[lengths <= 2] = degenerate
    result[lengths == 0] = np.nan
    return result


def _shape(orders: Orders) -> Int64s:
    """Return four numbers for each order, ``[4, orders]``.

    They are the number of inner nodes of a binarised permutation tree, the length of its longest operator, the sum of
    all operator lengths, and the number of operators longer than two.
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
