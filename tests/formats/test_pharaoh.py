from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from format_files import alignments, everything, lines_of, links, saved, soup
from wordorder.core.orders import Alignments
from wordorder.core.runtime.errors import InputError, UsageError, WordorderError
from wordorder.core.runtime.files import LONGEST_SENTENCE
from wordorder.formats import pharaoh, talp

LINK = re.compile(
    rb"([0-9]+)([-?pP])([0-9]+)(?:-([PpSs]))?(?:[:/-]((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?))?"
)
NULL = re.compile(rb"(?:-1[-?p][0-9]{1,6}|[0-9]{1,6}[-?p]-1)(?:-[PpSs])?")

Rows = list[dict[tuple[int, int], tuple[bool, float | None]]]


def read_slowly(content: bytes, base: int) -> Rows | int:
    """Read Pharaoh literally: the links of each line with mark and probability, or the number of the bad line."""
    rows: Rows = []
    for number, line in enumerate(lines_of(content), start=1):
        row: dict[tuple[int, int], tuple[bool, float | None]] = {}
        for token in line.split():
            if NULL.fullmatch(token):
                continue
            found = LINK.fullmatch(token)
            if not found:
                return number
            source, target = int(found[1]) - base, int(found[3]) - base
            if min(source, target) < 0 or max(source, target) >= LONGEST_SENTENCE:
                return number
            possible = found[4] in b"Pp" if found[4] else found[2] != b"-"
            probability = float(found[5]) if found[5] else None
            if probability is not None and probability > 1:
                return number
            if (source, target) in row:
                before, probability = row[source, target]
                possible = before and possible
            row[source, target] = possible, probability
        rows.append(row)
    return rows if rows else 1


def agree(content: bytes, base: int) -> None:
    expected = read_slowly(content, base)
    with saved(content) as path:
        if isinstance(expected, int):
            with pytest.raises(InputError) as caught:
                pharaoh.read(path, base=base)
            assert caught.value.line == expected
            assert "\n" not in str(caught.value)
            return
        column = pharaoh.read(path, base=base)
    assert links(column) == [list(row) for row in expected]
    marks = [possible for row in expected for possible, _ in row.values()]
    assert (column.possible.tolist() if column.possible is not None else [False] * len(marks)) == marks
    shares = [1.0 if share is None else share for row in expected for _, share in row.values()]
    assert (column.probability.tolist() if column.probability is not None else [1.0] * len(shares)) == shares


@given(soup("012345679-?pPsS:/.eE+ \t\r"), st.integers(0, 1))
@example(b"0-1 0-1-P 0?1 5-0:1e-3 5-0:.5\n\n\xef\xbb\xbf1-1", 0)
@example(b"-1-0", 0)
@example(b"0-0 -1?5-S 3--1\n4--1 x", 1)
@example(b"1-1:0.99999999999999999 2-2:1.0000000000000002", 1)
@example(b"1-1:0.00000000000000000000000000000000000000001 1-2:1e-99999999999999999999", 1)
def test_equals_the_slow_reader_on_any_bytes(content: bytes, base: int) -> None:
    agree(content, base)


@given(
    st.lists(
        st.lists(
            st.builds(
                "{}{}{}{}{}".format,
                st.integers(1, 30),
                st.sampled_from("---?pP"),
                st.integers(1, 30),
                st.sampled_from(["", "", "", "-P", "-S", "-p"]),
                st.one_of(st.just(""), st.builds("{}{}".format, st.sampled_from(":/-"), st.floats(0, 1))),
            ),
            max_size=30,
        ).map(" ".join),
        min_size=1,
    ).map("\n".join),
    st.integers(0, 1),
)
def test_equals_the_slow_reader_on_real_spellings(content: str, base: int) -> None:
    agree(content.encode(), base)


@given(alignments(possible=True, probability=True), st.integers(0, 1))
def test_what_is_written_is_read_again(column: Alignments, base: int) -> None:
    for module in (pharaoh, talp):
        with saved(b"") as path:
            module.write(path, column, base=base)
            again = module.read(path, base=base)
        assert everything(again) == everything(column)


@given(alignments(possible=True), st.integers(1, 4))
def test_blocks_put_together_are_the_whole(column: Alignments, lines: int) -> None:
    with saved(b"") as path:
        pharaoh.write(path, column)
        blocks = list(pharaoh.read_blocks(path, base=0, lines=lines))
    assert all(len(block) <= lines for block in blocks)
    assert everything(Alignments.concatenate(blocks)) == everything(column)


