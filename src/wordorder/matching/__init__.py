"""Which hypothesis word goes with which reference word."""

from wordorder.matching.lexicon import Lexicon, Relations
from wordorder.matching.matcher import match
from wordorder.matching.matches import STAGES, WEIGHTS, Matches
from wordorder.matching.paraphrases import Paraphrases
from wordorder.matching.search import STATES
from wordorder.matching.wordnet import WordNet

__all__ = ["STAGES", "STATES", "WEIGHTS", "Lexicon", "Matches", "Paraphrases", "Relations", "WordNet", "match"]
