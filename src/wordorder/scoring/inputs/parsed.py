"""Texts with parses, which are either read from files or made by parsing the text."""

from __future__ import annotations

import html
import os
from collections.abc import Iterator, Mapping, Sequence, Sized
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordorder.core import trees
from wordorder.core.runtime.columns import strings
from wordorder.core.runtime.errors import InputError, UsageError, count_of, excerpt, mention, refuse
from wordorder.core.runtime.files import LINES_PER_BLOCK, display_name
from wordorder.core.runtime.libraries import pa
from wordorder.core.runtime.settings import accepts_old_names
from wordorder.formats.sources import TextSource, as_references, lockstep, systems_by_name
from wordorder.linking.parsing import Parsing
from wordorder.linking.parsing.parsing import SEGMENTS_PER_BLOCK, ParseSource, best_words, parse_blocks
from wordorder.metrics import Batch, Metric, Need
from wordorder.metrics.base import ForestRequest
from wordorder.metrics.dependency import Edpm
from wordorder.scoring.inputs.base import Blocks, InputsWrapper, check_names
from wordorder.scoring.inputs.monotone import MonotoneTexts
from wordorder.scoring.inputs.texts import TextInputs


@accepts_old_names
@dataclass(frozen=True, eq=False)
class ParsedTexts(InputsWrapper):
    """Texts with parses; where none are given, the text is parsed with the grammar or parser of ``parsing``."""

    texts: TextInputs
    parsing: Parsing = Parsing()
    _: KW_ONLY
    hyp_parses: Any = None
    ref_parses: Any = ()
    threads: int = 1

    def __post_init__(self) -> None:
        refuse(not isinstance(self.texts, TextInputs), "parses require text; give hypotheses and references")
        if isinstance(self.texts, MonotoneTexts):
            raise UsageError(f"{mention('order', 'monotone')} uses no references, which parses need; omit the parses")
        refuse(
            self.texts.join_subwords,
            f"parses cannot be combined with {mention('join_subwords')}; give text that is not split into subwords",
        )
        gold = list_parses(self.ref_parses)
        object.__setattr__(self, "ref_parses", gold)
        if gold and len(gold) != len(self.texts.ref):
            texts = count_of(len(self.texts.ref), "reference text")
            raise UsageError(f"expected parses of {texts}, found {len(gold)}; give parses of each reference")
        if self.hyp_parses is not None:
            only = self.systems[0] if len(self.systems) == 1 else None
            given = systems_by_name(self.hyp_parses, only=only)
            check_names(given, self.systems, "parses")
            object.__setattr__(self, "hyp_parses", {name: given[name] for name in self.systems})
        if not self.parsing.can_parse and not (gold and self.hyp_parses):
            lacking = "references" if self.hyp_parses else "hypotheses"
            raise UsageError(f"the {lacking} have no parses; give parses, or {mention('grammar')} to parse the text")

    @property
    def inner(self) -> TextInputs:
        """The texts without their parses."""
        return self.texts

    @property
    def offers(self) -> frozenset[Need]:
        """Everything the plain texts provide, plus parses."""
        return self.texts.offers | {Need.PARSES}

    @property
    def defaults(self) -> tuple[Metric, ...]:
        """The default metrics: EDPM, followed by the default metrics of the plain texts."""
        return (Edpm(), *self.texts.defaults)

    def signature(self, metrics: Sequence[Metric]) -> dict[str, Any]:
        """Return the signature of the plain texts, plus a field that says where the parses come from."""
        if metrics and not any(metric.parses or metric.forest for metric in metrics):
            raise UsageError("parses or a parser are given, but no metric uses parses; add a metric such as edpm")
        self._check_forests(metrics)
        given = ["given"] * bool(self.ref_parses or self.hyp_parses)
        made = [self.parsing.identity] * (not (self.ref_parses and self.hyp_parses))
        base = {"log_base": self.parsing.log_base} if given and self.parsing.log_base != 2 else {}
        return self.texts.signature(metrics) | {"parses": "+".join([*given, *made])} | base

    def fingerprint(self) -> str:
        """Return a digest that also depends on the parser, because another parser produces different parses."""
        return f"{super().fingerprint()} {self.parsing.identity if self.parsing.can_parse else ''}"

    def select(self, segments: NDArray[np.integer]) -> ParsedTexts:
        """Return texts and parses that contain only the given segments."""
        gold = [self._take(source, segments) for source in self.ref_parses]
        systems = {name: self._take(source, segments) for name, source in (self.hyp_parses or {}).items()}
        texts = self.texts.select(segments)
        return replace(self, texts=texts, ref_parses=gold, hyp_parses=systems or None)

    def _take(self, source: ParseSource, segments: NDArray[np.integer]) -> trees.ParseLists[trees.DependencyTrees]:
        return trees.take_lists(trees.ParseLists.concatenate(list(parse_blocks(source, self.parsing))), segments)

    def batches(self, metrics: Sequence[Metric], *, lines: int = LINES_PER_BLOCK) -> Blocks:
        """Yield the blocks of the texts, with as many parses per sentence as the most demanding metric requires.

        Text is always parsed in its original case; with lower-cased texts, the words of the parses are lower-cased
        afterwards.
        """
        self._check_forests(metrics)
        n = max((metric.parses for metric in metrics), default=0)
        forests = [metric.forest for metric in metrics if metric.forest is not None]
        if not n and not forests:
            yield from self.texts.batches(metrics, lines=lines)
            return
        blocks = self.texts.batches(metrics, lines=SEGMENTS_PER_BLOCK)
        gold = len(self.texts.ref)
        streams: dict[str, Iterator[Any]] = {"the text": map(_TextBlock, blocks)}
        parsed = [(f"reference {number}", text) for number, text in enumerate(self.texts.ref, start=1)]
        parsed += [(f"system {name}", text) for name, text in self.texts.hyp.items()]
        files = [*(self.ref_parses or [None] * gold), *(self.hyp_parses or dict.fromkeys(self.texts.hyp)).values()]
        texts = self.texts._streams(SEGMENTS_PER_BLOCK)[-len(parsed) :]
        for (name, text), lines_of_text, given in zip(parsed, texts, files, strict=True):
            streams[_label(name, given)] = self._stream(text, lines_of_text, given, n, forests)
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
        """Raise an error if a metric requires forests but parses are given or the parser does not produce forests."""
        for metric in metrics:
            if metric.forest is None:
                continue
            if self.ref_parses or self.hyp_parses:
                raise UsageError(f"{metric} needs forests, which only a grammar produces; give a grammar, not parses")
            if self.parsing.grammar is None:
                raise UsageError(f"{metric} needs forests, which only a grammar produces; give {mention('grammar')}")

    def _check_words(self, batches: Sequence[Batch], parses: Sequence[_Parses], before: int) -> None:
        """Raise an error if parses belong to another text, that is, if their letters or digits differ from it."""
        gold = len(self.texts.ref)
        for place, source in enumerate(self.ref_parses):
            _compare(source, batches[0].text.reference_lines[place], parses[place].lists, before)
        for place, source in enumerate((self.hyp_parses or {}).values()):
            _compare(source, batches[place].text.hypothesis_lines, parses[gold + place].lists, before)

    def _stream(
        self,
        text: TextSource,
        blocks: Iterator[pa.LargeStringArray],
        given: ParseSource | None,
        n: int,
        wanted: Sequence[ForestRequest],
    ) -> Iterator[_Parses]:
        """Yield the parses of one text in blocks; they are read from ``given`` or made by parsing the text."""
        if given is not None:
            yield from map(_Parses, parse_blocks(given, self.parsing))
            return
        if isinstance(text, (str, os.PathLike)) and os.fspath(text) == "-":
            raise UsageError("text to be parsed is read twice, so it cannot come from standard input; give a file")
        how: dict[str, Any] = {"tokenizer": self.texts.tokenize, "threads": self.threads}
        gammas = sorted({forest.gamma for forest in wanted})
        chains = any(forest.chains for forest in wanted)
        for lines in blocks:
            lists = self.parsing.parse_distinct(lines, n=n, **how) if n else None
            forests = self.parsing.expect(lines, gammas=gammas, chains=chains, **how) if gammas else {}
            yield _Parses(lists, forests)


