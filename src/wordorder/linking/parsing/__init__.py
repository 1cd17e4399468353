"""Parsing: learning grammars from treebanks, finding the best trees of sentences, and parsing with spaCy."""

from wordorder.core.runtime.stubs import on_first_use

__getattr__, __dir__, __all__ = on_first_use(__name__)
