"""The DPM family: F-measures that compare the fragments of two dependency trees, or of two lists of parses.

Kahn, Ostendorf & Roark 2009. A tree is divided into fragments of one or several types. ``1g`` is a word and ``2g`` a
pair of neighbouring words, without sentence boundaries. Each arc yields a fragment of the dependent and the label
(``dl``), of the label and the head (``lh``), of all three (``dlh``), or of the dependent and the head (``dh``). A
``chain`` consists of a word, its head and the head's head, without labels (the headword chains of Liu & Gildea 2005).
The root arc is included; its head is ROOT, which is not a word.

If a sentence has several parses, fragments have expected counts. The probability p of a parse is replaced by p^γ,
normalised over the n best parses or over all derivations in the packed forest. In each segment, hypothesis and
reference have Σ min(expected counts) fragments in common. The scores of documents and systems are computed from the
sums of this number and of the numbers of fragments in hypotheses and references.

Fragments are stored in columns. A fragment consists of up to three integer IDs and a weight, which is the probability
of its tree or its expected count in a forest. One hash table, which is reused for all segments, numbers the
fragments.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol

import numpy as np

from wordorder.core.runtime.columns import Bools, Floats, Int64s, Ints, Offsets, number_strings, rows_of
from wordorder.core.runtime.errors import UsageError, check_choice, refuse
from wordorder.core.runtime.kernels import find_slot, hash_table, kernel
from wordorder.core.text.tokens import Tokens, lower
from wordorder.core.trees import ROOT, DependencyTrees, ExpectedDependencies, ParseLists, lower_words, share_strings
from wordorder.metrics.base import Array, Batch, ForestRequest, Metric, Need, parameter

FRAGMENTS = ("1g", "2g", "dl", "lh", "dlh", "dh", "chain")
"""The types of fragments: words, word pairs, parts of an arc (dependent, label, head), and chains of two arcs."""

STRING_FRAGMENTS = ("1g", "2g")
"""The types of fragments that do not require a tree."""

CHAIN = "chain"


class Bag(NamedTuple):
    """The fragments of one type for all segments, as columns of integer IDs.

    The fragments of segment i are at ``offsets[i]:offsets[i + 1]``.
    """

    columns: tuple[Ints, ...]
    weights: Floats
    offsets: Offsets


class FragmentSource(Protocol):
    """The sentences of the hypotheses or of one reference, which can be divided into fragments."""

    def bag(self, part: str) -> Bag:
        """Return all fragments of one type."""


@dataclass(frozen=True, eq=False)
class TreeWords:
    """The words of all trees in sequence, each with its label, its head word and the weight of its tree.

    ``grand`` holds the head of each head word. ``is_last`` is true for the last word of a tree, and ``is_root`` for
    its root.
    """

    words: Ints
    labels: Ints
    head_words: Ints
    grand: Ints
    weights: Floats
    is_last: Bools
    is_root: Bools
    offsets: Offsets

    def bag(self, part: str) -> Bag:
        """Return all fragments of one type; the last word starts no word pair, and the root starts no chain."""
        columns = {
            "1g": (self.words,),
            "2g": (self.words, np.roll(self.words, -1)),
            "dl": (self.words, self.labels),
            "lh": (self.labels, self.head_words),
            "dlh": (self.words, self.labels, self.head_words),
            "dh": (self.words, self.head_words),
            CHAIN: (self.words, self.head_words, self.grand),
        }[part]
        weights = self.weights
        if part in ("2g", CHAIN):
            weights = np.where(self.is_last if part == "2g" else self.is_root, 0.0, weights)
        return Bag(columns, weights, self.offsets)


@dataclass(frozen=True, eq=False)
class ForestWords:
    """The words of sentences, with the expected counts of arcs and chains in their parse forests."""

    expected: ExpectedDependencies

    def bag(self, part: str) -> Bag:
        """Return all fragments of one type."""
        found = self.expected
        if part in STRING_FRAGMENTS:
            return _strings(found.words, found.offsets).bag(part)
        counts = found.chains if part == CHAIN else found.arcs
        starts = found.offsets[:-1][rows_of(counts.offsets)]
        one, two, three = counts.rows.T
        words = {"d": _words_at(found, one, starts), "l": two, "h": _words_at(found, three, starts)}
        if part == CHAIN:
            return Bag((words["d"], _words_at(found, two, starts), words["h"]), counts.weights, counts.offsets)
        return Bag(tuple(words[letter] for letter in part), counts.weights, counts.offsets)


def _words_at(found: ExpectedDependencies, places: Ints, starts: Offsets) -> Ints:
    """Return the words at positions that are counted from the start of each sentence; ROOT remains ROOT."""
    if not len(found.words):
        return places
    return np.where(places == ROOT, ROOT, found.words[np.maximum(places, 0) + starts]).astype(np.int32)


def from_tokens(*columns: Tokens, lowercase: bool) -> list[FragmentSource]:
    """Return one source of fragments for each column of sentences; it provides words and word pairs only."""
    if lowercase:
        columns = lower(columns)
    return [_strings(column.ids, column.offsets) for column in columns]


def from_parses(*columns: ParseLists[DependencyTrees], n: int, gamma: float, lowercase: bool) -> list[FragmentSource]:
    """Return one source of fragments for each column of parses; all sources share one vocabulary.

    Each source holds the words and arcs of the ``n`` best parses of each sentence. A parse is weighted by its
    probability, raised to the power ``gamma``.
    """
    if lowercase:
        columns = tuple(map(lower_words, columns))
    shared = share_strings(*(column.trees for column in columns))
    return [_weigh(column, trees, n, gamma) for column, trees in zip(columns, shared, strict=True)]


def from_forests(*columns: ExpectedDependencies, lowercase: bool) -> list[FragmentSource]:
    """Return one source of fragments for each column of expected dependencies; all sources share one vocabulary."""
    if lowercase:
        columns = tuple(column.lower_words() for column in columns)
    strings, maps = number_strings(*(column.strings for column in columns))
    return [ForestWords(column.renumbered(mapping, strings)) for column, mapping in zip(columns, maps, strict=True)]


def _strings(words: Ints, offsets: Offsets) -> TreeWords:
    """Return a source of fragments for words without trees."""
    return TreeWords(words, words, words, words, np.ones(len(words)), _last(offsets), _last(offsets), offsets)


def _weigh(lists: ParseLists[DependencyTrees], trees: DependencyTrees, n: int, gamma: float) -> TreeWords:
    starts = trees.offsets[:-1][rows_of(trees.offsets)]
    root = trees.heads == ROOT
    heads = np.where(root, 0, trees.heads + starts)
    head_words = np.where(root, ROOT, trees.words[heads]).astype(np.int32)
    weights = np.repeat(lists.weights(gamma=gamma, n=n), trees.lengths)
    last, offsets = _last(trees.offsets), trees.offsets[lists.offsets]
    return TreeWords(trees.words, trees.labels, head_words, head_words[heads], weights, last, root, offsets)


def _last(offsets: Offsets) -> Bools:
    last = np.zeros(offsets[-1], dtype=np.bool_)
    last[offsets[1:][np.diff(offsets) > 0] - 1] = True
    return last


def overlap(part: str, hypothesis: FragmentSource, reference: FragmentSource) -> Floats:
    """Count the fragments of one type in each segment, ``[segments, 3]``.

    The three counts are those of the matched fragments, Σ min(hypothesis, reference), of the hypothesis fragments and
    of the reference fragments.
    """
    one, two = hypothesis.bag(part), reference.bag(part)
    keys = np.zeros(len(one.weights) + len(two.weights), dtype=np.int64)
    for pair in zip(one.columns, two.columns, strict=True):
        column = np.concatenate(pair)
        keys = keys * (int(column.max(initial=0)) + 2) + (column + 1)  # the head word of a root is −1
    weights = np.concatenate([one.weights, two.weights])
    return _overlap(keys, weights, np.stack([one.offsets, two.offsets + len(one.weights)]))


@kernel
def _overlap(fragments: Int64s, weights: Floats, offsets: Int64s) -> Floats:
    rows = offsets.shape[1] - 1
    result = np.zeros((rows, 3), dtype=np.float64)
    largest = np.int64(1)
    for row in range(rows):
        size = offsets[0, row + 1] - offsets[0, row] + offsets[1, row + 1] - offsets[1, row]
        largest = max(largest, size)
    keys, numbers = hash_table(largest)
    first = np.int64(0)  # each segment uses new numbers from here on, which makes older entries invalid
    counts = np.empty((largest, 2), dtype=np.float64)
    for row in range(rows):
        known = 0
        for side in range(2):
            for place in range(offsets[side, row], offsets[side, row + 1]):
                if weights[place] == 0.0:
                    continue
                slot = find_slot(keys, numbers, first, fragments[place])
                if numbers[slot] < first:
                    keys[slot], numbers[slot] = fragments[place], first + known
                    counts[known] = 0.0
                    known += 1
                counts[numbers[slot] - first, side] += weights[place]
        for number in range(known):
            result[row, 0] += min(counts[number, 0], counts[number, 1])
            result[row, 1] += counts[number, 0]
            result[row, 2] += counts[number, 1]
        first += known
    return result


SCORES = ("f", "precision", "recall")
LIST, FOREST = SOURCES = ("list", "forest")

_EXPECTED = "expectation over the list of the n best parses, or over the whole forest"
_FRAGMENTS = f"types of fragments: {' '.join(FRAGMENTS)}, joined by +"


@dataclass(frozen=True)
class Dpm(Metric):
    """Dependency pair match: the F1 score of the fragments in the parses of hypothesis and reference.

    By default, the fragments are the labelled dependencies of the best parse, as in SParseval and in Owczarzak's
    metric d. If the fragments are only words and word pairs (``dpm:parts=1g+2g``), no parses are needed.
    """

    name: ClassVar[str] = "dpm"
    formula: ClassVar[str] = "2·Σ min(hyp, ref) / (|hyp| + |ref|), expected counts of fragments under p^γ of n parses"
    paper: ClassVar[str] = "Kahn, Ostendorf & Roark 2009"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.PARSES})
    slow: ClassVar[bool] = True

    fragments: str = parameter("dlh", _FRAGMENTS, key="parts")
    n: int = parameter(1, "parses of each sentence that count", low=1, high=1 << 20)
    gamma: float = parameter(1.0, "flattening: 0 uniform, 1 the parser's own probabilities", low=0)
    lowercase: bool = parameter(False, "compare words in lower case")
    score: str = parameter("f", "which number is reported", options=SCORES)
    source: str = parameter(LIST, _EXPECTED, options=SOURCES, key="parses")

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse(not np.isfinite(self.gamma), f"{self.name}: gamma must be a finite number, not {self.gamma}")
        chosen = self.fragments.split("+")
        for part in chosen:
            check_choice(part, FRAGMENTS, f"part of {self.name}")
        if len(set(chosen)) < len(chosen):
            raise UsageError(f"{self.name}: {self.fragments!r} contains the same part twice; name each part once")
        if self.source == FOREST and self.n != type(self).n:
            raise UsageError(f"{self.name}: n, the number of parses, has no effect with parses=forest; leave it out")
        # The order of the types does not affect the bag, so it must not affect the printed form either.
        object.__setattr__(self, "fragments", "+".join(part for part in FRAGMENTS if part in chosen))

    @property
    def types(self) -> tuple[str, ...]:
        """The types of fragments that are counted."""
        return tuple(self.fragments.split("+"))

    @property
    def requires(self) -> frozenset[Need]:
        """The required kind of input: text if only words and word pairs are counted; otherwise parses."""
        return frozenset({Need.TEXT}) if set(self.types) <= set(STRING_FRAGMENTS) else self.needs

    @property
    def parses(self) -> int:
        """The number of parses of each sentence that this metric uses."""
        return self.n if Need.PARSES in self.requires and self.source == LIST else 0

    @property
    def forest(self) -> ForestRequest | None:
        """The expected counts that this metric requires from packed forests, or None if it does not use forests."""
        if Need.PARSES in self.requires and self.source == FOREST:
            return ForestRequest(self.gamma, CHAIN in self.types)
        return None

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the statistics: the numbers of matched, hypothesis and reference fragments for each type."""
        return tuple(f"{part}_{what}" for part in self.types for what in ("matched", "hypothesis", "reference"))

    def statistics(self, batch: Batch) -> Array:
        """Count the matched, hypothesis and reference fragments of each type for each segment and reference."""
        hypothesis, *references = self._sentences(batch)
        counts = [[overlap(part, hypothesis, each) for part in self.types] for each in references]
        return np.stack([np.concatenate(each, axis=1) for each in counts], axis=1)

    def segment(self, rows: Array) -> Array:
        """Return F1, precision or recall over all types of fragments; it is NaN if neither side has fragments."""
        return _measure(self._joint(rows), self.score)

    def parts(self, sums: Array) -> dict[str, Array]:
        """Return precision, recall and F1 over all types of fragments, and the F1 of each type."""
        joint = self._joint(sums)
        single = {part: _measure(sums[..., 3 * i : 3 * i + 3], "f") for i, part in enumerate(self.types)}
        return {name: _measure(joint, name) for name in ("precision", "recall", "f")} | single

    def _joint(self, sums: Array) -> Array:
        result: Array = sums.reshape(*sums.shape[:-1], len(self.types), 3).sum(axis=-2)
        return result

    def _sentences(self, batch: Batch) -> list[FragmentSource]:
        """Return the fragments of the hypotheses and of each reference, with word IDs from a common vocabulary."""
        if Need.PARSES not in self.requires:
            return from_tokens(batch.hypothesis, *batch.references, lowercase=self.lowercase)
        if self.source == FOREST:
            return from_forests(*batch.forests(self.gamma), lowercase=self.lowercase)
        hypothesis, references = batch.parses
        return from_parses(hypothesis, *references, n=self.n, gamma=self.gamma, lowercase=self.lowercase)


