"""Text as columns: tokens coded as numbers over one vocabulary, and the tokenisers that make them."""

from wordorder.core.text.tokenizers import DEFAULT_TOKENIZER, lower_lines, tokenise, tokenizer_names
from wordorder.core.text.tokens import TextSource, Tokens, drop_punctuation, encode, lines_of, read_word_list

__all__ = [
    "DEFAULT_TOKENIZER",
    "TextSource",
    "Tokens",
    "drop_punctuation",
    "encode",
    "lines_of",
    "lower_lines",
    "read_word_list",
    "tokenise",
    "tokenizer_names",
]
