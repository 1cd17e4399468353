"""Transitions, the oracle and the features against their slow twins; the beam against enumeration."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from slow_transitions import Configuration, allowed, features, losses, make, start, tidy

from wordorder.core.runtime.kernels import kernel
from wordorder.core.trees import DependencyTree
from wordorder.linking.parsing.transition.arc_eager import (
    ATOMS,
    FEATURES,
    HEADS,
    LABELS,
    RETURNED,
    TEMPLATES,
    WHERE,
    actions_of,
    count_losses,
    front,
    gold_actions,
    is_allowed,
    move_of,
    new_state,
    state_features,
    take,
)
from wordorder.linking.parsing.transition.beam import parse_greedily, parse_with_beam
from wordorder.linking.parsing.transition.perceptron import (
    CLOCK,
    LOW,
    UNIT,
    Weights,
    add_scores,
    average,
    no_weights,
    pack,
    unpack,
    update,
    with_room,
)
from wordorder.linking.parsing.transition.tagger import WORD, spell

MOVES = ("shift", "reduce", "left", "right")
NAMES = ("a", "b", "c")
_ATOMS, _TEMPLATES = len(ATOMS), len(TEMPLATES)
NOTHING = np.zeros(0, dtype=np.int64)

Int64s = NDArray[np.int64]


@kernel
def walk(words: Int64s, tags: Int64s, gold: Any, drawn: Int64s, labels: int) -> Any:
    """Make transitions as they were drawn, and write down all that can be known on the way."""
    length, steps = len(words), len(drawn)
    state = new_state(length)
    actions = np.full(steps, -1, dtype=np.int64)
    lost = np.full((steps, 4), -1, dtype=np.int64)
    seen = np.zeros((steps, _TEMPLATES), dtype=np.int64)
    plain = np.zeros(steps, dtype=np.int64)
    atoms, found = np.empty(_ATOMS, dtype=np.int64), np.empty(_TEMPLATES, dtype=np.int64)
    here = np.empty(4, dtype=np.int64)
    for step in range(steps):
        if front(state, length) < 0:
            break
        plain[step] = state[WHERE, RETURNED] < 0
        count_losses(state, length, gold, here)
        for move in range(4):
            if is_allowed(state, move):
                lost[step, move] = here[move]
        count = state_features(state, words, tags, atoms, found)
        seen[step, :count] = found[:count]
        move = drawn[step] % 4
        while not is_allowed(state, move):
            move = (move + 1) % 4
        first, stop = actions_of(move, labels)
        actions[step] = first + (drawn[step] // 4) % (stop - first)
        take(state, length, actions[step], labels)
    return actions, lost, seen, plain, state[HEADS : LABELS + 1, :length].copy()


@st.composite
def projective_trees(draw: st.DrawFn, most: int = 6) -> tuple[int, ...]:
    """Heads of a projective tree: a word heads each span, what is on either side of it is cut up."""
    heads: dict[int, int] = {}

    def attach(start: int, stop: int, above: int) -> None:
        if start < stop:
            head = draw(st.integers(start, stop - 1))
            heads[head] = above
            for left, right in ((start, head), (head + 1, stop)):
                if left < right:
                    middle = draw(st.integers(left + 1, right))
                    attach(left, middle, head)
                    attach(middle, right, head)

    length = draw(st.integers(1, most))
    attach(0, length, -1)
    return tuple(heads[word] for word in range(length))


def known(at: Configuration, action: int) -> tuple[str, str]:
    """The twin's names of a class."""
    move = MOVES[action] if action < 2 else "left" if action < 2 + len(NAMES) else "right"
    return move, "" if action < 2 else NAMES[(action - 2) % len(NAMES)]


@given(gold=projective_trees(), data=st.data())
@settings(max_examples=60)
def test_transitions_losses_and_features_are_those_of_the_twin(gold: tuple[int, ...], data: st.DataObject) -> None:
    length = len(gold)
    words = [data.draw(st.sampled_from("xyz")) for _ in gold]
    tags = [data.draw(st.sampled_from("NV")) for _ in gold]
    drawn = np.array(data.draw(st.lists(st.integers(0, 99), min_size=4 * length, max_size=4 * length)), dtype=np.int64)
    numbers = np.array(["NV".index(tag) for tag in tags], dtype=np.int64)
    hashes = np.ascontiguousarray(spell(words)[:, WORD])
    actions, lost, seen, plain, arcs = walk(hashes, numbers, np.array(gold, dtype=np.int32), drawn, len(NAMES))
    at, slow, fast = start(length), [], []
    for step, action in enumerate(actions.tolist()):
        assert bool(at.buffer) == (action >= 0)
        if not at.buffer:
            break
        assert [MOVES[move] for move in range(4) if lost[step, move] >= 0] == sorted(allowed(at), key=MOVES.index)
        if plain[step]:
            assert {MOVES[m]: n for m, n in enumerate(lost[step].tolist()) if n >= 0} == losses(at, gold)
        wanted = features(at, words, tags, FEATURES)
        assert np.count_nonzero(seen[step]) == len(wanted)
        slow += wanted
        fast += seen[step, : len(wanted)].tolist()
        at = tidy(make(at, *known(at, action)))
    assert len(set(zip(slow, fast, strict=True))) == len(set(slow)) == len(set(fast))  # the same are the same
    assert {word: head for word, head in enumerate(arcs[0].tolist()) if head >= 0} == at.heads
    assert {word: NAMES[label] for word, label in enumerate(arcs[1].tolist()) if label >= 0} == at.labels
    DependencyTree(tuple(words), tuple(arcs[0].tolist()), ("x",) * length)  # exactly one root, no cycle


