"""The tokenisers, and tokenised text, stored as columns of integer word IDs with a shared vocabulary."""

from wordorder.core.text.tokenizers import DEFAULT_TOKENIZER as DEFAULT_TOKENIZER
from wordorder.core.text.tokenizers import lower_lines as lower_lines
from wordorder.core.text.tokenizers import tokenise as tokenise
from wordorder.core.text.tokenizers import tokenizer_names as tokenizer_names
from wordorder.core.text.tokens import TextSource as TextSource
from wordorder.core.text.tokens import Tokens as Tokens
from wordorder.core.text.tokens import drop_punctuation as drop_punctuation
from wordorder.core.text.tokens import encode as encode
from wordorder.core.text.tokens import lines_of as lines_of
from wordorder.core.text.tokens import read_word_list as read_word_list
