"""Resampling and tests over plain arrays."""

from wordorder.statistics.resampling import (
    DEFAULT_SAMPLES,
    DEFAULT_SEED,
    DEFAULT_TRIALS,
    bootstrap_sums,
    interval,
    randomisation_sums,
    sum_groups,
)

__all__ = [
    "DEFAULT_SAMPLES",
    "DEFAULT_SEED",
    "DEFAULT_TRIALS",
    "bootstrap_sums",
    "interval",
    "randomisation_sums",
    "sum_groups",
]
