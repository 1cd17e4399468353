"""The arc-eager transition system (Nivre 2008), restricted to trees with one root, and its dynamic oracle.

A state consists of a stack of words and the remaining words, the first of which is the *front*:

* shift: the front goes onto the stack;
* reduce: the top of the stack is removed (it must have a head);
* left: the top gets the front as its head and is removed (it must have no head yet);
* right: the front gets the top as its head and goes onto the stack.

When no words remain, words that have a head are removed from the stack. If the word that is then on top has no head
and other words are below it, it becomes the front again; it may be attached, but not shifted (*unshift*, Nivre &
Fernández-González 2014). A single word remains at the end, and it is the root. These steps need no decision, so they
are carried out as part of the preceding transition.

The classifier chooses among these classes: 0 (shift), 1 (reduce), ``2 + l`` (left with label l) and ``2 + labels +
l`` (right with label l).
"""

import numpy as np

from wordorder.core.runtime.columns import Int64s, Ints
from wordorder.core.runtime.kernels import inner_kernel, kernel
from wordorder.linking.parsing.transition.perceptron import find_features

SHIFT, REDUCE, LEFT, RIGHT = range(4)

FIELDS = 12
HEADS, LABELS, STACK, LEFTMOST, LEFT_NEXT, RIGHTMOST, RIGHT_NEXT = range(7)
LEFTS, RIGHTS, LEFT_LABELS, RIGHT_LABELS, WHERE = range(7, FIELDS)
"""The rows of a state, each with one entry per word.

The first three are the head and the label of each word, and the stack. Then come the two outermost children on the
left and on the right, the numbers of left and right children, and the sets of their labels.
"""

DEPTH, NEXT, RETURNED = range(3)
"""Entries of the row ``WHERE``: the stack size, the next word, and the unshifted word (−1 if there is none)."""

_SET = 62


@inner_kernel
def new_state(length: int) -> Int64s:
    """Return the initial state for a sentence of ``length`` words."""
    state = np.empty((FIELDS, max(length, 3)), dtype=np.int64)
    reset(state)
    return state


@inner_kernel
def reset(state: Int64s) -> None:
    """Turn a state back into the initial state."""
    state[:LEFTS] = -1
    state[LEFTS:] = 0
    state[WHERE, RETURNED] = -1


@inner_kernel
def front(state: Int64s, length: int) -> np.int64:
    """Return the front (the next word to process), or −1 if no decisions are left."""
    if state[WHERE, RETURNED] >= 0:
        return np.int64(state[WHERE, RETURNED])
    return np.int64(state[WHERE, NEXT] if state[WHERE, NEXT] < length else -1)


@inner_kernel
def top(state: Int64s) -> np.int64:
    """Return the word on top of the stack, or −1 if the stack is empty."""
    depth = state[WHERE, DEPTH]
    return np.int64(state[STACK, depth - 1] if depth else -1)


@inner_kernel
def is_allowed(state: Int64s, move: int | np.int64) -> bool:
    """Return whether a transition is allowed in a state that has a front."""
    if move == SHIFT:
        return bool(state[WHERE, RETURNED] < 0)
    if state[WHERE, DEPTH] == 0:
        return False
    if move == RIGHT:
        return True
    has_head = state[HEADS, top(state)] >= 0
    return bool(has_head == (move == REDUCE))


@inner_kernel
def move_of(action: int | np.int64, labels: int) -> int | np.int64:
    """Return the transition (shift, reduce, left or right) to which a class belongs."""
    if action < 2:
        return action
    return LEFT if action < 2 + labels else RIGHT


@inner_kernel
def actions_of(move: int, labels: int) -> tuple[int, int]:
    """Return the range of classes that belong to a transition: its start and its exclusive end."""
    if move < 2:
        return move, move + 1
    first = 2 if move == LEFT else 2 + labels
    return first, first + labels