def text_of_parses(hyp_parses: Any, ref_parses: Any = None, parsing: Parsing | None = None) -> dict[str, Any]:
    """Return input options for texts made of the words of the best parses, which are not tokenised further."""
    gold = list_parses(ref_parses)
    refuse(not gold, f"hypothesis parses must be compared with reference parses; give {mention('ref_parses')}")
    parsing = parsing or Parsing()
    systems = {name: _text_of(source, parsing) for name, source in systems_by_name(hyp_parses).items()}
    return {"hyp": systems, "ref": [_text_of(source, parsing) for source in gold], "tokenize": "none"}


def _text_of(source: ParseSource, parsing: Parsing) -> pa.LargeStringArray:
    """Return the words of the best parses as lines of text."""
    if isinstance(source, (str, os.PathLike)) and os.fspath(source) == "-":
        raise UsageError("parses without text are read twice, so they cannot come from standard input; give a file")
    lines = [" ".join(words) for lists in parse_blocks(source, parsing) for words in best_words(lists)]
    return strings(lines)


@dataclass(frozen=True)
class _TextBlock(Sized):
    """The batches of a block of texts; ``len`` returns the number of segments."""

    batches: Sequence[Batch]

    def __len__(self) -> int:
        return len(self.batches[0])


@dataclass(frozen=True)
class _Parses(Sized):
    """The parses of a block of segments: lists of parses (or None if unused) and expected dependencies by γ."""

    lists: trees.ParseLists[trees.DependencyTrees] | None
    forests: Mapping[float, trees.ExpectedDependencies] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(next(iter(self.forests.values())) if self.lists is None else self.lists)

    def lower(self) -> _Parses:
        """Return the parses with lower-cased words."""
        lists = None if self.lists is None else trees.lower_words(self.lists)
        return _Parses(lists, {gamma: found.lower_words() for gamma, found in self.forests.items()})


