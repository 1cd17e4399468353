"""Packed forests against enumeration: expected dependencies of all derivations, which lists of parses tend to."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from enumeration import EVERYTHING, Enumeration, Nodes, options
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from wordorder import Parsing
from wordorder.core.runtime.columns import strings
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.core.trees import (
    ConstituencyTrees,
    DependencyTree,
    ExpectedDependencies,
    to_dependencies,
    to_dependency_lists,
)
from wordorder.linking.parsing import Grammar, GrammarOptions, Parser, save
from wordorder.linking.parsing.counts import STEP
from wordorder.linking.parsing.expected_arcs import expect
from wordorder.linking.parsing.packed_forest import extract
from wordorder.metrics import Batch, metric

Fragment = tuple[Any, ...]

TREES = [
    "(ROOT (S (NP (NN a)) (VP (VP (VBD b) (NP (NN a))) (CC c) (VP (VBD b)))))",
    "(ROOT (S (NP (NP (NN a)) (PP (IN c) (NP (NN b)))) (VP (MD a) (VP (VB b)))))",
    "(ROOT (S (VP (VBD b) (NP (NN a)) (PP (IN c) (NP (DT a) (NN b))))))",
    "(ROOT (S (NP (NN b)) (VP (VBD a) (CC c) (VP (VBD b) (NP (NN a))))))",
    "(ROOT (NP (DT a) (NN b)) (, c))",
]

leaves = st.sampled_from(["(NN a)", "(VBD b)", "(VB a)", "(CC c)", "(, c)", "(IN b)", "(MD c)"])
phrases = st.recursive(
    leaves,
    lambda inner: st.builds(
        lambda label, parts: f"({label} {' '.join(parts)})",
        st.sampled_from(["VP", "NP", "PP", "S"]),
        st.lists(inner, min_size=1, max_size=5),
    ),
    max_leaves=6,
)
treebanks = st.lists(
    st.lists(phrases, min_size=1, max_size=3).map(lambda parts: f"(ROOT {' '.join(parts)})"), min_size=1, max_size=4
)
sentences = st.lists(st.sampled_from("abc"), min_size=1, max_size=5)

GAMMAS = st.sampled_from([0.0, 0.25, 1.0, 3.0])
ONE_DERIVATION = GrammarOptions(vertical=1, horizontal=0, binarisation="left", rare=0, splits=())
"""Categories that follow from the tree: every tree has one derivation."""


def written(nodes: Nodes, words: list[str]) -> str:
    """Write a derivation in brackets; words are taken from the front of the list."""
    return " ".join(
        f"({node} {words.pop(0)})" if isinstance(node, str) else f"({node[0]} {written(node[1], words)})"
        for node in nodes
    )


def expectation(weighted: list[tuple[float, DependencyTree]], gamma: float) -> tuple[dict[Fragment, float], ...]:
    """Add up what each tree counts, weighted by p^γ over all of them: arcs, and chains of two arcs."""
    best = max(score for score, _ in weighted)
    weights = [math.exp(gamma * (score - best)) for score, _ in weighted]
    arcs: defaultdict[Fragment, float] = defaultdict(float)
    chains: defaultdict[Fragment, float] = defaultdict(float)
    for weight, (_, tree) in zip(weights, weighted, strict=True):
        for word, (head, label) in enumerate(zip(tree.heads, tree.labels, strict=True)):
            arcs[word, label, head] += weight / sum(weights)
            if head >= 0:
                chains[word, head, tree.heads[head]] += weight / sum(weights)
    return arcs, chains


def counted(found: ExpectedDependencies, row: int = 0) -> tuple[dict[Fragment, float], ...]:
    names = found.strings.to_pylist()
    arcs, chains = (
        [(part.rows[place].tolist(), part.weights[place]) for place in range(part.offsets[row], part.offsets[row + 1])]
        for part in (found.arcs, found.chains)
    )
    return (
        {(word, names[label], head): weight for (word, label, head), weight in arcs},
        {tuple(chain): weight for chain, weight in chains},
    )


def check_expectation(grammar: Grammar, words: list[str], gamma: float) -> None:
    """Compare the forest with all derivations, one by one."""
    derivations = Enumeration(grammar, words).derivations()
    assume(derivations)
    trees = to_dependencies(ConstituencyTrees.of([written(nodes, list(words)) for _, nodes in derivations]))
    expected = expectation([(score, tree) for (score, _), tree in zip(derivations, trees, strict=True)], gamma)
    found = counted(Parser(grammar, margins=(EVERYTHING,)).expect([words], gammas=[gamma], chains=True)[0])
    for one, two in zip(found, expected, strict=True):
        assert set(one) == set(two)
        assert one == pytest.approx(two, abs=1e-9)


@settings(max_examples=60)
@given(treebanks, options, sentences, GAMMAS)
def test_a_forest_expects_what_all_derivations_say(
    treebank: list[str], chosen: GrammarOptions, words: list[str], gamma: float
) -> None:
    check_expectation(Grammar.learn(ConstituencyTrees.of(treebank), chosen), words, gamma)


@settings(max_examples=10)
@given(sentences, GAMMAS)
def test_a_root_within_a_tree_is_like_any_constituent(words: list[str], gamma: float) -> None:
    trees = ["(ROOT (ROOT (NN a) (VBD b)) (CC c))", "(ROOT (ROOT (ROOT (NN c))) (NP (ROOT (NN b)) (NN a)))"]
    check_expectation(Grammar.learn(ConstituencyTrees.of(trees), ONE_DERIVATION), words, gamma)


@settings(max_examples=20)
@given(treebanks, sentences, sentences, GAMMAS)
def test_metrics_of_the_forest_are_those_of_all_parses(
    treebank: list[str], words: list[str], others: list[str], gamma: float
) -> None:
    parser = Parser(Grammar.learn(ConstituencyTrees.of(treebank), ONE_DERIVATION), margins=(EVERYTHING,))
    lists = [to_dependency_lists(parser.parse([side], n=2000)) for side in (words, others)]
    assume(all(len(side.trees) < 2000 for side in lists))
    forests = [parser.expect([side], gammas=[gamma], chains=True)[0] for side in (words, others)]
    batch = Batch(parses=tuple(lists), forests={gamma: tuple(forests)})
    for part in ("1g+2g+dl+lh", "dlh", "dh", "chain"):
        spec = f"dpm:parts={part}:gamma={gamma}:lowercase=true"
        one, two = (metric(spec + how).statistics(batch) for how in (":n=2000", ":parses=forest"))
        np.testing.assert_allclose(one, two, atol=1e-9)


@pytest.fixture(scope="module")
def grammar() -> Grammar:
    return Grammar.learn(ConstituencyTrees.of(TREES), ONE_DERIVATION)


def test_lists_of_parses_tend_to_the_forest(grammar: Grammar) -> None:
    words = ["a", "b", "a", "c", "a", "b"]
    parser = Parser(grammar, margins=(EVERYTHING,))
    arcs, _ = counted(parser.expect([words], gammas=[0.25])[0])
    distances = []
    for n in (1, 10, 100, 5000):
        lists = to_dependency_lists(parser.parse([words], n=n))
        listed, _ = expectation(list(zip(lists.log_probabilities.tolist(), lists.trees, strict=True)), 0.25)
        distances.append(sum(abs(arcs[arc] - listed.get(arc, 0.0)) for arc in arcs))
    assert 100 < len(lists.trees) < 5000
    assert distances == sorted(distances, reverse=True)
    assert distances[0] > 1
    assert distances[-1] < 1e-9


@settings(max_examples=20)
@given(treebanks, sentences, st.floats(0, 5))
def test_trees_within_the_margin_stay(treebank: list[str], words: list[str], margin: float) -> None:
    grammar = Grammar.learn(ConstituencyTrees.of(treebank))
    derivations = Enumeration(grammar, words).derivations()
    assume(derivations)
    best = max(score for score, _ in derivations)
    near = [written(nodes, list(words)) for score, nodes in derivations if score >= best - margin]
    level, kept, chart, _ = next(Parser(grammar, margins=(EVERYTHING,))._charts(words))
    whole, pruned = (extract(level, kept, chart, limit) for limit in (EVERYTHING, margin))
    assert len(pruned.scores) <= len(whole.scores)
    found = expect(grammar.head_runs, pruned, 0.25, len(words), chains=True)
    arcs = {(word, head, grammar.labels[above], grammar.labels[below]) for word, head, above, below in found.arcs}
    for tree in to_dependencies(ConstituencyTrees.of(near)):
        labels = [label.split("/") for label in tree.labels]
        assert {(word, head, *labels[word]) for word, head in enumerate(tree.heads)} <= arcs
    assert found.weights.sum() == pytest.approx(len(words))
    assert found.chain_weights.sum() == pytest.approx(len(words) - 1)


def test_sentences_without_a_tree_have_that_of_the_list(grammar: Grammar) -> None:
    """An empty sentence has no arcs; a long one has the flat tree; threads make no difference."""
    rows = [[], ["a", "b", "a", "c"], ["b"], ["a", "c"]] * 20
    parser = Parser(grammar, longest=3)
    found = parser.expect(rows, gammas=[1.0, 0.5], chains=True)
    again = parser.expect(rows, gammas=[0.5], chains=True, threads=3)[0]
    assert again.arcs.weights.tolist() == found[1].arcs.weights.tolist()
    assert again.chains.rows.tolist() == found[1].chains.rows.tolist()
    assert counted(found[0], 0) == ({}, {})
    flat = to_dependency_lists(parser.parse([rows[1]])).trees[0]
    assert "ROOT/FLAT" in flat.labels
    assert counted(found[0], 1) == expectation([(0.0, flat)], 1.0)


def test_forests_are_kept_on_disk(grammar: Grammar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORDORDER_CACHE", str(tmp_path / "cache"))
    save(grammar, tmp_path / "en.grammar")
    lines = strings(["a b a c a b", "", "b a"])
    first = Parsing(tmp_path / "en.grammar").expect(lines, tokenizer="none", gammas=[0.5, 1.0], chains=True)
    monkeypatch.setattr(Parser, "expect", None)
    again = Parsing(tmp_path / "en.grammar").expect(lines, tokenizer="none", gammas=[1.0], chains=True)
    direct = Parsing(grammar)
    assert counted(again[1.0]) == counted(first[1.0]) != counted(first[0.5])
    assert again[1.0].offsets.tolist() == [0, 6, 6, 8]
    with pytest.raises(TypeError):  # nothing is kept under another γ, nor of a grammar without a file
        direct.expect(lines, tokenizer="none", gammas=[1.0], chains=True)


def test_what_has_no_forest_is_refused(grammar: Grammar) -> None:
    with pytest.raises(UsageError, match="require a grammar"):
        Parsing(spacy="fr").expect(strings(["a"]), tokenizer="none", gammas=[1.0], chains=False)
    with pytest.raises(UsageError, match=r"gamma must be 0 or more, not 1\.0, -1"):
        Parser(grammar).expect([["a"]], gammas=[1.0, -1])
    counts = grammar.counts
    steps = [place for place, category in enumerate(counts.categories) if category.kind == STEP]
    strange = np.array([[counts.binary[0, 0], steps[0], steps[0], 1]])
    broken = Grammar(replace(counts, binary=np.concatenate([counts.binary, strange])))
    with pytest.raises(
        InputError, match="every binary rule must join two children, or a child and a binarisation step"
    ):
        broken.head_runs  # noqa: B018
