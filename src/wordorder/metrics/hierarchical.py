"""Metrics that treat a permutation as a tree of blocks (Stanojević & Sima'an 2014, 2016).

All of them use permutation trees (PETs), which are built once for each batch and stored in flat arrays.

The nodes of a tree are stored in post-order, so one pass with a stack of block scores is enough to score it. A block
of one word has no score, because the formula excludes single words from the mean over children.

The metric ``pef:weights=size`` is the forest score as computed by the tool that its authors released. The score φ of
a word is 1, and that of any other node is β·[op = ⟨1,2⟩] + (1 − β)·Σ (|child|/|node|)·φ(child), where op is the
operator of the node, and |node| is its number of words. The scores of the root are averaged uniformly over all
permutation trees, then rescaled so that the fully inverted sentence scores 0.

Let q = 1 − β. In a monotone chain, the loss of a node is 1 − φ = q·Σ (|child|/|node|)·(1 − φ(child)); in an inverted
chain, φ = q·Σ (|child|/|node|)·φ(child). Both expand to sums over the blocks of a chain, in which each block is
weighted by its share of the words and by q^depth. One table is therefore sufficient: the mean of q^depth of the j-th
of m leaves over all binary trees.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from wordorder.core.orders.permutation import Permutation
from wordorder.core.orders.trees import BRANCHINGS, LEAF, MONOTONE, SIMPLE, PermutationTrees, catalan
from wordorder.core.runtime.columns import Floats, Int64s, Ints
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.core.runtime.kernels import inner_kernel, kernel, longest_row
from wordorder.metrics.base import Array, OrderMetric, Orders, parameter

_WORD = -1.0
"""The value that stands for a block of one word on the stack; real scores are never negative."""


@kernel
def score_trees(
    kinds: NDArray[np.int8],
    arities: Ints,
    offsets: Int64s,
    beta: float,
    inverted: float,
    simple: Floats,
    branching: int,
) -> Floats:
    """Return the score of each tree.

    ``inverted`` is the score of the operator ⟨2,1⟩, and ``simple`` holds those of all operators longer than two. With
    ``branching`` 1 (left) or −1 (right), only the canonical inference of each span counts. With ``branching`` 0, the
    score is the mean over all inferences, that is, over the whole forest.
    """
    rows = len(offsets) - 1
    longest = longest_row(offsets)
    blocks = np.empty(longest, dtype=np.float64)
    spans = np.empty(longest, dtype=np.float64)
    starting = np.empty(longest, dtype=np.float64)
    ending = np.empty(longest, dtype=np.float64)
    result = np.empty(rows, dtype=np.float64)
    seen = 0  # number of simple nodes visited so far in all rows
    for row in range(rows):
        depth = 0
        for node in range(offsets[row], offsets[row + 1]):
            kind = kinds[node]
            if kind == LEAF:
                blocks[depth] = _WORD
                depth += 1
                continue
            arity = arities[node]
            depth -= arity
            children = blocks[depth : depth + arity]
            if kind == SIMPLE:
                score = _join(simple[seen], _mean(children), beta)
                seen += 1
            else:
                operator = 1.0 if kind == MONOTONE else inverted
                if branching:
                    score = _canonical(children, operator, beta, branching)
                else:
                    score = _forest(children, operator, beta, spans, starting, ending)
            blocks[depth] = score
            depth += 1
        if depth == 0:
            result[row] = np.nan
        else:
            result[row] = 1.0 if blocks[0] == _WORD else blocks[0]
    return result


@inner_kernel
def _join(operator: float, below: float, beta: float) -> float:
    """Return β·operator + (1 − β)·below, or ``operator`` alone if all blocks below are single words (``_WORD``)."""
    return operator if below == _WORD else beta * operator + (1.0 - beta) * below


@inner_kernel
def _mean(children: Floats) -> float:
    """Return the mean score of the children that are longer than one word, or ``_WORD`` if there are none."""
    total = 0.0
    count = 0
    for child in children:
        if child != _WORD:
            total += child
            count += 1
    return total / count if count else _WORD


@inner_kernel
def _canonical(children: Floats, operator: float, beta: float, branching: int) -> float:
    last = len(children) - 1
    score = children[0] if branching > 0 else children[last]
    for step in range(1, last + 1):
        block = children[step] if branching > 0 else children[last - step]
        if score == _WORD:
            below = block
        elif block == _WORD:
            below = score
        else:
            below = (score + block) / 2.0
        score = _join(operator, below, beta)
    return float(score)


@inner_kernel
def _forest(children: Floats, operator: float, beta: float, spans: Floats, starting: Floats, ending: Floats) -> float:
    """Return the mean score of all binarisations of a chain of m blocks, in O(m²) time and O(m) space.

    All nodes of the chain have the same binary operator. Let φ(a,b) be the score of the blocks a to b. A split s
    divides them into two children with the mean score (φ(a,s) + φ(s+1,b))/2; if one child is a single word, the mean
    is the score of the other child. φ(a,b) is β·``operator`` + (1 − β)·(average of these means over all
    splits). Spans are processed
    by increasing width, while ``starting[a]`` and ``ending[b]`` sum φ(a,·) and φ(·,b) over all narrower spans: half
    of ``starting[a] + ending[b]`` is the sum over the splits. If block a or block b is a single word, the split next
    to it has only one child with a score, so the other half of this score is added.
    """
    count = len(children)
    words = 0
    for a in range(count):
        words += children[a] == _WORD
        spans[a] = starting[a] = ending[a] = 0.0 if children[a] == _WORD else children[a]
    # In a chain of single words, φ depends only on the width, so one span of each width is enough.
    uniform = words == count
    for width in range(2, count + 1):
        for a in range(1 if uniform else count - width + 1):
            b = 0 if uniform else a + width - 1
            opens, closes = children[a] == _WORD, children[b] == _WORD
            if width == 2 and opens and closes:
                score = operator
            else:
                total = 0.5 * (starting[a] + ending[b])
                if opens:
                    total += 0.5 * spans[a if uniform else a + 1]
                if closes:
                    total += 0.5 * spans[a]
                score = beta * operator + (1.0 - beta) * (total / (width - 1))
            spans[a] = score
            starting[a] += score
            if not uniform:
                ending[b] += score
        if uniform:
            ending[0] = starting[0]
    return float(spans[0])


WIDEST_CHAIN = 2_048
"""The largest number of blocks in one chain.

