"""Moses n-best lists: ``sentence ||| hypothesis ||| features ||| total [||| phrases] [||| word alignment]``.

Sentences count from 0, their hypotheses stand together. ``phrases`` (``0-1=0 2=1-2``: source span = target span)
and ``word alignment`` (``0-0 1-1``) are there if Moses was asked to write them, and may be empty; otherwise there may
be segmentation marks (``the house |0-1|``) in the hypothesis. The chart decoder writes no phrases, its word
alignments have base 1 (they count the mark of the beginning of the sentence), and a tree may follow them. How words
are linked: :mod:`wordorder.formats.moses`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from wordorder.formats import moses
from wordorder.formats.alignment_rows import AlignmentRow, numbered_reader
from wordorder.formats.alignments import AlignmentFile, Path
from wordorder.formats.lines import excerpt_of, natural, numbered_lines
from wordorder.orders.alignment import UNKNOWN, Alignment
from wordorder.runtime.errors import InputError
from wordorder.runtime.files import display_name

EXPECTED = "'sentence ||| hypothesis ||| features ||| total'"


@dataclass(frozen=True)
class Hypothesis:
    """One line of an n-best list; ``features`` as written, ``alignment`` is None where the line has none."""

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


def read_hypotheses(path: Path, *, base: int = 0) -> Iterator[Hypothesis]:
    """Read every hypothesis, in the order of the file; word alignments count from ``base``."""
    for entry in _entries(path):
        try:
            row = moses.align(entry.hypothesis, entry.alignment, base=base)
            text = moses.plain_text(entry.hypothesis).decode("utf-8")
            features = entry.features.strip().decode("utf-8")
            length = None if row is None or row.source_length == UNKNOWN else row.source_length
            links = () if row is None else tuple((link >> 32, link & 0xFFFFFFFF) for link in row.links)
            alignment = None if row is None else Alignment(links, length, row.target_length)
        except InputError as error:
            raise InputError(error.message, path=display_name(path), line=entry.line) from None
        except UnicodeDecodeError as error:
            message = f"not UTF-8 ({error.reason}); expected UTF-8 text"
            raise InputError(message, path=display_name(path), line=entry.line) from None
        yield Hypothesis(entry.sentence, text, features, entry.total, alignment)


def _best_rows(file: AlignmentFile) -> Iterator[tuple[int, AlignmentRow]]:
    """Yield the best hypothesis of each sentence: it has the highest total; among equals, it is the first."""
    for sentence, entries in groupby(_entries(file), key=lambda entry: entry.sentence):
        best = max(entries, key=lambda entry: (not math.isnan(entry.total), entry.total))
        yield sentence, moses.located_row(file, best.line, best.hypothesis, best.alignment)


READER = numbered_reader("nbest", _best_rows, first=0)
read_blocks, read = READER.read_blocks, READER.read


def _entries(path: Path) -> Iterator[_Entry]:
    last = -1
    for line, content in numbered_lines(path, expected=EXPECTED):
        fields = content.split(b"|||")
        sentence = natural(fields[0].strip())
        total = _total(fields[3]) if len(fields) > 3 else None
        if sentence is None or total is None:
            message = f"expected {EXPECTED}, found {excerpt_of(content.strip())}"
            raise InputError(message, path=display_name(path), line=line)
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
