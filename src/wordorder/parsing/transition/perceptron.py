"""A sparse averaged perceptron: classes are scored by the weights of the features that are there.

A feature is a 64-bit number. It has a row, a block of (class, weight) pairs for the classes it was ever updated with,
so that scoring costs what the row is long, not what classes there are. Weights are whole numbers while learning and
afterwards: the average over all steps (Collins 2002) is kept in units of 1/``UNIT``, and sums of whole numbers are the
same on every machine.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordorder.runtime.hashing import find_slot
from wordorder.runtime.kernels import inner_kernel, kernel

Int16s = NDArray[np.int16]
Ints = NDArray[np.int32]
Int64s = NDArray[np.int64]

UNIT = 1024
"""What an averaged weight of 1 is kept as."""

ROWS, SLOTS, ENTRIES, CLOCK = range(4)
_FIRST_SIZE = 1 << 14
_SLOTS_PER_ENTRY = 4  # blocks double when they are full, and what they leave behind is lost


class Weights(NamedTuple):
    """The weights of features; kernels know the fields by place.

    ``keys`` and ``rows`` are a hash table (``runtime/hashing.py``) from features to rows. Row r stands at
    ``starts[r]``, for ``sizes[r]`` slots of ``classes`` and ``weights``. Only learning uses ``totals`` (each update times
    the step it was made at) and ``counts``: rows, slots and entries in use, and the step.
    """

    keys: Int64s
    rows: Int64s
    starts: Int64s
    sizes: Ints
    classes: Int16s
    weights: Ints
    totals: Int64s
    counts: Int64s


def no_weights() -> Weights:
    """Return weights to learn: of no feature yet."""
    return _with_room(1, 1, np.zeros(4, dtype=np.int64))


def with_room(weights: Weights, entries: int) -> Weights:
    """Return the same weights with room for as many new entries, or more."""
    counts = weights.counts
    rows, slots = int(counts[ROWS]) + entries, _SLOTS_PER_ENTRY * (int(counts[ENTRIES]) + entries)
    if rows <= len(weights.starts) and slots <= len(weights.classes):
        return weights
    larger = _with_room(2 * rows, 2 * slots, counts)
    for old, new in zip(weights[2:7], larger[2:7], strict=True):
        new[: len(old)] = old
    filled = weights.rows >= 0
    _fill_table(larger.keys, larger.rows, weights.keys[filled], weights.rows[filled])
    return larger


def average(weights: Weights) -> Weights:
    """Return the mean of the weights over all steps, without those that are nothing."""
    counts = weights.counts
    rows, sizes = int(counts[ROWS]), weights.sizes
    starts = weights.starts[:rows]
    lengths = sizes[:rows].astype(np.int64)
    owner = np.repeat(np.arange(rows), lengths)
    slots = np.arange(len(owner)) + np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
    exact = weights.weights[slots] - weights.totals[slots] / (counts[CLOCK] + 1)
    rounded = np.rint(exact * UNIT).astype(np.int32)
    kept = np.flatnonzero(rounded)
    filled = weights.rows >= 0
    keys = np.empty(rows, dtype=np.int64)
    keys[weights.rows[filled]] = weights.keys[filled]
    return packed_weights(keys, owner[kept], weights.classes[slots[kept]], rounded[kept])


def packed_weights(keys: Int64s, owner: Int64s, classes: Int16s, weights: Ints) -> Weights:
    """Pack entries, each with the row it belongs to (``keys[row]``), sorted by row; empty rows are left out."""
    used, sizes = np.unique(owner, return_counts=True)
    table = 16
    while table < 2 * len(used):
        table *= 2
    slot_keys, rows = np.zeros(table, dtype=np.int64), np.full(table, -1, dtype=np.int64)
    _fill_table(slot_keys, rows, keys[used], np.arange(len(used), dtype=np.int64))
    starts = np.cumsum(sizes) - sizes
    nothing = np.zeros(0, dtype=np.int64)
    return Weights(
        slot_keys, rows, starts, sizes.astype(np.int32), np.ascontiguousarray(classes), weights, nothing, nothing
    )


def unpacked_weights(weights: Weights) -> tuple[Int64s, Ints, Int16s, Ints]:
    """Return packed weights without their hash table: the feature and the size of each row, classes and weights."""
    filled = weights.rows >= 0
    keys = np.empty(len(weights.starts), dtype=np.int64)
    keys[weights.rows[filled]] = weights.keys[filled]
    return keys, weights.sizes, weights.classes, weights.weights


def _with_room(rows: int, slots: int, counts: Int64s) -> Weights:
    rows, slots = max(rows, _FIRST_SIZE), max(slots, _FIRST_SIZE)
    table = 16
    while table < 2 * rows:
        table *= 2
    return Weights(
        np.zeros(table, dtype=np.int64),
        np.full(table, -1, dtype=np.int64),
        np.zeros(rows, dtype=np.int64),
        np.zeros(rows, dtype=np.int32),
        np.zeros(slots, dtype=np.int16),
        np.zeros(slots, dtype=np.int32),
        np.zeros(slots, dtype=np.int64),
        counts,
    )


@kernel
def _fill_table(keys: Int64s, rows: Int64s, features: Int64s, numbers: Int64s) -> None:
    for place in range(len(features)):
        slot = find_slot(keys, rows, 0, features[place])
        keys[slot], rows[slot] = features[place], numbers[place]


@inner_kernel
def mix(key: int | np.int64, value: int | np.int64) -> np.int64:
    """Return a hash of a hash and one more value."""
    mixed = (np.int64(key) ^ np.int64(value)) * np.int64(-7046029254386353131)
    return mixed ^ ((mixed >> 29) & np.int64(0x7FFFFFFFF))


@inner_kernel
def find_features(templates: Int64s, atoms: Int64s, features: Int64s) -> int:
    """Write the feature of each template into ``features``, and return how many there are.

    A row of ``templates`` has the places of its atoms, −1 for none. A template with an atom that is absent (0) has no
    feature.
    """
    found = 0
    for template in range(templates.shape[0]):
        key = np.int64(template + 1)
        for part in range(templates.shape[1]):
            place = templates[template, part]
            if place < 0:
                break
            if atoms[place] == 0:
                key = np.int64(0)
                break
            key = mix(key, atoms[place])
        if key != 0:
            features[found] = key
            found += 1
    return found


@inner_kernel
def add_scores(weights: Weights, features: Int64s, count: int, scores: Int64s) -> None:
    """Set the scores of all classes, given the first ``count`` features."""
    scores[:] = 0
    for place in range(count):
        row = weights.rows[find_slot(weights.keys, weights.rows, 0, features[place])]
        if row >= 0:
            start = weights.starts[row]
            for slot in range(start, start + weights.sizes[row]):
                scores[weights.classes[slot]] += weights.weights[slot]


@inner_kernel
def update(weights: Weights, features: Int64s, count: int, label: int, change: int) -> None:
    """Add ``change`` to the weights of a class and the first ``count`` features; there must be room."""
    counts = weights.counts
    for place in range(count):
        table = find_slot(weights.keys, weights.rows, 0, features[place])
        row = weights.rows[table]
        if row < 0:
            row = counts[ROWS]
            counts[ROWS] += 1
            weights.keys[table], weights.rows[table] = features[place], row
            weights.starts[row], weights.sizes[row] = counts[SLOTS], 0
            counts[SLOTS] += 2
        start, size = weights.starts[row], np.int64(weights.sizes[row])
        slot = start
        while slot < start + size and weights.classes[slot] != label:
            slot += 1
        if slot == start + size:
            if size >= 2 and size & (size - 1) == 0:  # the block is full: move to one of twice the size
                slot = counts[SLOTS]
                counts[SLOTS] += 2 * size
                for old in range(start, start + size):
                    weights.classes[slot] = weights.classes[old]
                    weights.weights[slot] = weights.weights[old]
                    weights.totals[slot] = weights.totals[old]
                    slot += 1
                weights.starts[row] = slot - size
            weights.classes[slot], weights.weights[slot], weights.totals[slot] = label, 0, 0
            weights.sizes[row] += 1
            counts[ENTRIES] += 1
        weights.weights[slot] += change
        weights.totals[slot] += change * counts[CLOCK]
