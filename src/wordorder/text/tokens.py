"""A column of tokenised sentences: one number per word, one vocabulary for all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wordorder.runtime.ragged import frozen

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class Tokens:
    """Sentences as word numbers: sentence i is ``ids[offsets[i]:offsets[i + 1]]``; ``vocabulary[id]`` is the word.

    Columns made by one call of :func:`encode` share their vocabulary, so equal numbers are equal words.
    """

    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]
    vocabulary: pa.StringArray

    def __post_init__(self) -> None:
        frozen(self.ids)
        frozen(self.offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Give the number of words of each sentence."""
        return np.diff(self.offsets)

    def words(self, row: int) -> list[str]:
        """Give the words of one sentence."""
        span = self.ids[self.offsets[row] : self.offsets[row + 1]]
        return [self.vocabulary[int(word)].as_py() for word in span]

    def __iter__(self) -> Iterator[list[str]]:
        return (self.words(row) for row in range(len(self)))

    def slice(self, start: int, stop: int) -> Tokens:
        """Give some consecutive sentences, without copying."""
        offsets = self.offsets[start : stop + 1]
        return Tokens(self.ids[offsets[0] : offsets[-1]], offsets - offsets[0], self.vocabulary)


def encode(*columns: Sequence[str] | Any) -> tuple[Tokens, ...]:
    """Split lines at white space and number their words over one shared vocabulary.

    A column is a sequence of strings or an Arrow string array.

    >>> one, two = encode(["the cat", ""], ["cat the the"])
    >>> one.ids.tolist(), one.offsets.tolist(), two.ids.tolist()
    ([0, 1], [0, 2, 2], [1, 0, 0])
    >>> two.words(0)
    ['cat', 'the', 'the']
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    split = []
    for column in columns:
        lines = pa.array(column, type=pa.large_string()) if not isinstance(column, pa.Array) else column
        lines = lines.cast(pa.large_string())
        # A leading or trailing blank would give an empty word; an empty line must give none at all.
        words = pc.utf8_split_whitespace(pc.utf8_trim_whitespace(lines))
        empty = pc.equal(pc.utf8_length(pc.utf8_trim_whitespace(lines)), 0)
        lengths = pc.if_else(empty, 0, pc.list_value_length(words)).to_numpy(zero_copy_only=False)
        values = words.flatten()
        split.append((lengths.astype(np.int64), values.filter(pc.not_equal(values, ""))))
    coded = pa.chunked_array([values for _, values in split], type=pa.large_string())
    encoded = coded.combine_chunks().dictionary_encode()
    ids = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int32)
    vocabulary = encoded.dictionary
    result = []
    start = 0
    for lengths, values in split:
        offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
        np.cumsum(lengths, out=offsets[1:])
        result.append(Tokens(ids[start : start + len(values)].copy(), offsets, vocabulary))
        start += len(values)
    return tuple(result)
