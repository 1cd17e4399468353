"""Aligned text as JSON Lines: objects with the words of both sides and a list of links ``[source, target]``.

The keys are ``src_words``, ``tgt_words`` and ``alignment``, or ``source``, ``target`` and ``links``. Words are given
as a list or as a string. The optional key ``possible`` has further links, which are possible rather than sure.
Indices count from 0, and −1 stands for NULL.
"""

from collections.abc import Iterator
from typing import Any

from wordorder.core.runtime.errors import InputError, excerpt, located
from wordorder.core.runtime.files import display_name
from wordorder.formats.alignment_rows import AlignedPair, pair_reader
from wordorder.formats.alignments import AlignmentFile
from wordorder.formats.tables import json_records

_SIDES = {
    "source": ("src_words", "source_words", "source", "src"),
    "target": ("tgt_words", "target_words", "target", "tgt"),
    "links": ("alignment", "alignments", "links"),
}


def pairs(file: AlignmentFile) -> Iterator[AlignedPair]:
    """Yield the sentence pairs of a file."""
    for line, record in json_records(file):
        with located(display_name(file), line):
            source, target, links = (_member(record, role) for role in _SIDES)
            words = [side.split() if isinstance(side, str) else side for side in (source, target)]
            for side in words:
                if not isinstance(side, list) or not all(isinstance(word, str) for word in side):
                    raise InputError(f"expected a list of words, found {excerpt(str(side))}")
            pair = AlignedPair(line, words[0], words[1], _as_text(links), _as_text(record.get("possible", [])))
        yield pair


def _member(record: dict[str, Any], role: str) -> Any:
    for name in _SIDES[role]:
        if name in record:
            return record[name]
    raise InputError(f"expected one of the keys {', '.join(_SIDES[role])}; found {', '.join(record)}")


def _as_text(links: Any) -> str:
    """Return a list of links as text in the Pharaoh format; a string is returned unchanged."""
    if isinstance(links, str):
        return links
    if not isinstance(links, list) or not all(
        isinstance(link, list) and len(link) == 2 and all(type(place) is int for place in link) for link in links
    ):
        raise InputError(f"expected a list of links like [[0, 0], [1, 2]], found {excerpt(str(links))}")
    return " ".join(f"{source}-{target}" for source, target in links)


READER = pair_reader("jsonl", pairs)
read_blocks, read = READER.read_blocks, READER.read
