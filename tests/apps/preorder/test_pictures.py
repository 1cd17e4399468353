"""Dependency trees before and after: what is drawn is what the data say."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wordorder
from drawn import SVG, everything_inside, marks, texts
from wordorder import UsageError
from wordorder.apps.preorder import load_rules, reorder
from wordorder.apps.preorder.pictures import arc_levels, draw_dependencies
from wordorder.cli.main import main
from wordorder.core.trees import DependencyTree

DEMO = Path(wordorder.__file__).parent / "data" / "demo"


@st.composite
def trees(draw: st.DrawFn) -> DependencyTree:
    size = draw(st.integers(1, 8))
    order = draw(st.permutations(range(size)))
    heads = [-1] * size
    for place in range(1, size):
        heads[order[place]] = order[draw(st.integers(0, place - 1))]
    labels = draw(st.lists(st.sampled_from(["nsubj", "obj", "nmod:poss"]), min_size=size, max_size=size))
    return DependencyTree(tuple(f"w{n}" for n in range(size)), tuple(heads), tuple(labels))


@settings(deadline=None, max_examples=60)
@given(trees(), st.data(), st.sampled_from(["across", "down"]))
def test_a_dependency_tree_before_and_after(tree: DependencyTree, data: st.DataObject, layout: str) -> None:
    order = data.draw(st.permutations(range(1, len(tree) + 1)))
    picture = draw_dependencies(tree, order=order, layout=layout)
    before, after = arcs(tree), {(order.index(h + 1) if h >= 0 else -1, order.index(w + 1)) for h, w in arcs(tree)}
    drawn = [one.get("data-arc", "").rpartition("-") for one in marks(picture, "path", "arc")]
    pairs = [(int(head), int(word)) for head, _, word in drawn]
    assert set(pairs[: len(tree)]) == before
    assert set(pairs[len(tree) :]) == after
    moves = {one.get("data-link") for one in marks(picture, "line", "move")}
    assert moves == {f"{word - 1}-{place}" for place, word in enumerate(order)}
    assert texts(picture, "word") == [*tree.words, *(tree.words[word - 1] for word in order)]
    assert sorted(texts(picture, "label")) == sorted(tree.labels * 2)
    assert everything_inside(picture)


def arcs(tree: DependencyTree) -> set[tuple[int, int]]:
    return {(head, word) for word, head in enumerate(tree.heads)}


@settings(deadline=None, max_examples=60)
@given(trees())
def test_arcs_of_one_level_do_not_overlap(tree: DependencyTree) -> None:
    levels = arc_levels(tree.heads)
    spans = [(min(word, head), max(word, head), levels[word]) for word, head in enumerate(tree.heads) if head >= 0]
    for (a, b, one), (c, d, two) in combinations(spans, 2):
        assert one != two or b <= c or d <= a


def test_rules_are_applied() -> None:
    words, tags = ("cats", "eat", "fish"), ("NOUN", "VERB", "NOUN")
    tree = DependencyTree(words, (1, -1, 1), ("nsubj", "root", "obj"), tags)
    picture = draw_dependencies(tree, "r5")
    order = reorder(tree.column(), load_rules("r5"))[0]
    assert picture == draw_dependencies(tree, load_rules("r5")) == draw_dependencies(tree, order=order)
    assert len(marks(draw_dependencies(tree), "path", "arc")) == 3
    with pytest.raises(UsageError, match="found both"):
        draw_dependencies(tree, "r5", order=order)
    with pytest.raises(UsageError, match="the new order and the tree differ in length: 2 and 3 words"):
        draw_dependencies(tree, order="2 1")


def test_preorder_apply_draws_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "third.svg"
    command = ["preorder", "apply", "--trees", str(DEMO / "en-de" / "en.conllu"), "--rules", "r5"]
    assert main([*command, "--sentence", "3", "--picture", str(path)]) == 0
    printed = capsys.readouterr().out
    assert printed.count("\n") == 1
    assert f"After: {printed.strip()}." in ElementTree.parse(path).findtext(SVG + "desc", "")
    for wrong, message in (
        (["--picture", str(path)], "add --sentence N to choose one"),
        (["--sentence", "99"], "between 1 and 16, not 99"),
    ):
        assert main([*command, *wrong]) == 2
        assert message in capsys.readouterr().err
