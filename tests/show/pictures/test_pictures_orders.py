"""Trees, forests and comparisons: what is drawn is what the data say."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawn import box, cross, everything_inside, marks, texts
from wordorder import Permutation, PermutationForest, PermutationTree, UsageError
from wordorder.core.orders.ascending import longest_ascending
from wordorder.metrics.batch import Batch
from wordorder.show.pictures import draw_comparison, draw_forest, draw_tree
from wordorder.show.pictures.comparison import find_chunks

orders = st.integers(1, 9).flatmap(lambda size: st.permutations(range(1, size + 1)))
sentences = st.lists(st.sampled_from("abcde"), min_size=1, max_size=8)


@settings(deadline=None, max_examples=60)
@given(orders, st.sampled_from(["across", "down"]))
def test_a_tree_has_a_box_for_every_operator(ranks: list[int], layout: str) -> None:
    tree = PermutationTree.of(Permutation.of(ranks))
    assert tree is not None
    picture = draw_tree(ranks, [f"w{rank}" for rank in ranks], layout=layout)
    inner = [node for node in tree.nodes() if not node.is_word]
    for kind in ("monotone", "inverted", "simple"):
        assert len(marks(picture, "rect", f"node {kind}")) == sum(node.kind == kind for node in inner)
    assert texts(picture, "rank") == [str(rank) for rank in ranks]
    assert texts(picture, "word") == [f"w{rank}" for rank in ranks]
    assert len(marks(picture, "path", "branch")) == len(list(tree.nodes())) - 1
    boxes = [box(one) for one in marks(picture, "rect", "node")]
    assert not any(overlap(one, two) for one, two in combinations(boxes, 2))
    assert everything_inside(picture)


def overlap(one: tuple[float, float, float, float], two: tuple[float, float, float, float]) -> bool:
    return one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]


@settings(deadline=None, max_examples=60)
@given(orders)
def test_a_forest_has_a_box_for_every_node_and_a_dot_for_every_inference(ranks: list[int]) -> None:
    forest = PermutationForest.of(ranks)
    picture = draw_forest(ranks)
    assert len(marks(picture, "rect", "node")) == sum(not node.is_word for node in forest)
    assert len(marks(picture, "circle", "inference")) == sum(len(node.inferences) for node in forest)
    lines = sum(len(node.blocks(split)) for node in forest for split in node.inferences)
    assert len(marks(picture, "line", "branch")) == lines
    boxes = [box(one) for one in marks(picture, "rect", "node")]
    assert not any(overlap(one, two) for one, two in combinations(boxes, 2))
    assert everything_inside(picture)


def test_a_forest_that_nobody_could_read_is_refused() -> None:
    with pytest.raises(UsageError, match=r"1330 inferences.*draw a tree"):
        draw_forest(list(range(1, 21)))


def test_orders_without_words_or_with_too_few_are_refused() -> None:
    with pytest.raises(UsageError, match="cannot draw the empty permutation"):
        draw_tree("")
    with pytest.raises(UsageError, match="expected one word for each rank of the order, found 2 for 3"):
        draw_tree("1 3 2", "a b")


def test_a_pet_is_drawn_as_it_is() -> None:
    flat, canonical = PermutationTree.of(Permutation.parse("1 2 3")), PermutationForest.of("1 2 3").pet(0)
    assert flat is not None
    assert len(marks(draw_tree(flat), "rect", "node")) == 1
    assert len(marks(draw_tree(canonical), "rect", "node")) == 2


@settings(deadline=None, max_examples=60)
@given(sentences, sentences, st.sampled_from(["across", "down"]))
def test_a_comparison_shows_matches_chunks_and_the_fewest_moves(
    hypothesis: list[str], reference: list[str], layout: str
) -> None:
    pair = " ".join(hypothesis), " ".join(reference)
    matches = Batch.of_sentences(pair[0], [pair[1]]).matches[0]
    chunks = find_chunks(matches)
    assert len(chunks) == matches.chunks[0]
    moved = sum(chunk.spans[0][1] - chunk.spans[0][0] + 1 for chunk in chunks if chunk.moves)
    assert moved == len(matches.hypothesis) - longest_ascending(matches.orders())[0]
    picture = draw_comparison(*pair, layout=layout)
    assert len(marks(picture, "rect", "chunk")) == 2 * len(chunks)
    assert len(marks(picture, "rect", "chunk moved")) == 2 * sum(chunk.moves for chunk in chunks)
    drawn = sorted(one.get("data-link", "") for one in marks(picture, "line", "match"))
    assert drawn == sorted(f"{h}-{r}" for h, r in zip(matches.hypothesis, matches.reference, strict=True))
    unmatched = len(hypothesis) + len(reference) - 2 * len(matches.hypothesis)
    assert len(marks(picture, "line", "unmatched")) == unmatched
    lines = marks(picture, "line", "match")
    order = matches.orders()[0].ranks
    inversions = sum(one > two for one, two in combinations(order, 2))
    assert sum(cross(one, two) for one, two in combinations(lines, 2)) == inversions
    assert everything_inside(picture)
