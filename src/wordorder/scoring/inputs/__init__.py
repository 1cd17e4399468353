"""The kinds of inputs that can be scored: texts, texts with a source, alignments, permutations and parsed texts."""

from wordorder.core.runtime.stubs import on_first_use

__getattr__, __dir__, __all__ = on_first_use(__name__)
