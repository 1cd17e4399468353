"""The sentences of one side of a corpus, read along with its alignments: their lengths and, if known, their words."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from wordorder.formats.sources import LengthSource, TextSource, length_blocks, text_blocks
from wordorder.reordering.links import mark_words
from wordorder.runtime.columns import Bools, Ints, join_offsets
from wordorder.runtime.errors import InputError, UsageError
from wordorder.runtime.files import LINES_PER_BLOCK, LONGEST_SENTENCE, display_name, without_packing
from wordorder.runtime.threads import spans
from wordorder.text import Tokens, encode


@dataclass(frozen=True, eq=False)
class Sentences:
    """Some sentences of one side; words and tags are None if they were not read. A length of −1 is unknown."""

    lengths: Ints
    words: Tokens | None = None
    tags: Tokens | None = None

    def __len__(self) -> int:
        return len(self.lengths)

    @classmethod
    def of(cls, words: Tokens, tags: Tokens | None = None) -> Sentences:
        """Make sentences of known words."""
        return cls(words.lengths.astype(np.int32), words, tags)

    @classmethod
    def concatenate(cls, parts: list[Sentences]) -> Sentences:
        """Put sentences one after another."""
        return cls(
            np.concatenate([part.lengths for part in parts]),
            _join([part.words for part in parts]),
            _join([part.tags for part in parts]),
        )

    def slice(self, start: int, stop: int) -> Sentences:
        """Return some consecutive sentences."""
        return Sentences(
            self.lengths[start:stop],
            None if self.words is None else self.words.slice(start, stop),
            None if self.tags is None else self.tags.slice(start, stop),
        )

    def blocks(self) -> Iterator[Sentences]:
        """Yield blocks of the usual size."""
        return (self.slice(start, stop) for start, stop in spans(len(self), LINES_PER_BLOCK))


@dataclass(frozen=True)
class Unaligned:
    """Words of one side that are unaligned before anything is measured: by form, ignoring case, or by tag.

    The determiner step of Birch 2011, §3.3.1: ``Unaligned(words=frozenset({"the", "a", "an"}))``.
    """

    words: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.words or self.tags)

    def __str__(self) -> str:
        return ",".join([*sorted(self.words), *(f"pos={tag}" for tag in sorted(self.tags))])

    def mark(self, sentences: Sentences, side: str) -> Bools:
        """Mark the words of some sentences."""
        marks = np.zeros(int(sentences.lengths.sum()), dtype=np.bool_)
        if self.words:
            if sentences.words is None:
                raise UsageError(f"unaligning {side} words needs the {side} text")
            marks |= mark_words(sentences.words, self.words, ignore_case=True)
        if self.tags:
            if sentences.tags is None:
                raise UsageError(f"unaligning {side} words by part of speech needs the {side} side as .conllu")
            marks |= mark_words(sentences.tags, self.tags)
        return marks


class SentenceStream:
    """Sentences of one side that are read in pieces and taken in blocks, as the alignments are read."""

    def __init__(self, pieces: Iterable[Sentences]) -> None:
        self._pieces = pieces
        self._held: list[Sentences] = []

    def lengths(self) -> Iterator[Ints]:
        """Yield the lengths piece by piece, for a reader of alignments to check its links against."""
        for piece in self._pieces:
            self._held.append(piece)
            yield piece.lengths

    def take(self, count: int) -> Sentences:
        """Return the next ``count`` sentences, whose lengths have been read."""
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
    """Read one side in pieces; return None if nothing is given.

    A file ending in ``.conllu`` has words and tags. In other text, ASCII whitespace separates words, as for every
    aligner; unless ``words`` are wanted, they are only counted.
    """
    if text is not None and lengths is not None:
        raise UsageError(f"give the {side} text or its lengths, not both")
    if isinstance(text, (str, os.PathLike)):
        if without_packing(os.fspath(text)).endswith(".conllu"):
            from wordorder.formats import pud

            return Sentences.of(*pud.read_tagged(text)).blocks()
        if words:
            return _read_words(text, display_name(text))
    elif text is not None:
        return _read_words(text, f"{side} text")
    counted = length_blocks(text, lengths)
    return None if counted is None else map(Sentences, counted)


def _read_words(text: TextSource, name: str) -> Iterator[Sentences]:
    first_line = 1
    for lines in text_blocks(text):
        block = Sentences.of(encode(lines, whitespace="ascii")[0])
        if block.lengths.max(initial=0) > LONGEST_SENTENCE:
            line = first_line + int(np.argmax(block.lengths > LONGEST_SENTENCE))
            raise InputError(f"a sentence of more than {LONGEST_SENTENCE} words", path=name, line=line)
        yield block
        first_line += len(block)


def _join(parts: list[Tokens | None]) -> Tokens | None:
    """Put columns one after another; only words of one sentence can then be compared by number."""
    import pyarrow as pa

    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    starts = np.cumsum([0, *(len(part.vocabulary) for part in known)])
    return Tokens(
        np.concatenate([part.ids + np.int32(start) for part, start in zip(known, starts[:-1], strict=True)]),
        join_offsets([part.offsets for part in known]),
        pa.concat_arrays([part.vocabulary for part in known]),
    )
