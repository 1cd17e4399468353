"""Of several parses the one that reorders best, against trying all; and how good parses are in themselves."""

from __future__ import annotations

import math

import numpy as np
import pytest
import slow_preordering as slow
from hypothesis import given, settings
from hypothesis import strategies as st

import twins
from wordorder.apps.preorder import Reference, RuleSet, load_rules, parse_rules, parser_table, select_parses
from wordorder.core.runtime.columns import offsets_from_lengths
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.core.statistics import Resampling
from wordorder.core.trees import DependencyTree, DependencyTrees, ParseLists, best_trees

QUICK = Resampling(samples=20)
List = list[tuple[DependencyTree, float]]


@st.composite
def parse_list(draw: st.DrawFn) -> tuple[List, list[int]]:
    """Parses of one sentence with log probabilities, and where its words should go."""
    first = draw(slow.trees(most=5))
    size = len(first)
    parses = []
    for _ in range(draw(st.integers(0 if not size else 1, 4))):
        other = draw(slow.trees(least=size, most=size))
        parse = DependencyTree(first.words, other.heads, other.labels, other.tags, other.fine_tags)
        parses.append((parse, draw(st.sampled_from([-math.inf, -3.0, -2.0, -1.0]))))
    return parses, draw(slow.places_of(size)) if parses else []


def lists_of(rows: list[List]) -> ParseLists[DependencyTrees]:
    parses = [parse for row in rows for parse in row]
    return ParseLists(
        DependencyTrees.of(tree for tree, _ in parses),
        np.array([score for _, score in parses], dtype=np.float64),
        offsets_from_lengths([len(row) for row in rows]),
        tuple(str(row) for row in range(len(rows))),
    )


@settings(max_examples=40)
@given(st.lists(parse_list(), min_size=1, max_size=4), slow.rule_sets(), st.sampled_from(["fuzzy", "kendall"]))
def test_the_best_of_each_list_is_chosen(rows: list[tuple[List, list[int]]], rules: RuleSet, by: str) -> None:
    rows.append(([(FLAT, -1.0)], [0, 2, 4, 6]))
    lists = lists_of([parses for parses, _ in rows])
    reference = Reference.of(slow.column_of([places for _, places in rows]), best_trees(lists))
    found = select_parses(lists, rules, reference, metric=by, resampling=QUICK)
    chosen, ranks, first = [], [], []
    start = 0
    for parses, places in rows:

        def value(place: int, parses: List = parses, places: list[int] = places) -> float:
            tree = parses[place][0]
            order = slow.compare(tree.words, slow.reorder(tree, rules), places, instances="words")
            return twins.FLAT[by](order) if order else 0.0

        likely = sorted(range(len(parses)), key=lambda place, parses=parses: (-parses[place][1], place))  # type: ignore[misc]
        if parses:
            best = max(likely, key=value)  # the first of equals, so the likeliest
            chosen.append(start + best)
            ranks.append(likely.index(best))
            first.append(parses[likely[0]][0])
        start += len(parses)
    assert found.parses.tolist() == chosen
    assert found.ranks.tolist() == ranks
    assert list(found.likeliest) == first
    assert list(found.chosen) == [lists.trees[place] for place in chosen]
    low, high = found.scores.values[:, 0]
    assert low <= high or np.isnan(low)


# --- an example by hand --------------------------------------------------------------------------------------------

WORDS = ("I", "saw", "stars", "there")
# "there" under "saw", or under "stars"; with all children in front of the head, the second gives "I there stars saw"
FLAT = DependencyTree(WORDS, (1, -1, 1, 1), ("nsubj", "root", "obj", "advmod"), ("PRON", "VERB", "NOUN", "ADV"))
DEEP = DependencyTree(WORDS, (1, -1, 1, 2), ("nsubj", "root", "obj", "advmod"), ("PRON", "VERB", "NOUN", "ADV"))
RULES = parse_rules("ANY -> [other children], HEAD", name="final")


