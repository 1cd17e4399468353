"""Slow, literal twins of what the package computes fast, written from the papers' definitions alone.

Permutations are tuples of 1-based ranks, spans are half-open pairs of places. Nothing here is clever and nothing here
imports the package.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise, product

Order = tuple[int, ...]
Span = tuple[int, int]
Links = frozenset[tuple[int, int]]


# --- flat metrics: DEFINITIONS table 1, every pair looked at ------------------------------------------------------


def pairs_in_order(order: Order) -> int:
    return sum(order[i] < order[j] for i, j in combinations(range(len(order)), 2))


def kendall(order: Order) -> float:
    n = len(order)
    return 1.0 if n == 1 else pairs_in_order(order) / math.comb(n, 2)


def kendall_sqrt(order: Order) -> float:
    n = len(order)
    return 1.0 if n == 1 else 1 - math.sqrt((math.comb(n, 2) - pairs_in_order(order)) / math.comb(n, 2))


def hamming(order: Order) -> float:
    return sum(rank == place for place, rank in enumerate(order, start=1)) / len(order)


def spearman(order: Order) -> float:
    n = len(order)
    shifts = sum((rank - place) ** 2 for place, rank in enumerate(order, start=1))
    return 1.0 if n == 1 else 1 - 3 * shifts / (n * (n**2 - 1))


def ulam(order: Order) -> float:
    """LCS(π, identity) by the textbook table."""
    n = len(order)
    if n == 1:
        return 1.0
    table = [[0] * (n + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            same = table[i - 1][j - 1] + 1 if order[i - 1] == j else 0
            table[i][j] = max(same, table[i - 1][j], table[i][j - 1])
    return (table[n][n] - 1) / (n - 1)


def fuzzy(order: Order) -> float:
    n = len(order)
    if n == 1:
        return 1.0
    chunks: list[list[int]] = []
    for rank in order:
        if chunks and chunks[-1][-1] + 1 == rank:
            chunks[-1].append(rank)
        else:
            chunks.append([rank])
    return 1 - (len(chunks) - 1) / (n - 1)


def fuzzy_boundaries(order: Order) -> float:
    framed = (0, *order, len(order) + 1)
    breaks = sum(after != before + 1 for before, after in pairwise(framed))
    return 1 - breaks / (len(order) + 1)


FLAT: dict[str, Callable[[Order], float]] = {
    "kendall": kendall,
    "kendall-sqrt": kendall_sqrt,
    "hamming": hamming,
    "spearman": spearman,
    "ulam": ulam,
    "fuzzy": fuzzy,
    "fuzzy:boundaries=true": fuzzy_boundaries,
}


# --- blocks and trees ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tree:
    """An operator over subtrees; a word has no operator and shows its rank."""

    operator: Order
    children: tuple[Tree, ...]
    rank: int = 0

    def __str__(self) -> str:
        if not self.children:
            return str(self.rank)
        return f"⟨{','.join(map(str, self.operator))}⟩({' '.join(map(str, self.children))})"

    def size(self) -> int:
        return sum(child.size() for child in self.children) if self.children else 1

    def operators(self) -> list[Order]:
        if not self.children:
            return []
        return [self.operator] + [operator for child in self.children for operator in child.operators()]


def ranks_of(values: Order) -> Order:
    """Replace numbers by their ranks: RankListOf of the papers, and any sub-permutation written as a permutation."""
    ordered = sorted(values)
    return tuple(ordered.index(value) + 1 for value in values)


def is_interval(order: Order, start: int, stop: int) -> bool:
    """Tell whether the places hold a contiguous range of ranks (a sub-permutation)."""
    held = set(order[start:stop])
    return held == set(range(min(held), max(held) + 1))


def intervals(order: Order) -> set[Span]:
    n = len(order)
    return {(i, j) for i in range(n) for j in range(i + 1, n + 1) if is_interval(order, i, j)}


def overlap(one: Span, two: Span) -> bool:
    """Tell whether two spans share some places and neither holds the other."""
    first, second = set(range(*one)), set(range(*two))
    return bool(first & second) and not first <= second and not second <= first


def strong_interval_tree(order: Order) -> Tree:
    """The tree of the intervals that overlap no other interval."""
    found = intervals(order)
    strong = [span for span in found if not any(overlap(span, other) for other in found)]

    def build(span: Span) -> Tree:
        start, stop = span
        if stop - start == 1:
            return Tree((), (), order[start])
        inside = [s for s in strong if s != span and start <= s[0] and s[1] <= stop]
        outermost = sorted(s for s in inside if not any(s != t and t[0] <= s[0] and s[1] <= t[1] for t in inside))
        operator = ranks_of(tuple(order[s[0]] for s in outermost))
        return Tree(operator, tuple(build(s) for s in outermost))

    return build((0, len(order)))


def partitions(start: int, stop: int) -> Iterator[tuple[Span, ...]]:
    """All ways to cut a span into at least two adjacent spans."""
    for count in range(1, stop - start):
        for cuts in combinations(range(start + 1, stop), count):
            yield tuple(pairwise((start, *cuts, stop)))


def factorisations(order: Order) -> list[tuple[Order, tuple[Order, ...]]]:
    """All cuts of a permutation into sub-permutations: the operator and the parts (2016, "weak": any number)."""
    found = []
    for cut in partitions(0, len(order)):
        if all(is_interval(order, *span) for span in cut):
            operator = ranks_of(tuple(order[start] for start, _ in cut))
            found.append((operator, tuple(order[start:stop] for start, stop in cut)))
    return found


@cache
def inferences(order: Order) -> tuple[tuple[Order, tuple[Order, ...]], ...]:
    """The factorisations into the minimum number of sub-permutations, the arity (2014, Figure 5)."""
    found = factorisations(order)
    arity = min((len(parts) for _, parts in found), default=1)
    return tuple((operator, parts) for operator, parts in found if len(parts) == arity)


@cache
def all_pets(order: Order) -> tuple[Tree, ...]:
    """Every permutation tree, one by one."""
    if len(order) == 1:
        return (Tree((), (), order[0]),)
    return tuple(
        Tree(operator, children)
        for operator, parts in inferences(order)
        for children in product(*(all_pets(part) for part in parts))
    )


def count_binary_trees(leaves: int) -> int:
    """Catalan(leaves − 1) by counting: choose the size of the left subtree."""
    counts = [0, 1]
    for m in range(2, leaves + 1):
        counts.append(sum(counts[k] * counts[m - k] for k in range(1, m)))
    return counts[leaves]


# --- hierarchical metrics -----------------------------------------------------------------------------------------


def monotone_operator(gamma: float, four: float = 0.0, longer: float = 0.0) -> Callable[[Order], float]:
    """opScore of the papers: 1 for ⟨1,2⟩, γ for ⟨2,1⟩, 0 (or a cost of its own) for the rest."""
    known: dict[Order, float] = {(1, 2): 1.0, (2, 1): gamma, (2, 4, 1, 3): four, (3, 1, 4, 2): four}
    return lambda operator: known.get(operator, longer)


def pef(order: Order, *, beta: float, operator_score: Callable[[Order], float]) -> float:
    """Figure 6 of the 2014 paper, the mean over all inferences."""
    return _figure_6(ranks_of(order), beta, operator_score, lambda found: found)


def pet(order: Order, *, beta: float, operator_score: Callable[[Order], float], branching: str) -> float:
    """Figure 6 with one inference: left-branching keeps the longest first child, right-branching the shortest."""
    choose = max if branching == "left" else min
    return _figure_6(
        ranks_of(order),
        beta,
        operator_score,
        lambda found: (choose(found, key=lambda inference: len(inference[1][0])),),
    )


Inferences = tuple[tuple[Order, tuple[Order, ...]], ...]


def _figure_6(
    order: Order, beta: float, operator_score: Callable[[Order], float], select: Callable[[Inferences], Inferences]
) -> float:
    done: dict[Order, float] = {}

    def node(part: Order) -> float:
        if part not in done:
            found = inferences(part)
            if not found:
                done[part] = 1.0
            elif len(found[0][1]) == len(part):
                done[part] = operator_score(found[0][0])
            else:
                chosen = [inference(parts) for _, parts in select(found)]
                done[part] = beta * operator_score(found[0][0]) + (1 - beta) * sum(chosen) / len(chosen)
        return done[part]

    def inference(parts: tuple[Order, ...]) -> float:
        scores = [node(ranks_of(part)) for part in parts if len(part) > 1]
        return sum(scores) / len(scores)

    return node(order)


def pef_by_size(order: Order, *, beta: float) -> float:
    """``pef:weights=size``: the plain mean over explicit trees, rescaled by the explicit inverted permutation."""
    n = len(order)
    if n == 1:
        return 1.0
    inverted = _mean_size_score(tuple(range(n, 0, -1)), beta)
    return (_mean_size_score(order, beta) - inverted) / (1 - inverted)


@cache
def _mean_size_score(order: Order, beta: float) -> float:
    def score(tree: Tree) -> float:
        if not tree.children:
            return 1.0
        below = sum(child.size() / tree.size() * score(child) for child in tree.children)
        return beta * (tree.operator == (1, 2)) + (1 - beta) * below

    trees = all_pets(order)
    return math.fsum(score(tree) for tree in trees) / len(trees)


def pet_count(order: Order) -> float:
    n = len(order)
    return 1.0 if n <= 2 else (len(all_pets(order)) - 1) / (count_binary_trees(n) - 1)


def pet_size(operators: list[Order], n: int) -> float:
    return 1.0 if n <= 2 else (len(operators) - 1) / (n - 2)


def max_op(operators: list[Order], n: int) -> float:
    return 1.0 if n <= 2 else 1 - (max(map(len, operators)) - 2) / (n - 2)


def avg_op(operators: list[Order], n: int) -> float:
    return 1.0 if n <= 2 else 1 - (sum(map(len, operators)) / len(operators) - 2) / (n - 2)


def non_binary(operators: list[Order], n: int) -> float:
    return 1.0 if n == 1 else 1 - sum(len(operator) > 2 for operator in operators) / len(operators)


SHAPES: dict[str, Callable[[list[Order], int], float]] = {
    "pet-size": pet_size,
    "max-op": max_op,
    "avg-op": avg_op,
    "non-binary": non_binary,
}


# --- weak factorisations (2016, sections 3 and 4) -----------------------------------------------------------------


@dataclass(frozen=True)
class WeakFactorisation:
    """A tree of sub-permutations that need not be factorised to the end, as the set of the spans of its nodes."""

    order: Order
    spans: frozenset[Span]

    def children(self, span: Span) -> list[Span]:
        words = {(place, place + 1) for place in range(*span)}
        inside = [s for s in self.spans | words if s != span and span[0] <= s[0] and s[1] <= span[1]]
        return sorted(s for s in inside if not any(t != s and t[0] <= s[0] and s[1] <= t[1] for t in inside))

    def operators(self) -> list[Order]:
        return [ranks_of(tuple(self.order[start] for start, _ in self.children(span))) for span in self.spans]

    def steps(self) -> Iterator[WeakFactorisation]:
        """Factorise one operator σ into σ′[op₁ … op_m], not all of them words and σ′ shorter than σ."""
        for span in self.spans:
            children = self.children(span)
            operator = ranks_of(tuple(self.order[start] for start, _ in children))
            for cut in partitions(0, len(operator)):
                if len(cut) < len(operator) and all(is_interval(operator, *part) for part in cut):
                    grouped = {(children[i][0], children[j - 1][1]) for i, j in cut if j - i > 1}
                    yield WeakFactorisation(self.order, self.spans | grouped)


def weak_factorisations(order: Order) -> dict[WeakFactorisation, set[WeakFactorisation]]:
    """Everything the flattest factorisation leads to, each with what it leads to in one step; ends are the PETs."""
    found: dict[WeakFactorisation, set[WeakFactorisation]] = {}
    pending = [WeakFactorisation(order, frozenset({(0, len(order))}))]
    while pending:
        wf = pending.pop()
        if wf not in found:
            found[wf] = set(wf.steps())
            pending.extend(found[wf])
    return found


# --- projection policies (DEFINITIONS section 3) ------------------------------------------------------------------


@dataclass(frozen=True)
class Projected:
    """Source words (0-based) in target order as groups; the order inside a group of several words is free."""

    groups: tuple[tuple[int, ...], ...]

    def words(self) -> list[int]:
        return [word for group in self.groups for word in sorted(group)]


def project(links: Links, length: int, policy: str) -> Projected:
    if not links:
        return Projected(())
    first = {s: min(t for other, t in links if other == s) for s, _ in links}
    if policy == "talbot":
        return _project_talbot(first, length)
    targets: list[tuple[int, int]] = []
    for word in range(length):
        left = [w for w in range(word + 1) if w in first]
        right = [w for w in range(word, length) if w in first]
        if word in first:
            targets.append((first[word], word))
        elif policy == "birch":
            targets.append((first[left[-1]] if left else -1, word))
        elif policy == "attach-left":
            targets.append((first[left[-1] if left else right[0]], word))
        elif policy == "attach-right":
            targets.append((first[right[0] if right else left[-1]], word))
        else:
            assert policy == "drop"
    return Projected(tuple((word,) for _, word in sorted(targets)))


def project_judged(links: Links, length: int, policy: str) -> Projected:
    """Project the links of a hypothesis; without links, every word is unaligned and stays where it was."""
    if links or policy not in ("birch", "talbot"):
        return project(links, length, policy)
    return Projected(tuple((word,) for word in range(length)))


def _project_talbot(first: dict[int, int], length: int) -> Projected:
    groups: list[list[int]] = [[s for s in sorted(first) if first[s] == t] for t in sorted(set(first.values()))]
    for word in range(length):
        if word in first:
            continue
        after = [w for w in sorted(first) if w > word]
        if not after:
            groups.append([word])
            continue
        group = next(group for group in groups if after[0] in group)
        if any(member < word for member in group):
            group.append(word)
        else:
            groups.insert(groups.index(group), [word])
    return Projected(tuple(tuple(group) for group in groups))


def compare(judged: Projected, reference: Projected) -> Order:
    """Read the judged words left to right, each as its rank in the reference, whose free groups follow the judged."""
    both = set(judged.words()) & set(reference.words())
    left_to_right = [word for word in judged.words() if word in both]
    wanted: list[int] = []
    for group in reference.groups:
        wanted += sorted((word for word in group if word in both), key=left_to_right.index)
    return tuple(wanted.index(word) + 1 for word in left_to_right)
