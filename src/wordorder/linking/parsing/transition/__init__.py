"""Transition-based dependency parsing with an averaged perceptron, greedy or with a beam, and a tagger."""

from wordorder.core.runtime.stubs import on_first_use

__getattr__, __dir__, __all__ = on_first_use(__name__)
