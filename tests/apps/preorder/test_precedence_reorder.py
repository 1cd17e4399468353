"""Rules applied to trees: against a recursive twin, and every rule set that comes along worked out by hand."""

from __future__ import annotations

import pytest
import slow_preordering as slow
from hypothesis import given, settings
from hypothesis import strategies as st

from wordorder.apps.preorder import BUILT_IN, RuleSet, load_rules, parse_rules, reorder
from wordorder.apps.preorder.language import HEAD, Element, HeadSide, Rule, WordPattern
from wordorder.apps.preorder.precedence import Reorderer
from wordorder.core.runtime.errors import InputError
from wordorder.core.trees import DependencyTree, DependencyTrees


def written(tree: DependencyTree, rules: RuleSet) -> str:
    """The words of a tree in their new order."""
    return " ".join(tree.words[word] for word in reorder(tree.column(), rules)[0].ranks)


def parsed(text: str) -> DependencyTree:
    """Read ``word/TAG/label/head`` (heads from 1, 0 for the root), separated by blanks."""
    words, tags, labels, heads = zip(*(token.split("/") for token in text.split()), strict=True)
    return DependencyTree(words, tuple(int(head) - 1 for head in heads), labels, tags)


# --- against the twin ----------------------------------------------------------------------------------------------


@given(st.lists(slow.trees(), max_size=4), slow.rule_sets())
def test_orders_are_those_of_the_recursive_twin(rows: list[DependencyTree], rules: RuleSet) -> None:
    found = reorder(DependencyTrees.of(rows), rules)
    assert [list(order.ranks) for order in found] == [slow.reorder(tree, rules) for tree in rows]


@settings(max_examples=20)
@given(st.lists(slow.trees(), min_size=1, max_size=3), st.lists(slow.rule_sets(), min_size=2, max_size=3))
def test_trees_that_are_ready_forget_nothing_between_rule_sets(rows: list[DependencyTree], sets: list[RuleSet]) -> None:
    ready = Reorderer(DependencyTrees.of(rows), frozenset({"a", "b"}))
    for rules in [*sets, *sets]:
        assert ready.reorder(rules).ranks.tolist() == reorder(DependencyTrees.of(rows), rules).ranks.tolist()


@settings(max_examples=60)
@given(st.lists(slow.trees(most=12), max_size=4))
def test_r1_is_the_identity_and_r2_the_reversal_of_any_tree(rows: list[DependencyTree]) -> None:
    trees = DependencyTrees.of(rows)
    assert [list(order.ranks) for order in reorder(trees, load_rules("r1"))] == [
        list(range(len(tree))) for tree in rows
    ]
    assert [list(order.ranks) for order in reorder(trees, load_rules("r2"))] == [
        list(range(len(tree)))[::-1] for tree in rows
    ]


@given(slow.trees())
def test_a_set_without_a_fitting_rule_changes_nothing(tree: DependencyTree) -> None:
    for rules in (RuleSet("none", ()), parse_rules("ADV -> HEAD, [other children]", name="none")):
        assert list(reorder(tree.column(), rules)[0].ranks) == list(range(len(tree)))


@settings(max_examples=40)
@given(slow.trees(), slow.rule_sets())
def test_phrases_of_a_projective_tree_stay_together(tree: DependencyTree, rules: RuleSet) -> None:
    heads = slow.lifted(tree.heads)
    order = list(reorder(tree.column(), rules)[0].ranks)
    for word in range(len(tree)):
        places = [order.index(member) for member in slow.below(heads, word)]
        assert max(places) - min(places) + 1 == len(places)


def test_no_sentence_and_sentences_without_words() -> None:
    rules = load_rules("r5")
    assert len(reorder(DependencyTrees.of([]), rules)) == 0
    empty = DependencyTree((), (), ())
    one = parsed("Go/VERB/root/0")
    assert [str(order) for order in reorder(DependencyTrees.of([empty, one, empty]), rules)] == ["", "1", ""]


# --- every condition of a rule -------------------------------------------------------------------------------------

PASSIVE = parsed("Now/ADV/advmod/4 cats/NOUN/nsubj:pass/4 are/AUX/aux:pass/4 fed/VERB/root/0 daily/ADV/advmod/4")


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("VERB -> HEAD, [other children]", "fed Now cats are daily"),
        ("VERB -> [other children] reversed, HEAD", "daily are cats Now fed"),
        ("VERB -> [other children]>, HEAD, [other children]<", "daily fed Now cats are"),
        ("VERB -> nsubj, HEAD, [other children]", "cats fed Now are daily"),  # the family stands for the subtype
        ("VERB -> HEAD, nsubj, [other children], nsubj:pass", "fed Now are daily cats"),  # unless that is named
        ("VERB -> nsubj|aux reversed, HEAD, [other children]", "are cats fed Now daily"),
        ("VERB -> advmod>, HEAD, advmod, [other children]", "daily fed Now cats are"),  # a side is more precise
        ('VERB -> advmod("NOW"), HEAD, [other children]', "Now fed cats are daily"),
        ('VERB -> HEAD, [other children], advmod("now"), advmod', "fed cats are Now daily"),
        ("VERB -> [other children](ADV), HEAD, [other children]", "Now daily fed cats are"),
        ("VERB -> advmod(NOUN), HEAD, [other children]", "fed Now cats are daily"),
        ("VERB -> advmod(NOUN ADV), HEAD, [other children]", "Now daily fed cats are"),
        # a label that is named counts more than any number of other conditions
        ('VERB -> nsubj:pass, HEAD, nsubj(NOUN "cats")<, [other children]', "cats fed Now are daily"),
        # of equals the first
        ("VERB -> advmod<, HEAD, advmod(ADV), [other children]", "Now fed daily cats are"),
        ("NOUN|ADV -> HEAD, [other children]", "Now cats are fed daily"),
        ("VERB(nsubj) -> HEAD, [other children]", "Now cats are fed daily"),
        ("VERB(root) -> HEAD, [other children]", "fed Now cats are daily"),
        ('ANY("Fed") -> HEAD, [other children]', "fed Now cats are daily"),
        ('ANY("fled" "feed") -> HEAD, [other children]', "Now cats are fed daily"),
    ],
)
def test_conditions(rule: str, expected: str) -> None:
    assert written(PASSIVE, parse_rules(rule, name="one")) == expected


