"""Slow, literal versions of what the aligners compute, written from the formulas over dictionaries and lists."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

from wordorder.linking.aligning.translation_tables import Smoothing, stem

Sentence = list[str]
Link = tuple[int, int]
Matrix = NDArray[np.float64]  # states × observed

FAR = 10


def jump_weight(weights: list[float], width: int) -> float:
    return weights[max(-FAR, min(FAR, width)) + FAR]


def jump_probability(weights: list[float], before: int, after: int, states: int) -> float:
    """Of going from place ``before`` (−1 at the start) to state ``after``."""
    total = sum(jump_weight(weights, state - before) for state in range(states))
    return jump_weight(weights, after - before) / total


def enumerate_hmm(
    emission: Matrix, null_emission: list[float], null: float, weights: list[float]
) -> tuple[Matrix, list[float], dict[int, float]]:
    """Posteriors and expected jumps by listing every alignment; −1 is the null word."""
    states, observed = emission.shape
    links, silent = np.zeros(emission.shape), [0.0] * observed
    jumps: dict[int, float] = defaultdict(float)
    everything = 0.0
    for alignment in itertools.product(range(-1, states), repeat=observed):
        probability, before = 1.0, -1
        widths = []
        for word, state in enumerate(alignment):
            if state < 0:
                probability *= null * null_emission[word]
                continue
            probability *= (1 - null) * jump_probability(weights, before, state, states) * emission[state, word]
            widths.append(max(-FAR, min(FAR, state - before)))
            before = state
        everything += probability
        for word, state in enumerate(alignment):
            if state < 0:
                silent[word] += probability
            else:
                links[state, word] += probability
        for width in widths:
            jumps[width] += probability
    return (
        links / everything,
        [value / everything for value in silent],
        {width: value / everything for width, value in jumps.items()},
    )


def matrix_hmm(
    emission: Matrix, null_emission: list[float], null: float, weights: list[float]
) -> tuple[Matrix, list[float], list[float], dict[int, float]]:
    """Forward-backward with the whole transition matrix; also the expected jumps by width and by place left."""
    states, observed = emission.shape
    places = range(-1, states)
    move = {(m, k): jump_probability(weights, m, k, states) for m in places for k in range(states)}
    ahead = [{m: float(m == -1) for m in places}]
    made = []
    for word in range(observed):
        before = ahead[-1]
        now = {k: (1 - null) * emission[k, word] * sum(before[m] * move[m, k] for m in places) for k in range(states)}
        made.append(now)
        ahead.append({m: now.get(m, 0.0) + null * null_emission[word] * before[m] for m in places})
    future = dict.fromkeys(places, 1.0)
    links, silent = np.zeros(emission.shape), [0.0] * observed
    jumps, leaving = [0.0] * (2 * FAR + 1), dict.fromkeys(places, 0.0)
    everything = sum(ahead[-1].values())
    for word in reversed(range(observed)):
        for k in range(states):
            links[k, word] = made[word][k] * future[k] / everything
        silent[word] = sum(ahead[word][m] * null * null_emission[word] * future[m] for m in places) / everything
        for m in places:
            for k in range(states):
                expected = ahead[word][m] * move[m, k] * (1 - null) * emission[k, word] * future[k] / everything
                jumps[max(-FAR, min(FAR, k - m)) + FAR] += expected
                leaving[m] += expected
        future = {
            m: sum(move[m, k] * (1 - null) * emission[k, word] * future[k] for k in range(states))
            + null * null_emission[word] * future[m]
            for m in places
        }
    return links, silent, jumps, leaving


def count_chances(leaving: dict[int, float], weights: list[float], states: int) -> list[float]:
    """For each width, Σ over places m of (jumps from m)/Z_m · (number of states at that distance)."""
    chances = [0.0] * (2 * FAR + 1)
    for m, count in leaving.items():
        total = sum(jump_weight(weights, k - m) for k in range(states))
        for k in range(states):
            chances[max(-FAR, min(FAR, k - m)) + FAR] += count / total
    return chances


def closeness(state: int, word: int, states: int, observed: int) -> float:
    return -abs((state + 0.5) / states - (word + 0.5) / observed)


def direct_diagonal(
    emission: Matrix, null_emission: list[float], null: float, tension: float
) -> tuple[Matrix, list[float]]:
    """Posteriors of the diagonal model from its definition."""
    states, observed = emission.shape
    links, silent = np.zeros(emission.shape), [0.0] * observed
    for word in range(observed):
        near = [math.exp(tension * closeness(state, word, states, observed)) for state in range(states)]
        joint = [(1 - null) * near[state] / sum(near) * emission[state, word] for state in range(states)]
        evidence = sum(joint) + null * null_emission[word]
        links[:, word] = [value / evidence for value in joint]
        silent[word] = null * null_emission[word] / evidence
    return links, silent


def likeness(one: str, two: str, threshold: float) -> float:
    @cache
    def common(i: int, j: int) -> int:
        if i == len(one) or j == len(two):
            return 0
        if one[i] == two[j]:
            return 1 + common(i + 1, j + 1)
        return max(common(i + 1, j), common(i, j + 1))

    if min(len(one), len(two)) < 4:
        return float(one == two)
    ratio = common(0, 0) / max(len(one), len(two))
    return ratio**2 if ratio >= threshold else 0.0


Counts = dict[tuple[str, str], float]
Posterior = Callable[[Matrix, list[float]], tuple[Matrix, list[float]]]


class SlowTables:
    """t(made | given) over dictionaries, one direction; starts as the priors alone say."""

    def __init__(self, together: set[tuple[str, str]], made_words: set[str], smoothing: Smoothing) -> None:
        self.together, self.smoothing = together, smoothing
        self.prior = {
            (given, made): smoothing.floor + smoothing.spelling * likeness(given, made, smoothing.likeness)
            for given, made in together
        }
        self.table = self._tables(defaultdict(float), 0.0)
        self.null = {word: 1 / len(made_words) for word in made_words}

    def update(self, counts: Counts, null_counts: dict[str, float]) -> None:
        self.table = self._tables(counts, self.smoothing.stems)
        total = sum(null_counts.values()) + 1e-3 * len(self.null)
        self.null = {word: (null_counts[word] + 1e-3) / total for word in self.null}

    def _tables(self, counts: Counts, stems: float) -> Counts:
        def total(chosen: Iterator[tuple[str, str]]) -> float:
            return sum(counts[pair] for pair in chosen)

        table = {}
        for given, made in self.together:
            pairs = self.together
            class_pair = total(p for p in pairs if stem(p[0]) == stem(given) and stem(p[1]) == stem(made))
            class_given = total(p for p in pairs if stem(p[0]) == stem(given))
            class_made = total(p for p in pairs if stem(p[1]) == stem(made))
            word_made = total(p for p in pairs if p[1] == made)
            backed = class_pair / class_given * word_made / class_made if class_given and class_made else 0.0
            weight = counts[given, made] + self.prior[given, made] + stems * backed
            whole = total(p for p in pairs if p[0] == given) + stems
            whole += sum(self.prior[p] for p in pairs if p[0] == given)
            table[given, made] = weight / whole
        return table


def slow_train(
    source: list[Sentence], target: list[Sentence], chain: list[tuple[list[Posterior], bool]], smoothing: Smoothing
) -> tuple[SlowTables, SlowTables]:
    """Expectation-maximisation over dictionaries.

    Each step brings the posteriors of both directions and whether they agree; the motion does not learn here.
    """
    together = {(e, f) for s, t in zip(source, target, strict=True) for e in s for f in t}
    sources, targets = {e for e, _ in together}, {f for _, f in together}
    forward = SlowTables(together, targets, smoothing)
    backward = SlowTables({(f, e) for e, f in together}, sources, smoothing)
    for (ahead, back), agree in chain:
        counts: list[Counts] = [defaultdict(float), defaultdict(float)]
        nulls: list[dict[str, float]] = [defaultdict(float), defaultdict(float)]
        for s, t in zip(source, target, strict=True):
            if not s or not t:
                continue
            one = np.array([[forward.table[e, f] for f in t] for e in s])
            two = np.array([[backward.table[f, e] for e in s] for f in t])
            links, silent = ahead(one, [forward.null[f] for f in t])
            back_links, back_silent = back(two, [backward.null[e] for e in s])
            for i, e in enumerate(s):
                for j, f in enumerate(t):
                    both = links[i, j] * back_links[j, i]
                    counts[0][e, f] += both if agree else links[i, j]
                    counts[1][f, e] += both if agree else back_links[j, i]
            for j, f in enumerate(t):
                nulls[0][f] += silent[j]
            for i, e in enumerate(s):
                nulls[1][e] += back_silent[i]
        forward.update(counts[0], nulls[0])
        backward.update(counts[1], nulls[1])
    return forward, backward


BESIDE = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]


def slow_symmetrise(forward: set[Link], backward: set[Link], method: str) -> set[Link]:
    """Symmetrisation of Koehn, Och & Marcu (2003) as it is printed, over sets and the whole grid."""
    if method in ("forward", "backward"):
        return forward if method == "forward" else backward
    if method == "union":
        return forward | backward
    links = forward & backward
    if method == "intersection":
        return links
    rows = 1 + max((i for i, _ in forward | backward), default=0)
    columns = 1 + max((j for _, j in forward | backward), default=0)

    def unaligned(link: Link) -> tuple[bool, bool]:
        return all(i != link[0] for i, _ in links), all(j != link[1] for _, j in links)

    while True:
        size = len(links)
        for i in range(rows):
            for j in range(columns):
                if (i, j) not in links:
                    continue
                for down, right in BESIDE:
                    near = (i + down, j + right)
                    if near in forward | backward and near not in links and any(unaligned(near)):
                        links = links | {near}
        if len(links) == size:
            break
    if method != "grow-diag":
        enough = any if method == "grow-diag-final" else all
        for direction in (forward, backward):
            for link in sorted(direction):
                if link not in links and enough(unaligned(link)):
                    links = links | {link}
    return links
