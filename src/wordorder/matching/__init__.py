"""Which hypothesis word goes with which reference word."""

from wordorder.matching.context import ContextMatches, match_by_context
from wordorder.matching.first import match_first
from wordorder.matching.lexicon import Lexicon, Relations
from wordorder.matching.matcher import match
from wordorder.matching.matches import STAGES, WEIGHTS, Matches, Weights
from wordorder.matching.paraphrases import Paraphrases
from wordorder.matching.search import STATES
from wordorder.matching.wordnet import WordNet

__all__ = [
    "STAGES",
    "STATES",
    "WEIGHTS",
    "ContextMatches",
    "Lexicon",
    "Matches",
    "Paraphrases",
    "Relations",
    "Weights",
    "WordNet",
    "match",
    "match_by_context",
    "match_first",
]
