"""Which hypothesis word is matched with which reference word."""

from wordorder.matching.context import ContextMatches, match_by_context
from wordorder.matching.first import match_first
from wordorder.matching.matcher import FIRST, Matching, match
from wordorder.matching.matches import STAGES, WEIGHTS, Matches, Weights
from wordorder.matching.paraphrases import Paraphrases
from wordorder.matching.relations import Relations, Resources
from wordorder.matching.search import STATES
from wordorder.matching.wordnet import WordNet

__all__ = [
    "FIRST",
    "STAGES",
    "STATES",
    "WEIGHTS",
    "ContextMatches",
    "Matches",
    "Matching",
    "Paraphrases",
    "Relations",
    "Resources",
    "Weights",
    "WordNet",
    "match",
    "match_by_context",
    "match_first",
]
