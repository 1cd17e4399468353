"""Children that come one by one, from either side, against head rules that see them all."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from wordorder.core.trees import ConstituencyTrees, HeadRules
from wordorder.core.trees.heads import NEW, RunTables, run_tables

TOY = HeadRules(
    {"VP": ("right: x", "left: VP y", "right: NP"), "NP": ("left: NP", "right: x y", "left: VP")},
    {"VP": "x y", "NP": "CC"},
)
LABELS = ["CC", "CONJP", ",", "VP", "NP", "x", "y", "VBD", "NN", "MD", "."]
TABLES = {
    name: (rules, run_tables(rules, LABELS, [3, 4]))
    for name, rules in {"english": HeadRules.english(), "toy": TOY}.items()
}


def head_of(tables: RunTables, constituent: int, children: list[int], seed: int, sides: list[int]) -> int:
    """Begin with one child, then add the neighbours of the run on the sides that are asked for, if there are any."""
    first = last = seed
    summary = tables.single[constituent, children[seed]]
    slots = [seed]
    for side in sides:
        side = 1 if first == 0 else 0 if last == len(children) - 1 else side
        first, last = (first, last + 1) if side else (first - 1, last)
        new = last if side else first
        kind = tables.kinds[constituent, children[new]]
        sources = tables.slots[side, summary, kind]
        summary = tables.grown[side, summary, kind]
        slots = [new if source == NEW else slots[source] for source in sources[: tables.sizes[summary]]]
    return slots[0]


@settings(max_examples=200)
@given(
    st.sampled_from(sorted(TABLES)),
    st.sampled_from([3, 4]),
    st.lists(st.integers(0, len(LABELS) - 1), min_size=1, max_size=8),
    st.data(),
)
def test_the_head_is_that_of_the_rules(name: str, constituent: int, children: list[int], data: st.DataObject) -> None:
    rules, tables = TABLES[name]
    tree = ConstituencyTrees.of([f"({LABELS[constituent]} {' '.join(f'({LABELS[child]} w)' for child in children)})"])
    seed = data.draw(st.integers(0, len(children) - 1))
    more = len(children) - 1
    sides = data.draw(st.lists(st.integers(0, 1), min_size=more, max_size=more))
    assert head_of(tables, constituent, children, seed, sides) == rules.head_children(tree)[0] - 1


def test_runs_have_few_summaries() -> None:
    _, tables = TABLES["english"]
    assert len(tables.sizes) < 60
    assert tables.sizes.max() == 2
    assert (tables.single[[0, 1, 5]] == -1).all()
