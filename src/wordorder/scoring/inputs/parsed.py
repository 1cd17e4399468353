"""Texts beside their parses: those that are given, and those a parser makes of the text."""

from __future__ import annotations

import html
import os
from collections.abc import Iterator, Mapping, Sequence, Sized
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.columns import strings
from wordorder.core.runtime.errors import InputError, UsageError, excerpt, mention
from wordorder.core.runtime.files import LINES_PER_BLOCK, display_name
from wordorder.core.runtime.plain import count_of
from wordorder.core.runtime.settings import accepts_old_names
from wordorder.core.trees import (
    ConstituencyTree,
    DependencyTree,
    DependencyTrees,
    ExpectedDependencies,
    ParseLists,
    lower_words,
)
from wordorder.formats.sources import TextSource, as_references, lockstep, systems_by_name, text_blocks
from wordorder.linking.parsing import Parsing
from wordorder.linking.parsing.sources import SEGMENTS_PER_BLOCK, ParseSource, best_words, parse_blocks
from wordorder.metrics import Batch, Metric, Need
from wordorder.metrics.base import ForestRequest
from wordorder.metrics.dependency import Edpm
from wordorder.scoring.inputs.base import Blocks, Extended, check_names
from wordorder.scoring.inputs.monotone import MonotoneTexts
from wordorder.scoring.inputs.texts import Texts

if TYPE_CHECKING:
    import pyarrow as pa


