"""Resampling, tests and correlation over plain arrays."""

from wordorder.statistics.correlation import CORRELATIONS, Correlation, correlate
from wordorder.statistics.resampling import (
    DEFAULT_SAMPLES,
    DEFAULT_SEED,
    DEFAULT_TRIALS,
    bootstrap_sums,
    interval,
    randomisation_sums,
    sum_groups,
)
from wordorder.statistics.tests import (
    BOOTSTRAP_METHODS,
    PairedTest,
    approximate_randomisation,
    bootstrap_p,
    holm,
    paired_bootstrap,
    randomisation_p,
    sign_p,
    sign_test,
    wilcoxon,
)

__all__ = [
    "BOOTSTRAP_METHODS",
    "CORRELATIONS",
    "DEFAULT_SAMPLES",
    "DEFAULT_SEED",
    "DEFAULT_TRIALS",
    "Correlation",
    "PairedTest",
    "approximate_randomisation",
    "bootstrap_p",
    "bootstrap_sums",
    "correlate",
    "holm",
    "interval",
    "paired_bootstrap",
    "randomisation_p",
    "randomisation_sums",
    "sign_p",
    "sign_test",
    "sum_groups",
    "wilcoxon",
]
