"""Conversion of parses from every form in which they can be given: files, lists of parses, or single trees."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from wordorder.core.runtime.columns import offsets_from_lengths
from wordorder.core.runtime.errors import InputError
from wordorder.core.runtime.threads import spans
from wordorder.core.trees import (
    ConstituencyTree,
    ConstituencyTrees,
    DependencyTree,
    DependencyTrees,
    ParseLists,
    to_dependency_lists,
)
from wordorder.formats import parse_lists
from wordorder.linking.parsing.parsing import Parsing

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
