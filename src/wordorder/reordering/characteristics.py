"""Characteristics of a language pair measured from its text, to stand beside reordering (Birch 2011, §4.4).

Vocabulary size approximates the complexity of morphology (Koehn 2005). The similarity needs no list of cognates, as
lexicostatistics does: related languages that share a script share character trigrams.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from wordorder.text import Tokens


def measure_vocabulary(tokens: Tokens) -> int:
    """Count the different words.

    >>> from wordorder.text import encode
    >>> measure_vocabulary(encode(["a rose is a rose", "is a rose"])[0])
    3
    """
    return len(np.unique(tokens.ids))


def measure_similarity(source: Tokens, target: Tokens) -> float:
    """Give the cosine of the two sides' counts of character trigrams, 0 to 1; NaN where a side has no words.

    Case is ignored; the beginning and the end of a word count as characters.

    >>> from wordorder.text import encode
    >>> round(measure_similarity(*encode(["animal noir"], ["animale nero"])), 3)
    0.477
    """
    one, two = _trigrams(source), _trigrams(target)
    if not one or not two:
        return math.nan
    # Whole numbers: the sums are exact, whatever their order.
    product = sum(count * two[trigram] for trigram, count in one.items())
    sizes = sum(count * count for count in one.values()) * sum(count * count for count in two.values())
    return product / math.sqrt(sizes)


def _trigrams(tokens: Tokens) -> Counter[str]:
    result: Counter[str] = Counter()
    present, counts = np.unique(tokens.ids, return_counts=True)
    for word, count in zip(tokens.vocabulary.take(present).to_pylist(), counts.tolist(), strict=True):
        padded = f" {word.casefold()} "
        for start in range(len(padded) - 2):
            result[padded[start : start + 3]] += count
    return result
