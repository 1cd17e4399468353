"""The counts from which a grammar is learned: how often a treebank uses each rule and each word."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from wordorder.core.runtime.columns import Int64s
from wordorder.core.runtime.errors import InputError, UsageError, choices
from wordorder.core.trees import ROOT_LABEL, ConstituencyTrees, HeadRules
from wordorder.linking.parsing.binarisation import BINARISATIONS, BinaryStep, binarise, unary_chains
from wordorder.linking.parsing.state_splits import SPLITS, StateSplits

TAG, PHRASE, STEP = range(3)
"""The kinds of category: the tag of a word, a constituent, or a step towards a constituent."""


@dataclass(frozen=True)
class GrammarOptions:
    """Options for learning a grammar.

    ``vertical`` and ``horizontal`` are the orders of markovisation. ``binarisation`` is ``head`` (head-outward) or
    ``left`` (left-factored). ``splits`` names the category refinements to apply. If the context of a binarisation
    step occurs fewer than ``rare`` times, it is shortened.
    """

    vertical: int = 2
    horizontal: int = 1
    binarisation: str = "head"
    rare: int = 10
    splits: tuple[str, ...] = tuple(SPLITS)

    def __post_init__(self) -> None:
        StateSplits(self.vertical, self.splits)
        if self.horizontal < 0:
            raise UsageError(f"the order of horizontal markovisation must be 0 or more, not {self.horizontal}")
        if self.binarisation not in BINARISATIONS:
            raise choices(self.binarisation, list(BINARISATIONS), what="binarisation")


@dataclass(frozen=True)
class Category:
    """A category: its kind, its label (for a step, that of the constituent it builds), and its refined name."""

    kind: int
    label: str
    name: str


@dataclass(frozen=True, eq=False)
class RuleCounts:
    """How often a treebank uses each rule and each word. Categories are numbered: tags, then phrases, then steps.

    The rows of ``binary`` are (parent, left, right, count); those of ``unary`` are (top, bottom, count), one per
    unary chain, and ``middles`` has the labels between top and bottom. ``stay`` has, for each category, the number of
    nodes that do not begin a unary chain. ``words`` maps each word, together with whether it begins a sentence, to
    the counts of its tags.
    """

    categories: tuple[Category, ...]
    binary: Int64s
    unary: Int64s
    middles: tuple[tuple[str, ...], ...]
    stay: Int64s
    words: dict[tuple[str, bool], Counter[int]]
    options: GrammarOptions = field(default_factory=GrammarOptions)


def count_treebank(
    trees: ConstituencyTrees, options: GrammarOptions | None = None, *, head_rules: HeadRules | None = None
) -> RuleCounts:
    """Count the rules and words of a treebank. Every tree must have the root label ROOT, which file readers add.

    Head rules affect head-outward binarisation only. The default is the English head rules with function words as
    heads.
    """
    options = options or GrammarOptions()
    head_rules = head_rules or HeadRules.english(
        nominal_prepositions=False, verbal_complementisers=False, auxiliary_modifiers=False
    )
    if not len(trees):
        raise InputError("cannot learn a grammar: the treebank contains no trees")
    counter = _Counter(options)
    for tree in _unpack(trees, head_rules):
        counter.add(tree)
    return counter.finish()


@dataclass(frozen=True)
class _UnpackedTree:
    """One tree converted to Python lists for counting; ``heads`` has the head child of each node."""

    labels: list[str]
    parents: list[int]
    children: list[list[int]]
    heads: list[int]
    words: list[str]


def _unpack(trees: ConstituencyTrees, head_rules: HeadRules) -> list[_UnpackedTree]:
    strings = trees.strings.to_pylist()
    head_children = head_rules.head_children(trees)
    result = []
    for row in range(len(trees)):
        nodes = slice(trees.node_offsets[row], trees.node_offsets[row + 1])
        labels = [strings[label] for label in trees.labels[nodes].tolist()]
        parents = trees.parents[nodes].tolist()
        words = [strings[word] for word in trees.words[trees.offsets[row] : trees.offsets[row + 1]].tolist()]
        if labels[0] != ROOT_LABEL or len(labels) == 1:
            raise InputError(f"tree {row + 1} has the root {labels[0]!r}; expected {ROOT_LABEL!r} above the sentence")
        children: list[list[int]] = [[] for _ in labels]
        for node, parent in enumerate(parents[1:], start=1):
            children[parent].append(node)
        result.append(_UnpackedTree(labels, parents, children, head_children[nodes].tolist(), words))
    return result


class _Counter:
    """Collects trees and counts their rules.

    All contexts must be counted before any step is named, because rare contexts are shortened in the names.
    """

    def __init__(self, options: GrammarOptions) -> None:
        self.options = options
        self.annotation = StateSplits(options.vertical, options.splits)
        self.binarise = partial(binarise, horizontal=options.horizontal, binarisation=options.binarisation)
        self.trees: list[tuple[_UnpackedTree, list[str], dict[int, list[BinaryStep]]]] = []
        self.contexts: Counter[tuple[str, tuple[str, ...]]] = Counter()

    def add(self, tree: _UnpackedTree) -> None:
        names = self.annotation.refine(tree.labels, tree.parents, tree.children)
        steps = {
            node: self.binarise(below, tree.heads[node], tree.labels)
            for node, below in enumerate(tree.children)
            if len(below) > 1
        }
        for node, own in steps.items():
            for step in own[:-1]:
                for size in range(len(step.context) + 1):
                    self.contexts[names[node], step.context[:size]] += 1
        self.trees.append((tree, names, steps))

    def finish(self) -> RuleCounts:
        binary: Counter[tuple[Category, Category, Category]] = Counter()
        unary: Counter[tuple[Category, Category, tuple[str, ...]]] = Counter()
        stay: Counter[Category] = Counter()
        words: defaultdict[tuple[str, bool], Counter[Category]] = defaultdict(Counter)
        for tree, names, steps in self.trees:
            nodes = [
                Category(PHRASE if below else TAG, label, name)
                for below, label, name in zip(tree.children, tree.labels, names, strict=True)
            ]
            tags = (node for node, below in zip(nodes, tree.children, strict=True) if not below)
            for place, (word, tag) in enumerate(zip(tree.words, tags, strict=True)):
                words[word, place == 0][tag] += 1
            for chain in unary_chains(tree.children):
                if len(chain) > 1:
                    middle = tuple(tree.labels[node] for node in chain[1:-1])
                    unary[nodes[chain[0]], nodes[chain[-1]], middle] += 1
                elif tree.children[chain[0]]:
                    stay[nodes[chain[0]]] += 1
            for node, own in steps.items():
                made = [self._step(nodes[node], step.context) for step in own[:-1]] + [nodes[node]]
                for step, parent in zip(own, made, strict=True):
                    left, right = (nodes[part] if part >= 0 else made[-part - 1] for part in (step.left, step.right))
                    binary[parent, left, right] += 1
        used = {category for rule in binary for category in rule}
        used |= {category for top, bottom, _ in unary for category in (top, bottom)} | set(stay)
        used |= {tag for tags in words.values() for tag in tags}
        categories = tuple(sorted(used, key=lambda category: (category.kind, category.label, category.name)))
        number = {category: place for place, category in enumerate(categories)}
        binary_rows = sorted((*(number[part] for part in rule), count) for rule, count in binary.items())
        rows = ((number[top], number[bottom], middle, count) for (top, bottom, middle), count in unary.items())
        unary_rows = sorted(rows)
        return RuleCounts(
            categories,
            table(binary_rows, 4),
            table([(top, bottom, count) for top, bottom, _, count in unary_rows], 3),
            tuple(middle for _, _, middle, _ in unary_rows),
            np.array([stay[category] for category in categories], dtype=np.int64),
            {word: Counter({number[tag]: count for tag, count in tags.items()}) for word, tags in words.items()},
            self.options,
        )

    def _step(self, parent: Category, context: tuple[str, ...]) -> Category:
        """Return the category of a step; a rare context is shortened from the end, but never loses the head child."""
        least = 1 if self.options.binarisation == "head" else 0
        while len(context) > least and self.contexts[parent.name, context] < self.options.rare:
            context = context[:-1]
        return Category(STEP, parent.label, f"{parent.name}|{''.join(context)}")


def table(rows: Sequence[Sequence[int]], columns: int) -> Int64s:
    """Return rows of numbers as a two-dimensional array, which has ``columns`` columns even if it is empty."""
    return np.array(rows, dtype=np.int64).reshape(len(rows), columns)
