"""Measure the reorderings and links of each sentence pair in a block.

The complexity of a permutation is measured by its cycles and by the operators of its permutation tree.

References are also compared with versions of themselves in source order, by BLEU (Al-Onaizan & Papineni 2006). The
words of a reference are put into the order of the source words that they are aligned to, and BLEU compares the result
with the original reference; it is 1 if all alignments are monotone. A projection policy, applied from target to
source, determines the positions of unaligned reference words. Sentences without links are left out.
"""

import math
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordorder.core.orders import (
    DEFAULT_POLICY,
    Alignments,
    Permutations,
    PermutationTrees,
    order_against_source,
    place,
)
from wordorder.core.orders.trees import SIMPLE, decompose
from wordorder.core.reorderings.extraction import extract_sorted, rquantity
from wordorder.core.reorderings.links import check_range, count_aligned, known_lengths, sort_links
from wordorder.core.reorderings.reorderings import WIDTH_CLASSES, Reorderings
from wordorder.core.runtime.columns import Floats, Int64s, Ints, rows_of
from wordorder.core.runtime.errors import InputError, UsageError, count_of
from wordorder.core.runtime.files import atomic_write
from wordorder.core.runtime.kernels import kernel
from wordorder.core.runtime.plain import plain
from wordorder.core.runtime.threads import map_chunks
from wordorder.core.text import Tokens
from wordorder.metrics.lexical import Bleu
from wordorder.metrics.ngrams import ngram_statistics
from wordorder.report.table import Column, Table
from wordorder.scoring.tables import ALL_BUCKETS, BUCKETS, NO_BUCKET


def in_source_order(references: Tokens, alignments: Alignments, *, policy: str = DEFAULT_POLICY) -> Tokens:
    """Put the words of each reference into source order; a sentence without links becomes empty.

    >>> from wordorder.core.orders import Alignment
    >>> from wordorder.core.text import encode
    >>> pair = Alignment(((0, 1), (1, 0)), 2, 2).column()
    >>> in_source_order(encode(["green witch"])[0], pair).words(0)
    ['witch', 'green']
    """
    if len(references) != len(alignments):
        raise InputError(
            f"expected an alignment for each reference, found {count_of(len(references), 'reference')} but "
            f"{count_of(len(alignments), 'alignment')}"
        )
    lengths = references.lengths.astype(np.int32)
    places = place(alignments.with_lengths(target=lengths).transpose(), policy=policy)
    orders = places.against_source()
    kept = references.ids[places.places >= 0]
    starts = np.repeat(orders.offsets[:-1], orders.lengths)
    return Tokens(kept[starts + orders.ranks], orders.offsets, references.vocabulary)


def bleu_counts(hypotheses: Tokens, references: Tokens) -> Floats:
    """Return the n-gram counts and lengths that BLEU needs for each sentence, computed as in sacreBLEU.

    The columns are those of ``metrics.ngrams.COLUMNS``. The hypotheses and references must share a vocabulary. For an
    empty hypothesis, all counts are zero, so it does not contribute to sums.
    """
    counts = ngram_statistics(hypotheses, [references])
    counts[hypotheses.lengths == 0] = 0
    return counts


def bleu(counts: Floats) -> float:
    """Return the unsmoothed BLEU score (0 to 1) for counts summed over sentences, or NaN if the counts are zero."""
    return float(Bleu().corpus(counts)) if counts[0] else math.nan


def count_cycles(orders: Permutations) -> tuple[Ints, Ints]:
    """Return, for each order, the number of cycles of two words or more, and the length of the longest cycle.

    The words of a cycle exchange positions with one another (Birch 2011, §5.5.1). A word in its original position is
    a cycle of one word. Both numbers are 0 for an empty order, which means that the order is undefined.

    >>> cycles, longest = count_cycles(Permutations.of(["2 1 3 5 6 4", "1 2", ""]))
    >>> cycles.tolist(), longest.tolist()
    ([2, 0, 0], [3, 1, 0])
    """
    return _cycles(orders.ranks, orders.offsets)


