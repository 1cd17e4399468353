"""Learn a set of precedence rules from reference orders, for example for a new language pair.

Neighbours are two children of a head, or a child and its head. Kinds of children are assigned to positions in a rule,
so that as many pairs of neighbours as possible are in order.

A rule is learned for each category (part of speech) of heads. A kind of child is a label and a side of the
head; the head itself is another kind. For every two kinds, the algorithm counts how often one precedes the other in
the reference orders. It starts from rules that do not reorder, and moves kinds to the positions in which the most
pairs are in the right order (:func:`arrange`). Labels that do not improve the metric are then removed.

Finally, rules that do not help on held-out sentences are switched off. The corpus is divided into parts, and for each
part, rules are learned from the other parts. Two sets of categories are tried: those whose rules improve the score
when added to all other rules, and those whose rules improve it alone. The set with the larger improvement is kept. If
the improvement is not larger than its standard error, nothing is reordered, because the rules might do harm on other
text.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from wordorder.apps.preorder.language import HEAD, LABELS, Element, HeadSide, Rule, RuleSet, WordPattern, can_be_named
from wordorder.apps.preorder.precedence import Precedence, Reorderer, compare_neighbours, reorder
from wordorder.apps.preorder.reference import Reference, order_metric
from wordorder.core.orders.permutation import Permutations
from wordorder.core.runtime.columns import Bools, Floats, Int64s, Ints
from wordorder.core.runtime.errors import InputError, UsageError, count_of, refuse, reject
from wordorder.core.runtime.kernels import inner_kernel, kernel
from wordorder.core.runtime.threads import progress
from wordorder.core.trees.dependency import BLANK, DependencyTrees
from wordorder.formats.conllu import TAGS

_SIDES = (HeadSide.BEFORE, HeadSide.AFTER)
_UNCHANGED = (Element(WordPattern(), HeadSide.BEFORE), HEAD, Element(WordPattern(), HeadSide.AFTER))


@dataclass(frozen=True)
class Learner:
    """Settings for learning rules.

    ``least`` is the smallest number of examples from which something is learned. In a category, a label that occurs
    fewer times has no position of its own: a subtype is treated as its main type (``nmod:tmod`` as ``nmod``), and a
    main type as one of the other children. A category with fewer heads has no rule of its own, and each move must put
    at least ``least`` more pairs in the right order. Rules are pruned by ``metric``. The corpus is divided into
    ``parts`` to check rules on held-out sentences; with 0, all rules are kept.
    """

    least: int = 5
    metric: str = "fuzzy"
    parts: int = 3

    def __post_init__(self) -> None:
        refuse(self.least < 1, f"the minimum number of examples must be 1 or more, not {self.least}")
        if self.parts < 0 or self.parts == 1:
            raise UsageError(f"the number of parts must be 2 or more, or 0 to skip rule checks, not {self.parts}")
        order_metric(self.metric)  # reject an unknown metric before the work begins

    def learn(self, trees: DependencyTrees, reference: Reference, *, name: str = "learned") -> RuleSet:
        """Learn a rule set from trees and the reference orders of their words."""
        return self.learn_from(Reorderer(trees), reference, name=name)

    def learn_from(self, trees: Reorderer, reference: Reference, *, name: str = "learned") -> RuleSet:
        """Learn a rule set from trees that are prepared for reordering and the reference orders of their words."""
        pairs = compare_neighbours(trees.trees, reference.places)
        rules = self._prune(self.propose(pairs, name=name), trees, reference)
        changed = [rule.head for rule in rules if rule.elements != _UNCHANGED]
        if not self.parts or not changed:
            return rules
        return _simplified(_only(rules, self._useful(changed, trees, reference)))

    def _useful(self, categories: list[WordPattern], trees: Reorderer, reference: Reference) -> set[WordPattern]:
        """Return the categories whose rules improve the score on held-out sentences."""
        metric = order_metric(self.metric)
        learned = list(self._learn_parts(trees, reference))
        plain = reference.segment_scores(trees.reorder(RuleSet("", ())), metric)

        def gain(chosen: set[WordPattern]) -> Floats:
            scores = [reference.segment_scores(trees.reorder(_only(rules, chosen)), metric) for rules, _ in learned]
            parts = [one[part] - plain[part] for one, (_, part) in zip(scores, learned, strict=True)]
            return np.concatenate([np.zeros(0), *parts])

        everything = set(categories)
        whole = gain(everything)
        in_addition = {one for one in categories if np.nansum(whole - gain(everything - {one})) > 0}
        alone = {one for one in categories if _clearly_positive(gain({one}))}
        gains = [
            (float(np.nansum(found)), chosen)
            for chosen in (in_addition, alone)
            if _clearly_positive(found := gain(chosen))
        ]
        return max(gains, key=lambda each: each[0])[1] if gains else set()

    def _learn_parts(self, trees: Reorderer, reference: Reference) -> Iterator[tuple[RuleSet, Int64s]]:
        """Yield, for each part of the sentences, the rules learned without it, and the row indices of the part."""
        known = np.flatnonzero(reference.defined)
        for part in np.array_split(known, min(self.parts, len(known))):
            others = reference.defined.copy()
            others[part] = False
            rest = reference.keep(others)
            pairs = compare_neighbours(trees.trees, rest.places)
            if (pairs.before + pairs.after).any():
                yield self._prune(self.propose(pairs), trees, rest), part

    def propose(self, pairs: Precedence, *, name: str = "learned") -> RuleSet:
        """Learn rules from the reference orders of neighbours in the trees; they are not pruned by the metric yet."""
        pairs = pairs.keep(pairs.before + pairs.after > 0)  # pairs without a reference order teach nothing
        reject(not len(pairs), "there is nothing to learn from, because no head with children has a reference order")
        strings = pairs.trees.strings.to_pylist()
        tags = _categories(pairs.trees, strings)
        found, counts = np.unique(tags[np.unique(pairs.head)], return_counts=True)
        often = [
            (-count, strings[tag], tag)
            for tag, count in zip(found.tolist(), counts.tolist(), strict=True)
            if count >= self.least and can_be_named(strings[tag])
        ]
        rules = []
        rest = np.ones(len(pairs), dtype=np.bool_)
        for _, written, tag in sorted(often):
            rows = tags[pairs.head] == tag
            rest &= ~rows
            rules.append(Rule(WordPattern(tags=(written,)), self._elements(pairs, np.flatnonzero(rows), strings)))
        rules.append(Rule(WordPattern(), self._elements(pairs, np.flatnonzero(rest), strings)))
        return _declare(RuleSet(name, tuple(rules)))

    def _elements(self, pairs: Precedence, rows: Int64s, strings: list[str]) -> tuple[Element, ...]:
        """Learn the elements of the rule for one category from the pairs of neighbours in ``rows``."""
        head, first, second = pairs.head[rows], pairs.first[rows], pairs.second[rows]
        children = np.unique(np.concatenate((first[first != head], second[second != head])))
        kinds, kind_of = self._kinds(pairs.trees, children, strings)
        one, other = np.where(first == head, 0, kind_of[first]), np.where(second == head, 0, kind_of[second])
        wish = np.sign(pairs.before[rows] - pairs.after[rows])
        kept, turned = np.zeros((2, len(kinds) + 1, len(kinds) + 1), dtype=np.int64)
        np.add.at(kept, (one[wish > 0], other[wish > 0]), 1)  # the reference keeps the source order
        np.add.at(turned, (one[wish < 0], other[wish < 0]), 1)
        start = np.array([1, *(2 * after for _, after in kinds)])
        ahead = kept + turned.T
        place, backwards = arrange(ahead, _symmetric(kept), _symmetric(turned), start, self.least)
        return tuple(_write(kinds, place, backwards))

    def _kinds(
        self, trees: DependencyTrees, children: Int64s, strings: list[str]
    ) -> tuple[list[tuple[str, int]], Int64s]:
        """Return all kinds of children, and the number of each word's kind.

        A kind is a label ("" for other children) and a side (0: before the head, 1: after it). Kinds are numbered
        from 1; 0 is the head.
        """
        starts = np.repeat(trees.offsets[:-1], trees.lengths)[children]
        after = children - starts > trees.heads[children]
        found, place, counts = np.unique(trees.labels[children] * 2 + after, return_inverse=True, return_counts=True)
        names = [(strings[code // 2], code % 2) for code in found.tolist()]
        names = [(label if can_be_named(label) else "", side) for label, side in names]
        sizes: Counter[tuple[str, int]] = Counter()
        for number, count in enumerate(counts.tolist()):
            label, side = names[number]
            if count < self.least:
                names[number] = label.partition(":")[0], side
            sizes[names[number]] += count
        names = [name if sizes[name] >= self.least else ("", name[1]) for name in names]
        kinds = sorted({("", 0), ("", 1), *names})
        number_of = np.zeros(len(trees.words), dtype=np.int64)
        number_of[children] = np.array([kinds.index(name) + 1 for name in names], dtype=np.int64)[place]
        return kinds, number_of

    def _prune(self, rules: RuleSet, trees: Reorderer, reference: Reference) -> RuleSet:
        """Remove labels from rules, and then switch off whole rules, wherever this does not lower the score."""
        metric = order_metric(self.metric)
        best = reference.score(trees.reorder(rules), metric)
        for number in range(len(rules)):
            labels = [
                (label, element.side)
                for element in rules.rules[number].elements
                if element.pattern
                for label in element.pattern.labels
            ]
            for change in (*labels, None):
                elements = rules.rules[number].elements
                if elements == _UNCHANGED:
                    break
                simpler = _UNCHANGED if change is None else _without(elements, *change)
                rule = replace(rules.rules[number], elements=simpler)
                smaller = replace(rules, rules=(*rules.rules[:number], rule, *rules.rules[number + 1 :]))
                found = reference.score(trees.reorder(smaller), metric)
                if found >= best:
                    best, rules = found, smaller
        return _simplified(rules)


@dataclass(frozen=True)
class CrossValidation:
    """Settings for cross-validation: each part of the corpus is reordered by rules learned from the other parts.

    The corpus is divided into ``folds`` parts of consecutive sentences, so that few documents are split.
    """

    folds: int = 10
    learner: Learner = Learner()

    def __post_init__(self) -> None:
        refuse(self.folds < 2, f"cross-validation needs 2 folds or more, not {self.folds}")

    def reorder(self, trees: DependencyTrees, reference: Reference) -> Permutations:
        """Reorder every sentence by rules that were learned without its part of the corpus."""
        if len(trees) < self.folds:
            raise InputError(f"{count_of(len(trees), 'sentence')} cannot be split into {self.folds} folds; use fewer")
        ends = [len(trees) * fold // self.folds for fold in range(self.folds + 1)]
        rows = np.arange(len(trees))
        ready = Reorderer(trees)
        parts = []
        for start, stop in progress(list(pairwise(ends)), label="cross-validating", unit=" parts"):
            known = reference.keep((rows < start) | (rows >= stop))
            parts.append(reorder(trees[start:stop], self.learner.learn_from(ready, known)))
        return Permutations.concatenate(parts)


def _only(rules: RuleSet, chosen: set[WordPattern]) -> RuleSet:
    """Switch off reordering in all rules except those for the chosen categories of heads."""
    kept = (rule if rule.head in chosen else replace(rule, elements=_UNCHANGED) for rule in rules)
    return replace(rules, rules=tuple(kept))


def _simplified(rules: RuleSet) -> RuleSet:
    """Remove the rules that do not reorder, unless the last rule, which is for all other heads, does reorder."""
    *categories, rest = rules.rules
    if rest.elements == _UNCHANGED:
        changed = (rule for rule in categories if rule.elements != _UNCHANGED)
        rules = replace(rules, rules=(*changed, rest))
    return _declare(rules)


def _clearly_positive(gains: Floats) -> bool:
    """Return whether the mean of the defined gains is larger than its standard error."""
    found = gains[~np.isnan(gains)]
    return len(found) > 1 and float(found.mean()) > float(found.std(ddof=1)) / len(found) ** 0.5


def _categories(trees: DependencyTrees, strings: list[str]) -> Ints:
    """Return the category of each word: its coarse tag or, if the treebank has no coarse tags, its fine tag."""
    coarse = {strings[tag] for tag in np.unique(trees.tags).tolist()}
    return trees.fine_tags if coarse <= {BLANK} else trees.tags


def _symmetric(counts: Int64s) -> Int64s:
    """Return ``counts`` plus its transpose; the diagonal, which counts pairs of the same kind, is not doubled."""
    result = counts + counts.T
    np.fill_diagonal(result, counts.diagonal())
    return result


def _write(kinds: list[tuple[str, int]], place: Int64s, backwards: Bools) -> Iterator[Element]:
    """Yield the elements of a rule in the order of their positions.

    Each position becomes one element for each side of the head, because children on different sides are never mixed.
    A label in the same position as ``[other children]`` is not written, unless it is a subtype whose main type has a
    different position; without an element of its own, the subtype would move to that position.
    """
    place_of = dict(zip(kinds, place[1:].tolist(), strict=True))
    for this in range(int(place.max()) + 1):
        if this == place[0]:
            yield HEAD
            continue
        turned = bool(backwards[this])
        for side in (1, 0) if turned else (0, 1):
            labels = [label for label, after in kinds if after == side and place_of[label, after] == this]
            if "" in labels:
                families = {label: place_of.get((label.partition(":")[0], side), this) for label in labels}
                labels.remove("")
                astray = tuple(label for label in labels if families[label] != this)
                if astray:
                    yield Element(WordPattern(astray), _SIDES[side], turned)
                yield Element(WordPattern(), _SIDES[side], turned)
            elif labels:
                yield Element(WordPattern(tuple(labels)), _SIDES[side], turned)


def _without(elements: tuple[Element, ...], label: str, side: HeadSide) -> tuple[Element, ...]:
    """Remove a label on one side of the head from the elements, so that it has no position of its own."""
    result = []
    for element in elements:
        if element.pattern and element.side is side and label in element.pattern.labels:
            rest = tuple(other for other in element.pattern.labels if other != label)
            if not rest:
                continue
            element = replace(element, pattern=replace(element.pattern, labels=rest))
        result.append(element)
    return tuple(result)


def _declare(rules: RuleSet) -> RuleSet:
    """Declare all labels and tags in the rules that are not in Universal Dependencies; return the new rule set."""
    labels = sorted(label for label in rules.named("labels") if label.partition(":")[0] not in LABELS)
    return replace(rules, labels=tuple(labels), tags=tuple(sorted(rules.named("tags") - set(TAGS))))


@kernel
def arrange(ahead: Int64s, kept: Int64s, turned: Int64s, start: Int64s, least: int) -> tuple[Int64s, Bools]:
    """Return the position of each kind in the rule, and a flag for each position that says whether it is reversed.

    Kind 0 is the head, which is alone in its position. The matrices give numbers of pairs of neighbours that are in
    the right order: ``ahead[i, j]`` if kind i has an earlier position than kind j; ``kept[i, j]`` if they have the
    same position, so that the pairs keep the source order; and ``turned[i, j]`` if this position is reversed.
    ``kept`` and ``turned`` are symmetric; their diagonals count pairs of the same kind.

    The search begins with the positions ``start``. Each step moves a kind to another position or to a new one, or it
    reverses a position, whichever puts the most additional pairs in the right order. The search ends when no step
    adds at least ``least`` pairs.
    """
    kinds = len(start)
    place = start.copy()
    reversed_ = np.zeros(kinds, dtype=np.bool_)
    while True:
        best = np.int64(max(least, 1) - 1)
        key, target = -1, 0
        places = place.max() + 1
        for kind in range(kinds):
            now = _fulfilled(kind, 2 * place[kind], ahead, kept, turned, place, reversed_)
            # even goals are the existing places; odd goals lie between them
            for goal in range(-1, 2 * places):
                if goal % 2 == 0 and (kind == 0 or goal == 2 * place[0]):
                    continue
                gain = _fulfilled(kind, goal, ahead, kept, turned, place, reversed_) - now
                if gain > best:
                    best, key, target = gain, kind, goal
        turn = -1
        for this in range(places):
            gain = np.int64(0)
            for i in range(kinds):
                for j in range(i + 1):
                    if place[i] == this and place[j] == this:
                        gain += turned[i, j] - kept[i, j]
            gain = -gain if reversed_[this] else gain
            if gain > best:
                best, turn = gain, this
        if turn >= 0:
            reversed_[turn] = not reversed_[turn]
        elif key >= 0:
            moved = 2 * place
            moved[key] = target
            used = np.unique(moved)
            before = reversed_.copy()
            for rank in range(len(used)):
                if used[rank] % 2 == 0:
                    reversed_[rank] = before[used[rank] // 2]
                else:
                    reversed_[rank] = turned[key, key] > kept[key, key]
            for kind in range(kinds):
                place[kind] = np.searchsorted(used, moved[kind])
        else:
            return place, reversed_


@inner_kernel
def _fulfilled(
    kind: int, goal: int, ahead: Int64s, kept: Int64s, turned: Int64s, place: Int64s, reversed_: Bools
) -> np.int64:
    """Count the pairs with children of one kind that are in the right order if the kind is moved to ``goal``.

    An even ``goal`` is twice the index of an existing position; an odd one is a new position between two others.
    """
    if goal % 2:
        total: np.int64 = max(kept[kind, kind], turned[kind, kind])
    else:
        total = turned[kind, kind] if reversed_[goal // 2] else kept[kind, kind]
    for other in range(len(place)):
        if other == kind:
            continue
        if 2 * place[other] < goal:
            total += ahead[other, kind]
        elif 2 * place[other] > goal:
            total += ahead[kind, other]
        elif reversed_[place[other]]:
            total += turned[kind, other]
        else:
            total += kept[kind, other]
    return total
