"""Measure characteristics of a language pair on text (Birch 2011, §4.4).

Vocabulary size approximates morphological complexity (Koehn 2005). The similarity of two languages is measured by the
character trigrams that they share, so no list of cognates is needed, but both languages must use the same script.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from wordorder.core.text import Tokens


def count_words(tokens: Tokens) -> Counter[str]:
    """Count how often each word occurs; the results for several blocks can be added.

    >>> from wordorder.core.text import encode
    >>> count_words(encode(["a rose is a rose", "is a rose"])[0]).most_common(1)
    [('a', 3)]
    """
    counts = np.bincount(tokens.ids, minlength=len(tokens.vocabulary)).tolist()
    result: Counter[str] = Counter()
    for word, count in zip(tokens.vocabulary.to_pylist(), counts, strict=True):
        if count:
            result[word] += count  # a concatenated vocabulary may contain a word twice
    return result


def measure_similarity(source: Counter[str], target: Counter[str]) -> float:
    """Return the cosine similarity of the character trigram counts of both sides, or NaN if a side has no words.

    Case is ignored. The beginning and the end of each word are treated as characters.

    >>> round(measure_similarity(Counter(["animal", "noir"]), Counter(["animale", "nero"])), 3)
    0.477
    """
    one, two = _trigrams(source), _trigrams(target)
    if not one or not two:
        return math.nan
    # Counts are whole numbers, so the sums are exact in any order.
    product = sum(count * two[trigram] for trigram, count in one.items())
    sizes = sum(count * count for count in one.values()) * sum(count * count for count in two.values())
    return product / math.sqrt(sizes)


def _trigrams(words: Counter[str]) -> Counter[str]:
    result: Counter[str] = Counter()
    for word, count in words.items():
        padded = f" {word.casefold()} "
        for start in range(len(padded) - 2):
            result[padded[start : start + 3]] += count
    return result