def find_largest_operators(orders: Permutations) -> Ints:
    """Return the number of children of the largest simple operator in the permutation tree of each order, or 0.

    A simple operator is a permutation of four or more children that cannot be decomposed further. A permutation
    without simple operators is binarisable: inversion transduction grammars (Wu 1997) can generate it.

    >>> find_largest_operators(Permutations.of(["2 4 1 3", "4 3 1 2", "2 4 1 3 5 7 10 8 6 9", ""])).tolist()
    [4, 0, 5, 0]
    """
    trees = PermutationTrees(*decompose(orders.ranks, orders.offsets))
    simple = np.flatnonzero(trees.kinds == SIMPLE)
    largest = np.zeros(len(orders), dtype=np.int32)
    np.maximum.at(largest, np.searchsorted(trees.offsets, simple, side="right") - 1, trees.arities[simple])
    return largest


@kernel
def _cycles(ranks: Ints, offsets: Int64s) -> tuple[Ints, Ints]:
    rows = len(offsets) - 1
    cycles = np.zeros(rows, dtype=np.int32)
    longest = np.zeros(rows, dtype=np.int32)
    seen = np.zeros(len(ranks), dtype=np.bool_)
    for row in range(rows):
        start = offsets[row]
        for first in range(start, offsets[row + 1]):
            length = 0
            place = first
            while not seen[place]:
                seen[place] = True
                length += 1
                place = start + ranks[place]
            cycles[row] += length > 1
            longest[row] = max(longest[row], length)
    return cycles, longest


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


LEFT_OUT = -1
"""The bucket of a sentence that is too short or too long, or whose amount of reordering is undefined."""


def divide(
    quantities: Floats, lengths: NDArray[np.integer], *, shortest: int = 20, longest: int = 39
) -> NDArray[np.int8]:
    """Divide sentences into buckets by RQuantity, and return the number of the bucket of each sentence.

    Bucket 0 has the sentences whose RQuantity is zero; buckets 1 to 3 have equal thirds of the others, from low to
    high RQuantity. If the thirds cannot be equal, the lower ones get one sentence more. Of sentences with the same
    RQuantity, earlier ones come first. Sentences with fewer than ``shortest`` or more than ``longest`` words get −1,
    so that sentence length has little influence.

    >>> amounts = np.array([0.0, 0.5, 0.1, 0.9, 0.1, 0.2])
    >>> divide(amounts, np.array([20, 20, 20, 20, 40, 20])).tolist()
    [0, 2, 1, 3, -1, 1]
    """
    if len(quantities) != len(lengths):
        raise InputError(
            f"expected one sentence length for each of the {len(quantities)} values of RQuantity, found {len(lengths)}"
        )
    _check_range(shortest, longest)
    taking_part = (lengths >= shortest) & (lengths <= longest) & ~np.isnan(quantities)
    buckets = np.full(len(quantities), LEFT_OUT, dtype=np.int8)
    buckets[taking_part & (quantities == 0)] = 0
    reordered = np.flatnonzero(taking_part & (quantities > 0))
    ranked = reordered[np.argsort(quantities[reordered], kind="stable")]
    for bucket, rows in enumerate(np.array_split(ranked, 3), start=1):
        buckets[rows] = bucket
    return buckets


def bucket_names(buckets: NDArray[np.int8]) -> list[str]:
    """Return the name of the bucket of each sentence, or ``-`` for sentences that were left out.

    >>> bucket_names(np.array([3, -1, 0], dtype=np.int8))
    ['high', '-', 'none']
    """
    return [BUCKETS[bucket] if bucket != LEFT_OUT else NO_BUCKET for bucket in buckets]


