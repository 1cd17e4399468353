"""Lists of parses with their probabilities.

``nbest``: as Charniak's parser writes them with ``-N50``: a line ``n sentence-id``, then n times a line with a log
probability (to the base 2) and a line with a bracketed tree. ``conllu``: CoNLL-U in which neighbouring sentences
with the same ``# sent_id`` are parses of one sentence, each with ``# parse_prob = p``. ``brackets``: bracketed
trees, one parse per sentence.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from itertools import groupby, islice

import numpy as np
from numpy.typing import NDArray

from wordorder.formats import brackets, conllu
from wordorder.runtime.errors import InputError, choices, excerpt
from wordorder.runtime.files import atomic_write, display_name
from wordorder.runtime.ragged import offsets_from_lengths
from wordorder.trees.bracketing import FAULTS, scan_brackets
from wordorder.trees.constituency import ConstituencyTrees
from wordorder.trees.dependency import DependencyTrees
from wordorder.trees.heads import HeadRules
from wordorder.trees.nbest import ParseLists, to_dependency_lists

FORMATS = ("nbest", "brackets", "conllu")
SENTENCES_PER_BLOCK = 512
BASE = 2.0
"""The base of the logarithms Charniak's parser writes."""

_ROUNDING = 0.01


def read_dependencies(
    path: str | os.PathLike[str], *, format: str, rules: HeadRules | None = None, base: float = BASE
) -> ParseLists[DependencyTrees]:
    """Read parses of any of the formats as lists of dependency trees; head rules serve for bracketed trees."""
    if format == "conllu":
        return read_conllu(path)
    if format == "nbest":
        return to_dependency_lists(read(path, base=base), rules)
    if format == "brackets":
        trees = brackets.read(path)
        return to_dependency_lists(one_best(trees), rules)
    raise choices(format, list(FORMATS), what="format of parses")


def one_best(trees: ConstituencyTrees) -> ParseLists[ConstituencyTrees]:
    """Give lists of one parse each, with probability 1."""
    count = len(trees)
    return ParseLists(trees, np.zeros(count), np.arange(count + 1), tuple(str(i + 1) for i in range(count)))


def read(path: str | os.PathLike[str], *, base: float = BASE) -> ParseLists[ConstituencyTrees]:
    """Read lists in the form of Charniak's parser; ``base`` is the base of the logarithms."""
    parts = list(read_blocks(path, base=base))
    return ParseLists.concatenate(parts or [one_best(ConstituencyTrees.of([]))])


def read_blocks(
    path: str | os.PathLike[str], *, base: float = BASE, sentences: int = SENTENCES_PER_BLOCK
) -> Iterator[ParseLists[ConstituencyTrees]]:
    """Read lists in the form of Charniak's parser, some sentences at a time."""
    name = display_name(path)
    source = _lists(path)
    while block := list(islice(source, sentences)):
        entries = [entry for _, _, entries in block for entry in entries]
        trees = _parse_trees([(line, text) for _, line, text in entries], name)
        scores = np.array([score for score, _, _ in entries], dtype=np.float64) * math.log(base)
        offsets = offsets_from_lengths([len(entries) for _, _, entries in block])
        _check_lengths(trees.lengths, offsets, [line for _, line, _ in entries], name)
        yield ParseLists(trees, scores, offsets, tuple(identity for identity, _, _ in block))


def _lists(path: str | os.PathLike[str]) -> Iterator[tuple[str, int, list[tuple[float, int, str]]]]:
    """Give for each list its sentence id, its line, and its entries: score, line of the tree, tree."""
    name = display_name(path)
    lines = ((line, text.strip()) for line, text in conllu.text_lines(path) if text.strip())
    for count, (line, text) in enumerate(lines, start=1):
        parts = text.split(maxsplit=1)
        if not (parts[0].isascii() and parts[0].isdigit()):
            raise InputError(f"expected 'n sentence-id', found {excerpt(text)}", path=name, line=line)
        entries: list[tuple[float, int, str]] = []
        wanted = int(parts[0][:10])
        while len(entries) < wanted:
            at, score = next(lines, (line, ""))
            tree_at, tree = next(lines, (line, ""))
            if not tree:
                message = f"{wanted} parses announced, but the file ends after {len(entries)}"
                raise InputError(message, path=name, line=line)
            entries.append((_log_probability(score, name, at), tree_at, tree))
        yield parts[1] if len(parts) > 1 else str(count), line, entries


def _log_probability(text: str, path: str, line: int) -> float:
    try:
        score = float(text)
    except ValueError:
        raise InputError(f"expected a log probability, found {excerpt(text)}", path=path, line=line) from None
    if not math.isfinite(score) or score > 0:
        raise InputError(f"log probability {text}; expected a number of at most 0", path=path, line=line)
    return score


