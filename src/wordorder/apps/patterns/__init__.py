"""Patterns of order errors: which words, classes and constructions stand too early or too late in translations."""

from wordorder.core.runtime.stubs import on_first_use

__getattr__, __dir__, __all__ = on_first_use(__name__)
