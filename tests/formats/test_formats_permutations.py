from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from format_files import lines_of, saved, soup
from wordorder.core.orders import Permutations
from wordorder.core.runtime.errors import InputError
from wordorder.core.runtime.files import LONGEST_SENTENCE
from wordorder.formats import permutations

columns = st.lists(
    st.integers(0, 12).flatmap(lambda length: st.permutations(range(1, length + 1))), min_size=1, max_size=10
).map(Permutations.of)


def read_slowly(content: bytes, base: int) -> list[list[int]] | int:
    """Read permutations literally: 0-based ranks of each line, or the number of the bad line."""
    rows = []
    for number, line in enumerate(lines_of(content), start=1):
        words = line.split()
        if not all(word.isdigit() for word in words):
            return number
        ranks = [int(word) - base for word in words]
        if sorted(ranks) != list(range(len(ranks))):
            return number
        rows.append(ranks)
    return rows if rows else 1


def agree(content: bytes, base: int) -> None:
    expected = read_slowly(content, base)
    with saved(content) as path:
        if isinstance(expected, int):
            with pytest.raises(InputError) as caught:
                permutations.read(path, base=base)
            assert caught.value.line == expected
            assert "\n" not in str(caught.value)
        else:
            assert [list(row.ranks) for row in permutations.read(path, base=base)] == expected


@given(soup("0123 \t\r-"), st.integers(0, 1))
@example(b"\xef\xbb\xbf2 1\r\n\n1", 1)
@example(b"\x00", 1)
@example(b"1 00000000000000000000000000000000000002", 1)
@example(b"1 18446744073709551618", 1)  # 2 after a wrap of 64 bits
def test_equals_the_slow_reader_on_any_bytes(content: bytes, base: int) -> None:
    agree(content, base)


@given(columns, st.integers(0, 1), st.integers(1, 4))
def test_what_is_written_is_read_again(column: Permutations, base: int, lines: int) -> None:
    with saved(b"") as path:
        permutations.write(path, column, base=base)
        blocks = list(permutations.read_blocks(path, base=base, lines=lines))
    again = Permutations.concatenate(blocks)
    assert all(len(block) <= lines for block in blocks)
    assert list(again) == list(column)


def test_blocks_are_written_like_the_whole() -> None:
    target = io.StringIO()
    permutations.write(target, [Permutations.of(["2 1"]), Permutations.of(["", "1"])])
    assert target.getvalue() == "2 1\n\n1\n"


@pytest.mark.parametrize(
    ("content", "base", "line", "message"),
    [
        ("", 1, 1, "is empty; expected a permutation"),
        ("1\n1 2 4\n", 1, 2, "not a permutation of 3 words: '4' is out of range (1 to 3)"),
        ("1 2 2\n", 1, 1, "not a permutation of 3 words: 2 appears twice and 3 is missing"),
        ("0 1\n", 1, 1, "index 0 in a 1-based file; use base=0 if it counts from 0"),
        ("1 2\n", 0, 1, "'2' is out of range (0 to 1); use base=1 if the file counts from 1"),
        ("0 3\n", 0, 1, "'3' is out of range (0 to 1)"),
        ("1 -2\n", 1, 1, "expected a permutation like '2 4 1 3', found '-2'"),
        ("1,2\n", 1, 1, "found '1,2'"),
        ("1 2.0\n", 1, 1, "found '2.0'"),
        ("1 x\n", 1, 1, "found 'x'"),
        ("1 2\x00\n", 1, 1, r"found '2\x00'"),
        ("1 " + "9" * 5000 + "\n", 1, 1, "'" + "9" * 40 + "…' is out of range (1 to 2)"),
    ],
)
def test_refuses(content: str, base: int, line: int, message: str) -> None:
    with saved(content) as path, pytest.raises(InputError) as caught:
        permutations.read(path, base=base)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert message in str(caught.value)


def test_the_longest_sentence_is_read_and_a_longer_one_refused() -> None:
    numbers = [str(number) for number in range(LONGEST_SENTENCE + 1, 0, -1)]
    with saved("1\n" + " ".join(numbers[1:])) as path:
        assert permutations.read(path).lengths.tolist() == [1, LONGEST_SENTENCE]
    with saved("1\n" + " ".join(numbers)) as path, pytest.raises(InputError) as caught:
        permutations.read(path)
    assert caught.value.line == 2
    assert "maximum length of 65536 words" in str(caught.value)


def test_packed_files(tmp_path: Path) -> None:
    path = tmp_path / "orders.gz"
    permutations.write(path, Permutations.of(["2 1"]))
    assert path.read_bytes()[:2] == b"\x1f\x8b"
    assert [str(row) for row in permutations.read(path)] == ["2 1"]