@dataclass(frozen=True)
class BucketRow:
    """Statistics of one test set: mean, standard deviation and range of RQuantity, and frequencies of reorderings.

    ``short``, ``medium`` and ``long`` are average numbers of reorderings of this width per sentence. For an empty
    set, all statistics are NaN.
    """

    bucket: str
    sentences: int
    rquantity: float
    deviation: float
    lowest: float
    highest: float
    short: float
    medium: float
    long: float


class Divider:
    """A collector of RQuantity, block by block, which finally divides the sentences of a corpus into test sets."""

    def __init__(self, *, side: str = "target", shortest: int = 20, longest: int = 39) -> None:
        _check_range(shortest, longest)
        self.side = side
        self.shortest = shortest
        self.longest = longest
        self._quantities: list[Floats] = [np.zeros(0)]
        self._lengths: list[Ints] = [np.zeros(0, np.int32)]
        self._classes: list[Int64s] = [np.zeros((0, len(WIDTH_CLASSES)), np.int64)]

    def add(self, measures: Measures) -> None:
        """Add the measures of a block of sentences."""
        alignments = measures.alignments
        self._quantities.append(rquantity(measures.reorderings, alignments, side=self.side))
        self._lengths.append(alignments.source_lengths if self.side == "source" else alignments.target_lengths)
        self._classes.append(_count_classes(measures.reorderings, self.side))

    def buckets(self) -> NDArray[np.int8]:
        """Return the bucket of every sentence: an index into ``BUCKETS``, or ``LEFT_OUT``."""
        quantities, lengths = np.concatenate(self._quantities), np.concatenate(self._lengths)
        return divide(quantities, lengths, shortest=self.shortest, longest=self.longest)

    def summary(self) -> list[BucketRow]:
        """Return the statistics of each test set and, last, of all test sets combined (Birch 2011, Table 3.2)."""
        quantities, classes, buckets = np.concatenate(self._quantities), np.concatenate(self._classes), self.buckets()
        rows = []
        for bucket, name in enumerate((*BUCKETS, ALL_BUCKETS)):
            inside = buckets != LEFT_OUT if name == ALL_BUCKETS else buckets == bucket
            amounts, count = quantities[inside], int(inside.sum())
            if not count:
                rows.append(BucketRow(name, 0, *[math.nan] * 7))
                continue
            deviation = float(amounts.std(ddof=1)) if count > 1 else math.nan
            found = float(amounts.mean()), deviation, float(amounts.min()), float(amounts.max())
            rows.append(BucketRow(name, count, *found, *classes[inside].mean(axis=0).tolist()))
        return rows

    def table(self) -> Table:
        """Return the summary as a table."""
        columns = [Column("bucket", "left"), *map(Column, ("sentences", "RQuantity", "SD", "lowest", "highest"))]
        columns += map(Column, WIDTH_CLASSES)
        notes = [
            f"sentences of {self.shortest} to {self.longest} {self.side} words; short, medium, long: reorderings of "
            "this width per sentence"
        ]
        return Table.of("", columns, [tuple(vars(row).values()) for row in self.summary()], notes=notes)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the bucket name of each sentence, one per line, to a file for ``wordorder score --buckets``."""
        with atomic_write(path) as target:
            target.writelines(f"{name}\n" for name in bucket_names(self.buckets()))


def _count_classes(reorderings: Reorderings, side: str) -> Int64s:
    """Count the reorderings of each sentence by width class, and return an array ``[sentences, classes]``."""
    cells = rows_of(reorderings.offsets) * len(WIDTH_CLASSES) + reorderings.width_classes(side)
    counts = np.bincount(cells, minlength=len(reorderings) * len(WIDTH_CLASSES))
    return counts.reshape(-1, len(WIDTH_CLASSES))


def _check_range(shortest: int, longest: int) -> None:
    if shortest > longest:
        raise UsageError(f"the minimum sentence length ({shortest}) must not be larger than the maximum ({longest})")
