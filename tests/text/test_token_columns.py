"""Words between blanks: Unicode's, or ASCII's alone as alignment tools see them."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from wordorder.formats import lengths
from wordorder.text import encode

lines = st.lists(st.text("ab \t\v\f\r\x1c\x85\u00a0\u2003\u3000é", max_size=12), min_size=1, max_size=6)


@given(lines)
@example(["10\u00a0000 x", "\u3000", " "])
def test_ascii_blanks_alone_separate_words(column: list[str]) -> None:
    tokens = encode(column, blanks="ascii")[0]
    assert list(tokens) == [[word for word in re.split("[\t-\r ]+", line) if word] for line in column]


@given(lines)
def test_unicode_blanks_separate_words(column: list[str]) -> None:
    assert list(encode(column)[0]) == [line.split() for line in column]


@given(lines)
def test_words_are_counted_as_they_are_read(column: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text"
        path.write_bytes("".join(line + "\n" for line in column).encode())
        assert lengths.count(path).tolist() == encode(column, blanks="ascii")[0].lengths.tolist()
