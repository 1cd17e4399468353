"""The parser against exhaustive enumeration: k-best lists, and what the coarse pass keeps."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
from enumeration import EVERYTHING, Enumeration, Nodes, options
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from wordorder.core.runtime.columns import offsets_from_lengths
from wordorder.core.trees import ConstituencyTree, ConstituencyTrees
from wordorder.linking.parsing.cky import Level, prune
from wordorder.linking.parsing.counts import GrammarOptions
from wordorder.linking.parsing.grammar import Grammar
from wordorder.linking.parsing.parser import Parser, is_flat

tags = st.sampled_from(["(N a)", "(N b)", "(V b)", "(V a)", "(D c)"])
phrases = st.recursive(
    tags,
    lambda inner: st.builds(
        lambda label, parts: f"({label} {' '.join(parts)})",
        st.sampled_from(["X", "Y"]),
        st.lists(inner, min_size=1, max_size=4),
    ),
    max_leaves=5,
)
treebanks = st.lists(phrases.map(lambda text: f"(ROOT {text})"), min_size=1, max_size=5)
sentences = st.lists(st.sampled_from("abc"), min_size=1, max_size=4)


def nodes_of(tree: ConstituencyTree) -> Nodes:
    def below(node: int) -> Any:
        children = tree.children(node)
        return (tree.labels[node], tuple(map(below, children))) if children else tree.labels[node]

    return (below(0),)


@settings(max_examples=150)
@given(treebanks, options, sentences, st.integers(1, 6))
def test_the_list_equals_exhaustive_enumeration(
    treebank: list[str], chosen: GrammarOptions, words: list[str], few: int
) -> None:
    grammar = Grammar.learn(ConstituencyTrees.of(treebank), chosen)
    expected = Enumeration(grammar, words).trees()
    parser = Parser(grammar, margins=(EVERYTHING,))
    found = parser.parse([words], n=600)
    if not expected:
        assert is_flat(found.trees).all() or found.trees[0].labels[1] != "FLAT"
        return
    assert len(expected) < 600
    listed = [nodes_of(tree) for tree in found.trees]
    assert set(listed) == set(expected)
    assert len(listed) == len(expected)
    scores = found.log_probabilities
    assert scores.tolist() == pytest.approx([expected[nodes] for nodes in listed])
    assert (np.diff(scores) <= 0).all()
    shorter = parser.parse([words], n=few)
    assert shorter.log_probabilities.tolist() == scores[: len(shorter.log_probabilities)].tolist()
    assert len(shorter.trees) == min(few, len(expected)) or few > 1  # duplicates may use up the patience


@given(treebanks, options, sentences)
def test_one_best_is_the_best(treebank: list[str], chosen: GrammarOptions, words: list[str]) -> None:
    grammar = Grammar.learn(ConstituencyTrees.of(treebank), chosen)
    expected = Enumeration(grammar, words).trees()
    assume(expected)
    found = Parser(grammar, margins=(EVERYTHING,)).parse([words])
    assert found.log_probabilities.tolist() == pytest.approx([max(expected.values())])


class CoarseEnumeration:
    """Every derivation of a coarse chart with the items and edges it uses."""

    def __init__(self, level: Level, words: list[dict[int, float]]) -> None:
        self.rules = level.rules
        self.words = words

    def bottoms(self, start: int, end: int, category: int) -> Iterator[tuple[float, frozenset[Any]]]:
        item = ("bottom", start, end, category)
        if end - start == 1:
            if category in self.words[start]:
                yield self.words[start][category], frozenset([item])
            return
        rules = self.rules
        for rule in np.flatnonzero(rules.parent == category).tolist():
            for split in range(start + 1, end):
                pairs = product(
                    self.tops(start, split, int(rules.left[rule])), self.tops(split, end, int(rules.right[rule]))
                )
                for (one, before), (two, behind) in pairs:
                    used = before | behind | {item, ("edge", start, end, rule, split)}
                    yield float(rules.score[rule]) + one + two, used

    def tops(self, start: int, end: int, category: int) -> Iterator[tuple[float, frozenset[Any]]]:
        item = ("top", start, end, category)
        rules = self.rules
        if rules.stay[category] > -math.inf:
            for score, used in self.bottoms(start, end, category):
                yield score + float(rules.stay[category]), used | {item}
        for chain in np.flatnonzero(rules.top == category).tolist():
            for score, used in self.bottoms(start, end, int(rules.bottom[chain])):
                yield score + float(rules.unary_score[chain]), used | {item}


@settings(max_examples=200)
@given(treebanks, sentences, st.floats(0, 5))
def test_the_coarse_pass_keeps_what_lies_within_the_margin(
    treebank: list[str], words: list[str], margin: float
) -> None:
    grammar = Grammar.learn(ConstituencyTrees.of(treebank))
    level = grammar.coarse
    scores = [grammar.word_scores(word, initial=place == 0) for place, word in enumerate(words)]
    kept = prune(
        level.rules,
        np.concatenate([word.coarse_tags for word in scores]),
        np.concatenate([word.coarse_scores for word in scores]),
        offsets_from_lengths([len(word.coarse_tags) for word in scores]),
        level.root,
        margin,
    )
    lexical = [dict(zip(word.coarse_tags.tolist(), word.coarse_scores.tolist(), strict=True)) for word in scores]
    best: dict[Any, float] = {}
    for score, used in CoarseEnumeration(level, lexical).tops(0, len(words), level.root):
        for thing in used:
            best[thing] = max(best.get(thing, -math.inf), score)
    found = {("bottom", *place) for place in np.argwhere(kept.bottoms).tolist()}
    found |= {("top", *place) for place in np.argwhere(kept.tops).tolist()}
    for start in range(len(words)):
        for end in range(start + 1, len(words) + 1):
            for edge in range(kept.firsts[start, end], kept.lasts[start, end]):
                found.add(("edge", start, end, int(kept.rules[edge]), int(kept.splits[edge])))
    top = max(best.values(), default=0.0)
    assert {thing for thing, score in best.items() if score >= top - margin} <= found
    assert found <= {thing for thing, score in best.items() if score >= top - margin - 1e-5}
