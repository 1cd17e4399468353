"""Words that must move: too early or too late, how far, and by half where either of two sets could move."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wordorder.apps.find.marking import NOWHERE, WordPlaces, keep_words
from wordorder.apps.patterns.moved_words import MovedWords, find_moved
from wordorder.core.text import Tokens


def moved(at: list[int], *, sure: float = 1.0, second: list[int] | None = None) -> MovedWords:
    words = Tokens.of([[f"w{place}" for place in range(len(at))]])
    views = [
        WordPlaces(np.array(each, dtype=np.int32), np.full(len(at), sure))
        for each in ([at] if second is None else [at, second])
    ]
    return find_moved(words, views)


def test_a_word_before_its_place_is_early_and_one_behind_it_late() -> None:
    early, late = moved([3, 0, 1, 2]), moved([1, 2, 3, 0])
    assert (early.early.tolist(), early.late.tolist()) == ([1, 0, 0, 0], [0] * 4)
    assert (late.early.tolist(), late.late.tolist()) == ([0] * 4, [0, 0, 0, 1])
    assert (early.distance[0], late.distance[3]) == (3, 3)


def test_of_two_neighbours_either_moves_by_half() -> None:
    found = moved([0, 2, 1, 3], sure=0.5)
    assert found.early.tolist() == [0, 0.25, 0, 0]
    assert found.late.tolist() == [0, 0, 0.25, 0]
    assert found.distance.tolist() == [0, 1, 1, 0]
    assert found.weight.tolist() == [0.5] * 4
    assert found.marked.tolist() == [False, False, True, False]  # as wordorder.find marks it


def test_words_without_a_place_have_no_weight_and_the_second_view_counts_where_the_first_is_in_order() -> None:
    found = moved([0, NOWHERE, 1, 2], second=[1, NOWHERE, 2, 0])
    assert found.weight.tolist() == [1, 0, 1, 1]
    assert found.late.tolist() == [0, 0, 0, 1]
    assert found.distance[3] == 2


@given(st.permutations(list(range(7))), st.lists(st.booleans(), min_size=7, max_size=7))
def test_directions_and_distances_literally(order: list[int], known: list[bool]) -> None:
    at = [place if sees else NOWHERE for place, sees in zip(order, known, strict=True)]
    found = moved(at)
    places = np.array(at, dtype=np.int32)
    nowhere = np.full(7, NOWHERE, dtype=np.int32)
    early, late = [0.0] * 7, [0.0] * 7
    for last in (False, True):
        kept = keep_words(places, nowhere, np.ones(7), np.array([0, 7]), last)
        stay = [word for word in range(7) if kept[word] and at[word] != NOWHERE]
        for word in range(7):
            if not kept[word]:
                here, there = sum(other < word for other in stay), sum(at[other] < at[word] for other in stay)
                assert here != there  # otherwise it could stay as well
                early[word] += 0.5 * (there > here)
                late[word] += 0.5 * (there < here)
    assert (found.early.tolist(), found.late.tolist()) == (early, late)
