"""Labels of words: the word itself, how frequent it is, and classes and relations from tags and parses.

The tags of a reference or source belong to its words; a word of a translation has the labels of the reference word
that it is matched with and of the source word that it is most likely linked to.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from wordorder.apps.find.marking import NOWHERE
from wordorder.core.runtime.columns import Ints, Offsets, rows_of
from wordorder.core.runtime.errors import InputError, count_of
from wordorder.core.runtime.files import display_name
from wordorder.core.text import Tokens
from wordorder.core.trees import DependencyTrees, ParseLists
from wordorder.core.trees.dependency import BLANK
from wordorder.formats import parse_lists, text
from wordorder.linking.matching import Matching

FREQUENCIES = ((100, "rank 1–100"), (1000, "rank 101–1000"), (2**31, "rank over 1000"))
NAMES = {
    "ADJ": "adjectives",
    "ADP": "adpositions",
    "ADV": "adverbs",
    "AUX": "auxiliaries",
    "CCONJ": "coordinating conjunctions",
    "DET": "determiners",
    "NOUN": "nouns",
    "NUM": "numerals",
    "PART": "particles",
    "PRON": "pronouns",
    "PROPN": "proper names",
    "SCONJ": "subordinating conjunctions",
    "VERB": "verbs",
}
"""What classes of Universal Dependencies are called, as the subject of a sentence."""

TYPES = dict.fromkeys(("ADJ", "ADV", "INTJ", "NOUN", "NUM", "PROPN", "VERB"), "content word")
TYPES |= dict.fromkeys(("ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ"), "function word")


def describe(kind: str, label: str) -> str:
    """Return a label in words, as the subject of a sentence.

    >>> describe("class", "VERB"), describe("source relation", "nsubj"), describe("word", "to")
    ('verbs (VERB)', 'translations of words of relation nsubj', "'to'")
    >>> describe("class", "VVFIN"), describe("frequency", "rank 1–100"), describe("type", "function word")
    ('words of class VVFIN', 'words of frequency rank 1–100', 'function words')
    """
    side, _, own = kind.rpartition(" ")
    words = {"word": f"'{label}'", "type": f"{label}s"}.get(own, f"words of {own} {label}")
    words = f"{NAMES[label]} ({label})" if label in NAMES else words
    return f"translations of {words}" if side else words


@dataclass(frozen=True, eq=False)
class LabelNumbers:
    """Numbers for the labels of each kind, shared by all systems."""

    known: dict[str, dict[str, int]] = field(default_factory=dict)

    def encode(self, kind: str, names: Iterable[str | None], ids: Ints) -> Ints:
        """Return the number of ``names[i]`` for each i in ``ids``; it is −1 if the name is None or i is −1."""
        numbers = self.known.setdefault(kind, {})
        codes = [-1 if name is None else numbers.setdefault(name, len(numbers)) for name in names]
        return np.array([*codes, -1], dtype=np.int32)[ids]


@dataclass(frozen=True, eq=False)
class TaggedText:
    """The labels of the words of a text: for each kind, an index into ``names`` per word (or −1), and ``names``."""

    offsets: Offsets
    kinds: dict[str, tuple[Ints, list[str | None]]]

    @classmethod
    def of(cls, words: Tokens, tags: Any, *, name: str = "the tags") -> "TaggedText":
        """Read labels for the words of a text, from trees, lists of tags, or a file of trees or lines of tags."""
        if isinstance(tags, (str, os.PathLike)):
            name, tags = display_name(tags), read_tags(tags)
        if isinstance(tags, ParseLists):
            tags = cast(DependencyTrees, tags.trees).take(tags.offsets[:-1][np.diff(tags.offsets) > 0])
        if len(tags) != len(words):
            found = f"{count_of(len(tags), 'sentence')} with tags for {count_of(len(words), 'segment')}"
            raise InputError(f"expected tags for every segment, found {found}", path=name)
        if isinstance(tags, DependencyTrees):
            at = _match_words(words, tags)
            names = tags.strings.to_pylist()
            untagged = all(names[tag] == BLANK for tag in np.unique(tags.tags).tolist())
            columns = {"class": tags.fine_tags if untagged else tags.tags, "relation": tags.labels}
            kinds = {kind: (np.append(ids, np.int32(-1))[at], names) for kind, ids in columns.items()}
        else:
            tags = Tokens.of(tags)
            if len(wrong := np.flatnonzero(tags.lengths != words.lengths)):
                row = int(wrong[0])
                found = f"{count_of(int(tags.lengths[row]), 'tag')} for {count_of(int(words.lengths[row]), 'word')}"
                raise InputError(f"expected one tag per word, found {found}", path=name, line=row + 1)
            kinds = {"class": (tags.ids, tags.vocabulary.to_pylist())}
        ids, names = kinds["class"]
        kinds["type"] = ids, [TYPES.get(name or "") for name in names]
        known = {kind: (ids, [None if n == BLANK else n for n in names]) for kind, (ids, names) in kinds.items()}
        return cls(words.offsets, known)

    def encode(self, numbers: LabelNumbers, rows: Offsets, places: Ints, *, prefix: str = "") -> dict[str, Ints]:
        """Return the labels of the words at ``places`` in the segments ``rows``; a place may be ``NOWHERE``."""
        word = np.where(places == NOWHERE, 0, self.offsets[rows] + places)
        return {
            prefix + kind: numbers.encode(prefix + kind, names, np.where(places == NOWHERE, -1, ids[word]))
            for kind, (ids, names) in self.kinds.items()
        }


def read_tags(path: str | os.PathLike[str]) -> Any:
    """Read a file of dependency trees (CoNLL-U), bracketed trees, or lines with one tag per word."""
    try:
        form = parse_lists.guess_format(path)
    except InputError:
        return [line.split() for line in text.read(path).to_pylist()]
    return parse_lists.read_dependencies(path, format=form)


def _match_words(words: Tokens, trees: DependencyTrees) -> Offsets:
    """Return the place of each word of a text in a column of trees, whose words may be split differently, or −1."""
    parsed = Tokens(trees.words, trees.offsets, trees.strings)
    both = Tokens.of([[word.lower() for word in row] for column in (words, parsed) for row in column])
    found = Matching().over(both.vocabulary)(both[: len(words)], both[len(words) :], None)
    rows = rows_of(found.offsets)
    at = np.full(len(words.ids), -1, dtype=np.int64)
    at[words.offsets[rows] + found.hypothesis] = trees.offsets[rows] + found.reference
    return at


def word_labels(numbers: LabelNumbers, words: Tokens, ranks: dict[str, int]) -> dict[str, Ints]:
    """Return the labels that every word has: the word itself, and how frequent it is by its rank in the references.

    Words without a rank belong to no frequency class.
    """
    names = [word.lower() for word in words.vocabulary.to_pylist()]
    found = [next((label for end, label in FREQUENCIES if ranks.get(name, end) < end), None) for name in names]
    labels = {"word": names, "frequency": found}
    return {kind: numbers.encode(kind, each, words.ids) for kind, each in labels.items()}


def rank_words(words: Tokens) -> dict[str, int]:
    """Return the rank of each word of a text, lower-cased, by its number of occurrences, from 0."""
    counts: dict[str, int] = {}
    for name, count in zip(words.vocabulary.to_pylist(), np.bincount(words.ids).tolist(), strict=False):
        counts[name.lower()] = counts.get(name.lower(), 0) + count
    return {name: rank for rank, name in enumerate(sorted(counts, key=lambda name: (-counts[name], name)))}
