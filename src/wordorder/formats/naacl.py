"""NAACL alignments (shared tasks of 2003 and 2005): ``sentence source target [S|P] [confidence]``, a link per line.

Sentences count from 1. Words also count from 1 by default; word 0 is then NULL, and its links are dropped. A sentence
without lines becomes a row without links; at the end of a file, such sentences are recognised only if sentence
lengths are given.
"""

import re
from collections.abc import Iterator
from itertools import count, pairwise

from wordorder.core.orders.alignment import Alignments
from wordorder.core.runtime.errors import InputError, located, reject
from wordorder.core.runtime.files import LONGEST_SENTENCE, display_name
from wordorder.formats.alignment_rows import AlignmentRow, numbered_reader
from wordorder.formats.alignments import AlignmentFile
from wordorder.formats.lines import INDEX_ZERO, check_base, excerpt_of, natural, numbered_lines
from wordorder.formats.writing import Column, Target, write_lines

EXPECTED = "'sentence source target [S|P] [confidence]' like '0001 3 4 S'"

_CONFIDENCE = re.compile(rb"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def _sentences(file: AlignmentFile) -> Iterator[tuple[int, AlignmentRow]]:
    """Yield the number and the links of each run of lines with the same sentence number."""
    base = file.index_base
    number = None
    row = AlignmentRow()
    for line, content in numbered_lines(file, expected=EXPECTED):
        fields = content.split()
        if not fields:
            continue
        with located(display_name(file), line):
            sentence, source, target, possible, probability = _link(fields, base)
        if sentence != number:
            if number is not None:
                yield number, row
            number, row = sentence, AlignmentRow(line=line)
        if source >= 0 and target >= 0:  # a sentence exists even if all its links are with NULL
            row.add(source << 32 | target, (possible, probability, line))
    if number is None:
        raise InputError(f"no links; expected {EXPECTED}", path=display_name(file), line=1)
    yield number, row


def _link(fields: list[bytes], base: int) -> tuple[int, int, int, bool, float | None]:
    """Parse one line; return the sentence, both words, whether the link is marked as possible, and its confidence.

    The number of a word is −1 for NULL; the confidence is None if the line has none.
    """
    numbers = [number for number in map(natural, fields[:3]) if number is not None]
    rest = fields[3:]
    possible = bool(rest) and rest[0] in (b"P", b"p")
    if rest and rest[0] in (b"S", b"s", b"P", b"p"):
        rest = rest[1:]
    if len(numbers) < 3 or len(rest) > 1 or (rest and not _CONFIDENCE.fullmatch(rest[0])):
        raise InputError(f"expected {EXPECTED}, found {excerpt_of(b' '.join(fields))}")
    sentence, source, target = numbers
    reject(sentence == 0, "found sentence 0; expected sentence numbers from 1")
    reject(base == 1 and source == target == 0, INDEX_ZERO)
    word = max(source, target)
    if word - base >= LONGEST_SENTENCE:
        raise InputError(f"word index {word} exceeds the maximum sentence length ({LONGEST_SENTENCE} words)")
    probability = float(rest[0]) if rest else None
    if probability is not None and probability > 1:
        raise InputError(f"the confidence {excerpt_of(rest[0])} is not between 0 and 1")
    return sentence, source - base, target - base, possible, probability


def nulls(file: AlignmentFile) -> Iterator[tuple[set[int], set[int]]]:
    """Yield, for every sentence, the source words and the target words that are linked to NULL."""
    found: dict[int, tuple[set[int], set[int]]] = {}
    for _, content in numbered_lines(file, expected=EXPECTED):
        if fields := content.split():
            sentence, source, target, _, _ = _link(fields, file.index_base)
            words = found.setdefault(sentence, (set(), set()))
            if source < 0 <= target:
                words[1].add(target)
            elif target < 0 <= source:
                words[0].add(source)
    yield from (found.get(sentence, (set(), set())) for sentence in range(1, max(found, default=0) + 1))


READER = numbered_reader("naacl", _sentences, first=1)
read_blocks, read = READER.read_blocks, READER.read


def write(target: Target, column: Column, *, base: int = 1) -> None:
    """Write one line per link; sentences without links are not written.

    >>> import sys
    >>> from wordorder.core.orders import Alignment
    >>> write(sys.stdout, Alignment(((0, 0), (1, 2)), possible=frozenset({(1, 2)})).column())
    0001 1 1 S
    0001 2 3 P
    """
    check_base(base)
    sentences = count(1)

    def lines(block: Alignments) -> Iterator[str]:
        for (start, stop), sentence in zip(pairwise(block.offsets.tolist()), sentences, strict=False):
            for link in range(start, stop):
                mark = "S" if block.possible is None or not block.possible[link] else "P"
                share = "" if block.probability is None else f" {float(block.probability[link])!r}"
                yield f"{sentence:04d} {block.source[link] + base} {block.target[link] + base} {mark}{share}"

    write_lines(target, column, lines)
