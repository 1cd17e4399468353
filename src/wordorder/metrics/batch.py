"""A batch: consecutive segments of one system, with everything that metrics need, each computed at most once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from wordorder.core.orders.alignment import Alignments
from wordorder.core.orders.permutation import Permutations
from wordorder.core.orders.trees import PermutationTrees
from wordorder.core.runtime.columns import Floats, Int64s, sum_rows
from wordorder.core.runtime.errors import UsageError, choices
from wordorder.metrics.ngrams import ngram_statistics

if TYPE_CHECKING:
    import pyarrow as pa

    from wordorder.core.text import Tokens
    from wordorder.core.trees import DependencyTrees, ExpectedDependencies, ParseLists
    from wordorder.linking.matching import Matches, Weights


@dataclass(frozen=True, eq=False)
class Orders:
    """Word orders of a batch together with their permutation trees, which are built at most once."""

    permutations: Permutations

    def __len__(self) -> int:
        return len(self.permutations)

    @cached_property
    def trees(self) -> PermutationTrees:
        """The flattened permutation trees."""
        return PermutationTrees.of(self.permutations)


@dataclass(frozen=True, eq=False)
class Text:
    """The words and lines of the hypothesis and each reference, and the function that matches words."""

    hypothesis: Tokens
    references: tuple[Tokens, ...]
    hypothesis_lines: pa.LargeStringArray
    reference_lines: tuple[pa.LargeStringArray, ...]
    match: Callable[[Tokens, Tokens, Weights | None], Matches]
    weighted: bool = False
    """Whether words can match in several stages, so that the weights of the stages make a difference."""


class Batch:
    """Some segments of one system: their word orders against each reference, their text, or both.

    Orders that were given take precedence; otherwise they are derived from the matched words. Values that depend on
    the reference have one entry for each reference. A metric is only applied to batches that have what it needs.
    """

    text: Text
    hypothesis: Tokens
    """The words of the hypothesis."""
    references: tuple[Tokens, ...]
    """The words of each reference."""
    alignments: Alignments
    """The links between the source and the hypothesis."""
    parses: tuple[ParseLists[DependencyTrees], tuple[ParseLists[DependencyTrees], ...]]
    """The parses of the hypotheses, and the parses of each reference."""

    def __init__(
        self,
        orders: Sequence[Permutations] | None = None,
        *,
        text: Text | None = None,
        alignments: Alignments | None = None,
        weights: Floats | None = None,
        parses: tuple[ParseLists[DependencyTrees], ...] | None = None,
        forests: Mapping[float, tuple[ExpectedDependencies, ...]] | None = None,
        pairs: Callable[[], Floats] | None = None,
    ) -> None:
        self._orders = orders
        self._matched: dict[tuple[Weights | None, bool], tuple[Matches, ...]] = {}
        self._weights = weights
        self._draws: tuple[Batch, ...] = ()
        self._pairs = pairs
        self._forests = forests or {}
        self._scores: Mapping[str, Floats] = {}
        if text is not None:
            self.text, self.hypothesis, self.references = text, text.hypothesis, text.references
        if alignments is not None:
            self.alignments = alignments
        if parses:
            self.parses = parses[0], parses[1:]

    def __getattr__(self, name: str) -> NoReturn:  # called for attributes that were not given
        if name.startswith("_"):
            raise AttributeError(name)
        raise UsageError(f"this input has no {name}")

    @classmethod
    def of_sentences(
        cls, hypothesis: str, references: Sequence[str], *, tokenizer: str = "13a", lowercase: bool = False
    ) -> Batch:
        """Return a batch of one segment whose words are matched exactly."""
        from wordorder.core.text import lines_of, lower_lines, tokenise
        from wordorder.linking.matching import Matching

        lines = tuple(lines_of([sentence]) for sentence in (hypothesis, *references))
        lines = tuple(map(lower_lines, lines)) if lowercase else lines
        words = tokenise(lines, tokenizer=tokenizer)
        return cls(text=Text(words[0], words[1:], lines[0], lines[1:], Matching().over(words[0].vocabulary)))

    @classmethod
    def of_draws(cls, draws: Sequence[Batch]) -> Batch:
        """Return a batch for orders that were drawn several times; the given batches differ only in orders."""
        made = copy(draws[0])
        made._draws = tuple(draws)
        return made

    @property
    def draws(self) -> tuple[Batch, ...]:
        """One batch for each draw of the orders; the statistics of a metric are the mean over them."""
        return self._draws or (self,)

    def with_given(self, scores: Mapping[str, Floats]) -> Batch:
        """Return the same segments with scores that were computed elsewhere, by name."""
        extended = copy(self)
        extended._scores = scores
        extended._draws = tuple(draw.with_given(scores) for draw in self._draws)
        return extended

    def given_scores(self, name: str) -> Floats:
        """Return the external scores with the given name, one per segment."""
        if name not in self._scores:
            raise choices(name, list(self._scores), what="name of given scores")
        return self._scores[name]

    @property
    def has_text(self) -> bool:
        """Whether the batch has the words of hypotheses and references."""
        return "text" in vars(self)

    @property
    def has_orders(self) -> bool:
        """Whether the word orders were given, rather than derived from matched words."""
        return self._orders is not None

    def __len__(self) -> int:
        if self._orders is not None:
            return len(self._orders[0])
        return len(self.hypothesis if self.has_text else self.parses[0])

    def with_parses(
        self,
        *parses: ParseLists[DependencyTrees],
        forests: Mapping[float, tuple[ExpectedDependencies, ...]] | None = None,
    ) -> Batch:
        """Return the same segments with parses: first those of the hypotheses, then those of each reference.

        ``forests`` are expected dependencies in the same order, for each γ.
        """
        extended = copy(self)
        extended._forests = forests or {}
        if parses:
            extended.parses = parses[0], parses[1:]
        extended._draws = tuple(draw.with_parses(*parses, forests=forests) for draw in self._draws)
        return extended

    def forests(self, gamma: float) -> tuple[ExpectedDependencies, ...]:
        """Return the expected dependencies under p^γ: first those of the hypotheses, then those of each reference."""
        if gamma not in self._forests:
            raise UsageError("this input has no forests")
        return self._forests[gamma]

    @cached_property
    def orders(self) -> tuple[Orders, ...]:
        """The word orders against each reference."""
        if self._orders is not None:
            return tuple(Orders(column) for column in self._orders)
        return tuple(Orders(matches.orders()) for matches in self.matches)

    @cached_property
    def pairs(self) -> Floats:
        """Source word pairs in the right order, in the wrong order and undecided, ``[segments, references, 3]``."""
        if self._pairs is None:
            raise UsageError("this input has no links between the source and the translations")
        return self._pairs()

    @property
    def order_words(self) -> Int64s:
        """The number of words in the order of each segment; with several references, the largest of these numbers."""
        if self._orders is not None:
            counts = [column.lengths for column in self._orders]
        else:
            counts = [sum_rows(matches.reference_size, matches.offsets) for matches in self.matches]
        result: Int64s = np.max(counts, axis=0)
        return result

    @cached_property
    def weights(self) -> Floats:
        """The weight of each segment under each reference, ``[segments, references]``."""
        if self._weights is not None:
            return self._weights
        columns = self._orders if self._orders is not None else self.references
        return np.ones((len(columns[0]), len(columns)))

    @cached_property
    def lines(self) -> tuple[list[str], list[list[str]]]:
        """The lines that character metrics compare: those of the hypotheses, and those of each reference."""
        text = self.text
        return text.hypothesis_lines.to_pylist(), [lines.to_pylist() for lines in text.reference_lines]

    @property
    def matches(self) -> tuple[Matches, ...]:
        """The matched words against each reference."""
        return self.matches_weighted()

    def matches_weighted(self, weights: Weights | None = None, *, punctuation: bool = True) -> tuple[Matches, ...]:
        """Return the words matched against each reference, with the given weights of the stages.

        All stages have equal weights by default. Without punctuation, positions count only the remaining words (see
        ``words``).
        """
        if not self.text.weighted or weights == (1, 1, 1, 1):
            weights = None
        key = weights, punctuation
        if key not in self._matched:
            hypothesis, references = self.words(punctuation=punctuation)
            self._matched[key] = tuple(self.text.match(hypothesis, reference, weights) for reference in references)
        return self._matched[key]

    def words(self, *, punctuation: bool = True) -> tuple[Tokens, tuple[Tokens, ...]]:
        """Return the words of the hypothesis and of each reference, with or without punctuation."""
        return (self.hypothesis, self.references) if punctuation else self._without_punctuation

    @cached_property
    def _without_punctuation(self) -> tuple[Tokens, tuple[Tokens, ...]]:
        from wordorder.core.text import drop_punctuation

        hypothesis, *references = drop_punctuation([self.hypothesis, *self.references])
        return hypothesis, tuple(references)

    @cached_property
    def ngrams(self) -> Floats:
        """The statistics of BLEU over all references, ``[segments, 10]``."""
        return ngram_statistics(self.hypothesis, self.references)
