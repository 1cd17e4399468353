"""Moses decoder output with what it tells about alignment, one translation per line::

    the house |0-1| is small |2-3|          phrases (-t): target words, then their source span
    the house ||| 0-0 1-1                   word alignment (-print-alignment-info)

The richer marks of ``-tt`` (``|0-1,wa=0-0 1-1,total=…|``) are read too. Everything counts from 0; n-best lists are
in :mod:`wordorder.formats.nbest`.

Where there are only phrases, every source word of a phrase is linked to every target word of it: Moses does not say
more. Under every projection policy the words of a phrase then stay together; they keep their source order under
``birch``, and form a group of free order under ``talbot``. A word alignment is preferred where there is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from wordorder.formats.reading import LengthCheck, Lengths, Path
from wordorder.formats.rows import Row, gather, natural, numbered_lines
from wordorder.orders.alignment import Alignments
from wordorder.runtime.errors import InputError, excerpt
from wordorder.runtime.files import LINES_PER_BLOCK, LONGEST_SENTENCE, display_name

EXPECTED = "translations with segmentation marks like 'the house |0-1|' (Moses -t)"

MOST_LINKS = 1 << 20
"""Links that the phrases of one sentence may give; more are refused, since they would fill the memory."""

_BARS = b"|||"
_MARK = re.compile(rb"(?:^|(?<=[ \t]))\|([0-9]+)-([0-9]+)(?:,wa=([0-9 -]*))?(?:,[^|]*)?\|(?=[\s]|$)")
_PHRASE = re.compile(rb"([0-9]+)(?:-([0-9]+))?=([0-9]+)(?:-([0-9]+))?")
_MINUS_ONE = b"18446744073709551615"  # Moses writes the end of an empty first phrase as an unsigned −1

Link = tuple[int, int]


def read_blocks(
    path: Path,
    *,
    lines: int = LINES_PER_BLOCK,
    source_lengths: Lengths | None = None,
    target_lengths: Lengths | None = None,
) -> Iterator[Alignments]:
    """Read a file in blocks of at most ``lines`` translations; links outside given lengths are errors."""
    check = LengthCheck.of(path, source_lengths, target_lengths, base=0, hint=False)
    content = numbered_lines(path, expected=EXPECTED)
    while some := list(islice(content, lines)):
        yield gather([located_row(path, line, *split_output(text)) for line, text in some], check)
    check.finish()


def read(path: Path, *, source_lengths: Lengths | None = None, target_lengths: Lengths | None = None) -> Alignments:
    """Read a whole file."""
    return Alignments.concatenate(
        list(read_blocks(path, source_lengths=source_lengths, target_lengths=target_lengths))
    )


def split_output(line: bytes) -> tuple[bytes, list[bytes]]:
    """Split a line of output into the translation and the alignment fields behind it."""
    translation, *fields = line.split(_BARS)
    return translation, fields


def located_row(path: Path, line: int, translation: bytes, fields: list[bytes]) -> Row:
    """Give the row of one translation; errors name the line, and so does a translation without any alignment."""
    try:
        row = align(translation, fields)
    except InputError as error:
        raise InputError(error.message, path=display_name(path), line=line) from None
    if row is None:
        message = (
            f"no alignment of {excerpt(translation.strip().decode('utf-8', errors='replace'))}: expected marks like "
            "'|0-1|' (Moses -t) or an alignment field (-print-alignment-info)"
        )
        raise InputError(message, path=display_name(path), line=line)
    row.line = line
    return row


def plain_text(translation: bytes) -> bytes:
    """Give the words of a translation without segmentation marks.

    >>> plain_text(b" the house |0-1| is small |2-3| ")
    b'the house is small'
    """
    return b" ".join(_MARK.sub(b"", translation).split())


def align(translation: bytes, fields: list[bytes]) -> Row | None:
    """Link the words of a translation from its alignment fields or marks; None where nothing tells the links.

    >>> row = align(b"the house", [b" 0-0 1-1 "])
    >>> row.source, row.target, row.target_length
    ([0, 1], [0, 1], 2)
    """
    row = Row(target_length=len(plain_text(translation).split()))
    if row.target_length > LONGEST_SENTENCE:
        raise InputError(f"a sentence of more than {LONGEST_SENTENCE} words; longer ones are refused")
    links: list[Link] = []
    for field in fields:
        if b"=" not in field:
            links = [_link(token) for token in field.split()] or links
            continue
        phrases = _phrases(field.split(), row.target_length)
        row.source_length = max(source.stop for source, _ in phrases)  # phrases cover every source word
        links = links or _link_phrases(phrases)
    if not links:
        marked = _marked_links(translation)
        if marked is None and not fields and row.target_length:
            return None
        links = marked or []
    row.source = [source for source, _ in links]
    row.target = [target for _, target in links]
    return row


def _link(token: bytes) -> Link:
    source, _, target = token.partition(b"-")
    link = natural(source), natural(target)
    if link[0] is None or link[1] is None:
        raise InputError(f"expected links like '0-0 1-2', found {excerpt(token.decode('utf-8', errors='replace'))}")
    _refuse_beyond(max(link[0], link[1]))
    return link[0], link[1]


def _refuse_beyond(place: int) -> None:
    if place >= LONGEST_SENTENCE:
        raise InputError(f"word {place} is beyond the longest sentence allowed ({LONGEST_SENTENCE} words)")


def _span(start: bytes, end: bytes | None) -> range:
    first = natural(start) or 0
    last = first if end is None else natural(end) or 0
    _refuse_beyond(max(first, last))
    if last < first:
        raise InputError(f"the span {first}-{last} ends before it starts")
    return range(first, last + 1)


def _phrases(tokens: list[bytes], target_length: int) -> list[tuple[range, range]]:
    """Read ``0-1=0 2=1-2``: source span = target span, in the order of the target.

    An empty target phrase looks like the first word of the next phrase, or like one word behind the last.
    """
    phrases = []
    for token in tokens:
        found = _PHRASE.fullmatch(token)
        if found is None:
            text = token.decode("utf-8", errors="replace")
            raise InputError(f"expected phrases like '0-1=0-2', found {excerpt(text)}")
        end = found[4]
        target = range(0) if end == _MINUS_ONE else _span(found[3], end)
        phrases.append((_span(found[1], found[2]), target))
    following = target_length
    for place in reversed(range(len(phrases))):
        source, target = phrases[place]
        if len(target) == 1 and target.start == following:
            phrases[place] = source, range(0)
        elif target.stop > target_length:
            message = f"the phrase {excerpt(tokens[place].decode())} ends behind the {target_length} target words"
            raise InputError(message)
        elif target:
            following = target.start
    return phrases


def _link_phrases(phrases: list[tuple[range, range]]) -> list[Link]:
    if sum(len(source) * len(target) for source, target in phrases) > MOST_LINKS:
        raise InputError(f"the phrases would give more than {MOST_LINKS} links")
    return [(one, two) for source, target in phrases for one in source for two in target]


def _marked_links(translation: bytes) -> list[Link] | None:
    """Give the links that segmentation marks tell; None where there is no mark."""
    phrases: list[tuple[range, range]] = []
    inner: list[Link] = []
    words = end = 0
    for mark in _MARK.finditer(translation):
        source = _span(mark[1], mark[2])
        target = range(words, words + len(translation[end : mark.start()].split()))
        words, end = target.stop, mark.end()
        within = [_link(token) for token in (mark[3] or b"").split()]
        inner += [(source.start + one, target.start + two) for one, two in within]
        if not within:
            phrases.append((source, target))
    if not end:
        return None
    left = translation[end:].split()
    if left:
        text = left[0].decode("utf-8", errors="replace")
        raise InputError(f"expected a mark like '|0-1|' behind the last words, found none after {excerpt(text)}")
    return inner + _link_phrases(phrases)
