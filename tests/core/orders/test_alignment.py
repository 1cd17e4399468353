"""Alignments as values and columns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.core.orders import Alignment, Alignments
from wordorder.core.orders.alignment import Phrases
from wordorder.core.runtime.errors import InputError


@st.composite
def alignments(draw: st.DrawFn) -> Alignment:
    source, target = draw(st.integers(0, 6)), draw(st.integers(0, 6))
    cells = [(s, t) for s in range(source) for t in range(target)]
    links = draw(st.lists(st.sampled_from(cells), unique=True)) if cells else []
    possible = draw(st.frozensets(st.sampled_from(links))) if links else frozenset()
    known = st.booleans()
    return Alignment(
        tuple(links), source if draw(known) else None, target if draw(known) else None, frozenset(possible)
    )


columns = st.lists(alignments(), max_size=5)


@given(columns)
def test_a_column_gives_back_its_rows(rows: list[Alignment]) -> None:
    column = Alignments.of(rows)
    assert list(column) == rows
    assert [column[-row - 1] for row in range(len(rows))] == rows[::-1]
    assert list(Alignments.concatenate([column, column[:0], column])) == rows + rows
    assert (column.possible is None) == (not any(row.possible for row in rows))


@given(columns, st.integers(-6, 6), st.integers(-6, 6))
def test_a_column_is_sliced_like_a_list(rows: list[Alignment], start: int, stop: int) -> None:
    assert list(Alignments.of(rows)[start:stop]) == rows[start:stop]


@given(columns)
def test_transposing_swaps_the_sides(rows: list[Alignment]) -> None:
    column = Alignments.of(rows)
    assert list(column.transpose()) == [row.transpose() for row in rows]
    assert list(column.transpose().transpose()) == rows
    for row in rows:
        turned = row.transpose()
        assert set(turned.links) == {(t, s) for s, t in row.links}
        assert (turned.source_length, turned.target_length) == (row.target_length, row.source_length)


@given(columns)
def test_sure_links_are_those_that_are_not_only_possible(rows: list[Alignment]) -> None:
    sure = Alignments.of(rows).sure()
    assert sure.possible is None
    for found, row in zip(sure, rows, strict=True):
        assert found.links == tuple(link for link in row.links if link not in row.possible)
        assert (found.source_length, found.target_length) == (row.source_length, row.target_length)


def test_probabilities_follow_their_links() -> None:
    column = Alignments(
        np.array([0, 1, 0], np.int32),
        np.array([1, 0, 0], np.int32),
        np.array([0, 2, 3], np.int64),
        possible=np.array([True, False, False]),
        probability=np.array([0.25, 0.5, 0.75]),
    )
    other = Alignment(((0, 0),)).column()
    sure, joined, transposed = column.sure(), Alignments.concatenate([other, column]), column.transpose()
    assert sure.probability is not None
    assert joined.probability is not None
    assert joined.possible is not None
    assert transposed.probability is not None
    assert sure.probability.tolist() == [0.5, 0.75]
    assert joined.probability.tolist() == [1.0, 0.25, 0.5, 0.75]
    assert joined.possible.tolist() == [False, True, False, False]
    assert transposed.probability.tolist() == [0.25, 0.5, 0.75]
    last = column[1:].probability
    assert last is not None
    assert last.tolist() == [0.75]
    assert column[0] == Alignment(((0, 1), (1, 0)), possible=frozenset({(0, 1)}))


def test_the_written_form_marks_possible_links() -> None:
    assert str(Alignment(((0, 1), (2, 0)), possible=frozenset({(2, 0)}))) == "0-1 2?0"


@pytest.mark.parametrize(
    ("links", "lengths", "message"),
    [
        (((0, 3),), (1, 3), "link 0-3 is out of range: the target sentence has 3 words (0 to 2)"),
        (((1, 0),), (1, None), "link 1-0 is out of range: the source sentence has 1 words (0 to 0)"),
        (((-1, 0),), (None, None), "link -1-0 is out of range"),
    ],
)
def test_links_outside_the_sentences_are_refused(
    links: tuple[tuple[int, int], ...], lengths: tuple[int | None, int | None], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        Alignment(links, *lengths)
    assert str(caught.value) == message


def test_a_possible_link_must_be_a_link() -> None:
    with pytest.raises(InputError, match="must also be in 'links'"):
        Alignment(((0, 0),), possible=frozenset({(1, 1)}))


def test_lengths_can_be_set_later_and_are_checked() -> None:
    column = Alignments.of([Alignment(((0, 0),)), Alignment(((2, 1),))])
    known = column.with_lengths(source=np.array([1, 3], np.int32), target=np.array([4, 2], np.int32))
    assert [(row.source_length, row.target_length) for row in known] == [(1, 4), (3, 2)]
    assert [row.source_length for row in column] == [None, None]
    with pytest.raises(InputError) as caught:
        column.with_lengths(source=np.array([1, 2], np.int32))
    assert caught.value.line == 2
    assert caught.value.message == "link 2-1 is out of range: the source sentence has 2 words (0 to 1)"
    with pytest.raises(InputError, match="target sentence has 1 words"):
        column.with_lengths(target=np.array([1, 1], np.int32))


def test_lengths_of_another_number_of_sentences_are_refused() -> None:
    column = Alignments.of([Alignment(((0, 0),)), Alignment(((2, 1),))])
    with pytest.raises(InputError, match="3 source lengths for 2 alignments"):
        column.with_lengths(source=np.array([1, 3, 5], np.int32))
    with pytest.raises(InputError, match="0 target lengths for 2 alignments"):
        column.with_lengths(target=np.array([], np.int32))


def test_a_column_cannot_be_written() -> None:
    column = Alignment(((0, 0),), 1, 1).column()
    for array in (column.source, column.target, column.offsets, column.source_lengths, column.target_lengths):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_phrases_give_back_their_rows() -> None:
    rows = [((0, 1), (2, 2)), (), ((0, 0), (1, 3))]
    assert list(Phrases.of(rows)) == rows


@pytest.mark.parametrize("side", ["source", "target"])
def test_every_alignment_has_a_length_or_none_has(side: str) -> None:
    two = np.array([3, 3], dtype=np.int32)
    links = Alignments.of([Alignment(((0, 1),)), Alignment(())])
    for wrong in (two[:1], np.append(two, 3).astype(np.int32)):
        said = f"expected one length per alignment, found {len(wrong)} {side} lengths? for 2 alignments"
        with pytest.raises(InputError, match=said):
            replace(links, **{f"{side}_lengths": wrong})  # type: ignore[arg-type]
        with pytest.raises(InputError, match=said):
            links.with_lengths(**{side: wrong})
    assert getattr(links.with_lengths(**{side: two}), f"{side}_lengths").tolist() == [3, 3]
