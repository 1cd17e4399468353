"""Word orders: permutations, word alignments, and the projection of alignments to permutations."""

from wordorder.core.runtime.stubs import on_first_use

__getattr__, __dir__, __all__ = on_first_use(__name__)
