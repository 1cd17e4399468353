"""Texts compared with references by the words that they share."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from itertools import zip_longest
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.columns import Strings, to_column
from wordorder.core.runtime.errors import InputError, check_choice, count_of, mention, refuse
from wordorder.core.runtime.files import LINES_PER_BLOCK, count_lines, display_name
from wordorder.core.runtime.settings import accepts_old_names
from wordorder.core.text import DEFAULT_TOKENIZER, Tokens, lower_lines, tokenise
from wordorder.core.text.checks import check_texts, warn_about
from wordorder.core.text.tokenizers import join_subwords, without_long_sentences
from wordorder.formats.sources import (
    TextSource,
    as_references,
    labels,
    lockstep,
    read_text,
    systems_by_name,
    text_blocks,
)
from wordorder.linking.matching import Matching
from wordorder.metrics import Batch, Metric, Need, Text
from wordorder.metrics.registry import TEXT_DEFAULTS
from wordorder.scoring.inputs.base import Blocks, Inputs, check_rereadable, is_file, metric_signature
from wordorder.scoring.inputs.drawing import Line, mark_chunks
from wordorder.scoring.inputs.orders import reference_names
from wordorder.scoring.options import WEIGHTS


@dataclass(frozen=True, eq=False)
class TextInputs(Inputs):
    """Hypotheses and references, with options that control how their words are split and matched.

    ``hyp`` is a mapping from system names to texts, or the text of a single system. A text is a file name, a list of
    lines, an Arrow column or a pandas series. ``ref`` is one text or a list of texts. A list of strings is always one
    text, so a list of files must consist of ``pathlib.Path`` objects.
    """

    hyp: Any
    ref: Any = ()
    _: KW_ONLY
    tokenize: str = DEFAULT_TOKENIZER
    lowercase: bool = False
    join_subwords: bool = False
    matching: Matching = Matching()
    weight: str = "segments"

    _foreign: ClassVar[int] = 0
    """The number of texts at the beginning that are in another language than the hypotheses."""

    missing_reference: ClassVar[str] = ""
    """The error message for a missing reference; it is empty if no reference is needed."""

    def __post_init__(self) -> None:
        check_choice(self.weight, WEIGHTS, "weight")
        object.__setattr__(self, "hyp", systems_by_name(self.hyp))
        object.__setattr__(self, "ref", as_references(self.ref, of=str))
        refuse(self.missing_reference and not self.ref, self.missing_reference)

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(self.hyp)

    @property
    def text_warning(self) -> str:
        """A warning about probable mistakes in the first lines; empty if none have been found so far."""
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
        """Return all texts to be read in parallel, with their names: first the references, then the systems."""
        gold = [(f"reference {number}", text) for number, text in enumerate(self.ref, start=1)]
        return [*gold, *self.hyp.items()]

    def line_blocks(self, *, lines: int = LINES_PER_BLOCK) -> Iterator[tuple[Strings, ...]]:
        """Yield blocks of lines from all texts in parallel; warn once if the first lines look wrong."""
        sources = self._sources()
        names = labels(sources)
        for columns in lockstep(dict(zip(names, self._streams(lines), strict=True))):
            columns = tuple(map(self._prepare, columns))
            if "_text_warning" not in self.__dict__:
                seen = dict(zip(names, columns, strict=True))
                self.__dict__["_text_warning"] = check_texts(seen, self.tokenize, together=[names[self._foreign :]])
                if self.text_warning:
                    warn_about(self.text_warning)
            yield columns

    def _streams(self, lines: int) -> list[Iterator[Strings]]:
        """Open all texts, to be read in blocks of ``lines`` lines."""
        sources = self._sources()
        texts = [_open(name, text, lines) for name, text in sources]
        pairs = zip(texts, labels(sources), strict=True)
        return [without_long_sentences(text, label, tokenizer=self.tokenize) for text, label in pairs]

    def _prepare(self, lines: Strings) -> Strings:
        """Return the lines in the form that metrics receive: with joined subwords or lower-cased, if requested."""
        lines = join_subwords(lines) if self.join_subwords else lines
        return lower_lines(lines) if self.lowercase else lines

    def _block(
        self, tokens: Sequence[Tokens], lines: Sequence[Strings], orders: Sequence[Any] = (), pairs: Sequence[Any] = ()
    ) -> list[Batch]:
        """Return one batch per system, with the words and lines of the system and of all references."""
        gold = len(self.ref)
        weights = None
        if self.weight == "ref-length":
            weights = np.stack([words.lengths for words in tokens[:gold]], axis=1).astype(np.float64)
        match, weighted = self.matching.over(tokens[0].vocabulary), self.matching.weighted
        known = tuple(tokens[:gold]), tuple(lines[:gold])
        return [
            Batch(given, text=Text(words, known[0], column, known[1], match, weighted), weights=weights, pairs=decided)
            for words, column, given, decided in zip_longest(tokens[gold:], lines[gold:], orders, pairs)
        ]

    def count_blocks(self) -> int | None:
        """Return the number of blocks, computed from the number of lines in the first text."""
        lines = count_lines(self._sources()[0][1])
        return None if lines is None else -(-lines // LINES_PER_BLOCK)

    def texts_of(self, system: str) -> dict[str, Strings]:
        """Return the lines of a system and of all references by name; the texts are read a second time."""
        sources = dict(zip(reference_names(len(self.ref)), self.ref, strict=True))
        systems = [*self.ref, *self.hyp.values()][-len(self.systems) :]
        sources["hypothesis"] = systems[self.systems.index(system)]
        return {name: self._prepare(reread(source)) for name, source in sources.items()}

    def select(self, segments: NDArray[np.integer]) -> Self:
        """Return texts that contain only the given segments."""
        return replace(
            self,
            hyp={name: take_lines(text, segments) for name, text in self.hyp.items()},
            ref=[take_lines(text, segments) for text in self.ref],
        )

    def pick(self, systems: Sequence[str], rows: Sequence[int]) -> tuple[list[list[str]], list[list[str]]]:
        """Return the given lines of the named systems and of all references; the texts are read a second time."""
        texts = [*(self.hyp[system] for system in systems), *self.ref]
        found = [take_lines(reread(text), np.array(rows, dtype=np.int64)) for text in texts]
        shown = [self._prepare(lines).to_pylist() for lines in found]
        return shown[: len(systems)], shown[len(systems) :]


@accepts_old_names
@dataclass(frozen=True, eq=False)
class MatchedTexts(TextInputs):
    """Hypotheses compared with references by the words that they share, which are matched one to one.

    >>> texts = MatchedTexts({"A": ["the cat sat"], "B": ["sat the cat"]}, ["the cat sat"])
    >>> texts.systems, texts.signature([])["order"]
    (('A', 'B'), 'matched')
    """

    offers = frozenset({Need.ORDER, Need.TEXT})
    defaults = TEXT_DEFAULTS
    missing_reference = (
        f"hypotheses require references or a source to compare with: give {mention('ref')} or {mention('source')}"
    )

    def signature(self, metrics: Sequence[Metric]) -> dict[str, Any]:
        """Return the signature fields that say how words are split and matched, plus the fields of the metrics."""
        return {"order": "matched", **metric_signature(metrics), **self._text_signature()}

    def draw(self, system: str, rows: Sequence[int], by: Metric) -> list[list[Line]]:
        """Return lines with the hypothesis and the most similar reference; their common chunks are in brackets."""
        (hypothesis,), references = self.pick([system], rows)
        columns = tokenise([hypothesis, *references], tokenizer=self.tokenize)
        match = self.matching.over(columns[0].vocabulary)
        found = []
        for row in range(len(rows)):
            words, *gold = (column[row : row + 1] for column in columns)
            matches = [match(words, each, None) for each in gold]
            best = max(range(len(gold)), key=lambda r: int(matches[r].reference_size.sum()))
            parts = ("hypothesis", "hypothesis_size", "reference", "reference_size")
            spans = list(zip(*(getattr(matches[best], part).tolist() for part in parts), strict=True))
            marked = mark_chunks(words.words(0), gold[best].words(0), spans)
            matched = count_of(int(matches[best].reference_size.sum()), "reference word")
            chunks = count_of(int(matches[best].chunks.sum()), "chunk")
            found.append([("ref", marked[1]), ("hyp", marked[0]), ("", f"{matched} matched in {chunks}")])
        return found

    def batches(self, metrics: Sequence[Metric], *, lines: int = LINES_PER_BLOCK) -> Blocks:
        """Yield blocks of hypotheses and references; all texts of a block share one vocabulary."""
        for columns in self.line_blocks(lines=lines):
            yield self._block(tokenise(columns, tokenizer=self.tokenize), columns)


def _open(name: str, text: TextSource, lines: int) -> Iterator[Strings]:
    """Open a text; if it is not a file, error messages refer to it by ``name``."""
    try:
        return text_blocks(text, lines=lines)
    except InputError as error:
        if error.path is not None:
            raise
        raise InputError(error.message, path=name, line=error.line) from None


def rereadable(text: TextSource) -> TextSource:
    """Return a text that can be read several times: files are unchanged, anything else is read into memory."""
    return text if is_file(text) else read_text(text)


def reread(text: TextSource) -> Strings:
    """Read a text a second time; raise an error if it is a pipe or an exhausted iterator."""
    lines = read_text(check_rereadable(text))
    refuse(not len(lines), "the text cannot be read a second time; give a file instead of a pipe")
    return lines


def take_lines(text: TextSource, segments: NDArray[np.integer]) -> Strings:
    """Return the lines of a text that have the given indices (counted from 0)."""
    lines = read_text(text)
    if len(segments) and segments.max() >= len(lines):
        found = f"found {count_of(len(lines), 'line')}; expected at least {segments.max() + 1}"
        raise InputError(found, path=display_name(text) if isinstance(text, (str, os.PathLike)) else None)
    return lines.take(to_column(segments))
