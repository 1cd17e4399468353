"""Measure how well metrics agree with human judgements: coefficients, significance tests and probes."""

from wordorder.apps.metaeval.coefficients import Setup
from wordorder.apps.metaeval.evaluation import MetaEvaluation, metaevaluate
from wordorder.apps.metaeval.judged_set import JudgedSet

__all__ = ["JudgedSet", "MetaEvaluation", "Setup", "metaevaluate"]
