"""Text as columns of tokens: word numbers over a shared vocabulary, and the tokenisers."""

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
