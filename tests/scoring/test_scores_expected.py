"""Expected scores are scores: means over drawn alignments, with segments, comparisons and a spread of their own."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

from wordorder.core.orders import Alignment, Alignments
from wordorder.core.orders.alignment import sample_links
from wordorder.core.runtime.errors import UsageError
from wordorder.linking.aligning import Aligning
from wordorder.metrics import metric
from wordorder.scoring.inputs import source as through_source
from wordorder.scoring.inputs.source import SourceTexts
from wordorder.scoring.scores import Scores
from wordorder.scoring.shortcuts import score

Weighted = dict[tuple[int, int], float]
"""Links with their probabilities."""


def column_of(*rows: Weighted, lengths: tuple[int, int] = (6, 6)) -> Alignments:
    plain = Alignments.of([Alignment(tuple(row), *lengths) for row in rows])
    return Alignments(
        plain.source,
        plain.target,
        plain.offsets,
        plain.source_lengths,
        plain.target_lengths,
        None,
        np.array([share for row in rows for share in row.values()]),
    )


# --- expected scores ----------------------------------------------------------------------------------------------

TEXTS: dict[str, Any] = {
    "hyp": {"A": ["x y z w", "u v"], "B": ["x z y w", "u v"]},
    "source": ["a b c d", "e f"],
    "tokenize": "none",
}
CERTAIN: dict[str, Any] = {
    "hyp_align": {
        "A": column_of({(0, 0): 1.0, (1, 1): 1.0, (3, 2): 1.0, (2, 1): 0.0}, {(0, 0): 1.0, (1, 1): 1.0}),
        "B": column_of({(0, 1): 1.0, (2, 0): 1.0, (2, 3): 0.0}, {(0, 1): 1.0, (1, 0): 1.0}),
    }
}


@pytest.fixture
def no_aligner(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any, **options: Any) -> NoReturn:
        raise AssertionError("an aligner was made though all links are given")

    monkeypatch.setattr(through_source, "train", refuse)


def without(column: Alignments) -> Alignments:
    """Give the links that are sure to be there, as plain links."""
    return sample_links(column, seed=0, draw=0)


@pytest.mark.usefixtures("no_aligner")
def test_certain_links_have_the_plain_score_and_no_spread() -> None:
    plain = {name: without(column) for name, column in CERTAIN["hyp_align"].items()}
    for order in ("monotone", "source"):
        given: dict[str, Any] = {}
        if order == "source":
            given["ref"] = ["x y z w", "u v"]
            given["ref_align"] = column_of({(0, 0): 1.0, (2, 1): 1.0, (1, 2): 1.0}, {(0, 1): 1.0, (1, 0): 1.0})
        found = score(**TEXTS, **CERTAIN, **given, order=order, expected=3)
        if order == "source":
            given["ref_align"] = without(given["ref_align"])
        exact = score(**TEXTS, **given, order=order, hyp_align=plain, samples=0)
        assert found.systems == exact.systems
        assert found.names == exact.names
        np.testing.assert_array_equal(found.values, exact.values)
        for one, two in zip(found.statistics, exact.statistics, strict=True):
            np.testing.assert_array_equal(np.asarray(one), np.asarray(two))
        assert found.spread is not None
        assert not found.spread.any()
        assert found.draws is not None
        assert [len(sums) for sums in found.draws] == [3] * len(found.systems)
        assert exact.spread is None


@pytest.mark.usefixtures("no_aligner")
@pytest.mark.slow
def test_the_expectation_is_that_of_the_distribution() -> None:
    # Word by word 1 2 with probability 0.6, crossed with 0.4: every other outcome has one link or none.
    column = column_of({(0, 0): 0.6, (1, 0): 0.4, (1, 1): 1.0})
    found = score(["x y"], source=["a b"], hyp_align=column, metrics="unaligned-source,crossing-rate", expected=2000)
    # the first word is free if its target word went to the second one
    assert found.spread is not None
    assert abs(found.values[0, 0] - 0.4 / 2) < 5 * found.spread[0, 0] / math.sqrt(2000)
    assert found.spread[0, 0] == pytest.approx(math.sqrt(0.6 * 0.4) / 2, abs=0.01)


@pytest.mark.usefixtures("no_aligner")
def test_uncertainty_spreads_and_grows_with_the_doubt() -> None:
    def spread(sure: float) -> float:
        row: Weighted = {(place, place): sure for place in range(6)} | {
            (5 - place, place): 1 - sure for place in range(6)
        }
        found = score(
            [" ".join("uvwxyz")], source=[" ".join("abcdef")], hyp_align=column_of(row), metrics="kendall", expected=60
        )
        assert found.spread is not None
        return float(found.spread[0, 0])

    assert 0 == spread(1.0) < spread(0.95) < spread(0.6)


@pytest.mark.usefixtures("no_aligner")
def test_references_are_drawn_apart_from_systems_and_equal_systems_alike() -> None:
    row: Weighted = {(place, place): 0.5 for place in range(6)} | {(5 - place, place): 0.5 for place in range(6)}
    column = column_of(row)
    line = " ".join("uvwxyz")
    found = score(
        {"A": [line], "B": [line]},
        [line],
        source=[" ".join("abcdef")],
        order="source",
        hyp_align={"A": column, "B": column},
        ref_align=column,
        metrics="kendall,lr-kb4",
        expected=30,
    )
    assert found.draws is not None
    assert found.spread is not None
    assert found.draws[0].tolist() == found.draws[1].tolist()
    assert found.values[0, 0] < 0.9  # the same draw for both would be a perfect order every time
    assert found.spread[0, 0] > 0


@pytest.mark.usefixtures("no_aligner")
def test_alpha_is_one_for_all_draws() -> None:
    row: Weighted = {(0, 0): 0.7, (1, 0): 0.3, (1, 1): 0.7, (0, 1): 0.3}
    found = score(
        ["x y"],
        ["x y"],
        source=["a b"],
        hyp_align=column_of(row),
        ref_align=Alignments.of([Alignment(((0, 1), (1, 0)))]),
        metrics="lr-kb1",
        expected=10,
    )
    assert found.names == ["lr-kb1:dk=0.0"]
    assert found.signature["dk"] == 0
    assert found.signature["alpha"] == [1.0]
    assert metric(found.names[0]) == found.metrics[0]


SOURCE = ["la casa verde", "la casa", "una casa grande", "el perro verde", "un perro", "la puerta grande"] * 2
TARGET = ["the green house", "the house", "a big house", "the green dog", "a dog", "the big door"] * 2


def test_an_aligner_gives_the_probabilities() -> None:
    found = score({"A": TARGET, "B": TARGET}, source=SOURCE, expected=5, metrics="kendall,crossing-rate")
    assert found.signature["order"] == "monotone"
    assert found.signature["aligner"] == "hmm+grow-diag-final-and+sampled"
    assert (found.signature["draws"], found.signature["seed"]) == (5, 12345)
    assert found.signature["draw_seed"] == 12345
    assert found.spread is not None
    assert found.spread[0, 0] > 0
    through = score({"A": TARGET}, TARGET, source=SOURCE, expected=5, metrics="kendall,lr-kb4")
    assert through.signature["order"] == "source"
    assert through.names[1].startswith("lr-kb4:dk=")


def test_the_same_seed_gives_the_same_numbers_for_any_number_of_threads() -> None:
    def run(seed: int, threads: int) -> str:
        found = score({"A": TARGET}, TARGET, source=SOURCE, expected=4, samples=9, seed=seed, threads=threads)
        return json.dumps(found.to_dict())

    first = run(7, 1)
    assert run(7, 2) == first
    assert run(8, 1) != first


@pytest.mark.usefixtures("no_aligner")
def test_probabilities_may_come_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "links"
    path.write_text("0-0:0.5 1-0:0.5 1-1\n")
    found = score(["x y"], source=["a b"], hyp_align=path, metrics="jump,pef", expected=20)
    assert found.signature["aligner"] == "given+sampled"
    assert found.signature["align_format"] == "pharaoh"
    path.write_text("0-0 1-0 1-1\n")
    with pytest.raises(
        UsageError, match=r"no link has a probability; expected scores need an aligner, or links such as"
    ):
        score(["x y"], source=["a b"], hyp_align=path, expected=20)


NEURAL = {"A": [0.25, 0.75], "B": [0.5, 0.0]}


@pytest.mark.usefixtures("no_aligner")
def test_scores_of_others_stand_beside_expected_ones() -> None:
    gold = column_of({(0, 0): 1.0, (1, 1): 1.0, (2, 2): 1.0}, {(0, 0): 1.0, (1, 1): 1.0})
    texts: dict[str, Any] = {
        **TEXTS,
        "ref": ["x y z w", "u v"],
        "order": "source",
        "given": {"comet": NEURAL},
        "metrics": "kendall,given:comet,full:lexical=given:comet",
    }
    found = score(**texts, **CERTAIN, ref_align=gold, expected=3)
    plain = {name: without(column) for name, column in CERTAIN["hyp_align"].items()}
    exact = score(**texts, hyp_align=plain, ref_align=without(gold), samples=0)
    np.testing.assert_array_equal(found.values, exact.values)
    assert found.values[:, 1].tolist() == [0.5, 0.25]

    unsure = {
        "A": column_of({(0, 0): 1.0, (1, 1): 0.5, (2, 1): 0.5, (1, 2): 1.0}, {(0, 0): 1.0, (1, 1): 1.0}),
        "B": CERTAIN["hyp_align"]["B"],
    }
    drawn = score(**texts, hyp_align=unsure, ref_align=gold, expected=8)
    assert drawn.segment_scores("A", "given:comet").tolist() == NEURAL["A"]
    assert drawn.spread is not None
    assert (drawn.spread[0] > 0).tolist() == [True, False, True]
    shown = [column.name for column in drawn.table().columns]
    assert [name for name in shown if name.endswith("spread")] == ["kendall spread", "full:lexical=given:comet spread"]


@pytest.mark.usefixtures("no_aligner")
def test_several_references_are_chosen_from_in_every_draw() -> None:
    sure, crossed = ({(0, 0): 1.0, (1, 1): 1.0}, {(0, 1): 1.0, (1, 0): 1.0})
    common: dict[str, Any] = {
        "hyp": ["x y"],
        "ref": [["x y"], ["x y"]],
        "source": ["a b"],
        "hyp_align": column_of(sure, lengths=(2, 2)),
        "ref_align": [column_of(sure, lengths=(2, 2)), column_of(crossed, lengths=(2, 2))],
        "metrics": "kendall",
        "expected": 2,
    }
    assert score(**common).values[0, 0] == 1
    average = score(**common, reference_choice="average")
    assert average.values[0, 0] == 0.5
    assert average.signature["reference_choice"] == "average"


# --- what people see ----------------------------------------------------------------------------------------------


ROWS: list[Weighted] = [
    {(0, 0): 0.5, (1, 0): 0.5, (1, 1): 1.0, (2, 2): 1.0},  # the first target word may mean the first or second word
    {},
    {(0, 1): 1.0, (1, 0): 1.0, (2, 2): 0.5},
]
LINES = ["x y z", "u v w", "r s t"]


def draw_by_draw(inputs: SourceTexts, metrics: str) -> list[Scores]:
    """Score every draw by itself, as an input with certain links."""
    gold, judged = inputs.likely_links
    found = []
    for draw in range(inputs.expected):
        links = [sample_links(column, seed=inputs.seed, draw=draw, stream=1 + r) for r, column in enumerate(gold)]
        systems = dict(zip(inputs.systems, [sample_links(c, seed=inputs.seed, draw=draw) for c in judged], strict=True))
        certain = replace(inputs, expected=0, ref_align=links, hyp_align=systems)
        found.append(score(certain, metrics=metrics, samples=0))
    return found


@pytest.fixture(scope="module")
def expected() -> Scores:
    certain: Weighted = {(0, 0): 1.0, (1, 1): 1.0, (2, 2): 1.0}
    inputs = SourceTexts(
        {"A": LINES, "B": LINES},
        LINES,
        ["a b c", "d e f", "g h i"],
        hyp_align={"A": column_of(*ROWS, lengths=(3, 3)), "B": column_of(certain, {}, certain, lengths=(3, 3))},
        ref_align=column_of(certain, certain, ROWS[0], lengths=(3, 3)),
        policy="drop",
        expected=40,
    )
    return score(inputs, metrics="kendall,lr-kb1:alpha=0.5,bleu1", docs=["d", "d", "e"], samples=20)


@pytest.mark.slow
def test_rows_are_the_mean_of_the_rows_of_every_draw(expected: Scores) -> None:
    assert isinstance(expected.scored_inputs, SourceTexts)
    draws = draw_by_draw(expected.scored_inputs, "kendall,lr-kb1:alpha=0.5,bleu1")
    for s in range(2):
        rows = np.stack([np.asarray(draw.statistics[s]) for draw in draws])
        np.testing.assert_allclose(np.asarray(expected.statistics[s]), rows.mean(axis=0), atol=1e-12)
    assert expected.spread is not None
    values = np.stack([draw.values for draw in draws])
    np.testing.assert_allclose(expected.spread, values.std(axis=0), atol=1e-12)
    assert expected.spread[0, 0] > 0
    assert not expected.spread[:, 2].any()  # words do not depend on links


def test_expected_scores_have_all_that_scores_have(expected: Scores) -> None:
    kendall = expected.segment_scores("A", "kendall")
    assert 0.5 < kendall[0] <= 1.0
    assert np.isnan(kendall[1])  # nothing is aligned in any draw: left out
    assert expected.defined[:, 0].tolist() == [2, 2]
    assert len(expected.comparisons) == 3
    assert [example.segment for example in expected.worst(1)] == [3]
    document = expected.to_dict()
    assert [group["name"] for group in document["documents"]] == ["d", "e"]
    assert document["systems"][0]["scores"]["kendall"]["spread"] == expected.spread[0, 0]  # type: ignore[index]
    assert "spread" not in document["documents"][0]["systems"][0]["scores"]["kendall"]
    assert json.dumps(document, allow_nan=False)
    assert expected.segments().num_rows == 6
    table = expected.table()
    assert [column.name for column in table.columns][1:3] == ["kendall", "kendall spread"]
    assert any("expected over 40 sampled alignments; spread is" in note for note in table.notes)


def test_a_selection_keeps_the_probabilities(expected: Scores) -> None:
    assert isinstance(expected.scored_inputs, SourceTexts)
    part = expected.scored_inputs.select(np.array([2, 0]))
    assert part.likely_links[1][0].probability is not None
    assert score(part, metrics="kendall", samples=0).segment_scores("A", "kendall").shape == (2,)
    gamma, whole = (
        score(texts, metrics="gamma", samples=0).segment_scores("A", "gamma")
        for texts in (part, expected.scored_inputs)
    )
    assert gamma.tolist() == whole[[2, 0]].tolist()


def test_mistakes_are_told_in_one_line() -> None:
    with pytest.raises(UsageError, match=r"expected \(the number of samples\) must be between 2 and 1,000,000, not 1"):
        score(["x"], source=["a"], expected=1)
    with pytest.raises(UsageError, match="expected requires text aligned with its source; give source"):
        score(["x"], ["x"], source=["a"], order="matched", expected=2)
    with pytest.raises(UsageError, match="expected requires text aligned with its source; give source"):
        score(["x"], ["x"], expected=2)
    with pytest.raises(UsageError, match="order='source' requires a reference"):
        score(["x"], source=["a"], order="source", expected=2)


def test_an_aligner_without_posteriors_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from wordorder.linking.aligning.aligner import TrainingText
    from wordorder.linking.aligning.eflomal import EflomalAligner

    monkeypatch.setattr(through_source, "train", lambda *texts, **options: EflomalAligner([], TrainingText(0, "")))
    with pytest.raises(UsageError, match="eflomal does not provide posteriors; use the model hmm, diagonal or model1"):
        score(["x"], source=["a"], aligning=Aligning(aligner="eflomal"), expected=2)
