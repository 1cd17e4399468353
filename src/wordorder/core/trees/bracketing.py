"""A scanner for bracketed trees: it reads the bytes once, without creating a Python object for each node.

A tree is ``(label tree…)`` or ``(tag word)``; the outermost label may be missing. Whitespace between parts is
ignored.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from wordorder.core.runtime.columns import Bytes, Ints, Offsets
from wordorder.core.runtime.kernels import kernel

FAULTS = (
    "",
    "a closing bracket without an opening bracket",
    "a constituent without words; expected '(label …)' or '(tag word)'",
    "a word outside all brackets; expected '('",
    "a word next to another word or constituent; expected '(tag word)' around each word",
    "a constituent without a label inside a tree",
    "a constituent after a word; expected ')'",
)


class Bracketing(NamedTuple):
    """The result of a scan: the complete trees, the position after the last one, and the first fault.

    ``fault`` is an index into :data:`FAULTS`, and ``position`` is the byte position of the fault. The bytes from
    ``consumed`` onwards are whitespace or belong to an incomplete tree.
    """

    parents: Ints
    label_spans: Offsets
    node_offsets: Offsets
    word_spans: Offsets
    word_offsets: Offsets
    consumed: int
    fault: int
    position: int


def texts_of(data: Bytes, spans: Offsets) -> Any:
    """Decode spans of bytes into an Arrow array of strings, or return None if they are not valid UTF-8."""
    import pyarrow as pa

    packed, offsets = _gather(data, spans)
    column = pa.Array.from_buffers(pa.large_binary(), len(spans), [None, pa.py_buffer(offsets), pa.py_buffer(packed)])
    try:
        return column.cast(pa.large_string())
    except pa.ArrowInvalid:
        return None


@kernel
def scan_brackets(data: Bytes) -> Bracketing:
    """Find all complete trees in the bytes, up to the first fault."""
    opened = 0
    for byte in data:
        opened += byte == 40
    parents = np.empty(opened, dtype=np.int32)
    label_spans = np.empty((opened, 2), dtype=np.int64)
    word_spans = np.empty((opened, 2), dtype=np.int64)
    node_offsets = np.zeros(opened + 1, dtype=np.int64)
    word_offsets = np.zeros(opened + 1, dtype=np.int64)
    stack = np.empty(opened, dtype=np.int64)
    filled = np.zeros(opened, dtype=np.int8)  # 0: empty so far, 1: has constituents, 2: has a word
    depth = nodes = words = trees = consumed = fault = 0
    place, size = 0, len(data)
    while place < size:
        byte = data[place]
        if byte == 32 or (9 <= byte <= 13):
            place += 1
            continue
        inside = filled[stack[depth - 1]] if depth else 0
        if byte == 41:
            fault = 1 if depth == 0 else 2 if inside == 0 else 0
            if fault:
                break
            depth -= 1
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
            fault = 6 if inside == 2 else 5 if depth > 0 and end == start and end < size else 0
            if fault:
                break
            parents[nodes] = stack[depth - 1] - node_offsets[trees] if depth > 0 else -1
            if depth > 0:
                filled[stack[depth - 1]] = 1
            label_spans[nodes, 0], label_spans[nodes, 1] = start, end
            stack[depth] = nodes
            depth += 1
            nodes += 1
        else:
            fault = 3 if depth == 0 else 4 if inside else 0
            if fault:
                break
            filled[stack[depth - 1]] = 2
            word_spans[words, 0], word_spans[words, 1] = place, end
            words += 1
        place = end
    node_offsets, word_offsets = node_offsets[: trees + 1], word_offsets[: trees + 1]
    nodes, words = node_offsets[-1], word_offsets[-1]
    spans = label_spans[:nodes], word_spans[:words]
    return Bracketing(parents[:nodes], spans[0], node_offsets, spans[1], word_offsets, consumed, fault, place)


@kernel
def _gather(data: Bytes, spans: Offsets) -> tuple[Bytes, Offsets]:
    offsets = np.zeros(len(spans) + 1, dtype=np.int64)
    for row in range(len(spans)):
        offsets[row + 1] = offsets[row] + spans[row, 1] - spans[row, 0]
    packed = np.empty(offsets[-1], dtype=np.uint8)
    for row in range(len(spans)):
        start = spans[row, 0]
        for i in range(spans[row, 1] - start):
            packed[offsets[row] + i] = data[start + i]
    return packed, offsets
