"""Parsing with a grammar: find the best trees of each sentence, or its expected dependencies over all trees."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from wordorder.core.runtime.columns import Bools, Floats, Int64s, Ints, number_strings, offsets_from_lengths
from wordorder.core.runtime.errors import UsageError, refuse
from wordorder.core.runtime.threads import map_chunks, progress, spans
from wordorder.core.text import Tokens
from wordorder.core.trees import (
    ROOT,
    ROOT_LABEL,
    ConstituencyTrees,
    ExpectedCounts,
    ExpectedDependencies,
    ParseLists,
    to_dependencies,
)
from wordorder.linking.parsing.cky import Chart, Kept, Level, fill, prune
from wordorder.linking.parsing.expected_arcs import Expected, expect
from wordorder.linking.parsing.grammar import Grammar
from wordorder.linking.parsing.kbest import Found, list_trees
from wordorder.linking.parsing.packed_forest import extract

FLAT_LABEL = "FLAT"
"""The label of the constituent in a flat tree, which directly contains all words of a sentence without a parse."""

MARGINS = (10.0, 20.0)
"""How far below the best coarse tree a tree may score, in nats; if no tree is found, the second is tried."""

LONGEST = 150
"""The number of words of the longest sentence that is parsed (in a few seconds); longer ones get the flat tree."""

SENTENCES_PER_CHUNK = 32
_DERIVATIONS_PER_TREE = 8

Result = TypeVar("Result")


@dataclass(frozen=True)
class Parser:
    """Finds the best trees or the expected dependencies of sentences.

    ``margins`` are the pruning margins, tried in turn until a tree is found; ``longest`` is the maximum sentence
    length in words.
    """

    grammar: Grammar
    margins: tuple[float, ...] = MARGINS
    longest: int = LONGEST

    def __post_init__(self) -> None:
        if not self.margins or not all(0 <= margin < np.inf for margin in self.margins):
            raise UsageError(f"expected one or more pruning margins, all finite and at least 0, found {self.margins}")

    def parse(
        self, sentences: Tokens | Sequence[Sequence[str]], *, n: int = 1, threads: int = 1
    ) -> ParseLists[ConstituencyTrees]:
        """Return up to ``n`` different trees per sentence, best first.

        If the fine grammar finds no tree, the coarse grammar is used instead. A sentence without any tree, or one
        that is too long, gets one flat tree ``(ROOT (FLAT …))`` with probability 1; an empty sentence gets an empty
        list. The result does not depend on the number of threads.
        """
        refuse(not 1 <= n <= 1 << 20, f"the number of parses must be 1 to {1 << 20}, not {n}")
        rows = list(sentences)
        return self._gather(rows, self._map(lambda words: self._parse(words, n), rows, threads))

    def expect(
        self,
        sentences: Tokens | Sequence[Sequence[str]],
        *,
        gammas: Sequence[float] = (1.0,),
        chains: bool = False,
        threads: int = 1,
    ) -> list[ExpectedDependencies]:
        """Return, for each γ, the expected dependencies over the packed forests of all sentences.

        The forest of a sentence contains all trees within the pruning margin of the best tree, and all other trees
        that combine parts of these. A derivation is weighted by the γ-th power of its probability. With ``chains``,
        the result includes chains of two arcs. Like :meth:`parse`, this method falls back on the coarse grammar, then
        on a flat tree.
        """
        if not all(0 <= gamma < np.inf for gamma in gammas):
            raise UsageError(f"gamma must be 0 or more, not {', '.join(map(str, gammas))}")
        rows = list(sentences)
        found = self._map(lambda words: self._expect(words, gammas, chains), rows, threads)
        return [self._gather_expected(rows, [row[place] for row in found]) for place in range(len(gammas))]

    def _map(self, work: Callable[[Sequence[str]], Result], rows: list[Sequence[str]], threads: int) -> list[Result]:
        chunks = [rows[start:stop] for start, stop in spans(len(rows), SENTENCES_PER_CHUNK)]
        parts = map_chunks(lambda chunk: [work(words) for words in chunk], chunks, threads=threads)
        watched = progress(parts, label="parsing", total=len(chunks), unit=f" × {SENTENCES_PER_CHUNK} sentences")
        return [found for part in watched for found in part]

    def _parse(self, words: Sequence[str], n: int) -> Found:
        if not words:
            return _NOTHING
        patience = n * _DERIVATIONS_PER_TREE if n > 1 else 1
        for level, kept, chart, _ in self._charts(words):
            found = list_trees(level, kept, chart, n, patience)
            if len(found.scores):
                return found
        return self._flat(words)

    def _expect(self, words: Sequence[str], gammas: Sequence[float], chains: bool) -> list[Expected]:
        if not words:
            return [_NO_ARCS] * len(gammas)
        for level, kept, chart, margin in self._charts(words):
            forest = extract(level, kept, chart, margin)
            if len(forest.starts):
                runs = self.grammar.head_runs
                return [expect(runs, forest, gamma, len(words), chains=chains) for gamma in gammas]
        return [self._expect_flat(words)] * len(gammas)

    def _charts(self, words: Sequence[str]) -> Iterator[tuple[Level, Kept, Chart, float]]:
        """Yield charts, with their margins, for the caller to try in turn; yield none if the sentence is too long."""
        if len(words) > self.longest:
            return
        known = [self.grammar.word_scores(word, initial=place == 0) for place, word in enumerate(words)]
        coarse_tags = _joined([(word.coarse_tags, word.coarse_scores) for word in known])
        coarse, fine = self.grammar.coarse, self.grammar.fine
        for level, margin in (*((fine, margin) for margin in self.margins), (coarse, self.margins[0])):
            kept = prune(coarse.rules, *coarse_tags, coarse.root, margin)
            tags = coarse_tags if level is coarse else _joined([(word.tags, word.scores) for word in known])
            yield level, kept, fill(level, kept, *tags), margin

    def _expect_flat(self, words: Sequence[str]) -> Expected:
        """Return the arcs and chains of the flat tree of a sentence."""
        flat = self._flat(words)
        heads = to_dependencies(self._gather([words], [flat]).trees).heads
        tags = flat.labels[2:]
        root = heads == ROOT
        above, below = np.where(root, flat.labels[0], flat.labels[1]), np.where(root, flat.labels[1], tags)
        arcs = np.column_stack((np.arange(len(words)), heads, above, below)).astype(np.int32)
        chains = np.column_stack((np.arange(len(words)), heads, heads[heads]))[~root].astype(np.int32)
        return Expected(arcs, np.ones(len(arcs)), chains, np.ones(len(chains)))

    def _flat(self, words: Sequence[str]) -> Found:
        labels = self._labels()
        tags = [self.grammar.best_tag(word, initial=place == 0) for place, word in enumerate(words)]
        nodes = [labels.index(label) for label in (ROOT_LABEL, FLAT_LABEL, *tags)]
        parents = [-1, 0] + [1] * len(tags)
        ends = np.array([0, len(nodes)], dtype=np.int64)
        return Found(np.array(nodes, dtype=np.int32), np.array(parents, dtype=np.int32), ends, np.zeros(1))

    def _labels(self) -> list[str]:
        return [*self.grammar.labels, FLAT_LABEL]

    def _gather(self, rows: list[Sequence[str]], found: list[Found]) -> ParseLists[ConstituencyTrees]:
        found = [_NOTHING, *found]  # so that there is something to concatenate
        counts = np.array([len(part.scores) for part in found[1:]], dtype=np.int64)
        strings, (labels, words) = number_strings(self._labels(), [word for row in rows for word in row])
        ends = offsets_from_lengths([len(row) for row in rows])
        sizes = np.concatenate([np.diff(part.offsets) for part in found])
        nodes = np.concatenate([part.labels for part in found])
        spread = [words[ends[row] : ends[row + 1]] for row in np.repeat(np.arange(len(rows)), counts)]
        trees = ConstituencyTrees(
            labels[nodes],
            np.concatenate([part.parents for part in found]),
            offsets_from_lengths(sizes),
            np.concatenate(spread or [np.zeros(0, np.int32)]),
            offsets_from_lengths(np.repeat(np.diff(ends), counts)),
            strings,
        )
        scores = np.concatenate([part.scores for part in found])
        return ParseLists(trees, scores, offsets_from_lengths(counts), tuple(str(i + 1) for i in range(len(rows))))

    def _gather_expected(self, rows: list[Sequence[str]], found: list[Expected]) -> ExpectedDependencies:
        found = [_NO_ARCS, *found]  # so that there is something to concatenate
        arcs = np.concatenate([part.arcs for part in found])
        names = self._labels()
        pairs, numbers = np.unique(arcs[:, 2].astype(np.int64) * len(names) + arcs[:, 3], return_inverse=True)
        labels = [f"{names[pair // len(names)]}/{names[pair % len(names)]}" for pair in pairs.tolist()]
        strings, (words, known) = number_strings([word for row in rows for word in row], labels)
        triples = np.column_stack((arcs[:, 0], known[numbers] if len(arcs) else arcs[:, 2], arcs[:, 1]))
        weights, chains, chain_weights = (np.concatenate(column) for column in list(zip(*found, strict=True))[1:])
        ends, chain_ends = (offsets_from_lengths([len(part[k]) for part in found[1:]]) for k in (1, 3))
        counts = ExpectedCounts(triples, weights, ends), ExpectedCounts(chains, chain_weights, chain_ends)
        return ExpectedDependencies(words, offsets_from_lengths(map(len, rows)), *counts, strings)


_NOTHING = Found(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(1, np.int64), np.zeros(0))
_NO_ARCS = Expected(np.zeros((0, 4), np.int32), np.zeros(0), np.zeros((0, 3), np.int32), np.zeros(0))


def _joined(words: Sequence[tuple[Ints, Floats]]) -> tuple[Ints, Floats, Int64s]:
    """Concatenate the tags and scores of all words of a sentence; also return the offset of each word."""
    tags, scores = zip(*words, strict=True)
    return np.concatenate(tags), np.concatenate(scores), offsets_from_lengths(map(len, tags))


def is_flat(trees: ConstituencyTrees) -> Bools:
    """Return, for each tree, whether it is a flat tree that stands for a sentence that could not be parsed."""
    strings = trees.strings.to_pylist()
    second = np.minimum(trees.node_offsets[:-1] + 1, len(trees.labels) - 1)
    flat = np.array([string == FLAT_LABEL for string in strings], dtype=np.bool_)
    return flat[trees.labels[second]] if len(trees) else np.zeros(0, dtype=np.bool_)
