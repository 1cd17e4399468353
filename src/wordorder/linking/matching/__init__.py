"""Matching of hypothesis words with reference words."""

from wordorder.linking.matching.context import match_by_context as match_by_context
from wordorder.linking.matching.matcher import Matching as Matching
from wordorder.linking.matching.matcher import match as match
from wordorder.linking.matching.matcher import match_first as match_first
from wordorder.linking.matching.matches import STAGES as STAGES
from wordorder.linking.matching.matches import Chunks as Chunks
from wordorder.linking.matching.matches import Matches as Matches
from wordorder.linking.matching.matches import Weights as Weights
from wordorder.linking.matching.relations import Paraphrases as Paraphrases
from wordorder.linking.matching.relations import Resources as Resources
from wordorder.linking.matching.relations import WordNet as WordNet
from wordorder.linking.matching.search import STATES as STATES
