"""Shuffling the runs of two systems within segments."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from wordorder.core.runtime.errors import UsageError
from wordorder.core.statistics.runs import shuffled_sums

ROWS = np.array([[[1.0, 0.0], [2.0, 0.5], [4.0, 0.25]]])


def test_every_order_of_the_runs_is_equally_likely() -> None:
    found = shuffled_sums(ROWS, trials=6000)
    for order in permutations(range(3)):
        share = (found == ROWS[0][list(order)]).all(axis=(1, 2)).mean()
        assert share == pytest.approx(1 / 6, abs=0.025)  # five standard deviations


def test_segments_are_shuffled_independently_of_each_other() -> None:
    rows = np.array([[[1.0], [0.0]], [[10.0], [0.0]]])
    found, counts = np.unique(shuffled_sums(rows, trials=4000)[:, 0, 0], return_counts=True)
    assert found.tolist() == [0, 1, 10, 11]
    assert counts == pytest.approx(1000, abs=140)


def test_a_row_stays_in_its_segment_and_whole() -> None:
    rows = np.random.default_rng(1).integers(0, 9, (20, 4, 3)).astype(np.float64)
    assert (shuffled_sums(rows, trials=9).sum(axis=1) == rows.sum(axis=(0, 1))).all()


def test_a_trial_is_the_same_for_any_number_of_trials_and_threads() -> None:
    rows = np.random.default_rng(2).random((30, 6, 2))
    whole = shuffled_sums(rows, trials=50, seed=7)
    assert (shuffled_sums(rows, trials=5, seed=7) == whole[:5]).all()
    assert (shuffled_sums(rows, trials=50, seed=7, threads=3) == whole).all()
    assert (shuffled_sums(rows, trials=50, seed=8) != whole).any()


def test_no_trials_are_refused() -> None:
    with pytest.raises(UsageError, match="1 or more"):
        shuffled_sums(ROWS, trials=0)