def test_blocks_are_written_like_the_whole() -> None:
    with saved("0-0 1-1\n\n2?0\n") as path:
        target = io.StringIO()
        pharaoh.write(target, pharaoh.read_blocks(path, lines=2))
    assert target.getvalue() == "0-0 1-1\n\n2?0\n"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("0-0 1-2\n", [[(0, 0), (1, 2)]]),
        ("1-2 0-0", [[(1, 2), (0, 0)]]),  # no final newline, order kept
        ("\n0-0\n\n", [[], [(0, 0)], []]),  # empty lines are legal
        ("\ufeff0-0\r\n1-1\r\n", [[(0, 0)], [(1, 1)]]),  # byte-order mark, carriage returns
        ("\t0-0\t 1-1 \n", [[(0, 0), (1, 1)]]),
        ("0-0 0-0 1-1 0-0\n", [[(0, 0), (1, 1)]]),  # twice is once
        ("0003-0004\n", [[(3, 4)]]),
        ("00000000000000000003-4\n", [[(3, 4)]]),
        ("65535-65535\n", [[(65535, 65535)]]),
    ],
)
def test_reads(content: str, expected: list[list[tuple[int, int]]]) -> None:
    with saved(content) as path:
        assert links(pharaoh.read(path, base=0)) == expected


def test_marks_and_probabilities() -> None:
    with saved("3-4 3-5-P 3-6-S 0?17 1p2\n4-4:0.93 4-5/0.5 4-6-0.25 4-7-P:1 4-8\n") as path:
        column = pharaoh.read(path)
    assert column.possible is not None
    assert column.possible.tolist() == [False, True, False, True, True, False, False, False, True, False]
    assert column.probability is not None
    assert column.probability.tolist() == [1.0] * 5 + [0.93, 0.5, 0.25, 1.0, 1.0]


def test_nothing_is_possible_or_probable_unless_said() -> None:
    with saved("3-4\n") as path:
        column = pharaoh.read(path, base=0)
    assert column.possible is None
    assert column.probability is None
    assert column.source_lengths.tolist() == [-1]


def test_a_sure_link_beats_its_possible_twin() -> None:
    with saved("0?0 0-0 1-1 1?1 2?2 2?2\n") as path:
        column = pharaoh.read(path)
    assert column.possible is not None
    assert column.possible.tolist() == [False, False, True]


@pytest.mark.parametrize(
    ("content", "base", "line", "message"),
    [
        ("", 0, 1, "is empty; expected links"),
        ("\ufeff", 0, 1, "is empty; expected links"),
        ("0-0\n1-x\n", 0, 2, "expected links like '0-0 1-2', found '1-x'"),
        ("0-0 -2-3\n", 0, 1, "found '-2-3'"),
        ("0-\n", 0, 1, "found '0-'"),
        ("7\n", 0, 1, "found '7'"),
        ("0-0\x00\n", 0, 1, r"found '0-0\x00'"),
        ("0-0,1-1\n", 0, 1, "found '0-0,1-1'"),
        ("1-1\n0-1\n", 1, 2, "index 0 in a 1-based file; use base=0 if it counts from 0"),
        (
            "1-99999999999999999999999999\n",
            0,
            1,
            "1-99999999999999999999999999' exceeds the maximum sentence length (65536 words)",
        ),
        ("65536-0\n", 0, 1, "exceeds the maximum sentence length"),
        ("1-2:1.5\n", 0, 1, "the probability of '1-2:1.5' is not between 0 and 1"),
        ("1-2-3\n", 0, 1, "the probability of '1-2-3' is not between 0 and 1"),
        ("1-2:-0.5\n", 0, 1, "found '1-2:-0.5'"),
        ("1-2:nan\n", 0, 1, "found '1-2:nan'"),
    ],
)
def test_refuses(content: str, base: int, line: int, message: str) -> None:
    with saved(content, "bad.align") as path, pytest.raises(InputError) as caught:
        pharaoh.read(path, base=base)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert message in str(caught.value)


def test_the_line_is_counted_across_blocks() -> None:
    with saved("0-0\n" * 7 + "oops\n") as path, pytest.raises(InputError, match=":8: expected links"):
        list(pharaoh.read_blocks(path, lines=3))


NUMBERS = (0, 1, 9, 10, 99, 100, 101, 65_535)


@pytest.mark.parametrize("space", [" ", "  ", "\t"])
@pytest.mark.parametrize("end", ["", "\n", "\r\n", " \n"])
def test_links_of_every_width_at_every_place(space: str, end: str) -> None:
    """Numbers below 100 are parsed by code of their own, except at the very end of a file."""
    pairs = [(source, target) for source in NUMBERS for target in NUMBERS]
    for turn in range(len(pairs)):
        expected = pairs[turn:] + pairs[:turn]
        with saved(space.join(f"{source}-{target}" for source, target in expected) + end) as path:
            assert links(pharaoh.read(path)) == [expected]


