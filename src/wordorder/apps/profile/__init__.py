"""Measure the amount of reordering between two languages, and how much harder it makes translation.

Birch (2011), *Reordering Metrics for Statistical Machine Translation*, chapters 3 and 4.
"""

from wordorder.apps.profile.buckets import Divider as Divider
from wordorder.apps.profile.corpus import Corpus as Corpus
from wordorder.apps.profile.corpus import align_texts as align_texts
from wordorder.apps.profile.corpus_profile import Profile as Profile
from wordorder.apps.profile.language_pairs import Cognates as Cognates
from wordorder.apps.profile.language_pairs import LanguageMatrix as LanguageMatrix
from wordorder.apps.profile.language_pairs import LanguagePairs as LanguagePairs
from wordorder.apps.profile.language_pairs import europarl as europarl
from wordorder.apps.profile.language_pairs import read_cognates as read_cognates
from wordorder.apps.profile.language_pairs import read_pairs as read_pairs
from wordorder.apps.profile.measures import Measures as Measures
from wordorder.apps.profile.measures import measure as measure
from wordorder.apps.profile.profiles import Profiles as Profiles
from wordorder.apps.profile.profiles import profile as profile
from wordorder.apps.profile.regression import find_factors as find_factors
from wordorder.apps.profile.reproduction import GoldComparer as GoldComparer
from wordorder.apps.profile.reproduction import GoldComparison as GoldComparison
from wordorder.apps.profile.reproduction import compare_with_gold as compare_with_gold
from wordorder.apps.profile.reproduction import find_reproduced as find_reproduced
from wordorder.apps.profile.reproduction import reproduce as reproduce
from wordorder.apps.profile.sentences import Unaligned as Unaligned
from wordorder.core.reorderings.extraction import extract as extract
from wordorder.core.reorderings.extraction import rquantity as rquantity
from wordorder.core.reorderings.reorderings import Reordering as Reordering
from wordorder.core.reorderings.reorderings import Reorderings as Reorderings
