"""Manually aligned Parallel Universal Dependencies (Nikolaev et al. 2020): ``alignment.json`` and two CoNLL-U files.

The JSON file is a list with one object for each sentence pair. Each object maps the IDs of source tokens to lists of
target token IDs. The IDs are strings and count from 1; ``"X"`` stands for NULL on either side. Mainly content words
are aligned.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from wordorder.core.orders import Alignment, Alignments
from wordorder.core.runtime.errors import InputError, count_of, excerpt, located, reject
from wordorder.core.runtime.files import Path, display_name
from wordorder.core.text import Tokens
from wordorder.formats import conllu
from wordorder.formats.alignment_rows import AlignedPair, pair_reader
from wordorder.formats.alignments import AlignmentFile
from wordorder.formats.tables import json_list

UNALIGNED = "X"

Rows = tuple[tuple[str, ...], ...]
"""The CoNLL-U rows of the words in a sentence."""


@dataclass(frozen=True, eq=False)
class AlignedTreebank:
    """The alignments, words and universal parts of speech of sentence pairs."""

    alignments: Alignments
    source: Tokens
    target: Tokens
    source_tags: Tokens
    target_tags: Tokens


def read(folder: Path, *, source: str = "en.conllu", target: str = "target.conllu") -> AlignedTreebank:
    """Read one language pair: a folder with ``alignment.json`` and the CoNLL-U files of both sides."""
    name = display_name(os.path.join(folder, "alignment.json"))
    sides, rows = _read_folder(folder, source, target), []
    for number, pair, one_side, other_side in sides:
        with located(name, prefix=f"sentence pair {number}: "):
            links = {(one - 1, two - 1) for one, two in links_with_null(pair) if one > 0 and two > 0}
            rows.append(Alignment(tuple(sorted(links)), len(one_side), len(other_side)))
    source_words, source_tags = _columns([rows for _, _, rows, _ in sides])
    target_words, target_tags = _columns([rows for _, _, _, rows in sides])
    return AlignedTreebank(Alignments.of(rows), source_words, target_words, source_tags, target_tags)


def _read_folder(folder: Path, *files: str) -> list[tuple[int, Any, Rows, Rows]]:
    """Return, for each sentence pair, its number, its links and the CoNLL-U rows of both sentences."""
    path = os.path.join(folder, "alignment.json")
    sides = [[each.words for each in conllu.read_sentences(os.path.join(folder, f), heads=False)] for f in files]
    pairs = json_list(path, expected="one object for each sentence pair")
    for file, sentences in zip(files, sides, strict=True):
        if len(sentences) != len(pairs):
            found = f"{count_of(len(pairs), 'alignment')}, but {file} has {count_of(len(sentences), 'sentence')}"
            raise InputError(found, path=display_name(path))
    return list(zip(range(1, len(pairs) + 1), pairs, *sides, strict=True))


def _columns(sentences: list[Rows]) -> tuple[Tokens, Tokens]:
    """Return the words and the universal parts of speech of sentences."""
    words, tags = (Tokens.of([row[c] for row in rows] for rows in sentences) for c in (conllu.FORM, conllu.UPOS))
    return words, tags


def read_tagged(path: Path) -> tuple[Tokens, Tokens]:
    """Read the words and universal parts of speech of every sentence in a CoNLL-U file."""
    sentences = [sentence.words for sentence in conllu.read_sentences(path, heads=False)]
    reject(not sentences, "no sentences found; expected a CoNLL-U file", path=display_name(path), line=1)
    return _columns(sentences)


def pairs(file: AlignmentFile) -> Iterator[AlignedPair]:
    """Yield the sentence pairs of a folder; in the links, ``X`` stands for NULL."""
    name = display_name(os.path.join(file, "alignment.json"))
    for number, pair, source, target in _read_folder(file, "en.conllu", "target.conllu"):
        with located(name, prefix=f"sentence pair {number}: "):
            links = " ".join(f"{link[0]}-{link[1]}" for link in links_with_null(pair))
        yield AlignedPair(number, [row[conllu.FORM] for row in source], [row[conllu.FORM] for row in target], links)


READER = pair_reader("pud", pairs)
read_blocks = READER.read_blocks


def links_with_null(pair: Any) -> Iterator[tuple[int, int]]:
    """Yield the links of a pair, with words counted from 1 and −1 for NULL."""
    if not isinstance(pair, dict):
        raise InputError(f'expected an object like {{"7": ["3"]}}, found {excerpt(repr(pair))}')
    for source, targets in pair.items():
        if not isinstance(targets, list):
            raise InputError(f"expected a list of target words for {excerpt(source)}, found {excerpt(repr(targets))}")
        for target in targets:
            if source != UNALIGNED or target != UNALIGNED:
                yield _place(source), _place(target)


def _place(token: Any) -> int:
    if token == UNALIGNED:
        return -1
    if not isinstance(token, str) or not (token.isascii() and token.isdigit()) or len(token) > 9 or int(token) < 1:
        raise InputError(f"{excerpt(str(token))} is not a token ID; expected a number from 1, or 'X'")
    return int(token)
