"""Self-training keeps folds apart, looks at no gold tree it should not know, and chooses what reorders best."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wordorder
from wordorder.apps.preorder import Reference, SelfTraining, load_rules, reorder
from wordorder.apps.preorder.reference import order_metric
from wordorder.core.orders import place
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.core.trees import DependencyTrees, best_trees
from wordorder.formats import conllu, pharaoh
from wordorder.linking.parsing.transition import DependencyParser, ParserOptions

DEMO = Path(wordorder.__file__).parent / "data" / "demo"
QUICK = SelfTraining(ParserOptions(beam=2, passes=2), nbest=6, folds=2)


@given(count=st.integers(4, 60), folds=st.integers(2, 6), share=st.floats(0.01, 0.99))
@settings(max_examples=30)
def test_folds_are_kept_apart(count: int, folds: int, share: float) -> None:
    if count < 2 * folds:
        return
    parts = SelfTraining(folds=folds, share=share).split(count)
    assert sorted(np.concatenate([held_out for held_out, _, _ in parts])) == list(range(count))
    for held_out, known, other in parts:
        assert sorted(np.concatenate([held_out, known, other])) == list(range(count))  # each once
        assert len(known)
        assert len(other)
        assert len(known) == pytest.approx(share * (count - len(held_out)), abs=1.5)


@pytest.fixture(scope="module")
def trees() -> DependencyTrees:
    return conllu.read(DEMO / "source.conllu")


@pytest.fixture(scope="module")
def reference(trees: DependencyTrees) -> Reference:
    links = pharaoh.read(DEMO / "reference.align", source_lengths=trees.lengths.astype(np.int32))
    return Reference.of(place(links, policy="talbot"), trees)


@pytest.mark.slow
def test_gold_trees_of_the_text_are_not_looked_at(trees: DependencyTrees, reference: Reference) -> None:
    rules, metric = load_rules(str(DEMO / "german.rules")), order_metric("fuzzy")
    parser = DependencyParser.learn(trees[:8], QUICK.options)
    text = trees[8:]
    known = reference.take(np.arange(8, 16), text)
    chain = np.concatenate([np.arange(-1, length - 1) for length in text.lengths]).astype(np.int32)
    chosen = QUICK.choose(parser, text, known, rules)
    blind = QUICK.choose(parser, replace(text, heads=chain), known, rules)
    assert (chosen.heads == blind.heads).all()
    likeliest = best_trees(parser.parse(text))
    assert known.score(reorder(chosen, rules), metric) >= known.score(reorder(likeliest, rules), metric)
    assert (chosen.heads != likeliest.heads).any()


@pytest.mark.slow
def test_every_sentence_is_parsed_once(trees: DependencyTrees, reference: Reference) -> None:
    found = QUICK.try_folds(trees, reference, load_rules("r5"))
    assert list(found) == ["before", "self-trained", "targeted"]
    for parses in found.values():
        assert [tree.words for tree in parses] == [tree.words for tree in trees]
        assert parses.first_fault() is None
    assert (found["before"].heads != found["targeted"].heads).any()


def test_mistakes(trees: DependencyTrees, reference: Reference) -> None:
    for wrong in ({"folds": 1}, {"nbest": 0}, {"share": 0.0}, {"share": 1.0}):
        with pytest.raises(UsageError, match=r"expected at least 2 folds|share of sentences in the treebank"):
            SelfTraining(**wrong)
    with pytest.raises(InputError, match="9 folds need at least 18 sentences, found 16"):
        SelfTraining(folds=9).try_folds(trees, reference, load_rules("r1"))
