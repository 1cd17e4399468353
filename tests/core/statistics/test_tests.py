"""Paired tests against known values, scipy, sacreBLEU, and enumeration of every case where that is possible."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from wordorder.core.runtime.errors import UsageError
from wordorder.core.statistics.corrections import holm
from wordorder.core.statistics.resampling import bootstrap_sums, randomisation_sums
from wordorder.core.statistics.tests import (
    PairedTest,
    approximate_randomisation,
    bootstrap_p,
    mean_and_spread,
    randomisation_p,
    sign_p,
    sign_test,
    wilcoxon,
)

Floats = NDArray[np.float64]
NAN = float("nan")


def mean(sums: Floats) -> Floats:
    """The corpus value of rows (w·x, w)."""
    with np.errstate(invalid="ignore"):
        return np.asarray(sums[..., 0] / sums[..., 1])


def rows_of(x: Floats) -> Floats:
    defined = ~np.isnan(x)
    return np.stack([np.where(defined, x, 0.0), defined.astype(np.float64)], axis=1)


def scores(seed: int, count: int = 60, shift: float = 0.0) -> Floats:
    return np.random.default_rng(seed).random(count) + shift


def test_sign_test_of_the_thesis() -> None:
    assert sign_p(189, 158, alternative="greater") == pytest.approx(0.0536, abs=5e-5)


@given(st.integers(0, 60), st.integers(0, 60))
def test_sign_test_is_the_binomial_tail(wins: int, losses: int) -> None:
    total = wins + losses
    above = sum(comb(total, k) for k in range(wins, total + 1)) / 2**total
    below = sum(comb(total, k) for k in range(wins + 1)) / 2**total
    assert sign_p(wins, losses, alternative="greater") == pytest.approx(above)
    assert sign_p(wins, losses, alternative="less") == pytest.approx(below)
    assert sign_p(wins, losses) == pytest.approx(min(1.0, 2 * min(above, below)))


def test_segment_tests_use_what_is_defined_in_both() -> None:
    a = np.array([0.5, NAN, 0.9, 0.4, 0.7, 0.3])
    b = np.array([0.1, 0.2, NAN, 0.4, 0.6, 0.9])
    for found, name in ((sign_test(a, b, alternative="greater"), "sign"), (wilcoxon(a, b), "wilcoxon")):
        assert (found.name, found.segments) == (name, 4)
        assert found.difference == pytest.approx(-0.025)
    assert sign_test(a, b, alternative="greater").p == 0.5


def test_wilcoxon_is_exact_for_few_segments() -> None:
    differences = np.array([0.1, 0.2, -0.3, 0.4, 0.55, 0.6, -0.05])
    ranks = np.argsort(np.argsort(np.abs(differences))) + 1
    observed = min(ranks[differences > 0].sum(), ranks[differences < 0].sum())
    sums = [sum(itertools.compress(range(1, 8), signs)) for signs in itertools.product([0, 1], repeat=7)]
    expected = min(1.0, 2 * sum(total <= observed for total in sums) / len(sums))
    assert wilcoxon(differences, np.zeros(7)).p == pytest.approx(expected)


def test_wilcoxon_of_many_segments_is_scipys() -> None:
    from scipy import stats

    a, b = scores(1, 300), scores(2, 300, 0.05)
    assert wilcoxon(a, b).p == stats.wilcoxon(a, b).pvalue


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=60))
def test_wilcoxon_survives_ties_and_few_segments(differences: list[int]) -> None:
    found = wilcoxon(np.array(differences), np.zeros(len(differences)))
    assert 0 < found.p <= 1
    assert found.p == wilcoxon(np.zeros(len(differences)), np.array(differences)).p


@pytest.mark.parametrize("test", [wilcoxon, sign_test])
def test_equal_systems_do_not_differ_and_nothing_cannot_be_tested(test: type) -> None:
    a = scores(3, 10)
    assert (test(a, a).p, test(a, a).difference, test(a, a).segments) == (1.0, 0.0, 10)
    for nothing in (np.full(4, NAN), np.zeros(0)):
        found = test(nothing, nothing)
        assert np.isnan([found.p, found.difference]).all()
        assert found.segments == 0
    with pytest.raises(UsageError, match=r"shapes \(10,\) and \(9,\)"):
        test(a, a[:9])


def holm_slowly(p_values: list[float]) -> list[float]:
    """Holm's procedure read as a rule: reject at α while p₍ᵢ₎ ≤ α/(m−i+1); the adjusted p is the smallest such α."""
    ordered = sorted(p_values)
    needed = {p: max(min(1.0, q * (len(ordered) - i)) for i, q in enumerate(ordered) if q <= p) for p in p_values}
    return [needed[p] for p in p_values]


