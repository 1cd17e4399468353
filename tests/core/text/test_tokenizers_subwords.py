"""Subwords of three kinds: noticed, and joined into the words they were."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.core.runtime.columns import strings
from wordorder.core.text.tokenizers import join_subwords, subword_mark

Pieces = list[list[str]]
"""The words of a line, each in pieces."""


def subword_nmt(words: Pieces) -> str:
    return " ".join("@@ ".join(pieces) for pieces in words)


def sentencepiece(words: Pieces) -> str:
    return " ".join("▁" + " ".join(pieces) for pieces in words)


def wordpiece(words: Pieces) -> str:
    return " ".join(" ##".join(pieces) for pieces in words)


WORDS = st.lists(st.lists(st.text(alphabet="abé人", min_size=1, max_size=3), min_size=1, max_size=3), max_size=5)


@pytest.mark.parametrize("write", [subword_nmt, sentencepiece, wordpiece])
@given(lines=st.lists(WORDS, min_size=1, max_size=3))
def test_joining_gives_the_words_back(write: Callable[[Pieces], str], lines: list[Pieces]) -> None:
    joined = join_subwords(strings(map(write, lines))).to_pylist()
    assert joined == [" ".join("".join(pieces) for pieces in line) for line in lines]


@given(lines=st.lists(st.text(alphabet="ab @#.é\t"), max_size=3))
def test_text_without_marks_stays_as_it_is(lines: list[str]) -> None:
    plain = [line for line in lines if "@@" not in line and "##" not in line]
    assert join_subwords(strings(plain)).to_pylist() == plain
    assert subword_mark(plain) is None


def test_joining_what_a_line_begins_or_ends_with() -> None:
    lines = ["hel@@ lo@@", "hel@@\tlo", "##lo a ## b", "▁▁hel lo"]
    assert join_subwords(strings(lines)).to_pylist() == ["hello", "hello", "##lo a ## b", "hello"]


@pytest.mark.parametrize(
    ("line", "mark"),
    [
        ("hel@@ lo world", "@@"),
        ("▁hel lo ▁world", "▁"),
        ("hel ##lo world", "##"),
        ("hello world", None),
        ("mail me @@ home", None),
        ("## heading", None),
        ("", None),
        ("▁ is a sign among many other words of one line", None),
    ],
)
def test_marks_are_noticed(line: str, mark: str | None) -> None:
    assert subword_mark([line]) == mark
