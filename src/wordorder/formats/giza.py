"""GIZA++ and MGIZA alignments (``*.A3.final``), three lines per sentence pair::

    # Sentence pair (1) source length 2 target length 2 alignment score : 0.1
    das Haus
    NULL ({ }) the ({ 1 }) house ({ 2 })

The source side is the one that the header calls source: the third line of a pair, which begins with NULL. Each of its
words is followed by the positions of the target words to which it is linked, counted from 1. If the third line is in
your target language, transpose the alignments. Links to NULL are dropped. The numbers of words must agree with the
header.

The pairs of a merged MGIZA file may be out of order. They are sorted by number, and each pair is kept in memory until
all earlier pairs have been read. If all pairs have the number 0, as some tools write, they stay in file order.
"""

import re
from collections.abc import Iterator
from itertools import islice

from wordorder.core.runtime.errors import InputError, located, reject
from wordorder.core.runtime.files import LONGEST_SENTENCE, Path, display_name
from wordorder.formats.alignment_rows import SURE, AlignmentRow, row_reader
from wordorder.formats.lines import excerpt_of, natural, numbered_lines

EXPECTED = "'# Sentence pair (n) source length m target length n alignment score : p'"

_HEADER = re.compile(
    rb"#\s*Sentence pair\s*\(([0-9]{1,18})\)\s*source length\s+([0-9]{1,18})\s+target length\s+([0-9]{1,18})\s"
)


def _in_order(path: Path) -> Iterator[AlignmentRow]:
    waiting: dict[int, AlignmentRow] = {}
    following = 1
    unnumbered = 0
    for number, row in _pairs(path):
        if number == 0 and following == 1 and not waiting:
            unnumbered += 1
            yield row
        elif number < following or number in waiting or unnumbered > 1:
            raise InputError(f"sentence pair {number} appears twice", path=display_name(path), line=row.line)
        else:
            waiting[number] = row
            while following in waiting:
                yield waiting.pop(following)
                following += 1
    if waiting:
        later = waiting[min(waiting)].line
        raise InputError(f"sentence pair {following} is missing", path=display_name(path), line=later)


READER = row_reader("giza", _in_order)
read_blocks, read = READER.read_blocks, READER.read


def _pairs(path: Path) -> Iterator[tuple[int, AlignmentRow]]:
    content = numbered_lines(path, expected=EXPECTED)
    name = display_name(path)
    for line, header in content:
        found = _HEADER.match(header)
        if found is None:
            if line > 1 and not header.strip() and next(content, None) is None:  # an empty line at the end
                return
            raise InputError(f"expected {EXPECTED}, found {excerpt_of(header.strip())}", path=name, line=line)
        number, source_length, target_length = (int(group) for group in found.groups())
        rest = list(islice(content, 2))
        if len(rest) < 2:
            message = f"the file ends within sentence pair {number}: expected 3 lines, found {1 + len(rest)}"
            raise InputError(message, path=name, line=line + len(rest))
        (target_line, target), (source_line, source) = rest
        words = len(target.split())
        if words != target_length:
            message = f"the target length is {words}, but the header of sentence pair {number} says {target_length}"
            raise InputError(message, path=name, line=target_line)
        with located(name, source_line, prefix=f"sentence pair {number}: "):
            row = _row(source.split(), source_length, target_length)
        row.line = source_line
        yield number, row


def _row(tokens: list[bytes], source_length: int, target_length: int) -> AlignmentRow:
    """Parse the third line of a pair, ``NULL ({ 2 }) word ({ 1 }) …``, into links.

    A word may itself look like a brace, so words are recognised by their position.
    """
    reject(not tokens or tokens[0] != b"NULL", "expected 'NULL ({ … }) word ({ … })'")
    row = AlignmentRow(source_length=source_length, target_length=target_length)
    word = -1
    at = 0
    while at < len(tokens):
        try:
            close = tokens.index(b"})", at + 2)
        except ValueError:
            close = -1
        if close < 0 or tokens[at + 1] != b"({":
            raise InputError(f"expected 'word ({{ … }})', found {excerpt_of(b' '.join(tokens[at : at + 3]))}")
        for token in tokens[at + 2 : close]:
            place = natural(token)
            if place is None or not 1 <= place <= target_length:
                raise InputError(f"{excerpt_of(token)} is not the index of a target word (1 to {target_length})")
            if word >= 0:
                row.links[word << 32 | place - 1] = SURE
        word += 1
        at = close + 1
    reject(word != source_length, f"the source length is {word}, but the header says {source_length}")
    if max(source_length, target_length) > LONGEST_SENTENCE:
        raise InputError(f"the sentence exceeds the maximum length of {LONGEST_SENTENCE} words")
    return row
