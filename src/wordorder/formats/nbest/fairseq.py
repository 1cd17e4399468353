"""The output of ``fairseq-generate``: lines ``H-12<TAB>-0.3<TAB>words``, in any order, among other lines.

After the ``H-`` line of a hypothesis there may be a line ``D-`` (its detokenised text, which replaces the words), a
line ``P-`` (the log probabilities of its tokens) and a line ``A-`` (its word alignment). The score in the file is the
mean log probability per token, to base 2 or, in older versions, to base e. It is converted to base e and becomes the
feature ``score``. If there are ``P-`` lines, the feature ``sum`` is the log probability of the whole hypothesis.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from wordorder.core.runtime.errors import InputError, located, reject
from wordorder.core.runtime.files import LINES_PER_BLOCK, Path, display_name
from wordorder.formats import moses
from wordorder.formats.alignment_rows import gather
from wordorder.formats.lines import excerpt_of, numbered_lines
from wordorder.formats.nbest.features import number_of
from wordorder.formats.nbest.hypotheses import Hypotheses, Hypothesis, gather_hypotheses

EXPECTED = "lines 'H-0<TAB>score<TAB>hypothesis' (fairseq-generate)"

_LINE = re.compile(rb"([HDPA])-([0-9]{1,9})(?:\s+([^\n]*))?")


def read_blocks(path: Path, *, alignments: bool = False, log_base: float = 2.0) -> Iterator[Hypotheses]:
    """Read hypotheses in blocks; scores in the file are logarithms to the base ``log_base``."""
    name = display_name(path)
    found = _hypotheses(path, math.log(log_base))
    names: tuple[str, ...] = ()
    while rows := list(islice(found, LINES_PER_BLOCK)):
        names = names or tuple(rows[0].features)
        for row in rows:
            with located(name, row.line):
                if tuple(row.features) != names:
                    raise InputError("some hypotheses have a P- line and others do not; all or none must have one")
                reject(alignments and row.links is None, "this hypothesis has no A- line with its alignment")
        block = gather_hypotheses(rows, names, scored=True)
        links = [row.links for row in rows if row.links is not None]
        yield replace(block, alignments=replace(gather(links), phrases=None)) if alignments else block
    reject(not names, f"no hypotheses; expected {EXPECTED}", path=name, line=1)


def _hypotheses(path: Path, scale: float) -> Iterator[Hypothesis]:
    """Yield hypotheses together with the information from the ``D-``, ``P-`` and ``A-`` lines that follow them."""
    last: Hypothesis | None = None
    for line, content in numbered_lines(path, expected=EXPECTED):
        match = _LINE.fullmatch(content.rstrip(b"\r\n"))
        if match is None:
            continue
        kind, sentence, rest = match[1], int(match[2]), match[3] or b""
        if kind == b"H" and last is not None:
            yield last
        with located(display_name(path), line):
            if kind == b"H":
                score, text = _scored(rest, scale)
                last = Hypothesis(line, sentence, text, score, {"score": score})
            elif last is None or last.sentence != sentence:
                raise InputError(f"found {kind.decode()}-{sentence} without a hypothesis H-{sentence} before it")
            elif kind == b"D":
                last.text = _scored(rest, scale)[1]
            elif kind == b"P":
                last.features["sum"] = scale * sum(_number(token) for token in rest.split())
            else:
                last.links = moses.align(last.text.encode(), [rest])
    if last is not None:
        yield last


def _scored(rest: bytes, scale: float) -> tuple[float, str]:
    score, *text = rest.split(None, 1)[:2] or [b""]
    try:
        return scale * _number(score), b"".join(text).strip().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"the text is not valid UTF-8 ({error.reason})") from None


def _number(token: bytes) -> float:
    number = number_of(token)
    if number is None or not math.isfinite(number):
        raise InputError(f"expected a score, found {excerpt_of(token)}")
    return number
