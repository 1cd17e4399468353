"""Bracketed trees as bytes → columns: one pass over the bytes, no object per node.

A tree is ``(label tree…)`` or ``(tag word)``; the outermost label may be missing. White space is free.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordorder.runtime.kernels import kernel

FAULTS = (
    "",
    "a bracket is closed that was never opened",
    "a constituent without words; expected '(label …)' or '(tag word)'",
    "a word outside of all brackets; expected '('",
    "a word beside another word or constituent; expected '(tag word)' around each word",
    "a constituent without a label inside a tree",
    "a constituent after a word; expected ')'",
)


@dataclass(frozen=True)
class Bracketing:
    """What one pass found: the complete trees, where they end, and the first fault.

    ``fault`` indexes :data:`FAULTS`, ``position`` is its byte. Bytes from ``consumed`` on belong to a tree that is
    not complete (or to no tree at all when only white space is left).
    """

    parents: NDArray[np.int32]
    label_spans: NDArray[np.int64]
    node_offsets: NDArray[np.int64]
    word_spans: NDArray[np.int64]
    word_offsets: NDArray[np.int64]
    consumed: int
    fault: int
    position: int


def scan_brackets(data: NDArray[np.uint8]) -> Bracketing:
    """Find the complete trees in some bytes.

    >>> found = scan_brackets(np.frombuffer(b"(S (NP (DT a)) (VP (VB b)))", np.uint8))
    >>> found.parents.tolist(), found.word_spans.tolist(), found.fault
    ([-1, 0, 1, 0, 3], [[11, 12], [23, 24]], 0)
    """
    return Bracketing(*_scan(data))


def texts_of(data: NDArray[np.uint8], spans: NDArray[np.int64]) -> Any:
    """Cut byte spans out of some bytes: an Arrow column of strings, or None if they are no UTF-8."""
    import pyarrow as pa

    packed, offsets = _gather(data, spans)
    column = pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), len(spans), [None, pa.py_buffer(offsets), pa.py_buffer(packed)]
    )
    try:
        return column.cast(pa.large_string())
    except pa.ArrowInvalid:
        return None


@kernel
def _scan(
    data: NDArray[np.uint8],
) -> tuple[
    NDArray[np.int32],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.int64],
    int,
    int,
    int,
]:
    opened = 0
    for byte in data:
        opened += byte == 40
    parents = np.empty(opened, dtype=np.int32)
    label_spans = np.empty((opened, 2), dtype=np.int64)
    word_spans = np.empty((opened, 2), dtype=np.int64)
    node_offsets = np.zeros(opened + 1, dtype=np.int64)
    word_offsets = np.zeros(opened + 1, dtype=np.int64)
    stack = np.empty(opened, dtype=np.int64)
    filled = np.zeros(opened, dtype=np.int8)  # 0 nothing yet, 1 has constituents, 2 has a word
    depth = nodes = words = trees = consumed = fault = 0
    place, size = 0, len(data)
    while place < size:
        byte = data[place]
        if byte == 32 or (9 <= byte <= 13):
            place += 1
            continue
        if byte == 41:
            if depth == 0:
                fault = 1
                break
            depth -= 1
            if filled[stack[depth]] == 0:
                fault = 2
                break
            place += 1
            if depth == 0:
                trees += 1
                node_offsets[trees] = nodes
                word_offsets[trees] = words
                consumed = place
            continue
        start = place
        if byte == 40:
            start += 1
            while start < size and (data[start] == 32 or 9 <= data[start] <= 13):
                start += 1
        end = start
        while end < size and not (data[end] == 32 or 9 <= data[end] <= 13 or data[end] == 40 or data[end] == 41):
            end += 1
        if byte == 40:
            if depth > 0 and filled[stack[depth - 1]] == 2:
                fault = 6
                break
            if depth > 0 and end == start and end < size:
                fault = 5
                break
            parents[nodes] = stack[depth - 1] - node_offsets[trees] if depth > 0 else -1
            if depth > 0:
                filled[stack[depth - 1]] = 1
            label_spans[nodes, 0] = start
            label_spans[nodes, 1] = end
            stack[depth] = nodes
            depth += 1
            nodes += 1
        else:
            if depth == 0:
                fault = 3
                break
            if filled[stack[depth - 1]] != 0:
                fault = 4
                break
            filled[stack[depth - 1]] = 2
            word_spans[words, 0] = place
            word_spans[words, 1] = end
            words += 1
        place = end
    nodes, words = node_offsets[trees], word_offsets[trees]
    return (
        parents[:nodes].copy(),
        label_spans[:nodes].copy(),
        node_offsets[: trees + 1].copy(),
        word_spans[:words].copy(),
        word_offsets[: trees + 1].copy(),
        consumed,
        fault,
        place,
    )


@kernel
def _gather(data: NDArray[np.uint8], spans: NDArray[np.int64]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    offsets = np.zeros(len(spans) + 1, dtype=np.int64)
    for row in range(len(spans)):
        offsets[row + 1] = offsets[row] + spans[row, 1] - spans[row, 0]
    packed = np.empty(offsets[-1], dtype=np.uint8)
    for row in range(len(spans)):
        start = spans[row, 0]
        for i in range(spans[row, 1] - start):
            packed[offsets[row] + i] = data[start + i]
    return packed, offsets
