"""Reorderings between the children of a node in a parse tree (Birch 2011, §3.2.2), beside a literal twin."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from running import run
from wordorder.apps.profile import Corpus, measure
from wordorder.apps.profile.sisters import SisterCounter, Trees, read_trees
from wordorder.core.orders import Alignment, Alignments
from wordorder.core.runtime.errors import UsageError
from wordorder.core.trees import ConstituencyTree, ConstituencyTrees, DependencyTree, DependencyTrees

Node = tuple[str, list["Node"], set[int]]
"""A label, children, and all words below."""


def dependency_node(tree: DependencyTree, word: int) -> Node:
    dependents = [dependency_node(tree, other) for other in range(len(tree)) if tree.heads[other] == word]
    children: list[Node] = [*dependents, (tree.tags[word], [], {word})]
    return tree.labels[word], children, set().union(*(words for _, _, words in children))


def constituent_node(tree: ConstituencyTree, node: int, leaves: list[int]) -> Node:
    children = [constituent_node(tree, child, leaves) for child in tree.children(node)]
    words = set().union(*(words for _, _, words in children)) if children else {leaves.index(node)}
    return tree.labels[node], children, words


def literal(node: Node, links: set[tuple[int, int]]) -> Counter[tuple[str, str, bool, int]]:
    """Count the pairs of neighbouring children by labels, whether they are swapped, and their width if so."""
    found: Counter[tuple[str, str, bool, int]] = Counter()
    linked = []
    for child in node[1]:
        found += literal(child, links)
        targets = {target for source, target in links if source in child[2]}
        if targets:
            linked.append((min(child[2]), child[0], targets))
    linked.sort()
    for (_, a, of_a), (_, b, of_b) in pairwise(linked):
        swapped = max(of_b) < min(of_a)
        width = max(of_a) - min(of_a) + 1 + max(of_b) - min(of_b) + 1 if swapped else 0
        found[a, b, swapped, width] += 1
    return found


@st.composite
def dependency_trees(draw: st.DrawFn) -> DependencyTree:
    """Draw any tree, projective or not."""
    size = draw(st.integers(1, 7))
    order = draw(st.permutations(range(size)))
    heads = [-1] * size
    for place, word in enumerate(order[1:], 1):
        heads[word] = order[draw(st.integers(0, place - 1))]
    labels = draw(st.lists(st.sampled_from("xyz"), min_size=size, max_size=size))
    tags = draw(st.lists(st.sampled_from("NV"), min_size=size, max_size=size))
    return DependencyTree(tuple("w" * size), tuple(heads), tuple(labels), tuple(tags))


def brackets(depth: int) -> st.SearchStrategy[str]:
    leaf = st.sampled_from(["(N a)", "(V b)"])
    if not depth:
        return leaf
    inner = st.lists(brackets(depth - 1), min_size=1, max_size=3).map(lambda parts: f"(P {' '.join(parts)})")
    return st.one_of(leaf, inner)


@given(st.data())
def test_equal_to_the_literal_count(data: st.DataObject) -> None:
    many: Trees
    if data.draw(st.booleans()):
        trees = data.draw(st.lists(dependency_trees(), min_size=1, max_size=4))
        many, nodes = DependencyTrees.of(trees), [dependency_node(tree, tree.heads.index(-1)) for tree in trees]
        sizes = [len(tree) for tree in trees]
    else:
        texts = [f"(S {one})" for one in data.draw(st.lists(brackets(3), min_size=1, max_size=4))]
        parsed = [ConstituencyTree.parse(text) for text in texts]
        many, nodes = ConstituencyTrees.of(texts), []
        for tree in parsed:
            leaves = [node for node in range(len(tree.labels)) if not tree.children(node)]
            nodes.append(constituent_node(tree, 0, leaves))
        sizes = [len(tree) for tree in parsed]
    links = [data.draw(st.sets(st.tuples(st.integers(0, size - 1), st.integers(0, 5)), max_size=10)) for size in sizes]
    column = Alignments.of([Alignment(tuple(sorted(one)), size, 6) for one, size in zip(links, sizes, strict=True)])
    counter = SisterCounter("x", many)
    cut = data.draw(st.integers(0, len(column)))
    for block in (column[:cut], column[cut:]):
        counter.add(measure(block))
    expected: Counter[tuple[str, str]] = Counter()
    swapped: Counter[tuple[str, str]] = Counter()
    widths: Counter[tuple[str, str]] = Counter()
    for node, one in zip(nodes, links, strict=True):
        for (a, b, is_swapped, width), count in literal(node, one).items():
            expected[a, b] += count
            swapped[a, b] += is_swapped * count
            widths[a, b] += width * count
    found = {(each.first, each.second): each for each in counter.pairs()}
    assert {pair: each.found for pair, each in found.items()} == dict(expected)
    for pair, each in found.items():
        assert each.swapped == swapped[pair]
        assert each.rate.value == pytest.approx(swapped[pair] / expected[pair])
        if each.swapped:
            assert each.mean_width == pytest.approx(widths[pair] / swapped[pair])


def test_a_verb_at_the_end_is_one_reordering_of_two_children() -> None:
    """The parse chooses: the object as a whole follows the verb, whatever the usual extraction makes of it."""
    trees = ConstituencyTrees.of(["(S (NP I) (VP (V read) (NP (DT a) (N book))))"])
    counter = SisterCounter("x", trees)
    counter.add(measure(Alignment(((0, 0), (1, 3), (2, 1), (3, 2)), 4, 4).column()))
    one, *others = counter.pairs()
    assert (one.first, one.second, one.found, one.swapped, one.mean_width) == ("V", "NP", 1, 1, 3.0)
    assert [each.swapped for each in others] == [0, 0]


def test_by_tree_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("trees.mrg").write_text("(S (NP I) (VP (V read) (NP (DT a) (N book))))\n")
    Path("text").write_text("I a book read\n")
    Path("links").write_text("0-0 1-3 2-1 3-2\n")
    given = ["profile", "links", "--source", "trees.mrg", "--target", "text", "--by", "tree"]
    (row,) = run(capsys, *given, "--format", "tsv").tsv()[:1]
    assert (row["A"], row["B"], row["swapped"]) == ("V", "NP", "1")
    pairs = run(capsys, *given, "--json").json()["sisters"]["links"]
    assert (pairs[0]["first"], pairs[0]["second"], pairs[0]["swapped"]) == ("V", "NP", 1)
    Path("plain").write_text("I read a book\n")
    refused = run(capsys, "profile", "links", "--source", "plain", "--target", "text", "--by", "tree")
    assert (refused.code, "parse trees of the source" in refused.err) == (2, True)


def test_trees_are_those_of_the_source() -> None:
    with pytest.raises(UsageError, match="swapped sisters need parse trees"):
        read_trees(Corpus("x", [Alignment(((0, 0),), 1, 1)]))
