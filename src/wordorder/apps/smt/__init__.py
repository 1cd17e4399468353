"""A small phrase-based translation system on Thot (Ortiz-Martínez & Casacuberta 2014), extra ``smt``.

It is what the experiments of Birch (2011, chapter 8) need: lists of the n best translations with their features,
weights that can be set, and a limit to reordering.
"""

from wordorder.apps.smt.decoding import System, Translation
from wordorder.apps.smt.library import FEATURES, START
from wordorder.apps.smt.training import train

__all__ = ["FEATURES", "START", "System", "Translation", "train"]
