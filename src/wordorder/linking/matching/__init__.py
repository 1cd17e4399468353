"""Which hypothesis word is matched with which reference word."""

from wordorder.linking.matching.context import ContextMatches, match_by_context
from wordorder.linking.matching.first import match_first
from wordorder.linking.matching.matcher import FIRST, Matching, match
from wordorder.linking.matching.matches import STAGES, WEIGHTS, Matches, Weights
from wordorder.linking.matching.paraphrases import Paraphrases
from wordorder.linking.matching.relations import Relations, Resources
from wordorder.linking.matching.search import STATES
from wordorder.linking.matching.wordnet import WordNet

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
