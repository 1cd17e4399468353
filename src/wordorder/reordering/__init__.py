"""How much two languages reorder: reorderings in a parallel corpus, and how hard they make translation.

Birch (2011), *Reordering Metrics for Statistical Machine Translation*, chapters 3 and 4.
"""

from wordorder.reordering.buckets import Divider, bucket_names, divide
from wordorder.reordering.characteristics import count_words, measure_similarity
from wordorder.reordering.complexity import count_crossings, count_cycles, find_largest_operators
from wordorder.reordering.corpus import Corpus
from wordorder.reordering.difficulty import Factors, find_factors
from wordorder.reordering.extraction import extract
from wordorder.reordering.factors import Regression, correlate, regress, residualise
from wordorder.reordering.links import SIDES, mark_words, unalign
from wordorder.reordering.measures import Measures, measure, measure_blocks
from wordorder.reordering.mixed import Difficulty, MixedModel, explain_difficulty
from wordorder.reordering.pairs import LanguagePairs, europarl, read_pairs
from wordorder.reordering.profiles import Profile, add_up, profile_blocks
from wordorder.reordering.profiling import Profiles, profile
from wordorder.reordering.quantity import rquantity
from wordorder.reordering.reorderings import WIDTH_CLASSES, Reordering, Reorderings
from wordorder.reordering.reproduced import Phrases, Reproduction, find_reproduced
from wordorder.reordering.scrambled import bleu, bleu_counts, in_source_order
from wordorder.reordering.sentences import Unaligned
from wordorder.reordering.systems import Reproductions, reproduce
from wordorder.scoring.groups import BUCKETS

__all__ = [
    "BUCKETS",
    "SIDES",
    "WIDTH_CLASSES",
    "Corpus",
    "Difficulty",
    "Divider",
    "Factors",
    "LanguagePairs",
    "Measures",
    "MixedModel",
    "Phrases",
    "Profile",
    "Profiles",
    "Regression",
    "Reordering",
    "Reorderings",
    "Reproduction",
    "Reproductions",
    "Unaligned",
    "add_up",
    "bleu",
    "bleu_counts",
    "bucket_names",
    "correlate",
    "count_crossings",
    "count_cycles",
    "count_words",
    "divide",
    "europarl",
    "explain_difficulty",
    "extract",
    "find_factors",
    "find_largest_operators",
    "find_reproduced",
    "in_source_order",
    "mark_words",
    "measure",
    "measure_blocks",
    "measure_similarity",
    "profile",
    "profile_blocks",
    "read_pairs",
    "regress",
    "reproduce",
    "residualise",
    "rquantity",
    "unalign",
]
