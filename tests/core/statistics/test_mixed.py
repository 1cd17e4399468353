"""The mixed model against statsmodels, against dense matrices, and against what is known of balanced tables."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from conformance.numbers import a_study, statsmodels_fit
from wordorder.core.runtime.errors import UsageError
from wordorder.core.statistics.mixed import RESIDUAL, _Problem, compare_means, fit_mixed
from wordorder.core.statistics.variance import repeated_anova

Floats = NDArray[np.float64]


@pytest.mark.slow
def test_it_is_statsmodels() -> None:
    y, fixed, groups = a_study(10, 15, 3)
    ours, twin = fit_mixed(y, fixed, groups), statsmodels_fit(y, fixed, groups)
    assert ours.effects == pytest.approx(twin.fe_params, abs=1e-3)
    assert np.sqrt(np.diag(ours.covariance)) == pytest.approx(twin.bse_fe, abs=1e-3)
    assert list(ours.variances.values()) == pytest.approx([*twin.vcomp, twin.scale], abs=1e-3)
    assert ours.log_likelihood == pytest.approx(twin.llf, abs=1e-3)
    assert ours.log_likelihood >= twin.llf - 1e-6


@settings(max_examples=15)
@given(st.integers(0, 1000), st.lists(st.sampled_from([0.0, 0.01, 0.3, 2.0]), min_size=4, max_size=4), st.booleans())
def test_the_deviance_is_that_of_dense_matrices(seed: int, ratios: list[float], restricted: bool) -> None:
    y, fixed, groups = a_study(4, 6, 3, seed)
    slopes = {list(groups)[seed % 4]: np.random.default_rng(seed).normal(size=len(y))}
    problem = _Problem(y, fixed, groups, slopes, restricted=restricted)

    def dense(ratio: Floats) -> float:
        v = np.eye(len(y))
        for each, (name, labels) in zip(ratio, groups.items(), strict=True):
            column = slopes.get(name, np.ones(len(y)))
            v += each * (labels[:, None] == labels) * np.outer(column, column)
        inverse = np.linalg.inv(v)
        inside = fixed.T @ inverse @ fixed
        p = inverse - inverse @ fixed @ np.linalg.inv(inside) @ fixed.T @ inverse
        logs = float(np.linalg.slogdet(v)[1])
        if not restricted:
            return logs + len(y) * float(np.log(y @ p @ y))
        return logs + float(np.linalg.slogdet(inside)[1] + (len(y) - fixed.shape[1]) * np.log(y @ p @ y))

    at = np.array(ratios)
    value, slope = problem.deviance(at)
    assert value == pytest.approx(dense(at), abs=1e-8)
    for place in range(4):
        step = np.eye(4)[place] * 1e-5
        numeric = (dense(at + step) - dense(at - step)) / 2e-5
        assert slope[place] == pytest.approx(numeric, abs=1e-3, rel=1e-4)


def test_the_likelihood_is_that_of_the_normal_distribution() -> None:
    y, fixed, groups = a_study(4, 6, 3)
    found = fit_mixed(y, fixed, groups, restricted=False)
    v = np.eye(len(y)) * found.variances[RESIDUAL]
    for name, labels in groups.items():
        v += found.variances[name] * (labels[:, None] == labels)
    whole = stats.multivariate_normal.logpdf(y, fixed @ found.effects, v)
    assert found.log_likelihood == pytest.approx(whole, abs=1e-6)


def test_a_balanced_table_gives_the_repeated_measures_anova() -> None:
    """With everybody once at every level, the model with random people is the ANOVA, degrees of freedom included."""
    table = np.array([[1.0, 2, 4], [2, 2, 5], [3, 5, 6], [5, 5, 9], [0, 3, 3]])
    person, level = (axis.ravel() for axis in np.indices(table.shape))
    fit = fit_mixed(table.ravel(), np.eye(3)[level], {"person": person})
    ours, twin = fit.test([[1, -1, 0], [0, 1, -1]]), repeated_anova(table)
    assert ours.f == pytest.approx(twin.f, rel=1e-4)
    assert ours.within == pytest.approx(twin.within, rel=1e-3)
    assert ours.p == pytest.approx(twin.p, rel=1e-3)


def test_two_groups_of_people_give_students_t() -> None:
    """Without repeated measures people's variance cannot be told from the rest: the model is that of Student."""
    from scipy import stats

    y = np.array([1.0, 2, 4, 3, 6, 5, 4, 7, 8])
    side = np.array([0] * 4 + [1] * 5)
    one = fit_mixed(y, np.eye(2)[side], {"half": side * 10 + np.array([0, 1, 0, 1, 0, 1, 1, 1, 0])})
    assert one.variances["half"] == 0
    found = one.contrast([1, -1])
    assert found.p == pytest.approx(stats.ttest_ind(y[:4], y[4:]).pvalue, rel=1e-4)
    assert found.freedom == pytest.approx(7, rel=1e-6)


def test_a_variance_of_zero_is_an_answer() -> None:
    chance = np.random.default_rng(3)
    y = chance.normal(size=60)
    y -= np.repeat([y[place : place + 6].mean() for place in range(0, 60, 6)], 6)  # groups are too equal
    fit = fit_mixed(y, np.ones((60, 1)), {"group": np.repeat(np.arange(10), 6)})
    assert fit.variances["group"] == 0
    assert fit.variances[RESIDUAL] == pytest.approx(y.var(ddof=1))
    assert fit.contrast([1]).freedom == pytest.approx(59)


def test_tukey_of_two_levels_is_t() -> None:
    y, fixed, groups = a_study(8, 10, 2)
    fit = fit_mixed(y, fixed, groups)
    (pair,), one = compare_means(fit), fit.contrast([1, -1])
    assert pair.p == pytest.approx(one.p, rel=1e-3)
    assert (pair.low, pair.high) == pytest.approx((one.low, one.high), rel=1e-3)


def test_what_cannot_be_fitted_is_refused() -> None:
    level = np.array([0, 0, 1, 1])
    for y, fixed, groups, said in (
        ([1, 1, 2, 2], np.eye(2)[level], {"g": [0, 1, 0, 1]}, "no variance to estimate"),
        ([1, 2, 3, 4], np.ones((4, 2)), {"g": [0, 1, 0, 1]}, "must not be collinear"),
        ([1, 2], np.eye(2), {"g": [0, 1]}, "more values than fixed effects"),
        ([1, 2, 3, 4], np.ones((4, 1)), {}, "needs at least one random effect"),
    ):
        with pytest.raises(UsageError, match=said):
            fit_mixed(y, fixed, groups)