@dataclass(frozen=True)
class Edpm(Dpm):
    """Expected dependency pair match: F1 of words, word pairs and parts of arcs, with expected counts over 50 parses.

    Each arc has two parts: the dependent with the label, and the label with the head.
    """

    name: ClassVar[str] = "edpm"
    formula: ClassVar[str] = "dpm:parts=1g+2g+dl+lh:n=50:gamma=0.25"

    fragments: str = parameter("1g+2g+dl+lh", _FRAGMENTS, key="parts")
    n: int = parameter(50, "parses of each sentence that count", low=1, high=1 << 20)
    gamma: float = parameter(0.25, "flattening: 0 uniform, 1 the parser's own probabilities", low=0)


def _measure(counts: Floats, score: str) -> Array:
    """Return F1, precision or recall, given the number of matched, hypothesis and reference fragments.

    The score is 0 if only one of the two sides has fragments, and NaN if neither has any.
    """
    matched, hypothesis, reference = np.moveaxis(counts, -1, 0)
    total = {"f": (hypothesis + reference) / 2, "precision": hypothesis, "recall": reference}[score]
    with np.errstate(invalid="ignore", divide="ignore"):
        value = np.where(total > 0, matched / total, 0.0)
    return np.where(hypothesis + reference > 0, value, np.nan)
