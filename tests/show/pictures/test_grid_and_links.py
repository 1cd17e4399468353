"""Grids and crossing lines: every link, block, reordering and area that is there is drawn, and nothing else."""

from __future__ import annotations

from itertools import combinations, pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawn import box, cross, everything_inside, marks, texts
from wordorder import InputError, UsageError
from wordorder.core.orders import Alignment
from wordorder.core.reorderings import extract
from wordorder.core.reorderings.links import Rectangle, consistent_blocks, discontinuous_areas
from wordorder.show.pictures import draw_alignment, draw_links

CELL = 36.0


@st.composite
def alignments(draw: st.DrawFn) -> Alignment:
    sizes = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    places = list(product(range(sizes[0]), range(sizes[1])))
    links = draw(st.lists(st.sampled_from(places), max_size=9, unique=True))
    possible = draw(st.lists(st.sampled_from(links), unique=True)) if links else []
    return Alignment(tuple(links), *sizes, frozenset(possible))


def sentence(prefix: str, length: int | None) -> list[str]:
    return [f"{prefix}{number}" for number in range(length or 0)]


def is_consistent(pair: Alignment, block: Rectangle) -> bool:
    inside = [(block.source[0] <= s <= block.source[1], block.target[0] <= t <= block.target[1]) for s, t in pair.links]
    return all(one == two for one, two in inside)


def smallest_by_trying(pair: Alignment, source: tuple[int, int], target: tuple[int, int]) -> Rectangle:
    """Try every rectangle around another one; the smallest consistent one lies within all others."""
    assert pair.source_length is not None
    assert pair.target_length is not None
    found = [
        Rectangle((left, right), (low, high))
        for left in range(source[0] + 1)
        for right in range(source[1], pair.source_length)
        for low in range(target[0] + 1)
        for high in range(target[1], pair.target_length)
    ]
    consistent = [block for block in found if is_consistent(pair, block)]
    (smallest,) = [block for block in consistent if all(other.holds(block) for other in consistent)]
    return smallest


@settings(deadline=None, max_examples=60)
@given(alignments())
def test_blocks_are_the_smallest_consistent_ones(pair: Alignment) -> None:
    expected = {smallest_by_trying(pair, (s, s), (t, t)) for s, t in pair.links}
    assert set(consistent_blocks(pair)) == expected


@settings(deadline=None, max_examples=60)
@given(alignments())
def test_areas_block_the_neighbours_that_extraction_blocks(pair: Alignment) -> None:
    aligned = sorted({source for source, _ in pair.links})
    blocked = 0
    for left, right in pairwise(aligned):
        blocked += any(a.source[0] <= left and right <= a.source[1] for a in discontinuous_areas(pair))
    assert blocked == extract(pair.column()).blocked[0]


