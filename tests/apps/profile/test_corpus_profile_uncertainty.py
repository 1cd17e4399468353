"""Intervals and tests of profiles against literal computations over sentences, scipy, and what chance does."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from wordorder.apps.profile import Corpus, profile
from wordorder.apps.profile.corpus_profile import Difference, Estimate, compare, estimate, sum_moments
from wordorder.core.orders import Alignment

WHOLE = st.integers(0, 50)


@given(st.lists(st.tuples(WHOLE, WHOLE), min_size=1, max_size=30))
def test_the_error_of_a_ratio_is_that_of_its_definition(pairs: list[tuple[int, int]]) -> None:
    found = estimate(sum_moments(*zip(*pairs, strict=True)))
    used = [(x, y) for x, y in pairs if y]
    assert found.sentences == len(used)
    if not used:
        assert math.isnan(found.value)
        return
    ratio = sum(x for x, _ in used) / sum(y for _, y in used)
    assert found.value == pytest.approx(ratio)
    if len(used) == 1:
        assert math.isnan(found.error)
        return
    squares = sum((x - ratio * y) ** 2 for x, y in used)
    total = sum(y for _, y in used)
    assert found.error == pytest.approx(math.sqrt(len(used) / (len(used) - 1) * squares) / total, abs=1e-6)


@given(st.lists(WHOLE, min_size=2, max_size=30), st.lists(WHOLE, min_size=2, max_size=30))
def test_means_are_compared_by_welchs_test(one: list[int], two: list[int]) -> None:
    a, b = (estimate(sum_moments(sample, np.ones(len(sample)))) for sample in (one, two))
    found = compare("x", ("A", a), ("B", b))
    assert found.difference == pytest.approx(np.mean(one) - np.mean(two), abs=1e-9)
    if np.var(one) + np.var(two) == 0:
        assert found.p == float(np.mean(one) == np.mean(two))
        return
    with warnings.catch_warnings(action="ignore"):  # scipy warns where one sample does not vary
        expected = stats.ttest_ind(one, two, equal_var=False).pvalue
    assert found.p == pytest.approx(expected, rel=1e-5)
    assert found.low <= found.difference <= found.high


def test_an_interval_of_a_mean_is_students() -> None:
    sample = [1.0, 2.0, 4.0, 7.0]
    expected = stats.ttest_1samp(sample, 0).confidence_interval(0.95)
    found = estimate(sum_moments(sample, np.ones(4))).interval
    assert found == pytest.approx((max(expected.low, 0), expected.high))
    assert Estimate(0.1, 1.0, 5).interval[0] == 0.0


def test_too_little_is_not_tested() -> None:
    one = estimate(sum_moments([1.0], [1.0]))
    assert math.isnan(compare("x", ("A", one), ("B", one)).p)
    assert not Difference("x", "A", "B", 0.0, 0.0, 0.0, math.nan).significant


@pytest.mark.slow
def test_intervals_cover_and_the_test_rejects_as_often_as_it_should() -> None:
    """Ratios of sums over 40 sentences: 95% intervals hold the truth, and equal corpora rarely differ."""
    rng = np.random.default_rng(5)
    covered = rejected = 0
    runs = 2000
    for _ in range(runs):
        words = rng.integers(5, 30, (2, 40))
        links = rng.binomial(words, 0.3)
        a, b = (estimate(sum_moments(links[side], words[side])) for side in (0, 1))
        covered += a.interval[0] <= 0.3 <= a.interval[1]
        rejected += compare("x", ("A", a), ("B", b)).p < 0.05
    assert 0.93 < covered / runs < 0.97
    assert 0.03 < rejected / runs < 0.07


def test_every_share_of_the_summary_has_the_value_of_its_estimate() -> None:
    rng = np.random.default_rng(3)
    links = []
    for _ in range(60):
        length = int(rng.integers(1, 20))
        order = rng.permutation(length)
        kept = [(place, int(order[place])) for place in range(length) if rng.random() < 0.9]
        links.append(Alignment(tuple(kept), length, length))
    found = profile(Corpus("x", links))["x"]
    for side in ("target", "source"):
        summary = found.summary(side)
        told = {name: found.estimate(name, side) for name in summary}
        ratios = {name: each for name, each in told.items() if each is not None}
        assert len(ratios) == 17
        for name, each in ratios.items():
            value = summary[name]
            assert value is not None
            assert each.value == pytest.approx(value), name
            assert 0 <= each.error < 10, name
        assert sum(each.error > 0 for each in ratios.values()) >= 14
