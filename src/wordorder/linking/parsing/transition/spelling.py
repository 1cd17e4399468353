"""Encoding of words as numbers without a vocabulary, by 64-bit hashes of the words and their parts."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

import numpy as np

from wordorder.core.runtime.columns import Int64s

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
