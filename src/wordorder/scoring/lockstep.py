"""Reading several inputs side by side, block by block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sized
from itertools import zip_longest
from typing import TypeVar

from wordorder.runtime.errors import InputError

Block = TypeVar("Block", bound=Sized)


def lockstep(streams: Mapping[str, Iterator[Block]]) -> Iterator[tuple[Block, ...]]:
    """Give the blocks of all streams side by side; different numbers of lines are an error that tells them all.

    >>> list(lockstep({"a": iter(["xy", "z"]), "b": iter(["uv", "w"])}))
    [('xy', 'uv'), ('z', 'w')]
    >>> list(lockstep({"a": iter(["xy"]), "b": iter(["u"])}))
    Traceback (most recent call last):
    wordorder.runtime.errors.InputError: the inputs differ in length: a has 2 lines, b has 1
    """
    seen = 0
    for blocks in zip_longest(*streams.values()):
        sizes = [0 if block is None else len(block) for block in blocks]
        if len(set(sizes)) > 1:
            totals = [
                seen + size + sum(len(rest) for rest in stream)
                for size, stream in zip(sizes, streams.values(), strict=True)
            ]
            told = ", ".join(
                f"{name} has {total}{' lines' * (not place)}"
                for place, (name, total) in enumerate(zip(streams, totals, strict=True))
            )
            raise InputError(f"the inputs differ in length: {told}")
        seen += sizes[0]
        yield blocks
