"""Parsing: a grammar learned from a treebank, the best trees of a sentence, an adapter to spaCy."""

from wordorder.linking.parsing.clitics import cut_clitics
from wordorder.linking.parsing.grammar import Grammar
from wordorder.linking.parsing.grammar_file import load, save
from wordorder.linking.parsing.parser import FLAT_LABEL, Parser, is_flat
from wordorder.linking.parsing.parsing import Parsing
from wordorder.linking.parsing.spacy_parser import load_spacy, parse_with_spacy
from wordorder.linking.parsing.treebank_counts import GrammarOptions

__all__ = [
    "FLAT_LABEL",
    "Grammar",
    "GrammarOptions",
    "Parser",
    "Parsing",
    "cut_clitics",
    "is_flat",
    "load",
    "load_spacy",
    "parse_with_spacy",
    "save",
]
