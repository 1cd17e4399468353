"""Read the words and links of a block of sentence pairs; pairs with invalid links are rejected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from wordorder.apps.scale.jobs import RowBlock
from wordorder.apps.scale.parts import find_parts, read_report, readable_part
from wordorder.core.orders import Alignments
from wordorder.core.orders.alignment import UNKNOWN
from wordorder.core.runtime.columns import Bools, offsets_from_lengths, rows_of
from wordorder.core.runtime.errors import InputError, UsageError, mention
from wordorder.core.runtime.files import LineBlock
from wordorder.core.text import Tokens, encode, tokenise
from wordorder.formats import pharaoh

if TYPE_CHECKING:
    import pyarrow as pa

SOURCE, TARGET, LINKS = "source", "target", "links"

AT_SPACES = "none"
"""The tokeniser for text that is already split into words."""

NOT_LINKS, NOT_OF_WORDS = "links cannot be read", "links beyond the last word"


def cut_words(texts: Sequence[Any], tokenizer: str) -> tuple[Tokens, ...]:
    """Split texts into words with a shared vocabulary.

    The tokeniser ``none`` splits at ASCII whitespace, as word aligners do.
    """
    return encode(*texts, whitespace="ascii") if tokenizer == AT_SPACES else tokenise(texts, tokenizer=tokenizer)


def tokenizer_of(corpus: Any, tokenizer: str | None) -> str:
    """Return the given tokeniser or, if it is None, the one recorded in the corpus for its links, or ``none``."""
    report = read_report(readable_part(find_parts(corpus)).path)
    known = report.settings.get("tokenizer") if report is not None else None
    if tokenizer is not None and known is not None and tokenizer != known:
        raise UsageError(f"the links use the tokeniser {known}, not {tokenizer}; leave out {mention('tokenize')}")
    return str(tokenizer or known or AT_SPACES)


def read_links(block: RowBlock, tokenizer: str) -> tuple[Alignments, Tokens, Tokens]:
    """Reject rows with invalid links; return the links, source words and target words of the remaining rows."""
    block.refuse(_unreadable(block.texts[LINKS]), NOT_LINKS)
    links = _parse(block.texts[LINKS].to_pylist())
    source, target = cut_words([block.texts[SOURCE], block.texts[TARGET]], tokenizer)
    lengths = source.lengths.astype(np.int32), target.lengths.astype(np.int32)
    links = replace(links, source_lengths=lengths[0], target_lengths=lengths[1])
    outside = _outside(links)
    if outside.any():
        block.refuse(outside, NOT_OF_WORDS)
        return read_links(block, tokenizer)
    return links, source, target


def _parse(lines: Sequence[str]) -> Alignments:
    data = np.frombuffer("".join(f"{line}\n" for line in lines).encode(), np.uint8)
    starts = offsets_from_lengths([len(line.encode()) + 1 for line in lines])
    return replace(pharaoh.parse(LineBlock(data, starts, LINKS, 1)).sure(), probability=None)


def _unreadable(lines: pa.LargeStringArray) -> Bools:
    """Mark the lines that are not valid links.

    All lines are parsed together; each line is parsed separately only if this fails.
    """
    written = lines.to_pylist()
    if _are_readable(written):
        return np.zeros(len(written), np.bool_)
    return np.array([not _are_readable([line]) for line in written], np.bool_)


def _are_readable(lines: Sequence[str]) -> bool:
    try:
        _parse(lines)
    except InputError:
        return False
    return True


def _outside(links: Alignments) -> Bools:
    """Mark the sentence pairs that have a link to a position after the last word."""
    rows = rows_of(links.offsets)
    wrong = np.zeros(len(links), np.bool_)
    for places, lengths in ((links.source, links.source_lengths), (links.target, links.target_lengths)):
        wrong[rows[(places >= lengths[rows]) & (lengths[rows] != UNKNOWN)]] = True
    return wrong


def without(schema: pa.Schema, names: Sequence[str]) -> pa.Schema:
    """Return a copy of a schema without the given columns and without metadata."""
    import pyarrow as pa

    return pa.schema([field for field in schema if field.name not in names])


def other_columns(block: RowBlock, names: Sequence[str]) -> dict[str, Any]:
    """Return all columns of a block as they were read, except those in ``names``."""
    return {name: block.batch.column(name) for name in block.batch.schema.names if name not in names}
