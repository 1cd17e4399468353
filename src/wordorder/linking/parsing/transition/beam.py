"""Greedy parsing, and beam search, which keeps the best states after each transition (Zhang & Clark 2008).

During training, if the gold tree falls out of the beam, the weights are updated at once, and the rest of the sentence
is skipped (early update, Collins & Roark 2004). A finished state stays in the beam with its score until all states
are finished.

Greedy parsing always takes the best transition; training also explores states that follow a mistake.
"""

import numpy as np

from wordorder.core.runtime.columns import Int64s, Ints
from wordorder.core.runtime.kernels import inner_kernel, kernel
from wordorder.linking.parsing.transition.arc_eager import (
    ATOMS,
    FIELDS,
    HEADS,
    LABELS,
    TEMPLATES,
    action_for,
    actions_of,
    count_losses,
    front,
    is_allowed,
    move_of,
    new_state,
    reset,
    state_features,
    take,
)
from wordorder.linking.parsing.transition.perceptron import CLOCK, Weights, add_scores, mix, update

_ATOMS, _FEATURES = len(ATOMS), len(TEMPLATES)
_WAIT = -1


@kernel
def parse_with_beam(
    weights: Weights, words: Int64s, tags: Int64s, labels: int, width: int, gold: Int64s
) -> tuple[Int64s, Int64s]:
    """Return the heads and labels of the best trees, best first, and the scores of the trees.

    The array of trees has three axes: the tree, heads or labels, and the word. In a duplicate tree, the head of the
    first word is −2. If gold transitions are given, the weights are updated as soon as the gold tree falls out of the
    beam, or at the end if the best tree is not the gold tree.
    """
    length, learning = len(words), len(gold) > 0
    steps = 4 * length
    states = np.empty((2, width, FIELDS, max(length, 3)), dtype=np.int64)
    totals = np.zeros((2, width), dtype=np.int64)
    came_from = np.zeros((steps + 1, width), dtype=np.int64)
    made = np.full((steps + 1, width), _WAIT, dtype=np.int64)
    atoms = np.empty(_ATOMS, dtype=np.int64)
    features = np.empty(_FEATURES, dtype=np.int64)
    scores = np.empty(2 + 2 * labels, dtype=np.int64)
    reset(states[0, 0])
    kept, step, now, gold_item = 1, 0, 0, 0
    while True:
        waiting = 0
        chosen = 0  # number of candidates; they are sorted by score, and ties keep the earlier candidate first
        best = totals[1 - now]
        for item in range(kept):
            state = states[now, item]
            if front(state, length) < 0:
                waiting += 1
                chosen = _insert(best, came_from[step], made[step], chosen, totals[now, item], item, _WAIT)
                continue
            count = state_features(state, words, tags, atoms, features)
            add_scores(weights, features, count, scores)
            for move in range(4):
                first, stop = actions_of(move, labels) if is_allowed(state, move) else (0, 0)
                for action in range(first, stop):
                    total = totals[now, item] + scores[action]
                    if chosen < width or total > best[chosen - 1]:
                        chosen = _insert(best, came_from[step], made[step], chosen, total, item, action)
        if waiting == kept:
            break
        wanted = gold[step] if step < len(gold) else _WAIT
        found = -1
        for item in range(chosen):
            states[1 - now, item] = states[now, came_from[step, item]]
            if made[step, item] != _WAIT:
                take(states[1 - now, item], length, made[step, item], labels)
            if came_from[step, item] == gold_item and made[step, item] == wanted:
                found = item
        kept, now, gold_item = chosen, 1 - now, found
        step += 1
        if learning and gold_item < 0:
            break
    if learning:
        weights.counts[CLOCK] += 1
        if gold_item != 0:
            found_actions = _history(came_from, made, step)
            _learn(weights, words, tags, labels, gold[:step], found_actions, 1, states[1 - now, 0])
            _learn(weights, words, tags, labels, found_actions, gold, -1, states[1 - now, 0])
    return _different_trees(states[now, :kept], length), totals[now, :kept].copy()


@inner_kernel
def _insert(
    best: Int64s, came_from: Int64s, made: Int64s, count: int, total: int | np.int64, item: int, action: int
) -> int:
    """Insert a candidate in the order of scores, unless it falls out of the beam; return the number of candidates."""
    if count == len(best):
        if total <= best[count - 1]:
            return count
        count -= 1
    place = count
    while place > 0 and best[place - 1] < total:
        best[place], came_from[place], made[place] = best[place - 1], came_from[place - 1], made[place - 1]
        place -= 1
    best[place], came_from[place], made[place] = total, item, action
    return count + 1


@inner_kernel
def _history(came_from: Int64s, made: Int64s, step: int) -> Int64s:
    """Return the transitions that led to the best state."""
    actions = np.empty(step, dtype=np.int64)
    item = np.int64(0)
    for at in range(step - 1, -1, -1):
        actions[at] = made[at, item]
        item = came_from[at, item]
    return actions


@inner_kernel
def _learn(
    weights: Weights,
    words: Int64s,
    tags: Int64s,
    labels: int,
    actions: Int64s,
    others: Int64s,
    change: int,
    state: Int64s,
) -> None:
    """Add ``change`` to the weights of ``actions``, beginning where this sequence diverges from ``others``.

    Both sequences consist of transition classes. ``state`` is scratch space.
    """
    length = len(words)
    atoms = np.empty(_ATOMS, dtype=np.int64)
    features = np.empty(_FEATURES, dtype=np.int64)
    reset(state)
    parted = False
    for step in range(len(actions)):
        action = actions[step]
        if action == _WAIT:
            break
        parted = parted or step >= len(others) or others[step] != action
        if parted:
            count = state_features(state, words, tags, atoms, features)
            update(weights, features, count, action, change)
        take(state, length, action, labels)


@inner_kernel
def _different_trees(states: Int64s, length: int) -> Int64s:
    """Return the heads and labels of every state; in a duplicate tree, the head of the first word is set to −2."""
    trees = states[:, HEADS : LABELS + 1, :length].copy()
    for tree in range(len(trees)):
        for other in range(tree):
            if np.array_equal(trees[tree], trees[other]):
                trees[tree, 0, 0] = -2
                break
    return trees


@kernel
def parse_greedily(
    weights: Weights, words: Int64s, tags: Int64s, labels: int, gold: Ints, gold_labels: Ints, explore: float, seed: int
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
def _best_right(state: Int64s, length: int, scores: Int64s, labels: int, losses: Int64s, gold_labels: Ints) -> np.int64:
    """Of the classes that lose the fewest gold arcs and have the gold label, return the one with the best score."""
    best, least = np.int64(-1), np.int64(0)
    for move in range(4):
        if is_allowed(state, move):
            action = action_for(state, length, move, labels, gold_labels)
            better = best < 0 or losses[move] < least
            if better or (losses[move] == least and scores[action] > scores[best]):
                best, least = action, losses[move]
    return best
