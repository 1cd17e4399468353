"""Aligned text as JSON Lines: objects with the words of both sides and a list of links ``[source, target]``, from 0.

The keys are ``src_words``, ``tgt_words`` and ``alignment``, or ``source``, ``target`` and ``links``. Words are a list
or a text. ``possible`` has further links. In a link, −1 means NULL.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wordorder.core.runtime.errors import InputError, excerpt, located
from wordorder.core.runtime.files import display_name
from wordorder.formats.aligned_texts import AlignedPair, pair_reader
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
                    raise InputError(f"{excerpt(str(side))} is not a list of words")
            pair = AlignedPair(line, words[0], words[1], _as_text(links), _as_text(record.get("possible", [])))
        yield pair


def _member(record: dict[str, Any], role: str) -> Any:
    for name in _SIDES[role]:
        if name in record:
            return record[name]
    raise InputError(f"has none of {', '.join(_SIDES[role])}; found {', '.join(record)}")


def _as_text(links: Any) -> str:
    """Return links in the Pharaoh format; text is returned unchanged."""
    if isinstance(links, str):
        return links
    if not isinstance(links, list) or not all(
        isinstance(link, list) and len(link) == 2 and all(type(place) is int for place in link) for link in links
    ):
        raise InputError(f"{excerpt(str(links))} is not a list of links like [[0, 0], [1, 2]]")
    return " ".join(f"{source}-{target}" for source, target in links)


READER = pair_reader("jsonl", pairs)
read_blocks, read = READER.read_blocks, READER.read
