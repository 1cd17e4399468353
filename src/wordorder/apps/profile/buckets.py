"""Divide the sentences of a corpus into test sets by their amount of reordering (Birch 2011, §3.3.2)."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordorder.apps.profile.measures import Measures
from wordorder.core.reorderings.extraction import rquantity
from wordorder.core.reorderings.reorderings import WIDTH_CLASSES, Reorderings
from wordorder.core.runtime.columns import Floats, Int64s, Ints, rows_of
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.core.runtime.files import atomic_write
from wordorder.report.table import Column, Table
from wordorder.scoring.tables import ALL_BUCKETS, BUCKETS, NO_BUCKET

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
            f"expected one sentence length for each of the {len(quantities)} values of RQuantity, found "
            f"{len(lengths)}"
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
