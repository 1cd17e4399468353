"""Repeated measures (thesis 6.3): people and items that appear at every level are not separate groups."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from conformance.numbers import anova_rm
from wordorder.core.runtime.errors import UsageError
from wordorder.core.statistics.variance import Anova, fisher_p, min_f, one_way_anova, repeated_anova, repeated_tukey

NAN = float("nan")
tables = st.integers(2, 4).flatmap(
    lambda levels: st.lists(st.lists(st.integers(1, 7), min_size=levels, max_size=levels), min_size=2, max_size=6)
)

# Table 6.4: r of metrics with fluency and comprehension over the 200 versions (40 sentences in 5 bins).
FLUENCY = {"BLEU": 0.779, "METEOR": 0.802, "TER": 0.712, "Hamming": 0.806, "d_k": 0.795, "no root": 0.707}
COMPREHENSION = {"BLEU": 0.624, "METEOR": 0.638, "TER": 0.602, "Hamming": 0.664, "d_k": 0.657, "no root": 0.599}


@given(tables)
def test_sums_of_squares_written_out(table: list[list[int]]) -> None:
    n, k = len(table), len(table[0])
    grand = sum(map(sum, table)) / (n * k)
    people = [sum(row) / k for row in table]
    levels = [sum(row[j] for row in table) / n for j in range(k)]
    effect = sum(n * (level - grand) ** 2 for level in levels)
    rest = sum((table[i][j] - people[i] - levels[j] + grand) ** 2 for i in range(n) for j in range(k))
    found = repeated_anova(table)
    assert (found.between, found.within, found.subjects) == (k - 1, (n - 1) * (k - 1), n)
    if rest < 1e-9:
        assert math.isnan(found.f)
        assert math.isnan(found.p)
    else:
        assert found.f == pytest.approx((effect / (k - 1)) / (rest / ((n - 1) * (k - 1))), abs=1e-9)
        eigenvalues = np.linalg.eigvalsh(_centred_covariance(np.array(table, dtype=float)))
        expected = eigenvalues.sum() ** 2 / ((k - 1) * (eigenvalues**2).sum())
        assert found.epsilon == pytest.approx(expected)
        assert 1 / (k - 1) - 1e-9 <= found.epsilon <= 1 + 1e-9


def _centred_covariance(table: np.ndarray) -> np.ndarray:
    k = table.shape[1]
    centre = np.eye(k) - 1 / k
    return np.asarray(centre @ np.cov(table, rowvar=False) @ centre)


@given(st.lists(st.tuples(st.integers(1, 7), st.integers(1, 7)), min_size=3, max_size=12))
def test_two_levels_are_the_paired_t_test(pairs: list[tuple[int, int]]) -> None:
    a, b = zip(*pairs, strict=True)
    assume(len({x - y for x, y in pairs}) > 1)
    expected = stats.ttest_rel(a, b)
    found = repeated_anova(pairs)
    assert found.f == pytest.approx(expected.statistic**2, abs=1e-9)
    assert found.p == pytest.approx(expected.pvalue)
    assert found.p_corrected == pytest.approx(found.p)
    assert repeated_tukey(pairs)[0].p == pytest.approx(expected.pvalue, abs=1e-6)


def test_statsmodels_finds_the_same() -> None:
    table = np.random.default_rng(3).normal(size=(28, 5)) + np.arange(5) / 3
    found = repeated_anova(table)
    assert (found.f, found.p) == pytest.approx(anova_rm(table))
    assert (found.between, found.within) == (4, 108)


def test_people_who_see_every_bin_are_not_separate_groups() -> None:
    """People differ by far more than bins do: only repeated measures see the bins."""
    table = np.array([[1.0, 1.3, 1.4], [3, 3.2, 3.5], [5, 5.3, 5.4], [7, 7.2, 7.5]])
    assert repeated_anova(table).p < 0.001
    assert one_way_anova(list(table.T)).p > 0.9


def test_who_lacks_a_level_is_left_out_and_counted() -> None:
    whole: list[list[float]] = [[1, 2, 4], [2, 2, 5], [3, 5, 6]]
    found = repeated_anova([*whole, [1, NAN, 2]])
    assert (found.subjects, found.left_out) == (3, 1)
    assert found.f == repeated_anova(whole).f
    alone = repeated_anova([whole[0]])
    assert math.isnan(alone.f)
    assert math.isnan(alone.p)
    assert all(math.isnan(pair.p) for pair in repeated_tukey([whole[0]]))
    with pytest.raises(UsageError, match="at least two levels"):
        repeated_anova([[1], [2]])


def test_thesis_6_3_min_f() -> None:
    """By subject 57.381, by item 24.49 (28 people, 40 items, 5 bins); Clark's formulas give F′(4, 251) = 17.16."""
    found = min_f(Anova(57.381, 4, 108, 0.0), Anova(24.49, 4, 156, 0.0))
    assert found.f == pytest.approx(1 / (1 / 57.381 + 1 / 24.49))
    assert found.within == pytest.approx(251.4, abs=0.05)
    assert found.p == pytest.approx(float(stats.f.sf(found.f, 4, found.within)))
    assert found.p < 0.001
    assert math.isnan(min_f(Anova(NAN, 4, 0, NAN), Anova(24.49, 4, 156, 0.0)).f)


def test_tukey_by_hand() -> None:
    table = np.array([[1, 2, 4], [2, 2, 5], [3, 5, 6]], dtype=float)
    rest = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()
    error = math.sqrt((rest**2).sum() / 4 / 3)
    for pair, (a, b) in zip(repeated_tukey(table), combinations(range(3), 2), strict=True):
        difference = table[:, a].mean() - table[:, b].mean()
        assert pair.difference == pytest.approx(difference)
        assert pair.p == pytest.approx(stats.studentized_range.sf(abs(difference) / error, 3, 4))
        assert (pair.high - pair.low) / 2 == pytest.approx(stats.studentized_range.ppf(0.95, 3, 4) * error)


def test_fishers_z_needs_four_items_on_either_side() -> None:
    for sizes in ((4, 50), (50, 4), (4, 4)):
        assert 0 < fisher_p(0.5, 0.3, *sizes) < 1
    assert np.isnan([fisher_p(0.5, 0.3, 3, 50), fisher_p(0.5, 0.3, 50, 3)]).all()


def test_thesis_table_6_4_fisher_z() -> None:
    """The only differences are those of the three best metrics from the two worst, for fluency (one-sided 5%)."""

    def differing(r: dict[str, float]) -> set[frozenset[str]]:
        return {frozenset(pair) for pair in combinations(r, 2) if fisher_p(r[pair[0]], r[pair[1]], 200, 200) / 2 < 0.05}

    best, worst = ("METEOR", "Hamming", "d_k"), ("TER", "no root")
    assert differing(FLUENCY) == {frozenset((a, b)) for a in best for b in worst}
    assert differing(COMPREHENSION) == set()
