"""The result of matching: a column of matches with one row per sentence pair."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordorder.core.orders import Permutations
from wordorder.core.orders.common import MatchedWords
from wordorder.core.runtime.columns import Bools, Int64s, Ints, Joinable, offsets_from_lengths, positions, rows_of
from wordorder.core.runtime.errors import InputError, count_of
from wordorder.core.text import Tokens

ROWS_AT_A_TIME = 4096

STAGES = ("exact", "stem", "synonym", "paraphrase")
"""The matching stages in METEOR's order; ``Matches.stage`` contains indices into this tuple."""

Weights = tuple[float, float, float, float]

WEIGHTS: Weights = (1.0, 1.0, 1.0, 1.0)
"""The default weight of a matched word in each stage."""


@dataclass(frozen=True, eq=False)
class Chunks(Joinable):
    """Chunks of matches: words that are adjacent and in the same order on both sides.

    A chunk links ``hypothesis_size`` words, starting at word ``hypothesis``, with ``reference_size`` words, starting
    at word ``reference``. The sizes differ only if multi-word paraphrases were matched.
    """

    hypothesis: Ints
    hypothesis_size: Ints
    reference: Ints
    reference_size: Ints
    offsets: Int64s

    @classmethod
    def of_matches(cls, matches: "Matches | Chunks") -> "Chunks":
        """Merge matches that are adjacent and in the same order on both sides.

        >>> from wordorder.linking.matching import match
        >>> from wordorder.core.text import tokenise
        >>> found = Chunks.of_matches(match(*tokenise([["it sat the cat"], ["the cat sat"]])))
        >>> found.hypothesis.tolist(), found.hypothesis_size.tolist(), found.reference.tolist()
        ([1, 2], [1, 2], [2, 0])
        """
        rows = rows_of(matches.offsets)
        first = np.ones(len(rows), dtype=np.bool_)
        first[1:] = rows[1:] != rows[:-1]
        sides = (matches.hypothesis, matches.hypothesis_size), (matches.reference, matches.reference_size)
        for start, size in sides:
            first[1:] |= start[1:] != start[:-1] + size[:-1]
        begins = np.flatnonzero(first)
        sizes = [np.add.reduceat(size, begins).astype(np.int32) if len(begins) else size for _, size in sides]
        offsets = np.append(0, np.cumsum(first))[matches.offsets]
        return cls(matches.hypothesis[first], sizes[0], matches.reference[first], sizes[1], offsets)

    @classmethod
    def of_orders(cls, orders: Permutations) -> "Chunks":
        """Return the chunks of word orders, that is, their maximal runs of consecutive ranks.

        >>> Chunks.of_orders(Permutations.of(["3 1 2"])).reference.tolist()
        [2, 0]
        """
        ones = np.ones(len(orders.ranks), dtype=np.int32)
        return cls.of_matches(cls(positions(orders.offsets), ones, orders.ranks, ones, orders.offsets))


@dataclass(frozen=True, eq=False)
class Matches(Joinable):
    """The matched words of each row.

    The matches of row i are at ``offsets[i]:offsets[i + 1]``, in hypothesis order. A match links ``hypothesis_size``
    words of the hypothesis, starting at word ``hypothesis``, with ``reference_size`` words of the reference, starting
    at word ``reference``. The sizes are 1 except for multi-word paraphrases. ``proven`` marks the rows for which it
    is certain that no better matching exists.
    """

    hypothesis: Ints
    hypothesis_size: Ints
    reference: Ints
    reference_size: Ints
    stage: NDArray[np.int8]
    offsets: Int64s
    proven: Bools

    @property
    def chunks(self) -> Int64s:
        """The number of chunks of each row; a chunk is a maximal run of matches that are adjacent on both sides."""
        return Chunks.of_matches(self).lengths

    @property
    def hypothesis_words(self) -> Int64s:
        """The number of matched hypothesis words in each row and stage, an array of shape ``[rows, 4]``."""
        return self.by_stage(self.hypothesis_size)

    @property
    def reference_words(self) -> Int64s:
        """The number of matched reference words in each row and stage, an array of shape ``[rows, 4]``."""
        return self.by_stage(self.reference_size)

    def by_stage(self, counts: NDArray[np.integer]) -> Int64s:
        """Add up counts, given per match, for each row and stage; the result has the shape ``[rows, 4]``."""
        cells = rows_of(self.offsets) * len(STAGES) + self.stage
        sums = np.bincount(cells, weights=counts, minlength=len(self) * len(STAGES))
        return sums.astype(np.int64).reshape(len(self), len(STAGES))

    def matched_words(self) -> MatchedWords:
        """Return the positions of the matched reference words, in hypothesis order."""
        sizes = self.reference_size.astype(np.int64)
        ends = np.append(0, np.cumsum(sizes))
        words = np.repeat(self.reference, sizes) + np.arange(ends[-1]) - np.repeat(ends[:-1], sizes)
        return MatchedWords(words.astype(np.uint16), ends[self.offsets])

    def orders(self) -> Permutations:
        """Return the order of the matched words: the rank of the matched reference word, in hypothesis order.

        A match of several words contributes the ranks of all its reference words, in ascending order. A row therefore
        has as many ranks as matched reference words.
        """
        # Rank the matches of a row by reference start, and count the reference words of the preceding matches.
        rows = rows_of(self.offsets)
        by_reference = np.lexsort((self.reference, rows))
        sizes = self.reference_size.astype(np.int64)
        ends = np.cumsum(sizes[by_reference])
        first = np.empty(len(rows), dtype=np.int64)
        first[by_reference] = ends - sizes[by_reference]
        total = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum(sizes, out=total[1:])
        first -= total[self.offsets[:-1]][rows]
        within = np.arange(total[-1]) - np.repeat(total[:-1], sizes)
        ranks = (np.repeat(first, sizes) + within).astype(np.int32)
        return Permutations(ranks, offsets_from_lengths(np.diff(total[self.offsets])))


def check_columns(hypothesis: Tokens, reference: Tokens) -> None:
    """Raise an error unless hypotheses and references have the same number of rows and share a vocabulary."""
    if len(hypothesis) != len(reference):
        hypotheses = count_of(len(hypothesis), "hypothesis", "hypotheses")
        raise InputError(f"{hypotheses} but {count_of(len(reference), 'reference')}")
    if hypothesis.vocabulary is not reference.vocabulary and not hypothesis.vocabulary.equals(reference.vocabulary):
        raise InputError("hypotheses and references must share one vocabulary; tokenise them together")
