"""How much two languages reorder: reorderings in a parallel corpus, and how hard they make translation.

Birch (2011), *Reordering Metrics for Statistical Machine Translation*, chapters 3 and 4.
"""

from wordorder.reordering.buckets import BUCKETS, bucket_names, divide
from wordorder.reordering.characteristics import measure_similarity, measure_vocabulary
from wordorder.reordering.complexity import count_crossings, count_cycles
from wordorder.reordering.extraction import extract
from wordorder.reordering.factors import Regression, correlate, regress, residualise
from wordorder.reordering.links import SIDES, mark_words, unalign
from wordorder.reordering.measures import Measures, measure, measure_blocks
from wordorder.reordering.mixed import Difficulty, MixedModel, explain_difficulty
from wordorder.reordering.pairs import LanguagePairs, europarl, read_pairs
from wordorder.reordering.profiles import Profile, profile
from wordorder.reordering.quantity import rquantity
from wordorder.reordering.reorderings import WIDTH_CLASSES, Reordering, Reorderings
from wordorder.reordering.reproduced import Phrases, Reproduction, find_reproduced
from wordorder.reordering.scrambled import bleu, bleu_counts, in_source_order

__all__ = [
    "BUCKETS",
    "SIDES",
    "WIDTH_CLASSES",
    "Difficulty",
    "LanguagePairs",
    "Measures",
    "MixedModel",
    "Phrases",
    "Profile",
    "Regression",
    "Reordering",
    "Reorderings",
    "Reproduction",
    "bleu",
    "bleu_counts",
    "bucket_names",
    "correlate",
    "count_crossings",
    "count_cycles",
    "divide",
    "europarl",
    "explain_difficulty",
    "extract",
    "find_reproduced",
    "in_source_order",
    "mark_words",
    "measure",
    "measure_blocks",
    "measure_similarity",
    "measure_vocabulary",
    "profile",
    "read_pairs",
    "regress",
    "residualise",
    "rquantity",
    "unalign",
]