@inner_kernel
def take(state: Int64s, length: int, action: int | np.int64, labels: int) -> None:
    """Apply a transition to a state, then carry out all steps that need no decision."""
    where = state[WHERE]
    word, head = front(state, length), top(state)
    move = move_of(action, labels)
    if move == LEFT:
        _attach(state, head, word, action - 2)
    elif move == RIGHT:
        _attach(state, word, head, action - 2 - labels)
    if move in (REDUCE, LEFT):
        where[DEPTH] -= 1
    else:
        state[STACK, where[DEPTH]] = word
        where[DEPTH] += 1
        if where[RETURNED] < 0:
            where[NEXT] += 1
        where[RETURNED] = -1
    while where[RETURNED] < 0 and where[NEXT] >= length and where[DEPTH] > 1:
        where[DEPTH] -= 1
        word = state[STACK, where[DEPTH]]
        if state[HEADS, word] < 0:
            where[RETURNED] = word
    if where[RETURNED] >= 0 and where[DEPTH] == 0:
        state[STACK, 0] = where[RETURNED]
        where[DEPTH] = 1
        where[RETURNED] = -1


@inner_kernel
def _attach(state: Int64s, word: int | np.int64, head: int | np.int64, label: int | np.int64) -> None:
    state[HEADS, word], state[LABELS, word] = head, label
    bit = np.int64(1) << np.int64(label % _SET)
    side = 0 if word < head else 1  # the rows for the right side follow those for the left
    outermost, following = LEFTMOST + 2 * side, LEFT_NEXT + 2 * side
    state[following, head], state[outermost, head] = state[outermost, head], word
    state[LEFTS + side, head] += 1
    state[LEFT_LABELS + side, head] |= bit


@inner_kernel
def count_losses(state: Int64s, length: int, gold: Ints, losses: Int64s) -> None:
    """For each of the four transitions, count the words that could no longer be attached correctly after it.

    A word is attached correctly if it gets its gold head or, for the gold root, no head. This is the dynamic oracle
    of Goldberg & Nivre (2012); for projective trees, it is exact until a word is unshifted.
    """
    losses[:] = 0
    word, depth = front(state, length), state[WHERE, DEPTH]
    last = word + 1 if state[WHERE, RETURNED] >= 0 else np.int64(length)
    for place in range(depth):
        below = state[STACK, place]
        if gold[below] == word and state[HEADS, below] < 0:
            losses[SHIFT] += 1
            losses[RIGHT] += 1
        if gold[word] == below:
            losses[SHIFT] += 1
            losses[RIGHT] += place < depth - 1
    losses[RIGHT] += gold[word] < 0 or word < gold[word] < last
    if depth:
        above = top(state)
        losses[LEFT] += gold[above] < 0 or word < gold[above] < last
        for later in range(word, last):
            if gold[later] == above:
                losses[LEFT] += 1
                losses[REDUCE] += 1


@inner_kernel
def action_for(state: Int64s, length: int, move: int | np.int64, labels: int, gold_labels: Ints) -> np.int64:
    """Return the class of a transition combined with the gold label of the word that it attaches, if any."""
    if move == LEFT:
        return np.int64(2 + gold_labels[top(state)])
    if move == RIGHT:
        return np.int64(2 + labels + gold_labels[front(state, length)])
    return np.int64(move)


@kernel
def gold_actions(gold: Ints, gold_labels: Ints, labels: int) -> Int64s:
    """Return the classes that build a projective tree: add arcs as early as possible, reduce only if necessary."""
    length = len(gold)
    state = new_state(length)
    losses = np.empty(4, dtype=np.int64)
    actions = np.empty(2 * length, dtype=np.int64)
    count = 0
    while front(state, length) >= 0:
        count_losses(state, length, gold, losses)
        for move in (LEFT, RIGHT, SHIFT, REDUCE):
            if is_allowed(state, move) and losses[move] == 0:
                break
        actions[count] = action_for(state, length, move, labels, gold_labels)
        take(state, length, actions[count], labels)
        count += 1
    return actions[:count]


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
