"""Learning: refined categories, binarisation, counts, probabilities, the lexicon."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.core.trees import ConstituencyTree, ConstituencyTrees
from wordorder.linking.parsing.counts import (
    PHRASE,
    SPLITS,
    STEP,
    TAG,
    GrammarOptions,
    binarise,
    count_treebank,
    unary_chains,
)
from wordorder.linking.parsing.grammar import CLASS_SMOOTHING, REFINEMENT_SMOOTHING, Grammar, TagLexicon, word_classes

TREES = [
    "(ROOT (S (NP (DT the) (NN dog)) (VP (VBZ barks) (ADVP (RB here)) (PP (IN in) (NP (NN town)))) (. .)))",
    "(ROOT (S (NP (NP (DT the) (NN man) (POS 's)) (NN cat)) (VP (MD may) (VP (VB sleep))) (. .)))",
    "(ROOT (NP (NN rain)))",
]


def refined(text: str, options: GrammarOptions) -> list[str]:
    tree = ConstituencyTree.parse(text)
    return options.refine(tree.labels, tree.parents, [tree.children(node) for node in range(len(tree.labels))])


def test_vertical_order_names_ancestors() -> None:
    text = "(ROOT (S (VP (VB go))))"
    few, deep = (GrammarOptions(vertical=count, splits=()) for count in (9, 10**15))
    assert refined(text, GrammarOptions(vertical=1, splits=())) == ["ROOT", "S", "VP", "VB"]
    assert refined(text, GrammarOptions(vertical=2, splits=())) == ["ROOT", "S^ROOT", "VP^S", "VB"]
    assert refined(text, deep) == refined(text, few)  # and in no time
    assert refined(text, GrammarOptions(vertical=3, splits=())) == ["ROOT", "S^ROOT", "VP^S^ROOT", "VB"]


@pytest.mark.parametrize(
    ("split", "node", "name"),
    [
        ("tag-parent", "DT", "DT^NP"),
        ("in", "IN", "IN^PP"),
        ("possessive", "NP", "NP-P"),
        ("base-np", "NP", "NP-B"),
        ("verb-form", "VP", "VP-FIN"),
    ],
)
def test_each_split_marks_what_it_says(split: str, node: str, name: str) -> None:
    options = GrammarOptions(vertical=1, splits=(split,))
    names = [one for text in TREES for one in refined(text, options) if one.startswith(node)]
    assert name in names
    assert node not in refined(TREES[0], options) or split in ("possessive", "base-np")


def test_unknown_options_are_refused() -> None:
    with pytest.raises(UsageError, match="unknown split 'tags'"):
        GrammarOptions(splits=("tags",))
    with pytest.raises(UsageError, match="unknown binarisation 'right'"):
        GrammarOptions(binarisation="right")
    with pytest.raises(UsageError, match="vertical"):
        GrammarOptions(vertical=0)
    with pytest.raises(UsageError, match="horizontal"):
        GrammarOptions(horizontal=-1)
    assert set(GrammarOptions().splits) <= set(SPLITS)


@given(st.integers(2, 7), st.data(), st.integers(0, 3), st.sampled_from(["head", "left"]))
def test_steps_put_the_children_in_order(count: int, data: st.DataObject, horizontal: int, kind: str) -> None:
    children = list(range(1, count + 1))
    head = data.draw(st.sampled_from(children))
    labels = [f"L{place}" for place in range(count + 1)]
    steps = binarise(children, head, labels, horizontal=horizontal, binarisation=kind)

    def leaves(part: int) -> list[int]:
        return [part] if part > 0 else leaves(steps[-part - 1].left) + leaves(steps[-part - 1].right)

    assert leaves(-len(steps)) == children
    assert len(steps) == count - 1
    assert steps[-1].context == ()
    for step in steps[:-1]:
        assert len(step.context) <= horizontal + (kind == "head")
        assert kind == "left" or step.context[0] == f"L{head}"


def test_left_steps_remember_what_stands_before() -> None:
    steps = binarise([1, 2, 3, 4], 1, ["P", "a", "b", "c", "d"], horizontal=2, binarisation="left")
    assert [step.context for step in steps] == [("<b", "<a"), ("<a",), ()]


@given(st.lists(st.integers(1, 3), max_size=6))
def test_every_node_is_in_one_chain(sizes: list[int]) -> None:
    children: list[list[int]] = [[]]
    for size in sizes:  # grow the last leaf
        last = max(place for place, below in enumerate(children) if not below)
        for _ in range(size):
            children[last].append(len(children))
            children.append([])
    chains = list(unary_chains(children))
    assert sorted(node for chain in chains for node in chain) == list(range(len(children)))
    for chain in chains:
        assert all(len(children[node]) == 1 for node in chain[:-1])
        assert len(children[chain[-1]]) != 1


def test_counts_of_a_small_treebank() -> None:
    counts = count_treebank(ConstituencyTrees.of(TREES), GrammarOptions(vertical=1, horizontal=0, splits=(), rare=0))
    name = {category.name: number for number, category in enumerate(counts.categories)}
    binary = {tuple(row[:3]): row[3] for row in counts.binary.tolist()}
    assert binary[name["NP"], name["DT"], name["NN"]] == 1
    assert binary[name["S"], name["NP"], name["S|VP"]] == 2
    assert binary[name["S|VP"], name["VP"], name["."]] == 2
    unary = {(*row[:2], middle): row[2] for row, middle in zip(counts.unary.tolist(), counts.middles, strict=True)}
    assert unary[name["ROOT"], name["S"], ()] == 2
    assert unary[name["ROOT"], name["NN"], ("NP",)] == 1
    assert counts.stay[name["NP"]] == 3
    assert counts.words["the", True] == Counter({name["DT"]: 2})
    assert counts.words["town", False] == Counter({name["NN"]: 1})
    kinds = [category.kind for category in counts.categories]
    assert kinds == sorted(kinds)
    assert {TAG, PHRASE, STEP} == set(kinds)


def test_rare_contexts_are_shortened_but_keep_the_head() -> None:
    often = count_treebank(ConstituencyTrees.of(TREES), GrammarOptions(rare=0, horizontal=2))
    rarely = count_treebank(ConstituencyTrees.of(TREES), GrammarOptions(rare=100, horizontal=2))
    steps = [category.name for category in rarely.categories if category.kind == STEP]
    assert steps
    assert all("<" not in step and ">" not in step and not step.endswith("|") for step in steps)
    assert any(">" in category.name for category in often.categories if category.kind == STEP)


def test_probabilities_sum_to_one() -> None:
    grammar = Grammar.learn(ConstituencyTrees.of(TREES))
    for level in (grammar.fine, grammar.coarse):
        rules = level.rules
        sums = np.bincount(rules.parent, np.exp(rules.score), minlength=len(rules.stay))
        assert sums[sums > 0] == pytest.approx(1)
        ways = np.exp(rules.stay) + np.bincount(rules.top, np.exp(rules.unary_score), minlength=len(rules.stay))
        assert ways == pytest.approx(1)


def test_the_coarse_grammar_adds_up_the_fine_one() -> None:
    grammar = Grammar.learn(ConstituencyTrees.of(TREES))
    fine, coarse = grammar.fine, grammar.coarse
    group = fine.refinement.coarse
    for rule in range(len(fine.rules.parent)):
        at = np.flatnonzero(fine.refinement.rules == rule)[0]
        number = int(np.searchsorted(fine.refinement.rule_offsets, at, side="right")) - 1
        assert group[fine.rules.parent[rule]] == coarse.rules.parent[number]
        assert group[fine.rules.left[rule]] == coarse.rules.left[number]
        assert group[fine.rules.right[rule]] == coarse.rules.right[number]
    members = [grammar.counts.categories[member] for member in fine.refinement.members.tolist()]
    bounds = fine.refinement.member_offsets.tolist()
    for start, end in pairwise(bounds):
        assert len({(category.kind, category.label) for category in members[start:end]}) == 1


@pytest.mark.parametrize("trees", [[], ["(S (NN a))"], ["(ROOT a)"]])
def test_what_is_no_treebank_is_refused(trees: list[str]) -> None:
    with pytest.raises(InputError):
        Grammar.learn(ConstituencyTrees.of(trees))


def test_lexicon_by_hand() -> None:
    # Tags 0 and 1 refine one tag, 2 is another; "run" is frequent enough to teach no class.
    words = {("run", False): Counter({0: 3, 2: 1}), ("see", False): Counter({1: 1}), ("be", True): Counter({0: 1})}
    lexicon = TagLexicon(words, [0, 0, 1])
    found = lexicon.scores("run", initial=False)
    # The class of "run" is unseen or too small, so all tags stand in for it: shares 4/6, 1/6, 1/6.
    usual = {0: 4 / 5, 1: 1 / 5}
    seen = {0: 3, 1: 0}
    share = {
        tag: CLASS_SMOOTHING * {0: 4, 1: 1}[tag] / 6
        + 3 * (seen[tag] + REFINEMENT_SMOOTHING * usual[tag]) / (3 + REFINEMENT_SMOOTHING)
        for tag in (0, 1)
    }
    share[2] = CLASS_SMOOTHING * 1 / 6 + 1
    total = sum(share.values())
    tags = {0: 4, 1: 1, 2: 1}
    expected = {tag: math.log(share[tag] / total * (4 / 6) / (tags[tag] / 6)) for tag in share}
    assert found == pytest.approx(expected)


def test_unknown_words_go_by_their_looks() -> None:
    nouns = {(f"{stem}ness", False): Counter({0: 1}) for stem in ("kind", "dark", "sad", "ill", "fond", "mad")}
    verbs = {(f"{stem}ing", False): Counter({1: 1}) for stem in ("sing", "walk", "read", "play", "cook", "sew")}
    lexicon = TagLexicon({**nouns, **verbs}, [0, 1])
    assert set(lexicon.scores("greenness", initial=False)) == {0}
    assert set(lexicon.scores("rowing", initial=False)) == {1}
    assert set(lexicon.scores("zzz", initial=False)) == {0, 1}


def test_a_capital_at_the_beginning_is_no_news() -> None:
    words = {("cats", False): Counter({0: 60}), ("Rome", False): Counter({1: 60}), ("x", True): Counter({1: 1})}
    lexicon = TagLexicon(words, [0, 1])
    assert set(lexicon.scores("Cats", initial=True)) == {0}
    assert set(lexicon.scores("CATS", initial=False)) == {0}
    assert set(lexicon.scores("Rome", initial=True)) == {1}


@given(st.text(min_size=1, max_size=8), st.booleans())
def test_every_word_has_classes(word: str, initial: bool) -> None:
    classes = list(word_classes(word, initial=initial))
    assert classes
    assert all(one.startswith(classes[-1]) for one in classes)
    assert [len(one) for one in classes] == sorted((len(one) for one in classes), reverse=True)
