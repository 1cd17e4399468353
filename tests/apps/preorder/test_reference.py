"""How new orders are judged by reference orders: instances of words, free groups, words and sentences left out."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
import slow_preordering as slow
from hypothesis import given, settings
from hypothesis import strategies as st

import twins
from wordorder.apps.preorder import Reference, load_rules, order_systems, reorder, share_words
from wordorder.core.orders import Permutations
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.core.text import Tokens
from wordorder.core.trees import DependencyTree, DependencyTrees
from wordorder.linking.matching import match_first
from wordorder.metrics import metric


@st.composite
def judged(draw: st.DrawFn) -> tuple[DependencyTree, list[int], list[int]]:
    """A sentence, a new order of its words, and where they should go."""
    tree = draw(slow.trees(most=6))
    return tree, list(draw(st.permutations(range(len(tree))))), draw(slow.places_of(len(tree)))


def reference_of(rows: list[tuple[DependencyTree, list[int], list[int]]], *, instances: str = "words") -> Reference:
    trees = DependencyTrees.of(tree for tree, _, _ in rows)
    return Reference.of(slow.column_of([places for _, _, places in rows]), trees, instances=instances)


def orders_of(rows: list[tuple[DependencyTree, list[int], list[int]]]) -> Permutations:
    return Permutations.of([tuple(word + 1 for word in order) for _, order, _ in rows])


@pytest.mark.parametrize("instances", ["words", "positions"])
@given(rows=st.lists(judged(), max_size=4))
def test_orders_are_judged_as_the_twin_judges_them(
    instances: str, rows: list[tuple[DependencyTree, list[int], list[int]]]
) -> None:
    found = reference_of(rows, instances=instances).compare(orders_of(rows))
    assert [tuple(rank + 1 for rank in order.ranks) for order in found] == [
        slow.compare(tree.words, order, places, instances=instances) for tree, order, places in rows
    ]


@given(st.lists(judged(), min_size=1, max_size=3))
def test_instances_are_matched_as_texts_are(rows: list[tuple[DependencyTree, list[int], list[int]]]) -> None:
    """Write both orders out as text, let each word take the first free instance of itself, read the ranks off."""
    judged = reference_of(rows).compare(orders_of(rows))
    for (tree, order, places), found in zip(rows, judged, strict=True):
        system = [word for word in order if places[word] >= 0]
        ranks = slow.compare(tree.words, order, places, instances="words")
        reference = [tree.words[system[ranks.index(rank + 1)]] for rank in range(len(ranks))]
        matches = match_first(*_columns([tree.words[word] for word in system], reference))
        assert matches.reference.tolist() == list(found.ranks)


def _columns(*texts: list[str]) -> list[Tokens]:
    both = Tokens.of([[*texts[0]], [*texts[1]]])
    return [both[:1], both[1:]]


@given(slow.trees(most=5), st.data())
def test_the_text_of_the_reference_itself_is_right_whatever_instance_stands_where(
    tree: DependencyTree, data: st.DataObject
) -> None:
    places = data.draw(slow.places_of(len(tree), drop=False))
    column = slow.column_of([places])
    groups = [list(permutations(group)) for group in column.groups(0)]
    texts = {tuple(tree.words[word] for group in arranged for word in group) for arranged in product(*groups)}
    reference = Reference.of(column, tree.column())
    for order in permutations(range(len(tree))):
        if tuple(tree.words[word] for word in order) in texts:
            found = reference.compare(Permutations.of([tuple(word + 1 for word in order)]))
            assert list(found.ranks) == list(range(len(tree)))


@settings(max_examples=60)
@given(st.lists(slow.trees(), min_size=1, max_size=3), st.data())
def test_the_reference_itself_scores_1(rows: list[DependencyTree], data: st.DataObject) -> None:
    column = slow.column_of([data.draw(slow.places_of(len(tree), drop=False)) for tree in rows])
    orders = []
    for row in range(len(rows)):
        groups = [data.draw(st.permutations(group)) for group in column.groups(row)]
        orders.append(tuple(word + 1 for group in groups for word in group))
    for instances in ("words", "positions"):
        reference = Reference.of(column, DependencyTrees.of(rows), instances=instances)
        for name in ("fuzzy", "kendall", "pef"):
            score = reference.score(Permutations.of(orders), metric(name))
            assert score == 1 if any(map(len, rows)) else np.isnan(score)


def test_an_example_by_hand() -> None:
    # the cat saw the dog, in the reference: the dog {saw the} cat
    tree = DependencyTree(("the", "cat", "saw", "the", "dog"), (1, 2, -1, 4, 2), ("x",) * 5)
    places = slow.column_of([[5, 6, 5, 0, 2]])
    system = Permutations.of(["1 2 4 5 3"])  # the cat the dog saw
    by_words, by_positions = (Reference.of(places, tree.column(), instances=kind) for kind in ("words", "positions"))
    # by words: the₁=1 cat=5 the₂ and saw are free: "the saw" stands in this order: 3, dog=2, saw=4
    assert str(by_words.compare(system)[0]) == "1 5 3 2 4"
    # by positions the first "the" is the one of the group
    assert str(by_positions.compare(system)[0]) == "3 5 1 2 4"
    assert by_words.score(system, metric("fuzzy")) == twins.fuzzy((1, 5, 3, 2, 4)) == 0.0
    assert by_positions.score(system, metric("fuzzy")) == twins.fuzzy((3, 5, 1, 2, 4)) == 0.25


def test_words_in_other_letters_are_other_words() -> None:
    tree = DependencyTree(("The", "end", "the"), (1, -1, 1), ("x",) * 3).column()
    reference = Reference.of(slow.column_of([[4, 2, 0]]), tree)
    assert str(reference.compare(Permutations.of(["1 2 3"]))[0]) == "3 2 1"


# --- sentences and words left out ----------------------------------------------------------------------------------


def test_words_without_a_place_are_left_out() -> None:
    tree = DependencyTree(("the", "cat", "the", "dog"), (1, -1, 3, 1), ("x",) * 4).column()
    reference = Reference.of(slow.column_of([[-1, 4, 2, 0]], policy="drop"), tree)
    assert str(reference.compare(Permutations.of(["1 2 3 4"]))[0]) == "3 2 1"


@given(st.lists(judged(), min_size=1, max_size=4), st.data())
def test_sentences_that_are_not_kept_are_undefined(
    rows: list[tuple[DependencyTree, list[int], list[int]]], data: st.DataObject
) -> None:
    kept = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    reference = reference_of(rows)
    before = [str(order) for order in reference.compare(orders_of(rows))]
    found = reference.keep(np.array(kept)).compare(orders_of(rows))
    assert [str(order) for order in found] == [order if keep else "" for order, keep in zip(before, kept, strict=True)]
    assert [str(order) for order in reference.compare(orders_of(rows))] == before  # nothing is changed in place


def test_scores_leave_undefined_sentences_out() -> None:
    tree = DependencyTree(("a", "b", "c"), (1, -1, 1), ("x",) * 3)
    reference = Reference.of(slow.column_of([[0, 2, 4], [-1, -1, -1]]), DependencyTrees.of([tree, tree]))
    assert reference.score(Permutations.of(["1 2 3", "3 2 1"]), metric("kendall")) == 1.0
    nothing = reference.keep(np.array([False, False]))
    assert np.isnan(nothing.score(Permutations.of(["1 2 3", "3 2 1"]), metric("kendall")))


# --- what does not fit ---------------------------------------------------------------------------------------------


def test_lengths_must_fit() -> None:
    tree = DependencyTree(("a", "b"), (1, -1), ("x", "y"))
    trees = DependencyTrees.of([tree, tree])
    with pytest.raises(InputError, match="1 reference order for 2 parsed sentences"):
        Reference.of(slow.column_of([[0, 2]]), trees)
    with pytest.raises(InputError, match="the length of sentence 2 is 2 in the parse, but 3 in the reference order"):
        Reference.of(slow.column_of([[0, 2], [0, 2, 4]]), trees)
    with pytest.raises(UsageError, match="unknown way to distinguish instances of a word 'word'; did you mean 'words'"):
        Reference.of(slow.column_of([[0, 2], [0, 2]]), trees, instances="word")
    with pytest.raises(InputError, match="source sentence 1"):
        Reference.of(slow.column_of([[0, 2], [0, 2]]), trees).compare(Permutations.of(["1", "1 2"]))


def test_parsers_must_have_the_same_words() -> None:
    one = DependencyTree(("cats", "sleep"), (1, -1), ("nsubj", "root"))
    two = DependencyTree(("cats", "sleep"), (-1, 0), ("root", "obj"))
    other = DependencyTree(("dogs", "sleep"), (1, -1), ("nsubj", "root"))
    shared = share_words({"A": DependencyTrees.of([one, one]), "B": DependencyTrees.of([two, one])})
    assert shared["B"][0] == two
    assert np.array_equal(shared["A"].words, shared["B"].words)
    with pytest.raises(InputError, match="sentence 2: word 1 of B is 'dogs'; expected 'cats' as in A"):
        share_words({"A": DependencyTrees.of([one, one]), "B": DependencyTrees.of([one, other])})
    with pytest.raises(InputError, match="B has 1 sentence; expected 2 as in A"):
        share_words({"A": DependencyTrees.of([one, one]), "B": one.column()})


def test_systems_are_called_after_rules_and_parsers() -> None:
    tree = DependencyTree(("a", "b"), (1, -1), ("nsubj", "root"), ("NOUN", "VERB")).column()
    reference = Reference.of(slow.column_of([[0, 2]]), tree)
    rules = {"none": load_rules("r1"), "turned": load_rules("r2")}
    assert list(order_systems({"P": tree}, rules, reference)) == ["none", "turned"]
    found = order_systems({"P": tree, "Q": tree}, rules, reference)
    assert {name: str(order[0]) for name, order in found.items()} == {
        "P+none": "1 2",
        "P+turned": "2 1",
        "Q+none": "1 2",
        "Q+turned": "2 1",
    }
    assert str(reorder(tree, rules["turned"])[0]) == "2 1"
    for parses, sets in (({}, rules), ({"P": tree}, {})):
        with pytest.raises(UsageError, match="nothing to evaluate"):
            order_systems(parses, sets, reference)
