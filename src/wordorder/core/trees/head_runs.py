"""Head rules in a form for chart parsers, which build a constituent by adding children on its left or right.

Head rules are applied by a *reader*, a finite-state machine that reads all children from left to right. Its state
consists of the kind of the current head and whether a conjunction or comma follows the last conjunct. Of a run of
neighbouring children, only its effect on the reader matters: the final state for each initial state, and the child
that becomes the head, if any. The effect also depends on whether there is a conjunction among all children. Runs with
the same effect share a *summary*, which has a slot for each child that may become the head. There are few summaries:
one for each step of a rule, and about forty for verb phrases, where the first conjunct is the head.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from wordorder.core.runtime.columns import Ints
from wordorder.core.trees.heads import CONJUNCTION, HeadRules

NEW = -1
"""Used instead of a slot number for the child that is being added."""

_KEPT = -2  # used instead of a slot number if the reader keeps its head


class RunTables(NamedTuple):
    """The summaries of all runs of children, stored as arrays of numbers.

    ``kinds[constituent, child]`` is the kind of a child, and ``single[constituent, child]`` is the summary of a run
    of only this child (−1 for constituents that were not requested); both are indexed by labels.

    ``grown[side, summary, kind]`` is the summary after adding a child on the left (side 0) or right (side 1).
    ``slots[side, summary, kind]`` gives, for each slot of the new summary, its slot in the old one, or ``NEW`` for
    the child that was added. ``sizes`` has the number of slots of each summary. The head of a complete constituent is
    in slot 0.
    """

    kinds: Ints
    single: Ints
    grown: Ints
    slots: Ints
    sizes: Ints


class _Kind(NamedTuple):
    """The properties of a child that head rules use: the step that accepts it, and its role in a coordination."""

    rank: int
    last_wins: bool
    conjunct: bool
    is_category: bool
    joint: int


class _State(NamedTuple):
    """The state of a reader of head rules.

    It consists of the kind of the head (−1: none), whether a conjunction or comma follows the last conjunct, and
    whether the second conjunct has begun; from then on, the state no longer changes.
    """

    head: int
    joined: bool
    closed: bool = False


class _Summary(NamedTuple):
    """The effect of a run of children on a reader of head rules.

    ``exits`` holds the final state and slot for each initial state, first for constituents without a conjunction
    among their children, then for those with one. The first part is omitted if the run contains a conjunction.
    """

    conjunction: bool
    exits: tuple[tuple[_State, int], ...]


def run_tables(rules: HeadRules, labels: Sequence[str], constituents: Sequence[int]) -> RunTables:
    """Return the summaries of all runs of children of the given constituents, which are indices into ``labels``."""
    ranks, from_right = rules.compile(labels)
    joints, conjuncts = rules.joints(labels)
    kinds = np.zeros((len(labels), len(labels)), dtype=np.int32)
    single = np.full((len(labels), len(labels)), -1, dtype=np.int32)
    parts: list[_Runs] = []
    total = 0
    for category in constituents:
        coordinates = bool(conjuncts[category].any())
        found = [
            _Kind(
                int(rank),
                bool(from_right[category, rank]),
                bool(conjuncts[category, label]),
                coordinates and label == category,
                int(joints[label]) if coordinates else 0,
            )
            for label, rank in enumerate(ranks[category])
        ]
        distinct = sorted(set(found))
        kinds[category] = [distinct.index(kind) for kind in found]
        runs = _Runs(distinct)
        single[category] = np.array(runs.singles)[kinds[category]] + total
        total += len(runs.summaries)
        parts.append(runs)
    return _join(kinds, single, parts)


class _Runs:
    """All summaries for one constituent, found by adding children until no new summaries appear."""

    def __init__(self, kinds: list[_Kind]) -> None:
        self.kinds = kinds
        coordinates = any(kind.conjunct for kind in kinds)
        heads = range(-1, len(kinds))
        self.entries = [_State(head, joined) for head, joined in product(heads, (False, True)[: 1 + coordinates])]
        self.place = {entry: place for place, entry in enumerate(self.entries)}
        self.numbers: dict[_Summary, int] = {}
        self.summaries: list[_Summary] = []
        self.singles = [self._number(self._grow(self._empty(), kind, 1)[0]) for kind in range(len(kinds))]
        self.grown: list[list[list[tuple[int, tuple[int, ...]]]]] = []
        for summary in self.summaries:  # the list grows during the loop
            rows = [[self._grow(summary, kind, side) for kind in range(len(kinds))] for side in range(2)]
            self.grown.append([[(self._number(new), slots) for new, slots in row] for row in rows])

    def _empty(self) -> _Summary:
        return _Summary(False, tuple((entry, _KEPT) for entry in self.entries) * 2)

    def _number(self, summary: _Summary) -> int:
        if summary not in self.numbers:
            self.numbers[summary] = len(self.summaries)
            self.summaries.append(summary)
        return self.numbers[summary]

    def _grow(self, summary: _Summary, kind: int, side: int) -> tuple[_Summary, tuple[int, ...]]:
        """Add a child on the left (0) or right (1); return the new summary and the old slot of each of its slots."""
        conjunction = summary.conjunction or self.kinds[kind].joint == CONJUNCTION
        exits: list[tuple[_State, int]] = []
        sources: list[int] = []
        # Readers that assume no conjunction come first; they are not needed if the run contains one.
        for coordinated, entry in product((True,) if conjunction else (False, True), self.entries):
            if side == 0:
                state, took = self._read(entry, kind, coordinated)
                state, source = self._through(summary, state, coordinated)
                if source == _KEPT and took:
                    source = NEW
            else:
                state, source = self._through(summary, entry, coordinated)
                state, took = self._read(state, kind, coordinated)
                if took:
                    source = NEW
            if source != _KEPT and source not in sources:
                sources.append(source)
            exits.append((state, _KEPT if source == _KEPT else sources.index(source)))
        return _Summary(conjunction, tuple(exits)), tuple(sources)

    def _through(self, summary: _Summary, state: _State, coordinated: bool) -> tuple[_State, int]:
        if state.closed:
            return state, _KEPT
        skipped = 0 if summary.conjunction or not coordinated else len(self.entries)
        return summary.exits[skipped + self.place[state]]

    def _read(self, state: _State, kind: int, coordinated: bool) -> tuple[_State, bool]:
        """Read one child as the head rules do; return the new state and whether the child is now the head."""
        if state.closed:
            return state, False
        child = self.kinds[kind]
        head = self.kinds[state.head] if state.head >= 0 else None
        joined = state.joined
        if coordinated and child.joint:
            joined = True
        elif child.conjunct:
            phrase = child.is_category or (head is not None and head.is_category)
            if joined and phrase and head is not None and head.conjunct:
                return _State(state.head, joined=False, closed=True), False
            joined = False
        if head is None or child.rank < head.rank or (child.rank == head.rank and child.last_wins):
            return _State(kind, joined), True
        return _State(state.head, joined), False


def _join(kinds: Ints, single: Ints, parts: Sequence[_Runs]) -> RunTables:
    """Join the summaries of all constituents into one table."""
    total = sum(len(runs.summaries) for runs in parts)
    sizes = np.zeros(total, dtype=np.int32)
    widest = max((len(runs.kinds) for runs in parts), default=0)
    most = max((len(slots) for runs in parts for rows in runs.grown for row in rows for _, slots in row), default=1)
    grown = np.zeros((2, total, widest), dtype=np.int32)
    slots_of = np.zeros((2, total, widest, most), dtype=np.int32)
    first = 0
    for runs in parts:
        sizes[[first + number for number in runs.singles]] = 1
        for number, rows in enumerate(runs.grown, start=first):
            for side, row in enumerate(rows):
                for kind, (new, slots) in enumerate(row):
                    grown[side, number, kind] = first + new
                    slots_of[side, number, kind, : len(slots)] = slots
                    sizes[first + new] = len(slots)
        first += len(runs.summaries)
    return RunTables(kinds, single, grown, slots_of, sizes)
