"""Stems and letters of words, which help to align rare words.

Words with the same beginning often have similar translations (*parliament*, *parliamentary*), so rare words learn
from other words with the same stem. Moreover, a word often translates into one with a similar spelling (names,
numbers, cognates; Melamed 1999). Both kinds of information require only the text itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from wordorder.core.runtime.columns import Int64s, Ints, encode_strings, offsets_from_lengths, strings

if TYPE_CHECKING:
    import pyarrow as pa

_LETTERS = 4
# One Han or Kana character is about as informative as a stem of letters; a Hangul syllable has two or three letters.
_SIGNS = ((0x3040, 0x30FF, 1), (0x3400, 0x9FFF, 1), (0xF900, 0xFAFF, 1), (0x20000, 0x3FFFF, 1), (0xAC00, 0xD7AF, 2))


def stem(word: str) -> str:
    """Return the stem of a word: its first four letters, two Hangul syllables, or one Han or Kana character.

    >>> stem("parliamentary"), stem("語学"), stem("의회는")
    ('parl', '語', '의회')
    """
    first = ord(word[0]) if word else 0
    return word[: next((length for low, high, length in _SIGNS if low <= first <= high), _LETTERS)]


def classify(words: pa.Array) -> tuple[pa.Array, Ints]:
    """Return the distinct stems of a vocabulary and, for each word, the number of its stem.

    >>> import pyarrow as pa
    >>> stems, classes = classify(pa.array(["walked", "cat", "walking"]))
    >>> stems.to_pylist(), classes.tolist()
    (['walk', 'cat'], [0, 1, 0])
    """
    numbers, stems = encode_strings(strings(map(stem, words.to_pylist())))
    return stems, numbers.copy()


def letters(words: pa.Array) -> tuple[Ints, Int64s]:
    """Return the code points of all words in one array, and the offsets of the words in it.

    >>> import pyarrow as pa
    >>> points, offsets = letters(pa.array(["ab", "ç"]))
    >>> points.tolist(), offsets.tolist()
    ([97, 98, 231], [0, 2, 3])
    """
    spelt = words.to_pylist()
    points = np.frombuffer("".join(spelt).encode("utf-32-le"), dtype=np.int32).copy()
    return points, offsets_from_lengths([len(word) for word in spelt])
