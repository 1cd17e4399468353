"""Manually aligned Parallel Universal Dependencies (Nikolaev et al. 2020): ``alignment.json`` and two CoNLL-U files.

The JSON file is a list with one object for each sentence pair: source token id → list of target token ids, all
1-based numbers written as strings; ``"X"`` stands for an unaligned word on either side. Mainly content words are
aligned.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from wordorder.core.orders import Alignment, Alignments
from wordorder.core.runtime.errors import InputError, excerpt
from wordorder.core.runtime.files import display_name, read_whole
from wordorder.core.runtime.plain import count_of, load_json
from wordorder.core.text import Tokens
from wordorder.formats import conllu
from wordorder.formats.aligned_texts import AlignedPair, pair_reader
from wordorder.formats.alignments import AlignmentFile

Path = str | os.PathLike[str]

UNALIGNED = "X"


@dataclass(frozen=True, eq=False)
class AlignedTreebank:
    """Sentence pairs with their alignments, words and universal parts of speech."""

    alignments: Alignments
    source: Tokens
    target: Tokens
    source_tags: Tokens
    target_tags: Tokens


def read(folder: Path, *, source: str = "en.conllu", target: str = "target.conllu") -> AlignedTreebank:
    """Read one language pair: a folder with ``alignment.json`` and the CoNLL-U files of both sides."""
    alignment_path = os.path.join(folder, "alignment.json")
    source_words, source_tags = _read_conllu(os.path.join(folder, source))
    target_words, target_tags = _read_conllu(os.path.join(folder, target))
    pairs = read_json(alignment_path)
    name = display_name(alignment_path)
    for side, found in ((source, len(source_words)), (target, len(target_words))):
        if found != len(pairs):
            raise InputError(
                f"{count_of(len(pairs), 'alignment')}, but {side} has {count_of(found, 'sentence')}", path=name
            )
    rows = []
    lengths = zip(source_words.lengths.tolist(), target_words.lengths.tolist(), strict=True)
    for number, (pair, pair_lengths) in enumerate(zip(pairs, lengths, strict=True), start=1):
        try:
            rows.append(Alignment(tuple(sorted(set(_links(pair)))), *pair_lengths))
        except InputError as error:
            raise InputError(f"sentence pair {number}: {error.message}", path=name) from None
    return AlignedTreebank(Alignments.of(rows), source_words, target_words, source_tags, target_tags)


def read_tagged(path: Path) -> tuple[Tokens, Tokens]:
    """Read the words and the universal parts of speech of every sentence of a CoNLL-U file."""
    words, tags = _read_conllu(path)
    if not len(words):
        raise InputError("holds no sentence; expected CoNLL-U", path=display_name(path), line=1)
    return words, tags


def pairs(file: AlignmentFile) -> Iterator[AlignedPair]:
    """Yield the sentence pairs of a folder; ``X`` is a link with NULL."""
    folder = os.fspath(file)
    source, target = (
        [[row[conllu.FORM] for row in sentence.words] for sentence in conllu.read_sentences(path, heads=False)]
        for path in (os.path.join(folder, "en.conllu"), os.path.join(folder, "target.conllu"))
    )
    path = os.path.join(folder, "alignment.json")
    found = read_json(path)
    for side in (source, target):
        if len(side) != len(found):
            raise InputError(
                f"{count_of(len(found), 'alignment')}, but {count_of(len(side), 'sentence')} of one side", path=path
            )
    for number, (pair, one, two) in enumerate(zip(found, source, target, strict=True), start=1):
        try:
            links = " ".join(f"{link[0]}-{link[1]}" for link in links_with_null(pair))
        except InputError as error:
            raise InputError(f"sentence pair {number}: {error.message}", path=display_name(path)) from None
        yield AlignedPair(number, one, two, links)


READER = pair_reader("pud", pairs)
read_blocks = READER.read_blocks


def read_json(path: Path) -> list[Any]:
    """Read a file of alignments: one object for each sentence pair."""
    name = display_name(path)
    try:
        pairs = load_json(read_whole(path).decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON: {error.msg}", path=name, line=error.lineno) from None
    except ValueError as error:
        raise InputError(f"not a JSON file in UTF-8 ({error})", path=name) from None
    if not isinstance(pairs, list):
        raise InputError("expected a list with one object for each sentence pair", path=name)
    return pairs


def _links(pair: Any) -> Iterator[tuple[int, int]]:
    """Yield the links of a pair, counted from 0."""
    yield from ((one - 1, two - 1) for one, two in links_with_null(pair) if one > 0 and two > 0)


def links_with_null(pair: Any) -> Iterator[tuple[int, int]]:
    """Yield the links of a pair as they are numbered, −1 for NULL."""
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
        raise InputError(f"{excerpt(str(token))} is not a token id: expected a number from 1 or 'X'")
    return int(token)


def _read_conllu(path: Path) -> tuple[Tokens, Tokens]:
    sentences = [sentence.words for sentence in conllu.read_sentences(path, heads=False)]
    words, tags = ([[row[column] for row in rows] for rows in sentences] for column in (conllu.FORM, conllu.UPOS))
    return Tokens.of(words), Tokens.of(tags)
