"""Measure the reorderings and links of each sentence pair in a block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordorder.apps.profile.complexity import count_cycles, find_largest_operators
from wordorder.apps.profile.source_order import bleu_counts, in_source_order
from wordorder.core.orders import DEFAULT_POLICY, Alignments, order_against_source
from wordorder.core.reorderings.extraction import extract_sorted, rquantity
from wordorder.core.reorderings.links import check_range, count_aligned, known_lengths, sort_links
from wordorder.core.reorderings.reorderings import Reorderings
from wordorder.core.runtime.columns import Floats, Int64s, Ints
from wordorder.core.runtime.plain import plain
from wordorder.core.runtime.threads import map_chunks
from wordorder.core.text import Tokens


@dataclass(frozen=True, eq=False)
class Measures:
    """The measures of a block of sentence pairs, as arrays with one entry per pair.

    ``bleu_counts`` is None if there is no target text; ``first_row`` is the number of sentence pairs before the
    block.
    """

    alignments: Alignments
    reorderings: Reorderings
    aligned_source: Ints
    aligned_target: Ints
    crossings: Int64s
    cycles: Ints
    longest_cycle: Ints
    largest_operator: Ints
    bleu_counts: Floats | None
    first_row: int

    def __len__(self) -> int:
        return len(self.alignments)

    def columns(self) -> dict[str, NDArray[np.generic]]:
        """Return the measures by name, as arrays with one entry per sentence pair; undefined values are NaN."""
        return {
            "source_words": self.alignments.source_lengths,
            "target_words": self.alignments.target_lengths,
            "links": np.diff(self.alignments.offsets),
            "rquantity": rquantity(self.reorderings, self.alignments),
            "rquantity_source": rquantity(self.reorderings, self.alignments, side="source"),
            "blocked": self.reorderings.blocked,
            "crossings": self.crossings,
            "cycles": self.cycles,
            "longest_cycle": self.longest_cycle,
            "largest_operator": self.largest_operator,
        }

    def records(self) -> Iterator[dict[str, object]]:
        """Yield the measures of each sentence pair, numbered from 1, as a JSON-compatible record."""
        columns = self.columns()
        for row, values in enumerate(zip(*(column.tolist() for column in columns.values()), strict=True)):
            yield {
                "sentence": self.first_row + row + 1,
                **plain(dict(zip(columns, values, strict=True))),
                "reorderings": [str(reordering) for reordering in self.reorderings[row]],
            }


def measure(
    alignments: Alignments, *, references: Tokens | None = None, policy: str = DEFAULT_POLICY, first_row: int = 0
) -> Measures:
    """Measure every sentence pair of a block.

    The sentence lengths of both sides must be known. ``policy`` determines how alignments are converted to
    permutations, from which cycles, operators and the source order of the ``references`` (the target text) are
    computed. ``first_row`` is the number of sentence pairs before this block.
    """
    for side in ("source", "target"):
        known_lengths(alignments, side, why="for a profile", first_row=first_row)
    links = sort_links(alignments)
    check_range(links, first_row=first_row)
    orders = order_against_source(links, policy=policy)
    counts = *count_aligned(links), links.crossings(), *count_cycles(orders), find_largest_operators(orders)
    bleu = None if references is None else bleu_counts(in_source_order(references, links, policy=policy), references)
    return Measures(links, extract_sorted(links), *counts, bleu, first_row)


def measure_blocks(
    blocks: Iterable[tuple[Alignments, Tokens | None]], *, policy: str = DEFAULT_POLICY, threads: int = 1
) -> Iterator[Measures]:
    """Yield the measures of each block of alignments and references (or None), with constant memory use."""

    def numbered() -> Iterator[tuple[Alignments, Tokens | None, int]]:
        first_row = 0
        for alignments, references in blocks:
            yield alignments, references, first_row
            first_row += len(alignments)

    def work(item: tuple[Alignments, Tokens | None, int]) -> Measures:
        return measure(item[0], references=item[1], policy=policy, first_row=item[2])

    return map_chunks(work, numbered(), threads=threads)
