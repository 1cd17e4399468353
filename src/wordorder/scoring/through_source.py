"""Orders through the source: links between the source and every text, from files or from an aligner.

An aligner learns from whole texts, so here, unlike elsewhere, texts are held in memory.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from wordorder.aligning import DEFAULT_METHOD, DEFAULT_MODEL, METHODS, MODELS, Aligner, load, train
from wordorder.formats import read_alignments
from wordorder.metrics.base import Metric, Orders
from wordorder.metrics.combined import LRscore
from wordorder.metrics.flat import KendallSqrt
from wordorder.orders.alignment import Alignments
from wordorder.orders.projection import order_against_reference, order_against_source
from wordorder.runtime.errors import InputError, LengthError, UsageError, choices
from wordorder.runtime.files import LINES_PER_BLOCK
from wordorder.runtime.threads import spans
from wordorder.scoring.batch import Batch, Text
from wordorder.scoring.inputs import (
    AlignmentSource,
    Blocks,
    TextInputs,
    TextSource,
    reference_weights,
    text_blocks,
)
from wordorder.text import Tokens, tokenise
from wordorder.text.joining import concatenate, lower


@dataclass(frozen=True)
class Aligning:
    """Which aligner makes the links that are not given, and what it learns from.

    A saved model (``model_file``) is taken as it is. Otherwise a model is trained on the texts to be scored, with the
    training texts before them if there are any.

    >>> str(Aligning(symmetrise="intersection"))
    'hmm+intersection'
    """

    model: str = DEFAULT_MODEL
    symmetrise: str = DEFAULT_METHOD
    model_file: str | None = None
    train_source: TextSource | None = None
    train_target: TextSource | None = None

    def __post_init__(self) -> None:  # before anybody waits for a training that cannot be used
        if self.model not in MODELS:
            raise choices(self.model, list(MODELS), what="alignment model")
        if self.symmetrise not in METHODS:
            raise choices(self.symmetrise, list(METHODS), what="symmetrisation")
        if (self.train_source is None) != (self.train_target is None):
            raise UsageError("training text needs both sides: source and target")
        if self.model_file is not None and self.train_source is not None:
            raise UsageError("a saved model is not trained again; leave out the training text")

    def __str__(self) -> str:
        return f"{self.model_file or self.model}+{self.symmetrise}"


@dataclass(frozen=True, eq=False)
class SourceTexts:
    """The source with every reference and system, tokenised over one vocabulary, and their links."""

    inputs: TextInputs
    source: TextSource
    aligning: Aligning
    given_references: Sequence[AlignmentSource] = ()
    given_systems: Mapping[str, AlignmentSource] | None = None
    align_format: str = "pharaoh"
    base: int | None = None
    threads: int = 1

    @cached_property
    def lines(self) -> tuple[pa.LargeStringArray, ...]:
        """Lines of the source, the references, the systems, and the training texts if there are any."""
        blocks = list(self.inputs.blocks(source=self.source))
        if not blocks:
            raise InputError("there is nothing to score: the input has no segments")
        columns = [pa.chunked_array(list(column)).combine_chunks() for column in zip(*blocks, strict=True)]
        if self.aligning.train_source is not None:
            texts = [self.aligning.train_source, self.aligning.train_target]
            columns += [pa.chunked_array(list(text_blocks(text))).combine_chunks() for text in texts]
            if len(columns[-1]) != len(columns[-2]):
                raise InputError(
                    f"the training texts differ in length: {len(columns[-2])} and {len(columns[-1])} lines"
                )
        return tuple(columns)

    @cached_property
    def tokens(self) -> tuple[Tokens, ...]:
        """Words of the same texts."""
        return tokenise(self.lines, tokenizer=self.inputs.tokenizer, lowercase=self.inputs.lowercase)

    @property
    def source_tokens(self) -> Tokens:
        """Words of the source."""
        return self.tokens[0]

    @property
    def reference_tokens(self) -> tuple[Tokens, ...]:
        """Words of each reference."""
        return self.tokens[1 : 1 + len(self.inputs.references)]

    @property
    def system_tokens(self) -> tuple[Tokens, ...]:
        """Words of each system."""
        start = 1 + len(self.inputs.references)
        return self.tokens[start : start + len(self.inputs.systems)]

    @cached_property
    def aligner(self) -> Aligner:
        """The aligner: loaded, or trained on everything there is."""
        if self.aligning.model_file is not None:
            return load(self.aligning.model_file)
        source, *targets = self.lowered[: 1 + len(self.inputs.references) + len(self.inputs.systems)]
        if not targets:
            raise UsageError("there is nothing to align the source with")
        extra = self.lowered[1 + len(targets) :]
        return train(
            concatenate([*extra[:1], *[source] * len(targets)]),
            concatenate([*extra[1:], *targets]),
            model=self.aligning.model,
            threads=self.threads,
        )

    @property
    def signature(self) -> dict[str, object]:
        """Say where the links come from: given, or which aligner made them and what it learnt from."""
        given = bool(self.given_references or self.given_systems)
        aligned = not self.given_systems or (bool(self.inputs.references) and not self.given_references)
        told: dict[str, object] = {"aligner": "+".join(["given"] * given + [str(self.aligning)] * aligned)}
        if aligned and self.aligning.train_source is not None:
            told["train_pairs"] = len(self.lines[-1])
        return told

    @cached_property
    def lowered(self) -> tuple[Tokens, ...]:
        """The same words in lower case: rare words align better."""
        return lower(self.tokens)

    @cached_property
    def reference_links(self) -> tuple[Alignments, ...]:
        """Links between the source and each reference."""
        if self.given_references and len(self.given_references) != len(self.inputs.references):
            raise UsageError(
                f"{len(self.given_references)} reference alignments for {len(self.inputs.references)} references"
            )
        return tuple(
            self._links(1 + r, f"reference {r + 1}", self.given_references[r] if self.given_references else None)
            for r in range(len(self.inputs.references))
        )

    @cached_property
    def system_links(self) -> tuple[Alignments, ...]:
        """Links between the source and each system."""
        given = self.given_systems or {}
        if given and set(given) != set(self.inputs.systems):
            raise UsageError(
                f"alignments are given for {', '.join(given)}, but the systems are {', '.join(self.inputs.systems)}; "
                "give one for each of them, or none"
            )
        first = 1 + len(self.inputs.references)
        return tuple(self._links(first + s, name, given.get(name)) for s, name in enumerate(self.inputs.systems))

    def with_links(self, references: Sequence[Alignments], systems: Sequence[Alignments]) -> SourceTexts:
        """Give the same texts with other links."""
        changed = replace(self)
        changed.__dict__.update(
            lines=self.lines, tokens=self.tokens, reference_links=tuple(references), system_links=tuple(systems)
        )
        return changed

    def likely_links(self) -> tuple[list[Alignments], list[Alignments]]:
        """Give links with probabilities to sample from, of each reference and of each system.

        The aligner's are those of a source word for each target word. Links that are given stay as they are.
        """
        first = 1 + len(self.inputs.references)
        return (
            list(self.reference_links) if self.given_references else [self._posteriors(r) for r in range(1, first)],
            list(self.system_links)
            if self.given_systems
            else [self._posteriors(first + s) for s in range(len(self.inputs.systems))],
        )

    def dk(self, policy: str) -> float:
        """Give the mean kendall-sqrt of source→reference against monotone: how little the languages reorder.

        It is rounded to four digits, so that the metric that is printed is the metric that was computed.
        """
        values = [
            KendallSqrt().values(Orders(order_against_source(links, policy=policy))) for links in self.reference_links
        ]
        known = np.concatenate(values)
        known = known[~np.isnan(known)]
        if not len(known):
            raise InputError("no source word is linked to any reference: there is no order to compare with")
        return round(float(known.mean()), 4)

    def _posteriors(self, place: int) -> Alignments:
        return self.aligner.posteriors(
            self.lowered[0], self.lowered[place], direction="forward", threads=self.threads
        )

    def _links(self, place: int, name: str, given: AlignmentSource | None) -> Alignments:
        if given is None:
            return self.aligner.align(
                self.lowered[0],
                self.lowered[place],
                symmetrise=self.aligning.symmetrise,
                threads=self.threads,
            )
        source, target = (column.lengths.astype(np.int32) for column in (self.source_tokens, self.tokens[place]))
        try:
            if isinstance(given, (str, os.PathLike)):
                blocks = read_alignments(
                    given, format=self.align_format, base=self.base, source_lengths=source, target_lengths=target
                )
                return Alignments.concatenate(list(blocks))
            column = given if isinstance(given, Alignments) else Alignments.of(given)
            if len(column) != len(source):
                raise InputError(f"{len(column)} alignments for {len(source)} source sentences", path=name)
            return column.with_lengths(source=source, target=target)
        except LengthError as error:
            raise InputError(
                f"{error.message}; links count the words of the text as it is tokenised here "
                f"({self.inputs.tokenizer}; --tokenize none takes it as it is)",
                path=error.path or name,
                line=error.line,
            ) from None


def source_batches(texts: SourceTexts, *, policy: str, weights: str, lines: int = LINES_PER_BLOCK) -> Blocks:
    """Compare the orders of the source words in each system and each reference; words for the lexical metrics."""
    orders = [
        [order_against_reference(links, gold, policy=policy) for gold in texts.reference_links]
        for links in texts.system_links
    ]
    inputs = texts.inputs
    match = inputs.matching.over(texts.source_tokens.vocabulary)
    gold = len(inputs.references)
    for start, stop in spans(len(texts.source_tokens), lines):
        references = tuple(tokens.slice(start, stop) for tokens in texts.reference_tokens)
        block = tuple(column[start:stop] for column in texts.lines)
        yield [
            Batch(
                [column[start:stop] for column in orders[s]],
                text=Text(words.slice(start, stop), references, block[1 + gold + s], block[1 : 1 + gold], match),
                weights=reference_weights(references, weights),
            )
            for s, words in enumerate(texts.system_tokens)
        ]


def monotone_batches(columns: Sequence[Alignments], *, policy: str) -> Blocks:
    """Compare the order of each text with the source itself."""
    for start, stop in spans(len(columns[0]), LINES_PER_BLOCK):
        blocks = [column[start:stop] for column in columns]
        yield [Batch([order_against_source(block, policy=policy)], alignments=block) for block in blocks]


def set_dk(metrics: Sequence[Metric], dk: float) -> tuple[Metric, ...]:
    """Let LRscores without a given α take it from the amount of reordering: α = θ^{d_k}."""
    return tuple(
        replace(metric, dk=dk) if isinstance(metric, LRscore) and metric.alpha is None else metric
        for metric in metrics
    )
