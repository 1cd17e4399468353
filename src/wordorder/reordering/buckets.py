"""Test sets by amount of reordering (Birch 2011, §3.3.2)."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from wordorder.reordering.measures import Measures
from wordorder.reordering.quantity import rquantity
from wordorder.runtime.columns import Floats, Ints
from wordorder.runtime.errors import InputError, UsageError
from wordorder.runtime.files import atomic_write
from wordorder.scoring.tables import BUCKETS, NO_BUCKET

LEFT_OUT = -1
"""The bucket of a sentence outside the range of lengths, or whose amount of reordering is undefined."""


def divide(
    quantities: Floats, lengths: NDArray[np.integer], *, shortest: int = 20, longest: int = 39
) -> NDArray[np.int8]:
    """Divide sentences by RQuantity into ``BUCKETS``: none (0), then equal thirds of the rest.

    Only sentences of ``shortest`` to ``longest`` words take part, so that length plays no role. Ties in RQuantity are
    broken by position, the earlier sentence first; if the rest is not a multiple of three, the lower thirds have one
    sentence more.

    >>> amounts = np.array([0.0, 0.5, 0.1, 0.9, 0.1, 0.2])
    >>> divide(amounts, np.array([20, 20, 20, 20, 40, 20])).tolist()
    [0, 2, 1, 3, -1, 1]
    """
    if len(quantities) != len(lengths):
        raise InputError(f"{len(quantities)} amounts of reordering but {len(lengths)} sentence lengths")
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
    """Return the name of each sentence's bucket, ``-`` for a sentence left out.

    >>> bucket_names(np.array([3, -1, 0], dtype=np.int8))
    ['high', '-', 'none']
    """
    return [BUCKETS[bucket] if bucket != LEFT_OUT else NO_BUCKET for bucket in buckets]


class Divider:
    """Collects the amount of reordering of every sentence of a corpus, block by block, then divides the sentences."""

    def __init__(self, *, side: str = "target", shortest: int = 20, longest: int = 39) -> None:
        _check_range(shortest, longest)
        self.side = side
        self.shortest = shortest
        self.longest = longest
        self._quantities: list[Floats] = [np.zeros(0)]
        self._lengths: list[Ints] = [np.zeros(0, np.int32)]

    def see(self, measures: Measures) -> None:
        """Add a block."""
        alignments = measures.alignments
        self._quantities.append(rquantity(measures.reorderings, alignments, side=self.side))
        self._lengths.append(alignments.source_lengths if self.side == "source" else alignments.target_lengths)

    def names(self) -> list[str]:
        """Return the bucket of every sentence seen."""
        quantities, lengths = np.concatenate(self._quantities), np.concatenate(self._lengths)
        return bucket_names(divide(quantities, lengths, shortest=self.shortest, longest=self.longest))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write one bucket per line, for ``wordorder score --buckets``."""
        with atomic_write(path) as target:
            target.writelines(f"{name}\n" for name in self.names())


def _check_range(shortest: int, longest: int) -> None:
    if shortest > longest:
        raise UsageError(f"the shortest sentence ({shortest}) is longer than the longest ({longest})")
