"""Projection policies against a literal twin, and the four orders Talbot et al. (2011) print in their Table 2."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import twins
from papers.framework_2011 import ORDERS
from wordorder.core.orders import (
    POLICIES,
    Alignment,
    Alignments,
    Places,
    order_against_reference,
    order_against_source,
    place,
)
from wordorder.core.runtime.errors import InputError, UsageError

Case = tuple[int, twins.Links, twins.Links]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A source sentence with two sets of links: nulls, one-to-many, many-to-one, crossing, or no link at all."""
    length = draw(st.integers(0, 9))
    target = draw(st.integers(1, 7))
    cell = st.tuples(st.integers(0, max(length - 1, 0)), st.integers(0, target - 1))
    links = st.frozensets(cell, max_size=14 if length else 0)
    return length, draw(links), draw(links)


def column(rows: list[tuple[int, twins.Links]]) -> Alignments:
    return Alignments.of([Alignment(tuple(sorted(links, key=hash)), length) for length, links in rows])


def written(order: twins.Order) -> str:
    return " ".join(map(str, order))


@settings(max_examples=250)
@given(st.lists(cases(), min_size=1, max_size=3))
def test_policies_equal_their_literal_twins(rows: list[Case]) -> None:
    hypotheses = column([(length, links) for length, links, _ in rows])
    references = column([(length, links) for length, _, links in rows])
    for policy in POLICIES:
        monotone = order_against_source(hypotheses, policy=policy)
        relative = order_against_reference(hypotheses, references, policy=policy)
        for row, (length, judged_links, reference) in enumerate(rows):
            one, two = (twins.project(links, length, policy) for links in (judged_links, reference))
            source = twins.Projected(tuple((word,) for word in range(length)))
            assert str(monotone[row]) == written(twins.compare(one, source)), policy
            judged = twins.project_judged(judged_links, length, policy)
            assert str(relative[row]) == written(twins.compare(judged, two)), policy


@given(st.lists(cases(), min_size=1, max_size=4))
def test_groups_of_talbot(rows: list[Case]) -> None:
    places = place(column([(length, links) for length, links, _ in rows]), policy="talbot")
    for row, (length, links, _) in enumerate(rows):
        expected = [sorted(group) for group in twins.project(links, length, "talbot").groups]
        assert places.groups(row) == expected


@given(cases(), st.sampled_from(POLICIES), st.integers(2, 9000))
def test_only_the_order_of_target_words_matters(case: Case, policy: str, apart: int) -> None:
    """Places that are near are counted, and places that are far are sorted."""
    length, *sides = case
    far = [frozenset((source, apart * target) for source, target in links) for links in sides]
    near_order, far_order = (
        order_against_reference(column([(length, one)]), column([(length, two)]), policy=policy)
        for one, two in (sides, far)
    )
    assert str(near_order[0]) == str(far_order[0])


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("length", [64, 65, 200])
def test_long_sentences(policy: str, length: int) -> None:
    rng = random.Random(length)
    links = [frozenset((rng.randrange(length), rng.randrange(length)) for _ in range(length)) for _ in range(2)]
    one, two = (twins.project(side, length, policy) for side in links)
    found = order_against_reference(column([(length, links[0])]), column([(length, links[1])]), policy=policy)
    assert str(found[0]) == written(twins.compare(one, two))


# --- what the policies are for, by hand ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "links", "expected"),
    [
        # one-to-many: the first target word counts
        ("birch", ((0, 3), (0, 1), (1, 2)), "1 2"),
        # many-to-one: monotone
        ("birch", ((0, 1), (1, 0), (2, 0)), "2 3 1"),
        # an unaligned word follows the previous source word, wherever that goes
        ("birch", ((0, 1), (2, 0)), "3 1 2"),
        # leading ones come first
        ("birch", ((1, 1), (2, 0)), "1 3 2"),
        # right before the next aligned word
        ("talbot", ((0, 1), (2, 0)), "2 3 1"),
        # or at the end
        ("talbot", ((0, 1), (1, 0)), "2 1 3"),
        ("attach-left", ((0, 1), (2, 0)), "3 1 2"),
        ("attach-left", ((1, 1), (2, 0)), "3 1 2"),
        ("attach-right", ((0, 1), (2, 0)), "2 3 1"),
        ("attach-right", ((0, 1), (1, 0)), "2 3 1"),
        # left out, the others renumbered
        ("drop", ((0, 1), (2, 0)), "2 1"),
        ("drop", ((0, 0),), "1"),
    ],
)
def test_policies_by_hand(policy: str, links: tuple[tuple[int, int], ...], expected: str) -> None:
    length = 2 if expected == "1 2" else 3
    assert str(order_against_source(Alignment(links, length).column(), policy=policy)[0]) == expected


