"""Parallel text in one file: both sides, or an error with the line."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from format_files import BYTE_ORDER_MARK, check_survival, saved, soup
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.formats import text

words = st.text(st.characters(codec="utf-8", exclude_characters="|", exclude_categories=("C", "Z")), max_size=5)
sentences = st.lists(words, max_size=4).map(" ".join)


def read(content: bytes | str) -> tuple[list[str], list[str]]:
    with saved(content) as path:
        source, target = text.read_bitext(path)
    return source.to_pylist(), target.to_pylist()


def test_both_sides_without_the_blanks_around_them() -> None:
    assert read("das Haus ||| the house\nja|||yes  \n ||| \n") == (["das Haus", "ja", ""], ["the house", "yes", ""])


def test_byte_order_mark_carriage_returns_and_no_last_newline() -> None:
    assert read(BYTE_ORDER_MARK + "süß ||| sweet\r\nja ||| yes".encode()) == (["süß", "ja"], ["sweet", "yes"])


@given(st.lists(st.tuples(sentences, sentences), min_size=1, max_size=5))
def test_what_is_written_is_read(pairs: list[tuple[str, str]]) -> None:
    found = read("".join(f"{one} ||| {two}\n" for one, two in pairs))
    assert found == ([one.strip() for one, _ in pairs], [two.strip() for _, two in pairs])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a ||| b\nc d\n", "input.txt:2: 'c d' has 0 separators; expected 'source ||| target'"),
        ("a ||| b ||| c\n", "input.txt:1: 'a ||| b ||| c' has 2 separators; expected 'source ||| target'"),
        ("a ||| b\n\n", "input.txt:2: '' has 0 separators; expected 'source ||| target'"),
    ],
)
def test_a_line_without_exactly_one_separator_is_told(content: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message) + "$"):
        read(content)


def test_an_empty_or_missing_file_is_told() -> None:
    with pytest.raises(InputError, match=r"input.txt:1: the file is empty"):
        read("")
    with pytest.raises(UsageError, match=r"nowhere.txt: no such file"):
        text.read_bitext("nowhere.txt")


@given(soup("ab| "))
def test_reading_survives_anything(content: bytes) -> None:
    check_survival(lambda path: list(zip(*map(list, text.read_bitext(path)), strict=True)), content)
