"""Columns of tokenised sentences: integer word IDs, with a vocabulary shared by all sentences."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import numpy as np

from wordorder.core.runtime.columns import (
    Ints,
    Offsets,
    Strings,
    ValueColumn,
    encode_strings,
    from_column,
    join_offsets,
    offsets_from_lengths,
    strings,
    sum_rows,
    to_column,
)
from wordorder.core.runtime.errors import InputError, excerpt, reject
from wordorder.core.runtime.files import line_blocks
from wordorder.core.runtime.libraries import pa, pc

TextSource: TypeAlias = str | os.PathLike[str] | Sequence[str] | Any
"""A text, given as a file name, a list of lines, an Arrow column or a pandas series."""


@dataclass(frozen=True, eq=False)
class Tokens(ValueColumn[list[str]]):
    """Sentences as word IDs: ``ids[offsets[i]:offsets[i + 1]]`` is sentence i; ID n stands for ``vocabulary[n]``.

    Columns returned by the same call of :func:`encode` share their vocabulary, so equal IDs mean equal words.
    """

    of_values = ("ids",)

    ids: Ints
    offsets: Offsets
    vocabulary: Strings

    @classmethod
    def of(cls, sentences: Iterable[Sequence[str]]) -> Tokens:
        """Build a column from sentences that are already split into words; a word may contain spaces.

        >>> Tokens.of([["10 000", "cats"], []]).lengths.tolist()
        [2, 0]
        """
        rows = list(sentences)
        for number, row in enumerate(rows, start=1):
            reject(isinstance(row, str), f"sentence {number} is a single string; expected a sequence of words")
        try:
            ids, vocabulary = encode_strings(lines_of([word for row in rows for word in row]))
        except InputError:
            raise InputError("a word is not a string, or cannot be encoded as UTF-8") from None
        return cls(ids, offsets_from_lengths(map(len, rows)), vocabulary)

    def __repr__(self) -> str:
        return f"Tokens({len(self)} sentences, {len(self.ids)} words)"

    def words(self, row: int) -> list[str]:
        """Return the words of one sentence."""
        span = self.ids[self.offsets[row] : self.offsets[row + 1]]
        return [self.vocabulary[int(word)].as_py() for word in span]

    _value = words


def lines_of(column: Sequence[str] | Any) -> Strings:
    """Return lines of text as one Arrow array; they may be given as strings, an Arrow column or a pandas series.

    >>> lines_of(["one", "two"]).to_pylist()
    ['one', 'two']
    """
    reject(isinstance(column, str), "expected a sequence of lines, not one string")
    if not isinstance(column, Iterable) or isinstance(column, (bytes, Mapping)):
        raise InputError(f"expected a file or lines of text, found {excerpt(repr(column))} ({type(column).__name__})")
    try:
        if isinstance(column, list | tuple | np.ndarray):
            return strings(column)
        lines = column if isinstance(column, pa.Array | pa.ChunkedArray) else pa.array(column, type=pa.large_string())
        lines = lines.combine_chunks() if isinstance(lines, pa.ChunkedArray) else lines
        lines = lines.cast(pa.large_string())
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        raise _line_error(column) from None
    if lines.null_count:
        raise _line_error(lines.to_pylist())
    return lines


def _line_error(column: Sequence[str] | Any) -> InputError:
    """Return an error that names the first line that is not text, because Arrow's own errors do not name it."""
    for number, line in enumerate(column, start=1):
        if line is None:
            return InputError("this entry is missing (None); write an empty line as ''", line=number)
        if not isinstance(line, str):
            return InputError(f"line {number} must be a string, not {type(line).__name__}")
        try:
            line.encode()
        except UnicodeEncodeError:
            return InputError(f"line {number} cannot be encoded as UTF-8: {excerpt(line)}")
    return InputError("the column does not contain text")


def encode(*columns: Sequence[str] | Any, whitespace: Literal["unicode", "ascii"] = "unicode") -> tuple[Tokens, ...]:
    """Split lines at whitespace, as ``str.split`` does, and replace words by their IDs in one shared vocabulary.

    A column is a sequence of strings or an Arrow string array. With ``whitespace="ascii"``, only ASCII whitespace
    separates words. Alignment tools count words in this way, so a word may contain a no-break space.

    >>> one, two = encode(["the cat", ""], ["cat the the"])
    >>> one.ids.tolist(), one.offsets.tolist(), two.ids.tolist()
    ([0, 1], [0, 2, 2], [1, 0, 0])
    >>> two.words(0)
    ['cat', 'the', 'the']
    """
    lines = [lines_of(column) for column in columns]
    joined = lines[0] if len(lines) == 1 else pa.concat_arrays(lines)
    ids, offsets, vocabulary = _split_words(joined, ascii_only=whitespace == "ascii")
    ends = np.cumsum([0, *map(len, lines)])
    rows = [offsets[start : stop + 1] for start, stop in pairwise(ends)]
    return tuple(Tokens(ids[part[0] : part[-1]], part - part[0], vocabulary) for part in rows)


