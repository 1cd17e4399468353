"""RIBES as its definition has it, written out: strings of words, n-grams that are counted, all pairs.

Isozaki et al. 2010 and the rule of the official script: a word that stands once on either side is aligned at once;
any other by the shortest context that stands once on either side, to its left before its right.
"""

from __future__ import annotations

import math


def count(ngram: list[str], words: list[str]) -> int:
    """How often some words stand next to each other in a sentence."""
    return sum(words[k : k + len(ngram)] == ngram for k in range(len(words) - len(ngram) + 1))


def find(ngram: list[str], words: list[str]) -> int:
    """Where they stand first."""
    return next(k for k in range(len(words)) if words[k : k + len(ngram)] == ngram)


def literal_places(hyp: list[str], ref: list[str]) -> list[int]:
    """The place in the reference of every word that is aligned, in the order of the hypothesis."""
    places = []
    for i, word in enumerate(hyp):
        if word not in ref:
            continue
        if ref.count(word) == 1 and hyp.count(word) == 1:
            places.append(ref.index(word))
            continue
        for window in range(1, max(i + 1, len(hyp) - i + 1)):
            if window <= i:
                ngram = hyp[i - window : i + 1]
                if count(ngram, ref) == 1 and count(ngram, hyp) == 1:
                    places.append(find(ngram, ref) + window)
                    break
            if i + window < len(hyp):
                ngram = hyp[i : i + window + 1]
                if count(ngram, ref) == 1 and count(ngram, hyp) == 1:
                    places.append(find(ngram, ref))
                    break
    return places


def literal_ribes(hyp: list[str], ref: list[str], alpha: float = 0.25, beta: float = 0.10) -> float:
    """NKT · P^α · BP^β."""
    if not hyp:
        return 0.0
    penalty = min(1.0, math.exp(1.0 - len(ref) / len(hyp)))
    places = literal_places(hyp, ref)
    n = len(places)
    if n == 1 and len(ref) == 1:
        return float((1.0 / len(hyp)) ** alpha * penalty**beta)
    if n < 2:
        return 0.0
    ascending = sum(places[i] < places[j] for i in range(n) for j in range(i + 1, n))
    return float(ascending / (n * (n - 1) / 2) * (n / len(hyp)) ** alpha * penalty**beta)
