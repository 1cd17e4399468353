"""Many systems: true differences are found, others hardly ever, and what cannot be told is said."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from wordorder.core.statistics import Resampling
from wordorder.metrics.registry import parse
from wordorder.report.table import Cell, Mark
from wordorder.scoring.scores import Scores

Floats = NDArray[np.float64]

METRIC = parse("kendall")


def scores_of(segments: Floats, *, baseline: str | None = None, test: str = "bootstrap", samples: int = 1000) -> Scores:
    """Make scores of made-up segment scores ``[segments, systems]``."""
    statistics = tuple(np.stack([column, np.ones(len(column))], axis=1) for column in segments.T)
    names = tuple(f"s{number}" for number in range(segments.shape[1]))
    return Scores(names, (METRIC,), statistics, {}, Resampling(samples), baseline=baseline, test=test)


def segment_scores(rng: np.random.Generator, segments: int, systems: int) -> Floats:
    """Equal systems: what is hard about a segment is so for all of them; scores end at 0 and 1."""
    return np.clip(rng.beta(4, 2, (segments, 1)) + rng.normal(0, 0.15, (segments, systems)), 0, 1)


def marks(scores: Scores) -> list[set[Mark]]:
    cells = [row[1] for row in scores.table().rows]
    assert all(isinstance(cell, Cell) for cell in cells)
    return [set(cell.marks) for cell in cells]


def ahead(segments: Floats) -> Floats:
    """Let the first system be ahead of every other one, of the closest by p = 5·10⁻⁵."""
    rest = segments[:, 1:]
    size = stats.t.isf(2.5e-5, len(rest) - 1)
    for _ in range(20):
        gaps = segments[:, [0]] - rest
        errors = gaps.std(axis=0, ddof=1) / np.sqrt(len(rest))
        segments[:, 0] += (size * errors - gaps.mean(axis=0)).max()
    return segments


@pytest.mark.parametrize("test", ["bootstrap", "randomisation", "wilcoxon"])
@pytest.mark.parametrize("baseline", [None, "s0"])
@pytest.mark.slow
def test_one_of_61_systems_with_a_true_difference_is_marked_against_all_others(test: str, baseline: str | None) -> None:
    segments = ahead(segment_scores(np.random.default_rng(5), 400, 61))
    alone = [stats.ttest_rel(segments[:, 0], segments[:, other]).pvalue for other in range(1, 61)]
    assert 1e-5 < max(alone) < 1e-4
    scores = scores_of(segments, baseline=baseline, test=test)
    assert all(found.significant and found.decidable for found in scores.comparisons)
    assert len(scores.comparisons) == 60
    expected = Mark.SIGNIFICANT if baseline else None
    assert marks(scores)[1:] == [{expected} if expected else set()] * 60


def test_copies_do_not_make_a_difference_less_significant() -> None:
    """60 systems that are one: the largest of their differences is that of any of them."""
    pair = ahead(segment_scores(np.random.default_rng(6), 300, 2))
    two = scores_of(pair).comparisons[0].p
    many = scores_of(np.hstack([pair[:, :1], np.repeat(pair[:, 1:], 60, axis=1)]))
    assert [found.p for found in many.comparisons] == [two] * 60
    assert max(found.p_corrected for found in many.comparisons) <= 2 / 1001


@pytest.mark.parametrize("baseline", [None, "s0"])
@pytest.mark.slow
def test_equal_systems_are_called_different_in_one_test_set_of_twenty(baseline: str | None) -> None:
    """The level of the whole table, also though the best system was chosen by looking: Holm alone calls 40% so."""
    rng = np.random.default_rng(9)
    trials, wrong = 150, 0
    for _ in range(trials):
        scores = scores_of(segment_scores(rng, 150, 12), baseline=baseline, samples=300)
        wrong += any(found.significant for found in scores.comparisons)
    assert wrong <= stats.binom.ppf(0.999, trials, 0.06)


def test_too_few_samples_or_segments_are_not_called_equal() -> None:
    rng = np.random.default_rng(3)
    few = scores_of(segment_scores(rng, 50, 3), samples=15)
    assert sorted(map(len, marks(few))) == [1, 1, 1]
    assert sum(mark == {Mark.UNDECIDED} for mark in marks(few)) == 2
    assert [found.to_dict()["decidable"] for found in few.comparisons] == [False, False]
    assert "~" not in str(few)
    assert "nothing could be significant" in str(few)
    for test in ("sign", "wilcoxon", "randomisation"):
        short = scores_of(segment_scores(rng, 4, 2), test=test)
        assert sum(mark == {Mark.UNDECIDED} for mark in marks(short)) == 1
        assert sum(mark == {Mark.TIED} for mark in marks(scores_of(segment_scores(rng, 40, 2), test=test))) == 1
    assert {Mark.UNDECIDED} in marks(scores_of(segment_scores(rng, 4, 2), test="sign", baseline="s0"))