def _with_parses(batch: Batch, sides: Sequence[_Parses]) -> Batch:
    """Return a copy of the batch with parses; ``sides`` lists those of the hypotheses, then of each reference."""
    lists = [side.lists for side in sides if side.lists is not None]
    forests = {gamma: tuple(side.forests[gamma] for side in sides) for gamma in sides[0].forests}
    return batch.with_parses(*lists, forests=forests)


def list_parses(sources: Any) -> tuple[ParseSource, ...]:
    """Return a tuple with the parses of each reference; a list of trees is taken as those of a single reference."""
    return as_references(sources, of=(str, trees.ConstituencyTree, trees.DependencyTree), what="parses of references")


def _compare(
    source: ParseSource, text: Any, parses: trees.ParseLists[trees.DependencyTrees] | None, before: int
) -> None:
    assert parses is not None  # they are given
    for row, (line, words) in enumerate(zip(text.to_pylist(), best_words(parses), strict=True)):
        if _letters(line) != _letters("".join(words)):
            found, expected = excerpt(" ".join(words)), excerpt(line)
            message = f"wrong parses for this text: expected {expected} in sentence {before + row + 1}, found {found}"
            path = display_name(source) if isinstance(source, (str, os.PathLike)) else None
            raise InputError(message, path=path)


def _letters(text: str) -> str:
    """Return the letters and digits of a text, case-folded, for comparing texts that are tokenised differently.

    >>> _letters("(He didn't.)") == _letters("( He did n't . )")
    True
    >>> _letters("Rosa&#39;s &quot;") == _letters("Rosa & # 39 ; s") == _letters("Rosa ' s")
    True
    """
    return "".join(filter(str.isalnum, html.unescape("".join(text.split())))).casefold()


def _label(text: str, given: ParseSource | None) -> str:
    """Return the name by which error messages refer to the parses of a text."""
    return f"{display_name(given)} ({text})" if isinstance(given, (str, os.PathLike)) else f"parses of {text}"
