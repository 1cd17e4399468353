"""Do the metrics agree with people? Judgements, coefficients, significance, tuning, probes."""

from wordorder.metaevaluation.coefficients import Setup
from wordorder.metaevaluation.evaluation import MetaEvaluation, metaevaluate
from wordorder.metaevaluation.judged import JudgedSet

__all__ = ["JudgedSet", "MetaEvaluation", "Setup", "metaevaluate"]
