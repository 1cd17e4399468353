"""How much two languages reorder: reorderings in a parallel corpus, and how hard they make translation.

Birch (2011), *Reordering Metrics for Statistical Machine Translation*, chapters 3 and 4.
"""

from wordorder.reordering.aligned_texts import align_texts
from wordorder.reordering.buckets import Divider
from wordorder.reordering.cognates import Cognates, read_cognates
from wordorder.reordering.corpus import Corpus
from wordorder.reordering.corpus_profile import Profile
from wordorder.reordering.extraction import extract
from wordorder.reordering.factors import find_factors
from wordorder.reordering.gold import GoldComparer, GoldComparison, compare_with_gold
from wordorder.reordering.language_pairs import LanguagePairs, europarl, read_pairs
from wordorder.reordering.language_tables import LanguageMatrix
from wordorder.reordering.measures import Measures, measure
from wordorder.reordering.profiles import Profiles, profile
from wordorder.reordering.quantity import rquantity
from wordorder.reordering.reorderings import Reordering, Reorderings
from wordorder.reordering.reproduction import find_reproduced, reproduce
from wordorder.reordering.sentences import Unaligned

__all__ = [
    "Cognates",
    "Corpus",
    "Divider",
    "GoldComparer",
    "GoldComparison",
    "LanguageMatrix",
    "LanguagePairs",
    "Measures",
    "Profile",
    "Profiles",
    "Reordering",
    "Reorderings",
    "Unaligned",
    "align_texts",
    "compare_with_gold",
    "europarl",
    "extract",
    "find_factors",
    "find_reproduced",
    "measure",
    "profile",
    "read_cognates",
    "read_pairs",
    "reproduce",
    "rquantity",
]
