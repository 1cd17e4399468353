"""Texts judged by the words they share with references."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.columns import to_column
from wordorder.core.runtime.errors import InputError, UsageError, choices, mention
from wordorder.core.runtime.files import LINES_PER_BLOCK, count_lines
from wordorder.core.runtime.plain import count_of
from wordorder.core.runtime.settings import accepts_old_names
from wordorder.core.text import DEFAULT_TOKENIZER, Tokens, lines_of, lower_lines, tokenise
from wordorder.core.text.checks import check_texts, warn_about
from wordorder.core.text.subwords import join_subwords
from wordorder.formats.sources import (
    TextSource,
    as_references,
    labels,
    lockstep,
    read_text,
    systems_by_name,
    text_blocks,
)
from wordorder.formats.text import file_behind
from wordorder.linking.matching import Matching
from wordorder.metrics import Batch, Metric, Need, Text
from wordorder.metrics.registry import TEXT_DEFAULTS
from wordorder.scoring.inputs.base import Blocks, Inputs, metric_signature
from wordorder.scoring.inputs.drawing import Line, mark_chunks
from wordorder.scoring.inputs.orders import reference_names
from wordorder.scoring.options import WEIGHTS

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class Texts(Inputs):
    """Hypotheses and references, and how their words are cut and matched.

    Hypotheses are a mapping from the name of a system to its text, or the text of a single system. A text is a file
    name, a list of lines, an Arrow column or a pandas series; several references are a list of those, where files
    are ``pathlib.Path`` objects, for a list of strings is one text, line by line.
    """

    hyp: Any
    ref: Any = ()
    _: KW_ONLY
    tokenize: str = DEFAULT_TOKENIZER
    lowercase: bool = False
    join_subwords: bool = False
    matching: Matching = Matching()
    weight: str = "segments"

    lonely: ClassVar[str] = ""
    """What to say where there is no reference; nothing where none is needed."""

    def __post_init__(self) -> None:
        if self.weight not in WEIGHTS:
            raise choices(self.weight, list(WEIGHTS), what="weight")
        object.__setattr__(self, "hyp", systems_by_name(self.hyp))
        object.__setattr__(self, "ref", as_references(self.ref, of=str))
        if self.lonely and not self.ref:
            raise UsageError(self.lonely)

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(self.hyp)

    @property
    def text_warning(self) -> str:
        """What is probably wrong with the first lines, once they have been read."""
        return str(self.__dict__.get("_text_warning", ""))

    def _text_signature(self) -> dict[str, Any]:
        return {
            **self.matching.signature,
            "tokenizer": self.tokenize,
            "case": "lower" if self.lowercase else "mixed",
            **({"subwords": "joined"} if self.join_subwords else {}),
            "references": len(self.ref),
        } | ({"weight": self.weight} if self.weight != "segments" else {})

    def _sources(self) -> list[tuple[str, TextSource]]:
        """Return what is read side by side, by name: all references, then all systems."""
        gold = [(f"reference {number}", text) for number, text in enumerate(self.ref, start=1)]
        return [*gold, *self.hyp.items()]

    def line_blocks(self, *, lines: int = LINES_PER_BLOCK) -> Iterator[tuple[pa.LargeStringArray, ...]]:
        """Read all texts side by side; warn if something about their first lines is probably wrong."""
        sources = self._sources()
        names = labels(sources)
        for columns in lockstep(dict(zip(names, self._streams(lines), strict=True))):
            columns = tuple(map(self._prepare, columns))
            if "_text_warning" not in self.__dict__:
                seen = dict(zip(names, columns, strict=True))
                self.__dict__["_text_warning"] = check_texts(
                    seen, self.tokenize, together=[self._in_one_language(names)]
                )
                warn_about(self.text_warning)
            yield columns

    def _streams(self, lines: int) -> list[Iterator[pa.LargeStringArray]]:
        """Open all sources, to be read in blocks of so many lines."""
        return [_open(name, text, lines) for name, text in self._sources()]

    def _in_one_language(self, names: Sequence[str]) -> Sequence[str]:
        """Return those of the texts that are in the language of the systems."""
        return names

    def _prepare(self, lines: pa.LargeStringArray) -> pa.LargeStringArray:
        """Return lines as all metrics see them, those of characters too: in lower case, subwords joined, if asked."""
        lines = join_subwords(lines) if self.join_subwords else lines
        return lower_lines(lines) if self.lowercase else lines

    def _block(
        self,
        tokens: Sequence[Tokens],
        lines: Sequence[pa.LargeStringArray],
        orders: Sequence[Any] = (),
        pairs: Sequence[Any] = (),
    ) -> list[Batch]:
        """Return a batch per system from the words and lines of all references and systems, and their orders."""
        gold = len(self.ref)
        weights = None
        if self.weight == "ref-length":
            weights = np.stack([words.lengths for words in tokens[:gold]], axis=1).astype(np.float64)
        match, weighted = self.matching.over(tokens[0].vocabulary), self.matching.weighted
        known = tuple(tokens[:gold]), tuple(lines[:gold])
        return [
            Batch(
                given, text=Text(words, known[0], column, known[1], match, weighted), weights=weights, pairs=decided
            )
            for words, column, given, decided in zip_longest(tokens[gold:], lines[gold:], orders, pairs)
        ]

    def count_blocks(self) -> int | None:
        """Return the number of blocks, from the number of lines of the first text."""
        lines = count_lines(self._sources()[0][1])
        return None if lines is None else -(-lines // LINES_PER_BLOCK)

    def texts_of(self, system: str) -> dict[str, pa.LargeStringArray]:
        """Read the lines of a system and of all references again."""
        sources = dict(zip(reference_names(len(self.ref)), self.ref, strict=True))
        judged = [*self.ref, *self.hyp.values()][-len(self.systems) :]
        sources["hypothesis"] = judged[self.systems.index(system)]
        return {name: self._prepare(read_again(source)) for name, source in sources.items()}

    def select(self, segments: NDArray[np.integer]) -> Self:
        """Return the texts with some of the segments only."""
        return replace(
            self,
            hyp={name: take_lines(text, segments) for name, text in self.hyp.items()},
            ref=[take_lines(text, segments) for text in self.ref],
        )

    def pick(self, systems: Sequence[str], rows: Sequence[int]) -> tuple[list[list[str]], list[list[str]]]:
        """Read some lines again: those of the named systems and of every reference."""
        texts = [*(self.hyp[system] for system in systems), *self.ref]
        found = [take_lines(read_again(text), np.array(rows, dtype=np.int64)) for text in texts]
        shown = [self._prepare(lines).to_pylist() for lines in found]
        return shown[: len(systems)], shown[len(systems) :]


@accepts_old_names
@dataclass(frozen=True, eq=False)
class MatchedTexts(Texts):
    """Hypotheses compared with references by the words both share: matched one to one, read in hypothesis order.

    >>> texts = MatchedTexts({"A": ["the cat sat"], "B": ["sat the cat"]}, ["the cat sat"])
    >>> texts.systems, texts.signature([])["order"]
    (('A', 'B'), 'matched')
    """

    offers = frozenset({Need.ORDER, Need.TEXT})
    defaults = TEXT_DEFAULTS
    lonely = f"hypotheses are compared with references: give {mention('ref')}, or {mention('source')}"

    def signature(self, metrics: Sequence[Metric]) -> dict[str, Any]:
        """Say how words are matched, and what metrics assume of the languages."""
        return {"order": "matched", **metric_signature(metrics), **self._text_signature()}

    def draw(self, system: str, rows: Sequence[int], by: Metric) -> list[list[Line]]:
        """Draw the hypothesis and the reference that has most of its words, with common chunks in brackets."""
        (hypothesis,), references = self.pick([system], rows)
        columns = tokenise([hypothesis, *references], tokenizer=self.tokenize)
        match = self.matching.over(columns[0].vocabulary)
        found = []
        for row in range(len(rows)):
            judged, *gold = (column.slice(row, row + 1) for column in columns)
            matches = [match(judged, each, None) for each in gold]
            best = max(range(len(gold)), key=lambda r: int(matches[r].reference_size.sum()))
            parts = ("hypothesis", "hypothesis_size", "reference", "reference_size")
            spans = list(zip(*(getattr(matches[best], part).tolist() for part in parts), strict=True))
            marked = mark_chunks(judged.words(0), gold[best].words(0), spans)
            words, chunks = int(matches[best].reference_size.sum()), int(matches[best].chunks.sum())
            told = f"{words} reference word{'s' * (words != 1)} matched in {chunks} chunk{'s' * (chunks != 1)}"
            found.append([("ref", marked[1]), ("hyp", marked[0]), ("", told)])
        return found

    def batches(self, metrics: Sequence[Metric], *, lines: int = LINES_PER_BLOCK) -> Blocks:
        """Read hypotheses and references; the words of a block are numbered once for all of them."""
        for columns in self.line_blocks(lines=lines):
            yield self._block(tokenise(columns, tokenizer=self.tokenize), columns)


def _open(name: str, text: TextSource, lines: int) -> Iterator[pa.LargeStringArray]:
    """Open a text; what is wrong with lines that are given is told with the name of the text."""
    try:
        return text_blocks(text, lines=lines)
    except InputError as error:
        if error.path is not None:
            raise
        raise InputError(error.message, path=name, line=error.line) from None


def lasting(text: TextSource) -> TextSource:
    """Return a text that can be read again and again: a file as it is, anything else as lines."""
    return text if _is_file(text) else read_text(text)


def _is_file(text: TextSource) -> bool:
    if not isinstance(text, (str, os.PathLike)):
        return False
    file = file_behind(text)
    return os.path.isfile(file) or os.path.isdir(file)


def read_again(text: TextSource) -> pa.LargeStringArray:
    """Read a text that was read before; a pipe, or what was iterated over, has nothing left."""
    gone = UsageError("the text cannot be read a second time; give files, not a pipe")
    if isinstance(text, (str, os.PathLike)) and not _is_file(text):
        raise gone
    lines = read_text(text) if isinstance(text, (str, os.PathLike)) else lines_of(text)
    if not len(lines):
        raise gone
    return lines


def take_lines(text: TextSource, segments: NDArray[np.integer]) -> pa.LargeStringArray:
    """Read some lines of a text, counted from 0."""
    lines = read_text(text) if isinstance(text, (str, os.PathLike)) else lines_of(text)
    if len(segments) and segments.max() >= len(lines):
        raise InputError(
            f"the text has {count_of(len(lines), 'line')}, but segment {segments.max() + 1} is asked for"
        )
    return lines.take(to_column(segments))
