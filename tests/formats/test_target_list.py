from __future__ import annotations

import re

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from format_files import alignments, lines_of, links, saved, soup
from wordorder.core.orders import Alignment, Alignments, place
from wordorder.core.runtime.errors import InputError
from wordorder.core.runtime.files import LONGEST_SENTENCE
from wordorder.formats import target_list


def read_slowly(content: bytes, base: int) -> list[tuple[int, list[tuple[int, int]]]] | int:
    """Read target-side lists literally: target length and links of each line, or the number of the bad line."""
    rows = []
    for number, line in enumerate(lines_of(content), start=1):
        found: dict[tuple[int, int], None] = {}
        fields = line.strip(b" \t\r\x0b\x0c").split(b",") if line.strip() else []
        for target, field in enumerate(fields):
            field = field.strip(b" \t\r\x0b\x0c")
            if not re.fullmatch(rb"(?:[0-9]+(?:\s*_[0-9]+)*)?", field):
                return number
            for word in field.split(b"_") if field else []:
                if not 0 <= int(word) - base < LONGEST_SENTENCE:
                    return number
                found[int(word) - base, target] = None
        rows.append((len(fields), list(found)))
    return rows if rows else 1


@given(soup("0123,,,_ \t\r"), st.integers(0, 1))
@example(b"6,6,7_8,,0", 0)
@example(b",", 0)
@example(b"1_1_2_1,1", 0)
def test_equals_the_slow_reader(content: bytes, base: int) -> None:
    expected = read_slowly(content, base)
    with saved(content) as path:
        if isinstance(expected, int):
            with pytest.raises(InputError) as caught:
                target_list.read(path, base=base)
            assert caught.value.line == expected
            return
        column = target_list.read(path, base=base)
    assert column.target_lengths.tolist() == [length for length, _ in expected]
    assert links(column) == [found for _, found in expected]


@given(alignments(lengths=True), st.integers(0, 1))
def test_what_is_written_is_read_again(column: Alignments, base: int) -> None:
    assume(not any(row.target_length == 1 and not row.links for row in column))
    with saved(b"") as path:
        target_list.write(path, column, base=base)
        again = target_list.read(path, base=base)
    assert [set(row) for row in links(again)] == [set(row) for row in links(column)]
    assert again.target_lengths.tolist() == column.target_lengths.tolist()


def test_the_example_of_talbot() -> None:
    source = ["How", "Can", "I", "Qualify", "For", "A", "Mortgage", "Tax", "Deduction", "?"]
    with saved("6,6,7_8,4,3,3,3,3,3,0,0,0,0,0,1,1,9,9\n") as path:
        column = target_list.read(path, source_lengths=[len(source)])
    assert column.target_lengths.tolist() == [18]
    written = place(column, policy="talbot").written(0, source)
    assert written == "A Mortgage {{ Tax Deduction }} For I Qualify How Can ?"


@pytest.mark.parametrize(
    ("content", "base", "message"),
    [
        ("", 0, ":1: the file is empty; expected source positions of each target word"),
        ("1,2\n1,a\n", 0, ":2: expected source positions of each target word like '1,2_3,,0', found 'a'"),
        ("1_\n", 0, ":1: expected source positions"),
        ("_1\n", 0, ":1: expected source positions"),
        ("1 2\n", 0, ":1: expected source positions"),
        ("-1\n", 0, ":1: expected source positions"),
        ("1,0\n", 1, ":1: index 0 in a 1-based file; use base=0"),
        ("1,70000\n", 0, ":1: '70000' exceeds the maximum sentence length"),
        ("," * LONGEST_SENTENCE, 0, ":1: the sentence exceeds the maximum length of 65536 words"),
    ],
)
def test_refuses(content: str, base: int, message: str) -> None:
    with saved(content) as path, pytest.raises(InputError) as caught:
        target_list.read(path, base=base)
    assert str(caught.value).startswith(path + message)


def test_a_single_word_without_links_has_no_form() -> None:
    with saved(b"") as path, pytest.raises(InputError, match="row 2: a single target word without links"):
        target_list.write(path, Alignments.of([Alignment((), 1, 0), Alignment((), 1, 1)]))
