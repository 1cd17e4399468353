"""Dependency parsing by transitions: an averaged perceptron, greedy or with a beam, and a tagger learned along."""

from wordorder.parsing.transition.dependency_parser import DependencyParser
from wordorder.parsing.transition.learning import ParserOptions
from wordorder.parsing.transition.parser_file import fingerprint, load, save

__all__ = ["DependencyParser", "ParserOptions", "fingerprint", "load", "save"]
