"""Moses n-best lists: ``sentence ||| hypothesis ||| features ||| total [||| phrases] [||| word alignment]``.

Sentences count from 0, their hypotheses stand together. ``phrases`` (``0-1=0 2=1-2``: source span = target span)
and ``word alignment`` (``0-0 1-1``) are there if Moses was told to write them, and may be empty; else there may be
segmentation marks (``the house |0-1|``) in the hypothesis. How words are linked: :mod:`wordorder.formats.moses`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from wordorder.formats import moses
from wordorder.formats.reading import LengthCheck, Lengths, Path
from wordorder.formats.rows import Row, fill_gaps, gather, natural, numbered_lines
from wordorder.orders.alignment import UNKNOWN, Alignment, Alignments
from wordorder.runtime.errors import InputError, excerpt
from wordorder.runtime.files import LINES_PER_BLOCK, display_name

EXPECTED = "'sentence ||| hypothesis ||| features ||| total'"


@dataclass(frozen=True)
class Hypothesis:
    """One line of an n-best list; ``features`` as written, ``alignment`` None where the line tells nothing."""

    sentence: int
    text: str
    features: str
    total: float
    alignment: Alignment | None


@dataclass(frozen=True)
class _Entry:
    line: int
    sentence: int
    hypothesis: bytes
    features: bytes
    total: float
    alignment: list[bytes]


def read_blocks(
    path: Path,
    *,
    lines: int = LINES_PER_BLOCK,
    source_lengths: Lengths | None = None,
    target_lengths: Lengths | None = None,
) -> Iterator[Alignments]:
    """Read the best hypothesis of each sentence, in blocks of at most ``lines`` sentences.

    The best has the highest total; among equals, the first. A sentence without hypotheses is an empty row. Links
    outside given lengths are errors.
    """
    check = LengthCheck.of(path, source_lengths, target_lengths, base=0, hint=False)
    for rows in fill_gaps(_best_rows(path), first=0, lines=lines, path=path):
        yield gather(rows, check)
    yield from check.rest(lines)
    check.finish()


def read(path: Path, *, source_lengths: Lengths | None = None, target_lengths: Lengths | None = None) -> Alignments:
    """Read the best hypotheses of a whole file."""
    return Alignments.concatenate(
        list(read_blocks(path, source_lengths=source_lengths, target_lengths=target_lengths))
    )


def read_hypotheses(path: Path) -> Iterator[Hypothesis]:
    """Read every hypothesis, in the order of the file."""
    for entry in _entries(path):
        try:
            row = moses.align(entry.hypothesis, entry.alignment)
            text = moses.plain_text(entry.hypothesis).decode("utf-8")
            features = entry.features.strip().decode("utf-8")
            alignment = None if row is None else _value(row)
        except InputError as error:
            raise InputError(error.message, path=display_name(path), line=entry.line) from None
        except UnicodeDecodeError as error:
            message = f"not UTF-8 ({error.reason}); expected UTF-8 text"
            raise InputError(message, path=display_name(path), line=entry.line) from None
        yield Hypothesis(entry.sentence, text, features, entry.total, alignment)


def _value(row: Row) -> Alignment:
    row.drop_repeated_links()
    return Alignment(
        tuple(zip(row.source, row.target, strict=True)),
        None if row.source_length == UNKNOWN else row.source_length,
        row.target_length,
    )


def _best_rows(path: Path) -> Iterator[tuple[int, Row]]:
    best: _Entry | None = None
    for entry in _entries(path):
        if best is not None and entry.sentence == best.sentence:
            best = entry if entry.total > best.total or math.isnan(best.total) else best
            continue
        if best is not None:
            yield best.sentence, moses.located_row(path, best.line, best.hypothesis, best.alignment)
        best = entry
    if best is not None:
        yield best.sentence, moses.located_row(path, best.line, best.hypothesis, best.alignment)


def _entries(path: Path) -> Iterator[_Entry]:
    last = -1
    for line, content in numbered_lines(path, expected=EXPECTED):
        fields = content.split(b"|||")
        sentence = natural(fields[0].strip())
        total = _total(fields[3]) if len(fields) > 3 else None
        if sentence is None or total is None:
            text = content.strip().decode("utf-8", errors="replace")
            raise InputError(f"expected {EXPECTED}, found {excerpt(text)}", path=display_name(path), line=line)
        if sentence < last:
            message = f"sentence {sentence} comes after sentence {last}; expected the sentences in order"
            raise InputError(message, path=display_name(path), line=line)
        last = sentence
        yield _Entry(line, sentence, fields[1], fields[2], total, fields[4:6])


def _total(field: bytes) -> float | None:
    try:
        return float(field)
    except ValueError:
        return None
