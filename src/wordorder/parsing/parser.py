"""Parse sentences with a grammar: the best trees of each, with their log probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.parsing.cky import Level, fill, prune
from wordorder.parsing.grammar import Grammar
from wordorder.parsing.kbest import Found, list_trees
from wordorder.parsing.rule_tables import Flags, Ints, Offsets, Scores
from wordorder.runtime.columns import offsets_from_lengths
from wordorder.runtime.errors import UsageError
from wordorder.runtime.progress import progress
from wordorder.runtime.threads import map_chunks, spans
from wordorder.text import Tokens
from wordorder.trees import ROOT_LABEL, ConstituencyTrees, ParseLists
from wordorder.trees.vocabulary import number_strings

FLAT_LABEL = "FLAT"
"""The constituent of a sentence that could not be parsed: all its words, side by side."""

MARGINS = (10.0, 20.0)
"""How far below the best coarse tree, in nats, a tree may lie; the next margin is tried where no tree is found."""

LONGEST = 150
"""Words of the longest sentence that is parsed, in some seconds; a longer one gets the flat tree."""

SENTENCES_PER_CHUNK = 32
_DERIVATIONS_PER_TREE = 8


@dataclass(frozen=True)
class Parser:
    """Finds the best trees of sentences.

    ``margins`` are the pruning margins tried in turn; ``longest`` bounds the length of a sentence.
    """

    grammar: Grammar
    margins: tuple[float, ...] = MARGINS
    longest: int = LONGEST

    def __post_init__(self) -> None:
        if not self.margins or not all(0 <= margin < np.inf for margin in self.margins):
            raise UsageError(f"expected pruning margins of 0 or more, not {self.margins}")

    def parse(
        self, sentences: Tokens | Sequence[Sequence[str]], *, n: int = 1, threads: int = 1
    ) -> ParseLists[ConstituencyTrees]:
        """Return up to ``n`` different trees per sentence, best first.

        Where the fine grammar finds none, the trees are those of the coarse one. A sentence without a tree, or that
        is too long, gets one flat tree ``(ROOT (FLAT …))`` of probability 1; an empty sentence gets an empty list.
        The result does not depend on the number of threads.
        """
        if n < 1:
            raise UsageError(f"the number of parses must be 1 or more, not {n}")
        rows = list(sentences)
        chunks = [rows[start:stop] for start, stop in spans(len(rows), SENTENCES_PER_CHUNK)]
        parts = map_chunks(lambda chunk: [self._parse(words, n) for words in chunk], chunks, threads=threads)
        watched = progress(parts, label="parsing", total=len(chunks), unit=f" × {SENTENCES_PER_CHUNK} sentences")
        return self._gather(rows, [found for part in watched for found in part])

    def _parse(self, words: Sequence[str], n: int) -> Found:
        if not words:
            return _NOTHING
        if len(words) <= self.longest:
            for margin in self.margins:
                found = self._search(words, n, margin, self.grammar.fine)
                if len(found.scores):
                    return found
            found = self._search(words, n, self.margins[0], self.grammar.coarse)
            if len(found.scores):
                return found
        return self._flat(words)

    def _search(self, words: Sequence[str], n: int, margin: float, level: Level) -> Found:
        known = [self.grammar.word_scores(word, initial=place == 0) for place, word in enumerate(words)]
        coarse_tags = _joined([(word.coarse_tags, word.coarse_scores) for word in known])
        coarse = self.grammar.coarse
        kept = prune(coarse.rules, *coarse_tags, coarse.root, margin)
        tags = coarse_tags if level is coarse else _joined([(word.tags, word.scores) for word in known])
        patience = n * _DERIVATIONS_PER_TREE if n > 1 else 1
        return list_trees(level, kept, fill(level, kept, *tags), n, patience)

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


_NOTHING = Found(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(1, np.int64), np.zeros(0))


def _joined(words: Sequence[tuple[Ints, Scores]]) -> tuple[Ints, Scores, Offsets]:
    """Put the tags of the words of a sentence, with their scores, one after another."""
    tags, scores = zip(*words, strict=True)
    return np.concatenate(tags), np.concatenate(scores), offsets_from_lengths(map(len, tags))


def is_flat(trees: ConstituencyTrees) -> Flags:
    """Whether each tree stands for a sentence that could not be parsed."""
    strings = trees.strings.to_pylist()
    second = np.minimum(trees.node_offsets[:-1] + 1, len(trees.labels) - 1)
    flat = np.array([string == FLAT_LABEL for string in strings], dtype=np.bool_)
    return flat[trees.labels[second]] if len(trees) else np.zeros(0, dtype=np.bool_)
