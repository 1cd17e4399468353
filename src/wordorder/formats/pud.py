"""Manually aligned Parallel Universal Dependencies (Nikolaev et al. 2020): ``alignment.json`` and two CoNLL-U files.

The JSON file is a list with one object for each sentence pair: source token id → list of target token ids, all
1-based numbers written as strings; ``"X"`` stands for an unaligned word on either side. Mainly content words are
aligned. In CoNLL-U, ranges (``3-4``) and empty nodes (``5.1``) are no words.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from wordorder.orders import Alignment, Alignments
from wordorder.runtime.errors import InputError, excerpt
from wordorder.runtime.files import LONGEST_SENTENCE, display_name, line_blocks, open_binary
from wordorder.runtime.ragged import offsets_from_lengths
from wordorder.text import Tokens

if TYPE_CHECKING:
    from wordorder.runtime.files import LineBlock

Path = str | os.PathLike[str]

UNALIGNED = "X"
_COLUMNS = 10


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
    pairs = _read_json(alignment_path)
    name = display_name(alignment_path)
    for side, found in ((source, len(source_words)), (target, len(target_words))):
        if found != len(pairs):
            raise InputError(f"{len(pairs)} alignments, but {side} has {found} sentences", path=name)
    rows = []
    for number, pair in enumerate(pairs, start=1):
        lengths = len(source_words[number - 1]), len(target_words[number - 1])
        try:
            rows.append(Alignment(tuple(sorted(set(_links(pair)))), *lengths))
        except InputError as error:
            raise InputError(f"sentence pair {number}: {error.message}", path=name) from None
    return AlignedTreebank(
        Alignments.of(rows), *(_column(words) for words in (source_words, target_words, source_tags, target_tags))
    )


def read_tagged(path: Path) -> tuple[Tokens, Tokens]:
    """Read the words and the universal parts of speech of every sentence of a CoNLL-U file."""
    words, tags = _read_conllu(path)
    if not words:
        raise InputError("holds no sentence; expected CoNLL-U", path=display_name(path), line=1)
    return _column(words), _column(tags)


def _read_json(path: Path) -> list[Any]:
    name = display_name(path)
    with open_binary(path) as stream:
        try:
            pairs = json.loads(stream.read().decode("utf-8-sig"))
        except json.JSONDecodeError as error:
            raise InputError(f"not JSON: {error.msg}", path=name, line=error.lineno) from None
        except (ValueError, RecursionError, EOFError, OSError) as error:
            raise InputError(f"not a JSON file in UTF-8 ({error})", path=name) from None
    if not isinstance(pairs, list):
        raise InputError("expected a list with one object for each sentence pair", path=name)
    return pairs


def _links(pair: Any) -> Iterator[tuple[int, int]]:
    if not isinstance(pair, dict):
        raise InputError(f'expected an object like {{"7": ["3"]}}, found {excerpt(repr(pair))}')
    for source, targets in pair.items():
        if not isinstance(targets, list):
            raise InputError(f"expected a list of target words for {excerpt(source)}, found {excerpt(repr(targets))}")
        for target in targets:
            if source != UNALIGNED and target != UNALIGNED:
                yield _place(source), _place(target)


def _place(token: Any) -> int:
    if not isinstance(token, str) or not (token.isascii() and token.isdigit()) or len(token) > 9 or int(token) < 1:
        raise InputError(f"{excerpt(str(token))} is no token id: expected a number from 1 or 'X'")
    return int(token) - 1


def _read_conllu(path: Path) -> tuple[list[list[str]], list[list[str]]]:
    words: list[list[str]] = []
    tags: list[list[str]] = []
    inside = False  # within a sentence: a blank line ends it, further blank lines are nothing
    for block in line_blocks(path):
        for row in range(len(block)):
            line = _decode(block, row)
            if not line:
                inside = False
                continue
            if line.startswith("#"):
                continue
            if not inside:
                inside = True
                words.append([])
                tags.append([])
            fields = line.split("\t")
            if len(fields) != _COLUMNS:
                raise block.error(row, f"expected {_COLUMNS} columns between tabs, found {len(fields)}")
            if "-" in fields[0] or "." in fields[0]:
                continue
            if fields[0] != str(len(words[-1]) + 1):
                raise block.error(row, f"expected token id {len(words[-1]) + 1}, found {excerpt(fields[0])}")
            if len(words[-1]) == LONGEST_SENTENCE:
                raise block.error(row, f"a sentence of more than {LONGEST_SENTENCE} words")
            words[-1].append(fields[1])
            tags[-1].append(fields[3])
    return words, tags


def _decode(block: LineBlock, row: int) -> str:
    raw = block.data[block.starts[row] : block.starts[row + 1]].tobytes()
    try:
        return raw.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise block.error(row, f"not UTF-8 (byte {raw[error.start]:#04x} at position {error.start + 1})") from None


def _column(sentences: list[list[str]]) -> Tokens:
    # Not `encode`: a CoNLL-U word may contain a blank ("10 000").
    import pyarrow as pa

    words = pa.array([word for sentence in sentences for word in sentence], type=pa.large_string())
    coded = words.dictionary_encode()
    ids = coded.indices.to_numpy(zero_copy_only=False).astype(np.int32)
    return Tokens(ids, offsets_from_lengths([len(sentence) for sentence in sentences]), coded.dictionary)
