"""How much two languages reorder: reorderings in a parallel corpus, and how hard they make translation.

Birch (2011), *Reordering Metrics for Statistical Machine Translation*, chapters 3 and 4.
"""

from wordorder.apps.profile.aligned_texts import align_texts
from wordorder.apps.profile.buckets import Divider
from wordorder.apps.profile.cognates import Cognates, read_cognates
from wordorder.apps.profile.corpus import Corpus
from wordorder.apps.profile.corpus_profile import Profile
from wordorder.apps.profile.factors import find_factors
from wordorder.apps.profile.gold import GoldComparer, GoldComparison, compare_with_gold
from wordorder.apps.profile.language_pairs import LanguagePairs, europarl, read_pairs
from wordorder.apps.profile.language_tables import LanguageMatrix
from wordorder.apps.profile.measures import Measures, measure
from wordorder.apps.profile.profiles import Profiles, profile
from wordorder.apps.profile.reproduction import find_reproduced, reproduce
from wordorder.apps.profile.sentences import Unaligned
from wordorder.core.reorderings.extraction import extract
from wordorder.core.reorderings.quantity import rquantity
from wordorder.core.reorderings.reorderings import Reordering, Reorderings

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
