"""Pairs of different words that may match by stem, synonym or paraphrase, computed once per vocabulary."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.columns import Int64s, Ints, encode_strings, strings
from wordorder.core.runtime.errors import UsageError, choices
from wordorder.linking.matching.matches import STAGES, WEIGHTS, Weights
from wordorder.linking.matching.paraphrases import Paraphrases, keep_rows
from wordorder.linking.matching.phrases import PhraseTable
from wordorder.linking.matching.wordnet import WordNet

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class Relations:
    """The pairs of different words of a vocabulary that may match, as arrays for kernels.

    Word w may match the words ``words[offsets[w]:offsets[w + 1]]``; ``stages`` holds the matching stage of each of
    these pairs. ``phrases`` holds the paraphrases that have more than one word on at least one side.
    """

    offsets: Int64s
    words: Ints
    stages: NDArray[np.int8]
    weights: Weights = WEIGHTS
    phrases: PhraseTable | None = None


@dataclass(frozen=True, eq=False)
class Resources:
    """The resources used for matching: a stemmer, WordNet, paraphrases, and the weight of a match in each stage.

    ``stem`` is the name of a PyStemmer language. Words are looked up in lower case, so the stem stage also matches
    words that differ only in case.
    """

    stem: str | None = None
    synonyms: WordNet | None = None
    paraphrases: Paraphrases | None = None
    weights: Weights = WEIGHTS

    def __post_init__(self) -> None:
        if self.stem is not None:
            _stemmer(self.stem)
        if len(self.weights) != len(STAGES) or not all(0 <= weight <= 1 for weight in self.weights):
            raise UsageError(f"expected {len(STAGES)} weights from 0 to 1 ({', '.join(STAGES)}), not {self.weights}")

    def relate(self, vocabulary: pa.StringArray) -> Relations:
        """Compute which words of a vocabulary may match each other.

        >>> import pyarrow as pa
        >>> related = Resources(stem="english").relate(pa.array(["walk", "talk", "walks", "Walked"]))
        >>> related.words[related.offsets[0] : related.offsets[1]].tolist()
        [2, 3]
        """
        lower = [word.lower() for word in vocabulary.to_pylist()]
        pairs: list[tuple[Int64s, Int64s, int]] = []
        if self.stem is not None:
            stems, _ = encode_strings(strings(_stemmer(self.stem).stemWords(lower)))
            pairs.append((*_pair_up(stems, np.arange(len(lower))), STAGES.index("stem")))
        if self.synonyms is not None:
            sets = [self.synonyms.synsets(word) for word in lower]
            counts = np.array([len(members) for members in sets], dtype=np.int64)
            keys = np.fromiter(chain.from_iterable(sets), dtype=np.int64, count=int(counts.sum()))
            pairs.append((*_pair_up(keys, np.repeat(np.arange(len(lower)), counts)), STAGES.index("synonym")))
        phrases = None
        if self.paraphrases is not None:
            single, phrases = _relate_phrases(self.paraphrases, *encode_strings(strings(lower)))
            pairs.append((*single, STAGES.index("paraphrase")))
        return Relations(*_gather(pairs, len(lower), self.weights), self.weights, phrases)


def _stemmer(language: str) -> Any:
    import Stemmer

    try:
        return Stemmer.Stemmer(language.lower(), 0)  # no cache, because a vocabulary contains each word only once
    except KeyError:
        raise choices(language, sorted(Stemmer.algorithms()), what="stemming language") from None


def _pair_up(keys: NDArray[np.integer], words: Int64s) -> tuple[Int64s, Int64s]:
    """Return all ordered pairs of words that have a key in common, once for each common key."""
    order = np.argsort(keys, kind="stable")
    words = words[order]
    _, first, sizes = np.unique(keys[order], return_index=True, return_counts=True)
    repeats = np.repeat(sizes, sizes)  # each word is paired with every word of its group
    begins = np.repeat(first, sizes)
    left = np.repeat(np.arange(len(words)), repeats)
    within = np.arange(len(left)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    return words[left], words[begins[left] + within]


def _relate_phrases(
    paraphrases: Paraphrases, folded: Ints, dictionary: pa.LargeStringArray
) -> tuple[tuple[Int64s, Int64s], PhraseTable | None]:
    """Return the word-to-word paraphrases as pairs, and all other paraphrases as a phrase table (None if empty).

    Paraphrases with a word that is not in the vocabulary are dropped.
    """
    one, other = paraphrases.coded(dictionary)
    single = (np.diff(one[1]) == 1) & (np.diff(other[1]) == 1)
    left, right = one[0][one[1][:-1][single]], other[0][other[1][:-1][single]]
    left, right = np.concatenate([left, right]), np.concatenate([right, left])
    # Each lower-case word represents all its spellings in the vocabulary.
    order = np.argsort(folded, kind="stable")
    starts = np.searchsorted(folded[order], np.arange(len(dictionary) + 1))
    spellings = np.diff(starts)
    counts = spellings[left] * spellings[right]
    pair = np.repeat(np.arange(len(left)), counts)
    within = np.arange(len(pair)) - np.repeat(np.cumsum(counts) - counts, counts)
    wide = spellings[right[pair]]
    sides = order[starts[left[pair]] + within // wide], order[starts[right[pair]] + within % wide]
    if single.all():
        return sides, None
    return sides, PhraseTable.build(folded, keep_rows(one, ~single), keep_rows(other, ~single))


def _gather(
    pairs: list[tuple[Int64s, Int64s, int]], size: int, weights: Weights
) -> tuple[Int64s, Ints, NDArray[np.int8]]:
    """Sort pairs of words and remove duplicates; return offsets, words and stages as in ``Relations``.

    A pair that occurs in several stages is assigned to the stage with the greatest weight or, among stages of equal
    weight, to the earliest.
    """
    none = np.zeros(0, dtype=np.int64)
    # Stages in order of preference: `unique` keeps the first of equal pairs.
    pairs = sorted(pairs, key=lambda part: -weights[part[2]])
    codes = np.concatenate([none, *(left * size + right for left, right, _ in pairs)])
    stages = np.concatenate([none, *(np.full(len(left), stage) for left, _, stage in pairs)])
    codes, first = np.unique(codes, return_index=True)
    left, right = np.divmod(codes, max(1, size))
    keep = left != right
    offsets = np.searchsorted(left[keep], np.arange(size + 1)).astype(np.int64)
    return offsets, right[keep].astype(np.int32), stages[first][keep].astype(np.int8)
