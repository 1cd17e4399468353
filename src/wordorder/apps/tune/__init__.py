"""Tune the parameters of a metric by its agreement with human judgements."""

from wordorder.apps.tune.tuning import Range, Tuning, TuningSet, climb, tune

__all__ = ["Range", "Tuning", "TuningSet", "climb", "tune"]
