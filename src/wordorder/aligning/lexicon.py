"""The translation tables t(f|e) and t(e|f): how they are estimated, and how they are read for any text.

With expected counts c(e, f) the probability that source word e is translated by f is

    t(f|e) = (c(e, f) + floor + spelling · likeness(e, f) + stems · b(f|e)) / total(e)

    b(f|e) = p(stem of f | stem of e) · p(f | stem of f)

and total(e) makes it a distribution. Three weak Dirichlet priors, then: on everything alike, on pairs spelt alike,
and on what words with the same stem do (a back-off in the sense of MacKay & Peto 1995). All the weight they have is
a few counts, so they decide about rare words and vanish for frequent ones. With ``variational`` the fraction becomes
exp(ψ(·) − ψ(·)), the mean-field update, which prefers few translations per word (as in Dyer et al. 2013).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wordorder.aligning.cooccurrence import Bitext, Pairs
from wordorder.aligning.lookup import find_emissions
from wordorder.aligning.spelling import classify, letters
from wordorder.runtime.errors import UsageError

if TYPE_CHECKING:
    import pyarrow as pa

NULL_FLOOR = 1e-3
"""Added to the count of every word produced by the null word."""


@dataclass(frozen=True)
class Smoothing:
    """How much is added to the counts of a word pair; the defaults were chosen on six gold-aligned texts."""

    floor: float = 1e-4
    spelling: float = 1.0
    likeness: float = 0.6
    stems: float = 10.0
    variational: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.floor < np.inf:
            raise UsageError(f"the floor of the smoothing must be above 0, not {self.floor}")
        if not (0 <= self.spelling < np.inf and 0 <= self.stems < np.inf and 0 <= self.likeness <= 1):
            raise UsageError("smoothing cannot be negative, and likeness lies between 0 and 1")


@dataclass(frozen=True, eq=False)
class Side:
    """What the model knows of each word of one language.

    ``totals``: the denominator of its translations; ``shares``: p(word | its stem); ``counts``: occurrences in the
    training text; ``null``: probability that the null word produces it.
    """

    words: pa.Array
    stems: pa.Array
    classes: NDArray[np.int32]
    counts: NDArray[np.int64]
    totals: NDArray[np.float64]
    shares: NDArray[np.float64]
    null: NDArray[np.float64]

    def read(self, words: pa.Array, *, unknown_total: float) -> Reading:
        """Look up the words of a text; unknown ones get what a word with no count would have."""
        import pyarrow.compute as pc

        known = _index(pc.index_in(words, value_set=self.words))
        stems, stem_of = classify(words)
        classes = _index(pc.index_in(stems, value_set=self.stems))[stem_of]
        unknown = known < 0
        occurrences = float(self.counts.sum())
        in_class = np.bincount(self.classes, self.counts, minlength=len(self.stems))
        weights = np.empty((3, len(words)))
        weights[0] = _take(self.totals, known, unknown_total)
        weights[1] = np.where(unknown, 1 / (1 + _take(in_class, classes, 0.0)), _take(self.shares, known, 0.0))
        weights[2] = _take(self.counts / max(occurrences, 1.0), known, 1 / (1 + occurrences))
        smallest = NULL_FLOOR / (occurrences + NULL_FLOOR * len(self.words) + 1)
        return Reading(known, classes, weights, _take(self.null, known, smallest), *letters(words))


@dataclass(frozen=True, eq=False)
class Reading:
    """The words of a text in the numbers of a model; −1 is an unknown word or stem."""

    words: NDArray[np.int32]
    classes: NDArray[np.int32]
    weights: NDArray[np.float64]
    null: NDArray[np.float64]
    letters: NDArray[np.int32]
    ends: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Lexicon:
    """Translation tables of both directions over one sparse pattern, for words and for stems."""

    source: Side
    target: Side
    pairs: Pairs
    forward: NDArray[np.float32]
    backward: NDArray[np.float32]
    class_pairs: Pairs
    class_forward: NDArray[np.float32]
    class_backward: NDArray[np.float32]
    smoothing: Smoothing

    def read(self, source_words: pa.Array, target_words: pa.Array) -> tuple[Reading, Reading]:
        """Look up the vocabularies of a text."""
        base, floor = self.smoothing.stems, self.smoothing.floor
        return (
            self.source.read(source_words, unknown_total=base + floor * max(1, len(self.target.words))),
            self.target.read(target_words, unknown_total=base + floor * max(1, len(self.source.words))),
        )

    def emissions(
        self, text: Bitext, source: Reading, target: Reading
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Give t(f|e) and t(e|f) for every cell of some sentence pairs."""
        cells = int(text.cells.sum())
        forward, backward = np.empty(cells, np.float32), np.empty(cells, np.float32)
        smoothing = self.smoothing
        find_emissions(
            text.source,
            text.source_offsets,
            text.target,
            text.target_offsets,
            self.pairs.offsets,
            self.pairs.columns,
            self.forward,
            self.backward,
            self.class_pairs.offsets,
            self.class_pairs.columns,
            self.class_forward,
            self.class_backward,
            source.words,
            source.classes,
            source.weights,
            source.letters,
            source.ends,
            target.words,
            target.classes,
            target.weights,
            target.letters,
            target.ends,
            np.array([smoothing.floor, smoothing.spelling, smoothing.likeness, smoothing.stems]),
            smoothing.variational,
            forward,
            backward,
        )
        return forward, backward


def _index(found: pa.Array) -> NDArray[np.int32]:
    indices: NDArray[np.int32] = found.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
    return indices


def _take(values: NDArray[np.generic], indices: NDArray[np.int32], missing: float) -> NDArray[np.float64]:
    """Take values by number; where the number is −1, the missing one."""
    padded = np.append(values.astype(np.float64), missing)
    return padded[indices]
