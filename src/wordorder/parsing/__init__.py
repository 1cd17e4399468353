"""Parsing: a grammar learned from a treebank, the best trees of a sentence, adapters to installed parsers."""

from wordorder.parsing.clitics import cut_clitics
from wordorder.parsing.counting import Options
from wordorder.parsing.evaluation import BracketScore, score_brackets
from wordorder.parsing.grammar import Grammar
from wordorder.parsing.grammar_file import load, save
from wordorder.parsing.installed import load_spacy, parse_with_spacy
from wordorder.parsing.parser import FLAT_LABEL, Parser, is_flat

__all__ = [
    "FLAT_LABEL",
    "BracketScore",
    "Grammar",
    "Options",
    "Parser",
    "cut_clitics",
    "is_flat",
    "load",
    "load_spacy",
    "parse_with_spacy",
    "save",
    "score_brackets",
]
