"""Words between whitespace: Unicode's, or ASCII's alone as alignment tools see them."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wordorder.core.runtime.columns import strings
from wordorder.core.runtime.errors import InputError
from wordorder.core.text import Tokens, encode, tokenise, tokenizers
from wordorder.core.text.tokens import is_punctuation
from wordorder.formats import lengths

lines = st.lists(st.text("ab \t\v\f\r\x1c\x85\u00a0\u2003\u3000é", max_size=12), min_size=1, max_size=6)


@given(lines)
@example(["10\u00a0000 x", "\u3000", " "])
def test_ascii_whitespace_alone_separates_words(column: list[str]) -> None:
    tokens = encode(column, whitespace="ascii")[0]
    assert list(tokens) == [[word for word in re.split("[\t-\r ]+", line) if word] for line in column]


@given(lines)
def test_unicode_whitespace_separates_words(column: list[str]) -> None:
    assert list(encode(column)[0]) == [line.split() for line in column]


@given(lines)
def test_words_are_counted_as_they_are_read(column: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text"
        path.write_bytes("".join(line + "\n" for line in column).encode())
        counted = [length for block in lengths.count_blocks(path) for length in block.tolist()]
        assert counted == encode(column, whitespace="ascii")[0].lengths.tolist()


@given(st.lists(st.lists(st.text(max_size=3), max_size=4), max_size=4))
def test_words_that_are_cut_already_stay_as_they_are(sentences: list[list[str]]) -> None:
    tokens = Tokens.of(sentences)
    assert list(tokens) == sentences
    assert tokens.lengths.tolist() == [len(sentence) for sentence in sentences]
    assert len(set(tokens.vocabulary.to_pylist())) == len(tokens.vocabulary)


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        (["the cat"], "sentence 1 is a single string; expected a sequence of words"),
        ([["a"], [None]], "a word is not a string"),
        ([["\ud800"]], "cannot be encoded as UTF-8"),
    ],
)
def test_what_is_no_sentence_of_words_is_refused(sentences: list[list[str]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Tokens.of(sentences)


@pytest.mark.slow
def test_pandas_is_imported_for_nobody_who_did_not_bring_it() -> None:
    program = """
import sys, wordorder
from wordorder.core.text import lines_of
str(wordorder.score(["A b, c d", "Ä x"], ["a c b d", ""], metrics="all"))
str(wordorder.score(["a b"], source=["A B"]))
print("pandas" in sys.modules)
import pandas
print(lines_of(pandas.Series(["a", "b"])).to_pylist() == ["a", "b"])
"""
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["False", "True"]


@given(
    columns=st.lists(st.lists(st.text(alphabet="ab É,.\u00a0", max_size=6), max_size=7), min_size=1, max_size=3),
    block=st.integers(1, 3),
    lowercase=st.booleans(),
    tokenizer=st.sampled_from(["13a", "none", "char"]),
)
def test_long_texts_are_numbered_block_by_block_to_the_same_numbers(
    columns: list[list[str]], block: int, lowercase: bool, tokenizer: str
) -> None:
    whole = tokenise(columns, tokenizer=tokenizer, lowercase=lowercase)
    with mock.patch.object(tokenizers, "LINES_PER_BLOCK", block):
        parts = tokenise(columns, tokenizer=tokenizer, lowercase=lowercase)
    assert len(parts) == len(whole)
    for one, two in zip(parts, whole, strict=True):
        assert one.ids.tolist() == two.ids.tolist()
        assert one.offsets.tolist() == two.offsets.tolist()
        assert one.vocabulary.to_pylist() == two.vocabulary.to_pylist()
        assert one.vocabulary is parts[0].vocabulary


@given(lines)
@example(["a\u2019b \u4e2d\u3000\U0001f600", "\x1c\x1d \u1680\u205fé"])
@example(["a  ", " b  .   "])
@example([f"a{chr(code)}b" for code in (*range(0x3100), 0xFEFF, 0x1F600)])
def test_words_are_split_as_python_splits_them(texts: list[str]) -> None:
    column = strings(["left out", *texts])[1:]  # a column that does not begin where its bytes do
    assert [list(words) for words in encode(column)[0]] == [text.split() for text in texts]
    assert [list(words) for words in encode(column, whitespace="ascii")[0]] == [
        [word.decode() for word in text.encode().split()] for text in texts
    ]


def test_punctuation() -> None:
    assert all(map(is_punctuation, [".", "''", "``", "…", "「", "-LRB-".replace("LRB", "("), "%"]))
    assert not any(map(is_punctuation, ["", "a.", "$", "+", "1", " "]))
