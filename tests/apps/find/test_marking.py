"""The words that must move: the fewest, exactly, in two views at once; and where they belong."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from wordorder.apps.find import find, marking
from wordorder.apps.find.findings import Move
from wordorder.apps.find.marking import NOWHERE, WordPlaces, find_moves, keep_words, linked_places, matched_places
from wordorder.core.orders import Alignment, Alignments
from wordorder.core.runtime.columns import Bools
from wordorder.core.text import tokenise
from wordorder.linking.matching import Matching

X = NOWHERE


def ints(values: list[int]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.array(values, dtype=np.int32)


def keep(first: list[int], second: list[int], sure: list[float] | None = None, last: bool = False) -> list[int]:
    """Return the words that stay."""
    certain = np.array(sure or [1.0] * len(first))
    return np.flatnonzero(keep_words(ints(first), ints(second), certain, np.array([0, len(first)]), last)).tolist()


def in_order(places: list[int], words: tuple[int, ...]) -> bool:
    known = [places[word] for word in words if places[word] != X]
    return known == sorted(known)


def best_words(first: list[int], second: list[int], sure: list[float]) -> tuple[int, float]:
    """Try every set of words; return the size of the largest ones and the lowest certainty of these."""
    every = (words for size in range(len(first) + 1) for words in combinations(range(len(first)), size))
    possible = [words for words in every if in_order(first, words) and in_order(second, words)]
    size = max(map(len, possible))
    return size, min(sum(sure[word] for word in words) for words in possible if len(words) == size)


places = st.integers(-1, 6)


@settings(max_examples=150)
@given(st.lists(st.tuples(places, places, st.sampled_from([0.25, 0.5, 1.0])), max_size=7), st.booleans(), st.booleans())
def test_no_more_and_no_less_certain_words_could_stay(
    words: list[tuple[int, int, float]], one_view: bool, last: bool
) -> None:
    first, second = [one for one, _, _ in words], [X if one_view else two for _, two, _ in words]
    sure = [each for _, _, each in words]
    stay = tuple(keep(first, second, sure, last))
    assert in_order(first, stay)
    assert in_order(second, stay)
    assert (len(stay), sum(sure[word] for word in stay)) == best_words(first, second, sure)


def test_of_two_blocks_the_surer_moves_and_ties_go_to_the_first_or_the_last() -> None:
    nowhere = [X] * 4
    assert keep([2, 3, 0, 1], nowhere) == [0, 1]
    assert keep([2, 3, 0, 1], nowhere, last=True) == [2, 3]
    assert keep([2, 3, 0, 1], nowhere, [1.0, 1.0, 0.5, 1.0]) == [2, 3]
    assert keep([1, 0], [0, 1]) == keep([1, 0], [X, X])


def test_rows_are_apart_and_long_ones_go_view_by_view() -> None:
    first, second = ints([1, 0, 1, 0, 2]), ints([X, X, 0, 1, 2])
    assert keep_words(first, second, np.ones(5), np.array([0, 2, 5])).tolist() == [True, False, True, False, True]
    # A row of more than MOST_WORDS: what stays is in order in both views.
    rng = np.random.default_rng(1)
    count = marking.MOST_WORDS + 50
    one, two = rng.permutation(count).astype(np.int32), rng.permutation(count).astype(np.int32)
    one[::7] = two[3::7] = X
    stay = tuple(keep(one.tolist(), two.tolist()))
    assert len(stay) > 10
    assert in_order(one.tolist(), stay)
    assert in_order(two.tolist(), stay)


# --- moves ---------------------------------------------------------------------------------------------------------


def view(at: list[int], sure: float = 1.0) -> WordPlaces:
    return WordPlaces(ints(at), np.full(len(at), sure))


def kept_of(count: int, *marked: int) -> Bools:
    kept = np.ones(count, dtype=np.bool_)
    kept[list(marked)] = False
    return kept


def test_neighbours_move_together_and_take_words_between_along() -> None:
    # after the very meal we walk: 'very' has no place
    at = [2, 3, X, 4, 0, 1]
    assert find_moves(kept_of(6, 0, 1, 3), [view(at)]) == [Move(0, 4, 5, 1.0, 2)]


def test_words_that_part_are_two_moves() -> None:
    at = [4, 0, 3, 1, 2, 5]
    assert find_moves(kept_of(6, 0, 2), [view(at)]) == [Move(0, 1, 4, 1.0, 4), Move(2, 3, 4, 1.0, 3)]


def test_the_beginning_is_before_the_first_word() -> None:
    assert find_moves(kept_of(3, 2), [view([1, 2, 0])]) == [Move(2, 3, -1, 1.0, 0)]


def test_views_that_agree_are_surer_and_one_that_does_not_halves() -> None:
    wrong, right = [1, 2, 0], [0, 1, 2]
    (alone,) = find_moves(kept_of(3, 2), [view(wrong, 0.5)])
    (agreed,) = find_moves(kept_of(3, 2), [view(wrong, 0.5), view(wrong, 0.5)])
    (doubted,) = find_moves(kept_of(3, 2), [view(wrong, 0.5), view(right, 0.5)])
    assert (alone.confidence, agreed.confidence, doubted.confidence) == (0.5, 0.75, 0.25)
    (second,) = find_moves(kept_of(3, 2), [view([0, 1, 2]), view(wrong)])  # the view that objects says where to
    assert second.after == -1


def test_a_region_is_what_a_move_crosses() -> None:
    assert (Move(0, 2, 4, 1.0).region, Move(3, 4, -1, 1.0).region) == ((0, 5), (0, 4))


# --- places --------------------------------------------------------------------------------------------------------


def test_places_by_matches_know_how_often_a_word_occurs() -> None:
    judged, gold = tokenise([["the cat , the dog"], ["a dog and the cat ,"]], tokenizer="none")
    found = matched_places(judged, gold, Matching().over(judged.vocabulary)(judged, gold, None))
    assert sorted(found.at.tolist()) == [X, 1, 3, 4, 5]  # one 'the' is left over
    assert found.at.tolist()[1] == 4
    assert found.sure[1] == 1.0
    assert found.sure[np.flatnonzero(found.at == 3)[0]] == 0.5


def column(*rows: dict[tuple[int, int], float]) -> Alignments:
    plain = Alignments.of([Alignment(tuple(row)) for row in rows])
    likely = np.array([share for row in rows for share in row.values()])
    return Alignments(plain.source, plain.target, plain.offsets, probability=likely)


def test_places_by_links_are_the_likeliest_and_unlikely_links_say_nothing() -> None:
    offsets = np.array([0, 3, 5])
    judged = column({(0, 0): 0.9, (1, 0): 0.1, (2, 1): 0.4, (1, 2): 0.8}, {(0, 1): 0.6})
    found = linked_places(offsets, judged, None)
    assert found.at.tolist() == [0, X, 1, X, 0]
    assert found.sure.tolist() == [0.9, 0.0, 0.8, 0.0, 0.6]
    gold = column({(0, 3): 0.5, (0, 4): 0.8, (2, 0): 1.0}, {(0, 2): 0.5})
    through = linked_places(offsets, judged, gold)
    assert through.at.tolist() == [4, X, X, X, 2]
    np.testing.assert_allclose(through.sure, [0.72, 0, 0, 0, 0.3])
    assert linked_places(offsets, judged, column({}, {})).at.tolist() == [X] * 5


def test_misplaced_punctuation_is_no_order_error() -> None:
    assert not len(find(["a b , c d e"], ["a b c d e ,"], worst=None, confidence=0))
    (found,) = find(["a c , b d e"], ["a b c d e ,"], worst=None, confidence=0)
    assert found.marked == "a →1 c , [1 b] d e"
