"""Texts beside their parses: those that are given, and those a parser makes of the text."""

from __future__ import annotations

import html
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wordorder.runtime.errors import InputError, UsageError, excerpt
from wordorder.runtime.files import display_name
from wordorder.scoring.batch import Batch, Parses
from wordorder.scoring.inputs import Blocks, TextInputs, TextSource, text_blocks
from wordorder.scoring.lockstep import lockstep
from wordorder.scoring.parsers import Parsing
from wordorder.scoring.parses import SEGMENTS_PER_BLOCK, ParseSource, best_words, parse_blocks
from wordorder.trees import DependencyTrees, ParseLists, lower_words


@dataclass(frozen=True, eq=False)
class ParseInputs:
    """The parses of texts. What is given wins; what is not is parsed, if there is something to parse with."""

    texts: TextInputs
    parsing: Parsing
    references: Sequence[ParseSource] = ()
    systems: Mapping[str, ParseSource] | None = None
    threads: int = 1

    def __post_init__(self) -> None:
        if self.references and len(self.references) != len(self.texts.references):
            counts = len(self.references), len(self.texts.references)
            raise UsageError(f"parses of {counts[0]} references, but {counts[1]} references")
        if self.systems and set(self.systems) != set(self.texts.systems):
            raise UsageError(
                f"parses are given for {', '.join(self.systems)}, but the systems are "
                f"{', '.join(self.texts.systems)}; give parses of each of them, or none"
            )
        if not self.parsing.can_parse and not (self.references and self.systems):
            lacking = "references" if self.systems else "hypotheses"
            raise UsageError(f"the {lacking} have no parses: give them, or a grammar to parse with")

    @property
    def signature(self) -> dict[str, str]:
        """Say where the parses come from."""
        given = ["given"] * bool(self.references or self.systems)
        made = [self.parsing.identity] * (not (self.references and self.systems))
        return {"parses": "+".join([*given, *made])}

    def beside(self, blocks: Blocks, *, n: int) -> Blocks:
        """Give the blocks with up to ``n`` parses a sentence; another number of sentences is an error.

        The blocks must have the size of blocks of parses. Where all text is lower-cased, so are the words of the
        parses, but what is parsed is the text as it was given.
        """
        gold = len(self.texts.references)
        streams: dict[str, Iterator[Any]] = {"the text": map(_Block, blocks)}
        for place, text in enumerate(self.texts.references):
            given = self.references[place] if self.references else None
            streams[_label(f"reference {place + 1}", given)] = self._stream(text, given, n)
        for name, text in self.texts.systems.items():
            given = self.systems[name] if self.systems else None
            streams[_label(f"system {name}", given)] = self._stream(text, given, n)
        done = 0
        for block, *parses in lockstep(streams):
            self._check_words(block.batches, parses, done)
            done += len(block)
            columns = [lower_words(column) for column in parses] if self.texts.lowercase else parses
            yield [
                batch.with_parses(Parses(column, tuple(columns[:gold])))
                for batch, column in zip(block.batches, columns[gold:], strict=True)
            ]

    def _check_words(
        self, batches: Sequence[Batch], parses: Sequence[ParseLists[DependencyTrees]], before: int
    ) -> None:
        """Refuse parses of another text: letters and digits must be the same, whoever cut the words."""
        given = [*self.references, *(self.systems or {}).values()]
        lines = [batches[0].text.reference_lines[place] for place in range(len(self.references))]
        lines += [batch.text.hypothesis_lines for batch in batches] if self.systems else []
        columns = parses if self.systems else parses[: len(self.references)]
        columns = columns if self.references else columns[len(self.texts.references) :]
        for source, text, column in zip(given, lines, columns, strict=True):
            for row, (line, words) in enumerate(zip(text.to_pylist(), best_words(column), strict=True)):
                if _letters(line) != _letters("".join(words)):
                    found, expected = excerpt(" ".join(words)), excerpt(line)
                    message = (
                        f"parses of another text: sentence {before + row + 1} is {found}, the text has {expected}"
                    )
                    path = display_name(source) if isinstance(source, (str, os.PathLike)) else None
                    raise InputError(message, path=path)

    def _stream(self, text: TextSource, given: ParseSource | None, n: int) -> Iterator[ParseLists[DependencyTrees]]:
        if given is not None:
            yield from parse_blocks(given, self.parsing)
            return
        if isinstance(text, (str, os.PathLike)) and os.fspath(text) == "-":
            raise UsageError("text to be parsed is read twice; give a file, not standard input")
        for lines in text_blocks(text, lines=SEGMENTS_PER_BLOCK):
            yield self.parsing.parse(lines, tokenizer=self.texts.tokenizer, n=n, threads=self.threads)


@dataclass(frozen=True)
class _Block:
    """A block whose length is its number of segments."""

    batches: Sequence[Batch]

    def __len__(self) -> int:
        return len(self.batches[0])


def _letters(text: str) -> str:
    """Give what no tokeniser and no treebank changes.

    >>> _letters("(He didn't.)") == _letters("( He did n't . )")
    True
    >>> _letters("Rosa&#39;s &quot;") == _letters("Rosa & # 39 ; s") == _letters("Rosa ' s")
    True
    """
    return "".join(filter(str.isalnum, html.unescape("".join(text.split())))).casefold()


def _label(text: str, given: ParseSource | None) -> str:
    """Name parses for an error message."""
    return f"{display_name(given)} ({text})" if isinstance(given, (str, os.PathLike)) else f"parses of {text}"
