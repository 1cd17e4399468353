from __future__ import annotations

import pytest

from wordorder.core.runtime.errors import InputError
from wordorder.formats.sources import lockstep


def test_blocks_come_side_by_side() -> None:
    assert list(lockstep({"a": iter([[1, 2], [3]]), "b": iter([[4, 5], [6]])})) == [([1, 2], [4, 5]), ([3], [6])]


def test_every_length_is_told_even_when_the_difference_is_blocks_away() -> None:
    streams = {"ref": iter([[0] * 4, [0] * 4, [0]]), "A": iter([[0] * 4, [0] * 4, [0]]), "B": iter([[0] * 4])}
    with pytest.raises(InputError, match="ref has 9 lines, A has 9, B has 4"):
        list(lockstep(streams))
