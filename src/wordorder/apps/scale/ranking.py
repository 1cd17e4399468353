"""Select the best N pairs of a corpus: all pairs above a threshold, and enough pairs equal to it to make N.

A first pass writes the measures of all pairs. The threshold is the N-th best value: a histogram over all parts shows
in which narrow range it lies, and sorting the values in this range finds it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from wordorder.apps.scale.filters import PASSED, FilterCounts, FilterJob, as_numbers
from wordorder.apps.scale.folders import Folder
from wordorder.apps.scale.jobs import REASON, Job, RowBlock, Work
from wordorder.apps.scale.parts import Part, digest
from wordorder.apps.scale.words import other_columns
from wordorder.core.runtime.columns import Floats, Int64s, to_column

if TYPE_CHECKING:
    import pyarrow as pa

RANKS = "_ranks"
"""The subfolder of the results in which the first pass writes measures."""


@dataclass(frozen=True)
class SelectJob(Job):
    """The job that keeps all pairs above a threshold and, in each part, a given number of pairs equal to it."""

    command = "filter"
    whole = True

    ranks: str
    first: FilterJob
    count: int
    largest: bool
    threshold: float
    ties: tuple[tuple[str, int], ...]
    """The number of pairs equal to the threshold to keep, for each part by name."""
    texts: tuple[tuple[str, str], ...] = ()

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the first pass, and the number of pairs to keep."""
        return {**self.first.settings, "top" if self.largest else "bottom": self.count}

    @property
    def signature(self) -> dict[str, Any]:
        """The signature of the first pass, the number of pairs to keep, and the measure that ranks them."""
        return {**self.first.signature, "top" if self.largest else "bottom": self.count, "by": self.first.by}

    def schema(self, given: pa.Schema) -> pa.Schema:
        """Return the schema of the result: the columns of the part, then the measures."""
        return self.first.kept_schema(given)

    def fingerprint_of(self, part: Part) -> str:
        """Return a hash of the part, the threshold and the number of ties, which depend on the other parts."""
        chosen = self.threshold, dict(self.ties).get(part.name, 0)
        return digest(super().fingerprint_of(part).encode(), json.dumps(chosen).encode())

    def begin(self, part: Part) -> Work:
        """Read the measures of a part, and return an object that selects pairs from its blocks."""
        return _Selecting(self, part)


class _Selecting(Work):
    def __init__(self, job: SelectJob, part: Part) -> None:
        import pyarrow as pa

        self._job = job
        ranks = Part(Folder(job.ranks).path_of(part.name), part.name)
        self._ranks = pa.Table.from_batches(list(ranks.batches()), schema=ranks.schema())
        self._ties = dict(job.ties).get(part.name, 0)
        self._counts = FilterCounts([])

    def add(self, block: RowBlock) -> dict[str, Any]:
        job = self._job
        measured = self._ranks.slice(block.first_row, len(block))
        passed = np.asarray(measured.column(PASSED).combine_chunks(), np.bool_)
        names = [name for name in measured.column_names if name != PASSED]
        values = {name: as_numbers(measured.column(name).combine_chunks()) for name in names}
        ranks = values[str(job.first.by)]
        above = ranks > job.threshold if job.largest else ranks < job.threshold
        on = passed & (ranks == job.threshold)
        on &= np.cumsum(on) <= self._ties
        self._ties -= int(on.sum())
        kept = (passed & above) | on
        self._counts.add({name: column[passed] for name, column in values.items()}, [], kept[passed])
        places = np.flatnonzero(kept)
        added = job.first.added
        given = {name: column.take(places) for name, column in other_columns(block, (REASON, *added)).items()}
        return given | {name: to_column(values[name][kept]) for name in added}

    def sums(self) -> dict[str, Any]:
        return self._counts.sums()


def find_threshold(parts: Sequence[Floats] | Any, count: int, *, largest: bool = True) -> tuple[float, list[int]]:
    """Return the value of the N-th best pair (N is ``count``) and how many pairs with this value to keep per part.

    ``parts`` yields the values of one part after another. It is iterated over three times.

    >>> find_threshold([np.array([3.0, 1.0]), np.array([2.0, 2.0, 2.0])], 3)
    (2.0, [0, 2])
    """
    sign = 1.0 if largest else -1.0
    histogram: Counter[int] = Counter()
    for values in parts:
        ranges, sizes = np.unique(_sortable(sign * values) >> 48, return_counts=True)
        histogram.update(dict(zip(ranges.tolist(), sizes.tolist(), strict=True)))
    missing = count
    for narrow in sorted(histogram, reverse=True):
        if histogram[narrow] >= missing:
            break
        missing -= histogram[narrow]
    else:
        return sign * -np.inf, [0 for _ in parts]  # there are fewer pairs, so all are kept
    exact: Counter[float] = Counter()
    for values in parts:
        found = sign * values[_sortable(sign * values) >> 48 == narrow]
        each, sizes = np.unique(found, return_counts=True)
        exact.update(dict(zip(each.tolist(), sizes.tolist(), strict=True)))
    threshold = float("nan")
    for threshold in sorted(exact, reverse=True):
        if exact[threshold] >= missing:
            break
        missing -= exact[threshold]
    ties = []
    for values in parts:
        ties.append(min(missing, int((sign * values == threshold).sum())))
        missing -= ties[-1]
    return sign * threshold, ties


def _sortable(values: Floats) -> Int64s:
    """Map floats to integers that have the same order."""
    bits = (values + 0.0).view(np.int64)  # −0 becomes 0
    return bits ^ ((bits >> 63) & np.int64(0x7FFFFFFFFFFFFFFF))


@dataclass(frozen=True)
class Ranks:
    """A sequence with an array for each part: the ranking values of the pairs that satisfy the condition.

    An array is read from the results of the first pass whenever it is accessed.
    """

    folder: str
    names: tuple[str, ...]
    by: str

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, number: int) -> Floats:
        import pyarrow as pa

        if number >= len(self.names):
            raise IndexError
        part = Part(Folder(self.folder).path_of(self.names[number]), self.names[number])
        batches = list(part.batches([self.by, PASSED]))
        table = pa.Table.from_batches(batches, schema=None if batches else part.schema())
        passed = np.asarray(table.column(PASSED).combine_chunks(), np.bool_)
        return as_numbers(table.column(self.by).combine_chunks())[passed]
