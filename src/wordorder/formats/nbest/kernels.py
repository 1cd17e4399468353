"""Kernels for n-best lists: they find the fields of lines and parse the numbers of features.

Lines with an unexpected form are marked; Python code then parses them again and reports errors.
"""

from __future__ import annotations

import numpy as np

from wordorder.core.runtime.columns import Bools, Bytes, Floats, Offsets
from wordorder.core.runtime.kernels import kernel
from wordorder.formats.line_kernels import _is_space, _number, _probability, _skip_space

FIELDS = 8
"""The maximum number of fields in a line; the last one includes the rest of the line."""

_ID_DIGITS = 9


@kernel
def scan_fields(data: Bytes, starts: Offsets) -> tuple[Offsets, Offsets, Offsets, Offsets]:
    """Split lines at ``|||``; return the sentence numbers, the numbers of fields, and the starts and ends of fields.

    A sentence number is −1 if the first field is not a number. Whitespace around the fields is not part of them.
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
    data: Bytes, begins: Offsets, ends: Offsets, names: tuple[Bytes, Offsets, Offsets], values: Floats
) -> Bools:
    """Parse fields that consist of the given names and numbers; return a mask of the rows with another form.

    ``names`` are the bytes of all names, their offsets, and how many numbers follow each name. Feature j of row i is
    stored in ``values[j, i]``. The mask also includes rows with a number that this kernel cannot parse exactly.
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
def copy_fields(data: Bytes, begins: Offsets, ends: Offsets) -> tuple[Bytes, Offsets, Bools]:
    """Copy fields one after the other; return the bytes, the offsets, and a mask of possible segmentation marks.

    The mask shows which fields have a word that begins with ``|``.
    """
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
