"""Tune the parameters of a metric to maximise its agreement with human judgements."""

from wordorder.apps.tune.tuning import Range, Tuning, TuningSet, climb, tune

__all__ = ["Range", "Tuning", "TuningSet", "climb", "tune"]