@accepts_old_names
@dataclass(frozen=True, eq=False)
class ParsedTexts(Extended):
    """Texts with parses beside them. What is given wins; what is not is parsed, if there is something to do it."""

    texts: Texts
    parsing: Parsing = Parsing()
    _: KW_ONLY
    hyp_parses: Any = None
    ref_parses: Any = ()
    threads: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.texts, Texts):
            raise UsageError("parses go with text: hypotheses and references")
        if isinstance(self.texts, MonotoneTexts):
            raise UsageError(
                f"parses are compared with those of a reference; {mention('order', 'monotone')} has none"
            )
        if self.texts.join_subwords:
            raise UsageError("subwords are joined before parsing; give text of words")
        gold = listed_parses(self.ref_parses)
        object.__setattr__(self, "ref_parses", gold)
        if gold and len(gold) != len(self.texts.ref):
            texts = count_of(len(self.texts.ref), "reference text")
            raise UsageError(f"parses of {count_of(len(gold), 'reference')}, and {texts}")
        if self.hyp_parses is not None:
            only = self.systems[0] if len(self.systems) == 1 else None
            object.__setattr__(self, "hyp_parses", systems_by_name(self.hyp_parses, only=only))
            check_names(self.hyp_parses, self.systems, "parses")
        if not self.parsing.can_parse and not (gold and self.hyp_parses):
            lacking = "references" if self.hyp_parses else "hypotheses"
            raise UsageError(f"the {lacking} have no parses: give them, or {mention('grammar')} to parse with")

    @property
    def inner(self) -> Texts:
        """The texts without their parses."""
        return self.texts

    @property
    def offers(self) -> frozenset[Need]:
        """What the texts offer, and parses."""
        return self.texts.offers | {Need.PARSES}

    @property
    def defaults(self) -> tuple[Metric, ...]:
        """EDPM, and the defaults of text."""
        return (Edpm(), *self.texts.defaults)

    def signature(self, metrics: Sequence[Metric]) -> dict[str, Any]:
        """Say what the texts say, and where the parses come from."""
        if metrics and not any(metric.parses or metric.forest for metric in metrics):
            raise UsageError("there are parses, or a grammar to parse with, but no metric that uses them")
        self._check_forests(metrics)
        given = ["given"] * bool(self.ref_parses or self.hyp_parses)
        made = [self.parsing.identity] * (not (self.ref_parses and self.hyp_parses))
        return self.texts.signature(metrics) | {"parses": "+".join([*given, *made])}

    def fingerprint(self) -> str:
        """Return a digest that also knows the parser: another version of it makes other parses."""
        return f"{super().fingerprint()} {self.parsing.identity if self.parsing.can_parse else ''}"

    def select(self, segments: NDArray[np.integer]) -> ParsedTexts:
        """Return the texts and parses with some of the segments only."""
        chosen = [self._take(source, segments) for source in self.ref_parses]
        judged = {name: self._take(source, segments) for name, source in (self.hyp_parses or {}).items()}
        texts = self.texts.select(segments)
        return replace(self, texts=texts, ref_parses=chosen, hyp_parses=judged or None)

    def _take(self, source: ParseSource, segments: NDArray[np.integer]) -> ParseLists[DependencyTrees]:
        lists = ParseLists.concatenate(list(parse_blocks(source, self.parsing)))
        return ParseLists.concatenate([lists[row : row + 1] for row in segments.tolist()])

    def batches(self, metrics: Sequence[Metric], *, lines: int = LINES_PER_BLOCK) -> Blocks:
        """Yield the blocks of the texts with as many parses as the metric that asks for most.

        Where all text is lower-cased, so are the words of the parses, but what is parsed is the text as it was given.
        """
        self._check_forests(metrics)
        n = max((metric.parses for metric in metrics), default=0)
        wanted = [metric.forest for metric in metrics if metric.forest is not None]
        if not n and not wanted:
            yield from self.texts.batches(metrics, lines=lines)
            return
        blocks = self.texts.batches(metrics, lines=SEGMENTS_PER_BLOCK)
        gold = len(self.texts.ref)
        streams: dict[str, Iterator[Any]] = {"the text": map(_Block, blocks)}
        for place, text in enumerate(self.texts.ref):
            given = self.ref_parses[place] if self.ref_parses else None
            streams[_label(f"reference {place + 1}", given)] = self._stream(text, given, n, wanted)
        for name, text in self.texts.hyp.items():
            given = self.hyp_parses[name] if self.hyp_parses else None
            streams[_label(f"system {name}", given)] = self._stream(text, given, n, wanted)
        done = 0
        for block, *parses in lockstep(streams):
            self._check_words(block.batches, parses, done)
            done += len(block)
            columns = [column.lower() for column in parses] if self.texts.lowercase else parses
            yield [
                _with_parses(batch, [column, *columns[:gold]])
                for batch, column in zip(block.batches, columns[gold:], strict=True)
            ]

    def _check_forests(self, metrics: Sequence[Metric]) -> None:
        """Refuse metrics of forests where parses are given, or come from a parser that has no forests."""
        for metric in metrics:
            if metric.forest is None:
                continue
            if self.ref_parses or self.hyp_parses:
                raise UsageError(
                    f"{metric} needs the forests of a grammar, and parses are given; give text and a grammar"
                )
            if self.parsing.grammar is None:
                raise UsageError(f"{metric} needs the forests of a grammar; other parsers have none")

    def _check_words(self, batches: Sequence[Batch], parses: Sequence[_Parses], before: int) -> None:
        """Refuse parses of another text: letters and digits must be the same, whoever cut the words."""
        gold = len(self.texts.ref)
        for place, source in enumerate(self.ref_parses):
            _compare(source, batches[0].text.reference_lines[place], parses[place].lists, before)
        for place, source in enumerate((self.hyp_parses or {}).values()):
            _compare(source, batches[place].text.hypothesis_lines, parses[gold + place].lists, before)

    def _stream(
        self, text: TextSource, given: ParseSource | None, n: int, wanted: Sequence[ForestRequest]
    ) -> Iterator[_Parses]:
        if given is not None:
            yield from map(_Parses, parse_blocks(given, self.parsing))
            return
        if isinstance(text, (str, os.PathLike)) and os.fspath(text) == "-":
            raise UsageError("text to be parsed is read twice; give a file, not standard input")
        how: dict[str, Any] = {"tokenizer": self.texts.tokenize, "threads": self.threads}
        gammas = sorted({forest.gamma for forest in wanted})
        chains = any(forest.chains for forest in wanted)
        for lines in text_blocks(text, lines=SEGMENTS_PER_BLOCK):
            lists = self.parsing.parse(lines, n=n, **how) if n else None
            forests = self.parsing.expect(lines, gammas=gammas, chains=chains, **how) if gammas else {}
            yield _Parses(lists, forests)


