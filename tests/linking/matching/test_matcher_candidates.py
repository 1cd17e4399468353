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
