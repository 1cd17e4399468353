"""Gold alignments, including the words that annotators linked to NULL.

In a complete gold standard, a word without a link is unaligned. In a partial one, such a word may just not have been
annotated; only the words with a link, to a word or to NULL, are known to be annotated.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.core.orders import Alignments
from wordorder.core.runtime.columns import Bools, rows_of, strings
from wordorder.core.runtime.files import Path, line_blocks
from wordorder.formats import aligned_records, aligned_tables, naacl, pud
from wordorder.formats.alignment_rows import AlignedPair
from wordorder.formats.alignments import AlignmentFile, read_alignments
from wordorder.formats.pharaoh import null_words

Words = tuple[set[int], set[int]]
"""The source words and the target words of a sentence pair that are linked to NULL."""

WITH_TEXT: dict[str, Callable[[AlignmentFile], Iterator[AlignedPair]]] = {
    "xl-wa": aligned_tables.pairs,
    "jsonl": aligned_records.pairs,
    "pud": pud.pairs,
}
"""Formats that contain the words as well as the links."""

PARTIAL = ("pud",)
"""Formats of gold standards in which not all words are annotated."""


@dataclass(frozen=True, eq=False)
class Gold:
    """Gold links, plus the words of each sentence pair that are linked to NULL."""

    alignments: Alignments
    nulls: tuple[Words, ...]

    def filled(self, alignments: Alignments) -> "Gold":
        """Return a copy with ``alignments`` as its links; these may have additional sentence pairs at the end."""
        return Gold(alignments, self.nulls + ((set(), set()),) * (len(alignments) - len(self.nulls)))

    def touched(self, links: Alignments) -> Bools:
        """Return a mask of the links whose words are both annotated.

        A word is annotated if the gold standard links it to a word or to NULL.
        """
        rows, gold = rows_of(links.offsets).tolist(), rows_of(self.alignments.offsets).tolist()
        kept = np.ones(len(links.source), dtype=bool)
        for side in (0, 1):
            known = {(row, place) for row, words in enumerate(self.nulls) for place in words[side]}
            places = self.alignments.source if side == 0 else self.alignments.target
            known |= set(zip(gold, places.tolist(), strict=True))
            found = links.source if side == 0 else links.target
            kept &= np.array([pair in known for pair in zip(rows, found.tolist(), strict=True)], dtype=bool)
        return kept


def read(path: Path, *, format: str = "talp", base: int | None = None, **lengths: Any) -> Gold:
    """Read gold links in any alignment format, together with the words that are linked to NULL."""
    file = AlignmentFile.parse(path, format=format, base=base)
    links = Alignments.concatenate(list(read_alignments(file, **lengths)))
    found = list(_nulls(file))
    return Gold(links, tuple(found[: len(links)]) + ((set(), set()),) * (len(links) - len(found)))


def has_text(path: Path, format: str) -> bool:
    """Return whether a file of gold links also contains the words."""
    return AlignmentFile.parse(path, format=format).format in WITH_TEXT


def is_partial(path: Path, format: str) -> bool:
    """Return whether gold standards in the format of this file annotate only some words."""
    return AlignmentFile.parse(path, format=format).format in PARTIAL


def read_texts(path: Path, format: str) -> tuple[Any, Any]:
    """Read both sides of a gold standard as text, with words separated by spaces."""
    file = AlignmentFile.parse(path, format=format)
    pairs = list(WITH_TEXT[file.format](file))
    sides = [pair.source for pair in pairs], [pair.target for pair in pairs]
    source, target = (strings([" ".join(map(_solid, words)) for words in side]) for side in sides)
    return source, target


def _solid(word: str) -> str:
    """Return a word with its spaces replaced by underscores; in treebanks, some numbers and names have spaces."""
    return "_".join(word.split()) or "_"


def _nulls(file: AlignmentFile) -> Iterator[Words]:
    """Yield the words of each sentence pair that are linked to NULL.

    If the format cannot express such links, yield nothing.
    """
    if file.format in WITH_TEXT:
        for pair in WITH_TEXT[file.format](file):
            yield null_words(f"{pair.sure} {pair.possible}", base=file.index_base)
    elif file.format == "naacl":
        yield from naacl.nulls(file)
    elif file.format in ("pharaoh", "talp"):
        for block in line_blocks(file):
            for row in range(len(block)):
                yield null_words(block.text(row), base=file.index_base)