def test_the_first_rule_that_fits_is_used_even_if_a_later_one_is_more_precise() -> None:
    rules = parse_rules("ANY -> HEAD, [other children]\nVERB(root) -> [other children], HEAD", name="two")
    assert written(PASSIVE, rules) == "fed Now cats are daily"


def test_rules_made_by_hand_are_checked_too() -> None:
    named, others = Element(WordPattern(("obj",))), Element(WordPattern())
    for elements, message in (
        ((others,), "HEAD occurs 0 times in the rule"),
        ((HEAD, others, HEAD), "HEAD occurs 2 times in the rule"),
        ((HEAD, named), "no position for children that it does not list"),
        ((HEAD, Element(WordPattern(), HeadSide.AFTER)), "no position for children that it does not list"),
    ):
        with pytest.raises(InputError, match=message):
            Rule(WordPattern(), elements)


def test_fine_tags_are_tags_too() -> None:
    tree = DependencyTree(("cats", "slept"), (1, -1), ("nsubj", "root"), ("NOUN", "VERB"), ("NNS", "VBD"))
    rules = parse_rules("tags VBD NNS\nVBD -> HEAD, [other children](NNS), [other children]", name="fine")
    assert written(tree, rules) == "slept cats"


# --- every set that comes along, by hand ---------------------------------------------------------------------------

# (The old man) (has) not (quickly) eaten (the red apples) (in (the kitchen)) .
LUNCH = parsed(
    "The/DET/det/3 old/ADJ/amod/3 man/NOUN/nsubj/6 has/AUX/aux/6 not/PART/advmod/6 eaten/VERB/root/0 "
    "red/ADJ/amod/8 apples/NOUN/obj/6 in/ADP/case/11 the/DET/det/11 kitchen/NOUN/obl/6 ./PUNCT/punct/6"
)

BY_HAND = {
    "r1": "The old man has not eaten red apples in the kitchen .",
    "r2": ". kitchen the in apples red eaten not has man old The",
    # children before the head reversed, then those after it, then the head
    "r3": "not has old The man red apples the in kitchen . eaten",
    # children before the head, then those after it reversed, then the head
    "r4": "The old man has not . in the kitchen red apples eaten",
    # subject, place, object, verb, auxiliary, negation, full stop; the preposition behind its noun
    "r5": "The old man the kitchen in red apples eaten has not .",
    "head-initial-r3": "eaten man The old has not . kitchen in the apples red",
    "head-initial-r4": "eaten not has man old The apples red kitchen the in .",
    "head-initial-r5": "not has eaten The man old apples red in the kitchen .",
}


@pytest.mark.parametrize("name", BUILT_IN)
def test_rule_sets_that_come_along(name: str) -> None:
    assert written(LUNCH, load_rules(name)) == BY_HAND[name]


def test_r5_turns_predicates_and_clauses_round() -> None:
    # She said that he is a friend of Tom 's , because it helps .
    tree = parsed(
        "She/PRON/nsubj/2 said/VERB/root/0 that/SCONJ/mark/7 he/PRON/nsubj/7 is/AUX/cop/7 a/DET/det/7 "
        "friend/NOUN/ccomp/2 of/ADP/case/9 Tom/PROPN/nmod/7 ,/PUNCT/punct/13 because/SCONJ/mark/13 "
        "it/PRON/nsubj/13 helps/VERB/advcl/2 ./PUNCT/punct/2"
    )
    assert written(tree, load_rules("r5")) == ", it helps because She he Tom of a friend is that said ."


def test_r5_leaves_fixed_expressions_names_and_coordinations_alone() -> None:
    # New York and Rome because of rain
    tree = parsed(
        "York/PROPN/root/0 City/PROPN/flat/1 and/CCONJ/cc/4 Rome/PROPN/conj/1 because/ADP/case/7 of/ADP/fixed/5 "
        "rain/NOUN/nmod/1"
    )
    assert written(tree, load_rules("r5")) == "rain because of York City and Rome"


def test_crossing_trees_are_reordered_as_lifted_ones() -> None:
    # "a hearing is scheduled on it today": "on it" belongs to the hearing, across the verb.
    crossing = parsed(
        "a/DET/det/2 hearing/NOUN/nsubj/4 is/AUX/aux/4 scheduled/VERB/root/0 on/ADP/case/6 it/PRON/nmod/2 "
        "today/ADV/advmod/4"
    )
    assert not crossing.column().projective().any()
    lifted = parsed(
        "a/DET/det/2 hearing/NOUN/nsubj/4 is/AUX/aux/4 scheduled/VERB/root/0 on/ADP/case/6 it/PRON/nmod/4 "
        "today/ADV/advmod/4"
    )
    for name in BUILT_IN:
        assert written(crossing, load_rules(name)) == written(lifted, load_rules(name))
    assert written(crossing, load_rules("r4")) == "a hearing is today on it scheduled"
