"""Options for parsing text with a grammar, a dependency parser or spaCy, and the on-disk cache of parses.

Clitics are split as in treebanks, which have ``do n't``; evaluation tokenisers keep ``don't`` whole.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.cache import Cache, cache_folder
from wordorder.core.runtime.columns import encode_strings, number_strings, offsets_from_lengths, to_column
from wordorder.core.runtime.errors import InputError, UsageError, choices, mention, refuse
from wordorder.core.runtime.files import line_blocks
from wordorder.core.runtime.libraries import pa
from wordorder.core.runtime.plain import to_number
from wordorder.core.runtime.settings import accepts_old_names
from wordorder.core.runtime.threads import spans
from wordorder.core.text import tokenise
from wordorder.core.trees import (
    ConstituencyTree,
    ConstituencyTrees,
    DependencyTree,
    DependencyTrees,
    ExpectedCounts,
    ExpectedDependencies,
    ParseLists,
    take_lists,
    to_dependency_lists,
)
from wordorder.formats import parse_lists
from wordorder.linking.settings import ParsingSettings

if TYPE_CHECKING:
    from wordorder.linking.parsing.transition import DependencyParser


@accepts_old_names
@dataclass(frozen=True)
class Parsing(ParsingSettings):
    """Options for parsing text and reading files of parses; grammars and parsers may be files or loaded objects."""

    def __post_init__(self) -> None:
        if sum(choice is not None for choice in (self.grammar, self.spacy, self.parser)) > 1:
            raise UsageError(f"give only one of {mention('grammar')}, {mention('parser')} and {mention('spacy')}")
        if self.parse_format is not None and self.parse_format not in parse_lists.FORMATS:
            raise choices(self.parse_format, list(parse_lists.FORMATS), what="format of parses")
        base = np.e if self.log_base == "e" else to_number(str(self.log_base))
        refuse(not 1 < base < np.inf, f"{mention('log_base')} must be e or a number above 1, not {self.log_base!r}")
        object.__setattr__(self, "log_base", base)

    @property
    def can_parse(self) -> bool:
        """Whether a grammar or parser was given."""
        return self.grammar is not None or self.spacy is not None or self.parser is not None

    @cached_property
    def identity(self) -> str:
        """A string that identifies the parser; a grammar file is identified by a digest of its content."""
        if self.spacy is not None:
            meta = self._loaded.meta
            return f"spacy:{meta.get('lang')}_{meta.get('name')}-{meta.get('version')}"
        if isinstance(self.grammar, (str, os.PathLike)):
            digest = hashlib.blake2b(digest_size=4)
            for block in line_blocks(self.grammar):
                digest.update(block.data.tobytes())
            return f"pcfg:{digest.hexdigest()}"
        if self.parser is not None:
            from wordorder.linking.parsing.transition import fingerprint

            return f"transition:{fingerprint(self._loaded)}"
        return "pcfg"

    @cached_property
    def _loaded(self) -> Any:
        """The spaCy pipeline, dependency parser or grammar to parse with, loaded from its file if necessary."""
        from wordorder.linking.parsing import load, load_spacy

        if self.spacy is not None:
            return load_spacy(self.spacy)
        if self.parser is not None:
            from wordorder.linking.parsing.transition import load as load_parser

            return load_parser(self.parser) if isinstance(self.parser, (str, os.PathLike)) else self.parser
        return load(self.grammar) if isinstance(self.grammar, (str, os.PathLike)) else self.grammar

    def words(self, lines: pa.LargeStringArray, *, tokenizer: str) -> list[list[str]]:
        """Split lines into words with ``tokenizer``; if a grammar is used, also split clitics as in its treebank.

        With the tokenizer ``none``, the text is assumed to be tokenised already, and clitics are not split.
        """
        words = list(tokenise([lines], tokenizer=tokenizer)[0])
        if self.grammar is None or tokenizer == "none":
            return words
        from wordorder.linking.parsing import cut_clitics

        return [cut_clitics(row, self._loaded.lexicon.count) for row in words]

    def parse_trees(
        self, lines: pa.LargeStringArray, *, tokenizer: str, n: int, threads: int = 1
    ) -> ParseLists[ConstituencyTrees] | ParseLists[DependencyTrees]:
        """Parse lines into constituency trees if a grammar was given, and into dependency trees otherwise."""
        return self._parse(self.words(lines, tokenizer=tokenizer), n, threads)

    def parse(
        self, lines: pa.LargeStringArray, *, tokenizer: str, n: int, threads: int = 1
    ) -> ParseLists[DependencyTrees]:
        """Parse lines into dependency trees, reusing parses that are cached on disk."""
        words = self.words(lines, tokenizer=tokenizer)
        key = f"parses {self.identity} n={n} {_digest(words)}"
        packed = self._cache.load(key)
        if packed is None:
            found = self._parse(words, n, threads)
            packed = pack(found if isinstance(found.trees, DependencyTrees) else to_dependency_lists(found))
            self._cache.store(key, packed)
        return unpack(packed, words)

    def parse_distinct(
        self, lines: pa.LargeStringArray, *, tokenizer: str, n: int, threads: int = 1
    ) -> ParseLists[DependencyTrees]:
        """Parse lines of which many are equal, such as the references of n-best lists; each is parsed once."""
        rows, distinct = encode_strings(lines)
        found = self.parse(distinct, tokenizer=tokenizer, n=n, threads=threads)
        return found if len(distinct) == len(lines) else take_lists(found, rows)

    def expect(
        self, lines: pa.LargeStringArray, *, tokenizer: str, gammas: Sequence[float], chains: bool, threads: int = 1
    ) -> dict[float, ExpectedDependencies]:
        """Parse lines with a grammar; return, for each γ, the expected dependencies over the packed forests."""
        from wordorder.linking.parsing import Parser

        if self.grammar is None:
            raise UsageError(f"packed forests require a grammar, but none was given; give {mention('grammar')}")
        words = self.words(lines, tokenizer=tokenizer)
        text = _digest(words)
        keys = {gamma: f"forests {self.identity} gamma={gamma} chains={chains} {text}" for gamma in gammas}
        packed = {gamma: self._cache.load(key) for gamma, key in keys.items()}
        if missing := [gamma for gamma, arrays in packed.items() if arrays is None]:
            found = Parser(self._loaded).expect(words, gammas=missing, chains=chains, threads=threads)
            for gamma, expected in zip(missing, found, strict=True):
                made = packed[gamma] = pack_expected(expected)
                self._cache.store(keys[gamma], made)
        return {gamma: unpack_expected(arrays, words) for gamma, arrays in packed.items() if arrays is not None}

    @cached_property
    def _cache(self) -> Cache:
        named = self.grammar is None or isinstance(self.grammar, (str, os.PathLike))
        return Cache(cache_folder() if self.cache and named else None)

    def _parse(
        self, words: list[list[str]], n: int, threads: int
    ) -> ParseLists[ConstituencyTrees] | ParseLists[DependencyTrees]:
        from wordorder.linking.parsing import Parser, parse_with_spacy

        if self.spacy is not None:
            return parse_with_spacy(words, model=self._loaded)
        if self.parser is not None:
            parser: DependencyParser = self._loaded
            return parser.parse(words, n=n, threads=threads)
        return Parser(self._loaded).parse(words, n=n, threads=threads)


def pack(lists: ParseLists[DependencyTrees]) -> dict[str, NDArray[np.generic]]:
    """Convert parses to arrays for storage, without the words: compressed heads and labels, and probabilities."""
    used, labels = np.unique(lists.trees.labels, return_inverse=True)
    names = "\n".join(lists.trees.strings.take(to_column(used)).to_pylist())
    return {
        "heads": _squeeze(lists.trees.heads.astype(np.int32).tobytes()),
        "labels": _squeeze(labels.astype(np.int32).tobytes()),
        "names": _squeeze(names.encode()),
        "scores": lists.log_probabilities,
        "offsets": lists.offsets,
    }


def unpack(packed: Mapping[str, NDArray[np.generic]], words: Sequence[Sequence[str]]) -> ParseLists[DependencyTrees]:
    """Rebuild parses from the stored arrays and the words."""
    heads, labels = (np.frombuffer(_expand(packed[name]), dtype=np.int32) for name in ("heads", "labels"))
    names = _expand(packed["names"]).decode().split("\n")
    lists = packed["offsets"].astype(np.int64)
    strings, (forms, arcs, blank) = number_strings([word for row in words for word in row], names, ["_"])
    lengths = np.array([len(row) for row in words], dtype=np.int64)
    rows = np.repeat(np.arange(len(words)), np.diff(lists))
    offsets = offsets_from_lengths(lengths[rows])
    starts = offsets_from_lengths(lengths)[rows]
    places = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths[rows])
    blanks = np.full(len(heads), blank[0], dtype=np.int32)
    trees = DependencyTrees(forms[places], heads, arcs[labels], blanks, blanks, offsets, strings)
    scores = packed["scores"].astype(np.float64)
    return ParseLists(trees, scores, lists, tuple(str(row + 1) for row in range(len(words))))


def pack_expected(expected: ExpectedDependencies) -> dict[str, NDArray[np.generic]]:
    """Convert expected dependencies to arrays for storage, without the words."""
    arcs, chains = expected.arcs, expected.chains
    used, labels = np.unique(arcs.rows[:, 1], return_inverse=True)
    rows = np.column_stack((arcs.rows[:, 0], labels, arcs.rows[:, 2])).astype(np.int32)
    return {
        "arcs": _squeeze(rows.tobytes()),
        "chains": _squeeze(chains.rows.tobytes()),
        "names": _squeeze("\n".join(expected.strings.take(to_column(used)).to_pylist()).encode()),
        "weights": arcs.weights,
        "chain_weights": chains.weights,
        "offsets": arcs.offsets,
        "chain_offsets": chains.offsets,
    }


def unpack_expected(packed: Mapping[str, NDArray[np.generic]], words: Sequence[Sequence[str]]) -> ExpectedDependencies:
    """Rebuild expected dependencies from the stored arrays and the words."""
    rows = (np.frombuffer(_expand(packed[name]), dtype=np.int32) for name in ("arcs", "chains"))
    arcs, chains = (numbers.reshape(-1, 3) for numbers in rows)
    names = _expand(packed["names"]).decode().split("\n")
    strings, (forms, labels) = number_strings([word for row in words for word in row], names)
    triples = np.column_stack((arcs[:, 0], labels[arcs[:, 1]], arcs[:, 2]))
    weights, chain_weights = (packed[name].astype(np.float64) for name in ("weights", "chain_weights"))
    offsets, chain_offsets = (packed[name].astype(np.int64) for name in ("offsets", "chain_offsets"))
    return ExpectedDependencies(
        forms,
        offsets_from_lengths([len(row) for row in words]),
        ExpectedCounts(triples, weights, offsets),
        ExpectedCounts(chains, chain_weights, chain_offsets),
        strings,
    )


def _digest(words: Sequence[Sequence[str]]) -> str:
    text = "\n".join(map("\0".join, words)).encode("utf-8", "replace")
    return hashlib.blake2b(text, digest_size=16).hexdigest()


def _squeeze(content: bytes) -> NDArray[np.generic]:
    return np.frombuffer(zlib.compress(content, 1), dtype=np.uint8)


def _expand(squeezed: NDArray[np.generic]) -> bytes:
    return zlib.decompress(squeezed.tobytes())


_APOSTROPHES = "'’"


def cut_clitics(words: Sequence[str], count: Callable[[str], int]) -> list[str]:
    """Split words at an apostrophe if the clitic occurs more often in the treebank than the whole word.

    The treebank determines which clitics exist: ``'s`` and ``n't`` for an English grammar, ``l'`` for a French one.
    ``count`` returns the number of occurrences of a word in the treebank.

    >>> counts = {"n't": 9, "'s": 9, "it's": 1, "o'clock": 2}
    >>> cut_clitics(["They", "don't", "say", "it's", "Rosa's", "o'clock"], lambda word: counts.get(word, 0))
    ['They', 'do', "n't", 'say', 'it', "'s", 'Rosa', "'s", "o'clock"]
    >>> cut_clitics(["We", "'ve", "’ve", "'so"], lambda word: {"'": 9, "'ve": 3}.get(word, 0))
    ['We', "'ve", '’ve', "'", 'so']
    >>> cut_clitics(["l'homme", "aujourd'hui"], lambda word: int(word == "l'"))
    ["l'", 'homme', "aujourd'hui"]
    """
    found: list[str] = []
    for word in words:
        found += _cut(word, count) if any(mark in word for mark in _APOSTROPHES) else [word]
    return found


def _cut(word: str, count: Callable[[str], int]) -> list[str]:
    marks = [place for place, letter in enumerate(word) if letter in _APOSTROPHES]
    if not marks:
        return [word]
    first, last = marks[0], marks[-1]
    plain = word.lower().replace("’", "'")
    if first == 0 and max(count(word), count(plain)) > 0:  # a clitic that was already split off, not a quotation mark
        return [word]
    if word[last - 1 : last].lower() == "n" and word[last + 1 :].lower() == "t":
        last -= 1
    if last > 0 and _is_clitic(word[last:], word, count):
        return [*_cut(word[:last], count), word[last:]]
    if first + 1 < len(word) and _is_clitic(word[: first + 1], word, count):
        return [word[: first + 1], *_cut(word[first + 1 :], count)]
    return [word]


def _is_clitic(piece: str, word: str, count: Callable[[str], int]) -> bool:
    return max(count(piece), count(piece.lower())) > count(word)


SEGMENTS_PER_BLOCK = 128
"""Number of segments per block of parses, kept small because every tree takes as much memory as a sentence."""

ParseSource: TypeAlias = (
    str
    | os.PathLike[str]
    | ParseLists[ConstituencyTrees]
    | ParseLists[DependencyTrees]
    | ConstituencyTrees
    | DependencyTrees
    | Sequence[ConstituencyTree | str]
    | Sequence[DependencyTree]
)
"""A file, lists of parses, or one tree per sentence (as a column, as tree objects, or as bracketed strings)."""


def parse_blocks(source: ParseSource, parsing: Parsing) -> Iterator[ParseLists[DependencyTrees]]:
    """Yield blocks of dependency parses, each with the parse lists of a fixed number of segments."""
    if isinstance(source, (str, os.PathLike)):
        return parse_lists.dependency_blocks(
            source, format=parsing.parse_format, base=float(parsing.log_base), sentences=SEGMENTS_PER_BLOCK
        )
    lists = dependency_lists(source)
    return (lists[start:stop] for start, stop in spans(len(lists), SEGMENTS_PER_BLOCK))


def dependency_lists(source: Any) -> ParseLists[DependencyTrees]:
    """Convert parses to lists of dependency parses; a single tree becomes a list of one parse."""
    if not isinstance(source, (ParseLists, ConstituencyTrees, DependencyTrees)):
        values = list(source)
        if values and all(isinstance(tree, DependencyTree) for tree in values):
            source = DependencyTrees.of(values)
        elif all(isinstance(tree, (ConstituencyTree, str)) for tree in values):
            source = ConstituencyTrees.of(values)
        else:
            raise InputError("expected a file of parses, lists of parses, or one tree per sentence")
    if isinstance(source, ConstituencyTrees):
        source = parse_lists.one_best(source)
    if isinstance(source, DependencyTrees):
        filled = source.lengths > 0
        trees = source.take(np.flatnonzero(filled))
        names = tuple(str(row + 1) for row in range(len(source)))
        return ParseLists(trees, np.zeros(len(trees)), offsets_from_lengths(filled), names)
    return source if isinstance(source.trees, DependencyTrees) else to_dependency_lists(source)


def best_words(lists: ParseLists[DependencyTrees]) -> Iterator[list[str]]:
    """Yield the words of each sentence, taken from its best parse; a sentence without parses yields no words."""
    trees = lists.trees
    strings = trees.strings.to_pylist()
    for start, stop in zip(lists.offsets[:-1].tolist(), lists.offsets[1:].tolist(), strict=True):
        span = trees.words[trees.offsets[start] : trees.offsets[start + 1]] if stop > start else ()
        yield [strings[word] for word in span]
