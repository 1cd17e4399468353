"""Apply rules to parsed sentences, and find the best order that a tree allows.

From the root downwards, the rule that matches a head arranges the head and the phrases of its children, so phrases
are never split. A tree with crossing arcs is made projective first (``trees.projectivity.lift``), so that rules that
do not reorder keep the source order.

Neighbours are two children of a head, or a child and its head. Reordering a tree never interleaves the phrases of two
neighbours, so the number of word pairs in the wrong order is a sum over all pairs of neighbours. Rules are learned
from the same counts (:mod:`.learning`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from wordorder.apps.preorder.language import HeadSide, Rule, RuleSet, Word
from wordorder.core.orders.permutation import Permutations
from wordorder.core.orders.projection import Places
from wordorder.core.runtime.columns import Bools, Int64s, Ints, rows_of
from wordorder.core.runtime.errors import InputError
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


WIDEST = 12
"""Largest number of neighbours for which all orders are tried; larger sets are improved by moving one at a time."""

MOST_CHILDREN = 4096
"""Largest number of children of a head; the pairs of more children would not fit into memory."""


@dataclass(frozen=True, eq=False)
class Precedence:
    """Pairs of neighbours in trees, where ``first`` precedes ``second`` in the source.

    ``head``, ``first`` and ``second`` are word indices; either neighbour may be the head itself. All word pairs with
    one word in the phrase of each neighbour are compared with the reference: ``before`` counts the pairs in the same
    order and ``after`` those in the opposite order. Words without a position in the reference, and pairs that may be
    in any order, are not counted. The rows are sorted by head.
    """

    trees: DependencyTrees
    head: Int64s
    first: Int64s
    second: Int64s
    before: Int64s
    after: Int64s

    def __len__(self) -> int:
        return len(self.head)

    def keep(self, rows: Bools) -> "Precedence":
        """Return the pairs for which ``rows`` is true."""
        columns = (self.head, self.first, self.second, self.before, self.after)
        return Precedence(self.trees, *(column[rows] for column in columns))


def compare_neighbours(trees: DependencyTrees, reference: Places) -> Precedence:
    """Compare all pairs of neighbours with the reference, and return the counts of their word pairs in each order.

    Trees with crossing arcs are made projective first.
    """
    projective, _ = lift(trees)
    _check_width(projective)
    return Precedence(projective, *_compare(projective.heads, projective.offsets, reference.places))


def order_best(trees: DependencyTrees, reference: Places) -> Permutations:
    """Return the best order that each tree allows: the one with the fewest word pairs in the wrong order.

    The children of each head are ordered independently. With up to 12 neighbours, the order is optimal; if there are
    several optimal orders, it is the one closest to the source. The remaining errors are due to the tree, so no rule
    can correct them.

    >>> from wordorder.core.orders import Alignment, place
    >>> from wordorder.core.trees import DependencyTree
    >>> tree = DependencyTree(("a", "b", "c"), (1, -1, 1), ("x", "root", "y")).column()
    >>> str(order_best(tree, place(Alignment(((0, 2), (1, 1), (2, 0)), 3).column(), policy="talbot"))[0])
    '3 2 1'
    """
    pairs = compare_neighbours(trees, reference)
    places, head_places = _order_best(
        len(pairs.trees.heads), pairs.head, pairs.first, pairs.second, pairs.before, pairs.after, WIDEST
    )
    forwards = np.zeros(len(places), dtype=np.bool_)
    return linearise(pairs.trees, places, head_places, forwards)


def _check_width(trees: DependencyTrees) -> None:
    rows = rows_of(trees.offsets)
    children = np.bincount((trees.offsets[rows] + trees.heads)[trees.heads >= 0])
    if children.max(initial=0) > MOST_CHILDREN:
        word = int(children.argmax())
        found = f"word {word - trees.offsets[rows[word]] + 1} has {children[word]} children"
        raise InputError(f"sentence {rows[word] + 1}: {found}; expected at most {MOST_CHILDREN}")


@kernel
def _compare(heads: Ints, offsets: Int64s, places: Ints) -> Int64s:
    """Return the five numeric columns of :class:`Precedence` as an array ``[5, pairs]``."""
    words = len(heads)
    children = np.zeros(words, dtype=np.int64)
    low, high = np.arange(words), np.arange(words)  # the words of each subtree, which are contiguous
    for row in range(len(offsets) - 1):
        start = offsets[row]
        for word in range(start, offsets[row + 1]):
            at = word
            while heads[at] >= 0:
                at = start + heads[at]
                low[at] = min(low[at], word)
                high[at] = max(high[at], word)
            if heads[word] >= 0:
                children[start + heads[word]] += 1
    pairs = np.zeros((5, (children * (children + 1) // 2).sum()), dtype=np.int64)
    filled = 0
    items = np.empty(words + 1, dtype=np.int64)
    for row in range(len(offsets) - 1):
        start = offsets[row]
        for parent in range(start, offsets[row + 1]):
            count = 0
            at = low[parent]
            while at <= high[parent]:  # jump from neighbour to neighbour
                item = at
                while item != parent and start + heads[item] != parent:
                    item = start + heads[item]
                items[count] = item
                at = at + 1 if item == parent else high[item] + 1
                count += 1
            for i in range(count):
                x = items[i]
                from_x, to_x = (x, x) if x == parent else (low[x], high[x])
                for j in range(i + 1, count):
                    y = items[j]
                    from_y, to_y = (y, y) if y == parent else (low[y], high[y])
                    before = after = 0
                    for one in range(from_x, to_x + 1):
                        for other in range(from_y, to_y + 1):
                            if min(places[one], places[other]) < 0:
                                continue
                            if places[one] > places[other]:
                                after += 1
                            elif places[one] < places[other] or places[one] % 2 == 0:
                                before += 1  # words in the same place keep their source order outside free groups
                    pairs[:, filled] = parent, x, y, before, after
                    filled += 1
    return pairs


@kernel
def _order_best(
    words: int, head: Int64s, first: Int64s, second: Int64s, before: Int64s, after: Int64s, widest: int
) -> tuple[Ints, Ints]:
    places = np.zeros(words, dtype=np.int32)
    head_places = np.zeros(words, dtype=np.int32)
    at = 0
    while at < len(head):
        parent = head[at]
        count = 2
        while at + count - 1 < len(head) and head[at + count - 1] == parent and first[at + count - 1] == first[at]:
            count += 1
        # cost[i, j]: the cost of item i before item j, plus a small penalty if this is not the source order
        scale = np.int64(count) * count
        cost = np.zeros((count, count), dtype=np.int64)
        items = np.empty(count, dtype=np.int64)
        items[0] = first[at]
        for i in range(count):
            for j in range(i + 1, count):
                items[j] = second[at]
                cost[i, j] = after[at] * scale
                cost[j, i] = before[at] * scale + 1
                at += 1
        order = _try_all(cost) if count <= widest else _move_one(cost)
        for rank in range(count):
            item = items[order[rank]]
            if item == parent:
                head_places[item] = rank
            else:
                places[item] = rank
    return places, head_places


@kernel
def _try_all(cost: Int64s) -> Int64s:
    """Return the order with the lowest cost; ``cost[i, j]`` is the cost of item i before item j.

    It is found by dynamic programming over sets of items.
    """
    count = len(cost)
    best = np.zeros(1 << count, dtype=np.int64)
    last = np.zeros(1 << count, dtype=np.int64)
    for chosen in range(1, 1 << count):
        best[chosen] = np.int64(2) ** 62
        for i in range(count):
            if chosen >> i & 1:
                total = best[chosen & ~(1 << i)]
                for j in range(count):
                    if j != i and chosen >> j & 1:
                        total += cost[j, i]
                if total < best[chosen]:
                    best[chosen], last[chosen] = total, i
    order = np.empty(count, dtype=np.int64)
    chosen = (1 << count) - 1
    for rank in range(count - 1, -1, -1):
        order[rank] = last[chosen]
        chosen &= ~(1 << last[chosen])
    return order


@kernel
def _move_one(cost: Int64s) -> Int64s:
    """Return a low-cost order: start from the source order, and move single items while this lowers the cost."""
    count = len(cost)
    order = np.arange(count)
    better = True
    while better:
        better = False
        for rank in range(count):
            item = order[rank]
            gain, best, target = np.int64(0), np.int64(0), rank
            for other in range(rank - 1, -1, -1):
                gain += cost[order[other], item] - cost[item, order[other]]
                if gain > best:
                    best, target = gain, other
            gain = np.int64(0)
            for other in range(rank + 1, count):
                gain += cost[item, order[other]] - cost[order[other], item]
                if gain > best:
                    best, target = gain, other
            if target != rank:
                better = True
                step = 1 if target > rank else -1
                for place in range(rank, target, step):
                    order[place] = order[place + step]
                order[target] = item
    return order
