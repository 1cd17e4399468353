"""A batch: some consecutive segments of one system, with everything metrics ask of them, made once."""

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
    """Words and lines of some segments: the hypothesis, each reference, and how their words are matched."""

    hypothesis: Tokens
    references: tuple[Tokens, ...]
    hypothesis_lines: pa.LargeStringArray
    reference_lines: tuple[pa.LargeStringArray, ...]
    match: Callable[[Tokens, Tokens, Weights | None], Matches]
    weighted: bool = False
    """Whether words match in more than one way, so that it matters what the ways weigh."""


class Batch:
    """Some segments of one system: word orders against each reference, or text they follow from, or both.

    Orders that are given win; otherwise they come from the matched words. Everything with several references has
    one entry for each of them. Metrics are only asked of batches that have what they need.
    """

    text: Text
    hypothesis: Tokens
    """Words of the hypothesis."""
    references: tuple[Tokens, ...]
    """Words of each reference."""
    alignments: Alignments
    """Links between the source and the hypothesis."""
    parses: tuple[ParseLists[DependencyTrees], tuple[ParseLists[DependencyTrees], ...]]
    """Parses of the hypotheses, and for each reference its parses."""

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

    def __getattr__(self, name: str) -> NoReturn:  # what was not given
        if name.startswith("_"):
            raise AttributeError(name)
        raise UsageError(f"this input has no {name}")

    @classmethod
    def of_sentences(
        cls, hypothesis: str, references: Sequence[str], *, tokenizer: str = "13a", lowercase: bool = False
    ) -> Batch:
        """Return one segment as a batch, its words matched exactly."""
        from wordorder.core.text import lines_of, lower_lines, tokenise
        from wordorder.linking.matching import Matching

        lines = tuple(lines_of([sentence]) for sentence in (hypothesis, *references))
        lines = tuple(map(lower_lines, lines)) if lowercase else lines
        words = tokenise(lines, tokenizer=tokenizer)
        return cls(text=Text(words[0], words[1:], lines[0], lines[1:], Matching().over(words[0].vocabulary)))

    @classmethod
    def of_draws(cls, draws: Sequence[Batch]) -> Batch:
        """Return segments whose orders were drawn several times, as batches that differ in their orders alone."""
        made = copy(draws[0])
        made._draws = tuple(draws)
        return made

    @property
    def draws(self) -> tuple[Batch, ...]:
        """The same segments in every draw of their orders; what metrics count is the mean over them."""
        return self._draws or (self,)

    def with_given(self, scores: Mapping[str, Floats]) -> Batch:
        """Return the same segments with scores that others computed, by name."""
        extended = copy(self)
        extended._scores = scores
        extended._draws = tuple(draw.with_given(scores) for draw in self._draws)
        return extended

    def given_scores(self, name: str) -> Floats:
        """Return the scores that were given under a name, one per segment."""
        if name not in self._scores:
            raise choices(name, list(self._scores), what="name of given scores")
        return self._scores[name]

    @property
    def has_text(self) -> bool:
        """Whether the batch has the words of hypotheses and references."""
        return "text" in vars(self)

    @property
    def has_orders(self) -> bool:
        """Whether the word orders were given, instead of following from matched words."""
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
        """Return the same segments with parses: those of the hypotheses first, then those of each reference.

        ``forests`` are expected dependencies in the same order, by the γ that flattened them.
        """
        extended = copy(self)
        extended.parses, extended._forests = (parses[0], parses[1:]), forests or {}
        extended._draws = tuple(draw.with_parses(*parses, forests=forests) for draw in self._draws)
        return extended

    def forests(self, gamma: float) -> tuple[ExpectedDependencies, ...]:
        """Return the expected dependencies under p^γ: those of the hypotheses first, then those of each reference."""
        if gamma not in self._forests:
            raise UsageError("this input has no forests")
        return self._forests[gamma]

    @cached_property
    def orders(self) -> tuple[Orders, ...]:
        """Word orders against each reference."""
        if self._orders is not None:
            return tuple(Orders(column) for column in self._orders)
        return tuple(Orders(matches.orders()) for matches in self.matches)

    @cached_property
    def pairs(self) -> Floats:
        """Pairs of source words in the right order, in the wrong one and left open, ``[segments, references, 3]``."""
        if self._pairs is None:
            raise UsageError("this input has no links between the source and its translations")
        return self._pairs()

    @property
    def order_words(self) -> Int64s:
        """Number of words in the order of each segment; of several references, against the one with most of them."""
        if self._orders is not None:
            counts = [column.lengths for column in self._orders]
        else:
            counts = [sum_rows(matches.reference_size, matches.offsets) for matches in self.matches]
        result: Int64s = np.max(counts, axis=0)
        return result

    @cached_property
    def weights(self) -> Floats:
        """Weight of each segment under each reference, ``[segments, references]``."""
        if self._weights is not None:
            return self._weights
        columns = self._orders if self._orders is not None else self.references
        return np.ones((len(columns[0]), len(columns)))

    @cached_property
    def lines(self) -> tuple[list[str], list[list[str]]]:
        """Lines as metrics of characters see them: hypotheses, and for each reference its lines."""
        text = self.text
        return text.hypothesis_lines.to_pylist(), [lines.to_pylist() for lines in text.reference_lines]

    @property
    def matches(self) -> tuple[Matches, ...]:
        """Matched words against each reference."""
        return self.matches_weighted()

    def matches_weighted(self, weights: Weights | None = None, *, punctuation: bool = True) -> tuple[Matches, ...]:
        """Return the words matched against each reference with these weights of stages, by default equal ones.

        Without punctuation, places count the other words alone (``words``).
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
        """BLEU's statistics over all references, ``[segments, 10]``."""
        return ngram_statistics(self.hypothesis, self.references)