@given(st.lists(st.floats(0, 1) | st.just(NAN), max_size=8))
def test_holm_equals_its_slow_twin(p_values: list[float]) -> None:
    found = holm(p_values)
    expected = iter(holm_slowly([p for p in p_values if p == p]))
    assert found.tolist() == pytest.approx([next(expected) if p == p else NAN for p in p_values], nan_ok=True)


def test_holm_known_values() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]).tolist() == []
    with pytest.raises(UsageError, match="2 dimensions"):
        holm([[0.1]])


def test_bootstrap_p_by_hand() -> None:
    differences = np.array([0.3, 0.1, -0.1, 0.5, NAN, 0.2])
    assert bootstrap_p(0.2, differences, method="koehn") == pytest.approx(2 / 6)
    # |d| has the mean .24, and of |d| − .24 only .5 − .24 reaches .08
    assert bootstrap_p(0.08, differences, method="sacrebleu") == pytest.approx(2 / 6)
    # d has the mean .2, and of |d − .2| those of −.1 and .5 reach .2
    assert bootstrap_p(0.2, differences) == pytest.approx(3 / 6)
    assert bootstrap_p(-0.2, -differences, method="koehn") == pytest.approx(2 / 6)
    assert bootstrap_p(0.2, [0.0, 0.3], method="koehn") == pytest.approx(2 / 3)  # a draw is no win
    with pytest.raises(UsageError, match="unknown bootstrap test 'kohn'; did you mean 'koehn'"):
        bootstrap_p(0.2, differences, method="kohn")


def test_p_values_come_for_many_comparisons_at_once() -> None:
    differences = np.random.default_rng(1).normal(0.1, 1, (50, 3, 2))
    observed = np.array([[0.1, 0.2], [NAN, -0.3], [1.0, 0.0]])
    differences[:, 2, 0] = NAN
    for together, alone in (
        (bootstrap_p(observed, differences), bootstrap_p),
        (randomisation_p(observed, differences), randomisation_p),
    ):
        assert np.isnan(together).tolist() == [[False, False], [True, False], [True, False]]
        for place in ((0, 0), (0, 1), (1, 1), (2, 1)):
            assert together[place] == alone(observed[place], differences[:, *place])


def test_randomisation_comes_near_the_exact_test() -> None:
    a, b = scores(5, 11), scores(6, 11, 0.2)
    d = a - b
    totals = [abs(np.dot(signs, d)) for signs in itertools.product([1, -1], repeat=11)]
    exact = np.mean([total >= abs(d.sum()) - 1e-12 for total in totals])
    found = approximate_randomisation(rows_of(a), rows_of(b), mean, trials=20_000)
    assert found.p == pytest.approx(exact, abs=0.015)
    assert found.difference == pytest.approx(d.mean())
    assert (found.name, found.segments) == ("randomisation", 11)


def bootstrap(
    rows_a: Floats, rows_b: Floats, corpus: Callable[[Floats], Floats], *, samples: int = 1000, method: str = "centred"
) -> tuple[float, float]:
    """Return the difference between two systems and its p-value by paired bootstrap resampling."""
    observed = corpus(rows_a.sum(axis=0)) - corpus(rows_b.sum(axis=0))
    one, other = (corpus(bootstrap_sums(rows, samples=samples)) for rows in (rows_a, rows_b))
    return float(observed), bootstrap_p(observed, one - other, method=method).item()


def test_randomisation_is_its_parts_put_together() -> None:
    rows_a, rows_b = rows_of(scores(7)), rows_of(scores(8, shift=0.05))
    groups = np.arange(60) // 7
    observed = float(mean(rows_a.sum(axis=0)) - mean(rows_b.sum(axis=0)))
    one, other = randomisation_sums(rows_a, rows_b, trials=300, seed=5, groups=groups)
    found = approximate_randomisation(rows_a, rows_b, mean, trials=300, seed=5, groups=groups, threads=2)
    assert found.p == randomisation_p(observed, mean(one) - mean(other))
    assert (found.name, found.difference, found.segments) == ("randomisation", observed, 60)


def test_randomisation_uses_what_is_defined_in_both() -> None:
    a, b = scores(9), scores(10, shift=0.1)
    a[:5], b[3:9] = NAN, NAN
    defined = ~np.isnan(a) & ~np.isnan(b)
    groups = np.arange(60) % 20
    found = approximate_randomisation(rows_of(a), rows_of(b), mean, defined=defined, groups=groups)
    assert found == approximate_randomisation(rows_of(a[defined]), rows_of(b[defined]), mean, groups=groups[defined])
    assert found.segments == 51


