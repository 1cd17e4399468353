"""The evidence for patterns: literal counts, exact tails, dependent moves, and the rate of false alarms."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from wordorder.apps.patterns.evidence import LabelCounts, events, sample_rates, weigh_difference, weigh_excess
from wordorder.apps.patterns.moved_words import MovedWords
from wordorder.core.runtime.columns import Floats, rows_of
from wordorder.core.statistics import Resampling
from wordorder.core.text import Tokens


def words_of(lengths: list[int], early: list[float], late: list[float], distance: float = 2.0) -> MovedWords:
    words = Tokens.of([["w"] * length for length in lengths])
    count = len(words.ids)
    columns = (np.array(early, dtype=float), np.array(late, dtype=float), np.full(count, distance))
    return MovedWords(words, rows_of(words.offsets), np.ones(count), *columns, np.zeros(count, dtype=np.bool_))


def counts_of(lengths: list[int], early: list[float], late: list[float], codes: list[int]) -> LabelCounts:
    return LabelCounts.of(words_of(lengths, early, late), np.array(codes, dtype=np.int32), max(codes) + 1)


word = st.tuples(st.integers(-1, 2), st.sampled_from([(0.0, 0.0), (1.0, 0.0), (0.0, 0.5)]))


@given(st.lists(st.lists(word, max_size=4), min_size=1, max_size=4))
def test_sums_literally(rows: list[list[tuple[int, tuple[float, float]]]]) -> None:
    flat = [(row, *one) for row, words in enumerate(rows) for one in words]
    moved = words_of([len(words) for words in rows], [m[0] for _, _, m in flat], [m[1] for _, _, m in flat])
    counts = LabelCounts.of(moved, np.array([code for _, code, _ in flat], dtype=np.int32), 3)
    for label in range(3):
        mine = [m for _, code, m in flat if code == label]
        early, late = sum(m[0] for m in mine), sum(m[1] for m in mine)
        assert counts.totals[label].tolist() == [len(mine), early, late, 2 * early, 2 * late]
        for row in range(len(rows)):
            here = [m[0] for r, code, m in flat if (r, code) == (row, label)]
            assert counts.row(label, 1)[row] == sum(here)
    both = LabelCounts.add_up([counts, counts], np.array([0, 0, 1]), 2)
    assert both.totals[0].tolist() == (2 * counts.totals[:2].sum(axis=0)).tolist()


def test_small_counts_are_tested_exactly() -> None:
    # One word per segment: label 0 moves early in 4 of 5 segments and never late, label 1 in 2 of 15.
    early = [1.0] * 4 + [0.0] + [1.0] * 2 + [0.0] * 13
    p, lowest, strength = weigh_excess(counts_of([1] * 20, early, [0.0] * 20, [0] * 5 + [1] * 15), 0)
    share = stats.binom.sf(3, 6, 5 / 20)  # four of six moves on a quarter of the words
    lean = 0.5**4
    assert p[0] == pytest.approx(max(share, lean))
    assert lowest.tolist() == pytest.approx([lean, 0.5**2])  # no label can be surer than that it always moves one way
    expected = 4 * np.log((4 / 6) / 0.25) + 2 * np.log((2 / 6) / 0.75)
    assert strength.tolist() == [pytest.approx(expected), 0.0]


def test_a_label_that_moves_both_ways_is_no_pattern() -> None:
    early, late = [1.0, 0.0] * 20 + [0.0] * 60, [0.0, 1.0] * 20 + [0.0] * 60
    counts = counts_of([1] * 100, early, late, [0] * 40 + [1] * 60)
    assert min(weigh_excess(counts, way)[0][0] for way in (0, 1)) > 0.5


def test_moves_of_one_segment_are_one_event() -> None:
    assert events(np.array([8.0, 8.0, 0.0]), np.array([8.0, 64.0, 0.0])).tolist() == [8.0, 1.0, 0.0]
    apart = counts_of([1] * 16, [1.0] * 8 + [0.0] * 8, [0.0] * 16, [0] * 8 + [1] * 8)
    together = counts_of([8] + [1] * 8, [1.0] * 8 + [0.0] * 8, [0.0] * 16, [0] * 8 + [1] * 8)
    assert weigh_excess(apart, 0)[0][0] < 0.01
    assert weigh_excess(together, 0)[0][0] == pytest.approx(0.5)


def test_a_narrow_label_that_explains_all_moves_is_stronger_than_a_wide_one() -> None:
    early = [1.0] * 10 + [0.0] * 90
    narrow = weigh_excess(counts_of([1] * 100, early, [0.0] * 100, [0] * 10 + [1] * 90), 0)
    wide = weigh_excess(counts_of([1] * 100, early, [0.0] * 100, [0] * 50 + [1] * 50), 0)
    assert narrow[2][0] > wide[2][0]


def test_differences_are_sign_tests() -> None:
    codes = [0] * 12
    one = counts_of([1] * 12, [1.0] * 8 + [0.0] * 4, [0.0] * 12, codes)
    two = counts_of([1] * 12, [0.0] * 7 + [1.0] + [0.0] * 4, [0.0] * 12, codes)
    assert weigh_difference(one, two, 0)[0][0] == pytest.approx(stats.binomtest(7, 7).pvalue)
    assert weigh_difference(two, one, 0)[0][0] == pytest.approx(weigh_difference(one, two, 0)[0][0])
    assert weigh_difference(one, one, 0)[0][0] == 1.0


def test_rates_are_resampled_by_segment() -> None:
    counts = counts_of([1] * 50, [1.0] * 10 + [0.0] * 40, [0.0] * 50, [0] * 50)
    rates = sample_rates([(counts, 0, 0)], Resampling(samples=500))
    assert rates.shape == (500, 1)
    assert rates.mean() == pytest.approx(0.2, abs=0.02)
    assert rates.std() == pytest.approx((0.2 * 0.8 / 50) ** 0.5, rel=0.2)


def test_false_alarms_are_rare_even_where_moves_come_in_clusters() -> None:
    chance = np.random.default_rng(5)
    alarms = 0
    for _ in range(200):
        bad: Floats = chance.gamma(0.3, 0.3, size=(200, 1)).clip(0, 0.9)  # some segments are much worse than others
        moved = chance.random((200, 20)) < bad
        way = chance.random((200, 20)) < 0.5
        codes = chance.integers(0, 10, size=4000).tolist()
        early, late = ((1.0 * (moved & side)).ravel().tolist() for side in (way, ~way))
        counts = counts_of([20] * 200, early, late, codes)
        lowest = min(float(weigh_excess(counts, direction)[0].min()) for direction in (0, 1))
        alarms += lowest < 0.05 / 20
    assert alarms <= 0.05 * 200


@given(st.integers(1, 9), st.integers(0, 9), st.sampled_from([0.5, 1.0]))
def test_signs_are_counted_exactly_where_all_moves_weigh_the_same(up: int, down: int, weight: float) -> None:
    # One word per segment; all signs of the moves are equally likely, so the test is that of a fair coin.
    early = [weight] * up + [0.0] * down + [0.0] * 30
    late = [0.0] * up + [weight] * down + [0.0] * 30
    codes = [0] * (up + down) + [1] * 30
    p, lowest, _ = weigh_excess(counts_of([1] * len(codes), early, late, codes), 0)
    tosses = [sum(toss) for toss in itertools.product((0, 1), repeat=min(up + down, 12))]
    literal = stats.binom.sf(up - 1, up + down, 0.5)
    if up + down <= 12:
        assert literal == pytest.approx(sum(heads >= up for heads in tosses) / len(tosses))
    assert lowest[0] == pytest.approx(0.5 ** (up + down))
    share = ((up + down) / len(codes)) ** (weight * up)  # all moves fall on this label
    assert p[0] == pytest.approx(max(literal, share))
