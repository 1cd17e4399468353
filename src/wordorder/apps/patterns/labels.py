"""Labels of words: the word itself, how frequent it is, and classes and relations from tags and parses.

The tags of a reference or source belong to its words; a word of a translation has the labels of the reference word
that it is matched with and of the source word that it is most likely linked to.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from wordorder.apps.find.marking import NOWHERE
from wordorder.core.runtime.columns import Ints, Offsets, rows_of
from wordorder.core.runtime.errors import InputError, count_of
from wordorder.core.runtime.files import display_name
from wordorder.core.text import Tokens
from wordorder.core.trees import DependencyTrees, ParseLists
from wordorder.formats import parse_lists, text
from wordorder.linking.matching import Matching

BLANK = "_"
"""The placeholder for an unknown tag in CoNLL-U."""

FREQUENCIES = ((100, "one of the 100 most frequent"), (1000, "one of the next 900"), (2**31, "less frequent"))

_CLASSES = ("PUNCT", "X", BLANK)
_CONTENT = {"ADJ", "ADV", "INTJ", "NOUN", "NUM", "PROPN", "VERB"}
_FUNCTION = {"ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ"}


@dataclass(frozen=True, eq=False)
class LabelNumbers:
    """Numbers for the labels of each kind, shared by all systems."""

    known: dict[str, dict[str, int]] = field(default_factory=dict)

    def encode(self, kind: str, names: Iterable[str | None], ids: Ints) -> Ints:
        """Return the number of ``names[i]`` for each i in ``ids``; it is −1 if the name is None or i is −1."""
        numbers = self.known.setdefault(kind, {})
        codes = [-1 if name is None else numbers.setdefault(name, len(numbers)) for name in names]
        return np.array([*codes, -1], dtype=np.int32)[ids]

    def names(self, kind: str) -> list[str]:
        """Return the names of all labels of a kind, in the order of their numbers."""
        return list(self.known[kind])


@dataclass(frozen=True, eq=False)
class TaggedText:
    """The labels of the words of a text: for each kind of label, an index into ``names`` per word, or −1."""

    offsets: Offsets
    kinds: dict[str, tuple[Ints, list[str]]]

    @classmethod
    def of(cls, words: Tokens, tags: Any, *, name: str = "the tags") -> TaggedText:
        """Read labels for the words of a text, from a file (see :func:`read_tags`), trees, or lists of tags."""
        if isinstance(tags, (str, os.PathLike)):
            name, tags = display_name(tags), read_tags(tags)
        if isinstance(tags, ParseLists):
            tags = cast(DependencyTrees, tags.trees).take(tags.offsets[:-1][np.diff(tags.offsets) > 0])
        if len(tags) != len(words):
            found = f"{count_of(len(tags), 'sentence')} with tags for {count_of(len(words), 'segment')}"
            raise InputError(f"expected tags for every segment, found {found}", path=name)
        if isinstance(tags, DependencyTrees):
            return cls(words.offsets, _tree_labels(words, tags))
        tags = Tokens.of(tags)
        if len(wrong := np.flatnonzero(tags.lengths != words.lengths)):
            row = int(wrong[0])
            found = f"{count_of(int(tags.lengths[row]), 'tag')} for {count_of(int(words.lengths[row]), 'word')}"
            raise InputError(f"expected one tag per word, found {found}", path=name, line=row + 1)
        return cls(words.offsets, _derived({"class": (tags.ids, tags.vocabulary.to_pylist())}))

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


def _tree_labels(words: Tokens, trees: DependencyTrees) -> dict[str, tuple[Ints, list[str]]]:
    """Return the labels that trees have for the words of a text, whose words need not be split in the same way."""
    count = len(words)
    lowered = [[word.lower() for word in row] for row in words]
    parsed = Tokens(trees.words, trees.offsets, trees.strings)
    both = Tokens.of([*lowered, *([word.lower() for word in row] for row in parsed)])
    found = Matching().over(both.vocabulary)(both[:count], both[count:], None)
    rows = rows_of(found.offsets)
    at = np.full(len(words.ids), -1, dtype=np.int64)
    at[words.offsets[rows] + found.hypothesis] = trees.offsets[rows] + found.reference
    names = trees.strings.to_pylist()
    classes = (
        trees.tags if set(trees.tags.tolist()) - {names.index(BLANK) if BLANK in names else -1} else trees.fine_tags
    )
    kinds = {"class": classes, "relation": trees.labels}
    return _derived({kind: (np.append(ids, -1)[at].astype(np.int32), names) for kind, ids in kinds.items()})


def _derived(kinds: dict[str, tuple[Ints, list[str]]]) -> dict[str, tuple[Ints, list[str]]]:
    """Add content and function words if the classes are those of Universal Dependencies; drop unknown tags."""
    ids, names = kinds["class"]
    used = {names[tag] for tag in np.unique(ids).tolist() if tag >= 0}
    if used & _FUNCTION and used <= _CONTENT | _FUNCTION | {"SYM", *_CLASSES}:
        groups = [0 if name in _CONTENT else 1 if name in _FUNCTION else -1 for name in names]
        kinds["type"] = np.array([*groups, -1], dtype=np.int32)[ids], ["content word", "function word"]
    known = {kind: (np.where(np.isin(ids, _blank(names)), -1, ids), names) for kind, (ids, names) in kinds.items()}
    return {kind: each for kind, each in known.items() if (each[0] >= 0).any()}


def _blank(names: list[str]) -> list[int]:
    return [number for number, name in enumerate(names) if name == BLANK]


def word_labels(numbers: LabelNumbers, words: Tokens, frequencies: dict[str, int]) -> dict[str, Ints]:
    """Return the labels that every word has: the word itself, and how frequent it is in the references.

    ``frequencies`` has the rank of each word, from 0; words that are not in it belong to no frequency class.
    """
    names = [word.lower() for word in words.vocabulary.to_pylist()]
    ranks = [frequencies.get(name) for name in names]
    classes = [None if rank is None else next(name for end, name in FREQUENCIES if rank < end) for rank in ranks]
    return {
        "word": numbers.encode("word", names, words.ids),
        "frequency": numbers.encode("frequency", classes, words.ids),
    }


def rank_words(texts: Sequence[Tokens]) -> dict[str, int]:
    """Return the rank of each word, lower-cased, by its number of occurrences in texts with a shared vocabulary."""
    counts: dict[str, int] = {}
    total = sum(np.bincount(words.ids, minlength=len(words.vocabulary)) for words in texts)
    for name, count in zip(texts[0].vocabulary.to_pylist(), np.asarray(total).tolist(), strict=True):
        counts[name.lower()] = counts.get(name.lower(), 0) + count
    return {name: rank for rank, name in enumerate(sorted(counts, key=lambda name: (-counts[name], name)))}
