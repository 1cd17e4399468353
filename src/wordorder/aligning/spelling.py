"""What the spelling of a word tells: its stem class and its letters.

Words that begin alike often translate alike (*parliament*, *parliamentary*), so rare words learn from their class;
and a word often translates into one that is spelt like it (names, numbers, cognates; Melamed 1999). Neither needs
anything but the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wordorder.runtime.ragged import offsets_from_lengths

if TYPE_CHECKING:
    import pyarrow as pa

_LETTERS = 4
# One Han or Kana sign carries about as much as a stem of letters; a Hangul syllable holds two or three letters.
_SIGNS = ((0x3040, 0x30FF, 1), (0x3400, 0x9FFF, 1), (0xF900, 0xFAFF, 1), (0x20000, 0x3FFFF, 1), (0xAC00, 0xD7AF, 2))


def stem(word: str) -> str:
    """Give the class of a word: its first four letters, or first Han or Kana sign, or first two Hangul syllables.

    >>> stem("parliamentary"), stem("語学"), stem("의회는")
    ('parl', '語', '의회')
    """
    first = ord(word[0]) if word else 0
    return word[: next((length for low, high, length in _SIGNS if low <= first <= high), _LETTERS)]


def classify(words: pa.Array) -> tuple[pa.Array, NDArray[np.int32]]:
    """Give the stems of a vocabulary and the number of each word's stem.

    >>> import pyarrow as pa
    >>> stems, classes = classify(pa.array(["walked", "cat", "walking"]))
    >>> stems.to_pylist(), classes.tolist()
    (['walk', 'cat'], [0, 1, 0])
    """
    import pyarrow as pa

    coded = pa.array([stem(word) for word in words.to_pylist()], type=pa.large_string()).dictionary_encode()
    return coded.dictionary, coded.indices.to_numpy(zero_copy_only=False).astype(np.int32)


def letters(words: pa.Array) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Give the code points of all words one after another, and the offsets of the words.

    >>> import pyarrow as pa
    >>> points, offsets = letters(pa.array(["ab", "ç"]))
    >>> points.tolist(), offsets.tolist()
    ([97, 98, 231], [0, 2, 3])
    """
    spelt = words.to_pylist()
    points = np.frombuffer("".join(spelt).encode("utf-32-le"), dtype=np.int32).copy()
    return points, offsets_from_lengths([len(word) for word in spelt])
