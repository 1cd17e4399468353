from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.textbooks import FOURTEEN_RATERS, OBSERVERS, THREE_DIETS
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.core.statistics.agreement import fleiss_kappa, kappa, krippendorff_alpha
from wordorder.core.statistics.correlation import correlate
from wordorder.core.statistics.detection import auc
from wordorder.core.statistics.variance import fisher_p, one_way_anova, williams_p

NAN = float("nan")


@pytest.mark.parametrize(
    ("scale", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_alpha_of_the_published_example(scale: str, alpha: float) -> None:
    assert krippendorff_alpha(OBSERVERS, scale=scale) == pytest.approx(alpha, abs=5e-4)


def test_kappa_of_a_published_example() -> None:
    assert fleiss_kappa(FOURTEEN_RATERS) == pytest.approx(0.210, abs=5e-4)


def test_agreement_without_choice_is_undefined() -> None:
    assert math.isnan(kappa(1.0, 1.0))
    assert math.isnan(krippendorff_alpha([[1, 1], [1, 1]]))
    assert math.isnan(krippendorff_alpha([[1, NAN], [NAN, 1]]))
    with pytest.raises(UsageError, match="same number of raters"):
        fleiss_kappa([[1, 2], [1, 1]])


@given(st.lists(st.lists(st.sampled_from([1.0, 2.0, 4.0, NAN]), min_size=4, max_size=4), min_size=2, max_size=4))
def test_alpha_is_disagreement_over_pairs(rows: list[list[float]]) -> None:
    """The literal form: mean squared difference within units, against that of all paired values."""
    units = [[row[i] for row in rows if row[i] == row[i]] for i in range(4)]
    units = [unit for unit in units if len(unit) > 1]
    values = [value for unit in units for value in unit]
    total = len(values)
    observed = sum(sum((a - b) ** 2 for a, b in combinations(unit, 2)) * 2 / (len(unit) - 1) for unit in units)
    expected = sum((a - b) ** 2 for a, b in combinations(values, 2)) * 2
    found = krippendorff_alpha(rows, scale="interval")
    if expected == 0:
        assert math.isnan(found)
    else:
        assert found == pytest.approx(1 - (total - 1) * observed / expected)


groups = st.lists(
    st.tuples(st.integers(0, 4), st.booleans(), st.integers(0, 3), st.integers(0, 1)), min_size=1, max_size=10
)


@given(groups)
def test_auc_counts_pairs(items: list[tuple[int, bool, int, int]]) -> None:
    scores, labels, weights, strata = (np.array(side) for side in zip(*items, strict=True))

    def literal(part: bool) -> float:
        won = compared = 0.0
        for x, hit, w, s in items:
            for y, other, v, t in items:
                if hit and not other and (s == t or not part):
                    won += w * v * (1.0 if x > y else 0.5 if x == y else 0.0)
                    compared += w * v
        return won / compared if compared else NAN

    np.testing.assert_allclose(auc(scores, labels, weights=weights), literal(False))
    np.testing.assert_allclose(auc(scores, labels, weights=weights, strata=strata), literal(True))


def test_auc_leaves_out_what_is_undefined() -> None:
    assert auc([1.0, NAN, 2.0], [False, True, True]).item() == 1.0
    assert np.isnan(auc([1.0], [True]))
    assert auc([1.0, 2.0], [False, True], weights=np.ones((3, 2))).tolist() == [1.0, 1.0, 1.0]


def test_anova_by_hand() -> None:
    """Means 5, 9, 10: between 84/2, within 68/15, F = 9.26."""
    found = one_way_anova(THREE_DIETS)
    assert found.f == pytest.approx(42 / (68 / 15))
    assert (found.between, found.within) == (2, 15)
    assert found.p == pytest.approx(0.0024, abs=5e-5)
    assert math.isnan(one_way_anova([[1, 1], [2, 2]]).f)
    with pytest.raises(InputError, match="at least two values each"):
        one_way_anova([[1, 2], [3]])


def test_two_correlations() -> None:
    assert fisher_p(0.5, 0.5, 50, 60) == 1.0
    assert fisher_p(0.9, 0.1, 50, 50) < 1e-6
    assert math.isnan(fisher_p(1.0, 0.5, 50, 50))
    assert williams_p(0.5, 0.5, 0.3, 40) == 1.0
    assert math.isnan(williams_p(0.5, 0.4, 0.3, 3))
    # The closer two metrics are to each other, the surer the same difference.
    assert williams_p(0.6, 0.5, 0.95, 60) < williams_p(0.6, 0.5, 0.5, 60)


def test_williams_p_is_rarely_small_for_equals() -> None:
    random = np.random.default_rng(5)
    small = 0
    for _ in range(200):
        human, noise = random.normal(size=(2, 30))
        a, b = human + random.normal(size=30) + noise, human + random.normal(size=30) + noise
        small += williams_p(correlate(human, a).value, correlate(human, b).value, correlate(a, b).value, 30) < 0.05
    assert small < 25
