"""Improve translations with word order metrics: n-best lists, tuning, reranking, minimum Bayes risk."""

from __future__ import annotations

from wordorder.apps.nbest.nbest import NBest, rerank
from wordorder.apps.nbest.oracle import Oracle, oracle, oracle_table
from wordorder.apps.nbest.risk import choose_by_risk, expected_utilities, mbr
from wordorder.apps.nbest.scored_lists import ScoredLists, score_lists
from wordorder.apps.nbest.tuning import Tuned, TuningRun, optimise, tuning_table
from wordorder.apps.nbest.weights import read_weights, write_weights

__all__ = [
    "NBest",
    "Oracle",
    "ScoredLists",
    "Tuned",
    "TuningRun",
    "choose_by_risk",
    "expected_utilities",
    "mbr",
    "optimise",
    "oracle",
    "oracle_table",
    "read_weights",
    "rerank",
    "score_lists",
    "tuning_table",
    "write_weights",
]
