"""Slow, literal twins of what the room computes fast, and random trees, rules and reference orders to compare on.

Nothing here uses the package's kernels: trees are values, orders are lists of source positions (0-based).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations, product

import numpy as np
from hypothesis import strategies as st

from wordorder.apps.preorder.language import HEAD, Element, HeadSide, Rule, RuleSet, WordPattern
from wordorder.core.orders.projection import Places
from wordorder.core.runtime.columns import offsets_from_lengths
from wordorder.core.trees import DependencyTree

WORDS = ("a", "A", "b", "c")
LABELS = ("nsubj", "nsubj:pass", "obj", "nmod", "nmod:poss", "punct")
TAGS = ("VERB", "NOUN", "X")
FINE_TAGS = ("VBZ", "NN", "_")
DECLARED = ("VBZ", "NN")

Order = list[int]


# --- trees ---------------------------------------------------------------------------------------------------------


@st.composite
def heads_of(draw: st.DrawFn, *, least: int = 0, most: int = 8) -> list[int]:
    """Attach words in a random order, each to one attached before; the tree may have crossing arcs."""
    count = draw(st.integers(least, most))
    order = draw(st.permutations(range(count)))
    heads = [-1] * count
    for place, word in enumerate(order[1:], start=1):
        heads[word] = order[draw(st.integers(0, place - 1))]
    return heads


@st.composite
def trees(draw: st.DrawFn, *, least: int = 0, most: int = 8) -> DependencyTree:
    heads = draw(heads_of(least=least, most=most))

    def some(names: Sequence[str]) -> tuple[str, ...]:
        return tuple(draw(st.sampled_from(names)) for _ in heads)

    return DependencyTree(some(WORDS), tuple(heads), some(LABELS), some(TAGS), some(FINE_TAGS))


def below(heads: Sequence[int], head: int) -> set[int]:
    """All words that descend from a head, and the head."""
    found = {head}
    while more := {word for word, its in enumerate(heads) if its in found} - found:
        found |= more
    return found


def lifted(heads: Sequence[int]) -> list[int]:
    """While an arc is crossed, attach the dependent of the shortest, leftmost one to its head's head."""
    result = list(heads)
    while True:
        crossed = []
        for word, head in enumerate(result):
            left, right = sorted((word, head))
            if head >= 0 and not set(range(left, right + 1)) - {word} <= below(result, head):
                crossed.append((right - left, left, word))
        if not crossed:
            return result
        word = min(crossed)[2]
        result[word] = result[result[word]]


# --- rules ---------------------------------------------------------------------------------------------------------


@st.composite
def patterns(draw: st.DrawFn, *, labels: Sequence[str], tags: Sequence[str]) -> WordPattern:
    def some(names: Sequence[str]) -> tuple[str, ...]:
        return tuple(draw(st.lists(st.sampled_from(names), max_size=2, unique=True)))

    return WordPattern(some(labels), some(tags), some(("a", "b")))


def child_patterns() -> st.SearchStrategy[WordPattern]:
    return patterns(labels=LABELS, tags=TAGS + DECLARED)


@st.composite
def rules(draw: st.DrawFn) -> Rule:
    turned = st.booleans()
    named = st.builds(Element, child_patterns(), st.sampled_from(list(HeadSide)), turned)
    elements = draw(st.lists(named, max_size=4, unique_by=lambda element: (element.pattern, element.side)))
    elements = [element for element in elements if element.pattern != WordPattern()]
    for side in draw(
        st.sampled_from([(HeadSide.ANY,), (HeadSide.BEFORE, HeadSide.AFTER), (HeadSide.ANY, HeadSide.BEFORE)])
    ):
        elements.insert(draw(st.integers(0, len(elements))), Element(WordPattern(), side, draw(turned)))
    elements.insert(draw(st.integers(0, len(elements))), HEAD)
    return Rule(draw(patterns(labels=LABELS, tags=TAGS + DECLARED)), tuple(elements))


def rule_sets() -> st.SearchStrategy[RuleSet]:
    return st.lists(rules(), max_size=4).map(lambda found: RuleSet("random", tuple(found), (), DECLARED))


def fits(pattern: WordPattern, tree: DependencyTree, word: int) -> tuple[int, int] | None:
    """Label named 2, its family named 1, any 0; then the number of other conditions. None: it does not fit."""
    further = 0
    if pattern.tags:
        if tree.tags[word] not in pattern.tags and tree.fine_tags[word] not in pattern.tags:
            return None
        further += 1
    if pattern.forms:
        if tree.words[word].lower() not in pattern.forms:
            return None
        further += 1
    if not pattern.labels:
        return 0, further
    if tree.labels[word] in pattern.labels:
        return 2, further
    if tree.labels[word].split(":")[0] in pattern.labels:
        return 1, further
    return None


