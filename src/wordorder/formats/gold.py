"""Gold alignments with what people said about words that have no link.

In a whole gold standard a word without a link is not aligned. In a partial one it was perhaps never looked at; there
only words with a link, or one with NULL, were annotated.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.core.orders import Alignments
from wordorder.core.runtime.columns import Bools, strings
from wordorder.core.runtime.files import line_blocks
from wordorder.formats import aligned_records, aligned_tables, naacl, pud
from wordorder.formats.aligned_texts import AlignedPair
from wordorder.formats.alignments import AlignmentFile, read_alignments
from wordorder.formats.pharaoh import null_words

Path = str | os.PathLike[str]
Words = tuple[set[int], set[int]]
"""Source and target words of a sentence pair that are linked with NULL."""

WITH_TEXT: dict[str, Callable[[AlignmentFile], Iterator[AlignedPair]]] = {
    "xl-wa": aligned_tables.pairs,
    "jsonl": aligned_records.pairs,
    "pud": pud.pairs,
}
"""Formats that hold the words beside the links."""

PARTIAL = ("pud",)
"""Formats whose gold standards leave words out on purpose."""


@dataclass(frozen=True, eq=False)
class Gold:
    """Gold links, and for each side which words of each sentence pair are linked with NULL."""

    alignments: Alignments
    nulls: tuple[Words, ...]

    def filled(self, alignments: Alignments) -> Gold:
        """Return the same with sentence pairs added at the end."""
        return Gold(alignments, self.nulls + ((set(), set()),) * (len(alignments) - len(self.nulls)))

    def touched(self, links: Alignments) -> Bools:
        """Whether both words of each of these links were annotated: linked here, with a word or with NULL."""
        rows = np.repeat(np.arange(len(links)), links.lengths)
        kept = np.ones(len(links.source), dtype=bool)
        for side in (0, 1):
            known = {(row, place) for row, words in enumerate(self.nulls) for place in words[side]}
            gold = np.repeat(np.arange(len(self.alignments)), self.alignments.lengths)
            places = self.alignments.source if side == 0 else self.alignments.target
            known |= set(zip(gold.tolist(), places.tolist(), strict=True))
            judged = links.source if side == 0 else links.target
            kept &= np.array([pair in known for pair in zip(rows.tolist(), judged.tolist(), strict=True)], dtype=bool)
        return kept


def read(path: Path, *, format: str = "talp", base: int | None = None, **lengths: Any) -> Gold:
    """Read gold links in any format for alignments, and the words that are linked with NULL."""
    file = AlignmentFile.parse(path, format=format, base=base)
    links = Alignments.concatenate(list(read_alignments(file, **lengths)))
    found = list(_nulls(file))
    return Gold(links, tuple(found[: len(links)]) + ((set(), set()),) * (len(links) - len(found)))


def has_text(path: Path, format: str) -> bool:
    """Whether a file of gold links holds the words, too."""
    return AlignmentFile.parse(path, format=format).format in WITH_TEXT


def is_partial(path: Path, format: str) -> bool:
    """Whether gold standards of this kind leave words out on purpose."""
    return AlignmentFile.parse(path, format=format).format in PARTIAL


def read_texts(path: Path, format: str) -> tuple[Any, Any]:
    """Read both sides of a gold standard as text, words joined by spaces."""
    file = AlignmentFile.parse(path, format=format)
    pairs = list(WITH_TEXT[file.format](file))
    sides = [pair.source for pair in pairs], [pair.target for pair in pairs]
    source, target = (strings([" ".join(map(_solid, words)) for words in side]) for side in sides)
    return source, target


def _solid(word: str) -> str:
    """Return a word without a space inside, which treebanks have in numbers and names."""
    return "_".join(word.split()) or "_"


def _nulls(file: AlignmentFile) -> Iterator[Words]:
    """Yield the words of every sentence pair that are linked with NULL, where the format can say so."""
    if file.format in WITH_TEXT:
        for pair in WITH_TEXT[file.format](file):
            yield null_words(f"{pair.sure} {pair.possible}", base=file.index_base)
    elif file.format == "naacl":
        yield from naacl.nulls(file)
    elif file.format in ("pharaoh", "talp"):
        for block in line_blocks(file):
            for row in range(len(block)):
                yield null_words(block.text(row), base=file.index_base)
