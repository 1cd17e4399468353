"""CoNLL-U: dependency trees, one word per line, ten columns separated by tabs, sentences separated by empty lines.

Multiword ranges (``3-4``) and empty nodes (``5.1``) are not words of the tree, but :class:`ConlluSentence` keeps
them, so that sentences can be written back unchanged. Trees may be non-projective; see
``DependencyTrees.projective``. Comment lines with ``# sent_id`` or ``# text`` that are not followed by words count as
an empty sentence.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np

from wordorder.core.runtime.columns import number_strings, offsets_from_lengths
from wordorder.core.runtime.errors import InputError, excerpt, reject
from wordorder.core.runtime.files import (
    LINES_PER_BLOCK,
    LONGEST_SENTENCE,
    Path,
    atomic_write,
    display_name,
    line_blocks,
)
from wordorder.core.trees.dependency import DependencyTree, DependencyTrees

COLUMNS = 10
ID, FORM, UPOS, XPOS, HEAD, DEPREL = 0, 1, 3, 4, 6, 7
# fmt: off
TAGS = (
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT",
    "SCONJ", "SYM", "VERB", "X",
)
# fmt: on
"""The 17 parts of speech of Universal Dependencies."""
_RANGE = re.compile(r"([1-9][0-9]{0,8})-([1-9][0-9]{0,8})")
_EMPTY_NODE = re.compile(r"(0|[1-9][0-9]{0,8})\.[1-9][0-9]{0,8}")
_NUMBERS = [str(number) for number in range(512)]
_NUMBER_OF = {written: number for number, written in enumerate(_NUMBERS)}


@dataclass(frozen=True)
class ConlluSentence:
    """One sentence of a file: its comments, its rows of ten columns, and the line number of each row."""

    comments: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...] = ()

    def comment(self, name: str) -> str | None:
        """Return the value of a comment ``# name = value``.

        >>> ConlluSentence(("# sent_id = a7",), ()).comment("sent_id")
        'a7'
        """
        for comment in self.comments:
            found, equals, value = comment.removeprefix("#").partition("=")
            if equals and found.strip() == name:
                return value.strip()
        return None

    @property
    def words(self) -> tuple[tuple[str, ...], ...]:
        """The rows of all words, without multiword ranges and empty nodes."""
        return tuple([row for row in self.rows if row[ID].isdigit()])

    @property
    def tree(self) -> DependencyTree:
        """The dependency tree of the sentence."""
        rows = self.words
        words, labels, tags, fine_tags = (tuple(row[place] for row in rows) for place in (FORM, DEPREL, UPOS, XPOS))
        return DependencyTree(words, tuple(int(row[HEAD]) - 1 for row in rows), labels, tags, fine_tags)

    @classmethod
    def of(cls, tree: DependencyTree, *, comments: tuple[str, ...] = ()) -> "ConlluSentence":
        """Build a sentence from a tree, with ``_`` in the columns that a tree does not have."""
        parts = zip(tree.words, tree.tags, tree.fine_tags, tree.heads, tree.labels, strict=True)
        rows = [
            (str(place), word, "_", tag, fine, "_", str(head + 1), label, "_", "_")
            for place, (word, tag, fine, head, label) in enumerate(parts, start=1)
        ]
        return cls(comments, tuple(rows))


def read(path: Path) -> DependencyTrees:
    """Read all dependency trees in a file."""
    return DependencyTrees.concatenate(list(read_blocks(path)))


def read_blocks(path: Path, *, sentences: int = LINES_PER_BLOCK, heads: bool = True) -> Iterator[DependencyTrees]:
    """Read trees in blocks of sentences; if ``heads`` is false, ignore the heads and read only words and tags."""
    source = read_sentences(path, heads=heads)
    while block := list(islice(source, sentences)):
        yield gather(block, path=display_name(path)) if heads else gather([_without_heads(one) for one in block])


def _without_heads(sentence: ConlluSentence) -> ConlluSentence:
    """Return a copy in which every word depends on the previous one, as a substitute for missing heads."""
    rows = [(*row[:HEAD], str(place), "_", *row[DEPREL + 1 :]) for place, row in enumerate(sentence.words)]
    return ConlluSentence(sentence.comments, tuple(rows))


def gather(sentences: Iterable[ConlluSentence], *, path: str | None = None) -> DependencyTrees:
    """Build a column from sentences; if the heads do not form a tree, raise an error that gives the line."""
    kept = list(sentences)
    rows = [sentence.words for sentence in kept]
    flat = [row for block in rows for row in block]
    texts = ([row[place] for row in flat] for place in (FORM, DEPREL, UPOS, XPOS))
    strings, (words, labels, tags, fine_tags) = number_strings(*texts)
    heads = np.fromiter((int(row[HEAD]) - 1 for row in flat), dtype=np.int32, count=len(flat))
    column = DependencyTrees(words, heads, labels, tags, fine_tags, offsets_from_lengths(map(len, rows)), strings)
    fault = column.first_fault()
    if fault:
        sentence = kept[fault[0]]
        lines = [line for row, line in zip(sentence.rows, sentence.lines, strict=False) if row[ID].isdigit()]
        raise InputError(fault[2].message, path=path, line=lines[fault[1]] if lines else None)
    return column


def read_sentences(path: Path, *, heads: bool = True) -> Iterator[ConlluSentence]:
    """Read a file sentence by sentence; check every row, but not whether the heads form a tree.

    If ``heads`` is false, the heads are not checked at all, because text that was only tagged has none.
    """
    comments: list[str] = []
    rows: list[tuple[str, ...]] = []
    lines: list[int] = []
    name = display_name(path)
    for line, text in chain(text_lines(path), [(0, "")]):  # the empty line after the last sentence may be missing
        if text.startswith("#") and not rows:
            comments.append(text)
        elif text.strip():
            rows.append(tuple(text.split("\t")))
            lines.append(line)
            if len(rows) > LONGEST_SENTENCE:
                raise InputError(f"the sentence exceeds the maximum of {LONGEST_SENTENCE} rows", path=name, line=line)
        elif rows or comments:
            sentence = ConlluSentence(tuple(comments), tuple(rows), tuple(lines))
            if not _is_plain(sentence.rows):
                _check_rows(sentence, name, heads=heads)
            if rows or sentence.comment("sent_id") is not None or sentence.comment("text") is not None:
                yield sentence
            comments, rows, lines = [], [], []


def _is_plain(rows: tuple[tuple[str, ...], ...]) -> bool:
    """Return whether all rows are valid words, numbered 1, 2, 3 …, with valid heads (a fast check)."""
    size = len(rows)
    if size >= len(_NUMBERS) or {len(row) for row in rows} != {COLUMNS}:
        return False
    if [row[ID] for row in rows] != _NUMBERS[1 : size + 1] or "" in [row[FORM] for row in rows]:
        return False
    heads = [_NUMBER_OF.get(row[HEAD], size + 1) for row in rows]
    return max(heads) <= size


def _check_rows(sentence: ConlluSentence, path: str, *, heads: bool) -> None:
    words = 0
    for row, line in zip(sentence.rows, sentence.lines, strict=True):
        if len(row) != COLUMNS:
            found = f"found {len(row)} column{'s' if len(row) > 1 else ''}: {excerpt(row[0])}"
            raise InputError(f"expected {COLUMNS} columns separated by tabs, {found}", path=path, line=line)
        if _is_number(row[ID]) and int(row[ID]) == words + 1:
            words += 1
            reject(not row[FORM], f"word {words} has an empty form (column 2)", path=path, line=line)
        elif not _stands_between(row[ID], words):
            expected = f"expected {words + 1}, a range '{words + 1}-…' or an empty node '{words}.1'"
            raise InputError(f"found word ID {excerpt(row[ID])}; {expected}", path=path, line=line)
    for row, line in zip(sentence.rows, sentence.lines, strict=True) if heads else ():
        if row[ID].isdigit() and not (_is_number(row[HEAD]) and int(row[HEAD]) <= words):
            raise InputError(f"found head {excerpt(row[HEAD])}; expected 0 (root) to {words}", path=path, line=line)


def _stands_between(identity: str, words: int) -> bool:
    """Return whether an ID is a range or an empty node that may follow word number ``words``."""
    span = _RANGE.fullmatch(identity)
    if span:
        return int(span[1]) == words + 1 <= int(span[2])
    node = _EMPTY_NODE.fullmatch(identity)
    return node is not None and int(node[1]) == words


def write(path: Path, sentences: Iterable[ConlluSentence | DependencyTree]) -> None:
    """Write sentences or trees to a file."""
    with atomic_write(path) as target:
        target.writelines(map(format_sentence, sentences))


def format_sentence(sentence: ConlluSentence | DependencyTree) -> str:
    """Return one sentence as CoNLL-U text, with an empty line at the end."""
    if isinstance(sentence, DependencyTree):
        sentence = ConlluSentence.of(sentence)
    if not sentence.rows and not sentence.comments:
        return "# text =\n\n"
    lines = [*sentence.comments, *("\t".join(row) for row in sentence.rows)]
    return "\n".join(lines) + "\n\n"


def text_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of each line, without line endings; raise an error if a line is not UTF-8."""
    for block in line_blocks(path):
        try:
            lines = block.data.tobytes().decode("utf-8").removesuffix("\n").split("\n")
        except UnicodeDecodeError:
            lines = [block.text(row) for row in range(len(block))]  # raises an error that names the line
        for row, line in enumerate(lines):
            yield block.first_line + row, line.rstrip("\r")


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10
