"""Alignments drawn from probabilities: draws follow them, and the seed decides everything."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.core.orders import Alignment, Alignments
from wordorder.core.orders.alignment import sample_links

Weighted = dict[tuple[int, int], float]
"""Links with their probabilities."""


def column_of(*rows: Weighted, lengths: tuple[int, int] = (6, 6)) -> Alignments:
    plain = Alignments.of([Alignment(tuple(row), *lengths) for row in rows])
    return Alignments(
        plain.source,
        plain.target,
        plain.offsets,
        plain.source_lengths,
        plain.target_lengths,
        None,
        np.array([share for row in rows for share in row.values()]),
    )


def drawn(column: Alignments, draws: int, **options: int) -> list[list[frozenset[tuple[int, int]]]]:
    """The links of every row, in every draw."""
    options = {"seed": 1} | options
    return [[frozenset(row.links) for row in sample_links(column, draw=draw, **options)] for draw in range(draws)]


def near(share: float, expected: float, count: int) -> bool:
    """Within five standard deviations of a share of ``count`` trials."""
    return abs(share - expected) <= 5 * math.sqrt(expected * (1 - expected) / count) + 1e-12


# --- drawing -------------------------------------------------------------------------------------------------------

DRAWS = 4000


def test_frequencies_are_the_probabilities() -> None:
    row: Weighted = {(0, 0): 0.5, (1, 0): 0.3, (2, 1): 0.9, (3, 2): 0.05, (4, 2): 0.15, (5, 2): 0.6}
    rows = [links for draw in drawn(column_of(row, {(0, 0): 0.25}), DRAWS) for links in draw[:1]]
    for link, share in row.items():
        assert near(sum(link in links for links in rows) / DRAWS, share, DRAWS), link
    assert near(sum(all(target for _, target in links) for links in rows) / DRAWS, 0.2, DRAWS)  # word 0 unaligned


def test_a_target_word_takes_one_source_word_at_most() -> None:
    row: Weighted = {(source, target): 0.2 for source in range(5) for target in range(3)}
    for (links,) in drawn(column_of(row), 50):
        targets = [target for _, target in links]
        assert len(targets) == len(set(targets)) == 3  # five times 0.2 is certain to be something


@pytest.mark.slow
def test_words_rows_draws_and_streams_are_independent() -> None:
    row: Weighted = {(0, 0): 0.5, (0, 1): 0.5}
    column = column_of(row, row)
    found = np.array([[[(0, word) in links for word in (0, 1)] for links in draw] for draw in drawn(column, DRAWS)])
    other = np.array([[(0, 0) in draw[0]] for draw in drawn(column, DRAWS, stream=1)])
    series = [found[:, 0, 0], found[:, 0, 1], found[:, 1, 0], other[:, 0], np.roll(found[:, 0, 0], 1)]
    for place, one in enumerate(series):
        for two in series[place + 1 :]:
            assert near(float((one & two).mean()), 0.25, DRAWS)


def test_a_draw_is_not_another_stream() -> None:
    column = column_of(*[{(0, word): 0.5 for word in range(6)}] * 9)
    one, other = (sample_links(column, seed=3, draw=draw, stream=1 - draw) for draw in (0, 1))
    assert list(one) != list(other)


@given(
    st.dictionaries(st.tuples(st.integers(0, 5), st.integers(0, 5)), st.floats(0, 1), max_size=12),
    st.integers(-(2**70), 2**70),
    st.integers(0, 1000),
)
def test_draws_are_some_of_the_links_and_the_seed_decides_which(row: Weighted, seed: int, draw: int) -> None:
    column = column_of(row, row)
    one = sample_links(column, seed=seed, draw=draw)
    two = sample_links(column, seed=seed, draw=draw)
    assert one.source.tolist() == two.source.tolist()
    assert one.offsets.tolist() == two.offsets.tolist()
    assert one.probability is None
    assert (one.source_lengths.tolist(), one.target_lengths.tolist()) == ([6, 6], [6, 6])
    for links in one:
        assert set(links.links) <= {link for link, share in row.items() if share > 0}
        assert len({target for _, target in links.links}) == len(links)


def test_shares_of_more_than_one_are_scaled_down() -> None:
    row: Weighted = {(0, 0): 0.9, (1, 0): 0.9, (2, 0): 0.2}
    rows = [draw[0] for draw in drawn(column_of(row), DRAWS)]
    for link, share in row.items():
        assert near(sum(link in links for links in rows) / DRAWS, share / 2, DRAWS)
    assert all(rows)


def test_links_without_probabilities_are_certain() -> None:
    plain = Alignments.of([Alignment(((0, 0), (1, 0)), 2, 1)])
    assert sample_links(plain, seed=1, draw=3) is plain


def test_a_part_of_the_rows_is_drawn_as_in_the_whole() -> None:
    row: Weighted = {(source, target): 0.2 for source in range(5) for target in range(3)}
    column = column_of(*[row] * 6)
    whole = sample_links(column, seed=3, draw=1)
    part = sample_links(column[4:6], seed=3, draw=1, first=4)
    assert [links.links for links in part] == [links.links for links in whole[4:6]]
    assert whole[0].links != whole[1].links
