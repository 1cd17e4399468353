"""Convert alignments of characters into alignments of words (Birch 2011, §3.3.1).

In some corpora, such as manually aligned Chinese text, links refer to characters. A segmentation determines which
characters form a word, and each word gets all links of its characters.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise, takewhile
from typing import Any, NoReturn

import numpy as np

from wordorder.core.orders import Alignments, Phrases
from wordorder.core.runtime.columns import (
    Int64s,
    Ints,
    ValueColumn,
    join_offsets,
    offsets_from_lengths,
    positions,
    rows_of,
)
from wordorder.core.runtime.errors import InputError, excerpt
from wordorder.core.text import Tokens


@dataclass(frozen=True, eq=False)
class Segmentation(ValueColumn[NoReturn]):
    """The units that links refer to (characters or other pieces of text), with the first and last word of each unit.

    >>> from wordorder.core.text import encode
    >>> found = Segmentation.of(encode(["ab c"])[0])
    >>> found.first.tolist(), found.lengths.tolist()
    ([0, 0, 1], [3])
    """

    first: Ints
    last: Ints
    offsets: Int64s

    of_values = ("first", "last")

    @classmethod
    def of(cls, words: Tokens, units: Tokens | None = None) -> Segmentation:
        """Find the words that each unit belongs to; without ``units``, every character is a unit.

        The units and the words of a sentence must spell the same text. A unit that extends over several words belongs
        to all of them.
        """
        ends = np.cumsum(_sizes(words))
        if units is None:
            first = np.repeat(positions(words.offsets), _sizes(words))
            return cls(first, first, np.append(0, ends)[words.offsets])
        _check_spelling(words, units)
        stops = np.cumsum(_sizes(units))
        starts = stops - _sizes(units)
        row = words.offsets[rows_of(units.offsets)]
        first = np.searchsorted(ends, starts, side="right") - row
        last = np.searchsorted(ends, stops - 1, side="right") - row
        return cls(first.astype(np.int32), last.astype(np.int32), units.offsets)

    @classmethod
    def concatenate(cls, parts: list[Segmentation]) -> Segmentation:
        """Concatenate the segmentations of consecutive sentences."""
        first, last = (np.concatenate([getattr(part, name) for part in parts]) for name in ("first", "last"))
        return cls(first, last, join_offsets([part.offsets for part in parts]))


def link_words(alignments: Alignments, segmentation: Segmentation, lengths: Ints, side: str) -> Alignments:
    """Convert links from units to words on one side; ``lengths`` are the numbers of words in the sentences.

    If a unit belongs to several words, all of them get its links. The same link may occur several times in the
    result.

    >>> from wordorder.core.orders import Alignment
    >>> from wordorder.core.text import encode
    >>> words = encode(["ab c"])[0]
    >>> pair = Alignment(((0, 1), (1, 1), (2, 0)), 3, 2).column()
    >>> str(link_words(pair, Segmentation.of(words), words.lengths.astype(np.int32), "source")[0])
    '0-1 0-1 1-0'
    """
    rows = rows_of(alignments.offsets)
    units = segmentation.offsets[rows] + getattr(alignments, side)
    counts = segmentation.last[units] - segmentation.first[units] + 1
    copies = np.repeat(np.arange(len(units)), counts)
    within = np.arange(len(copies)) - np.repeat(np.cumsum(counts) - counts, counts)
    kept = {name: getattr(alignments, name) for name in Alignments.of_values}
    changed: dict[str, Any] = {name: None if values is None else values[copies] for name, values in kept.items()}
    changed[side] = (segmentation.first[units[copies]] + within).astype(np.int32)
    changed["offsets"] = offsets_from_lengths(np.bincount(rows[copies], minlength=len(alignments)))
    changed[f"{side}_lengths"] = lengths
    if alignments.phrases is not None and side == "source":
        spans = alignments.phrases.spans + segmentation.offsets[rows_of(alignments.phrases.offsets)][:, None]
        ends = np.stack([segmentation.first[spans[:, 0]], segmentation.last[spans[:, 1]]], axis=1)
        changed["phrases"] = Phrases(ends.astype(np.int32), alignments.phrases.offsets)
    return replace(alignments, **changed)


def _sizes(tokens: Tokens) -> Int64s:
    """Return the number of characters in each token."""
    known = np.array([len(word) for word in tokens.vocabulary.to_pylist()], dtype=np.int64)
    return known[tokens.ids] if len(known) else np.zeros(0, np.int64)


def _check_spelling(words: Tokens, units: Tokens) -> None:
    spelt, aligned = map(_spell, (words, units))
    for row, (one, two) in enumerate(zip(spelt, aligned, strict=True)):
        if one != two:
            same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, two, strict=False)))
            found, expected = excerpt(one[same:] or "the end"), excerpt(two[same:] or "the end")
            raise InputError(
                f"the words do not spell the same text as the units that links refer to: after {same} characters, "
                f"expected {expected}, "
                f"found {found}",
                line=row + 1,
            )


def _spell(tokens: Tokens) -> list[str]:
    """Return the text of each sentence without spaces between words."""
    vocabulary = tokens.vocabulary.to_pylist()
    words = [vocabulary[word] for word in tokens.ids.tolist()]
    return ["".join(words[start:stop]) for start, stop in pairwise(tokens.offsets.tolist())]
