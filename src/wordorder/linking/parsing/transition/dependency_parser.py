"""A dependency parser learned from a treebank, together with its tagger."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from wordorder.core.runtime.columns import Floats, Int64s, number_strings, offsets_from_lengths, to_column
from wordorder.core.runtime.errors import refuse, reject
from wordorder.core.runtime.threads import map_chunks, progress, spans
from wordorder.core.text import Tokens
from wordorder.core.trees import ROOT, DependencyTrees, ParseLists
from wordorder.core.trees.dependency import BLANK
from wordorder.core.trees.projectivity import lift
from wordorder.linking.parsing.transition.beam import parse_greedily, parse_with_beam
from wordorder.linking.parsing.transition.learning import NO_NUMBERS, NO_TREE, ParserOptions, learn_arcs, learn_tags
from wordorder.linking.parsing.transition.perceptron import UNIT, Weights
from wordorder.linking.parsing.transition.tagger import WORD, spell, tag_words

Tag = tuple[str, str]

MOST_TAGS = 150
"""If a treebank has more pairs of coarse and fine tags than this, only the coarse tags are used."""

LONGEST = 1000
"""The longest sentences, in words, used for training or parsed with a beam; longer ones are parsed greedily."""

SENTENCES_PER_CHUNK = 64


@dataclass(frozen=True, eq=False)
class DependencyParser:
    """Finds the tag, head and label of each word in a sentence.

    ``labels`` lists the possible labels of words that have a head; ``root_label`` is the label of roots. ``tags``
    lists pairs of a coarse and a fine tag. ``tagger`` is None if the parser was trained on the tags of the treebank.
    """

    options: ParserOptions
    tags: tuple[Tag, ...]
    labels: tuple[str, ...]
    root_label: str
    tagger: Weights | None
    weights: Weights

    @classmethod
    def learn(cls, trees: DependencyTrees, options: ParserOptions | None = None) -> "DependencyParser":
        """Learn a parser from a treebank; trees with crossing arcs are first made projective with ``trees.lift``."""
        options = options or ParserOptions()
        trees = trees.take(np.flatnonzero((trees.lengths > 0) & (trees.lengths <= LONGEST)))
        reject(not len(trees), f"cannot learn a parser: no sentence of the treebank has between 1 and {LONGEST} words")
        trees, _ = lift(trees)
        tags, tag_numbers = _number_tags(trees)
        strings = trees.strings.to_pylist()
        roots = trees.heads == ROOT
        labels = tuple(sorted({strings[label] for label in np.unique(trees.labels[~roots]).tolist()}))
        root_label = Counter(strings[label] for label in trees.labels[roots].tolist()).most_common(1)[0][0]
        spellings = _spell(trees, caseless=options.caseless)
        tagger = None
        if options.tags == "own":
            tagger, tag_numbers = learn_tags(spellings, trees.offsets, tag_numbers, len(tags), options.seed)
        number = {label: place for place, label in enumerate(labels)}
        arcs = np.array([number.get(string, -1) for string in strings], dtype=np.int32)[trees.labels]
        arcs[roots] = -1
        words = np.ascontiguousarray(spellings[:, WORD])
        weights = learn_arcs(words, tag_numbers, trees.heads, arcs, trees.offsets, len(labels), options)
        return cls(options, tags, labels, root_label, tagger, weights)

    def parse(
        self,
        sentences: Tokens | Sequence[Sequence[str]] | DependencyTrees,
        *,
        n: int = 1,
        beam: int | None = None,
        given_tags: bool | None = None,
        threads: int = 1,
    ) -> ParseLists[DependencyTrees]:
        """Return up to ``n`` different trees per sentence, best first; an empty sentence gets an empty list.

        The default beam size is the one used in training; a beam smaller than ``n`` is enlarged to ``n``. The
        ``log_probabilities`` are normalised over the trees returned for a sentence, so they are useful only for
        ranking these. If ``sentences`` are trees, their heads are ignored; their tags are used if ``given_tags`` is
        true (the default if the parser has no tagger).
        """
        beam = self.options.beam if beam is None else beam
        refuse(min(n, beam) < 1, f"the beam size and the number of parses must both be 1 or more, not {min(n, beam)}")
        ParserOptions(beam=max(n, beam))  # refuses a beam that is too large
        given = self.tagger is None if given_tags is None else given_tags
        untagged = given and not isinstance(sentences, DependencyTrees)
        refuse(untagged, "the parser needs part-of-speech tags, but the text has none; give tagged trees")
        lost = "the parser has no tagger, because it was trained on treebank tags; use the tags of the text instead"
        refuse(not given and self.tagger is None, lost)
        text = sentences if isinstance(sentences, DependencyTrees) else _untagged(sentences)
        spellings = _spell(text, caseless=self.options.caseless)
        tags = self._numbers_of_tags(text) if given else None
        chunks = spans(len(text), SENTENCES_PER_CHUNK)

        def work(chunk: tuple[int, int]) -> "list[_Found]":
            cuts = (slice(text.offsets[row], text.offsets[row + 1]) for row in range(*chunk))
            return [self._parse(spellings[cut], None if tags is None else tags[cut], n, max(n, beam)) for cut in cuts]

        parts = map_chunks(work, chunks, threads=threads)
        watched = progress(parts, label="parsing", total=len(chunks), unit=f" × {SENTENCES_PER_CHUNK} sentences")
        return self._gather(text, [found for part in watched for found in part], tagged=not given)

    def _parse(self, spellings: Int64s, tags: Int64s | None, n: int, beam: int) -> "_Found":
        if not len(spellings):
            return _Found(np.zeros((0, 2, 0), dtype=np.int64), np.zeros(0), np.zeros(0, dtype=np.int64))
        if tags is None:
            assert self.tagger is not None
            tags = tag_words(self.tagger, spellings, len(self.tags), NO_NUMBERS)
        words, labels = np.ascontiguousarray(spellings[:, WORD]), len(self.labels)
        if beam == 1 or len(words) > LONGEST:
            tree = parse_greedily(self.weights, words, tags, labels, NO_TREE, NO_TREE, 0.0, 0)
            return _Found(tree[None], np.zeros(1), tags)
        trees, scores = parse_with_beam(self.weights, words, tags, labels, beam, NO_NUMBERS)
        different = np.flatnonzero(trees[:, 0, 0] >= ROOT)[:n]
        kept = (scores[different] - scores[0]) / UNIT
        return _Found(trees[different], kept - np.log(np.exp(kept).sum()), tags)

    def _numbers_of_tags(self, text: DependencyTrees) -> Int64s:
        """Return the indices of given tags; an unknown pair counts as the most frequent with its coarse tag."""
        known: dict[Tag, int] = {}
        for number, (coarse, fine) in enumerate(self.tags):
            known[coarse, fine] = number
            known.setdefault((coarse, ""), number)
        pairs, places = _pairs_of_tags(text)
        numbers = [known.get(pair, known.get((pair[0], ""), -1)) for pair in pairs]
        return np.array(numbers, dtype=np.int64)[places]

    def _gather(self, text: DependencyTrees, found: "list[_Found]", *, tagged: bool) -> ParseLists[DependencyTrees]:
        counts = np.array([len(each.scores) for each in found], dtype=np.int64)
        coarse, fine = ([pair[place] for pair in self.tags] for place in (0, 1))
        strings, (old, labels, *tags) = number_strings(text.strings, [*self.labels, self.root_label], coarse, fine)
        trees = text.renumbered(old, strings).take(np.repeat(np.arange(len(found)), counts))
        heads, arcs = (_joined([each.trees[:, row].reshape(-1) for each in found]) for row in (0, 1))
        trees = replace(trees, heads=heads.astype(np.int32), labels=labels[arcs])
        if tagged:
            own = _joined([np.tile(each.tags, len(each.scores)) for each in found])
            trees = replace(trees, tags=tags[0][own], fine_tags=tags[1][own])
        names = tuple(str(row + 1) for row in range(len(found)))
        scores = np.concatenate([each.scores for each in found] or [np.zeros(0)])
        return ParseLists(trees, scores, offsets_from_lengths(counts), names)


class _Found(NamedTuple):
    """The trees of a sentence, their log scores, and the tags of the words.

    The array ``trees`` has three axes: the tree, heads or labels, and the word. At the root, both the head and the
    label are −1.
    """

    trees: Int64s
    scores: Floats
    tags: Int64s


def _joined(parts: list[Int64s]) -> Int64s:
    return np.concatenate(parts or [np.zeros(0, dtype=np.int64)])


def _spell(text: DependencyTrees, *, caseless: bool) -> Int64s:
    """Return the spelling hashes of every word; the hashes of each distinct word are computed only once."""
    used, places = np.unique(text.words, return_inverse=True)
    words: list[str] = text.strings.take(to_column(used)).to_pylist()
    return spell([word.lower() for word in words] if caseless else words)[places]


def _untagged(sentences: Tokens | Sequence[Sequence[str]]) -> DependencyTrees:
    """Return sentences as a column of dependency trees whose heads and tags are still empty."""
    rows = [list(row) for row in sentences]
    strings, (words, blank) = number_strings([word for row in rows for word in row], [BLANK])
    nothing = np.full(len(words), blank[0], dtype=np.int32)
    heads = np.full(len(words), ROOT, dtype=np.int32)
    return DependencyTrees(words, heads, nothing, nothing, nothing, offsets_from_lengths(map(len, rows)), strings)


def _pairs_of_tags(text: DependencyTrees) -> tuple[list[Tag], Int64s]:
    """Return the distinct pairs of coarse and fine tags, and the index of the pair of each word."""
    strings = text.strings.to_pylist()
    pairs = np.stack((text.tags, text.fine_tags), axis=1)
    distinct, places = np.unique(pairs, axis=0, return_inverse=True)
    return [(strings[coarse], strings[fine]) for coarse, fine in distinct.tolist()], places.reshape(-1)


def _number_tags(trees: DependencyTrees) -> tuple[tuple[Tag, ...], Int64s]:
    """Return the tags of a treebank, most frequent first, and the index of the tag of each word."""
    pairs, places = _pairs_of_tags(trees)
    if len(pairs) > MOST_TAGS:
        pairs = [(coarse, BLANK) for coarse, _ in pairs]
    counts: Counter[Tag] = Counter()
    for pair, count in zip(pairs, np.bincount(places, minlength=len(pairs)).tolist(), strict=True):
        counts[pair] += count
    tags = tuple(sorted(counts, key=lambda pair: (-counts[pair], pair)))
    number = {pair: place for place, pair in enumerate(tags)}
    return tags, np.array([number[pair] for pair in pairs], dtype=np.int64)[places]
