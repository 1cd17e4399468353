"""Read the sentences on one side of a corpus: their lengths and, if there is text, their words.

Links that refer to characters are converted to links between words (Birch 2011, §3.3.1). In some corpora, such as
manually aligned Chinese text, links refer to characters. A segmentation determines which characters form a word, and
each word gets all links of its characters.
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile
from typing import Any, NoReturn

import numpy as np

from wordorder.core.orders import Alignments, Phrases
from wordorder.core.reorderings.links import mark_words
from wordorder.core.runtime.columns import (
    Bools,
    Int64s,
    Ints,
    ValueColumn,
    join_offsets,
    offsets_from_lengths,
    positions,
    rows_of,
)
from wordorder.core.runtime.errors import InputError, UsageError, excerpt, refuse
from wordorder.core.runtime.files import LINES_PER_BLOCK, display_name, without_packing
from wordorder.core.runtime.libraries import pa
from wordorder.core.runtime.threads import spans
from wordorder.core.text import Tokens, encode
from wordorder.core.text.checks import warn_about
from wordorder.core.text.tokenizers import without_long_sentences
from wordorder.formats.sources import LengthSource, TextSource, length_blocks, lockstep, text_blocks


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
    def of(cls, words: Tokens, units: Tokens | None = None) -> "Segmentation":
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
                f"expected {expected}, found {found}",
                line=row + 1,
            )


def _spell(tokens: Tokens) -> list[str]:
    """Return the text of each sentence without spaces between words."""
    vocabulary = tokens.vocabulary.to_pylist()
    words = [vocabulary[word] for word in tokens.ids.tolist()]
    return ["".join(words[start:stop]) for start, stop in pairwise(tokens.offsets.tolist())]


TREE_ENDINGS = (".mrg", ".ptb")


@dataclass(frozen=True, eq=False)
class Sentences:
    """Sentences on one side of a corpus; ``lengths`` are in words, and −1 where unknown.

    ``words`` and ``tags`` (parts of speech) are None if they were not read. ``units`` are the pieces of text that
    links refer to, or None if links refer to words.
    """

    lengths: Ints
    words: Tokens | None = None
    tags: Tokens | None = None
    units: Segmentation | None = None

    def __len__(self) -> int:
        return len(self.lengths)

    @classmethod
    def of(cls, words: Tokens, tags: Tokens | None = None) -> "Sentences":
        """Create sentences from their words and, optionally, their part-of-speech tags."""
        return cls(words.lengths.astype(np.int32), words, tags)

    @classmethod
    def concatenate(cls, parts: "list[Sentences]") -> "Sentences":
        """Concatenate consecutive sentences."""
        return cls(
            np.concatenate([part.lengths for part in parts]),
            _join([part.words for part in parts]),
            _join([part.tags for part in parts]),
            None if parts[0].units is None else Segmentation.concatenate([part.units for part in parts if part.units]),
        )

    def slice(self, start: int, stop: int) -> "Sentences":
        """Return sentences ``start`` to ``stop`` − 1."""
        return Sentences(
            self.lengths[start:stop],
            None if self.words is None else self.words[start:stop],
            None if self.tags is None else self.tags[start:stop],
            None if self.units is None else self.units[start:stop],
        )

    @property
    def linked_lengths(self) -> Ints:
        """The length of each sentence, counted in the units that links refer to (usually words)."""
        return self.lengths if self.units is None else self.units.lengths.astype(np.int32)

    def blocks(self) -> "Iterator[Sentences]":
        """Yield the sentences in blocks of ``LINES_PER_BLOCK``."""
        return (self.slice(start, stop) for start, stop in spans(len(self), LINES_PER_BLOCK))


@dataclass(frozen=True)
class Unaligned:
    """A specification of the words on one side whose links are removed before anything is measured.

    Words are given by form, ignoring case, or by part-of-speech tag. For example, Birch (2011, §3.3.1) removes the
    links of determiners: ``Unaligned(words=frozenset({"the", "a", "an"}))``.
    """

    words: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.words or self.tags)

    def __str__(self) -> str:
        return ",".join([*sorted(self.words), *(f"pos={tag}" for tag in sorted(self.tags))])

    def mark(self, sentences: Sentences, side: str) -> Bools:
        """Mark those words in the given sentences whose links are to be removed."""
        if self.words and sentences.words is None:
            raise UsageError(f"removing the links of {side} words needs the {side} text; give the text")
        if self.tags and sentences.tags is None:
            raise UsageError(
                f"removing the links of {side} words by part of speech needs a .conllu file; give the {side} "
                "text in this format"
            )
        marks = np.zeros(int(sentences.lengths.sum()), dtype=np.bool_)
        if self.words and sentences.words is not None:
            marks |= mark_words(sentences.words, self.words, ignore_case=True)
        if self.tags and sentences.tags is not None:
            self._check_tags(sentences.tags.vocabulary.to_pylist(), side)
            marks |= mark_words(sentences.tags, self.tags)
        return marks

    def _check_tags(self, found: list[str], side: str) -> None:
        """Check that the specified tags occur in the text.

        If a tag does not occur, raise an error; only warn if it and all tags in the text are universal part-of-speech
        tags, because then the tag is valid but unused.
        """
        from wordorder.formats.conllu import TAGS

        known = sorted(set(found))
        for tag in sorted(self.tags.difference(known)):
            message = f"no {side} word has the part of speech {tag!r}; found: {', '.join(known)}"
            refuse(not {tag, *known} <= set(TAGS), message)
            warn_about(message)


class SentenceStream:
    """A stream of sentences on one side, which are read in pieces and returned in blocks of a different size."""

    def __init__(self, pieces: Iterable[Sentences]) -> None:
        self._pieces = pieces
        self._held: list[Sentences] = []

    def lengths(self) -> Iterator[Ints]:
        """Read the sentences block by block, and yield their lengths for checking alignments against them."""
        for piece in self._pieces:
            self._held.append(piece)
            yield piece.linked_lengths

    def take(self, count: int) -> Sentences:
        """Return the next ``count`` sentences, whose lengths must have been read already."""
        parts: list[Sentences] = []
        while count:
            piece = self._held.pop(0)
            if len(piece) > count:
                self._held.insert(0, piece.slice(count, len(piece)))
                piece = piece.slice(0, count)
            parts.append(piece)
            count -= len(piece)
        return parts[0] if len(parts) == 1 else Sentences.concatenate(parts)


def read_sentences(
    text: TextSource | None, lengths: LengthSource | None, *, side: str, words: bool
) -> Iterator[Sentences] | None:
    """Yield the sentences on one side in blocks, or return None if neither text nor lengths are given.

    Words and tags are read from ``.conllu`` files, and words from bracketed trees in ``.mrg`` or ``.ptb`` files.
    Other text is split into words at ASCII whitespace, as word aligners do. Unless ``words`` is true, the words in a
    text file are only counted.
    """
    if text is not None and lengths is not None:
        raise UsageError(f"the {side} text already determines the {side} lengths; leave out the text or the lengths")
    if isinstance(text, (str, os.PathLike)):
        if without_packing(os.fspath(text)).endswith(".conllu"):
            from wordorder.formats import pud

            return Sentences.of(*pud.read_tagged(text)).blocks()
        if os.fspath(text).removesuffix(".gz").endswith(TREE_ENDINGS):
            from wordorder.formats import brackets

            trees = brackets.read(text)
            return Sentences.of(Tokens(trees.words, trees.offsets, trees.strings)).blocks()
        if words:
            return _read_words(text, display_name(text))
    elif text is not None:
        return _read_words(text, f"{side} text")
    counted = length_blocks(text, lengths)
    return None if counted is None else map(Sentences, counted)


def read_segmented(
    words: TextSource, text: TextSource | None, lengths: LengthSource | None, *, side: str
) -> Iterator[Sentences]:
    """Yield the sentences on one side in blocks if links refer to characters or to the tokens of ``text``."""
    refuse(lengths is not None, f"the {side} words already determine the {side} lengths; leave the lengths out")
    name = display_name(words) if isinstance(words, (str, os.PathLike)) else f"{side} words"
    pieces = {name: _known(read_sentences(words, None, side=side, words=True))}
    if text is not None:
        aligned = display_name(text) if isinstance(text, (str, os.PathLike)) else f"{side} text"
        pieces[f"{aligned} (as aligned)"] = _known(read_sentences(text, None, side=side, words=True))
    seen = 0
    for piece, *units in lockstep(pieces):
        assert piece.words is not None
        try:
            found = Segmentation.of(piece.words, units[0].words if units else None)
        except InputError as error:
            raise InputError(error.message, path=name, line=seen + (error.line or 0)) from None
        yield replace(piece, units=found)
        seen += len(piece)


def _known(pieces: Iterator[Sentences] | None) -> Iterator[Sentences]:
    assert pieces is not None  # a text is given
    return pieces


def _read_words(text: TextSource, name: str) -> Iterator[Sentences]:
    for lines in without_long_sentences(text_blocks(text), name, tokenizer="none"):
        yield Sentences.of(encode(lines, whitespace="ascii")[0])


def _join(parts: list[Tokens | None]) -> Tokens | None:
    """Concatenate tokens without merging their vocabularies, so the same word may have several integer IDs."""
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    starts = np.cumsum([0, *(len(part.vocabulary) for part in known)])
    return Tokens(
        np.concatenate([part.ids + np.int32(start) for part, start in zip(known, starts[:-1], strict=True)]),
        join_offsets([part.offsets for part in known]),
        pa.concat_arrays([part.vocabulary for part in known]),
    )
