"""Measure how well metrics agree with people: judgements, coefficients, significance tests, probes."""

from wordorder.apps.metaeval.coefficients import Setup
from wordorder.apps.metaeval.evaluation import MetaEvaluation, metaevaluate
from wordorder.apps.metaeval.judged_set import JudgedSet

__all__ = ["JudgedSet", "MetaEvaluation", "Setup", "metaevaluate"]
