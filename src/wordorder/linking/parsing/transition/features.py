"""The features of a parser state, from Zhang & Nivre (2011, Tables 1 and 2).

In the names of the features, ``s0`` is the top of the stack, and ``n0``, ``n1``, ``n2`` are the next words. A suffix
selects a relative of the word: ``h`` is its head, ``h2`` the head of its head, ``l`` and ``r`` its leftmost and
rightmost child, and ``l2`` and ``r2`` the children next to these. The letters after the dot select a property: ``w``
is the word form, ``t`` the tag, ``d`` the label; ``vl`` and ``vr`` are the numbers of left and right children, and
``sl`` and ``sr`` are the sets of their labels.
"""

from __future__ import annotations

import numpy as np

from wordorder.core.runtime.columns import Int64s
from wordorder.core.runtime.kernels import inner_kernel
from wordorder.linking.parsing.transition.arc_eager import (
    HEADS,
    LABELS,
    LEFT_LABELS,
    LEFT_NEXT,
    LEFTMOST,
    LEFTS,
    RETURNED,
    RIGHT_LABELS,
    RIGHT_NEXT,
    RIGHTMOST,
    RIGHTS,
    WHERE,
    front,
    top,
)
from wordorder.linking.parsing.transition.perceptron import find_features

WORDS = ("s0", "n0", "n1", "n2", "s0h", "s0h2", "s0l", "s0l2", "s0r", "s0r2", "n0l", "n0l2")
SETTINGS = ("s0.vl", "s0.vr", "n0.vl", "s0.sl", "s0.sr", "n0.sl", "distance")
ATOMS = tuple(f"{word}.{what}" for word in WORDS for what in "wtd") + SETTINGS
"""The atoms that features combine: the word, tag and label at each position in WORDS, and the SETTINGS."""

FARTHEST = 10
"""Distances and numbers of children are capped at this value."""

FEATURES = """
s0.w s0.t|s0.w|s0.t|n0.w n0.t|n0.w|n0.t|n1.w n1.t|n1.w|n1.t|n2.w n2.t|n2.w|n2.t
s0.w s0.t n0.w n0.t|s0.w s0.t n0.w|s0.w n0.w n0.t|s0.w s0.t n0.t|s0.t n0.w n0.t|s0.w n0.w|s0.t n0.t|n0.t n1.t
n0.t n1.t n2.t|s0.t n0.t n1.t|s0h.t s0.t n0.t|s0.t s0l.t n0.t|s0.t s0r.t n0.t|s0.t n0.t n0l.t
s0.w distance|s0.t distance|n0.w distance|n0.t distance|s0.w n0.w distance|s0.t n0.t distance
s0.w s0.vr|s0.t s0.vr|s0.w s0.vl|s0.t s0.vl|n0.w n0.vl|n0.t n0.vl
s0h.w|s0h.t|s0.d|s0l.w|s0l.t|s0l.d|s0r.w|s0r.t|s0r.d|n0l.w|n0l.t|n0l.d
s0h2.w|s0h2.t|s0h.d|s0l2.w|s0l2.t|s0l2.d|s0r2.w|s0r2.t|s0r2.d|n0l2.w|n0l2.t|n0l2.d
s0.t s0l.t s0l2.t|s0.t s0r.t s0r2.t|s0.t s0h.t s0h2.t|n0.t n0l.t n0l2.t
s0.w s0.sr|s0.t s0.sr|s0.w s0.sl|s0.t s0.sl|n0.w n0.sl|n0.t n0.sl
"""


def templates_of(features: str, atoms: tuple[str, ...]) -> Int64s:
    """Return one row per feature, which has the indices of the atoms that the feature combines, padded with −1.

    >>> templates_of("b|a b", ("a", "b")).tolist()
    [[1, -1], [0, 1]]
    """
    rows = [list(map(atoms.index, feature.split())) for feature in features.strip().replace("\n", "|").split("|")]
    widest = max(map(len, rows))
    return np.array([row + [-1] * (widest - len(row)) for row in rows], dtype=np.int64)


TEMPLATES = templates_of(FEATURES, ATOMS)
_PARTS = len(WORDS)


@inner_kernel
def find_atoms(state: Int64s, words: Int64s, tags: Int64s, atoms: Int64s) -> None:
    """Write the atoms of a state (the values that features combine) into ``atoms``; a missing atom is 0.

    ``words`` are nonzero hashes; ``tags`` are numbered from 0, with −1 for an unknown tag.
    """
    length = len(words)
    atoms[:] = 0
    s0, n0 = top(state), front(state, length)
    _look(state, words, tags, s0, 0, atoms)
    _look(state, words, tags, n0, 1, atoms)
    if state[WHERE, RETURNED] < 0:
        if n0 + 1 < length:
            _look(state, words, tags, n0 + 1, 2, atoms)
        if n0 + 2 < length:
            _look(state, words, tags, n0 + 2, 3, atoms)
    numbers = 3 * _PARTS
    if s0 >= 0:
        head = state[HEADS, s0]
        _look(state, words, tags, head, 4, atoms)
        if head >= 0:
            _look(state, words, tags, state[HEADS, head], 5, atoms)
        _look(state, words, tags, state[LEFTMOST, s0], 6, atoms)
        _look(state, words, tags, state[LEFT_NEXT, s0], 7, atoms)
        _look(state, words, tags, state[RIGHTMOST, s0], 8, atoms)
        _look(state, words, tags, state[RIGHT_NEXT, s0], 9, atoms)
        atoms[numbers] = 1 + min(state[LEFTS, s0], FARTHEST)
        atoms[numbers + 1] = 1 + min(state[RIGHTS, s0], FARTHEST)
        atoms[numbers + 3] = 1 + state[LEFT_LABELS, s0]
        atoms[numbers + 4] = 1 + state[RIGHT_LABELS, s0]
        atoms[numbers + 6] = min(int(n0 - s0), FARTHEST)
    _look(state, words, tags, state[LEFTMOST, n0], 10, atoms)
    _look(state, words, tags, state[LEFT_NEXT, n0], 11, atoms)
    atoms[numbers + 2] = 1 + min(state[LEFTS, n0], FARTHEST)
    atoms[numbers + 5] = 1 + state[LEFT_LABELS, n0]


@inner_kernel
def _look(state: Int64s, words: Int64s, tags: Int64s, word: int | np.int64, part: int, atoms: Int64s) -> None:
    if word >= 0:
        atoms[3 * part] = words[word]
        atoms[3 * part + 1] = tags[word] + 1
        atoms[3 * part + 2] = state[LABELS, word] + 1


@inner_kernel
def state_features(state: Int64s, words: Int64s, tags: Int64s, atoms: Int64s, features: Int64s) -> int:
    """Write the features of a state into ``features`` and return their number; ``atoms`` is scratch space."""
    find_atoms(state, words, tags, atoms)
    return find_features(TEMPLATES, atoms, features)
