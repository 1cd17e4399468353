"""Apply rules to parsed sentences: the words of a sentence in their new order.

A tree is written out from its root: each head stands among its children's phrases where its rule puts it, so every
phrase stays together. A tree with crossing arcs is made projective first (``trees.projectivity.lift``), so that "no
reordering" really is none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordorder.orders.permutation import Permutations
from wordorder.orders.projection import Places
from wordorder.preordering.rules import RuleSet, Side, Word
from wordorder.runtime.kernels import kernel
from wordorder.trees.dependency import DependencyTrees
from wordorder.trees.projectivity import lift

_SIDES = (Side.BEFORE, Side.AFTER)


@dataclass(frozen=True, eq=False)
class Placed:
    """What rules say of each word: its rule as a head (−1: none), its place among the children of its head."""

    rules: NDArray[np.int32]
    places: NDArray[np.int32]
    head_places: NDArray[np.int32]
    backwards: NDArray[np.bool_]


def reorder(trees: DependencyTrees, rules: RuleSet) -> Permutations:
    """Give the new order of every sentence: its words left to right, each by its place in the source.

    >>> from wordorder.preordering.language import load_rules
    >>> from wordorder.trees import DependencyTree
    >>> tree = DependencyTree(("cats", "eat", "fish"), (1, -1, 1), ("nsubj", "root", "obj"), ("NOUN", "VERB", "NOUN"))
    >>> str(reorder(tree.column(), load_rules("r5"))[0])
    '1 3 2'
    """
    projective, _ = lift(trees)
    placed = place_words(projective, rules)
    return linearise(projective, placed.places, placed.head_places, placed.backwards)


def linearise(
    trees: DependencyTrees,
    places: NDArray[np.int32],
    head_places: NDArray[np.int32],
    backwards: NDArray[np.bool_],
) -> Permutations:
    """Write projective trees out: children and head by place, children of one place in source order or backwards."""
    return Permutations(_linearise(trees.heads, trees.offsets, places, head_places, backwards), trees.offsets)


def place_words(trees: DependencyTrees, rules: RuleSet) -> Placed:
    """Match every word with the rules. Words that look alike to the rules are matched once for all."""
    kinds, kind_of = _kinds(trees, rules)
    rule_of_kind = np.array([rules.choose(kind) for kind in kinds], dtype=np.int32)
    rule_of = rule_of_kind[kind_of] if len(kinds) else np.zeros(0, np.int32)
    head_places = np.array([rule.head_place for rule in rules] + [1], dtype=np.int32)[rule_of]  # −1: before, head, after
    starts = np.repeat(trees.offsets[:-1], trees.lengths)
    word = np.arange(len(trees.words)) - starts
    child = trees.heads >= 0
    rule = np.where(child, rule_of[starts + np.where(child, trees.heads, 0)], -1).astype(np.int64)
    after = (word > trees.heads).astype(np.int64)
    asked, answer = np.unique((rule + 1) * len(kinds) * 2 + kind_of * 2 + after, return_inverse=True)
    places = np.empty(len(asked), dtype=np.int32)
    backwards = np.zeros(len(asked), dtype=np.bool_)
    for number, code in enumerate(asked.tolist()):
        chosen, kind, side = code // (len(kinds) * 2) - 1, code // 2 % len(kinds), code % 2
        if chosen < 0:
            places[number] = 2 * side
        else:
            places[number] = rules.rules[chosen].place(kinds[kind], _SIDES[side])
            backwards[number] = rules.rules[chosen].elements[places[number]].reversed
    return Placed(rule_of, places[answer], head_places, backwards[answer])


def _kinds(trees: DependencyTrees, rules: RuleSet) -> tuple[list[Word], NDArray[np.int64]]:
    """Give the kinds of words the rules can tell apart, and the kind of each word."""
    strings = trees.strings.to_pylist()
    named = {form: number for number, form in enumerate(sorted(rules.forms), start=1)}
    forms = ["", *sorted(rules.forms)]
    if named:
        form_of = np.array([named.get(string.lower(), 0) for string in strings], dtype=np.int64)[trees.words]
    else:
        form_of = np.zeros(len(trees.words), dtype=np.int64)
    codes = form_of
    for column in (trees.labels, trees.tags, trees.fine_tags):
        codes = np.unique(codes * (len(strings) + 1) + column, return_inverse=True)[1]
    _, first, kind_of = np.unique(codes, return_index=True, return_inverse=True)
    kinds = [
        Word(
            strings[trees.labels[word]],
            frozenset((strings[trees.tags[word]], strings[trees.fine_tags[word]])),
            forms[form_of[word]],
        )
        for word in first.tolist()
    ]
    return kinds, kind_of


def to_places(orders: Permutations, *, policy: str) -> Places:
    """Give new orders as places of the source words, to be compared with a reference of the same policy."""
    return Places(2 * orders.inverse().ranks, orders.offsets, policy)


def match_instances(orders: Permutations, words: NDArray[np.int32]) -> Permutations:
    """Let every word take the first free instance of itself in the reference (Talbot et al. 2011, §3.2).

    ``orders`` are judged orders, words left to right by their rank in the reference, ``words`` the same words in the
    same order. The instances of a word thus have ascending ranks.

    >>> str(match_instances(Permutations.of(["4 2 3 1"]), np.array([7, 8, 9, 7], dtype=np.int32))[0])
    '1 2 3 4'
    """
    by_word = np.lexsort((np.arange(len(words)), words, rows := np.repeat(np.arange(len(orders)), orders.lengths)))
    by_rank = np.lexsort((orders.ranks, words, rows))
    ranks = np.empty_like(orders.ranks)
    ranks[by_word] = orders.ranks[by_rank]
    return Permutations(ranks, orders.offsets)


@kernel
def _linearise(
    heads: NDArray[np.int32],
    offsets: NDArray[np.int64],
    places: NDArray[np.int32],
    head_places: NDArray[np.int32],
    backwards: NDArray[np.bool_],
) -> NDArray[np.int32]:
    result = np.empty(len(heads), dtype=np.int32)
    for row in range(len(offsets) - 1):
        start = offsets[row]
        length = offsets[row + 1] - start
        # items[begin[h]:begin[h + 1]] are the children of h and h itself, sorted by place as they come in
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
            if item < 0:  # a head whose children have been seen to
                result[start + written] = ~item
                written += 1
                continue
            for at in range(begin[item + 1] - 1, begin[item] - 1, -1):
                other = items[at]
                stack[depth] = ~other if other == item else other
                depth += 1
    return result
