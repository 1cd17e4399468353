"""A sparse averaged perceptron: the score of a class is the sum of its weights for the features that are present.

A feature is a 64-bit number. It has a block of entries, one for each class for which it was ever updated; an entry
combines the class and a weight. The cost of scoring therefore depends on the block sizes, not on the number of
classes. Weights are integers during and after training, because sums of integers are the same on every machine. The
averages over all steps (Collins 2002) are rounded to multiples of 1/``UNIT``.
"""

from typing import NamedTuple

import numpy as np

from wordorder.core.runtime.columns import Int64s
from wordorder.core.runtime.kernels import find_slot, inner_kernel, kernel

UNIT = 1024
"""The stored value of an averaged weight of 1."""

BLOCKS, ROOM, ENTRIES, CLOCK = range(4)
LOW = 0xFFFF
"""A mask for the low bits, which hold the class in an entry and the block size in a place."""

_LEAST_ROOM = 1 << 14
_ROOM_PER_ENTRY = 4  # full blocks move to twice the space, and their old space is not reused


class Weights(NamedTuple):
    """The weights of features. Do not reorder the fields: compiled kernels access them by position.

    ``keys`` and ``places`` are a hash table (``runtime/kernels.py``) from features to blocks: a place is ``start <<
    16 | size``. An entry of a block is ``weight << 16 | class``. The other fields are used only in training:
    ``totals`` has, for each entry, the sum of its updates, each multiplied by the step at which it was made;
    ``counts`` has the numbers of blocks, array positions and entries in use, and the current step.
    """

    keys: Int64s
    places: Int64s
    entries: Int64s
    totals: Int64s
    counts: Int64s


def no_weights() -> Weights:
    """Return empty weights for the start of training."""
    return _allocate(0, 0, np.zeros(4, dtype=np.int64))


def with_room(weights: Weights, entries: int) -> Weights:
    """Return the same weights, with the arrays enlarged if they lack room for the given number of new entries."""
    counts = weights.counts
    blocks, room = int(counts[BLOCKS]) + entries, _ROOM_PER_ENTRY * (int(counts[ENTRIES]) + entries)
    if 2 * blocks <= len(weights.keys) and room <= len(weights.entries):
        return weights
    larger = _allocate(2 * blocks, 2 * room, counts)
    larger.entries[: len(weights.entries)] = weights.entries
    larger.totals[: len(weights.totals)] = weights.totals
    filled = weights.places >= 0
    _fill_table(larger.keys, larger.places, weights.keys[filled], weights.places[filled])
    return larger


def _allocate(blocks: int, room: int, counts: Int64s) -> Weights:
    keys, places = _new_table(max(blocks, _LEAST_ROOM))
    room = max(room, _LEAST_ROOM)
    return Weights(keys, places, np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64), counts)


def _new_table(blocks: int) -> tuple[Int64s, Int64s]:
    size = max(16, 1 << (2 * blocks - 1).bit_length())
    return np.zeros(size, dtype=np.int64), np.full(size, -1, dtype=np.int64)


def average(weights: Weights) -> Weights:
    """Return the weights averaged over all steps, without those that are zero."""
    features, sizes, where = _blocks(weights)
    entries = weights.entries[where]
    exact = (entries >> 16) - weights.totals[where] / (weights.counts[CLOCK] + 1)
    rounded = np.rint(exact * UNIT).astype(np.int64)
    kept = np.flatnonzero(rounded)
    owner = np.repeat(np.arange(len(features)), sizes)[kept]
    left = np.bincount(owner, minlength=len(features))
    return pack(features[left > 0], left[left > 0], (rounded[kept] << 16) | (entries[kept] & LOW))


def pack(features: Int64s, sizes: Int64s, entries: Int64s) -> Weights:
    """Return weights for parsing, given the features, the sizes of their blocks, and the concatenated blocks."""
    keys, places = _new_table(len(features))
    _fill_table(keys, places, features, ((np.cumsum(sizes) - sizes) << 16) | sizes)
    nothing = np.zeros(0, dtype=np.int64)
    return Weights(keys, places, entries, nothing, nothing)


def unpack(weights: Weights) -> tuple[Int64s, Int64s, Int64s]:
    """Return the features in ascending order, the sizes of their blocks, and the entries of all blocks."""
    features, sizes, where = _blocks(weights)
    return features, sizes, weights.entries[where]


def _blocks(weights: Weights) -> tuple[Int64s, Int64s, Int64s]:
    """Return the features in ascending order, the sizes of their blocks, and the indices of their entries."""
    filled = np.flatnonzero(weights.places >= 0)
    order = filled[np.argsort(weights.keys[filled])]
    places = weights.places[order]
    sizes = places & LOW
    where = np.arange(sizes.sum()) + np.repeat((places >> 16) - (np.cumsum(sizes) - sizes), sizes)
    return weights.keys[order], sizes, where


@kernel
def _fill_table(keys: Int64s, places: Int64s, features: Int64s, new: Int64s) -> None:
    for i in range(len(features)):
        slot = find_slot(keys, places, 0, features[i])
        keys[slot], places[slot] = features[i], new[i]


@inner_kernel
def mix(key: int | np.int64, value: int | np.int64) -> np.int64:
    """Return a new hash that combines a hash with another value."""
    mixed = (np.int64(key) ^ np.int64(value)) * np.int64(-7046029254386353131)
    return mixed ^ ((mixed >> 29) & np.int64(0x7FFFFFFFF))


@inner_kernel
def find_features(templates: Int64s, atoms: Int64s, features: Int64s) -> int:
    """Write the feature of each template into ``features``, and return the number of features.

    A row of ``templates`` has the indices of its atoms, padded with −1. A template with a missing atom (0) yields no
    feature.
    """
    found = 0
    for template in range(templates.shape[0]):
        key = mix(template + 1, 0)  # spreads the keys, because values are small numbers
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
    """Set ``scores`` to the scores of all classes, given the first ``count`` features."""
    scores[:] = 0
    for i in range(count):
        place = weights.places[find_slot(weights.keys, weights.places, 0, features[i])]
        if place >= 0:
            start = place >> 16
            for at in range(start, start + (place & LOW)):
                entry = weights.entries[at]
                scores[entry & LOW] += entry >> 16


@inner_kernel
def update(weights: Weights, features: Int64s, count: int, label: int | np.int64, change: int) -> None:
    """Add ``change`` to the weights of the first ``count`` features for a class; ``weights`` must have room."""
    counts = weights.counts
    for i in range(count):
        slot = find_slot(weights.keys, weights.places, 0, features[i])
        if weights.places[slot] < 0:
            weights.keys[slot], weights.places[slot] = features[i], counts[ROOM] << 16
            counts[BLOCKS] += 1
            counts[ROOM] += 2
        start, size = weights.places[slot] >> 16, weights.places[slot] & LOW
        at = start
        while at < start + size and weights.entries[at] & LOW != label:
            at += 1
        if at == start + size:
            if size >= 2 and size & (size - 1) == 0:  # the block is full: move to one of twice the size
                at = counts[ROOM]
                counts[ROOM] += 2 * size
                for old in range(start, start + size):
                    weights.entries[at], weights.totals[at] = weights.entries[old], weights.totals[old]
                    at += 1
                start = at - size
            weights.entries[at], weights.totals[at] = label, 0
            weights.places[slot] = (start << 16) | (size + 1)
            counts[ENTRIES] += 1
        weights.entries[at] += change << 16
        weights.totals[at] += change * counts[CLOCK]
