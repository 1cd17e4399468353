"""The result of matching: a column of matched words, one row per sentence pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordorder.orders import Permutations
from wordorder.runtime.ragged import frozen, join_offsets, offsets_from_lengths, rows_of

STAGES = ("exact", "stem", "synonym", "paraphrase")
"""The ways two words can match, in the order METEOR tries them; ``stage`` holds indices into this."""

Weights = tuple[float, float, float, float]

WEIGHTS: Weights = (1.0, 1.0, 1.0, 1.0)
"""What a matched word counts by stage, unless said otherwise."""


@dataclass(frozen=True, eq=False)
class Matches:
    """Matches of row i stand at ``offsets[i]:offsets[i + 1]``, in the order of the hypothesis.

    A match joins the hypothesis words from ``hypothesis`` on, ``hypothesis_size`` of them, with the reference words
    from ``reference`` on; the sizes are 1 except for paraphrases of several words. ``exact`` tells for each row
    whether the search was exact or a beam.
    """

    hypothesis: NDArray[np.int32]
    hypothesis_size: NDArray[np.int32]
    reference: NDArray[np.int32]
    reference_size: NDArray[np.int32]
    stage: NDArray[np.int8]
    offsets: NDArray[np.int64]
    exact: NDArray[np.bool_]
    weights: Weights = WEIGHTS

    def __post_init__(self) -> None:
        for column in (self.hypothesis, self.hypothesis_size, self.reference, self.reference_size, self.stage):
            frozen(column)
        frozen(self.offsets)
        frozen(self.exact)

    @classmethod
    def concatenate(
        cls, parts: Sequence[Matches], *, weights: tuple[float, float, float, float] = WEIGHTS
    ) -> Matches:
        """Put columns one after another."""
        if not parts:
            none = np.zeros(0, np.int32)
            return cls(
                none, none, none, none, np.zeros(0, np.int8), np.zeros(1, np.int64), np.zeros(0, np.bool_), weights
            )
        return cls(
            np.concatenate([part.hypothesis for part in parts]),
            np.concatenate([part.hypothesis_size for part in parts]),
            np.concatenate([part.reference for part in parts]),
            np.concatenate([part.reference_size for part in parts]),
            np.concatenate([part.stage for part in parts]),
            join_offsets([part.offsets for part in parts]),
            np.concatenate([part.exact for part in parts]),
            weights,
        )

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def chunks(self) -> NDArray[np.int64]:
        """Give the number of chunks of each row: maximal runs of matches adjacent on both sides."""
        rows = rows_of(self.offsets)
        linked = np.zeros(len(rows), dtype=np.bool_)
        linked[1:] = (
            (rows[1:] == rows[:-1])
            & (self.hypothesis[1:] == self.hypothesis[:-1] + self.hypothesis_size[:-1])
            & (self.reference[1:] == self.reference[:-1] + self.reference_size[:-1])
        )
        return np.bincount(rows[~linked], minlength=len(self))

    @property
    def hypothesis_words(self) -> NDArray[np.int64]:
        """Give the number of matched hypothesis words of each row and stage, [n, 4]."""
        return self._words(self.hypothesis_size)

    @property
    def reference_words(self) -> NDArray[np.int64]:
        """Give the number of matched reference words of each row and stage, [n, 4]."""
        return self._words(self.reference_size)

    def _words(self, sizes: NDArray[np.int32]) -> NDArray[np.int64]:
        cells = rows_of(self.offsets) * len(STAGES) + self.stage
        counts = np.bincount(cells, weights=sizes, minlength=len(self) * len(STAGES))
        return counts.astype(np.int64).reshape(len(self), len(STAGES))

    def _weigh(self, words: NDArray[np.int64]) -> NDArray[np.float64]:
        weighted: NDArray[np.float64] = (words * np.asarray(self.weights)).sum(axis=1)
        return weighted

    @property
    def hypothesis_weight(self) -> NDArray[np.float64]:
        """Give the weighted number of matched hypothesis words of each row."""
        return self._weigh(self.hypothesis_words)

    @property
    def reference_weight(self) -> NDArray[np.float64]:
        """Give the weighted number of matched reference words of each row."""
        return self._weigh(self.reference_words)

    def orders(self) -> Permutations:
        """Give the matched words in hypothesis order, each shown by the rank of its reference word (`matched`).

        A match of several words contributes the words of its reference side in order, so a row has as many ranks as
        matched reference words.
        """
        # Rank the matches of a row by their reference start, and count the reference words of those before.
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
