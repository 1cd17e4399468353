"""DPM and EDPM: worked by hand, against the literal twin, and at the ends of its parameters."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from parse_batches import Parse, counts_of, dependencies, dpm, fragments, lists_of, parse_batch, parse_lists
from text_batches import text_batch

from wordorder.core.runtime.errors import UsageError
from wordorder.core.trees import DependencyTree, ParseLists
from wordorder.metrics import METRICS, Batch, Need, choose_metrics, metric
from wordorder.metrics.dependency import Dpm

PARTS = ("1g", "2g", "dl", "lh", "dlh", "dh", "chain")
EDPM = ("1g", "2g", "dl", "lh")

HYPOTHESIS, REFERENCE = dependencies(
    "(ROOT (S (NP (DT the) (NN cat)) (VP (VBZ sleeps) (PP (IN on) (NP (NNS mats))))))",
    "(ROOT (S (NP (DT the) (NN cat)) (VP (VBZ sleeps) (PP (IN on) (NP (DT the) (NN mat))))))",
)


def test_the_bags_of_two_small_trees() -> None:
    """The noun heads its prepositional phrase, so "on" depends on "mats" within the PP; the root hangs on ROOT."""
    assert fragments(HYPOTHESIS, "dlh") == [
        ("the", "NP/DT", "cat"),
        ("cat", "S/NP", "sleeps"),
        ("sleeps", "ROOT/S", None),
        ("on", "PP/IN", "mats"),
        ("mats", "VP/PP", "sleeps"),
    ]
    assert fragments(REFERENCE, "dlh") == [
        ("the", "NP/DT", "cat"),
        ("cat", "S/NP", "sleeps"),
        ("sleeps", "ROOT/S", None),
        ("on", "PP/IN", "mat"),
        ("the", "NP/DT", "mat"),
        ("mat", "VP/PP", "sleeps"),
    ]


@pytest.mark.parametrize(
    ("parts", "matched", "hypothesis", "reference"),
    [
        ("1g", 4, 5, 6),  # the (once), cat, sleeps, on
        ("2g", 3, 4, 5),  # the cat, cat sleeps, sleeps on
        ("dl", 4, 5, 6),  # all but mats
        ("lh", 4, 5, 6),  # NP/DT cat, S/NP sleeps, ROOT/S ROOT, VP/PP sleeps
        ("dlh", 3, 5, 6),  # the cat, cat sleeps, sleeps ROOT
        ("dh", 3, 5, 6),
        ("chain", 2, 4, 5),  # the cat sleeps, cat sleeps ROOT
        ("1g+2g+dl+lh", 15, 19, 23),
        ("1g+2g", 7, 9, 11),
        ("dl+lh", 8, 10, 12),
    ],
)
def test_dpm_worked_by_hand(parts: str, matched: float, hypothesis: float, reference: float) -> None:
    one, two = [(-3.0, HYPOTHESIS)], [(-2.0, REFERENCE)]
    batch = parse_batch([one], [two])
    if set(parts.split("+")) <= {"1g", "2g"}:  # these are read off the text
        batch = text_batch([" ".join(HYPOTHESIS.words)], [" ".join(REFERENCE.words)])
    chosen = metric(f"dpm:parts={parts}")
    rows = chosen.statistics(batch)
    assert rows.reshape(-1, 3).sum(axis=0).tolist() == [matched, hypothesis, reference]
    assert chosen.segment(rows).tolist() == [[pytest.approx(2 * matched / (hypothesis + reference))]]
    for score, expected in (("precision", matched / hypothesis), ("recall", matched / reference)):
        assert metric(f"dpm:parts={parts}:score={score}").segment(rows)[0, 0] == pytest.approx(expected)
    assert chosen.parts(rows[0, 0])["recall"] == pytest.approx(matched / reference)


def test_parts_are_told_apart() -> None:
    chosen = metric("edpm:n=1")
    rows = chosen.statistics(parse_batch([[(0.0, HYPOTHESIS)]], [[(0.0, REFERENCE)]]))
    found = {name: round(float(value), 4) for name, value in chosen.parts(rows[:, 0].sum(axis=0)).items()}
    assert found == {
        "precision": 0.7895,
        "recall": 0.6522,
        "f": 0.7143,
        "1g": 0.7273,
        "2g": 0.6667,
        "dl": 0.7273,
        "lh": 0.7273,
    }


def test_expected_counts_worked_by_hand() -> None:
    """Two parses of p .6 and .2: .75 and .25 of the list; "b" hangs on "a", or "a" on "b"."""
    one = DependencyTree(("a", "b"), (-1, 0), ("r", "x"))
    two = DependencyTree(("a", "b"), (1, -1), ("x", "r"))
    hypothesis = [(math.log(0.6), one), (math.log(0.2), two)]
    reference = [(0.0, one)]
    # dl: a r .75, b x .75, a x .25, b r .25 against a r 1, b x 1
    assert dpm("dpm:parts=dl:n=2", hypothesis, reference) == [pytest.approx(2 * 1.5 / 4)]
    assert dpm("dpm:parts=dl:n=2:gamma=0", hypothesis, reference) == [pytest.approx(2 * 1.0 / 4)]
    assert dpm("dpm:parts=dl:n=1", hypothesis, reference) == [1.0]
    assert dpm("dpm:parts=dl:n=2:gamma=1000", hypothesis, reference) == [1.0]
    share = 3**0.5 / (3**0.5 + 1)  # √.6 : √.2 = √3 : 1
    assert dpm("dpm:parts=dl:n=2:gamma=0.5", hypothesis, reference) == [pytest.approx(share)]


@given(parse_lists(), parse_lists(), st.sets(st.sampled_from(PARTS), min_size=1), st.integers(1, 5), st.floats(0, 3))
def test_the_literal_twin_agrees(one: list[Parse], two: list[Parse], parts: set[str], n: int, gamma: float) -> None:
    parts |= {"dh"}  # so that parses are asked for
    chosen = metric(f"dpm:parts={'+'.join(parts)}:n={n}:gamma={gamma}")
    rows = chosen.statistics(parse_batch([one, two], [two, one]))
    ordered = [part for part in PARTS if part in parts]
    expected = [[counts_of(*sides, [part], n, gamma) for part in ordered] for sides in ((one, two), (two, one))]
    np.testing.assert_allclose(rows[:, 0], np.reshape(expected, (2, -1)), rtol=1e-9, atol=1e-12)
    matched, hypothesis, reference = counts_of(one, two, ordered, n, gamma)
    score = chosen.segment(rows)[0, 0]
    if hypothesis + reference:
        assert score == pytest.approx(2 * matched / (hypothesis + reference))
        assert 0 <= score <= 1 + 1e-12
    else:
        assert np.isnan(score)


@given(parse_lists().filter(bool), st.sampled_from(["edpm", "dpm", "dpm:parts=dl+lh:n=3", "edpm:gamma=0"]))
def test_a_hypothesis_equal_to_its_reference_scores_1(parses: list[Parse], spec: str) -> None:
    assert dpm(spec, parses, parses) == [1.0]


@given(parse_lists().filter(bool), parse_lists().filter(bool), st.sampled_from(PARTS))
def test_one_parse_is_the_plain_count(one: list[Parse], two: list[Parse], part: str) -> None:
    chosen = metric(f"dpm:parts={'+'.join(dict.fromkeys([part, 'dlh']))}:n=1:gamma=0.25")
    row = chosen.statistics(parse_batch([one], [two]))[0, 0]
    assert (row == row.round()).all()
    best = [max(side, key=lambda parse: parse[0]) for side in (one, two)]
    plain = counts_of([best[0]], [best[1]], [part], 1, 1.0)
    place = chosen.columns.index(f"{part}_matched")
    assert tuple(row[place : place + 3]) == plain


@given(parse_lists().filter(bool), parse_lists().filter(bool))
def test_gamma_leads_from_the_uniform_mixture_to_the_best_parse(one: list[Parse], two: list[Parse]) -> None:
    flat = [[(0.0, tree) for _, tree in side] for side in (one, two)]
    assert dpm("edpm:gamma=0", one, two) == pytest.approx(dpm("edpm:gamma=1", *flat))
    best = max(score for score, _ in one), max(score for score, _ in two)
    apart = all(
        score == top or top - score > 1e-3 for side, top in zip((one, two), best, strict=True) for score, _ in side
    )
    single = all(sum(score == top for score, _ in side) == 1 for side, top in zip((one, two), best, strict=True))
    if apart and single:
        assert dpm("edpm:gamma=1e9", one, two) == pytest.approx(dpm("edpm:n=1", one, two))


def test_the_root_hangs_on_no_word() -> None:
    """A word ROOT and the head ROOT are two things."""
    one = DependencyTree(("ROOT", "a"), (-1, 0), ("r", "r"))
    two = DependencyTree(("ROOT", "a"), (1, -1), ("r", "r"))
    # lh: (r, –), (r, ROOT) against (r, a), (r, –)
    assert dpm("dpm:parts=lh", [(0.0, one)], [(0.0, two)]) == [0.5]


def test_bigrams_do_not_run_over_the_edge_of_a_tree() -> None:
    tree = DependencyTree(("a", "b"), (-1, 0), ("r", "x"))
    rows = metric("dpm:parts=2g+dh:n=2").statistics(parse_batch([[(0.0, tree), (0.0, tree)]], [[(0.0, tree)]]))
    assert rows[0, 0].tolist() == [1, 1, 1, 2, 2, 2]


@pytest.mark.parametrize("spec", ["dpm:lowercase=true", "dpm:parts=1g+2g:lowercase=true"])
def test_lower_case(spec: str) -> None:
    one = DependencyTree(("The", "cat"), (1, -1), ("X", "r"))
    two = DependencyTree(("the", "Cat"), (1, -1), ("X", "r"))
    batch = parse_batch([[(0.0, one)]], [[(0.0, two)]])
    if "1g" in spec:
        batch = text_batch(["The cat"], ["the Cat"])
    assert metric(spec).segment(metric(spec).statistics(batch)).tolist() == [[1.0]]
    sensitive = metric(spec.replace("true", "false"))
    assert sensitive.segment(sensitive.statistics(batch)).tolist() == [[0.0]]


def test_lower_case_leaves_labels_alone() -> None:
    one, two = DependencyTree(("a",), (-1,), ("X",)), DependencyTree(("a",), (-1,), ("x",))
    assert dpm("dpm:lowercase=true", [(0.0, one)], [(0.0, two)]) == [0.0]


def test_several_references_and_empty_sides() -> None:
    tree = DependencyTree(("a",), (-1,), ("r",))
    other = DependencyTree(("b",), (-1,), ("r",))
    assert dpm("dpm", [(0.0, tree)], [(0.0, other)], [(0.0, tree)], []) == [0.0, 1.0, 0.0]
    empty = dpm("dpm", [], [(0.0, tree)], [])
    assert empty[0] == 0.0
    assert math.isnan(empty[1])
    assert dpm("dpm:score=precision", [], [(0.0, tree)]) == [0.0]


def test_documents_sum_matches_and_totals_before_dividing() -> None:
    chosen = metric("dpm:parts=dl")
    long = DependencyTree(tuple("abcd"), (-1, 0, 1, 2), tuple("rxyz"))
    other = DependencyTree(("q",), (-1,), ("r",))
    rows = chosen.statistics(parse_batch([[(0.0, long)], [(0.0, other)]], [[(0.0, long)], [(0.0, long)]]))[:, 0]
    assert chosen.segment(rows).tolist() == [1.0, 0.0]
    assert float(chosen.corpus(rows.sum(axis=0))) == pytest.approx(2 * 4 / (4 + 4 + 1 + 4))


def test_segments_do_not_depend_on_their_neighbours() -> None:
    segments = [[(-1.0, HYPOTHESIS), (-1.5, REFERENCE)], [], [(-2.0, REFERENCE)]]
    chosen = metric("edpm")
    whole = chosen.statistics(parse_batch(segments, segments[::-1]))
    single = [chosen.statistics(parse_batch([one], [two])) for one, two in zip(segments, segments[::-1], strict=True)]
    assert whole.tobytes() == np.concatenate(single).tobytes()


def test_specs() -> None:
    assert str(metric("dpm:parts=lh+1g+dl+2g:n=50:gamma=0.25")) == "dpm:parts=1g+2g+dl+lh:n=50:gamma=0.25"
    assert str(metric("edpm:parts=dl+lh+1g+2g:gamma=0.250")) == "edpm"
    family = metric("dpm:parts=1g+2g+dl+lh:n=50:gamma=0.25")
    preset = metric("edpm")
    assert isinstance(family, Dpm)
    assert isinstance(preset, Dpm)
    assert (family.types, family.n, family.gamma) == (preset.types, preset.n, preset.gamma) == (EDPM, 50, 0.25)
    for wrong, message in [
        ("dpm:parts=3g", "unknown part of dpm '3g'.*valid: 1g, 2g, dl, lh, dlh, dh"),
        ("dpm:parts=dl+dl", "contains the same part twice"),
        ("dpm:n=0", "n must be 1 to 1048576"),
        ("dpm:gamma=-1", "gamma must be 0 or more"),
        ("dpm:gamma=inf", "finite"),
        ("dpm:score=f2", "valid: f, precision, recall"),
        ("dpm:fragments=dl", "valid: parts, n, gamma"),
    ]:
        with pytest.raises(UsageError, match=message):
            metric(wrong)


def test_what_dpm_asks_for() -> None:
    text = frozenset({Need.ORDER, Need.TEXT})
    assert METRICS["edpm"].needs == {Need.PARSES}
    assert metric("dpm:parts=1g+2g").requires == {Need.TEXT}
    assert [str(found) for found in choose_metrics("dpm:parts=2g", available=text)] == ["dpm:parts=2g"]
    with pytest.raises(UsageError, match=r"metric edpm needs parses.*add grammar or parser"):
        choose_metrics("bleu,edpm", available=text)
    everything = [str(found) for found in choose_metrics("all", available=text | {Need.PARSES})]
    assert "bleu" in everything
    assert not {"dpm", "edpm"} & set(everything)
    with pytest.raises(UsageError, match="does not include parses"):
        metric("edpm").statistics(text_batch(["a"], ["a"]))


def test_a_batch_of_parses_alone_has_a_length() -> None:
    lists: ParseLists = lists_of([[(0.0, HYPOTHESIS)], []])  # type: ignore[type-arg]
    assert len(Batch(parses=(lists, lists))) == 2
    assert len(text_batch(["a"], ["a"]).with_parses(lists[:1], lists[:1])) == 1


def test_parses_belong_to_every_draw_of_the_orders() -> None:
    lists: ParseLists = lists_of([[(0.0, HYPOTHESIS)]])  # type: ignore[type-arg]
    batch = Batch.of_draws([text_batch(["a"], ["a"]), text_batch(["a"], ["b"])]).with_parses(lists, lists)
    assert [draw.parses for draw in batch.draws] == [(lists, (lists,))] * 2
