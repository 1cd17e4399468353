"""Dependency parsing by transitions: an averaged perceptron, greedy or with a beam, and a tagger learned along."""

from wordorder.linking.parsing.transition.dependency_parser import DependencyParser
from wordorder.linking.parsing.transition.learning import ParserOptions
from wordorder.linking.parsing.transition.parser_file import fingerprint, load, save

__all__ = ["DependencyParser", "ParserOptions", "fingerprint", "load", "save"]
