"""Split halves and ceilings, against simulations where the truth is known."""

from __future__ import annotations

import numpy as np
import pytest

from wordorder.core.statistics.agreement import split_half
from wordorder.core.statistics.correlation import correlate


def test_the_ceiling_is_what_the_truth_would_reach() -> None:
    """And a person's r with the others, which the thesis takes for a ceiling, is well below it."""
    chance = np.random.default_rng(5)
    found = []
    for _ in range(30):
        truth = chance.normal(size=200)
        table = truth + chance.normal(0, 0.9, (28, 200))
        table[chance.random(table.shape) > 0.2] = np.nan  # everybody sees one item in five
        known = ~np.isnan(table)
        total, count = np.where(known, table, 0.0).sum(axis=0), known.sum(axis=0)
        one = split_half(table, splits=20)
        others = []
        for row in table:
            seen = ~np.isnan(row) & (count > 1)
            others.append(correlate(row[seen], (total - row)[seen] / (count - 1)[seen]).value)
        found.append((one.ceiling, correlate(truth, total / np.maximum(count, 1)).value, np.nanmedian(others)))
    ceiling, reached, person = np.mean(found, axis=0)
    assert ceiling == pytest.approx(reached, abs=0.02)
    assert person < ceiling - 0.1


def test_people_who_agree_have_a_ceiling_of_one_and_noise_has_none() -> None:
    same = np.tile(np.arange(10.0), (4, 1))
    assert split_half(same).ceiling == pytest.approx(1)
    noise = np.random.default_rng(1).normal(size=(10, 100))
    assert not split_half(noise).ceiling > 0.7


def test_two_raters_are_each_others_half() -> None:
    table = np.array([[1.0, 2, 3, 5, 4], [2.0, 1, 4, 4, 5]])
    r = correlate(table[0], table[1]).value
    found = split_half(np.column_stack([table, [np.nan, 3]]), splits=30)
    assert found.items == 5
    swapped = [correlate(np.where(m, table[0], table[1]), np.where(m, table[1], table[0])).value for m in _sides(5)]
    assert min(swapped) - 1e-9 <= found.halves <= max(swapped) + 1e-9
    assert found.reliability == pytest.approx(2 * found.halves / (1 + found.halves))
    assert r in [pytest.approx(value) for value in swapped]


def _sides(count: int) -> list[np.ndarray]:
    return [np.array([number >> place & 1 for place in range(count)], bool) for number in range(2**count)]
