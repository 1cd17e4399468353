"""Patterns of order errors: which words, classes and constructions stand too early or too late in translations."""

from wordorder.apps.patterns.patterns import patterns as patterns
from wordorder.apps.patterns.results import Pattern as Pattern
from wordorder.apps.patterns.results import Patterns as Patterns
