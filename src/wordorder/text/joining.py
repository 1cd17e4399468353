"""Columns of one vocabulary put together or lower-cased, for an aligner to learn from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordorder.runtime.ragged import join_offsets
from wordorder.text.tokens import Tokens


def concatenate(parts: Sequence[Tokens]) -> Tokens:
    """Put columns that share their vocabulary one after another.

    >>> from wordorder.text import encode
    >>> [words for words in concatenate(encode(["a b"], ["b c", ""]))]
    [['a', 'b'], ['b', 'c'], []]
    """
    ids = np.concatenate([part.ids for part in parts])
    return Tokens(ids, join_offsets([part.offsets for part in parts]), parts[0].vocabulary)


def lower(columns: Sequence[Tokens]) -> tuple[Tokens, ...]:
    """Lower-case columns that share their vocabulary; words keep their places, whatever the tokeniser would do.

    >>> from wordorder.text import encode
    >>> [column.words(0) for column in lower(encode(["The cat"], ["THE the"]))]
    [['the', 'cat'], ['the', 'the']]
    """
    import pyarrow as pa

    words = [word.lower() for word in columns[0].vocabulary.to_pylist()]
    coded = pa.array(words, type=pa.large_string()).dictionary_encode()
    numbers = coded.indices.to_numpy(zero_copy_only=False).astype(np.int32)
    return tuple(Tokens(numbers[column.ids], column.offsets, coded.dictionary) for column in columns)
