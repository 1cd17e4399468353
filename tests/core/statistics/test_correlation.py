"""Correlation with gaps, ties and nothing to correlate."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.core.runtime.errors import UsageError
from wordorder.core.statistics.correlation import CORRELATIONS, RankedPairs, correlate

NAN = float("nan")
PAIRS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=12)


def sign(x: float) -> int:
    return (x > 0) - (x < 0)


def kendall_slowly(x: list[int], y: list[int]) -> float:
    pairs = list(itertools.combinations(range(len(x)), 2))
    score = sum(sign(x[i] - x[j]) * sign(y[i] - y[j]) for i, j in pairs)
    untied = [sum(side[i] != side[j] for i, j in pairs) for side in (x, y)]
    return float(score / (untied[0] * untied[1]) ** 0.5)


def pearson_slowly(x: list[float], y: list[float]) -> float:
    a, b = np.array(x) - np.mean(x), np.array(y) - np.mean(y)
    return float((a * b).sum() / ((a * a).sum() * (b * b).sum()) ** 0.5)


def mean_ranks(x: list[int]) -> list[float]:
    return [sum(v < u for v in x) + (sum(v == u for v in x) + 1) / 2 for u in x]


@given(PAIRS)
def test_coefficients_equal_their_slow_twins(pairs: list[tuple[int, int]]) -> None:
    x, y = map(list, zip(*pairs, strict=True))
    found = {name: correlate(x, y, method=name).value for name in CORRELATIONS}
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert np.isnan(list(found.values())).all()
    else:
        assert found["pearson"] == pytest.approx(pearson_slowly([*x], [*y]), abs=1e-9)
        assert found["spearman"] == pytest.approx(pearson_slowly(mean_ranks(x), mean_ranks(y)), abs=1e-9)
        assert found["kendall"] == pytest.approx(kendall_slowly(x, y), abs=1e-9)


@pytest.mark.parametrize("method", CORRELATIONS)
def test_only_pairs_defined_on_both_sides_count(method: str) -> None:
    x = [1.0, NAN, 3.0, 2.0, 7.0, 5.0]
    y = [2.0, 5.0, NAN, 1.0, 9.0, 3.0]
    found = correlate(x, y, method=method)
    assert found == correlate([1, 2, 7, 5], [2, 1, 9, 3], method=method)
    assert (found.name, found.pairs) == (method, 4)
    assert 0 < found.p < 1


@pytest.mark.parametrize("method", CORRELATIONS)
@pytest.mark.parametrize("values", [[], [1.0], [2.0, 2.0, 2.0], [0.3, 0.1 + 0.2], [NAN, 1.0]])
def test_nothing_to_correlate_is_undefined_without_a_warning(method: str, values: list[float]) -> None:
    found = correlate(values, list(range(len(values))), method=method)
    assert np.isnan([found.value, found.p]).all()
    assert found.pairs == sum(value == value for value in values)


def test_two_pairs_have_a_coefficient() -> None:
    assert [correlate([1, 2], [5, 3], method=name).value for name in CORRELATIONS] == pytest.approx([-1, -1, -1])


def test_mistakes_are_told() -> None:
    with pytest.raises(UsageError, match="unknown correlation 'tau'"):
        correlate([1, 2], [1, 2], method="tau")
    with pytest.raises(UsageError, match=r"same length, not arrays of shapes \(2,\) and \(3,\)"):
        correlate([1, 2], [1, 2, 3])


@given(data=st.data())
def test_spearman_of_samples_has_every_digit_of_the_repeated_pairs(data: st.DataObject) -> None:
    number = st.integers(-3, 3).map(float) | st.just(math.nan) | st.floats(-2, 2)
    size = data.draw(st.integers(0, 12))
    x, y = (np.array(data.draw(st.lists(number, min_size=size, max_size=size)), dtype=np.float64) for _ in "xy")
    counts = np.array(data.draw(st.lists(st.integers(0, 3), min_size=size, max_size=size)), dtype=np.uint8)
    expected = correlate(np.repeat(x, counts), np.repeat(y, counts), method="spearman").value
    found = RankedPairs(x, y).spearman(counts)
    assert found == expected or (math.isnan(found) and math.isnan(expected))
