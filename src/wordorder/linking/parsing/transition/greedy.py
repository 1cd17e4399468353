"""Greedy parsing, which always takes the best transition; training also explores states that follow a mistake."""

from __future__ import annotations

import numpy as np

from wordorder.core.runtime.columns import Int64s, Ints
from wordorder.core.runtime.kernels import inner_kernel, kernel
from wordorder.linking.parsing.transition.arc_eager import (
    HEADS,
    LABELS,
    action_for,
    actions_of,
    count_losses,
    front,
    is_allowed,
    move_of,
    new_state,
    take,
)
from wordorder.linking.parsing.transition.features import ATOMS, TEMPLATES, state_features
from wordorder.linking.parsing.transition.perceptron import CLOCK, Weights, add_scores, mix, update

_ATOMS, _FEATURES = len(ATOMS), len(TEMPLATES)


@kernel
def parse_greedily(
    weights: Weights,
    words: Int64s,
    tags: Int64s,
    labels: int,
    gold: Ints,
    gold_labels: Ints,
    explore: float,
    seed: int,
) -> Int64s:
    """Return an array with two rows: the heads and the labels of all words. Both are −1 for the root.

    If gold heads are given, the weights are updated whenever the transition with the best score is wrong. The parser
    then takes the best correct transition or, with probability ``explore``, the wrong one (Goldberg & Nivre 2012).
    """
    length, learning = len(words), len(gold) > 0
    state = new_state(length)
    atoms = np.empty(_ATOMS, dtype=np.int64)
    features = np.empty(_FEATURES, dtype=np.int64)
    scores = np.empty(2 + 2 * labels, dtype=np.int64)
    losses = np.zeros(4, dtype=np.int64)
    drawn = np.int64(seed)
    while front(state, length) >= 0:
        count = state_features(state, words, tags, atoms, features)
        add_scores(weights, features, count, scores)
        action = best_action(state, scores, labels)
        if learning:
            weights.counts[CLOCK] += 1
            count_losses(state, length, gold, losses)
            right = _best_right(state, length, scores, labels, losses, gold_labels)
            move = move_of(action, labels)
            if losses[move] > losses[move_of(right, labels)] or action != action_for(
                state, length, move, labels, gold_labels
            ):
                update(weights, features, count, right, 1)
                update(weights, features, count, action, -1)
                drawn = mix(drawn, 1)
                if (drawn >> 20) & 0xFFFF >= explore * 0x10000:
                    action = right
        take(state, length, action, labels)
    return state[HEADS : LABELS + 1, :length].copy()


@inner_kernel
def best_action(state: Int64s, scores: Int64s, labels: int) -> np.int64:
    """Return the allowed class with the best score; if several have the same score, return the first."""
    best = np.int64(-1)
    for move in range(4):
        if is_allowed(state, move):
            first, stop = actions_of(move, labels)
            for action in range(first, stop):
                if best < 0 or scores[action] > scores[best]:
                    best = np.int64(action)
    return best


@inner_kernel
def _best_right(
    state: Int64s, length: int, scores: Int64s, labels: int, losses: Int64s, gold_labels: Ints
) -> np.int64:
    """Of the classes that lose the fewest gold arcs and have the gold label, return the one with the best score."""
    best, least = np.int64(-1), np.int64(0)
    for move in range(4):
        if is_allowed(state, move):
            action = action_for(state, length, move, labels, gold_labels)
            better = best < 0 or losses[move] < least
            if better or (losses[move] == least and scores[action] > scores[best]):
                best, least = action, losses[move]
    return best
