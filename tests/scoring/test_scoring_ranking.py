"""Ranks, their ranges, and the order of systems."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from wordorder import score
from wordorder.core.runtime.errors import UsageError
from wordorder.core.statistics import Resampling
from wordorder.metrics.registry import parse
from wordorder.scoring.comparison import compare_pairs
from wordorder.scoring.ranking import Ranking, order_systems
from wordorder.scoring.scores import Scores

Floats = NDArray[np.float64]


def scores_of(segments: Floats, **options: object) -> Scores:
    """Make scores under ``kendall`` of invented segment scores ``[segments, systems]``."""
    statistics = tuple(np.stack([column, np.ones(len(column))], axis=1) for column in segments.T)
    names = tuple(f"s{number}" for number in range(segments.shape[1]))
    return Scores(names, (parse("kendall"),), statistics, {}, **{"resampling": Resampling(300), **options})  # type: ignore[arg-type]


def made_up(means: list[float], *, segments: int = 300, seed: int = 1) -> Floats:
    rng = np.random.default_rng(seed)
    return np.array(means) + rng.normal(0, 0.1, (segments, 1)) + rng.normal(0, 0.05, (segments, len(means)))


def ranking_of(scores: Scores) -> Ranking:
    (found,) = scores.rankings
    assert found is not None
    return found


def test_a_range_begins_behind_the_systems_that_are_better_and_ends_before_those_that_are_worse() -> None:
    scores = scores_of(made_up([0.5, 0.7, 0.702, 0.3, 0.6, 0.601]))
    found = ranking_of(scores)
    names, values = scores.systems, scores.values[:, 0]
    assert list(found.systems) == [names[s] for s in np.argsort(-values)]
    assert {(test.a, test.b) for test in found.tests} == {
        (a, b) for place, a in enumerate(found.systems) for b in found.systems[place + 1 :]
    }
    for name in names:
        better = [test for test in found.tests if test.b == name and test.significant]
        worse = [test for test in found.tests if test.a == name and test.significant]
        assert found.ranges[name] == (1 + len(better), len(names) - len(worse))
    assert [found.write(name) for name in names] == ["5", "1–2", "1–2", "6", "3–4", "3–4"]
    assert found.tied == ["s1" if found.systems[0] == "s2" else "s2"]
    assert found.write("nobody") == "–"


def test_tests_against_the_best_are_those_of_the_table_and_the_others_those_of_all_pairs() -> None:
    scores = scores_of(made_up([0.5, 0.501, 0.508, 0.505]))
    found = ranking_of(scores)
    best = {(test.a, test.b): test for test in scores.compare()}
    pairs = {frozenset((test.a, test.b)): test for test in compare_pairs(scores, "kendall")}
    for test in found.tests:
        if test.a == found.systems[0]:
            assert test == best[test.a, test.b]
        else:
            other = pairs[frozenset((test.a, test.b))]
            assert (test.p, test.p_corrected) == (other.p, other.p_corrected)
            assert abs(test.difference) == abs(other.difference)


@pytest.mark.slow
def test_equal_systems_hardly_ever_get_different_ranks() -> None:
    """The level of all ranges together, although two families of tests decide."""
    rng = np.random.default_rng(4)
    trials, wrong = 150, 0
    for _ in range(trials):
        segments = np.clip(rng.beta(4, 2, (150, 1)) + rng.normal(0, 0.15, (150, 12)), 0, 1)
        wrong += any(ends != (1, 12) for ends in ranking_of(scores_of(segments)).ranges.values())
    assert wrong <= stats.binom.ppf(0.999, trials, 0.06)


def test_what_cannot_be_ranked_has_no_ranks() -> None:
    segments = made_up([0.5, 0.6])
    assert scores_of(segments, ranked=False).rankings == (None,)
    assert scores_of(segments, resampling=Resampling(0)).rankings == (None,)
    assert scores_of(segments[:, :1]).rankings == (None,)
    few = ranking_of(scores_of(segments[:5]))
    assert few.ranges == {"s0": (1, 2), "s1": (1, 2)}


def test_systems_are_listed_from_the_best_or_as_wished() -> None:
    scores = score(
        permutations={"c": ["1 2 3"], "a": ["3 2 1"], "none": [""], "b": ["2 1 3"]}, metrics="kendall,fuzzy", samples=10
    )

    def names(sort: str | None = None) -> list[str]:
        return [scores.systems[s] for s in order_systems(scores, sort)]

    assert names() == names("kendall") == ["c", "b", "a", "none"]
    assert names("name") == ["a", "b", "c", "none"]
    assert names("given") == ["c", "a", "none", "b"]
    with pytest.raises(UsageError, match="unknown order of systems 'fuzy'; did you mean 'fuzzy'"):
        names("fuzy")
