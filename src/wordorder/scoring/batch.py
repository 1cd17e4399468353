"""A batch: some consecutive segments of one system, with everything metrics ask of them, made once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wordorder.metrics.base import Orders
from wordorder.metrics.ngrams import ngram_statistics
from wordorder.orders.alignment import Alignments
from wordorder.orders.permutation import Permutations
from wordorder.runtime.errors import UsageError

if TYPE_CHECKING:
    import pyarrow as pa

    from wordorder.matching import Matches
    from wordorder.text import Tokens
    from wordorder.trees import DependencyTrees, ParseLists


@dataclass(frozen=True, eq=False)
class Text:
    """Words and lines of some segments: the hypothesis, each reference, and how their words are matched."""

    hypothesis: Tokens
    references: tuple[Tokens, ...]
    hypothesis_lines: pa.LargeStringArray
    reference_lines: tuple[pa.LargeStringArray, ...]
    match: Callable[[Tokens, Tokens], Matches]


@dataclass(frozen=True, eq=False)
class Parses:
    """Parses of some segments: of the hypotheses, and of each reference."""

    hypothesis: ParseLists[DependencyTrees]
    references: tuple[ParseLists[DependencyTrees], ...]


class Batch:
    """Some segments of one system: word orders against each reference, or text they follow from, or both.

    Orders that are given win; otherwise they come from the matched words.
    """

    def __init__(
        self,
        orders: Sequence[Permutations] | None = None,
        *,
        text: Text | None = None,
        alignments: Alignments | None = None,
        weights: NDArray[np.float64] | None = None,
        parses: Parses | None = None,
    ) -> None:
        self._given = orders
        self._text = text
        self._alignments = alignments
        self._weights = weights
        self._parses = parses

    def __len__(self) -> int:
        if self._given is not None:
            return len(self._given[0])
        return len(self.text.hypothesis) if self._text is not None else len(self.parses[0])

    def with_parses(self, parses: Parses) -> Batch:
        """Give the same segments with parses."""
        return Batch(self._given, text=self._text, alignments=self._alignments, weights=self._weights, parses=parses)

    @property
    def text(self) -> Text:
        """The words and lines; metrics that need text are only asked where there is some."""
        if self._text is None:
            raise UsageError("this input has no text")
        return self._text

    @cached_property
    def orders(self) -> Sequence[Orders]:
        """Word orders against each reference."""
        if self._given is not None:
            return tuple(Orders(column) for column in self._given)
        return tuple(Orders(matches.orders()) for matches in self.matches)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """Weight of each segment under each reference."""
        return np.ones((len(self), len(self.orders))) if self._weights is None else self._weights

    @property
    def hypothesis(self) -> Tokens:
        """Words of the hypothesis."""
        return self.text.hypothesis

    @property
    def references(self) -> Sequence[Tokens]:
        """Words of each reference."""
        return self.text.references

    @cached_property
    def lines(self) -> tuple[list[str], list[list[str]]]:
        """Lines as they were given: hypotheses, and for each reference its lines."""
        text = self.text
        return text.hypothesis_lines.to_pylist(), [lines.to_pylist() for lines in text.reference_lines]

    @cached_property
    def matches(self) -> Sequence[Matches]:
        """Matched words against each reference."""
        return tuple(self.text.match(self.hypothesis, reference) for reference in self.references)

    @property
    def alignments(self) -> Alignments:
        """Links between the source and the hypothesis."""
        if self._alignments is None:
            raise UsageError("this input has no alignment with the source")
        return self._alignments

    @property
    def parses(self) -> tuple[ParseLists[DependencyTrees], Sequence[ParseLists[DependencyTrees]]]:
        """Parses of the hypotheses, and for each reference its parses."""
        if self._parses is None:
            raise UsageError("this input has no parses")
        return self._parses.hypothesis, self._parses.references

    @cached_property
    def ngrams(self) -> NDArray[np.float64]:
        """BLEU's statistics over all references."""
        return ngram_statistics(self.hypothesis, self.references)