def text_of_parses(hyp_parses: Any, ref_parses: Any = None, parsing: Parsing | None = None) -> dict[str, Any]:
    """Return the texts of parses that come without: the words of the best parses, which are not cut further."""
    gold = listed_parses(ref_parses)
    if not gold:
        raise UsageError(
            f"parses of hypotheses without their text are compared with parses of references: {mention('ref_parses')}"
        )
    parsing = parsing or Parsing()
    judged = {name: _text_of(source, parsing) for name, source in systems_by_name(hyp_parses).items()}
    return {"hyp": judged, "ref": [_text_of(source, parsing) for source in gold], "tokenize": "none"}


def _text_of(source: ParseSource, parsing: Parsing) -> pa.LargeStringArray:
    """Return the words of the best parses as a text."""
    if isinstance(source, (str, os.PathLike)) and os.fspath(source) == "-":
        raise UsageError("parses without their text are read twice; give a file, not standard input")
    lines = [" ".join(words) for lists in parse_blocks(source, parsing) for words in best_words(lists)]
    return strings(lines)


@dataclass(frozen=True)
class _Block(Sized):
    """A block whose length is its number of segments."""

    batches: Sequence[Batch]

    def __len__(self) -> int:
        return len(self.batches[0])


@dataclass(frozen=True)
class _Parses(Sized):
    """Parses of the segments of a block: lists, where a metric looks at lists, and forests by γ."""

    lists: ParseLists[DependencyTrees] | None
    forests: Mapping[float, ExpectedDependencies] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(next(iter(self.forests.values())) if self.lists is None else self.lists)

    def lower(self) -> _Parses:
        """Lower-case the words."""
        lists = None if self.lists is None else lower_words(self.lists)
        return _Parses(lists, {gamma: found.lower_words() for gamma, found in self.forests.items()})


def _with_parses(batch: Batch, sides: Sequence[_Parses]) -> Batch:
    """Give a batch the parses of its hypotheses and of each reference."""
    lists = [side.lists for side in sides if side.lists is not None]
    forests = {gamma: tuple(side.forests[gamma] for side in sides) for gamma in sides[0].forests}
    return batch.with_parses(*lists, forests=forests)


def listed_parses(sources: Any) -> tuple[ParseSource, ...]:
    """Return parses of references as a tuple; trees of one reference are one of them."""
    return as_references(sources, of=(str, ConstituencyTree, DependencyTree), what="parses of references")


def _compare(source: ParseSource, text: Any, parses: ParseLists[DependencyTrees] | None, before: int) -> None:
    assert parses is not None  # they are given
    for row, (line, words) in enumerate(zip(text.to_pylist(), best_words(parses), strict=True)):
        if _letters(line) != _letters("".join(words)):
            found, expected = excerpt(" ".join(words)), excerpt(line)
            message = f"parses of another text: sentence {before + row + 1} is {found}, the text has {expected}"
            path = display_name(source) if isinstance(source, (str, os.PathLike)) else None
            raise InputError(message, path=path)


def _letters(text: str) -> str:
    """Return what no tokeniser and no treebank changes.

    >>> _letters("(He didn't.)") == _letters("( He did n't . )")
    True
    >>> _letters("Rosa&#39;s &quot;") == _letters("Rosa & # 39 ; s") == _letters("Rosa ' s")
    True
    """
    return "".join(filter(str.isalnum, html.unescape("".join(text.split())))).casefold()


def _label(text: str, given: ParseSource | None) -> str:
    """Name parses for an error message."""
    return f"{display_name(given)} ({text})" if isinstance(given, (str, os.PathLike)) else f"parses of {text}"
