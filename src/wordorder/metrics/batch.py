"""Batches of consecutive segments of one system; each input that metrics need is computed at most once per batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from wordorder.core.orders.alignment import Alignments
from wordorder.core.orders.permutation import Permutations
from wordorder.core.orders.trees import PermutationTrees, decompose
from wordorder.core.runtime.columns import Floats, Int64s, sum_rows
from wordorder.core.runtime.errors import UsageError, check_choice, refuse
from wordorder.core.runtime.libraries import pa
from wordorder.metrics.ngrams import Characters, ngram_statistics

if TYPE_CHECKING:
    from wordorder.core.text import Tokens
    from wordorder.core.trees import DependencyTrees, ExpectedDependencies, ParseLists
    from wordorder.linking.matching import Matches, Weights


@dataclass(frozen=True, eq=False)
class Orders:
    """The word orders of a batch and their permutation trees, which are built when first needed."""

    permutations: Permutations

    def __len__(self) -> int:
        return len(self.permutations)

    @cached_property
    def trees(self) -> PermutationTrees:
        """The permutation trees of all orders, stored together in flat arrays."""
        return PermutationTrees(*decompose(self.permutations.ranks, self.permutations.offsets))


@dataclass(frozen=True, eq=False)
class Text:
    """The words and original lines of the hypotheses and references, and the function that matches their words."""

    hypothesis: Tokens
    references: tuple[Tokens, ...]
    hypothesis_lines: pa.LargeStringArray
    reference_lines: tuple[pa.LargeStringArray, ...]
    match: Callable[[Tokens, Tokens, Weights | None], Matches]
    weighted: bool = False
    """Whether words are matched in several stages (exact, stem, …), whose weights affect the matches."""


class Batch:
    """Some segments of one system, with their text, their word orders relative to each reference, or both.

    If no word orders are passed to the constructor, they are derived from the words that hypothesis and reference
    share. Values that depend on the reference have one entry for each reference. A metric can be applied to a batch
    only if the batch provides all kinds of input that the metric requires.
    """

    text: Text
    hypothesis: Tokens
    """The words of the hypotheses."""
    references: tuple[Tokens, ...]
    """The words of each reference."""
    alignments: Alignments
    """The links between the source sentences and the hypotheses."""
    parses: tuple[ParseLists[DependencyTrees], tuple[ParseLists[DependencyTrees], ...]]
    """The parses of the hypotheses, followed by the parses of each reference."""

    def __init__(
        self,
        orders: Sequence[Permutations] | Callable[[], Sequence[Permutations]] | None = None,
        *,
        text: Text | None = None,
        alignments: Alignments | None = None,
        weights: Floats | None = None,
        parses: tuple[ParseLists[DependencyTrees], ...] | None = None,
        forests: Mapping[float, tuple[ExpectedDependencies, ...]] | None = None,
        pairs: Callable[[], Floats] | None = None,
    ) -> None:
        self._given_orders = orders
        self._matched: dict[tuple[Weights | None, bool, bool], tuple[Matches, ...]] = {}
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

    def __getattr__(self, name: str) -> NoReturn:  # called only for attributes that were not set
        if name.startswith("_"):
            raise AttributeError(name)
        raise UsageError(f"this input does not include {name}")

    @classmethod
    def of_sentences(
        cls, hypothesis: str, references: Sequence[str], *, tokenizer: str = "13a", lowercase: bool = False
    ) -> Batch:
        """Return a batch of one segment, in which only equal words match."""
        from wordorder.core.text import lines_of, lower_lines, tokenise
        from wordorder.linking.matching import Matching

        lines = tuple(lines_of([sentence]) for sentence in (hypothesis, *references))
        lines = tuple(map(lower_lines, lines)) if lowercase else lines
        words = tokenise(lines, tokenizer=tokenizer)
        return cls(text=Text(words[0], words[1:], lines[0], lines[1:], Matching().over(words[0].vocabulary)))

    @classmethod
    def of_draws(cls, draws: Sequence[Batch]) -> Batch:
        """Combine batches into one; all hold the same segments, but with different samples of the word orders."""
        made = copy(draws[0])
        made._draws = tuple(draws)
        return made

    @property
    def draws(self) -> tuple[Batch, ...]:
        """One batch for each sample of the word orders, or only this batch if the orders are not sampled.

        The statistics of a metric are averaged over these batches.
        """
        return self._draws or (self,)

    def with_given(self, scores: Mapping[str, Floats]) -> Batch:
        """Return a copy of the batch with external scores; ``scores`` maps the name of each kind to its scores."""
        extended = copy(self)
        extended._scores = scores
        extended._draws = tuple(draw.with_given(scores) for draw in self._draws)
        return extended

    def given_scores(self, name: str) -> Floats:
        """Return the external scores with the given name, one per segment."""
        check_choice(name, self._scores, "name of given scores")
        return self._scores[name]

    @property
    def has_text(self) -> bool:
        """Whether the batch contains the words of hypotheses and references."""
        return "text" in vars(self)

    @property
    def has_orders(self) -> bool:
        """Whether the word orders were passed in rather than derived from matched words."""
        return self._given_orders is not None

    @cached_property
    def _orders(self) -> Sequence[Permutations] | None:
        return self._given_orders() if callable(self._given_orders) else self._given_orders

    def __len__(self) -> int:
        if self.has_text:
            return len(self.hypothesis)
        return len(self.parses[0] if self._orders is None else self._orders[0])

    def with_parses(
        self,
        *parses: ParseLists[DependencyTrees],
        forests: Mapping[float, tuple[ExpectedDependencies, ...]] | None = None,
    ) -> Batch:
        """Return a copy of the batch with parses: first those of the hypotheses, then those of each reference.

        ``forests`` maps each value of γ to expected dependencies in the same order.
        """
        extended = copy(self)
        extended._forests = forests or {}
        if parses:
            extended.parses = parses[0], parses[1:]
        extended._draws = tuple(draw.with_parses(*parses, forests=forests) for draw in self._draws)
        return extended

    def forests(self, gamma: float) -> tuple[ExpectedDependencies, ...]:
        """Return the expected dependencies of the hypotheses, followed by those of each reference.

        The probabilities of trees are raised to the power ``gamma``.
        """
        refuse(gamma not in self._forests, "this input has no packed forests; give a grammar")
        return self._forests[gamma]

    @cached_property
    def orders(self) -> tuple[Orders, ...]:
        """The word orders relative to each reference."""
        if self._orders is not None:
            return tuple(Orders(column) for column in self._orders)
        return tuple(Orders(matches.orders()) for matches in self.matches)

    @cached_property
    def pairs(self) -> Floats:
        """The numbers of source word pairs with right, wrong and undecided order, ``[segments, references, 3]``."""
        if self._pairs is None:
            raise UsageError("there are no links between source and translations; give alignments or a source text")
        return self._pairs()

    @property
    def order_words(self) -> Int64s:
        """The number of words in the order of each segment (the largest number if there are several references)."""
        given = self._orders
        result: Int64s = np.max(self.matched_words if given is None else [each.lengths for each in given], axis=0)
        return result

    @cached_property
    def matched_words(self) -> tuple[Int64s, ...]:
        """The number of matched words of each segment, counted in each reference.

        If only equal words match, the matching need not be found: it has as many words as the texts have in common.
        """
        if self.text.weighted:
            return tuple(sum_rows(matches.reference_size, matches.offsets) for matches in self.matches)
        if len(self.references) == 1 and "ngrams" in vars(self):
            return (self.ngrams[:, 2].astype(np.int64),)
        each = (ngram_statistics(self.hypothesis, [reference], orders=1) for reference in self.references)
        return tuple(rows[:, 2].astype(np.int64) for rows in each)

    @cached_property
    def weights(self) -> Floats:
        """The weight of each segment in the comparison with each reference, ``[segments, references]``."""
        if self._weights is not None:
            return self._weights
        columns = self._orders if self._orders is not None else self.references
        return np.ones((len(columns[0]), len(columns)))

    @cached_property
    def characters(self) -> tuple[Characters, ...]:
        """The characters of the original lines of the hypotheses, followed by those of each reference."""
        return tuple(map(Characters.of, (self.text.hypothesis_lines, *self.text.reference_lines)))

    @property
    def matches(self) -> tuple[Matches, ...]:
        """The matches between the hypotheses and each reference."""
        return self.matches_weighted()

    def matches_weighted(
        self, weights: Weights | None = None, *, punctuation: bool = True, case: bool = True
    ) -> tuple[Matches, ...]:
        """Return the word matches with each reference, using the given weights of the matching stages.

        By default, all stages have equal weights. If ``punctuation`` is false, punctuation is removed before
        matching, so that positions count only the remaining words. If ``case`` is false, words match if they differ
        only in case.
        """
        if not self.text.weighted or weights == (1, 1, 1, 1):
            weights = None
        key = weights, punctuation, case
        if key not in self._matched:
            hypothesis, references = (self.hypothesis, self.references) if punctuation else self.without_punctuation
            if not case:
                from wordorder.core.text.tokens import fold_case

                hypothesis, *folded = fold_case([hypothesis, *references])
                references = tuple(folded)
            self._matched[key] = tuple(self.text.match(hypothesis, reference, weights) for reference in references)
        return self._matched[key]

    @cached_property
    def without_punctuation(self) -> tuple[Tokens, tuple[Tokens, ...]]:
        """The words of the hypotheses and of each reference that are not punctuation."""
        from wordorder.core.text import drop_punctuation

        hypothesis, *references = drop_punctuation([self.hypothesis, *self.references])
        return hypothesis, tuple(references)

    @cached_property
    def ngrams(self) -> Floats:
        """The BLEU statistics of the hypotheses against all references, ``[segments, 10]``."""
        return ngram_statistics(self.hypothesis, self.references)
