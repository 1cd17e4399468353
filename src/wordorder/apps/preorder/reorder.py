"""Apply rules to parsed sentences, and return the new order of their words.

From the root downwards, the rule that matches a head arranges the head and the phrases of its children, so phrases
are never split. A tree with crossing arcs is made projective first (``trees.projectivity.lift``), so that rules that
do not reorder keep the source order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from wordorder.apps.preorder.rule_sets import HeadSide, Rule, RuleSet, Word
from wordorder.core.orders.permutation import Permutations
from wordorder.core.orders.projection import Places
from wordorder.core.runtime.columns import Bools, Int64s, Ints, rows_of
from wordorder.core.runtime.kernels import kernel
from wordorder.core.trees.dependency import DependencyTrees
from wordorder.core.trees.projectivity import lift

_SIDES = (HeadSide.BEFORE, HeadSide.AFTER)


@dataclass(frozen=True, eq=False)
class Placed:
    """The positions that rules give to the words of all sentences.

    For each word, ``rules`` is the index of the rule that applies to it as a head (−1: none), ``places`` its position
    in the rule for its own head, and ``head_places`` the position of ``HEAD`` in the rule that applies to it.
    ``backwards`` says whether children in the same position as the word are in reverse order.
    """

    rules: Ints
    places: Ints
    head_places: Ints
    backwards: Bools


def reorder(trees: DependencyTrees, rules: RuleSet) -> Permutations:
    """Return the new order of every sentence, as a list of the source positions of its words from left to right.

    >>> from wordorder.apps.preorder.language import load_rules
    >>> from wordorder.core.trees import DependencyTree
    >>> tree = DependencyTree(("cats", "eat", "fish"), (1, -1, 1), ("nsubj", "root", "obj"), ("NOUN", "VERB", "NOUN"))
    >>> str(reorder(tree.column(), load_rules("r5"))[0])
    '1 3 2'
    """
    return Reorderer(trees, rules.named("forms")).reorder(rules)


class Reorderer:
    """Trees that are prepared for reordering by several rule sets.

    Words that rules cannot distinguish (with the same label and tags, and the same form if it is one of ``forms``)
    are matched with each rule only once; the results are cached.
    """

    def __init__(self, trees: DependencyTrees, forms: frozenset[str] = frozenset()) -> None:
        self.trees, _ = lift(trees)
        self.kinds, self.kind_of = _kinds(self.trees, forms)
        self._answers: dict[Rule, dict[int, tuple[int, bool]]] = {}

    def reorder(self, rules: RuleSet) -> Permutations:
        """Return the new order of every sentence under a rule set."""
        placed = self.place(rules)
        return linearise(self.trees, placed.places, placed.head_places, placed.backwards)

    def place(self, rules: RuleSet) -> Placed:
        """Match every word with the rules, and return the positions that the rules give to the words."""
        trees, kinds = self.trees, len(self.kinds)
        rule_of = np.array([rules.choose(kind) for kind in self.kinds], dtype=np.int32)[self.kind_of]
        # Without a rule (−1, the last entry), the places are 0 before the head, 1 for the head, and 2 after it.
        head_places = np.array([*(rule.head_place for rule in rules), 1], dtype=np.int32)[rule_of]
        starts = trees.offsets[rows_of(trees.offsets)]
        child = trees.heads >= 0
        rule = np.where(child, rule_of[starts + np.where(child, trees.heads, 0)], -1).astype(np.int64)
        after = np.arange(len(starts)) - starts > trees.heads
        codes, answer = np.unique(((rule + 1) * kinds + self.kind_of) * 2 + after, return_inverse=True)
        places = np.empty(len(codes), dtype=np.int32)
        backwards = np.zeros(len(codes), dtype=np.bool_)
        known = [self._answers.setdefault(each, {}) for each in rules]
        for number, code in enumerate(codes.tolist()):
            chosen, question = divmod(code, 2 * kinds)
            if chosen == 0:
                places[number] = 2 * (question % 2)
                continue
            if question not in known[chosen - 1]:
                known[chosen - 1][question] = self._ask(rules.rules[chosen - 1], question)
            places[number], backwards[number] = known[chosen - 1][question]
        return Placed(rule_of, places[answer], head_places, backwards[answer])

    def _ask(self, rule: Rule, question: int) -> tuple[int, bool]:
        """Return the index of the rule element that a child matches, and whether this element is ``reversed``.

        ``question`` stands for the child: twice the index of its kind of word, plus 1 if it follows its head.
        """
        place = rule.place(self.kinds[question // 2], _SIDES[question % 2])
        return place, rule.elements[place].reversed


def linearise(trees: DependencyTrees, places: Ints, head_places: Ints, backwards: Bools) -> Permutations:
    """Return the word order of projective trees, given the positions of all words as in :class:`Placed`.

    Children in the same position keep their source order, or are reversed if ``backwards`` is true.
    """
    return Permutations(_linearise(trees.heads, trees.offsets, places, head_places, backwards), trees.offsets)


def _kinds(trees: DependencyTrees, forms: frozenset[str]) -> tuple[list[Word], Int64s]:
    """Return the kinds of words that rules can distinguish, and the index of each word's kind."""
    strings = trees.strings.to_pylist()
    names = ["", *sorted(forms)]
    number = {form: place for place, form in enumerate(names)}
    form_of = np.array([number.get(string.lower(), 0) for string in strings] if forms else 0, dtype=np.int64)
    codes = form = np.broadcast_to(form_of, len(strings))[trees.words]
    for column in (trees.labels, trees.tags, trees.fine_tags):
        codes = np.unique(codes * (len(strings) + 1) + column, return_inverse=True)[1]
    _, first, kind_of = np.unique(codes, return_index=True, return_inverse=True)
    kinds = []
    for word in first.tolist():
        tags = frozenset((strings[trees.tags[word]], strings[trees.fine_tags[word]]))
        kinds.append(Word(strings[trees.labels[word]], tags, names[form[word]]))
    return kinds, kind_of


