"""One module per file format, each with ``read_blocks``, ``read`` and, where it makes sense, ``write``.

A reader gives one column per block of lines, so memory does not grow with the file. Whether indices count from 0 or
from 1 is a matter of the format or of the caller, never guessed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, cast

from wordorder.runtime.errors import UsageError, choices
from wordorder.runtime.files import LINES_PER_BLOCK

if TYPE_CHECKING:
    from wordorder.formats.reading import Lengths, Path
    from wordorder.orders.alignment import Alignments


@dataclass(frozen=True)
class AlignmentFormat:
    """A file format for alignments: its module, the base of its indices and whether another can be chosen."""

    module: str
    description: str
    base: int
    any_base: bool = True


ALIGNMENT_FORMATS = {
    "pharaoh": AlignmentFormat("pharaoh", "links '0-0 1-2', a line per sentence pair (Moses, fast_align)", 0),
    "talp": AlignmentFormat("talp", "links '1-1 2p3', p for possible", 1),
    "naacl": AlignmentFormat("naacl", "'sentence source target [S|P] [confidence]', a line per link", 1),
    "giza": AlignmentFormat("giza", "GIZA++ and MGIZA A3 files, three lines per sentence pair", 1, any_base=False),
    "lader": AlignmentFormat("lader", "'m-n ||| s-t s-t', lengths and links", 0),
    "target-list": AlignmentFormat("target_list", "'1,2_3,,0', the source words of each target word", 0),
    "moses": AlignmentFormat("moses", "Moses output with marks '|0-1|' or word alignments", 0, any_base=False),
    "nbest": AlignmentFormat("nbest", "the best hypotheses of a Moses n-best list", 0, any_base=False),
}
"""Every format for alignments by the name the command line has for it."""


def read_alignments(
    path: Path,
    *,
    format: str = "pharaoh",
    base: int | None = None,
    lines: int = LINES_PER_BLOCK,
    source_lengths: Lengths | None = None,
    target_lengths: Lengths | None = None,
    transpose: bool = False,
) -> Iterator[Alignments]:
    """Read alignments of any format in blocks of at most ``lines`` sentence pairs.

    ``base`` None is the format's own. With ``transpose`` the two sides of the file are swapped; the lengths belong to
    the sides as they are given back.
    """
    if format not in ALIGNMENT_FORMATS:
        raise choices(format, list(ALIGNMENT_FORMATS), what="alignment format")
    chosen = ALIGNMENT_FORMATS[format]
    options: dict[str, object] = {}
    if chosen.any_base:
        options["base"] = chosen.base if base is None else base
    elif base not in (None, chosen.base):
        raise UsageError(f"{format} files always count from {chosen.base}; --base {base} does not apply")
    if transpose:
        source_lengths, target_lengths = target_lengths, source_lengths
    reader = import_module(f"wordorder.formats.{chosen.module}")
    blocks = cast(
        "Iterator[Alignments]",
        reader.read_blocks(
            path, lines=lines, source_lengths=source_lengths, target_lengths=target_lengths, **options
        ),
    )
    return (block.transpose() for block in blocks) if transpose else blocks
