"""Sentences whose reorderings are undone in part: Figure 6.2 of the thesis, and what is measured of any version."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordorder.apps.profile import Reordering, extract, rquantity
from wordorder.apps.profile.stimuli import make_versions, measured_rquantity, source_order, undo
from wordorder.core.orders import Alignment, Permutation
from wordorder.core.runtime.errors import UsageError
from wordorder.formats import pud

FULL = "1 2 10 7 8 9 5 3 4 6 11"  # the words of Figure 6.2 in the order of the source
EDGES = (0, 0.4, 0.7, 1.3)


def aligned(order: str) -> Alignment:
    ranks = Permutation.parse(order).ranks
    return Alignment(tuple(enumerate(ranks)), len(ranks), len(ranks))


def test_figure_6_2() -> None:
    before, whole, many = sorted(extract(aligned(FULL).column())[0])
    for undone, order, quantity in (
        ([before], "1 2 3 4 5 6 10 7 8 9 11", 0.364),
        ([before, many], "1 2 5 3 4 6 10 7 8 9 11", 0.636),
        ([whole], "1 2 7 8 9 10 3 4 5 6 11", 0.727),
        ([whole, before, many], FULL, 1.364),
    ):
        found = undo(11, undone, source_words=11)
        assert str(found.order) == order
        assert found.rquantity == pytest.approx(quantity, abs=5e-4)  # one word for each word, so on either side
        assert measured_rquantity([found.order])[0] == pytest.approx(found.rquantity)
    back = aligned(FULL).transpose().column()
    assert rquantity(extract(back), back)[0] == pytest.approx(1.636, abs=5e-4)


def test_the_bins_of_figure_6_2() -> None:
    pair = aligned(FULL)
    versions = make_versions(pair, extract(pair.column())[0], EDGES, chance=random.Random(1))
    assert versions is not None
    assert [round(one.rquantity, 3) for one in versions] == [0, 0.364, 0.636, 0.727, 1.364] or all(
        low < one.rquantity <= high for one, low, high in zip(versions[1:], EDGES, (*EDGES[1:], 9), strict=True)
    )
    assert str(versions[-1].order) == FULL
    assert str(source_order(pair)) == FULL


def test_what_are_not_neighbours_is_skipped_and_counted() -> None:
    crossing = [Reordering((0, 0), (4, 4), (1, 1), (0, 1)), Reordering((0, 0), (1, 1), (1, 1), (0, 0))]
    found = undo(5, crossing, source_words=5)
    assert found.skipped == 1
    assert str(found.order) == "2 1 3 4 5"


@settings(max_examples=40)
@given(st.permutations(list(range(9))), st.data())
def test_undoing_is_swapping_blocks_one_after_the_other(ranks: list[int], data: st.DataObject) -> None:
    pair = Alignment(tuple(enumerate(ranks)), 9, 9)
    reorderings = extract(pair.column())[0]
    subset = data.draw(st.lists(st.sampled_from(reorderings), unique=True)) if reorderings else []
    words = list("abcdefghi")
    for one in sorted(subset, key=lambda one: (one.width(), one)):
        a, b = ("".join(sorted("abcdefghi"[s[0] : s[1] + 1])) for s in (one.a_target, one.b_target))
        for start in range(len(words) + 1):
            left, right = words[start : start + len(b)], words[start + len(b) : start + len(b) + len(a)]
            if "".join(sorted(left)) == b and "".join(sorted(right)) == a:
                words[start : start + len(a) + len(b)] = right + left
                break
    assert ["abcdefghi"[rank] for rank in undo(9, subset, source_words=9).order.ranks] == words


def test_sentences_without_enough_disorder_are_refused() -> None:
    chance = random.Random(1)
    monotone = aligned("1 2 3 4")
    assert make_versions(monotone, extract(monotone.column())[0], EDGES, chance=chance) is None
    slight = aligned("1 3 2 4 5 6 7 8")
    assert make_versions(slight, extract(slight.column())[0], EDGES, chance=chance) is None
    with pytest.raises(UsageError, match="source-order"):
        make_versions(slight, [], EDGES, chance=chance, full="all")


@pytest.mark.realdata
def test_chinese_orders_of_english_fill_all_bins(shared: Path) -> None:
    treebank = pud.read(shared / "data/pud-aligned/en-zh")
    links = treebank.alignments.transpose()
    found, chance = [], random.Random(1)
    reorderings = extract(links)
    for row, total in enumerate(rquantity(reorderings, links, side="source")):
        if total > 1.3 and 10 <= (links[row].target_length or 0) <= 40:
            versions = make_versions(links[row], reorderings[row], EDGES, chance=chance)
            found += [versions] if versions else []
    assert len(found) >= 40
    for versions in found:
        measured = measured_rquantity([one.order for one in versions])
        moved = [sum(each.width() for each in one.undone) / len(one.order) for one in versions]
        assert measured == pytest.approx(moved)
        for one, low, high in zip(versions, (-1, *EDGES), (*EDGES, 9), strict=True):
            spans = [span for each in one.undone for span in (each.a_source, each.b_source)]
            assert one.rquantity == pytest.approx(sum(last - first + 1 for first, last in spans) / one.source_words)
            assert low < one.rquantity <= high
