"""The translation tables t(f|e) and t(e|f): their formula and their application to any text.

With expected counts c(e, f), the probability that source word e is translated as f is

    t(f|e) = (c(e, f) + floor + spelling · likeness(e, f) + stems · b(f|e)) / total(e)

    b(f|e) = p(stem of f | stem of e) · p(f | stem of f)

where total(e) normalises the distribution. The added terms are three weak Dirichlet priors: one for all pairs, one
for pairs with similar spelling, and one for words with the same stem (a back-off in the sense of MacKay & Peto 1995).
Together they weigh as much as a few counts, so they matter for rare words and are negligible for frequent ones. With
``variational``, the fraction is replaced by exp(ψ(·) − ψ(·)), the mean-field update, which prefers few translations
per word (as in Dyer et al. 2013).
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.columns import Float32s, Floats, Int64s, Ints, places_in
from wordorder.core.runtime.errors import UsageError
from wordorder.linking.aligning.cooccurrence import Bitext, WordPairs
from wordorder.linking.aligning.lookup import Table, Words, find_emissions
from wordorder.linking.aligning.spelling import classify, letters

if TYPE_CHECKING:
    import pyarrow as pa

NULL_FLOOR = 1e-3
"""The amount added to the count of every word that the null word produces."""


@dataclass(frozen=True)
class Smoothing:
    """Parameters of the three priors; the defaults were tuned on six gold-aligned texts."""

    floor: float = 1e-4
    spelling: float = 1.0
    likeness: float = 0.6
    stems: float = 10.0
    variational: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.floor < np.inf:
            raise UsageError(f"the smoothing floor must be above 0, not {self.floor}")
        if not (0 <= self.spelling < np.inf and 0 <= self.stems < np.inf and 0 <= self.likeness <= 1):
            raise UsageError("smoothing amounts must not be negative, and likeness must be between 0 and 1")


@dataclass(frozen=True, eq=False)
class WordTable:
    """The properties of each word of one language in a model.

    For each word, ``totals`` is the denominator of its translation probabilities, ``shares`` is p(word | its stem),
    ``counts`` is the number of its occurrences in the training text, and ``null`` is the probability that the null
    word produces it.
    """

    words: pa.Array
    stems: pa.Array
    classes: Ints
    counts: Int64s
    totals: Floats
    shares: Floats
    null: Floats

    def read(self, words: pa.Array, *, unknown_total: float) -> Reading:
        """Look up the words of a text; unknown words get the values of a word that has count 0."""

        known = places_in(self.words, words)
        stems, stem_of = classify(words)
        classes = places_in(self.stems, stems)[stem_of]
        unknown = known < 0
        occurrences = float(self.counts.sum())
        in_class = np.bincount(self.classes, self.counts, minlength=len(self.stems))
        weights = np.empty((3, len(words)))
        weights[0] = _take(self.totals, known, unknown_total)
        weights[1] = np.where(unknown, 1 / (1 + _take(in_class, classes, 0.0)), _take(self.shares, known, 0.0))
        weights[2] = _take(self.counts / max(occurrences, 1.0), known, 1 / (1 + occurrences))
        smallest = NULL_FLOOR / (occurrences + NULL_FLOOR * len(self.words) + 1)
        return Reading((known, classes, weights, *letters(words)), _take(self.null, known, smallest))


@dataclass(frozen=True, eq=False)
class Reading:
    """The words of a text in the numbering of a model, with the probability of each word given the null word."""

    words: Words
    null: Floats


@dataclass(frozen=True, eq=False)
class TranslatedPairs(WordPairs):
    """Word pairs that co-occur, with the translation probabilities of both directions."""

    forward: Float32s
    backward: Float32s

    @property
    def table(self) -> Table:
        """The offsets, columns and probabilities, as kernels expect them."""
        return *self.arrays, self.forward, self.backward


@dataclass(frozen=True, eq=False)
class TranslationTables:
    """The translation tables of words and of stems, in both directions."""

    source: WordTable
    target: WordTable
    pairs: TranslatedPairs
    class_pairs: TranslatedPairs
    smoothing: Smoothing

    def read(self, source_words: pa.Array, target_words: pa.Array) -> tuple[Reading, Reading]:
        """Look up the source and target vocabulary of a text."""
        base, floor = self.smoothing.stems, self.smoothing.floor
        totals = (base + floor * max(1, len(other.words)) for other in (self.target, self.source))
        source = self.source.read(source_words, unknown_total=next(totals))
        return source, self.target.read(target_words, unknown_total=next(totals))

    def emissions(self, text: Bitext, source: Reading, target: Reading) -> tuple[Float32s, Float32s]:
        """Return t(f|e) and t(e|f) for every cell of some sentence pairs."""
        floor, spelling, likeness, stems, variational = astuple(self.smoothing)
        tables, words = (self.pairs.table, self.class_pairs.table), (source.words, target.words)
        weights = floor, spelling, likeness, stems
        return find_emissions(text.arrays, int(text.cells.sum()), *tables, *words, weights, variational)


def _take(values: NDArray[np.generic], indices: Ints, missing: float) -> Floats:
    """Return the values at the given indices; index −1 yields ``missing``."""
    padded = np.append(values.astype(np.float64), missing)
    return padded[indices]
