"""What ``fairseq-generate`` prints: lines ``H-12<TAB>-0.3<TAB>words``, in any order, between other lines.

After the ``H-`` line of a hypothesis there may be ``D-`` (its detokenised text, which is taken where it is there),
``P-`` (the log probabilities of its tokens) and ``A-`` (its word alignment). The score is the mean log probability of
a token: to the base 2, in older versions to the base e. Here it becomes ``score``, to the base e; with ``P-`` lines,
``sum`` is the log probability of the whole.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from wordorder.core.runtime.columns import strings
from wordorder.core.runtime.errors import InputError
from wordorder.core.runtime.files import LINES_PER_BLOCK, display_name
from wordorder.formats import moses
from wordorder.formats.alignment_rows import AlignmentRow
from wordorder.formats.alignments import Path
from wordorder.formats.lines import excerpt_of, numbered_lines
from wordorder.formats.nbest.bars import join_rows
from wordorder.formats.nbest.features import number_of
from wordorder.formats.nbest.hypotheses import Hypotheses

EXPECTED = "lines 'H-0<TAB>score<TAB>hypothesis' (fairseq-generate)"

_LINE = re.compile(rb"([HDPA])-([0-9]{1,9})(?:\s+([^\n]*))?")


@dataclass
class _Hypothesis:
    line: int
    sentence: int
    score: float
    text: str
    sum: float | None = None
    links: AlignmentRow | None = None


def read_blocks(path: Path, *, alignments: bool = False, log_base: float = 2.0) -> Iterator[Hypotheses]:
    """Read hypotheses in blocks; scores are logarithms to the base ``log_base``."""
    found = _hypotheses(path, math.log(log_base))
    summed: bool | None = None
    while rows := list(islice(found, LINES_PER_BLOCK)):
        summed = rows[0].sum is not None if summed is None else summed
        for row in rows:
            if (row.sum is not None) != summed:
                raise InputError("some hypotheses have a P- line and some do not", path=_name(path), line=row.line)
            if alignments and row.links is None:
                raise InputError("this hypothesis has no A- line", path=_name(path), line=row.line)
        scores = np.array([row.score for row in rows])
        values = [scores, np.array([row.sum for row in rows], dtype=np.float64)] if summed else [scores]
        yield Hypotheses(
            np.array([row.sentence for row in rows], dtype=np.int64),
            strings(row.text for row in rows),
            ("score", "sum")[: len(values)],
            np.stack(values),
            scores,
            np.array([row.line for row in rows], dtype=np.int64),
            join_rows([row.links for row in rows if row.links is not None]) if alignments else None,
        )
    if summed is None:
        raise InputError(f"has no hypothesis; expected {EXPECTED}", path=_name(path), line=1)


def _hypotheses(path: Path, scale: float) -> Iterator[_Hypothesis]:
    """Yield hypotheses with all that the lines after them say."""
    last: _Hypothesis | None = None
    for line, content in numbered_lines(path, expected=EXPECTED):
        match = _LINE.fullmatch(content.rstrip(b"\r\n"))
        if match is None:
            continue
        kind, sentence, rest = match[1], int(match[2]), match[3] or b""
        try:
            if kind == b"H":
                if last is not None:
                    yield last
                last = _Hypothesis(line, sentence, *_scored(rest, scale))
            elif last is None or last.sentence != sentence:
                raise InputError(f"no hypothesis H-{sentence} comes before this {kind.decode()}-{sentence}")
            elif kind == b"D":
                last.text = _scored(rest, scale)[1]
            elif kind == b"P":
                last.sum = scale * sum(_number(token) for token in rest.split())
            else:
                last.links = moses.align(last.text.encode(), [rest])
        except InputError as error:
            raise InputError(error.message, path=_name(path), line=line) from None
    if last is not None:
        yield last


def _scored(rest: bytes, scale: float) -> tuple[float, str]:
    score, *text = rest.split(None, 1)[:2] or [b""]
    try:
        return scale * _number(score), b"".join(text).strip().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 ({error.reason}); expected UTF-8 text") from None


def _number(token: bytes) -> float:
    number = number_of(token)
    if number is None or not math.isfinite(number):
        raise InputError(f"expected a score, found {excerpt_of(token)}")
    return number


def _name(path: Path) -> str:
    return display_name(path)