def test_a_system_does_not_differ_from_itself() -> None:
    test = approximate_randomisation
    rows = rows_of(scores(11))
    assert test(rows, rows, mean) == PairedTest("randomisation", 0.0, 1.0, 60, 60, 0.0)
    assert bootstrap(rows, rows, mean) == (0.0, 1.0)
    assert bootstrap(rows, rows_of(scores(11, shift=0.5)), mean)[1] < 0.002
    assert test(rows, rows_of(scores(11, shift=0.5)), mean).p < 0.002
    nothing = test(np.zeros((0, 2)), np.zeros((0, 2)), mean)
    assert np.isnan([nothing.p, nothing.difference]).all()
    assert nothing.segments == 0


WORDS = ["the", "a", "cat", "dog", "sat", "ran", "on", "under", "mat", "hat", "with", "of", "big", "red"]


def sentences(seed: int, *, errors: float) -> list[str]:
    """Random sentences; the same seed gives the same sentences but for a share of wrong words."""
    text, noise = random.Random(99), random.Random(seed)
    lines = [[text.choice(WORDS) for _ in range(text.randint(6, 14))] for _ in range(80)]
    return [" ".join(noise.choice(WORDS) if noise.random() < errors else word for word in line) for line in lines]


@pytest.mark.parametrize("kind", ["bs", "ar"])
def test_p_values_agree_with_sacrebleu(kind: str) -> None:
    from sacrebleu import significance
    from sacrebleu.metrics.bleu import BLEU

    reference, one, other = sentences(0, errors=0.0), sentences(1, errors=0.2), sentences(2, errors=0.225)
    bleu = BLEU(references=[reference])
    trials = 2000
    _, theirs = significance.PairedTest([("one", one), ("other", other)], {"bleu": bleu}, None, kind, trials)()
    expected = theirs["BLEU"][1]
    assert isinstance(expected, significance.Result)

    def corpus(sums: Floats) -> Floats:
        flat = [bleu._compute_score_from_stats(list(row)).score for row in sums.reshape(-1, sums.shape[-1])]
        return np.array(flat).reshape(sums.shape[:-1])

    rows_a, rows_b = (np.array(bleu._extract_corpus_statistics(system, None), float) for system in (other, one))
    if kind == "bs":
        difference, p = bootstrap(rows_a, rows_b, corpus, samples=trials, method="sacrebleu")
    else:
        found = approximate_randomisation(rows_a, rows_b, corpus, trials=trials)
        difference, p = found.difference, found.p
    assert difference == pytest.approx(expected.score - theirs["BLEU"][0].score)  # type: ignore[union-attr]
    # Other random numbers: four standard errors of the difference of two estimates.
    assert 0.02 < p < 0.9
    assert p == pytest.approx(expected.p_value, abs=4 * (2 * p * (1 - p) / trials) ** 0.5)


@pytest.mark.parametrize("groups", [None, np.arange(400) // 4])
def test_the_standard_error_is_that_of_the_paired_differences(groups: NDArray[np.int64] | None) -> None:
    a, b = scores(21, 400), scores(22, 400, 0.1)
    units = a - b if groups is None else (a - b).reshape(-1, 4).mean(axis=1)
    expected = units.std() / len(units) ** 0.5
    found = approximate_randomisation(rows_of(a), rows_of(b), mean, groups=groups)
    assert found.units == len(units)
    assert found.error == pytest.approx(expected, rel=0.08)


def test_p_from_the_same_replicates_is_sacrebleus() -> None:
    from sacrebleu.significance import _compute_p_value

    differences = np.random.default_rng(3).normal(0.3, 0.5, 1000)
    size = np.abs(differences)
    assert bootstrap_p(0.3, differences, method="sacrebleu") == _compute_p_value(size - size.mean(), 0.3)
    assert randomisation_p(0.3, differences) == _compute_p_value(size, 0.3)


def test_the_default_bootstrap_keeps_its_level() -> None:
    """Two systems that differ by chance alone: p is as good as uniform, so few are below .05."""
    rng = np.random.default_rng(11)
    found = []
    for _ in range(200):
        a, b = rng.normal(0.5, 0.2, 150), rng.normal(0.5, 0.2, 150)
        found.append(bootstrap(rows_of(a), rows_of(b), mean, samples=300)[1])
    assert np.mean(np.array(found) < 0.05) < 0.09
    assert 0.4 < np.mean(found) < 0.6


def test_the_spread_of_two_replicates_is_that_of_a_sample() -> None:
    assert [float(part) for part in mean_and_spread([1.0, 3.0, NAN])] == [2, 2.0, math.sqrt(2)]
    assert mean_and_spread([1.0, NAN])[2] == 0.0
