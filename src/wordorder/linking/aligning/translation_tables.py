"""The translation tables t(f|e) and t(e|f): how they are computed, and how they are applied to new text.

With expected counts c(e, f), the probability that source word e is translated as f is

    t(f|e) = (c(e, f) + floor + spelling · likeness(e, f) + stems · b(f|e)) / total(e)

    b(f|e) = p(stem of f | stem of e) · p(f | stem of f)

where total(e) normalises the distribution. The added terms are three weak Dirichlet priors: one for all pairs, one
for pairs with similar spelling, and one for words with the same stem (a back-off in the sense of MacKay & Peto 1995).
Together they weigh as much as a few occurrences, so they matter for rare words and are negligible for frequent ones.
With ``variational``, the fraction a/b is replaced by exp(ψ(a) − ψ(b)), the mean-field update, where ψ is the digamma
function; this favours few translations per word (as in Dyer et al. 2013).

Words with the same beginning often have similar translations (*parliament*, *parliamentary*), so the translations of
a rare word are estimated partly from other words with the same stem. Moreover, many words have translations with a
similar spelling (names, numbers, cognates; Melamed 1999). All this evidence comes from the text itself; no other
resources are needed.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.columns import (
    Float32s,
    Floats,
    Int64s,
    Ints,
    Strings,
    encode_strings,
    offsets_from_lengths,
    places_in,
    strings,
)
from wordorder.core.runtime.errors import UsageError, refuse
from wordorder.linking.aligning.cooccurrence import Bitext, WordPairs
from wordorder.linking.aligning.lookup import Table, Words, find_emissions

NULL_FLOOR = 1e-3
"""The amount added to the count of every word that the null word produces."""

_LETTERS = 4
# One Han or Kana character is about as informative as a stem of letters; a Hangul syllable has two or three letters.
_SIGNS = ((0x3040, 0x30FF, 1), (0x3400, 0x9FFF, 1), (0xF900, 0xFAFF, 1), (0x20000, 0x3FFFF, 1), (0xAC00, 0xD7AF, 2))


@dataclass(frozen=True)
class Smoothing:
    """Weights of the three smoothing priors; the defaults were tuned on six gold-aligned texts."""

    floor: float = 1e-4
    spelling: float = 1.0
    likeness: float = 0.6
    stems: float = 10.0
    variational: bool = False

    def __post_init__(self) -> None:
        refuse(not 0 < self.floor < np.inf, f"the smoothing floor must be above 0, not {self.floor}")
        if not (0 <= self.spelling < np.inf and 0 <= self.stems < np.inf and 0 <= self.likeness <= 1):
            raise UsageError("the smoothing weights must be 0 or more, and likeness must be from 0 to 1")


@dataclass(frozen=True, eq=False)
class WordTable:
    """What a model stores about each word of one language.

    For each word, ``totals`` is the denominator of its translation probabilities, ``shares`` is p(word | its stem),
    ``counts`` is the number of its occurrences in the training text, and ``null`` is the probability that the null
    word produces it.
    """

    words: Strings
    stems: Strings
    classes: Ints
    counts: Int64s
    totals: Floats
    shares: Floats
    null: Floats

    def read(self, words: Strings, *, unknown_total: float) -> Reading:
        """Look up the vocabulary of a text; unknown words get the values of a word with count 0."""

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
    """The vocabulary of a text as word IDs of a model, and the probability of each word given the null word."""

    words: Words
    null: Floats


@dataclass(frozen=True, eq=False)
class TranslatedPairs(WordPairs):
    """The co-occurring word pairs, with their translation probabilities in both directions."""

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

    def read(self, source_words: Strings, target_words: Strings) -> tuple[Reading, Reading]:
        """Look up the source vocabulary and the target vocabulary of a text."""
        base, floor = self.smoothing.stems, self.smoothing.floor
        totals = (base + floor * max(1, len(other.words)) for other in (self.target, self.source))
        source = self.source.read(source_words, unknown_total=next(totals))
        return source, self.target.read(target_words, unknown_total=next(totals))

    def emissions(self, text: Bitext, source: Reading, target: Reading) -> tuple[Float32s, Float32s]:
        """Return the translation probabilities, in both directions, for every cell of some sentence pairs."""
        floor, spelling, likeness, stems, variational = astuple(self.smoothing)
        tables, words = (self.pairs.table, self.class_pairs.table), (source.words, target.words)
        weights = floor, spelling, likeness, stems
        return find_emissions(text.arrays, int(text.cells.sum()), *tables, *words, weights, variational)


def _take(values: NDArray[np.generic], indices: Ints, missing: float) -> Floats:
    """Return the values at the given indices; index −1 yields ``missing``."""
    padded = np.append(values.astype(np.float64), missing)
    return padded[indices]


def stem(word: str) -> str:
    """Return the stem of a word: its first four letters, two Hangul syllables, or one Han or Kana character.

    >>> stem("parliamentary"), stem("語学"), stem("의회는")
    ('parl', '語', '의회')
    """
    first = ord(word[0]) if word else 0
    return word[: next((length for low, high, length in _SIGNS if low <= first <= high), _LETTERS)]


def classify(words: Strings) -> tuple[Strings, Ints]:
    """Return the distinct stems of a vocabulary and, for each word, the index of its stem.

    >>> import pyarrow as pa
    >>> stems, classes = classify(pa.array(["walked", "cat", "walking"]))
    >>> stems.to_pylist(), classes.tolist()
    (['walk', 'cat'], [0, 1, 0])
    """
    numbers, stems = encode_strings(strings(map(stem, words.to_pylist())))
    return stems, numbers.copy()


def letters(words: Strings) -> tuple[Ints, Int64s]:
    """Return the code points of all words in one array, and the offsets of the words in it.

    >>> import pyarrow as pa
    >>> points, offsets = letters(pa.array(["ab", "ç"]))
    >>> points.tolist(), offsets.tolist()
    ([97, 98, 231], [0, 2, 3])
    """
    spelt = words.to_pylist()
    points = np.frombuffer("".join(spelt).encode("utf-32-le"), dtype=np.int32).copy()
    return points, offsets_from_lengths([len(word) for word in spelt])
