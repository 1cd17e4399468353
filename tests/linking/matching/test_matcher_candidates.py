"""Candidates of words that occur more often than a row has room for."""

from __future__ import annotations

import numpy as np
import pytest

from inner_kernels import from_python
from wordorder.linking.matching import matcher

add = from_python(matcher._add)


@pytest.mark.parametrize("diagonal", [0, 1, 30, 31, 59, 60, 100])
@pytest.mark.parametrize("reach", [1, 3, 4])
@pytest.mark.parametrize("first", [0, 2])
def test_the_occurrences_nearest_to_the_diagonal_are_taken(diagonal: int, reach: int, first: int) -> None:
    at = np.arange(0, 40, 4, dtype=np.int32)  # ten places, of which those from `first` on are of the word
    places = at[first:].tolist()
    before = sum(place < diagonal for place in places)
    count = min(2 * reach, len(places))
    start = min(max(before - reach, 0), len(places) - count)
    pairs, stages = np.zeros((20, 4), dtype=np.int32), np.zeros(20, dtype=np.int8)
    used = add(at, first, len(places), diagonal, reach, 2, pairs, stages, 5)
    assert used == 5 + count
    assert pairs[5:used, 2].tolist() == places[start : start + count]
    assert stages.tolist() == [0] * 5 + [2] * count + [0] * (15 - count)


def test_a_row_of_equal_words_has_room_for_all_its_candidates() -> None:
    """More cells than are counted beforehand, and more candidates than rows usually have."""
    words, offsets = np.zeros(70, dtype=np.int32), np.array([0, 70], dtype=np.int64)
    none = np.zeros(2, dtype=np.int64), np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int8)
    ends, pairs, _, whole = matcher.word_candidates(words, offsets, words, offsets, 1, *none)
    expected = [[i, i + 1, j, j + 1] for i in range(70) for j in range(70)]
    assert (ends.tolist(), whole.tolist()) == ([0, 4900], [True])
    assert pairs[:4900].tolist() == expected
