"""The counts from which a grammar is learned: how often a treebank uses each rule and each word.

Trees are binarised with horizontal markovisation, so that rules have at most two right-hand-side categories.

A phrase with more than two children is built in several steps, each of which adds one child. The category of a step,
``@parent|context``, records the parent, the head child (in head-outward binarisation only) and the last
``horizontal`` sisters. Head-outward binarisation starts with the head, adds the children on its right, then those on
its left (Collins 1999, Klein and Manning 2003). Left-factored binarisation separates the leftmost child from the
rest, then the next child, and so on. A chain of nodes with one child each becomes a single unary rule, so a span
never needs more than one.

Refined treebank categories make a context-free grammar sensitive to context.

Vertical markovisation adds the parent to the category (Johnson 1998): ``NP^S`` is a subject, ``NP^VP`` an object. For
English, there are also splits of Klein and Manning (2003), *Accurate unlexicalized parsing*: those that improve
results with a treebank of about ten thousand sentences. Each split has a name and can be switched off.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np

from wordorder.core.runtime.columns import Int64s
from wordorder.core.runtime.errors import InputError, check_choice, refuse, reject
from wordorder.core.trees import ROOT_LABEL, ConstituencyTrees, HeadRules

SPLITS: dict[str, str] = {
    "tag-parent": "tags carry the category of their parent",
    "in": "prepositions and complementisers carry the category above their parent",
    "possessive": "a noun phrase that ends in a possessive marker is marked",
    "base-np": "a noun phrase without a noun phrase right below is marked",
    "verb-form": "verb phrases and clauses carry the form of their first verb: finite, base, infinitive, …",
}
"""The name and the effect of each split."""

_FINITE = frozenset({"VBD", "VBZ", "VBP", "MD"})
_VERBAL = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "MD", "TO", "VP"})


def _ancestors(node: int, height: int, labels: Sequence[str], parents: Sequence[int]) -> str:
    names = ""
    for _ in range(min(height, len(parents))):
        node = parents[node] if node >= 0 else node
        names += f"^{labels[node]}" if node >= 0 else ""
    return names


def _verb_form(node: int, labels: Sequence[str], children: Sequence[Sequence[int]]) -> str:
    """Return the form of the inflected verb, that is, of the first verb found by descending through verb phrases."""
    while children[node]:
        verbal = [child for child in children[node] if labels[child] in _VERBAL]
        if not verbal:
            return ""
        node = verbal[0]
    return "-FIN" if labels[node] in _FINITE else f"-{labels[node]}"


BINARISATIONS = ("head", "left")


class BinaryStep(NamedTuple):
    """One step of binarisation, which joins ``left`` and ``right``.

    ``left`` and ``right`` are node numbers, or negative numbers for earlier steps: −1 is the first step, −2 the
    second, and so on.
    """

    context: tuple[str, ...]
    left: int
    right: int


def binarise(
    children: Sequence[int], head: int, labels: Sequence[str], *, horizontal: int, binarisation: str
) -> list[BinaryStep]:
    """Return the steps that build a phrase from two or more children, innermost first; the last one completes it.

    The context of a step lists the labels that the category of the step records, most important first.

    >>> labels = ["VP", "RB", "VBZ", "NP", "PP"]
    >>> for step in binarise([1, 2, 3, 4], 2, labels, horizontal=1, binarisation="head"):
    ...     print(step)
    BinaryStep(context=('VBZ', '>NP'), left=2, right=3)
    BinaryStep(context=('VBZ', '>PP'), left=-1, right=4)
    BinaryStep(context=(), left=1, right=-2)
    """
    steps: list[BinaryStep] = []
    if binarisation == "left":
        current = children[-1]
        for place in range(len(children) - 2, -1, -1):
            before = [f"<{labels[child]}" for child in children[max(0, place - horizontal) : place]][::-1]
            steps.append(BinaryStep(tuple(before), children[place], current))
            current = -len(steps)
    else:
        at = children.index(head)
        current = head
        added: list[str] = []
        for child in (*children[at + 1 :], *children[:at][::-1]):
            after = child in children[at:]
            added.append(f"{'>' if after else '<'}{labels[child]}")
            parts = (current, child) if after else (child, current)
            steps.append(BinaryStep((labels[head], *added[::-1][:horizontal]), *parts))
            current = -len(steps)
    steps[-1] = steps[-1]._replace(context=())
    return steps


def unary_chains(children: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Yield each maximal chain of nodes as a list, ordered from top to bottom.

    Every node of a chain except the last has exactly one child. A node that is not part of a longer chain is a chain
    by itself.

    >>> list(unary_chains([[1], [2], [3, 4], [], []]))
    [[0, 1, 2], [3], [4]]
    """
    inside = [False] * len(children)
    for node in range(len(children)):
        if inside[node]:
            continue
        chain = [node]
        while len(children[chain[-1]]) == 1:
            chain.append(children[chain[-1]][0])
            inside[chain[-1]] = True
        yield chain


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
        refuse(self.vertical < 1, f"the order of vertical markovisation must be 1 or more, not {self.vertical}")
        for split in self.splits:
            check_choice(split, SPLITS, "split")
        refuse(self.horizontal < 0, f"the order of horizontal markovisation must be 0 or more, not {self.horizontal}")
        check_choice(self.binarisation, BINARISATIONS, "binarisation")

    def refine(self, labels: Sequence[str], parents: Sequence[int], children: Sequence[Sequence[int]]) -> list[str]:
        """Return the refined category of every node of one tree; the nodes must be in preorder.

        >>> GrammarOptions().refine(["ROOT", "NP", "DT", "NN"], [-1, 0, 1, 1], [[1], [2, 3], [], []])
        ['ROOT', 'NP^ROOT-B', 'DT^NP', 'NN^NP']
        """
        names = []
        for node, label in enumerate(labels):
            if children[node]:
                above = _ancestors(node, self.vertical - 1, labels, parents)
                names.append(label + above + self._marks(node, labels, children))
            else:
                height = ("tag-parent" in self.splits) + ("in" in self.splits and label == "IN")
                names.append(label + _ancestors(node, height, labels, parents))
        return names

    def _marks(self, node: int, labels: Sequence[str], children: Sequence[Sequence[int]]) -> str:
        below = [labels[child] for child in children[node]]
        if labels[node] == "NP":
            if "possessive" in self.splits and below[-1] == "POS":
                return "-P"
            if "base-np" in self.splits and "NP" not in below:
                return "-B"
        if "verb-form" in self.splits and labels[node] in ("VP", "S"):
            return _verb_form(node, labels, children)
        return ""


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


def count_treebank(trees: ConstituencyTrees, options: GrammarOptions | None = None) -> RuleCounts:
    """Count the rules and words of a treebank. Every tree must have the root label ROOT, which file readers add.

    Head rules affect head-outward binarisation only; they are the English ones with function words as heads.
    """
    options = options or GrammarOptions()
    plain = {"nominal_prepositions": False, "verbal_complementisers": False, "auxiliary_modifiers": False}
    reject(not len(trees), "cannot learn a grammar: the treebank contains no trees")
    counter = _Counter(options)
    for tree in _unpack(trees, HeadRules.english(**plain)):
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
        self.binarise = partial(binarise, horizontal=options.horizontal, binarisation=options.binarisation)
        self.trees: list[tuple[_UnpackedTree, list[str], dict[int, list[BinaryStep]]]] = []
        self.contexts: Counter[tuple[str, tuple[str, ...]]] = Counter()

    def add(self, tree: _UnpackedTree) -> None:
        names = self.options.refine(tree.labels, tree.parents, tree.children)
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