@pytest.mark.parametrize("token", ["1", "1-", "-1", "12", "12-", "1--2", "a-1", "1-a", "12-3x", "1-23x", "1:2", "123"])
@pytest.mark.parametrize("after", ["", " 4-5", " 4-5 6-7"])
def test_a_token_that_is_no_link_is_quoted_whole(token: str, after: str) -> None:
    with saved(f"0-0 1-2\n3-4 {token}{after}\n") as path, pytest.raises(InputError) as caught:
        pharaoh.read(path)
    assert str(caught.value).endswith(f":2: expected links like '0-0 1-2', found '{token}'")


def test_talp_counts_from_one() -> None:
    with saved("1-1 2p3\n") as path:
        column = talp.read(path)
    assert links(column) == [[(0, 0), (1, 2)]]
    assert column.possible is not None
    assert column.possible.tolist() == [False, True]


@pytest.mark.parametrize("form", [list, np.array, lambda lengths: iter([np.array(lengths[:1]), np.array(lengths[1:])])])
def test_lengths_are_put_beside_the_links(form: Callable[[list[int]], list[int]]) -> None:
    with saved("0-0 1-1\n\n2-0\n") as path:
        blocks = list(
            pharaoh.read_blocks(path, lines=2, source_lengths=form([2, 5, 3]), target_lengths=form([4, 0, 1]))
        )
    assert [block.source_lengths.tolist() for block in blocks] == [[2, 5], [3]]
    assert [block.target_lengths.tolist() for block in blocks] == [[4, 0], [1]]


@pytest.mark.parametrize(
    ("lengths", "base", "message"),
    [
        ([3, 2], 0, ":2: link 2-0 is out of range: the source sentence has 2 words (indices 0 to 1)"),
        ([3, 1], 0, ":2: link 2-0 is out of range: the source sentence has 1 words (indices 0 to 0)"),
        ([3, 0], 0, "the source sentence has 0 words (indices none)"),
        ([3], 0, ":2: one sentence too many: lengths are given for 1 source sentences"),
        ([3, 3, 3], 0, "ends after 2 sentences, but the source has 3"),
    ],
)
def test_lengths_that_do_not_fit(lengths: list[int], base: int, message: str) -> None:
    with saved("0-0\n2-0\n") as path, pytest.raises(InputError) as caught:
        pharaoh.read(path, base=base, source_lengths=lengths)
    assert message in str(caught.value)


def test_the_hint_at_the_base_is_only_given_where_it_may_help() -> None:
    with saved("0-0\n2-0\n") as path, pytest.raises(InputError) as caught:
        pharaoh.read(path, source_lengths=[3, 1])
    assert "--base" not in str(caught.value)
    with saved("1-1\n1-3\n") as path, pytest.raises(InputError) as caught:
        pharaoh.read(path, base=1, target_lengths=[1, 2])
    assert "link 1-3 is out of range: the target sentence has 2 words (indices 1 to 2)" in str(caught.value)
    assert "--base" not in str(caught.value)


def test_a_base_is_zero_or_one() -> None:
    with saved("0-0\n") as path, pytest.raises(UsageError, match="the index base must be 0 or 1, not 2"):
        pharaoh.read(path, base=2)


def test_a_dense_line_of_a_megabyte_is_data() -> None:
    pairs = [(source, target) for source in range(300) for target in range(300)]
    with saved(" ".join(f"{source}-{target}" for source, target in reversed(pairs))) as path:
        column = pharaoh.read(path)
    assert links(column) == [pairs[::-1]]


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "out.align"
    path.write_text("old\n")

    def failing() -> Iterator[Alignments]:
        with saved("0-0\nx\n") as source:
            yield from pharaoh.read_blocks(source, lines=1)

    with pytest.raises(WordorderError):
        pharaoh.write(path, failing())
    assert path.read_text() == "old\n"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("name", "possible"),
    [
        ("pharaoh-0based.align", 0),
        ("pharaoh-lilt-giza.talp", 0),
        ("pharaoh-questionmark-possible.align", None),
        ("pharaoh-with-P-suffix.align", None),
    ],
)
def test_real_samples(shared: Path, name: str, possible: int | None) -> None:
    path = shared / "formats" / "samples" / name
    agree(path.read_bytes(), 0)
    column = pharaoh.read(path)
    assert len(column) == len(lines_of(path.read_bytes()))
    assert (column.possible is None) == (possible == 0)


@pytest.mark.realdata
def test_a_real_gold_standard(shared: Path) -> None:
    path = shared / "formats" / "samples" / "talp-sure-possible-1based.gold"
    agree(path.read_bytes(), 1)
    with pytest.raises(InputError, match="index 0 in a 1-based file"):
        talp.read(shared / "formats" / "samples" / "pharaoh-0based.align")
