"""Improve translations with word order metrics: n-best lists, tuning, reranking, minimum Bayes risk."""

from wordorder.apps.nbest.nbest import NBest as NBest
from wordorder.apps.nbest.nbest import rerank as rerank
from wordorder.apps.nbest.risk import choose_by_risk as choose_by_risk
from wordorder.apps.nbest.risk import expected_utilities as expected_utilities
from wordorder.apps.nbest.risk import mbr as mbr
from wordorder.apps.nbest.scored_lists import Oracle as Oracle
from wordorder.apps.nbest.scored_lists import ScoredLists as ScoredLists
from wordorder.apps.nbest.scored_lists import oracle as oracle
from wordorder.apps.nbest.scored_lists import oracle_table as oracle_table
from wordorder.apps.nbest.scored_lists import score_lists as score_lists
from wordorder.apps.nbest.tuning import Tuned as Tuned
from wordorder.apps.nbest.tuning import TuningRun as TuningRun
from wordorder.apps.nbest.tuning import optimise as optimise
from wordorder.apps.nbest.tuning import tuning_table as tuning_table
from wordorder.apps.nbest.weights import read_weights as read_weights
from wordorder.apps.nbest.weights import write_weights as write_weights
