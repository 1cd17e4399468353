"""Moses decoder output with information about the alignment, one translation per line::

    the house |0-1| is small |2-3|          phrases (-t): target words, then their source span
    the house ||| 0-0 1-1                   word alignment (-print-alignment-info)

The longer marks of ``-tt`` (``|0-1,wa=0-0 1-1,total=…|``) are also accepted. Indices count from 0, except in the word
alignments of the chart decoder (hierarchical and syntax-based systems): these also count the mark for the beginning
of the sentence, so their base is 1. N-best lists are read by :mod:`wordorder.formats.nbest`.

If there are only phrases, every source word of a phrase is linked to every target word of the phrase. When the source
words are sorted into target order, the words of a phrase then stay together: under the projection policy ``birch``,
they keep their source order; under ``talbot``, they form a group with free order. If there is a word alignment, it is
used instead. The source spans of the phrases are kept with the links. The chart decoder writes no phrases, because
its rules have gaps; it writes only word alignments and, if requested, trees, which are skipped.
"""

import re
from collections.abc import Iterator

from wordorder.core.runtime.errors import InputError, located, reject
from wordorder.core.runtime.files import LONGEST_SENTENCE, display_name
from wordorder.formats.alignment_rows import SURE, AlignmentRow, row_reader
from wordorder.formats.alignments import AlignmentFile
from wordorder.formats.lines import INDEX_ZERO, excerpt_of, natural, numbered_lines

EXPECTED = "translations with segmentation marks like 'the house |0-1|' (Moses -t)"

MOST_LINKS = 1 << 20
"""The maximum number of links that the phrases of one sentence may imply; more could exhaust the memory."""

_BARS = b"|||"
_MARK = re.compile(rb"(?:^|(?<=[ \t]))\|([0-9]+)-([0-9]+)(?:,wa=([0-9 -]*))?(?:,[^|]*)?\|(?=[\s]|$)")
_PHRASE = re.compile(rb"([0-9]+)(?:-([0-9]+))?=([0-9]+)(?:-([0-9]+))?")
_MINUS_ONE = b"18446744073709551615"  # Moses writes the end of an empty first phrase as an unsigned −1

Link = tuple[int, int]
PhrasePair = tuple[range, range]
"""The source and target words of a phrase; the target is empty if the phrase is left untranslated."""


def _rows(file: AlignmentFile) -> Iterator[AlignmentRow]:
    for line, text in numbered_lines(file, expected=EXPECTED):
        translation, *fields = text.split(_BARS)
        yield located_row(file, line, translation, fields)


READER = row_reader("moses", _rows)
read_blocks, read = READER.read_blocks, READER.read


def located_row(file: AlignmentFile, line: int, translation: bytes, fields: list[bytes]) -> AlignmentRow:
    """Return the links of one translation as a row; raise an error if it has no alignment."""
    with located(display_name(file), line):
        row = align(translation, fields, base=file.index_base)
        if row is None:
            expected = "expected marks like '|0-1|' (Moses -t) or an alignment field (-print-alignment-info)"
            raise InputError(f"no alignment for {excerpt_of(translation.strip())}: {expected}")
    row.line = line
    return row


def plain_text(translation: bytes) -> bytes:
    """Return the words of a translation without segmentation marks.

    >>> plain_text(b" the house |0-1| is small |2-3| ")
    b'the house is small'
    """
    return b" ".join(_MARK.sub(b"", translation).split())


