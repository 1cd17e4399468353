"""Helpers for writers: a target is a file name or an open file; the content is a column or its blocks."""

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import IO, TypeVar

from wordorder.core.orders.alignment import Alignments
from wordorder.core.orders.permutation import Permutations
from wordorder.core.runtime.columns import Offsets
from wordorder.core.runtime.errors import InputError
from wordorder.core.runtime.files import Path, atomic_write

Target = Path | IO[str]
Column = Alignments | Iterable[Alignments]
"""A column of alignments, or an iterable of its blocks."""

Block = TypeVar("Block", Alignments, Permutations)


@contextlib.contextmanager
def open_target(target: Target) -> Iterator[IO[str]]:
    """Open a file by name for atomic writing, or yield a file that is already open."""
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


def join_rows(values: Sequence[str], offsets: Offsets) -> Iterator[str]:
    """Yield one line for each row, with its values separated by spaces."""
    return (" ".join(values[start:stop]) for start, stop in pairwise(offsets.tolist()))


def need_length(column: Alignments, row: int, side: str) -> int:
    """Return the length of one sentence; raise an error if it is unknown."""
    length = int(column.source_lengths[row] if side == "source" else column.target_lengths[row])
    if length < 0:
        raise InputError(f"row {row + 1} has no {side} length, but this format requires one")
    return length
