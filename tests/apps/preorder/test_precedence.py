"""What a reference wants of a tree, and the best order a tree allows: against all orders it allows."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
import slow_preordering as slow
from hypothesis import given, settings
from hypothesis import strategies as st

import twins
from wordorder.apps.preorder import Reference, load_rules, order_best, reorder
from wordorder.apps.preorder.precedence import MOST_CHILDREN, WIDEST, _move_one, _try_all, compare_neighbours
from wordorder.core.orders.projection import Places
from wordorder.core.runtime.errors import InputError
from wordorder.core.trees import DependencyTree, DependencyTrees
from wordorder.metrics import metric

Judged = tuple[DependencyTree, list[int]]


@st.composite
def judged(draw: st.DrawFn, *, most: int = 6) -> Judged:
    tree = draw(slow.trees(most=most))
    return tree, draw(slow.places_of(len(tree)))


def columns(rows: list[Judged]) -> tuple[DependencyTrees, Places]:
    return DependencyTrees.of(tree for tree, _ in rows), slow.column_of([places for _, places in rows])


def neighbours(heads: list[int], head: int) -> list[tuple[int, set[int]]]:
    """A head and its children in source order, each with its words."""
    children = [(word, slow.below(heads, word)) for word, its in enumerate(heads) if its == head]
    return sorted([*children, (head, {head})]) if children else []


@given(st.lists(judged(most=8), max_size=3))
def test_wishes_of_neighbours_are_counted_word_by_word(rows: list[Judged]) -> None:
    expected = []
    start = 0
    for tree, places in rows:
        heads = slow.lifted(tree.heads)
        for head in range(len(tree)):
            for (one, some), (two, others) in combinations(neighbours(heads, head), 2):
                wishes = [slow.wish(places, first, second) for first in some for second in others]
                pair = (head + start, one + start, two + start)
                expected.append((*pair, wishes.count(-1), wishes.count(1)))
        start += len(tree)
    found = compare_neighbours(*columns(rows))
    parts = (found.head, found.first, found.second, found.before, found.after)
    assert list(zip(*(part.tolist() for part in parts), strict=True)) == expected
    assert len(found) == len(expected)


@settings(max_examples=60)
@given(st.lists(judged(), max_size=3))
def test_the_best_order_has_the_fewest_wrong_pairs_of_all_the_tree_allows(rows: list[Judged]) -> None:
    trees, places = columns(rows)
    for (tree, wanted), order in zip(rows, order_best(trees, places), strict=True):
        heads = slow.lifted(tree.heads)
        allowed = list(slow.tree_orders(heads))
        fewest = min(slow.discordant(each, wanted) for each in allowed)
        found = [int(word) for word in order.ranks]
        assert found in allowed
        assert slow.discordant(found, wanted) == fewest
        # of equals, the one whose neighbours exchange places the least
        best = [each for each in allowed if slow.discordant(each, wanted) == fewest]
        assert moved(heads, found) == min(moved(heads, each) for each in best)


def moved(heads: list[int], order: list[int]) -> int:
    """Pairs of neighbours (children of one head, and the head) whose order is not that of the source."""
    count = 0
    for head in range(len(heads)):
        items = [word for word, _ in neighbours(heads, head)]
        count += sum(order.index(one) > order.index(two) for one, two in combinations(items, 2))
    return count


@given(judged(most=5))
def test_no_order_of_the_tree_has_a_better_kendall(row: Judged) -> None:
    tree, wanted = row
    reference = Reference.of(slow.column_of([wanted]), tree.column(), instances="positions")
    found = reference.score(order_best(tree.column(), reference.places), metric("kendall"))
    values = [
        twins.kendall(slow.compare(tree.words, order, wanted, instances="positions"))
        for order in slow.tree_orders(slow.lifted(tree.heads))
        if any(place >= 0 for place in wanted)
    ]
    assert np.isnan(found) if not values else abs(found - max(values)) < 1e-12


def test_without_wishes_nothing_moves() -> None:
    tree = DependencyTree(tuple("abcde"), (1, -1, 1, 4, 1), ("x",) * 5).column()
    for places in ([-1] * 5, [7] * 5, [4] * 5, [3, 3, 3, -1, 3]):
        assert str(order_best(tree, slow.column_of([places]))[0]) == "1 2 3 4 5"


def test_what_the_tree_holds_together_stays_together() -> None:
    # b belongs to a, d to c; wanted is a c b d: the phrases cannot mix
    tree = DependencyTree(tuple("abcd"), (2, 0, -1, 2), ("x",) * 4).column()
    assert str(order_best(tree, slow.column_of([[0, 4, 2, 6]]))[0]) == "1 2 3 4"


@given(st.integers(2, 6), st.data())
def test_both_searches_against_all_orders(count: int, data: st.DataObject) -> None:
    cost = np.array(
        data.draw(
            st.lists(st.lists(st.integers(0, 5), min_size=count, max_size=count), min_size=count, max_size=count)
        ),
        dtype=np.int64,
    )

    def total(order: list[int]) -> int:
        return int(sum(cost[one, two] for one, two in combinations(order, 2)))

    best = min(total(list(order)) for order in permutations(range(count)))
    found = _try_all(cost).tolist()
    assert sorted(found) == list(range(count))
    assert total(found) == best
    # moving one at a time ends where no single move helps, and never above the start
    moved_one = _move_one(cost).tolist()
    assert sorted(moved_one) == list(range(count))
    assert total(moved_one) <= total(list(range(count)))
    for place in range(count):
        rest = moved_one[:place] + moved_one[place + 1 :]
        for target in range(count):
            assert total([*rest[:target], moved_one[place], *rest[target:]]) >= total(moved_one)


def test_very_wide_heads_are_ordered_by_moving_one_at_a_time() -> None:
    count = WIDEST + 8
    tree = DependencyTree(("w",) * count, (-1, *[0] * (count - 1)), ("x",) * count).column()
    wanted = [2 * place for place in reversed(range(count))]
    assert list(order_best(tree, slow.column_of([wanted]))[0].ranks) == list(reversed(range(count)))


def test_heads_with_thousands_of_children_are_refused() -> None:
    one = DependencyTree(("w",), (-1,), ("x",))
    count = MOST_CHILDREN + 2
    wide = DependencyTree(("w",) * count, (1, -1, *[1] * (count - 2)), ("x",) * count)
    trees = DependencyTrees.of([one, wide])
    with pytest.raises(InputError, match="sentence 2: word 2 has 4097 children; expected at most 4096"):
        order_best(trees, slow.column_of([[0], list(range(count))]))
    assert len(reorder(trees, load_rules("r2"))) == 2  # reordering needs no pairs


def test_deep_trees_are_ordered() -> None:
    count = 3000
    chain = DependencyTree(("w",) * count, tuple(range(-1, count - 1)), ("x",) * count).column()
    backwards = list(reversed(range(count)))
    assert list(order_best(chain, slow.column_of([[2 * place for place in backwards]]))[0].ranks) == backwards
    assert list(reorder(chain, load_rules("r2"))[0].ranks) == backwards


def test_no_sentences() -> None:
    assert len(order_best(DependencyTrees.of([]), slow.column_of([]))) == 0
