"""A left-to-right part-of-speech tagger: a perceptron whose features are words, affixes and previous tags.

Words are encoded as numbers without a vocabulary, by 64-bit hashes of the words and their parts.
"""

import hashlib
import re
from collections.abc import Iterable

import numpy as np

from wordorder.core.runtime.columns import Int64s
from wordorder.core.runtime.kernels import kernel
from wordorder.linking.parsing.transition.arc_eager import templates_of
from wordorder.linking.parsing.transition.perceptron import CLOCK, Weights, add_scores, find_features, update

_SUFFIXES, _PREFIXES = range(1, 5), range(1, 4)
SPELLINGS = ("word", "lower", *(f"suffix{n}" for n in _SUFFIXES), *(f"prefix{n}" for n in _PREFIXES), "shape")
WORD, LOWER = 0, 1
_RUNS = re.compile(r"(.)\1+")


def spell(words: Iterable[str]) -> Int64s:
    """Return one row per word: nonzero hashes of the word, its lower-case form, its affixes and its shape."""
    rows = [[_hash(part) for part in _parts(word)] for word in words]
    return np.array(rows, dtype=np.int64).reshape(len(rows), len(SPELLINGS))


def _parts(word: str) -> tuple[str, ...]:
    low = word.lower()
    return (word, low, *(low[-n:] for n in _SUFFIXES), *(low[:n] for n in _PREFIXES), shape(word))


def shape(word: str) -> str:
    """Return the kinds of characters in a word; a run of characters of the same kind appears as one character.

    >>> shape("McDonald's"), shape("2,500")
    ("AaAa'a", '0,0')
    """
    kinds = ("A" if c.isupper() else "a" if c.isalpha() else "0" if c.isdigit() else c for c in word)
    return _RUNS.sub(r"\1", "".join(kinds))


def _hash(text: str) -> int:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True) or 1


ATOMS = (*SPELLINGS, "before", "before2", "after", "after2", "before.suffix", "after.suffix", "tag1", "tag2")
FEATURES = """
word|lower|suffix1|suffix2|suffix3|suffix4|prefix1|prefix2|prefix3|shape
tag1|tag2 tag1|tag1 lower|tag1 suffix3|tag1 shape
before|before2|after|after2|before.suffix|after.suffix|before lower|lower after|tag1 after.suffix
"""
TEMPLATES = templates_of(FEATURES, ATOMS)
_ATOMS, _SPELLINGS = len(ATOMS), len(SPELLINGS)
_SUFFIX = SPELLINGS.index("suffix3")
_EDGE = 1  # the value of a neighbour before the first word or after the last


@kernel
def tag_words(weights: Weights, spellings: Int64s, tags: int, gold: Int64s) -> Int64s:
    """Return the tag of every word; if gold tags are given, update the weights wherever a predicted tag is wrong."""
    length = len(spellings)
    found = np.empty(length, dtype=np.int64)
    atoms = np.empty(_ATOMS, dtype=np.int64)
    features = np.empty(len(TEMPLATES), dtype=np.int64)
    scores = np.empty(tags, dtype=np.int64)
    for word in range(length):
        for part in range(_SPELLINGS):
            atoms[part] = spellings[word, part]
        for place in range(4):
            near = word - 1 - place if place < 2 else word - 1 + place
            atoms[_SPELLINGS + place] = spellings[near, LOWER] if 0 <= near < length else _EDGE
        for place, near in ((4, word - 1), (5, word + 1)):
            atoms[_SPELLINGS + place] = spellings[near, _SUFFIX] if 0 <= near < length else _EDGE
        for back in (1, 2):
            atoms[_SPELLINGS + 5 + back] = found[word - back] + 2 if word >= back else _EDGE
        count = find_features(TEMPLATES, atoms, features)
        add_scores(weights, features, count, scores)
        best = 0
        for tag in range(1, tags):
            if scores[tag] > scores[best]:
                best = tag
        if len(gold):
            weights.counts[CLOCK] += 1
            if gold[word] != best:
                update(weights, features, count, gold[word], 1)
                update(weights, features, count, best, -1)
        found[word] = best
    return found