Wider chains are rejected because the computation of the table of depths takes cubic time.
"""


def uniform_forest_scores(trees: PermutationTrees, lengths: Int64s, *, beta: float) -> Floats:
    """Return the score of each tree, given the lengths of the sentences."""
    decay = 1.0 - beta
    longest = int(lengths.max(initial=0))
    widest = int(_widest_mixed_chain(trees.kinds, trees.arities, trees.offsets))
    if widest > WIDEST_CHAIN:
        raise InputError(f"pef:weights=size supports chains of {WIDEST_CHAIN} blocks, not {widest}; use plain pef")
    shares = _left_shares(widest)
    inverted = _inverted_scores(longest, decay)
    raw = _scores(trees.kinds, trees.arities, trees.offsets, decay, _depth_means(widest, decay, shares), inverted)
    base = inverted[lengths]
    with np.errstate(invalid="ignore", divide="ignore"):
        scores: Floats = (raw - base) / (1.0 - base)
    scores[lengths == 1] = 1.0
    return scores


@kernel
def _widest_mixed_chain(kinds: NDArray[np.int8], arities: Ints, offsets: Int64s) -> int:
    widest = 2
    longest = longest_row(offsets)
    is_word = np.empty(longest, dtype=np.bool_)
    for row in range(len(offsets) - 1):
        depth = 0
        for node in range(offsets[row], offsets[row + 1]):
            arity = arities[node]
            depth -= arity
            if kinds[node] != LEAF and kinds[node] != SIMPLE and not is_word[depth : depth + arity].all():
                widest = max(widest, arity)
            is_word[depth] = kinds[node] == LEAF
            depth += 1
    return widest


@kernel
def _left_shares(widest: int) -> Floats:
    """Return, as ``[m, k]``, the proportion of binary trees with m leaves in which the left subtree has k leaves.

    The proportion is Cat(k−1)·Cat(m−k−1)/Cat(m−1), where Cat(n) is the n-th Catalan number.
    """
    shares = np.zeros((widest + 1, widest + 1), dtype=np.float64)
    scaled = np.ones(widest + 1, dtype=np.float64)  # Cat(m − 1)/4^(m − 1), which does not overflow
    for m in range(2, widest + 1):
        scaled[m] = scaled[m - 1] * (2.0 * m - 3.0) / (2.0 * m)
    for m in range(2, widest + 1):
        for k in range(1, m):
            shares[m, k] = scaled[k] * scaled[m - k] / (4.0 * scaled[m])
    return shares


@kernel
def _depth_means(widest: int, decay: float, shares: Floats) -> Floats:
    """Return, as ``[m, j]``, the mean of decay^(depth of leaf j) over all binary trees with m leaves (j from 0)."""
    means = np.zeros((widest + 1, widest + 1), dtype=np.float64)
    means[1, 0] = 1.0
    for m in range(2, widest + 1):
        for j in range((m + 1) // 2):
            total = 0.0
            for k in range(1, m):  # k is the number of leaves of the left subtree
                total += shares[m, k] * (means[k, j] if j < k else means[m - k, j - k])
            means[m, j] = means[m, m - 1 - j] = decay * total
    return means


@kernel
def _inverted_scores(longest: int, decay: float) -> Floats:
    """Return the score of the inverted sentence of each length up to ``longest``.

    The score is the mean of decay^depth over all leaves of all binary trees. For m leaves, the sum of decay^depth is
    the coefficient of x^(m−1) in W = 1/(1 − 2·decay·x·c(x)), where c is the generating function of the Catalan
    numbers, so that W = 1 + 2·decay·x·c·W. Coefficients are scaled by 4^−(m−1) to keep them small.
    """
    scores = np.ones(longest + 1, dtype=np.float64)
    scaled = np.ones(longest + 1, dtype=np.float64)  # Cat(m − 1)/4^(m − 1)
    for m in range(2, longest + 1):
        scaled[m] = scaled[m - 1] * (2.0 * m - 3.0) / (2.0 * m)
    series = np.zeros(longest + 1, dtype=np.float64)
    series[0] = 1.0
    for m in range(1, longest):
        total = 0.0
        for k in range(1, m + 1):
            total += scaled[k] * series[m - k]
        series[m] = 2.0 * decay * total / 4.0
        scores[m + 1] = series[m] / ((m + 1) * scaled[m + 1])
    return scores


@kernel
def _scores(
    kinds: NDArray[np.int8], arities: Ints, offsets: Int64s, decay: float, depth_means: Floats, inverted: Floats
) -> Floats:
    rows = len(offsets) - 1
    longest = longest_row(offsets)
    scores = np.empty(longest, dtype=np.float64)
    sizes = np.empty(longest, dtype=np.float64)
    result = np.empty(rows, dtype=np.float64)
    for row in range(rows):
        depth = 0
        for node in range(offsets[row], offsets[row + 1]):
            arity = arities[node]
            if kinds[node] == LEAF:
                scores[depth] = sizes[depth] = 1.0
                depth += 1
                continue
            depth -= arity
            size = 0.0
            for child in range(depth, depth + arity):
                size += sizes[child]
            total = 0.0
            if kinds[node] == SIMPLE:
                for child in range(depth, depth + arity):
                    total += sizes[child] / size * decay * scores[child]
            elif kinds[node] == MONOTONE:
                lost = 0.0
                for child in range(depth, depth + arity):
                    if sizes[child] > 1.0:
                        lost += sizes[child] / size * depth_means[arity, child - depth] * (1.0 - scores[child])
                total = 1.0 - lost
            elif size == arity:
                total = inverted[arity]
            else:
                for child in range(depth, depth + arity):
                    total += sizes[child] / size * depth_means[arity, child - depth] * scores[child]
            scores[depth] = total
            sizes[depth] = size
            depth += 1
        result[row] = scores[0] if depth else np.nan
    return result


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


class PETSize(OrderMetric):
    """The degree of factorisation: (inner nodes of a binarised permutation tree − 1)/(words − 2)."""

    name: ClassVar[str] = "pet-size"
    formula: ClassVar[str] = "(nodes − 1)/(n − 2), inner nodes of a binarised PET; 1 for n ≤ 2"
    paper: ClassVar[str] = COMPLEXITY

    def values(self, orders: Orders) -> Array:
        """Return the score of each order, in O(n) time per order once its tree is built."""
        nodes, _, _, _ = _shape(orders)
        return _scaled(nodes - 1.0, orders)


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


class MaxOp(OrderMetric):
    """1 − (length of the longest operator in the permutation tree − 2)/(words − 2)."""

    name: ClassVar[str] = "max-op"
    formula: ClassVar[str] = "1 − (longest operator − 2)/(n − 2); 1 for n ≤ 2"
    paper: ClassVar[str] = COMPLEXITY

    def values(self, orders: Orders) -> Array:
        """Return the score of each order, in O(n) time per order once its tree is built."""
        _, longest, _, _ = _shape(orders)
        return 1.0 - _scaled(longest - 2.0, orders, degenerate=0.0)


class AvgOp(OrderMetric):
    """1 − (mean operator length − 2)/(words − 2), with a mean over inner nodes of a binarised permutation tree."""

    name: ClassVar[str] = "avg-op"
    formula: ClassVar[str] = "1 − (mean operator length − 2)/(n − 2); 1 for n ≤ 2"
    paper: ClassVar[str] = NORMALISED

    def values(self, orders: Orders) -> Array:
        """Return the score of each order, in O(n) time per order once its tree is built."""
        nodes, _, total, _ = _shape(orders)
        return 1.0 - _scaled(total / np.maximum(nodes, 1) - 2.0, orders, degenerate=0.0)


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
