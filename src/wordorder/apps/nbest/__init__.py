"""Make translation better with order: n-best lists, tuning, reranking, minimum Bayes risk."""

from __future__ import annotations

from wordorder.apps.nbest.judging import Judged, judge
from wordorder.apps.nbest.nbest import NBest
from wordorder.apps.nbest.oracle import Oracle, oracle, oracle_table
from wordorder.apps.nbest.reranking import rerank
from wordorder.apps.nbest.risk import choose_by_risk, expected_utilities, mbr
from wordorder.apps.nbest.tuning import Run, Tuned, optimise, tuning_table
from wordorder.apps.nbest.weights import read_weights, write_weights

__all__ = [
    "Judged",
    "NBest",
    "Oracle",
    "Run",
    "Tuned",
    "choose_by_risk",
    "expected_utilities",
    "judge",
    "mbr",
    "optimise",
    "oracle",
    "oracle_table",
    "read_weights",
    "rerank",
    "tuning_table",
    "write_weights",
]
