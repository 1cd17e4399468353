from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from format_files import alignments, check_survival, everything, links, saved, soup
from wordorder.core.orders import Alignments
from wordorder.core.orders.alignment import UNKNOWN
from wordorder.core.runtime.errors import InputError
from wordorder.formats import naacl


@given(alignments(possible=True, probability=True), st.integers(0, 1), st.integers(1, 4))
def test_what_is_written_is_read_again(column: Alignments, base: int, lines: int) -> None:
    with saved(b"") as path:
        naacl.write(path, column, base=base)
        if not len(column.source):
            with pytest.raises(InputError, match=":1: the file is empty"):
                naacl.read(path, base=base)
            return
        unknown = np.full(len(column), UNKNOWN)  # how many sentences there are, not how long they are
        assert everything(naacl.read(path, base=base, source_lengths=unknown)) == everything(column)
        blocks = list(naacl.read_blocks(path, base=base, lines=lines, source_lengths=unknown))
    assert all(len(block) <= lines for block in blocks)
    assert everything(Alignments.concatenate(blocks)) == everything(column)


@given(soup("0123 SP.\t\r"), st.integers(0, 1))
def test_any_bytes_give_data_or_an_error(content: bytes, base: int) -> None:
    check_survival(lambda path: naacl.read(path, base=base), content)


def test_reads() -> None:
    content = "\ufeff0001 1 1\r\n0001 2 3 P \n0001 2 2 S 0.5\n\n0003 1 2 0.25\n0003 0 4 S\n0003 4 0 P\n0005 0 1\n"
    with saved(content) as path:
        column = naacl.read(path)
    assert links(column) == [[(0, 0), (1, 2), (1, 1)], [], [(0, 1)], [], []]
    assert column.possible is not None
    assert column.possible.tolist() == [False, True, False, False]
    assert column.probability is not None
    assert column.probability.tolist() == [1.0, 1.0, 0.5, 0.25]


def test_counting_from_zero_has_no_null() -> None:
    with saved("1 0 0 S \n1 4 3 S \n") as path:
        assert links(naacl.read(path, base=0)) == [[(0, 0), (4, 3)]]


def test_the_same_link_twice_is_one_and_sure_wins() -> None:
    with saved("1 1 1 P 0.5\n1 2 2 P\n1 1 1 S 0.7\n") as path:
        column = naacl.read(path)
    assert links(column) == [[(0, 0), (1, 1)]]
    assert column.possible is not None
    assert column.possible.tolist() == [False, True]
    assert column.probability is not None
    assert column.probability.tolist() == [0.5, 1.0]


def test_sentences_may_be_out_of_order_within_a_block_but_not_beyond() -> None:
    with saved("2 1 1\n1 1 1\n2 2 2\n3 1 1\n1 2 2\n") as path:
        assert links(naacl.read(path)) == [[(0, 0), (1, 1)], [(0, 0), (1, 1)], [(0, 0)]]
        with pytest.raises(InputError, match=":5: sentence 1 comes after sentence 3; expected the sentences in order"):
            list(naacl.read_blocks(path, lines=2))


def test_sentences_without_a_line_are_empty_rows() -> None:
    with saved("2 1 1\n") as path:
        assert len(naacl.read(path)) == 2
        column = naacl.read(path, source_lengths=[5, 6, 7, 8])
        assert links(column) == [[], [(0, 0)], [], []]
        assert column.source_lengths.tolist() == [5, 6, 7, 8]
        assert column.target_lengths.tolist() == [-1] * 4
        both = naacl.read(path, source_lengths=np.array([5, 6, 7]), target_lengths=[1, 1, 9])
        assert both.target_lengths.tolist() == [1, 1, 9]
        with pytest.raises(InputError, match="different numbers of sentences"):
            naacl.read(path, source_lengths=[5, 6, 7], target_lengths=[1, 1])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", ":1: the file is empty; expected 'sentence source target"),
        ("\n \n", ":1: no links; expected 'sentence source target"),
        ("1 1 1\n1 2\n", ":2: expected 'sentence source target [S|P] [confidence]' like '0001 3 4 S', found '1 2'"),
        ("1 1 x\n", ":1: expected 'sentence"),
        ("1 1 -1\n", ":1: expected 'sentence"),
        ("1 1 1 Q\n", ":1: expected 'sentence"),
        ("1 1 1 S 0.5 x\n", ":1: expected 'sentence"),
        ("1 1 1 S nan\n", ":1: expected 'sentence"),
        ("1 1 1 S 1.5\n", ":1: the confidence '1.5' is not between 0 and 1"),
        ("1 0 0 S\n", ":1: index 0 in a 1-based file; use base=0 if it counts from 0"),
        ("0 1 1\n", ":1: found sentence 0; expected sentence numbers from 1"),
        ("1 1 1\n1 1 70000\n", ":2: word index 70000 exceeds the maximum sentence length"),
        ("99999999999999999999 1 1\n", ":1: sentence 999999999999999999 comes after sentence 0"),
    ],
)
def test_refuses(content: str, message: str) -> None:
    with saved(content) as path, pytest.raises(InputError) as caught:
        naacl.read(path)
    assert str(caught.value).startswith(path + message)


def test_a_link_out_of_range_is_named_by_its_own_line() -> None:
    with saved("1 1 1\n1 5 1\n2 1 1\n") as path, pytest.raises(InputError) as caught:
        naacl.read(path, source_lengths=[4, 4])
    assert str(caught.value).startswith(f"{path}:2: link 5-1 is out of range")
    with saved("1 1 1\n7 1 1\n") as path, pytest.raises(InputError, match="lengths are given for 3 source sentences"):
        naacl.read(path, source_lengths=[5, 5, 5])


@pytest.mark.realdata
def test_real_sample(shared: Path) -> None:
    path = shared / "formats" / "samples" / "naacl-like-0based.wa"
    assert links(naacl.read(path, base=0)) == [[(0, 0), (1, 1), (2, 2), (4, 3)]]
    with pytest.raises(InputError, match="index 0 in a 1-based file"):
        naacl.read(path)
