"""Blame: every table worked out by hand, and what is counted against literal counting."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
import slow_preordering as slow
from hypothesis import given, settings
from hypothesis import strategies as st

from wordorder.apps.preorder import Blame, Reference, RuleSet, load_rules, order_best, parse_rules, reorder
from wordorder.core.runtime.errors import UsageError
from wordorder.core.statistics import Resampling
from wordorder.core.trees import DependencyTree, DependencyTrees
from wordorder.metrics import metric
from wordorder.report.table import Table

QUICK = Resampling(samples=50)

# wanted: I red fish eat; you eat now
ONE = DependencyTree(
    ("I", "eat", "red", "fish"), (1, -1, 3, 1), ("nsubj", "root", "amod", "obj"), ("PRON", "VERB", "ADJ", "NOUN")
)
TWO = DependencyTree(("you", "Eat", "now"), (1, -1, 1), ("nsubj", "root", "advmod"), ("PRON", "VERB", "ADV"))
TREES = DependencyTrees.of([ONE, TWO])
REFERENCE = Reference.of(slow.column_of([[0, 6, 2, 4], [0, 2, 4]]), TREES)
# the first is right for one sentence and wrong for the other, the second is wrong, the third is never used
RULES = parse_rules(
    "# mine\nVERB -> [other children], HEAD\n\nNOUN(obj) -> HEAD, [other children]\nADJ -> HEAD, [other children]",
    name="mine",
)


def values(table: Table) -> list[list[object]]:
    return [[cell.value for cell in row] for row in table.rows]


@pytest.fixture(scope="module")
def blame() -> Blame:
    found = Blame.of(TREES, RULES, REFERENCE)
    assert [str(order) for order in found.orders] == ["1 4 3 2", "1 3 2"]  # I fish red eat; you now eat
    return found


# --- misplaced words -----------------------------------------------------------------------------------------------


def test_misplaced_words(blame: Blame) -> None:
    # judged 1 3 2 4 and 1 3 2: "fish" and "now" have to be moved, 2 of 7 words
    table = blame.misplaced_table("word")
    assert [column.name for column in table.columns] == ["word", "misplaced", "occurs", "rate", "lift"]
    assert values(table) == [["fish", 1, 1, 1.0, 3.5], ["now", 1, 1, 1.0, 3.5]]
    assert table.notes == ("2 of 7 words are misplaced (28.6%): the fewest that have to be moved",)


def test_misplaced_tags_and_labels(blame: Blame) -> None:
    assert values(blame.misplaced_table("tag", count=3)) == [["ADV", 1, 1, 1.0, 3.5], ["NOUN", 1, 1, 1.0, 3.5]]
    assert values(blame.misplaced_table("tag", count=1)) == [["ADV", 1, 1, 1.0, 3.5]]
    assert values(blame.misplaced_table("tag", least=2)) == []
    with pytest.raises(UsageError, match="unknown kind of blame 'lable'; did you mean 'label'"):
        blame.misplaced_table("lable")


def test_nothing_misplaced_and_nothing_judged() -> None:
    right = Reference.of(slow.column_of([[0, 2, 4, 6], [0, 2, 4]]), TREES)
    perfect = Blame.of(TREES, load_rules("r1"), right)
    assert perfect.misplaced_table("tag").rows == ()
    assert perfect.show_worst() == ""
    nothing = Reference.of(slow.column_of([[-1] * 4, [-1] * 3]), TREES)
    table = Blame.of(TREES, RULES, nothing).misplaced_table("word")
    assert table.rows == ()
    assert table.notes == ("there are no words to judge",)


@settings(max_examples=50)
@given(st.lists(slow.trees(most=6), min_size=1, max_size=3), slow.rule_sets(), st.data())
def test_misplaced_words_are_those_of_the_judged_orders(
    rows: list[DependencyTree], rules: RuleSet, data: st.DataObject
) -> None:
    trees = DependencyTrees.of(rows)
    places = [data.draw(slow.places_of(len(tree))) for tree in rows]
    reference = Reference.of(slow.column_of(places), trees)
    words, wrong = Blame.of(trees, rules, reference).misplaced()
    expected = []
    for start, tree, wanted in zip(trees.offsets.tolist(), rows, places, strict=False):
        expected += [start + word for word in slow.reorder(tree, rules) if wanted[word] >= 0]
    assert words.tolist() == expected
    judged = [
        slow.compare(tree.words, slow.reorder(tree, rules), wanted, instances="words")
        for tree, wanted in zip(rows, places, strict=True)
    ]
    longest = 0
    for order in judged:
        runs = (size for size in range(len(order) + 1) for part in combinations(order, size) if _ascends(part))
        longest += max(runs)
    assert np.count_nonzero(~wrong) == longest


def _ascends(part: tuple[int, ...]) -> bool:
    return all(one < two for one, two in pairwise(part))


# --- rules ---------------------------------------------------------------------------------------------------------


def test_rules_switched_off_in_turn(blame: Blame) -> None:
    # fuzzy of the whole set is 0; without the first, "you eat now" is right; without the second, "I red fish eat" is
    table = blame.rule_table(resampling=QUICK)
    assert [column.name for column in table.columns] == ["line", "rule for", "heads", "reordered", "gain"]
    assert values(table) == [[2, "VERB", 2, 2, -0.5], [4, "NOUN(obj)", 1, 1, -0.5], [5, "ADJ", 0, 0, 0.0]]
    assert [row[-1].interval for row in table.rows] == [(-1.0, 0.0), (-1.0, 0.0), (0.0, 0.0)]
    assert table.notes[0] == (
        "gain in fuzzy against the set without the rule, whose heads go to the next rule that fits; "
        "the whole set: 0.000"
    )
    assert table.title == "rules of mine, each switched off in turn"
    assert [row[-1].interval for row in blame.rule_table(resampling=Resampling(samples=0)).rows] == [None] * 3


def test_rules_without_lines_are_numbered(blame: Blame) -> None:
    built = RuleSet("built", tuple(type(rule)(rule.head, rule.elements) for rule in RULES))
    table = Blame.of(TREES, built, REFERENCE).rule_table(resampling=QUICK)
    assert [row[0] for row in values(table)] == [1, 2, 3]


@settings(max_examples=40)
@given(st.lists(slow.trees(), min_size=1, max_size=3).filter(lambda rows: any(map(len, rows))), slow.rule_sets())
def test_heads_and_work_of_rules(rows: list[DependencyTree], rules: RuleSet) -> None:
    trees = DependencyTrees.of(rows)
    heads, work = [0] * len(rules), [0] * len(rules)
    for tree in rows:
        above = slow.lifted(tree.heads)
        order = slow.reorder(tree, rules)
        for head in range(len(tree)):
            items = sorted([head, *(word for word, its in enumerate(above) if its == head)])
            rule = slow.rule_for(rules, tree, head)
            if len(items) > 1 and rule is not None:
                number = next(n for n, each in enumerate(rules) if each is rule)
                heads[number] += 1
                work[number] += sorted(items, key=order.index) != items
    reference = Reference.of(slow.column_of([[2 * word for word in range(len(tree))] for tree in rows]), trees)
    blame = Blame.of(trees, rules, reference)
    found = blame._work()
    assert [part.tolist() for part in found] == [heads, work]
    table = blame.rule_table(metric="kendall", resampling=Resampling(samples=0))
    score = reference.score(reorder(trees, rules), metric("kendall"))
    for number, row in enumerate(values(table)):
        smaller = RuleSet("smaller", tuple(rule for place, rule in enumerate(rules) if place != number))
        gain = score - reference.score(reorder(trees, smaller), metric("kendall"))
        assert row[2:] == [heads[number], work[number], pytest.approx(gain)]


# --- rules or parse ------------------------------------------------------------------------------------------------


def test_what_rules_lose_and_what_the_parse_loses(blame: Blame) -> None:
    table = blame.loss_table(metrics="fuzzy,kendall", resampling=QUICK)
    assert [column.name for column in table.columns] == [
        *("metric", "rules", "best order of the tree", "lost to rules", "lost to the parse")
    ]
    # kendall: 5/6 and 2/3 by the rules; the trees allow the reference itself
    assert values(table) == [["fuzzy", 0.0, 1.0, 1.0, 0.0], ["kendall", 0.75, 1.0, 0.25, 0.0]]
    assert table.rows[0][4].interval == (0.0, 0.0)
    assert table.title == "mine: rules or parse?"


def test_a_parse_that_does_not_fit_is_blamed() -> None:
    # b belongs to a, but should stand behind c
    tree = DependencyTree(tuple("abcd"), (2, 0, -1, 2), ("x",) * 4).column()
    reference = Reference.of(slow.column_of([[0, 4, 2, 6]]), tree)
    table = Blame.of(tree, load_rules("r2"), reference).loss_table(metrics="kendall", resampling=QUICK)
    # d c b a against a c b d: 1 of 6 pairs; the best order a b c d has 5 of 6
    assert values(table) == [["kendall", *(pytest.approx(part / 6) for part in (1, 5, 4, 1))]]


@settings(max_examples=25)
@given(st.lists(slow.trees(most=6), min_size=1, max_size=3), slow.rule_sets(), st.data())
def test_losses_add_up(rows: list[DependencyTree], rules: RuleSet, data: st.DataObject) -> None:
    trees = DependencyTrees.of(rows)
    places = slow.column_of([data.draw(slow.places_of(len(tree))) for tree in rows])
    reference = Reference.of(places, trees, instances="positions")
    table = Blame.of(trees, rules, reference).loss_table(resampling=Resampling(samples=0))
    best = order_best(trees, places)
    for name, system, top, rule_loss, parse_loss in values(table):
        if (places.places >= 0).any():
            assert isinstance(system, float)
            assert isinstance(rule_loss, float)
            assert isinstance(parse_loss, float)
            assert system + rule_loss + parse_loss == pytest.approx(1)
            assert top == pytest.approx(reference.score(best, metric(str(name))))
            assert name != "kendall" or rule_loss > -1e-12
        else:
            assert {system, top, rule_loss, parse_loss} == {None}


# --- worst sentences -----------------------------------------------------------------------------------------------


def test_worst_sentences(blame: Blame) -> None:
    assert blame.show_worst(count=5, metric="kendall") == (
        "sentence 2  kendall 0.667\n"
        "  source     you Eat now\n"
        "  rules      you now Eat\n"
        "  reference  you Eat now\n"
        "\n"
        "sentence 1  kendall 0.833\n"
        "  source     I eat red fish\n"
        "  rules      I fish red eat\n"
        "  reference  I red fish eat\n"
        "\n"
    )
    assert blame.show_worst(count=1).count("sentence") == 1
    assert blame.show_worst(count=0) == ""