def written_orders(trees: DependencyTrees, orders: Permutations) -> Iterator[str]:
    """Yield each sentence as a line of text in its new order; spaces inside words become no-break spaces."""
    strings = [string.replace(" ", "\u00a0") for string in trees.strings.to_pylist()]
    for start, stop in pairwise(trees.offsets.tolist()):
        words = trees.words[start:stop][orders.ranks[start:stop]].tolist()
        yield " ".join(strings[word] for word in words)


def to_places(orders: Permutations, *, policy: str) -> Places:
    """Convert new orders to positions of the source words, for comparison with references of the same policy."""
    return Places(2 * orders.inverse().ranks, orders.offsets, policy)


@kernel
def _linearise(heads: Ints, offsets: Int64s, places: Ints, head_places: Ints, backwards: Bools) -> Ints:
    result = np.empty(len(heads), dtype=np.int32)
    for row in range(len(offsets) - 1):
        start = offsets[row]
        length = offsets[row + 1] - start
        # items[begin[h]:begin[h + 1]] are h and its children, sorted by place as they are inserted
        begin = np.zeros(length + 1, dtype=np.int64)
        for word in range(length):
            begin[word + 1] += 1
            if heads[start + word] >= 0:
                begin[heads[start + word] + 1] += 1
        root = 0
        for word in range(length):
            begin[word + 1] += begin[word]
        filled = begin[:-1].copy()
        items = np.empty(begin[length], dtype=np.int64)
        for word in range(length):
            items[filled[word]] = word
            filled[word] += 1
        for word in range(length):
            head = heads[start + word]
            if head < 0:
                root = word
                continue
            place = places[start + word]
            at = filled[head]
            while at > begin[head]:
                other = items[at - 1]
                before = head_places[start + other] if other == head else places[start + other]
                if before < place or (before == place and not backwards[start + word]):
                    break
                items[at] = other
                at -= 1
            items[at] = word
            filled[head] += 1
        stack = np.empty(2 * length + 1, dtype=np.int64)
        written = depth = 0
        if length:
            stack[0] = root
            depth = 1
        while depth:
            depth -= 1
            item = stack[depth]
            if item < 0:  # a head that is to be output now
                result[start + written] = ~item
                written += 1
                continue
            for at in range(begin[item + 1] - 1, begin[item] - 1, -1):
                other = items[at]
                stack[depth] = ~other if other == item else other
                depth += 1
    return result