def rule_for(rule_set: RuleSet, tree: DependencyTree, head: int) -> Rule | None:
    for rule in rule_set.rules:
        if fits(rule.head, tree, head) is not None:
            return rule
    return None


def reorder(tree: DependencyTree, rule_set: RuleSet) -> Order:
    """The words of a tree in their new order, from the root down."""
    heads = lifted(tree.heads)

    def write(head: int) -> Order:
        children = [word for word, its in enumerate(heads) if its == head]
        rule = rule_for(rule_set, tree, head)
        if rule is None:
            groups = [[word] for word in sorted([*children, head])]
        else:
            groups = [[head] if element.pattern is None else [] for element in rule.elements]
            for child in children:
                groups[_choose(rule, tree, child, HeadSide.AFTER if child > head else HeadSide.BEFORE)].append(child)
            groups = [
                group[::-1] if element.reversed else group for element, group in zip(rule.elements, groups, strict=True)
            ]
        order: Order = []
        for word in [word for group in groups for word in group]:
            order += [head] if word == head else write(word)
        return order

    return write(heads.index(-1)) if heads else []


def _choose(rule: Rule, tree: DependencyTree, child: int, side: HeadSide) -> int:
    best: tuple[int, int] | None = None
    chosen = -1
    for place, element in enumerate(rule.elements):
        if element.pattern is None or element.side not in (HeadSide.ANY, side):
            continue
        found = fits(element.pattern, tree, child)
        if found is None:
            continue
        if element.side is not HeadSide.ANY:
            found = (found[0], found[1] + 1)
        if best is None or found > best:
            best, chosen = found, place
    return chosen


def tree_orders(heads: Sequence[int]) -> Iterator[Order]:
    """Every order a projective tree allows: each head and its children's phrases in any order."""

    def write(head: int) -> Iterator[Order]:
        children = [word for word, its in enumerate(heads) if its == head]
        for arranged in permutations([head, *children]):
            for parts in product(*([[head]] if word == head else list(write(word)) for word in arranged)):
                yield [word for part in parts for word in part]

    if not heads:
        yield []
    else:
        yield from write(list(heads).index(-1))


# --- reference orders ----------------------------------------------------------------------------------------------


@st.composite
def places_of(draw: st.DrawFn, length: int, *, drop: bool = True) -> list[int]:
    """Where the words of a sentence go: even and odd places, shared or not, −1 for words without one."""
    place = st.integers(-1 if drop else 0, 7)
    return draw(st.lists(place, min_size=length, max_size=length))


def column_of(rows: Sequence[Sequence[int]], *, policy: str = "talbot") -> Places:
    flat = np.array([place for row in rows for place in row], dtype=np.int32)
    return Places(flat, offsets_from_lengths([len(row) for row in rows]), policy)


def wish(places: Sequence[int], one: int, two: int) -> int:
    """What the reference wants of two words: −1 the first in front, 1 the second in front, 0 either will do."""
    if -1 in (places[one], places[two]):
        return 0
    if places[one] == places[two]:
        return 0 if places[one] % 2 else (-1 if one < two else 1)
    return -1 if places[one] < places[two] else 1


def discordant(order: Order, places: Sequence[int]) -> int:
    """Pairs of words in the wrong order."""
    return sum(wish(places, one, two) > 0 for one, two in combinations(order, 2))


def compare(words: Sequence[str], order: Order, places: Sequence[int], *, instances: str) -> tuple[int, ...]:
    """The words of a new order by their ranks (from 1) in the reference, which has its free groups as the order has.

    By words, the first instance of a word in the new order is the first one in the reference, and so on.
    """
    order = [word for word in order if places[word] >= 0]
    if instances == "words":
        waiting = sorted(order, key=lambda word: (places[word], word))
        matched = []
        for word in order:
            found = next(other for other in waiting if words[other] == words[word])
            waiting.remove(found)
            matched.append(found)
        order = matched
    wanted: Order = []
    for place in sorted({places[word] for word in order}):
        group = [word for word in order if places[word] == place]
        wanted += group if place % 2 else sorted(group)
    return tuple(wanted.index(word) + 1 for word in order)