def _parse_trees(texts: Sequence[tuple[int, str]], path: str) -> ConstituencyTrees:
    """Parse one tree per line; each line knows its number in the file."""
    encoded = [text.encode() for _, text in texts]
    data = np.frombuffer(b"\n".join([*encoded, b""]), dtype=np.uint8)
    ends = np.cumsum([len(text) + 1 for text in encoded], dtype=np.int64)

    def error(message: str, position: int) -> InputError:
        row = min(int(np.searchsorted(ends, position, side="right")), len(texts) - 1)
        return InputError(message, path=path, line=texts[row][0])

    found = scan_brackets(data)
    first = np.searchsorted(ends, found.label_spans[found.node_offsets[:-1], 0], side="right")
    last = np.searchsorted(ends, found.word_spans[found.word_offsets[1:] - 1, 0], side="right")
    order = np.arange(len(first))
    astray = np.flatnonzero((first != order) | (last != order))
    if found.fault or len(astray) or len(first) != len(texts):
        strange = min(len(first), len(texts) - 1)
        if len(astray):  # a tree over several lines, or the second one on a line
            strange = int(astray[0]) if first[astray[0]] == astray[0] else int(astray[0]) - 1
        if found.fault and np.searchsorted(ends, found.position, side="right") <= strange:
            raise error(FAULTS[found.fault], found.position)
        raise InputError("expected one complete tree on the line", path=path, line=texts[strange][0])
    return brackets.clean_trees(data, found, error)


def _check_lengths(lengths: NDArray[np.int64], offsets: NDArray[np.int64], lines: Sequence[int], path: str) -> None:
    """Refuse a list whose parses do not have the same number of words."""
    first = np.repeat(offsets[:-1], np.diff(offsets))
    differs = np.flatnonzero(lengths != lengths[first])
    if len(differs):
        found, expected = lengths[differs[0]], lengths[first[differs[0]]]
        message = f"a parse of {found} words in a list of parses of {expected} words"
        raise InputError(message, path=path, line=lines[int(differs[0])])


def write(path: str | os.PathLike[str], lists: ParseLists[ConstituencyTrees], *, base: float = BASE) -> None:
    """Write lists in the form of Charniak's parser."""
    texts = brackets.format_trees(lists.trees)
    with atomic_write(path) as target:
        for row, name in enumerate(lists.names):
            start, stop = lists.offsets[row], lists.offsets[row + 1]
            target.write(f"{stop - start}\t{name}\n")
            for score in lists.log_probabilities[start:stop].tolist():
                target.write(f"{score / math.log(base):.6f}\n{next(texts)}\n")
            target.write("\n")


def read_conllu(path: str | os.PathLike[str]) -> ParseLists[DependencyTrees]:
    """Read CoNLL-U with one or several parses per sentence."""
    return read_conllu_sentences(path)[0]


def read_conllu_sentences(
    path: str | os.PathLike[str],
) -> tuple[ParseLists[DependencyTrees], list[conllu.Sentence]]:
    """Read CoNLL-U with one or several parses per sentence, and each parse as it stands in the file."""
    name = display_name(path)
    sentences = list(conllu.read_sentences(path))
    lists = [list(group) for _, group in groupby(enumerate(sentences), key=_identity)]
    lengths = [0 if len(group) == 1 and not group[0][1].rows else len(group) for group in lists]
    scores: list[float] = []
    names: list[str] = []
    for place, members in enumerate(lists, start=1):
        parses = [parse for _, parse in members]
        names.append(parses[0].comment("sent_id") or str(place))
        if lengths[place - 1]:
            scores += _log_probabilities(parses, names[-1], name)
    kept = [parse for group, length in zip(lists, lengths, strict=True) for _, parse in group if length]
    trees = conllu.gather(kept, path=name)
    offsets = offsets_from_lengths(lengths)
    _check_lengths(trees.lengths, offsets, [parse.lines[0] if parse.lines else 1 for parse in kept], name)
    return ParseLists(trees, np.array(scores, dtype=np.float64), offsets, tuple(names)), kept


def _identity(numbered: tuple[int, conllu.Sentence]) -> tuple[str, int]:
    """Give what the parses of one sentence share; a sentence without a name stands alone."""
    place, sentence = numbered
    name = sentence.comment("sent_id")
    return ("", place) if name is None else (name, -1)


def _log_probabilities(parses: Sequence[conllu.Sentence], name: str, path: str) -> list[float]:
    """Give the log probabilities of the parses of one sentence; they must be able to sum to 1."""
    line = parses[0].lines[0] if parses[0].lines else None
    written = [parse.comment("parse_prob") for parse in parses]
    if written == [None]:
        return [0.0]
    found: list[float] = []
    for parse, text in zip(parses, written, strict=True):
        at = parse.lines[0] if parse.lines else line
        if text is None:
            message = f"another parse of sentence {excerpt(name)} without '# parse_prob = …'"
            raise InputError(message, path=path, line=at)
        try:
            found.append(float(text))
        except ValueError:
            raise InputError(f"parse_prob {excerpt(text)}; expected a number", path=path, line=at) from None
        if not 0 <= found[-1] <= 1:
            raise InputError(f"parse_prob {text}; expected a probability", path=path, line=at)
    total = math.fsum(found)
    if not 0 < total <= 1 + _ROUNDING:
        message = f"the probabilities of sentence {excerpt(name)} sum to {total:.6g}; expected more than 0, at most 1"
        raise InputError(message, path=path, line=line)
    return [math.log(probability) if probability else -math.inf for probability in found]
