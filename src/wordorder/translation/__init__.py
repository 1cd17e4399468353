"""Make translation better with order: n-best lists, tuning, reranking, minimum Bayes risk."""

from __future__ import annotations

from wordorder.translation.judging import Judged, judge
from wordorder.translation.nbest import NBest
from wordorder.translation.oracle import Oracle, oracle, oracle_table
from wordorder.translation.reranking import rerank
from wordorder.translation.risk import choose_by_risk, expected_utilities, mbr
from wordorder.translation.tuning import Run, Tuned, optimise, tuning_table
from wordorder.translation.weights import read_weights, write_weights

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
