"""Text as columns: tokens coded as numbers over one vocabulary, and the tokenisers that make them."""

from wordorder.text.tokenizers import DEFAULT_TOKENIZER, looks_unsegmented, lower_lines, tokenise, tokenizer_names
from wordorder.text.tokens import TextSource, Tokens, encode, lines_of

__all__ = [
    "DEFAULT_TOKENIZER",
    "TextSource",
    "Tokens",
    "encode",
    "lines_of",
    "looks_unsegmented",
    "lower_lines",
    "tokenise",
    "tokenizer_names",
]
