from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from format_files import alignments, check_survival, everything, links, saved, soup
from wordorder.core.orders import Alignment, Alignments
from wordorder.core.runtime.errors import InputError
from wordorder.formats import lader


@given(alignments(lengths=True, possible=True, probability=True), st.integers(0, 1))
def test_what_is_written_is_read_again(column: Alignments, base: int) -> None:
    with saved(b"") as path:
        lader.write(path, column, base=base)
        assert everything(lader.read(path, base=base)) == everything(column)


@given(soup("0123-| \t\r"))
def test_any_bytes_give_data_or_an_error(content: bytes) -> None:
    check_survival(lader.read, content)


def test_reads() -> None:
    with saved("3-2 ||| 0-0 2-1\n\r\n 4-4 |||\n1-1|||0-0") as path:
        column = lader.read(path)
    assert links(column) == [[(0, 0), (2, 1)], [], [], [(0, 0)]]
    assert column.source_lengths.tolist() == [3, -1, 4, 1]
    assert column.target_lengths.tolist() == [2, -1, 4, 1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", ":1: the file is empty; expected 'm-n ||| s-t s-t'"),
        ("3-2 ||| 0-0\n0-0 1-1\n", ":2: expected 'm-n ||| s-t s-t': both lengths, then links, found '0-0'"),
        ("3 ||| 0-0\n", ":1: expected 'm-n |||"),
        ("3-2 || 0-0\n", ":1: expected 'm-n |||"),
        ("3-2 ||", ":1: expected 'm-n |||"),
        ("3-2 ||| 0-x\n", ":1: expected links like '0-0 1-2', found '0-x'"),
        ("3-2 ||| 3-1\n", ":1: link 3-1 is out of range: the source sentence has 3 words (indices 0 to 2); use base=1"),
        ("3-2 ||| 0-5\n", ":1: link 0-5 is out of range: the target sentence has 2 words"),
        ("99999999999-2 ||| 0-0\n", ":1: '99999999999-2' exceeds the maximum sentence length"),
    ],
)
def test_refuses(content: str, message: str) -> None:
    with saved(content) as path, pytest.raises(InputError) as caught:
        lader.read(path)
    assert str(caught.value).startswith(path + message)


def test_given_lengths_must_be_those_of_the_file() -> None:
    with saved("3-2 ||| 0-0\n\n") as path:
        assert lader.read(path, source_lengths=[3, 7]).source_lengths.tolist() == [3, 7]
        with pytest.raises(InputError, match=":1: the source length is 3 in this file, but 4 in the source text"):
            lader.read(path, source_lengths=[4, 7])


def test_unknown_lengths_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="row 1 has no source length"):
        lader.write(tmp_path / "out", Alignment(((0, 0),)).column())
    assert not (tmp_path / "out").exists()


@pytest.mark.realdata
def test_real_sample(shared: Path) -> None:
    column = lader.read(shared / "formats" / "samples" / "lader-talbot-test.align")
    assert column.source_lengths.tolist() == [6, 7, 7]
    assert column.target_lengths.tolist() == [8, 7, 8]
    assert column.offsets.tolist() == [0, 6, 13, 19]
