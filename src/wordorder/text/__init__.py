"""Text as columns: tokens coded as numbers over one vocabulary, and the tokenisers that make them."""

from wordorder.text.tokens import Tokens, encode

__all__ = ["Tokens", "encode"]
