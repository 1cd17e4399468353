"""The alignment formats by name, and the parsing of file names with a format prefix.

``talp:gold.txt`` means the file ``gold.txt`` in the format ``talp``, unless there is a file that is really called
``talp:gold.txt``. A prefix that is not the name of a format is part of the file name.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from wordorder.core.runtime.errors import UsageError, check_choice, refuse
from wordorder.core.runtime.files import LINES_PER_BLOCK, Path

if TYPE_CHECKING:
    from wordorder.core.orders.alignment import Alignments
    from wordorder.formats.lengths import Lengths


@dataclass(frozen=True)
class AlignmentFormat:
    """A file format for alignments: its module, the base of its indices, and whether the base can be changed.

    ``indexed`` lists the sides whose words are written as indices; ``counted`` is true if files contain the sentence
    lengths.
    """

    module: str
    description: str
    base: int
    any_base: bool = True
    indexed: tuple[str, ...] = ("source", "target")
    counted: bool = False


ALIGNMENT_FORMATS = {
    "pharaoh": AlignmentFormat("pharaoh", "links '0-0 1-2', a line per sentence pair (Moses, fast_align)", 0),
    "talp": AlignmentFormat("talp", "links '1-1 2p3', p for possible", 1),
    "naacl": AlignmentFormat("naacl", "'sentence source target [S|P] [confidence]', a line per link", 1),
    "giza": AlignmentFormat(
        "giza", "GIZA++ and MGIZA A3 files, three lines per sentence pair", 1, any_base=False, counted=True
    ),
    "lader": AlignmentFormat("lader", "'m-n ||| s-t s-t', lengths and links", 0, counted=True),
    "target-list": AlignmentFormat(
        "target_list", "'1,2_3,,0', the source words of each target word", 0, indexed=("source",), counted=True
    ),
    "moses": AlignmentFormat("moses", "Moses output with marks '|0-1|' or word alignments", 0),
    "xl-wa": AlignmentFormat(
        "aligned_tables", "source, target and links in a TSV table (XL-WA, MultiMWA)", 0, counted=True
    ),
    "jsonl": AlignmentFormat("aligned_records", "JSON Lines with words and links of both sides", 0, counted=True),
    "pud": AlignmentFormat(
        "pud", "a folder with alignment.json, en.conllu and target.conllu", 1, any_base=False, counted=True
    ),
    "nbest": AlignmentFormat("nbest.alignments", "the best hypotheses of a Moses n-best list", 0),
}
"""All alignment formats by name."""


@dataclass(frozen=True)
class AlignmentFile(os.PathLike[str]):
    """An alignment file with its format and the base of its indices (None: the default of the format).

    >>> AlignmentFile("links", "talp").signature
    {'align_format': 'talp', 'base': 1}
    """

    path: Path
    format: str = "pharaoh"
    base: int | None = None

    def __post_init__(self) -> None:
        check_choice(self.format, ALIGNMENT_FORMATS, "alignment format")
        refuse(self.base not in (None, 0, 1), f"the index base must be 0 or 1, not {self.base}")
        known = ALIGNMENT_FORMATS[self.format]
        if self.base not in (None, known.base) and not known.any_base:
            raise UsageError(f"{self.format} files count from {known.base}, so base {self.base} is not allowed")

    @classmethod
    def parse(cls, source: Path, *, format: str = "pharaoh", base: int | None = None) -> AlignmentFile:
        """Parse ``FORMAT:FILE``, or ``FILE`` with the given format.

        >>> AlignmentFile.parse("talp:gold.txt")
        AlignmentFile(path='gold.txt', format='talp', base=None)
        >>> AlignmentFile.parse("wmt:gold.txt", format="naacl")
        AlignmentFile(path='wmt:gold.txt', format='naacl', base=None)
        """
        if isinstance(source, AlignmentFile):
            return source
        prefix, colon, path = os.fspath(source).partition(":")
        if colon and path and prefix in ALIGNMENT_FORMATS and not os.path.exists(source):
            return cls(path, prefix, base)
        return cls(source, format, base)

    def __fspath__(self) -> str:
        return os.fspath(self.path)

    @property
    def index_base(self) -> int:
        """The index of the first word of a sentence, 0 or 1."""
        return ALIGNMENT_FORMATS[self.format].base if self.base is None else self.base

    @property
    def signature(self) -> dict[str, Any]:
        """The format and the index base, as they appear in the signature of a result."""
        return {"align_format": self.format, "base": self.index_base}

    @property
    def module(self) -> Any:
        """The Python module that reads and writes the format."""
        return import_module(f"wordorder.formats.{ALIGNMENT_FORMATS[self.format].module}")


def read_alignments(
    source: Path,
    *,
    format: str = "pharaoh",
    base: int | None = None,
    lines: int = LINES_PER_BLOCK,
    source_lengths: Lengths | None = None,
    target_lengths: Lengths | None = None,
) -> Iterator[Alignments]:
    """Read alignments of any format in blocks of at most ``lines`` sentence pairs.

    ``source`` is ``FILE`` (in the given format), ``FORMAT:FILE`` or an :class:`AlignmentFile`. If ``base`` is None,
    the default base of the format is used.
    """
    file = AlignmentFile.parse(source, format=format, base=base)
    blocks: Iterator[Alignments] = file.module.read_blocks(
        file.path, base=file.base, lines=lines, source_lengths=source_lengths, target_lengths=target_lengths
    )
    return blocks


def write_alignments(
    target: Path, column: Alignments | Iterable[Alignments], *, format: str = "pharaoh", base: int | None = None
) -> None:
    """Write a column of alignments, or its blocks, to ``FILE`` (in the given format) or ``FORMAT:FILE``."""
    file = AlignmentFile.parse(target, format=format, base=base)
    refuse(not hasattr(file.module, "write"), f"{file.format} files can be read but not written; choose another format")
    file.module.write(file.path, column, base=file.index_base)
