"""Batches of parses for tests, parses made up by hypothesis, and DPM as the paper says it, with dictionaries."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from wordorder.core.trees import ConstituencyTrees, DependencyTree, DependencyTrees, ParseLists, to_dependencies
from wordorder.metrics import Batch, metric

Parse = tuple[float, DependencyTree]
"""A log probability and a tree."""


def lists_of(segments: Sequence[Sequence[Parse]]) -> ParseLists[DependencyTrees]:
    trees = DependencyTrees.of([tree for segment in segments for _, tree in segment])
    scores = np.array([score for segment in segments for score, _ in segment], dtype=float)
    offsets = np.cumsum([0, *map(len, segments)])
    return ParseLists(trees, scores, offsets, tuple(str(row) for row in range(len(segments))))


def parse_batch(hypotheses: Sequence[Sequence[Parse]], *references: Sequence[Sequence[Parse]]) -> Batch:
    return Batch(parses=(lists_of(hypotheses), *map(lists_of, references)))


def dependencies(*brackets: str) -> list[DependencyTree]:
    return list(to_dependencies(ConstituencyTrees.of(brackets)))


def dpm(spec: str, hypothesis: Sequence[Parse], *references: Sequence[Parse]) -> list[float]:
    """Score one segment against each reference."""
    chosen = metric(spec)
    rows = chosen.statistics(parse_batch([hypothesis], *([reference] for reference in references)))
    scores: list[float] = chosen.segment(rows)[0].tolist()
    return scores


# --- the literal twin --------------------------------------------------------------------------------------------


def fragments(tree: DependencyTree, part: str) -> list[tuple[str | None, ...]]:
    """List the fragments of one type; the head of the root is None, which is no word."""
    words = tree.words
    if part == "1g":
        return [(word,) for word in words]
    if part == "2g":
        return list(pairwise(words))
    if part == "chain":
        up = [head if head < 0 else tree.heads[head] for head in tree.heads]
        return [
            (word, words[head], words[grand] if grand >= 0 else None)
            for word, head, grand in zip(words, tree.heads, up, strict=True)
            if head >= 0
        ]
    arcs = [
        (word, label, words[head] if head >= 0 else None)
        for word, label, head in zip(words, tree.labels, tree.heads, strict=True)
    ]
    places = {"dl": (0, 1), "lh": (1, 2), "dlh": (0, 1, 2), "dh": (0, 2)}[part]
    return [tuple(arc[place] for place in places) for arc in arcs]


def expected_bag(parses: Sequence[Parse], parts: Sequence[str], n: int, gamma: float) -> dict[object, float]:
    """Sum p̃(tree) over the trees that have a fragment, as often as they have it."""
    kept = sorted(parses, key=lambda parse: -parse[0])[:n]
    weights = [math.exp(gamma * (score - kept[0][0])) for score, _ in kept]
    bag: dict[object, float] = {}
    for weight, (_, tree) in zip(weights, kept, strict=True):
        for part in parts:
            for fragment, count in Counter(fragments(tree, part)).items():
                bag[part, fragment] = bag.get((part, fragment), 0.0) + count * weight / sum(weights)
    return bag


def counts_of(
    hypothesis: Sequence[Parse], reference: Sequence[Parse], parts: Sequence[str], n: int, gamma: float
) -> tuple[float, float, float]:
    one, two = (expected_bag(side, parts, n, gamma) for side in (hypothesis, reference))
    matched = sum(min(count, two.get(fragment, 0.0)) for fragment, count in one.items())
    return matched, sum(one.values()), sum(two.values())


# --- parses made up by hypothesis --------------------------------------------------------------------------------


@st.composite
def trees(draw: st.DrawFn, words: tuple[str, ...]) -> DependencyTree:
    """Hang every word under one that was hung before it, in any order: every tree is possible."""
    order = draw(st.permutations(range(len(words))))
    heads = [-1] * len(words)
    for place, word in enumerate(order[1:], start=1):
        heads[word] = order[draw(st.integers(0, place - 1))]
    labels = tuple(draw(st.sampled_from("xy")) for _ in words)
    return DependencyTree(words, tuple(heads), labels)


@st.composite
def parse_lists(draw: st.DrawFn) -> list[Parse]:
    """Give some parses of one sentence, in any order; an empty sentence has none."""
    words = tuple(draw(st.lists(st.sampled_from(["a", "b", "A", "x"]), max_size=6)))
    scores = draw(st.lists(st.floats(-30, 0), min_size=1, max_size=4)) if words else []
    return [(score, draw(trees(words))) for score in scores]