def test_what_was_gained() -> None:
    lists = lists_of([[(FLAT, -1.0), (DEEP, -2.0)], [], [(DEEP, -1.0), (FLAT, -0.5)]])
    wanted = [0, 6, 4, 2]  # I there stars saw
    reference = Reference.of(slow.column_of([wanted, [], [0, 6, 2, 4]]), best_trees(lists))
    found = select_parses(lists, RULES, reference, metrics="fuzzy,kendall", resampling=QUICK)
    assert found.parses.tolist() == [1, 3]
    assert found.ranks.tolist() == [1, 0]
    # the first: I stars there saw = 1 3 2 4, fuzzy 0, kendall 5/6; the second is right from the start
    assert found.scores.values.tolist() == [[0.5, pytest.approx(11 / 12)], [1.0, 1.0]]
    table = found.table(DependencyTrees.of([FLAT, FLAT]))
    assert [column.name for column in table.columns][3:] == ["UAS", "LAS", "LAS without subtypes", "part of speech"]
    # the better order has the worse trees
    assert [[cell.value for cell in row][3:] for row in table.rows] == [[1.0] * 4, [7 / 8, 7 / 8, 7 / 8, 1.0]]
    assert table.notes[0] == (
        "1 of 2 sentences get a parse other than the likeliest (on average, number 2.0 in the list)"
    )
    assert len(found.table().columns) == 3


def test_a_sentence_without_a_reference_keeps_its_likeliest_parse() -> None:
    lists = lists_of([[(FLAT, -3.0), (DEEP, -2.0)]])
    reference = Reference.of(slow.column_of([[-1] * 4]), best_trees(lists))
    found = select_parses(lists, RULES, reference, resampling=QUICK)
    assert found.parses.tolist() == [1]
    assert found.ranks.tolist() == [0]


def test_what_does_not_fit() -> None:
    lists = lists_of([[(FLAT, -1.0)], []])
    with pytest.raises(InputError, match="found 2 lists for 1 reference order"):
        select_parses(lists, RULES, Reference.of(slow.column_of([[0, 2, 4, 6]]), FLAT.column()))
    both = DependencyTrees.of([FLAT, FLAT])
    with pytest.raises(InputError, match="sentence 2 has no parses; expected at least one"):
        select_parses(lists, RULES, Reference.of(slow.column_of([[0, 2, 4, 6]] * 2), both))
    reference = Reference.of(slow.column_of([[0, 2, 4, 6], []]), best_trees(lists))
    with pytest.raises(UsageError, match="unknown metric 'fuzy'"):
        select_parses(lists, RULES, reference, metric="fuzy")


# --- parsers -------------------------------------------------------------------------------------------------------


def test_parsers_beside_one_another() -> None:
    crossing = DependencyTree(("a", "b", "c", "d"), (2, 3, -1, 2), ("nsubj", "obj", "root", "x"), ("NOUN",) * 4)
    gold = DependencyTree(("a", "b", "c", "d"), (2, 2, -1, 2), ("nsubj:pass", "obj", "root", "y"), ("NOUN",) * 4)
    table = parser_table({"A": crossing.column(), "B": gold.column()}, gold.column())
    assert [column.name for column in table.columns] == [
        *("parser", "UAS", "LAS", "LAS without subtypes", "part of speech", "crossing trees", "words moved up")
    ]
    assert [[cell.value for cell in row] for row in table.rows] == [
        ["A", 0.75, 0.25, 0.5, 1.0, 1, 1],
        ["B", 1.0, 1.0, 1.0, 1.0, 0, 0],
    ]
    alone = parser_table({"A": crossing.column()})
    assert [[cell.value for cell in row] for row in alone.rows] == [["A", 1, 1]]
    with pytest.raises(InputError, match="1 sentence; expected 2"):
        parser_table({"A": gold.column()}, DependencyTrees.of([gold, gold]))


def test_labels_of_another_scheme_have_no_accuracy() -> None:
    gold = DependencyTree(("a", "b"), (1, -1), ("nsubj", "root"), ("NOUN", "VERB")).column()
    other = DependencyTree(("a", "b"), (1, -1), ("SBJ", "TOP"), ("NN", "VB")).column()
    (row,) = parser_table({"A": other}, gold).rows
    assert [cell.value for cell in row][1:5] == [1.0, None, None, None]


def test_rule_sets_are_used_as_given() -> None:
    lists = lists_of([[(FLAT, -1.0), (DEEP, -2.0)]])
    reference = Reference.of(slow.column_of([[0, 6, 4, 2]]), best_trees(lists))
    assert select_parses(lists, load_rules("r1"), reference, resampling=QUICK).parses.tolist() == [0]