@given(gold=projective_trees(12), data=st.data())
@settings(max_examples=60)
def test_gold_transitions_make_the_gold_tree(gold: tuple[int, ...], data: st.DataObject) -> None:
    labels = [-1 if head < 0 else data.draw(st.integers(0, 2)) for head in gold]
    found = gold_actions(np.array(gold, dtype=np.int32), np.array(labels, dtype=np.int32), 3)
    at = start(len(gold))
    for action in found.tolist():
        at = tidy(make(at, *known(at, action)))
    assert not at.buffer
    assert [at.heads.get(word, -1) for word in range(len(gold))] == list(gold)
    assert [NAMES.index(at.labels[word]) if word in at.labels else -1 for word in range(len(gold))] == labels


def random_weights(seed: int, words: Int64s, tags: Int64s, labels: int) -> Weights:
    """Weights of features that are really met, with few ties."""
    rng = np.random.default_rng(seed)
    gold = np.zeros(len(words), dtype=np.int32)
    met = [walk(words, tags, gold, rng.integers(0, 99, 4 * len(words)), labels)[2].reshape(-1) for _ in range(20)]
    found = np.unique(np.concatenate(met))
    entries = (rng.integers(-999, 999, (len(found), 2 + 2 * labels)) << 16) | np.arange(2 + 2 * labels)
    return pack(found, np.full(len(found), 2 + 2 * labels), entries.reshape(-1))


@pytest.mark.parametrize("seed", range(6))
def test_a_wide_beam_finds_all_trees_and_a_narrow_one_is_greedy(seed: int) -> None:
    """Every derivation of a short sentence is scored by the twin's transitions; the best of each tree counts."""
    rng = np.random.default_rng(seed)
    length, labels = 3, 2
    words = np.ascontiguousarray(spell(list("abc"))[:, WORD])
    tags = rng.integers(0, 2, length)
    weights = random_weights(seed, words, tags, labels)
    best: dict[tuple[int, ...], int] = {}

    def follow(taken: list[int], total: int) -> None:
        heads, arcs, scores, moves = replay(weights, words, tags, np.array(taken, dtype=np.int64), labels)
        if not len(scores):
            tree = (*heads.tolist(), *arcs.tolist())
            best[tree] = max(total, best.get(tree, -(10**9)))
        for action in range(len(scores)):
            if moves[action]:
                follow([*taken, action], total + int(scores[action]))

    follow([], 0)
    trees, scores = parse_with_beam(weights, words, tags, labels, 4000, NOTHING)
    kept = [place for place in range(len(trees)) if trees[place, 0, 0] >= -1]
    found = {tuple(trees[place].reshape(-1).tolist()): int(scores[place]) for place in kept}
    assert found == best
    assert all(one >= other for one, other in pairwise(scores.tolist()))
    none = NOTHING.astype(np.int32)
    greedy = parse_greedily(weights, words, tags, labels, none, none, 0.0, 0)
    assert (parse_with_beam(weights, words, tags, labels, 1, NOTHING)[0][0] == greedy).all()


@kernel
def replay(weights: Weights, words: Int64s, tags: Int64s, taken: Int64s, labels: int) -> Any:
    """Return heads and labels after some transitions, the scores of all classes, and which of them may follow."""
    length = len(words)
    state = new_state(length)
    for action in taken:
        take(state, length, action, labels)
    heads, arcs = state[HEADS, :length].copy(), state[LABELS, :length].copy()
    if front(state, length) < 0:
        return heads, arcs, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    atoms, found = np.empty(_ATOMS, dtype=np.int64), np.empty(_TEMPLATES, dtype=np.int64)
    scores, moves = np.empty(2 + 2 * labels, dtype=np.int64), np.zeros(2 + 2 * labels, dtype=np.int64)
    add_scores(weights, found, state_features(state, words, tags, atoms, found), scores)
    for action in range(len(scores)):
        moves[action] = is_allowed(state, move_of(action, labels))
    return heads, arcs, scores, moves


@kernel
def learn_lines(weights: Weights, features: Int64s, label: int, change: int) -> None:
    """Make one step with one update."""
    weights.counts[CLOCK] += 1
    update(weights, features, len(features), label, change)


@given(
    steps=st.lists(
        st.tuples(st.lists(st.integers(1, 9), max_size=4), st.integers(0, 11), st.sampled_from([-1, 1])), max_size=60
    )
)
@settings(max_examples=40)
def test_weights_are_means_over_all_steps(steps: list[tuple[list[int], int, int]]) -> None:
    weights = no_weights()
    now: dict[tuple[int, int], int] = {}
    sums: dict[tuple[int, int], int] = {}
    for seen, label, change in steps:
        for key, value in now.items():  # the weights at the beginning of the step
            sums[key] = sums.get(key, 0) + value
        weights = with_room(weights, len(seen))
        learn_lines(weights, np.array(seen, dtype=np.int64), label, change)
        for feature in seen:
            now[feature, label] = now.get((feature, label), 0) + change
    for key, value in now.items():
        sums[key] = sums.get(key, 0) + value
    mean = {key: round(UNIT * total / (len(steps) + 1)) for key, total in sums.items()}
    features, sizes, entries = unpack(average(weights))
    owners = np.repeat(features, sizes).tolist()
    found = {(owner, entry & LOW): entry >> 16 for owner, entry in zip(owners, entries.tolist(), strict=True)}
    assert found == {key: value for key, value in mean.items() if value}
