"""A small phrase-based translation system based on Thot (Ortiz-Martínez & Casacuberta 2014); needs the extra ``smt``.

It provides what the experiments of Birch (2011, chapter 8) require: n-best lists with features, adjustable weights
and a reordering limit.
"""

from wordorder.apps.smt.systems import FEATURES, START, System, Translation, train

__all__ = ["FEATURES", "START", "System", "Translation", "train"]
