"""Text files: lines end at newlines only, whatever else is in them."""

from __future__ import annotations

import gzip
import os

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from format_files import lines_of, saved
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.formats import text


def read(content: bytes | str, name: str = "input.txt") -> list[str]:
    with saved(content, name) as path:
        found: list[str] = text.read(path).to_pylist()
    return found


def complaint(content: bytes | str, name: str = "input.txt") -> str:
    with saved(content, name) as path, pytest.raises(InputError) as caught:
        text.read(path)
    return str(caught.value).replace(os.path.dirname(path) + "/", "")


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        ("one\ntwo\n", ["one", "two"]),
        ("one\ntwo", ["one", "two"]),
        ("\ufeffone\n", ["one"]),
        ("one\r\n\r\ntwo\r\n", ["one", "", "two"]),
        ("\n", [""]),
        ("\n\n", ["", ""]),
        ("one\n\n", ["one", ""]),
        ("  one \t\n", ["  one \t"]),
        ("a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\rh\n", ["a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\rh"]),
        ("a\0b\n\0\n", ["a\0b", "\0"]),
        ("one\n\ufefftwo\n", ["one", "\ufefftwo"]),
        ("e\u0301 😀 \U0010ffff\n", ["e\u0301 😀 \U0010ffff"]),
    ],
)
def test_lines(content: str, lines: list[str]) -> None:
    assert read(content) == lines
    assert read(gzip.compress(content.encode()), "input.txt.gz") == lines


@given(st.one_of(st.binary(max_size=40), st.text(max_size=30).map(str.encode)))
@example(b"\xef\xbb\xbf")
@example(b"a\xed\xa0\x80\n")  # a surrogate is not UTF-8
@example(b"a\xc0\xaf\n")  # neither is a slash written in two bytes
@example(b"ok\n\xf4\x90\x80\x80\n")  # nor what is beyond Unicode
def test_any_file_gives_its_lines_or_one_clear_error(content: bytes) -> None:
    assume(not content.startswith((b"\xff\xfe", b"\xfe\xff", b"PAR1", b"ARROW1")))  # UTF-16 and tables
    lines = lines_of(content)
    bad = 0
    for number, line in enumerate(lines, start=1):
        try:
            line.decode()
        except UnicodeDecodeError:
            bad = number
            break
    if not lines:
        assert complaint(content) == "input.txt:1: the file is empty; expected one sentence per line"
    elif bad:
        assert complaint(content).startswith(f"input.txt:{bad}: byte 0x")
    else:
        assert read(content) == [line.rstrip(b"\r\n").decode() for line in lines]


def test_bytes_that_are_no_utf8_are_shown_with_their_place() -> None:
    expected = "input.txt:2: byte 0xe4 at position 2 is not UTF-8; convert the file"
    assert complaint("gut\nsp\xe4t\n".replace("sp", "s").encode("latin-1")) == expected
    far = b"fine\n" * 20_000 + b"\xff\n"
    assert complaint(far) == "input.txt:20001: byte 0xff at position 1 is not UTF-8; convert the file"


def test_blocks_have_the_asked_size() -> None:
    with saved("".join(f"{n}\n" for n in range(7))) as path:
        assert [block.to_pylist() for block in text.read_blocks(path, lines=3)] == [
            ["0", "1", "2"],
            ["3", "4", "5"],
            ["6"],
        ]


def test_a_megabyte_in_one_line_is_read() -> None:
    assert read("x" * 1_000_000 + "\ny\n") == ["x" * 1_000_000, "y"]


def test_files_that_cannot_be_read_are_told(tmp_path: object) -> None:
    with pytest.raises(UsageError, match="no such file"):
        text.read(f"{tmp_path}/missing.txt")
    with pytest.raises(UsageError, match="found a folder"):
        text.read(str(tmp_path))
    packed = gzip.compress(b"one\ntwo\n" * 100)
    for damaged in (packed[:-10], b"no gzip", packed[:20] + b"\0\0\0\0" + packed[24:]):
        assert complaint(damaged, "input.txt.gz").startswith(
            "input.txt.gz: the file is damaged, or its extension is wrong"
        )


def test_test_sets_are_read_by_their_names() -> None:
    assert read("<doc docid='d'><seg id=1> a  b </seg>\n<seg id=2>c</seg></doc>", "input.sgm") == ["a b", "c"]
    assert read("<dataset><doc id='d'><src lang='en'><seg id='1'>a</seg></src></doc></dataset>", "x.xml") == ["a"]
