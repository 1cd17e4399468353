"""What the writers share: a name or an open file as target, a column or blocks of it as content."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import IO, TypeVar

import numpy as np
from numpy.typing import NDArray

from wordorder.core.orders.alignment import Alignments
from wordorder.core.orders.permutation import Permutations
from wordorder.core.runtime.errors import InputError
from wordorder.core.runtime.files import atomic_write

Target = str | os.PathLike[str] | IO[str]
Column = Alignments | Iterable[Alignments]
"""One column, or blocks of it that come one after another."""

Block = TypeVar("Block", Alignments, Permutations)


@contextlib.contextmanager
def open_target(target: Target) -> Iterator[IO[str]]:
    """Open a name for atomic writing; pass an open file through."""
    if isinstance(target, (str, os.PathLike)):
        with atomic_write(target) as file:
            yield file
    else:
        yield target


def write_lines(target: Target, content: Block | Iterable[Block], lines: Callable[[Block], Iterable[str]]) -> None:
    """Write the lines of a column, or of each of its blocks."""
    blocks = [content] if isinstance(content, (Alignments, Permutations)) else content
    with open_target(target) as file:
        for block in blocks:
            file.writelines(f"{line}\n" for line in lines(block))


def join_rows(values: Sequence[str], offsets: NDArray[np.int64]) -> Iterator[str]:
    """Yield the values of each row, separated by spaces."""
    return (" ".join(values[start:stop]) for start, stop in pairwise(offsets.tolist()))


def need_length(column: Alignments, row: int, side: str) -> int:
    """Return the length of one side; a format that must have it cannot write a row without."""
    length = int(column.source_lengths[row] if side == "source" else column.target_lengths[row])
    if length < 0:
        raise InputError(f"row {row + 1} has no {side} length, which this format needs")
    return length
