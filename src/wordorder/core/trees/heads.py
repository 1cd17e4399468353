"""Head rules for English, which select the head among the children of a constituent.

A rule is a list of steps, tried in order. A step is ``left:`` or ``right:`` followed by labels: the head is the first
child, from that side, with one of these labels. If no step finds a head, the head is the first child, from the side
of the last step, that is not punctuation. The notation follows Magerman (1995) and Collins (1999). The table was
written for wordorder. It covers Penn categories and the tags ``AUX`` and ``AUXG``, which Charniak's parser gives to
forms of *be*, *have* and *do*.

The head of a coordination is its first conjunct: if verb phrases are joined by a conjunction, the steps consider only
the children before the second conjunct (the head of ``(VP (VBD ate) (CC and) (VP slept))`` is *ate*, not the phrase).

Three changes follow the EDPM paper (Kahn, Ostendorf and Roark 2009), and each can be switched off: the head of a
prepositional phrase is its noun phrase (``nominal_prepositions``), the head of a complementiser phrase is its clause
(``verbal_complementisers``), and auxiliaries depend on the main verb (``auxiliary_modifiers``).

For chart parsers, which build a constituent by adding children on its left or right, the rules have another form.
Head rules are applied by a *reader*, a finite-state machine that reads all children from left to right. Its state
consists of the kind of the current head and whether a conjunction or comma follows the last conjunct. Of a run of
neighbouring children, only its effect on the reader matters: the final state for each initial state, and the child
that becomes the head, if any. The effect also depends on whether there is a conjunction among all children. Runs with
the same effect share a *summary*, which has a slot for each child that may become the head. There are few summaries:
one for each step of a rule, and about forty for verb phrases, where the first conjunct is the head.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.columns import Bools, Ints, Offsets, to_column
from wordorder.core.runtime.errors import UsageError
from wordorder.core.runtime.kernels import kernel
from wordorder.core.trees.constituency import ConstituencyTrees

PUNCTUATION = frozenset({",", ":", ".", "``", "''", "-LRB-", "-RRB-", "HYPH", "$", "#", "SYM", "NFP"})
"""Tags of words that are the head of a constituent only if there is no other child."""

_NOUNS = "NN NNS NNP NNPS"
_VERBS = "VBD VBN VBZ VB VBG VBP AUX AUXG"
_CLAUSES = "S SINV SQ SBARQ"

ENGLISH: dict[str, tuple[str, ...]] = {
    # Nominal: the last noun, or else the first noun phrase (the first conjunct, or the modified phrase).
    "NP": (f"right: {_NOUNS} NX", "left: NP", "right: CD QP PRP EX WP JJS JJR JJ ADJP", "right: DT RB VBG FW UH LS"),
    "NX": (f"right: {_NOUNS}", "left: NX NP", "right: CD JJ FW"),
    "NAC": (f"right: {_NOUNS}", "left: NP NX", "right: CD JJ FW"),
    "WHNP": (f"right: {_NOUNS}", "left: WHNP NP", "right: WP WDT WP$ WRB WHADJP WHADVP CD JJ"),
    "QP": ("right: CD", f"right: {_NOUNS} JJR RBR JJ DT IN RB QP"),
    # Verbal: the first verb; the head of a clause is its verb phrase.
    "VP": (f"left: {_VERBS} MD TO", "left: VP", f"left: ADJP NP {_NOUNS} JJ"),
    "S": (
        "left: VP",
        f"left: {_CLAUSES} SBAR",
        f"left: {_VERBS} MD TO",
        "left: ADJP UCP",
        "right: NP",
        "left: PP ADVP",
    ),
    "SINV": (f"left: VP {_VERBS} MD", f"left: {_CLAUSES}", "left: ADJP NP PP"),
    "SQ": (f"left: {_VERBS} MD", "left: VP SQ S SINV", "left: ADJP NP"),
    "SBARQ": (f"left: SQ {_CLAUSES} SBAR", "left: VP FRAG NP"),
    "SBAR": ("left: IN TO DT", "left: WHNP WHADVP WHADJP WHPP", f"left: {_CLAUSES} FRAG SBAR", "left: VP NP"),
    "RRC": ("left: VP NP ADVP ADJP PP",),
    # The head is a function word.
    "PP": ("left: IN TO VBG VBN RP FW", "left: PP", "left: NP ADJP ADVP RB JJ"),
    "WHPP": ("left: IN TO FW", "left: WHPP", "left: WHNP WHADVP"),
    "CONJP": ("right: CC", "left: RB IN"),
    "PRT": ("right: RP RB IN",),
    # Modifiers: the last adjective or adverb.
    "ADJP": ("right: JJ JJR JJS VBN VBG", "left: ADJP", f"right: RB CD QP {_NOUNS}", "right: NP ADVP IN"),
    "ADVP": ("right: RB RBR RBS RP", "left: ADVP", "right: JJ JJR JJS IN NN NP CD UH"),
    "WHADJP": ("right: JJ JJR WRB", "left: WHADJP ADJP"),
    "WHADVP": ("right: WRB RB", "left: WHADVP ADVP IN"),
    # Others: the first phrase that can stand alone.
    "ROOT": (f"left: {_CLAUSES} SBAR VP NP FRAG", "left: PP ADJP ADVP INTJ X"),
    "FRAG": ("left: S VP NP SBAR PP ADJP ADVP WHNP", f"right: {_NOUNS}"),
    "UCP": ("left: NP VP S SBAR ADJP PP ADVP",),
    "PRN": (f"left: {_CLAUSES} VP NP SBAR PP ADJP ADVP", f"right: {_NOUNS} CD"),
    "INTJ": ("left: UH INTJ VB NN",),
    "LST": ("right: LS CD",),
    "X": ("right: VP NP S PP ADJP ADVP X",),
}
"""The table of rules without the changes from the EDPM paper."""

ENGLISH_CONJUNCTS = {"VP": f"{_VERBS} MD TO"}
"""For each category with coordination, the other labels that can be coordinated with phrases of this category."""

_CONJUNCTIONS = frozenset({"CC", "CONJP"})
NO_JOINT, COMMA, CONJUNCTION = range(3)

_NOMINAL_PREPOSITIONS = {
    "PP": ("left: NP", "left: S SBAR PP ADJP ADVP", "left: IN TO VBG VBN RP FW"),
    "WHPP": ("left: WHNP WHADVP", "left: WHPP", "left: IN TO FW"),
}
_VERBAL_COMPLEMENTISERS = {
    "SBAR": (f"left: {_CLAUSES}", "left: SBAR VP FRAG NP", "left: WHNP WHADVP WHADJP WHPP IN TO DT")
}
_AUXILIARY_MODIFIERS = {
    "VP": ("left: VP", f"left: {_VERBS} MD TO", f"left: ADJP NP {_NOUNS} JJ"),
    "SQ": ("left: VP", f"left: {_VERBS} MD", "left: SQ S SINV", "left: ADJP NP"),
    "SINV": ("left: VP", f"left: {_VERBS} MD", f"left: {_CLAUSES}", "left: ADJP NP PP"),
}


@dataclass(frozen=True)
class HeadRules:
    """Head rules for each category.

    ``conjuncts`` maps each category in which the first conjunct of a coordination is the head to the other labels
    that conjuncts may have.

    >>> tree = ConstituencyTrees.of(["(VP (MD can) (VP (VB sleep)))"])
    >>> HeadRules.english().head_children(tree).tolist()
    [2, -1, 3, -1]
    >>> HeadRules.english(auxiliary_modifiers=False).head_children(tree).tolist()
    [1, -1, 3, -1]
    """

    table: Mapping[str, tuple[str, ...]]
    conjuncts: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def english(
        cls, *, nominal_prepositions: bool = True, verbal_complementisers: bool = True, auxiliary_modifiers: bool = True
    ) -> "HeadRules":
        """Return the rules for English, with or without each of the changes from the EDPM paper."""
        table = ENGLISH | (_NOMINAL_PREPOSITIONS if nominal_prepositions else {})
        table |= _VERBAL_COMPLEMENTISERS if verbal_complementisers else {}
        return cls(table | (_AUXILIARY_MODIFIERS if auxiliary_modifiers else {}), ENGLISH_CONJUNCTS)

    def __post_init__(self) -> None:
        for category, steps in self.table.items():
            if not steps or not all(step.startswith(("left:", "right:")) for step in steps):
                raise UsageError(f"head rule of {category!r}: expected steps like 'left: NP NX', not {list(steps)}")

    def head_children(self, trees: ConstituencyTrees) -> Ints:
        """Return the head child of every node as a position within the row, or −1 for preterminals."""
        used, labels = np.unique(trees.labels, return_inverse=True)
        names = trees.strings.take(to_column(used)).to_pylist()
        heads: Ints = _head_children(
            labels.astype(np.int32), trees.parents, trees.node_offsets, *self.compile(names), *self.joints(names)
        )
        return heads

    def compile(self, labels: Sequence[str]) -> tuple[Ints, Bools]:
        """Return the table as arrays: the step that accepts each child label, and which steps start from the right.

        Every rule gets two additional steps at its end: one for any other label, and one for punctuation.
        """
        longest = max(map(len, self.table.values()), default=0) + 2
        ranks = np.zeros((len(labels), len(labels)), dtype=np.int32)
        from_right = np.zeros((len(labels), longest), dtype=np.bool_)
        for row, category in enumerate(labels):
            steps = self.table.get(category, ())
            order = {label: step for step in reversed(range(len(steps))) for label in steps[step].split()[1:]}
            ranks[row] = [order.get(label, len(steps) + (label in PUNCTUATION)) for label in labels]
            sides = [step.startswith("right:") for step in steps] or [False]
            from_right[row] = (sides + sides[-1:] * longest)[:longest]
        return ranks, from_right

    def joints(self, labels: Sequence[str]) -> tuple[NDArray[np.int8], Bools]:
        """Return which labels join conjuncts and, for each category, which labels can be conjuncts."""
        joints = [CONJUNCTION if label in _CONJUNCTIONS else COMMA if label == "," else 0 for label in labels]
        conjuncts = np.zeros((len(labels), len(labels)), dtype=np.bool_)
        for row, category in enumerate(labels):
            if category in self.conjuncts:
                wanted = {category, *self.conjuncts[category].split()}
                conjuncts[row] = [label in wanted for label in labels]
        return np.array(joints, dtype=np.int8), conjuncts


@kernel
def _head_children(
    labels: Ints,
    parents: Ints,
    offsets: Offsets,
    ranks: Ints,
    from_right: Bools,
    joints: NDArray[np.int8],
    conjuncts: Bools,
) -> Ints:
    heads = np.full(len(labels), -1, dtype=np.int32)
    coordinated = np.zeros(len(labels), dtype=np.bool_)
    joined = np.zeros(len(labels), dtype=np.bool_)  # a conjunction or comma follows the last conjunct
    closed = np.zeros(len(labels), dtype=np.bool_)  # the second conjunct has begun
    for row in range(len(offsets) - 1):
        start = offsets[row]
        for node in range(start + 1, offsets[row + 1]):
            coordinated[start + parents[node]] |= joints[labels[node]] == CONJUNCTION
        for node in range(start + 1, offsets[row + 1]):
            above = start + parents[node]
            category = labels[above]
            head = start + heads[above]
            if coordinated[above] and joints[labels[node]] != NO_JOINT:
                joined[above] = True
            elif conjuncts[category, labels[node]]:
                # Two verbs may share the following words ("can and will go"); a phrase cannot.
                phrase = labels[node] == category or (heads[above] >= 0 and labels[head] == category)
                if joined[above] and heads[above] >= 0 and phrase and conjuncts[category, labels[head]]:
                    closed[above] = True
                joined[above] = False
            if closed[above]:
                continue
            rank = ranks[category, labels[node]]
            if heads[above] < 0:
                heads[above] = node - start
                continue
            best = ranks[category, labels[head]]
            if rank < best or (rank == best and from_right[category, rank]):
                heads[above] = node - start
    return heads


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
        empty = _Summary(False, tuple((entry, _KEPT) for entry in self.entries) * 2)
        self.singles = [self._number(self._grow(empty, kind, 1)[0]) for kind in range(len(kinds))]
        self.grown: list[list[list[tuple[int, tuple[int, ...]]]]] = []
        for summary in self.summaries:  # the list grows during the loop
            rows = [[self._grow(summary, kind, side) for kind in range(len(kinds))] for side in range(2)]
            self.grown.append([[(self._number(new), slots) for new, slots in row] for row in rows])

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