@settings(deadline=None, max_examples=60)
@given(alignments())
def test_a_grid_shows_every_link_block_reordering_and_area(pair: Alignment) -> None:
    picture = draw_alignment(pair, sentence("s", pair.source_length), sentence("t", pair.target_length))
    dots = {one.get("data-link"): one for one in marks(picture, "circle", "link")}
    assert set(dots) == {f"{s}-{t}" for s, t in pair.links}
    for (s, t), one in ((link, dots[f"{link[0]}-{link[1]}"]) for link in pair.links):
        assert (float(one.get("cx", "")), float(one.get("cy", ""))) == ((s + 0.5) * CELL, (t + 0.5) * CELL)
        assert ("possible" in one.get("class", "")) == ((s, t) in pair.possible)
    assert [edges_of(one) for one in map(box, marks(picture, "rect", "block"))] == consistent_blocks(pair)
    assert [edges_of(one) for one in map(box, marks(picture, "rect", "area"))] == discontinuous_areas(pair)
    reorderings = extract(pair.column())[0]
    for name in "AB":
        frames = marks(picture, "rect", f"reordering {name}")
        assert [one.get("data-reordering") for one in frames] == [str(n + 1) for n in range(len(reorderings))]
        for frame, each in zip(frames, reorderings, strict=True):
            spans = (each.a_source, each.a_target) if name == "A" else (each.b_source, each.b_target)
            left, top, right, bottom = box(frame)
            assert (int(left // CELL), int(right // CELL)) == spans[0]
            assert (int(top // CELL), int(bottom // CELL)) == spans[1]
    assert texts(picture, "source") == sentence("s", pair.source_length)
    assert texts(picture, "target") == sentence("t", pair.target_length)
    assert everything_inside(picture)


def edges_of(edges: tuple[float, float, float, float]) -> Rectangle:
    left, top, right, bottom = (int(edge // CELL) for edge in edges)
    return Rectangle((left, right - 1), (top, bottom - 1))


def test_a_source_that_runs_leftwards_begins_on_the_right() -> None:
    picture = draw_alignment("0-0 1-1 2-2", "ذهب الولد أمس", "the boy went")
    assert [float(one.get("cx", "")) for one in marks(picture, "circle", "link")] == [
        2.5 * CELL,
        1.5 * CELL,
        0.5 * CELL,
    ]
    assert "The source is read from the right." in texts(picture)


def test_frames_of_reorderings_that_share_an_edge_are_apart() -> None:
    picture = draw_alignment("0-2 1-1 2-0", "a b c", "C B A")
    frames = [box(one) for one in marks(picture, "rect", "reordering")]
    assert len(frames) == 4
    assert len({frame[0] for frame in frames[::2]}) == 2  # A1 lies within A2


@settings(deadline=None, max_examples=60)
@given(alignments(), st.sampled_from(["across", "down"]), st.booleans())
def test_lines_cross_where_links_do(pair: Alignment, layout: str, leftwards: bool) -> None:
    letter = "م" if leftwards else "w"
    rows = [[letter * 3] * (pair.source_length or 0), [letter * 5] * (pair.target_length or 0)]
    picture = draw_links(rows, [pair], layout=layout)
    lines = marks(picture, "line", "link")
    assert sorted(one.get("data-link", "") for one in lines) == sorted(f"{s}-{t}" for s, t in pair.links)
    count = int(pair.column().crossings()[0])
    assert sum(cross(one, two) for one, two in combinations(lines, 2)) == count
    assert f"{count} pairs of links cross" in picture.description
    thick = {one.get("data-link") for one in marks(picture, "line", "link crossing")}
    assert thick == {f"{s}-{t}" for s, t in pair.links if any((s - i) * (t - j) < 0 for i, j in pair.links)}
    unlinked = (pair.source_length or 0) - len({s for s, _ in pair.links})
    unlinked += (pair.target_length or 0) - len({t for _, t in pair.links})
    assert len(marks(picture, "line", "unmatched")) == unlinked
    assert everything_inside(picture)


def test_three_rows_have_the_links_of_each_pair() -> None:
    picture = draw_links(["a b", "x y z", "q"], ["0-1 1-0", "2-0"], labels=["hypothesis", "source", "reference"])
    assert [one.get("data-link") for one in marks(picture, "line", "link")] == ["0-1", "1-0", "2-0"]
    assert texts(picture) == ["a", "b", "x", "y", "z", "q", "hypothesis", "source", "reference"]


def test_long_sentences_run_down_the_page_and_keep_their_size() -> None:
    words = ["parliament"] * 60
    picture = draw_links([words, words], [" ".join(f"{n}-{n}" for n in range(60))])
    assert picture.height > 60 * 20
    assert picture.width < 600
    assert {one.get("font-size") for one in marks(picture, "text", "word")} == {"14"}


def test_sentences_of_opposite_directions_stand_in_columns() -> None:
    picture = draw_links(["ذهب الولد أمس", "the boy went"], ["0-0 1-1 2-2"])
    lines = marks(picture, "line", "link")
    assert not any(cross(one, two) for one, two in combinations(lines, 2))
    with pytest.raises(UsageError, match="sentences with opposite directions"):
        draw_links(["ذهب الولد أمس", "the boy went"], ["0-0 1-1 2-2"], layout="across")


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(UsageError, match="found 2 as the number of alignments; expected 1"):
        draw_links(["a", "b"], ["0-0", "0-0"])
    with pytest.raises(InputError, match="link 0-3 is out of range"):
        draw_links(["a", "b c"], ["0-3"])
    with pytest.raises(InputError, match="'0:3' is not a link"):
        draw_alignment("0:3")
    with pytest.raises(UsageError, match="unknown layout 'up'"):
        draw_links(["a", "b"], ["0-0"], layout="up")
    with pytest.raises(UsageError, match="there are no words to draw"):
        draw_links(["", ""], [""])
    with pytest.raises(InputError, match="unless both sides have at least one word"):
        draw_alignment("", "", "a")
