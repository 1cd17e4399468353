"""NAACL alignments (shared tasks of 2003 and 2005): ``sentence source target [S|P] [confidence]``, a link per line.

Sentences count from 1. Words count from 1 by default; then word 0 is NULL and its links are dropped. A sentence
that has no line is an empty row, so the number of sentences should be given, by itself or as sentence lengths.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from wordorder.formats.reading import INDEX_ZERO, LengthCheck, Lengths, Path, check_base
from wordorder.formats.rows import Row, fill_gaps, gather, natural, numbered_lines
from wordorder.formats.writing import Column, Target, blocks, open_target
from wordorder.orders.alignment import Alignments
from wordorder.runtime.errors import InputError, excerpt
from wordorder.runtime.files import LINES_PER_BLOCK, LONGEST_SENTENCE, display_name

EXPECTED = "'sentence source target [S|P] [confidence]' like '0001 3 4 S'"

_CONFIDENCE = re.compile(rb"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def read_blocks(
    path: Path,
    *,
    base: int = 1,
    lines: int = LINES_PER_BLOCK,
    sentences: int | None = None,
    source_lengths: Lengths | None = None,
    target_lengths: Lengths | None = None,
) -> Iterator[Alignments]:
    """Read a file in blocks of at most ``lines`` sentence pairs; links outside given lengths are errors.

    Lines may come in any order within ``lines`` sentences.
    """
    check_base(base)
    check = LengthCheck.of(path, source_lengths, target_lengths, base=base)
    for rows in fill_gaps(_sentences(path, base), first=1, lines=lines, path=path, count=sentences):
        yield gather(rows, check)
    if sentences is None:
        yield from check.rest(lines)
    check.finish()


def read(
    path: Path,
    *,
    base: int = 1,
    sentences: int | None = None,
    source_lengths: Lengths | None = None,
    target_lengths: Lengths | None = None,
) -> Alignments:
    """Read a whole file."""
    found = read_blocks(
        path, base=base, sentences=sentences, source_lengths=source_lengths, target_lengths=target_lengths
    )
    return Alignments.concatenate(list(found))


def _sentences(path: Path, base: int) -> Iterator[tuple[int, Row]]:
    """Give the links of each sentence that stand together, with the number of the sentence."""
    number = None
    row = Row()
    for line, content in numbered_lines(path, expected=EXPECTED):
        fields = content.split()
        if not fields:
            continue
        try:
            sentence, source, target, possible, probability = _link(fields, base)
        except InputError as error:
            raise InputError(error.message, path=display_name(path), line=line) from None
        if sentence != number:
            if number is not None:
                yield number, row
            number, row = sentence, Row(line=line)
        if source >= 0 and target >= 0:  # a sentence is there even if all its links go to NULL
            row.source.append(source)
            row.target.append(target)
            row.possible.append(possible)
            row.probability.append(probability)
            row.lines.append(line)
    if number is None:
        raise InputError(f"has no link; expected {EXPECTED}", path=display_name(path), line=1)
    yield number, row


def _link(fields: list[bytes], base: int) -> tuple[int, int, int, bool, float | None]:
    """Read one line: sentence, source, target (−1: NULL), possible, confidence."""
    numbers = [natural(field) for field in fields[:3]]
    rest = fields[3:]
    possible = bool(rest) and rest[0] in (b"P", b"p")
    if rest and rest[0] in (b"S", b"s", b"P", b"p"):
        rest = rest[1:]
    if len(numbers) < 3 or None in numbers or len(rest) > 1 or (rest and not _CONFIDENCE.fullmatch(rest[0])):
        found = b" ".join(fields).decode("utf-8", errors="replace")
        raise InputError(f"expected {EXPECTED}, found {excerpt(found)}")
    sentence, source, target = (number or 0 for number in numbers)
    if sentence == 0:
        raise InputError("sentence 0; expected sentences that count from 1")
    if base == 1 and source == target == 0:
        raise InputError(INDEX_ZERO)
    word = max(source, target)
    if word - base >= LONGEST_SENTENCE:
        raise InputError(f"word {word} is beyond the longest sentence allowed ({LONGEST_SENTENCE} words)")
    probability = float(rest[0]) if rest else None
    if probability is not None and probability > 1:
        raise InputError(f"the confidence {excerpt(rest[0].decode())} is not between 0 and 1")
    return sentence, source - base, target - base, possible, probability


def write(target: Target, column: Column, *, base: int = 1) -> None:
    """Write one line per link; sentences without links leave no trace.

    >>> import sys
    >>> from wordorder.orders import Alignment
    >>> write(sys.stdout, Alignment(((0, 0), (1, 2)), possible=frozenset({(1, 2)})).column())
    0001 1 1 S
    0001 2 3 P
    """
    check_base(base)
    sentence = 0
    with open_target(target) as file:
        for block in blocks(column):
            for row in range(len(block)):
                sentence += 1
                for link in range(int(block.offsets[row]), int(block.offsets[row + 1])):
                    mark = "S" if block.possible is None or not block.possible[link] else "P"
                    share = "" if block.probability is None else f" {float(block.probability[link])!r}"
                    places = f"{block.source[link] + base} {block.target[link] + base}"
                    file.write(f"{sentence:04d} {places} {mark}{share}\n")
