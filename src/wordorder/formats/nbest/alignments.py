"""Alignments of the best hypotheses in Moses n-best lists (:mod:`wordorder.formats.nbest.moses`).

Sentences count from 0, and the hypotheses of a sentence are consecutive. A line must have either phrases or word
alignments after the hypothesis, or segmentation marks in the hypothesis (``the house |0-1|``). The chart decoder
writes no phrases. Its word alignments have base 1, because they count the mark for the beginning of the sentence;
they may be followed by a tree, which is skipped.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from wordorder.core.runtime.errors import InputError, located
from wordorder.core.runtime.files import Path, display_name
from wordorder.formats import moses
from wordorder.formats.alignment_rows import AlignmentRow, numbered_reader
from wordorder.formats.alignments import AlignmentFile
from wordorder.formats.lines import excerpt_of, natural, numbered_lines
from wordorder.formats.nbest.features import number_of

EXPECTED = "'sentence ||| hypothesis ||| features ||| total'"


@dataclass(frozen=True)
class _Entry:
    line: int
    sentence: int
    hypothesis: bytes
    total: float
    alignment: list[bytes]


def _best_rows(file: AlignmentFile) -> Iterator[tuple[int, AlignmentRow]]:
    """Yield the links of the best hypothesis of each sentence: the first one with the highest total score."""
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
        total = number_of(fields[3]) if len(fields) > 3 else None
        with located(display_name(path), line):
            if sentence is None or total is None:
                raise InputError(f"expected {EXPECTED}, found {excerpt_of(content.strip())}")
            if sentence < last:
                raise InputError(f"sentence {sentence} comes after sentence {last}; expected the sentences in order")
        last = sentence
        yield _Entry(line, sentence, fields[1], total, fields[4:6])