def test_free_groups_take_the_order_of_the_judged_side() -> None:
    """``x {a b} y`` against ``x a y b`` has three chunks."""
    x, a, b, y = range(4)
    reference = Alignment(((x, 0), (a, 1), (b, 1), (y, 2)), 4).column()
    judged = Alignment(((x, 0), (a, 1), (y, 2), (b, 3)), 4).column()
    assert place(reference, policy="talbot").written(0, list("xaby")) == "x {{ a b }} y"
    order = order_against_reference(judged, reference, policy="talbot")
    assert str(order[0]) == "1 2 4 3"
    assert twins.fuzzy((1, 2, 4, 3)) == pytest.approx(1 - (3 - 1) / (4 - 1))
    swapped = Alignment(((x, 0), (b, 1), (a, 2), (y, 3)), 4).column()
    assert str(order_against_reference(swapped, reference, policy="talbot")[0]) == "1 2 3 4"
    assert str(order_against_reference(swapped, reference, policy="birch")[0]) == "1 3 2 4"


@pytest.mark.parametrize("policy", POLICIES)
def test_a_hypothesis_without_links_is_monotone_and_a_reference_undefined(policy: str) -> None:
    empty, full = Alignment((), 3).column(), Alignment(((0, 2), (1, 0), (2, 1)), 3).column()
    assert len(order_against_source(empty, policy=policy)[0]) == 0
    assert len(order_against_reference(full, empty, policy=policy)[0]) == 0
    assert len(order_against_reference(empty, empty, policy=policy)[0]) == 0
    # the source order, as ranks in the reference
    monotone = "3 1 2" if policy in ("birch", "talbot") else ""
    assert str(order_against_reference(empty, full, policy=policy)[0]) == monotone


# --- Talbot et al. (2011), Table 2 --------------------------------------------------------------------------------


@pytest.mark.parametrize(("source", "alignment", "expected"), ORDERS)
def test_orders_of_talbot(source: str, alignment: str, expected: str) -> None:
    """Each field is a target word and names the source words it is aligned to."""
    words = source.split()
    links = tuple(
        (int(word), target) for target, field in enumerate(alignment.split(",")) for word in field.split("_") if word
    )
    places = place(Alignment(links, len(words)).column(), policy="talbot")
    assert places.written(0, words) == expected


# --- lengths and errors -------------------------------------------------------------------------------------------


def test_every_policy_but_drop_needs_source_lengths() -> None:
    unknown = Alignments.of([Alignment(((0, 0),), 1), Alignment(((0, 1), (2, 0)))])
    for policy in POLICIES[:-1]:
        with pytest.raises(InputError, match=rf"policy {policy} needs the length .* unknown for row 2") as caught:
            order_against_source(unknown, policy=policy)
        assert caught.value.line == 2
    assert [str(row) for row in order_against_source(unknown, policy="drop")] == ["1", "2 1"]


@given(cases(), st.booleans())
@example((5, frozenset({(0, 0)}), frozenset({(4, 0)})), True)
def test_drop_compares_what_both_sides_have_whatever_the_lengths(case: Case, known: bool) -> None:
    length, judged, reference = case
    hypothesis = Alignment(tuple(judged), length if known else None).column()
    target = Alignment(tuple(reference)).column()
    one, two = (twins.project(links, length, "drop") for links in (judged, reference))
    found = order_against_reference(hypothesis, target, policy="drop")
    assert str(found[0]) == written(twins.compare(one, two))


def test_sides_that_do_not_fit_are_refused() -> None:
    two = Alignments.of([Alignment(((0, 0),), 1), Alignment(((0, 0),), 2)])
    other = Alignments.of([Alignment(((0, 0),), 1), Alignment(((0, 0),), 3)])
    with pytest.raises(InputError, match="2 hypothesis alignments but 1 reference alignment"):
        order_against_reference(two, two[:1])
    with pytest.raises(InputError, match="source sentence 2 has different lengths in the two alignments") as caught:
        order_against_reference(two, other)
    assert caught.value.line == 2
    with pytest.raises(InputError, match="cannot compare orders from different policies: birch and talbot"):
        place(two).against(place(two, policy="talbot"))
    with pytest.raises(UsageError, match=r"unknown policy 'brich'; did you mean 'birch'\? \(valid: birch, talbot"):
        place(two, policy="brich")


def test_a_target_position_no_sentence_has_is_refused() -> None:
    far = Alignments.of([Alignment(((0, 0),), 1), Alignment(((0, 2**31 - 2), (1, 0)), 2)])
    for policy in POLICIES:
        with pytest.raises(InputError, match="target position 2147483646 is beyond the longest sentence") as caught:
            place(far, policy=policy)
        assert caught.value.line == 2


def test_places_are_a_column() -> None:
    places = place(Alignments.of([Alignment(((0, 0),), 1), Alignment((), 0)]))
    assert isinstance(places, Places)
    assert len(places) == 2
    with pytest.raises(ValueError, match="read-only"):
        places.places[0] = np.int32(1)
