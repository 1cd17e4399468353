"""Byte kernels for n-best lists: where the fields of a line are, and the numbers in its features.

A line that is not as expected is marked, and Python reads it anew, with all it takes to say what is wrong.
"""

from __future__ import annotations

import numpy as np

from wordorder.core.runtime.kernels import kernel
from wordorder.formats.line_kernels import Bytes, Flags, Places, Shares, _is_space, _number, _probability, _skip_space

FIELDS = 8
"""Fields of a line that are told apart; what comes after them is part of the last."""

_ID_DIGITS = 9


@kernel
def scan_fields(data: Bytes, starts: Places) -> tuple[Places, Places, Places, Places]:
    """Cut lines at ``|||``: the sentence (−1: not a number), the number of fields, where each begins and ends.

    Whitespace around a field is left out.
    """
    rows = len(starts) - 1
    sentences = np.full(rows, -1, dtype=np.int64)
    counts = np.zeros(rows, dtype=np.int64)
    begins = np.zeros((rows, FIELDS), dtype=np.int64)
    ends = np.zeros((rows, FIELDS), dtype=np.int64)
    for row in range(rows):
        at, stop = starts[row], starts[row + 1]
        field = 0
        begins[row, 0] = at
        while at < stop:
            if (
                data[at] == 124
                and at + 2 < stop
                and data[at + 1] == 124
                and data[at + 2] == 124
                and field < FIELDS - 1
            ):
                ends[row, field] = at
                field += 1
                at += 3
                begins[row, field] = at
            else:
                at += 1
        ends[row, field] = stop
        counts[row] = field + 1
        for f in range(field + 1):
            begin = _skip_space(data, begins[row, f], ends[row, f])
            end = ends[row, f]
            while end > begin and _is_space(data[end - 1]):
                end -= 1
            begins[row, f], ends[row, f] = begin, end
        number, after = _number(data, begins[row, 0], ends[row, 0])
        if 0 < after - begins[row, 0] <= _ID_DIGITS and after == ends[row, 0]:
            sentences[row] = number
    return sentences, counts, begins, ends


@kernel
def scan_numbers(
    data: Bytes,
    begins: Places,
    ends: Places,
    names: tuple[Bytes, Places, Places],
    values: Shares,
) -> Flags:
    """Read fields that have the names of a model field, each with its numbers; return which rows do not.

    ``names`` are the bytes of all names, where each begins, and how many numbers follow it. Feature j of row i is
    put into ``values[j, i]``. A number that takes more than a double to read exactly makes a row differ as well.
    """
    letters, offsets, counts = names
    differs = np.zeros(len(begins), dtype=np.bool_)
    for row in range(len(begins)):
        at, stop = begins[row], ends[row]
        fine = True
        feature = 0
        for name in range(len(counts)):
            at = _skip_space(data, at, stop)
            for letter in range(offsets[name], offsets[name + 1]):
                if at >= stop or data[at] != letters[letter]:
                    fine = False
                    break
                at += 1
            if not fine:
                break
            for _ in range(counts[name]):
                at = _skip_space(data, at, stop)
                negative = at < stop and data[at] == 45
                value, exact, after = _probability(data, at + negative, stop)
                fine = exact and after > at and (after == stop or _is_space(data[after]))
                if not fine:
                    break
                values[feature, row] = -value if negative else value
                feature += 1
                at = after
            if not fine:
                break
        differs[row] = not fine or _skip_space(data, at, stop) != stop
    return differs


@kernel
def copy_fields(data: Bytes, begins: Places, ends: Places) -> tuple[Bytes, Places, Flags]:
    """Copy fields one after another: their bytes, the offsets, and which have a word that begins with ``|``."""
    rows = len(begins)
    offsets = np.zeros(rows + 1, dtype=np.int64)
    for row in range(rows):
        offsets[row + 1] = offsets[row] + ends[row] - begins[row]
    copied = np.empty(offsets[rows], dtype=np.uint8)
    marked = np.zeros(rows, dtype=np.bool_)
    for row in range(rows):
        to = offsets[row]
        for at in range(begins[row], ends[row]):
            copied[to] = data[at]
            to += 1
            marked[row] |= data[at] == 124 and (at == begins[row] or _is_space(data[at - 1]))
    return copied, offsets, marked
