"""What the writers share: a name or an open file as target, a column or blocks of it as content."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import IO

from wordorder.orders.alignment import Alignments
from wordorder.orders.permutation import Permutations
from wordorder.runtime.errors import InputError
from wordorder.runtime.files import atomic_write

Target = str | os.PathLike[str] | IO[str]
Column = Alignments | Iterable[Alignments]
"""One column, or blocks of it that come one after another."""


@contextlib.contextmanager
def open_target(target: Target) -> Iterator[IO[str]]:
    """Open a name for atomic writing; pass an open file through."""
    if isinstance(target, (str, os.PathLike)):
        with atomic_write(target) as file:
            yield file
    else:
        yield target


def blocks(content: Column) -> Iterable[Alignments]:
    """Give the blocks of a column."""
    return [content] if isinstance(content, Alignments) else content


def permutation_blocks(content: Permutations | Iterable[Permutations]) -> Iterable[Permutations]:
    """Give the blocks of a column of permutations."""
    return [content] if isinstance(content, Permutations) else content


def write_rows(
    target: Target,
    content: Column,
    links: Callable[[Alignments], list[str]],
    *,
    opening: Callable[[Alignments, int], str] | None = None,
) -> None:
    """Write one line per row: its links separated by blanks, after what opens the row."""
    with open_target(target) as file:
        for column in blocks(content):
            written = links(column)
            offsets = column.offsets.tolist()
            rows = pairwise(offsets)
            for row, (start, stop) in enumerate(rows):
                before = opening(column, row) if opening else ""
                file.write(before + " ".join(written[start:stop]) + "\n")


def need_length(column: Alignments, row: int, side: str) -> int:
    """Give the length of one side; a format that must have it cannot write a row without."""
    length = int(column.source_lengths[row] if side == "source" else column.target_lengths[row])
    if length < 0:
        raise InputError(f"row {row + 1} has no {side} length, which this format needs")
    return length
