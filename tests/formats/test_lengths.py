from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from format_files import lines_of, saved, soup
from wordorder.core.runtime.errors import InputError
from wordorder.core.runtime.files import LONGEST_SENTENCE
from wordorder.formats import lengths


def whole(blocks: Iterable[NDArray[np.int32]]) -> list[int]:
    return [length for block in blocks for length in block.tolist()]


@given(soup("ab \t\r\x0b\x0cä"), st.integers(1, 3))
def test_words_are_counted_like_split_does(content: bytes, lines: int) -> None:
    with saved(content) as path:
        if not lines_of(content):
            with pytest.raises(InputError, match=":1: the file is empty; expected one sentence per line"):
                whole(lengths.count_blocks(path))
            return
        expected = [len(line.split()) for line in lines_of(content)]
        assert whole(lengths.count_blocks(path)) == expected
        blocks = [block.tolist() for block in lengths.count_blocks(path, lines=lines)]
    assert list(itertools.chain.from_iterable(blocks)) == expected
    assert all(len(block) <= lines for block in blocks)


@given(soup("0123 \t\r"))
def test_numbers_are_read_like_int_does(content: bytes) -> None:
    rows = [line.split() for line in lines_of(content)]
    bad = [
        number
        for number, row in enumerate(rows, start=1)
        if len(row) != 1 or not row[0].isdigit() or int(row[0]) > LONGEST_SENTENCE
    ]
    with saved(content) as path:
        if bad or not rows:
            with pytest.raises(InputError) as caught:
                whole(lengths.read_blocks(path))
            assert caught.value.line == (bad or [1])[0]
        else:
            assert whole(lengths.read_blocks(path)) == [int(row[0]) for row in rows]


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        ("3\n\n", 2, "expected one number of words per line, found ''"),
        ("3 4\n", 1, "found '3 4'"),
        ("-3\n", 1, "found '-3'"),
        ("99999999999999999999\n", 1, "maximum length of 65536 words"),
    ],
)
def test_refuses(content: str, line: int, message: str) -> None:
    with saved(content) as path, pytest.raises(InputError) as caught:
        whole(lengths.read_blocks(path))
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert message in str(caught.value)


def test_a_sentence_may_have_so_many_words_and_no_more() -> None:
    with saved("a\n" + "b " * LONGEST_SENTENCE) as path:
        assert whole(lengths.count_blocks(path)) == [1, LONGEST_SENTENCE]
    with saved("a\n" + "b " * (LONGEST_SENTENCE + 1)) as path, pytest.raises(InputError) as caught:
        whole(lengths.count_blocks(path))
    assert caught.value.line == 2