def align(translation: bytes, fields: list[bytes], *, base: int = 0) -> AlignmentRow | None:
    """Return the links of a translation from its alignment fields or segmentation marks, or None without either.

    Word alignments count from ``base``; phrases and marks always count from 0.

    >>> row = align(b"the house", [b" 0-0 1-1 "])
    >>> len(row.links), row.target_length
    (2, 2)
    """
    row = AlignmentRow(target_length=len(plain_text(translation).split()))
    if row.target_length > LONGEST_SENTENCE:
        raise InputError(f"the sentence exceeds the maximum length of {LONGEST_SENTENCE} words")
    links: list[Link] = []
    phrases: list[PhrasePair] = []
    for field in fields:
        if field.lstrip().startswith(b"["):  # a tree
            continue
        if b"=" not in field:
            links = [_link(token, base) for token in field.split()] or links
            continue
        phrases = _phrases(field.split(), row.target_length)
        row.source_length = max(source.stop for source, _ in phrases)  # phrases cover every source word
    links = links or _link_phrases(phrases)
    marked = None if links and phrases else _marked(translation)
    if marked is None and not fields and row.target_length:
        return None
    if marked is not None:
        phrases = phrases or marked[0]
        links = links or marked[1]
    row.links = {source << 32 | target: SURE for source, target in links}
    row.phrases = [(source.start, source.stop - 1) for source, target in phrases if target]
    return row


def _link(token: bytes, base: int = 0) -> Link:
    source, _, target = token.partition(b"-")
    link = natural(source), natural(target)
    if link[0] is None or link[1] is None:
        raise InputError(f"expected links like '0-0 1-2', found {excerpt_of(token)}")
    _check_position(max(link[0], link[1]))
    reject(min(link[0], link[1]) < base, INDEX_ZERO)
    return link[0] - base, link[1] - base


def _check_position(place: int) -> None:
    if place >= LONGEST_SENTENCE:
        raise InputError(f"word index {place} exceeds the maximum sentence length ({LONGEST_SENTENCE} words)")


def _span(start: bytes, end: bytes | None) -> range:
    first = natural(start) or 0
    last = first if end is None else natural(end) or 0
    _check_position(max(first, last))
    reject(last < first, f"the span {first}-{last} ends before it starts")
    return range(first, last + 1)


def _phrases(tokens: list[bytes], target_length: int) -> list[PhrasePair]:
    """Parse phrases like ``0-1=0 2=1-2`` (source span = target span), which are in target order.

    For an empty target phrase, Moses writes the position of the first word of the next phrase or, at the end, the
    position after the last word.
    """
    phrases = []
    for token in tokens:
        found = _PHRASE.fullmatch(token)
        if found is None:
            raise InputError(f"expected phrases like '0-1=0-2', found {excerpt_of(token)}")
        end = found[4]
        target = range(0) if end == _MINUS_ONE else _span(found[3], end)
        phrases.append((_span(found[1], found[2]), target))
    following = target_length
    for place in reversed(range(len(phrases))):
        source, target = phrases[place]
        if len(target) == 1 and target.start == following:
            phrases[place] = source, range(0)
        elif target.stop > target_length:
            message = f"the phrase {excerpt_of(tokens[place])} extends beyond the {target_length} target words"
            raise InputError(message)
        elif target:
            following = target.start
    return phrases


def _link_phrases(phrases: list[PhrasePair]) -> list[Link]:
    if sum(len(source) * len(target) for source, target in phrases) > MOST_LINKS:
        raise InputError(f"the phrases imply more than {MOST_LINKS} links")
    return [(one, two) for source, target in phrases for one in source for two in target]


def _marked(translation: bytes) -> tuple[list[PhrasePair], list[Link]] | None:
    """Return the phrases given by segmentation marks and the links that they imply, or None if there are no marks."""
    phrases: list[PhrasePair] = []
    unlinked: list[PhrasePair] = []
    inner: list[Link] = []
    words = end = 0
    for mark in _MARK.finditer(translation):
        source = _span(mark[1], mark[2])
        target = range(words, words + len(translation[end : mark.start()].split()))
        words, end = target.stop, mark.end()
        within = [_link(token) for token in (mark[3] or b"").split()]
        inner += [(source.start + one, target.start + two) for one, two in within]
        phrases.append((source, target))
        if not within:
            unlinked.append((source, target))
    if not end:
        return None
    left = translation[end:].split()
    if left:
        raise InputError(f"expected a mark like '|0-1|' at the end, but none follows {excerpt_of(left[0])}")
    return phrases, inner + _link_phrases(unlinked)
