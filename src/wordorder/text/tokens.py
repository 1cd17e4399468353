"""A column of tokenised sentences: one number per word, one vocabulary for all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from wordorder.runtime.errors import InputError, excerpt
from wordorder.runtime.ragged import frozen, offsets_from_lengths

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

    @classmethod
    def of(cls, sentences: Iterable[Sequence[str]]) -> Tokens:
        """Gather sentences that are cut into words already; a word may contain a blank.

        >>> Tokens.of([["10 000", "cats"], []]).lengths.tolist()
        [2, 0]
        """
        rows = list(sentences)
        for number, row in enumerate(rows, start=1):
            if isinstance(row, str):
                raise InputError(f"sentence {number} is one string; expected a sequence of words")
        try:
            coded = lines_of([word for row in rows for word in row]).dictionary_encode()
        except InputError:
            raise InputError("a word of a sentence is no text, or cannot be written as UTF-8") from None
        ids = coded.indices.to_numpy(zero_copy_only=False).astype(np.int32, copy=False)
        return cls(ids, offsets_from_lengths(map(len, rows)), coded.dictionary)

    def __repr__(self) -> str:
        return f"Tokens({len(self)} sentences, {len(self.ids)} words)"

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


def lines_of(column: Sequence[str] | Any) -> pa.LargeStringArray:
    """Give lines as one Arrow array: from strings, an Arrow column (chunked or not) or a pandas series.

    >>> lines_of(["one", "two"]).to_pylist()
    ['one', 'two']
    """
    import pyarrow as pa

    if isinstance(column, str):
        raise InputError("a column of lines was expected, not one string")
    try:
        lines = column if isinstance(column, pa.Array | pa.ChunkedArray) else pa.array(column, type=pa.large_string())
        lines = lines.combine_chunks() if isinstance(lines, pa.ChunkedArray) else lines
        lines = lines.cast(pa.large_string())
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        raise InputError(_complaint(column)) from None
    if lines.null_count:
        row = lines.is_null().index(True).as_py()
        raise InputError("this line is missing; an empty line is written ''", line=row + 1)
    return lines


def _complaint(column: Sequence[str] | Any) -> str:
    """Say which line cannot be a line of text; Arrow does not."""
    for number, line in enumerate(column, start=1):
        if not isinstance(line, str):
            return f"line {number} is no text but {type(line).__name__}"
        try:
            line.encode()
        except UnicodeEncodeError:
            return f"line {number} cannot be written as UTF-8: {excerpt(line)}"
    return "the column does not hold text"


def encode(*columns: Sequence[str] | Any, blanks: Literal["unicode", "ascii"] = "unicode") -> tuple[Tokens, ...]:
    """Split lines at white space (what ``str.split`` does) and number their words over one shared vocabulary.

    A column is a sequence of strings or an Arrow string array. With ``blanks="ascii"`` only ASCII blanks separate
    words, as in alignment tools: there a no-break space is part of a word, and links count such words.

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
        # A leading or trailing blank would give an empty word; an empty line must give none at all.
        if blanks == "ascii":
            lines = pc.ascii_trim_whitespace(lines_of(column))
            words = pc.ascii_split_whitespace(lines)
        else:
            lines = pc.utf8_trim_whitespace(lines_of(column))
            words = pc.utf8_split_whitespace(lines)
        lengths = pc.if_else(pc.equal(lines, ""), 0, pc.list_value_length(words)).to_numpy(zero_copy_only=False)
        values = words.flatten()
        split.append((offsets_from_lengths(lengths), values.filter(pc.not_equal(values, ""))))
    coded = pa.chunked_array([values for _, values in split], type=pa.large_string())
    encoded = coded.combine_chunks().dictionary_encode()
    ids = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int32, copy=False)
    result = []
    start = 0
    for offsets, values in split:
        result.append(Tokens(ids[start : start + len(values)], offsets, encoded.dictionary))
        start += len(values)
    return tuple(result)
