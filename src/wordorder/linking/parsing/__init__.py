"""Parsing: learning grammars from treebanks, finding the best trees of sentences, and parsing with spaCy."""

from wordorder.linking.parsing.counts import GrammarOptions as GrammarOptions
from wordorder.linking.parsing.grammar import Grammar as Grammar
from wordorder.linking.parsing.grammar_file import load as load
from wordorder.linking.parsing.grammar_file import save as save
from wordorder.linking.parsing.parser import Parser as Parser
from wordorder.linking.parsing.parser import is_flat as is_flat
from wordorder.linking.parsing.parsing import Parsing as Parsing
from wordorder.linking.parsing.parsing import cut_clitics as cut_clitics
from wordorder.linking.parsing.spacy_parser import load_spacy as load_spacy
from wordorder.linking.parsing.spacy_parser import parse_with_spacy as parse_with_spacy