def _split_words(lines: Strings, *, ascii_only: bool) -> tuple[Ints, Offsets, Strings]:
    """Split lines at Unicode or ASCII whitespace; return the ID of each word, the offsets and the distinct words."""
    lines = (pc.ascii_trim_whitespace if ascii_only else pc.utf8_trim_whitespace)(lines)  # Arrow errs at the end
    words = (pc.ascii_split_whitespace if ascii_only else pc.utf8_split_whitespace)(lines)
    values, offsets = words.flatten(), np.from_dlpack(words.offsets).astype(np.int64)
    kept = np.from_dlpack(pc.binary_length(values)) > 0
    if not kept.all():  # an empty line yields an empty word
        values, offsets = values.filter(to_column(kept)), offsets_from_lengths(sum_rows(kept, offsets))
    ids, vocabulary = encode_strings(values)
    return ids, offsets, vocabulary


@dataclass(eq=False)
class Numbering:
    """A builder that joins blocks of text, each with its own vocabulary, into columns with one shared vocabulary."""

    _numbers: dict[str, int] = field(default_factory=dict)
    _parts: dict[int, list[tuple[Ints, Offsets]]] = field(default_factory=dict)

    def add(self, column: int, block: Tokens) -> None:
        """Append a block to the column with the index ``column``."""
        numbers = self._numbers
        known = [numbers.setdefault(word, len(numbers)) for word in block.vocabulary.to_pylist()]
        ids = np.array(known, dtype=np.int32)[block.ids]
        self._parts.setdefault(column, []).append((ids, block.offsets))

    def finish(self) -> tuple[Tokens, ...]:
        """Return all columns, which share one vocabulary."""
        vocabulary = strings(self._numbers)
        found = []
        for column in sorted(self._parts):
            parts = self._parts.pop(column)
            ids = np.concatenate([ids for ids, _ in parts])
            found.append(Tokens(ids, join_offsets([offsets for _, offsets in parts]), vocabulary))
        return tuple(found)


def lower(columns: Sequence[Tokens]) -> tuple[Tokens, ...]:
    """Lower-case the words of columns that share one vocabulary, without tokenising them again.

    >>> [column.words(0) for column in lower(encode(["The cat"], ["THE the"]))]
    [['the', 'cat'], ['the', 'the']]
    """
    numbers, vocabulary = encode_strings(strings(word.lower() for word in columns[0].vocabulary.to_pylist()))
    return tuple(Tokens(numbers[column.ids], column.offsets, vocabulary) for column in columns)


def fold_case(columns: Sequence[Tokens]) -> tuple[Tokens, ...]:
    """Replace each word by the first one in the shared vocabulary that differs only in case; keep the vocabulary.

    >>> [column.words(0) for column in fold_case(encode(["The cat"], ["THE the"]))]
    [['The', 'cat'], ['The', 'The']]
    """
    numbers, _ = encode_strings(strings(word.lower() for word in columns[0].vocabulary.to_pylist()))
    _, first, same = np.unique(numbers, return_index=True, return_inverse=True)
    folded = first[same].astype(np.int32)
    return tuple(Tokens(folded[column.ids], column.offsets, column.vocabulary) for column in columns)


PUNCTUATION = r"^[\p{P}\p{Sk}]+$"
"""A regular expression that matches words consisting only of punctuation."""


def drop_punctuation(columns: Sequence[Tokens]) -> tuple[Tokens, ...]:
    """Remove words that consist only of punctuation from columns that share one vocabulary.

    Punctuation comprises the Unicode categories P and Sk.

    >>> [column.words(0) for column in drop_punctuation(encode(["well , $ 5 ."], ["`` it 's ''"]))]
    [['well', '$', '5'], ['it', "'s"]]
    """
    kept = ~from_column(pc.match_substring_regex(columns[0].vocabulary, PUNCTUATION))
    found = []
    for column in columns:
        keep = kept[column.ids]
        offsets = offsets_from_lengths(sum_rows(keep, column.offsets))
        found.append(Tokens(column.ids[keep], offsets, column.vocabulary))
    return tuple(found)


def is_punctuation(word: str) -> bool:
    """Return whether a word consists only of punctuation, which comprises the Unicode categories P and Sk.

    Sk includes the backquotes that treebanks use as quotation marks.

    >>> [is_punctuation(word) for word in ("``", "。", "$", "'s", "")]
    [True, True, False, False, False]
    """
    return bool(word) and all(category[0] == "P" or category == "Sk" for category in map(unicodedata.category, word))


def read_word_list(path: str | os.PathLike[str]) -> list[str]:
    """Return the words in a file with one word per line; empty lines are skipped."""
    words = []
    for block in line_blocks(path):
        for row in range(len(block)):
            found = block.text(row).split()
            if len(found) > 1:
                raise block.error(row, f"expected one word per line, found {excerpt(block.text(row))}")
            words += found
    reject(not words, "the word list is empty; expected one word per line", path=os.fspath(path))
    return words
