"""Slow, literal twins of the metrics of text, written from the papers' formulas alone.

Sentences are tuples of words. Where word orders are needed no word may stand twice in a sentence: then there is only
one way to match the words. Nothing here is clever and nothing here imports the package.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

from twins import Order

Words = tuple[str, ...]


def grams(words: Words, n: int) -> Counter[Words]:
    return Counter(words[place : place + n] for place in range(len(words) - n + 1))


def bleu_counts(hypothesis: Words, references: Sequence[Words]) -> list[int]:
    """Both lengths, matched n-grams for n = 1…4, hypothesis n-grams for n = 1…4 (Papineni et al. 2002)."""
    closest = min(references, key=lambda reference: (abs(len(reference) - len(hypothesis)), len(reference)))
    correct, total = [], []
    for n in range(1, 5):
        found = grams(hypothesis, n)
        gold = [grams(reference, n) for reference in references]
        correct.append(sum(min(count, max(bag[gram] for bag in gold)) for gram, count in found.items()))
        total.append(sum(found.values()))
    return [len(hypothesis), len(closest), *correct, *total]


def brevity(hypothesis: float, reference: float) -> float:
    if hypothesis == 0:
        return 0.0
    return 1.0 if hypothesis > reference else math.exp(1 - reference / hypothesis)


def precision(counts: Sequence[float], n: int, *, smooth: bool) -> float:
    """Lin & Och 2004 add one to the counts of n > 1."""
    add = 1 if smooth and n > 1 else 0
    correct, total = counts[1 + n] + add, counts[5 + n] + add
    return correct / total if total else 0.0


def bleu(counts: Sequence[float], *, longest: int = 4, smooth: bool) -> float:
    product = math.prod(precision(counts, n, smooth=smooth) for n in range(1, longest + 1))
    return brevity(counts[0], counts[1]) * product ** (1 / longest)


def add_up(rows: Sequence[Sequence[float]]) -> list[float]:
    return [sum(column) for column in zip(*rows, strict=True)]


def common_words(hypothesis: Words, reference: Words) -> int:
    return sum(min(hypothesis.count(word), reference.count(word)) for word in set(hypothesis))


def f1(hypothesis: Words, reference: Words) -> float | None:
    words = len(hypothesis) + len(reference)
    return 2 * common_words(hypothesis, reference) / words if words else None


def matched_order(hypothesis: Words, reference: Words) -> Order:
    """The shared words in hypothesis order, each shown by its rank among them in the reference."""
    assert len(set(hypothesis)) == len(hypothesis)
    assert len(set(reference)) == len(reference)
    shared = [word for word in reference if word in hypothesis]
    return tuple(shared.index(word) + 1 for word in hypothesis if word in shared)


def chunks(hypothesis: Words, reference: Words) -> int:
    """Maximal runs of shared words that are neighbours on both sides."""
    pairs = [(place, reference.index(word)) for place, word in enumerate(hypothesis) if word in reference]
    return sum((h - 1, r - 1) not in pairs for h, r in pairs)


def meteor(
    hypothesis: Words,
    reference: Words,
    *,
    alpha: float,
    gamma: float,
    theta: float,
    delta: float = 0.5,
    function_words: frozenset[str] = frozenset(),
) -> float | None:
    """Words of content count δ, function words 1 − δ in precision and recall (Denkowski & Lavie 2014)."""

    def count(words: Words) -> float:
        return sum(1 - delta if word in function_words else delta for word in words)

    if not hypothesis and not reference:
        return None
    matches = common_words(hypothesis, reference)
    if not matches:
        return 0.0
    shared = count(tuple(word for word in hypothesis if word in reference))
    p, r = shared / count(hypothesis), shared / count(reference)
    f_mean = p * r / (alpha * p + (1 - alpha) * r)
    # A hypothesis that is the reference has no fragmentation, though it is one chunk (METEOR 1.5).
    fragmentation = 0.0 if hypothesis == reference else chunks(hypothesis, reference) / matches
    return f_mean * (1 - gamma * math.pow(fragmentation, theta))


def order_part(hypothesis: Words, reference: Words, order: Callable[[Order], float]) -> float:
    """Nothing matched: 0."""
    matched = matched_order(hypothesis, reference)
    return order(matched) if matched else 0.0


def lr(
    hypothesis: Words, references: Sequence[Words], *, order: Callable[[Order], float], longest: int, alpha: float
) -> list[float]:
    """LRscore of a segment under each reference; BLEU and the brevity penalty have one rule for several of them."""
    lexical = bleu(bleu_counts(hypothesis, references), longest=longest, smooth=True)
    closest = min(map(len, references), key=lambda length: (abs(length - len(hypothesis)), length))
    return [
        alpha * order_part(hypothesis, reference, order) * brevity(len(hypothesis), closest) + (1 - alpha) * lexical
        for reference in references
    ]


def full(
    hypothesis: Words, reference: Words, *, order: Callable[[Order], float], lexical: float, alpha: float
) -> float:
    matched = len(matched_order(hypothesis, reference))
    return alpha * lexical + (1 - alpha) * brevity(matched, len(reference)) * order_part(hypothesis, reference, order)
