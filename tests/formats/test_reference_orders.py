"""Reference orders as files: what a token means, the round trip, and errors with their line."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from format_files import check_survival, saved, soup
from wordorder.core.orders import Alignment
from wordorder.core.orders.projection import Places, place
from wordorder.core.runtime.columns import offsets_from_lengths
from wordorder.core.runtime.errors import InputError
from wordorder.core.text import Tokens, encode
from wordorder.core.trees import DependencyTree
from wordorder.formats import pud, reference_orders

Groups = list[list[int]]


def read_line(line: str, words: Sequence[str]) -> Groups:
    with saved(line + "\n") as path:
        return reference_orders.read(path, [words]).groups(0)


def write_line(groups: Groups, words: Sequence[str]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "orders"
        reference_orders.write(path, places_of([groups], [len(words)]), [words])
        text = path.read_bytes().decode()
    assert text.endswith("\n")
    return text.removesuffix("\n")


def places_of(rows: Sequence[Groups], lengths: Sequence[int]) -> Places:
    """Make places from groups of source words in target order."""
    places = []
    for groups, length in zip(rows, lengths, strict=True):
        row = [-1] * length
        for number, group in enumerate(groups):
            for word in group:
                row[word] = 2 * number + (len(group) > 1)
        places += row
    return Places(np.array(places, dtype=np.int32), offsets_from_lengths(lengths), "talbot")


WORDS = ("the", "cat", "saw", "the", "dog")


@pytest.mark.parametrize(
    ("line", "groups"),
    [
        ("the cat saw the dog", [[0], [1], [2], [3], [4]]),
        ("the@4 dog the cat saw", [[3], [4], [0], [1], [2]]),
        ("the@004 dog the@1 cat@2 saw", [[3], [4], [0], [1], [2]]),
        ("  dog\t{{ the@4 cat }}  {{ the }} saw \r", [[4], [1, 3], [0], [2]]),
        ("{{ the saw the dog cat }}", [[0, 1, 2, 3, 4]]),
        ("", []),
        (" \t", []),
    ],
)
def test_what_a_line_means(line: str, groups: Groups) -> None:
    assert read_line(line, WORDS) == groups


def test_orders_are_written_as_people_would() -> None:
    assert write_line([[0], [3], [1], [4], [2]], WORDS) == "the the cat dog saw"
    assert write_line([[3], [4], [0], [1], [2]], WORDS) == "the@4 dog the cat saw"
    assert write_line([[1, 4], [0, 3], [2]], WORDS) == "{{ cat dog }} {{ the the }} saw"
    assert write_line([], WORDS) == ""


def test_words_that_look_like_something_else() -> None:
    words = ("a", "a", "a@2", "{{", "}}", "10 000", "")
    order = [[1], [6], [3], [5], [4], [2], [0]]
    line = write_line(order, words)
    assert line == "a@02 @7 {{@4 10\u00a0000 }}@5 a@2 a"
    assert read_line(line, words) == order
    assert read_line("a a a@2 {{@4 }}@5 10\u00a0000 @7", words) == [[0], [1], [2], [3], [4], [5], [6]]


def test_the_reference_of_an_alignment() -> None:
    # 'tax deduction' is one target word and so a group; the unaligned 'the' goes before 'tax'.
    alignment = Alignment(((1, 0), (2, 0), (3, 2), (4, 1)), 5, 3)
    words = ["the", "tax", "deduction", "is", "small"]
    places = place(alignment.column(), policy="talbot")
    with saved("") as path:
        reference_orders.write(path, places, [words])
        assert Path(path).read_text(encoding="utf-8") == "the {{ tax deduction }} small is\n"
        again = reference_orders.read(path, [words])
    assert again.policy == "talbot"
    assert again.against_source()[0] == places.against_source()[0]


odd_words = st.sampled_from(["a", "a", "b", "a@1", "a@2", "a@02", "a@1@2", "@1", "", "{{", "}}", "{{@1", " ", "\u00a0"])
any_words = st.lists(odd_words | st.text("a@12 {}\ufeff\r\n\u00a0\u2028\x85", max_size=4) | st.text(), max_size=7)


@st.composite
def orders(draw: st.DrawFn) -> tuple[list[list[str]], list[Groups]]:
    sentences = draw(st.lists(any_words, max_size=4))
    rows: list[Groups] = []
    for words in sentences:
        rows.append([])
        undefined = draw(st.integers(0, 9)) == 9
        for word in [] if undefined else draw(st.permutations(range(len(words)))):
            joined = draw(st.booleans())
            if rows[-1] and joined:
                rows[-1][-1] = sorted([*rows[-1][-1], word])
            else:
                rows[-1].append([word])
    return sentences, rows


@given(orders())
@example(([["\ufeff", "b"]], [[[0], [1]]]))
@example(([["a", "a", "a@2", "a@02", "a@002"]], [[[1], [0], [4], [3], [2]]]))
def test_what_is_written_is_read_again(drawn: tuple[list[list[str]], list[Groups]]) -> None:
    sentences, rows = drawn
    with saved("") as path:
        reference_orders.write(path, places_of(rows, [len(words) for words in sentences]), sentences)
        again = reference_orders.read(path, sentences)
    assert [again.groups(row) for row in range(len(again))] == rows
    assert again.offsets.tolist() == [0, *np.cumsum([len(words) for words in sentences])]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("the cat saw the dog bird", "'bird' is not a word of the source"),
        ("the cat saw the the", "'the' occurs more often in this line than in the source (2)"),
        ("the cat the dog", "word 3 of the source, 'saw', is missing"),
        ("dog", "word 1 of the source, 'the', is missing, and 3 more"),
        ("the@5 cat", "'the@5': word 5 of the source is 'dog'"),
        ("the@6 cat", "'the@6': the source has only 5 words"),
        ("the cat the@1", "'the@1': this word is already in the line; add its position to every 'the'"),
        ("the@0", "'the@0' is not a word of the source"),
        ("the@" + "9" * 5000, "is not a word of the source"),
        ("{{ the {{ cat", "'{{' inside a group; expected words or '}}'"),
        ("the }} cat", "'}}' without '{{' before it"),
        ("the {{ }} cat", "a group without words: '{{ }}'"),
        ("the {{ cat saw the dog", "a group is not closed; expected '}}'"),
        ("{{the cat}}", "'{{the' is not a word of the source; a group is written '{{ one two }}', with the spaces"),
        ("{ the cat }", "'{' is not a word of the source; a group is written '{{ one two }}', with the spaces"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(line: str, message: str) -> None:
    with saved(f"the cat saw the dog\n{line}\n", "orders.txt") as path:
        with pytest.raises(InputError) as caught:
            reference_orders.read(path, [WORDS, WORDS])
        assert str(caught.value).startswith(f"{path}:2: ")
        assert message in str(caught.value)


def test_lines_and_sentences_are_counted_first() -> None:
    with saved("wrong\n", "orders.txt") as path:
        with pytest.raises(InputError) as caught:
            reference_orders.read(path, [WORDS, WORDS])
        assert str(caught.value) == f"{path}: found 1 line; expected 2, one per source sentence"
    with saved("the\n") as path, pytest.raises(InputError, match="1 order; expected 2, one per source sentence"):
        reference_orders.write(path, places_of([[]], [0]), [[], []])


def test_orders_that_cannot_be_written() -> None:
    with saved("as before") as path:
        with pytest.raises(InputError, match="sentence 1: the order has 1 word; expected 2 as in the source"):
            reference_orders.write(path, places_of([[[0]]], [1]), [["a", "b"]])
        with pytest.raises(InputError, match=r"sentence 1: no position for 1 of . words; give all or none"):
            reference_orders.write(path, places_of([[[0]]], [2]), [["a", "b"]])
        assert Path(path).read_text(encoding="utf-8") == "as before"


def test_sentences_may_be_any_column() -> None:
    tree = DependencyTree(("the", "10 000", "cats"), (2, 2, -1), ("det", "nummod", "root"))
    with saved("cats 10\u00a0000 the\n") as path:
        assert reference_orders.read(path, tree.column()).groups(0) == [[2], [1], [0]]
        assert reference_orders.read(path, Tokens.of([tree.words])).groups(0) == [[2], [1], [0]]
        assert reference_orders.read(path, encode(["the 10\u00a0000 cats"], whitespace="ascii")[0]).groups(0) == [
            [2],
            [1],
            [0],
        ]


@given(soup("a@12{} "))
def test_anything_is_data_or_an_error(content: bytes) -> None:
    check_survival(lambda path: reference_orders.read(path, [["a", "a", "1", "@1"]]), content)


@pytest.mark.realdata
def test_real_orders_come_back(shared: Path, tmp_path: Path) -> None:
    treebank = pud.read(shared / "data" / "pud-aligned" / "en-jp")
    places = place(treebank.alignments, policy="talbot")
    reference_orders.write(tmp_path / "orders", places, treebank.source)
    again = reference_orders.read(tmp_path / "orders", treebank.source)
    assert [again.groups(row) for row in range(len(again))] == [places.groups(row) for row in range(len(places))]
    assert np.array_equal(again.against(places).ranks, places.against(places).ranks)
