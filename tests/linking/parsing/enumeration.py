"""Every derivation of a sentence under a grammar, by the definition of the two layers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from wordorder.linking.parsing.counts import STEP, GrammarOptions
from wordorder.linking.parsing.grammar import Grammar

EVERYTHING = 1e6
"""A margin that prunes nothing."""

Nodes = tuple[Any, ...]
"""A row of trees, each a label with its row of children, or a tag alone."""

options = st.builds(
    GrammarOptions,
    vertical=st.integers(1, 2),
    horizontal=st.integers(0, 2),
    binarisation=st.sampled_from(["head", "left"]),
    rare=st.integers(0, 3),
    splits=st.sampled_from([(), ("tag-parent",)]),
)


def frequencies(grammar: Grammar) -> tuple[dict[int, list[Any]], dict[int, list[Any]]]:
    """Rules by parent and ways to the top by category, with log relative frequencies, straight from the counts."""
    counts = grammar.counts
    binary: dict[int, list[Any]] = {}
    for parent, left, right, count in counts.binary.tolist():
        total = sum(row[3] for row in counts.binary.tolist() if row[0] == parent)
        binary.setdefault(parent, []).append((left, right, math.log(count / total)))
    ways: dict[int, list[Any]] = {}
    for category, stay in enumerate(counts.stay.tolist()):
        chains = [
            (row, middle)
            for row, middle in zip(counts.unary.tolist(), counts.middles, strict=True)
            if row[0] == category
        ]
        total = stay + sum(row[2] for row, _ in chains)
        if stay or not total:
            ways.setdefault(category, []).append((category, None, math.log(stay / total) if total else 0.0))
        for (_, bottom, count), middle in chains:
            ways.setdefault(category, []).append((bottom, middle, math.log(count / total)))
    return binary, ways


class Enumeration:
    """Every derivation of a sentence, by the definition of the two layers."""

    def __init__(self, grammar: Grammar, words: list[str]) -> None:
        self.grammar = grammar
        self.words = words
        self.binary, self.ways = frequencies(grammar)
        self.memory: dict[Any, list[tuple[float, Nodes]]] = {}

    def label(self, category: int) -> str:
        return self.grammar.counts.categories[category].label

    def bottoms(self, start: int, end: int, category: int) -> list[tuple[float, Nodes]]:
        key = (start, end, category)
        if key not in self.memory:
            self.memory[key] = list(self._bottoms(start, end, category))
            assume(sum(map(len, self.memory.values())) < 4000)
        return self.memory[key]

    def _bottoms(self, start: int, end: int, category: int) -> Iterator[tuple[float, Nodes]]:
        if end - start == 1:
            scores = self.grammar.lexicon.scores(self.words[start], initial=start == 0)
            if category in scores:
                yield scores[category], (self.label(category),)
            return
        for left, right, score in self.binary.get(category, []):
            for split in range(start + 1, end):
                pairs = product(self.tops(start, split, left), self.tops(split, end, right))
                for (one, before), (two, behind) in pairs:
                    nodes = before + behind
                    if self.grammar.counts.categories[category].kind != STEP:
                        nodes = ((self.label(category), nodes),)
                    yield score + one + two, nodes

    def tops(self, start: int, end: int, category: int) -> list[tuple[float, Nodes]]:
        found = []
        for bottom, middle, way in self.ways.get(category, []):
            for score, nodes in self.bottoms(start, end, bottom):
                if middle is not None:
                    for label in (*reversed(middle), self.label(category)):
                        nodes = ((label, nodes),)
                found.append((score + way, nodes))
        return found

    def derivations(self) -> list[tuple[float, Nodes]]:
        """List the derivations of the whole sentence with their log probabilities."""
        return self.tops(0, len(self.words), self.grammar.fine.root)

    def trees(self) -> dict[Nodes, float]:
        """Give the probability of the best derivation of each tree."""
        best: dict[Nodes, float] = {}
        for score, nodes in self.derivations():
            best[nodes] = max(best.get(nodes, -math.inf), score)
        return best
