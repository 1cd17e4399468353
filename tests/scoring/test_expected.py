"""Expected scores: draws follow the probabilities, certainty has no spread, and the seed decides everything."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.aligning import Aligning
from wordorder.inputs import source as through_source
from wordorder.metrics import metric
from wordorder.orders import Alignment, Alignments
from wordorder.runtime.errors import InputError, UsageError
from wordorder.scoring.expected import ExpectedScores, sample_links
from wordorder.scoring.shortcuts import expected_scores, score

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


def drawn(column: Alignments, draws: int, **options: int) -> list[list[frozenset[tuple[int, int]]]]:
    """The links of every row, in every draw."""
    options = {"seed": 1} | options
    return [[frozenset(row.links) for row in sample_links(column, draw=draw, **options)] for draw in range(draws)]


def near(share: float, expected: float, count: int) -> bool:
    """Within five standard deviations of a share of ``count`` trials."""
    return abs(share - expected) <= 5 * math.sqrt(expected * (1 - expected) / count) + 1e-12


# --- drawing -------------------------------------------------------------------------------------------------------

DRAWS = 4000


def test_frequencies_are_the_probabilities() -> None:
    row: Weighted = {(0, 0): 0.5, (1, 0): 0.3, (2, 1): 0.9, (3, 2): 0.05, (4, 2): 0.15, (5, 2): 0.6}
    rows = [links for draw in drawn(column_of(row, {(0, 0): 0.25}), DRAWS) for links in draw[:1]]
    for link, share in row.items():
        assert near(sum(link in links for links in rows) / DRAWS, share, DRAWS), link
    assert near(sum(all(target for _, target in links) for links in rows) / DRAWS, 0.2, DRAWS)  # word 0 unaligned


def test_a_target_word_takes_one_source_word_at_most() -> None:
    row: Weighted = {(source, target): 0.2 for source in range(5) for target in range(3)}
    for (links,) in drawn(column_of(row), 50):
        targets = [target for _, target in links]
        assert len(targets) == len(set(targets)) == 3  # five times 0.2 is certain to be something


@pytest.mark.slow
def test_words_rows_draws_and_streams_are_independent() -> None:
    row: Weighted = {(0, 0): 0.5, (0, 1): 0.5}
    column = column_of(row, row)
    found = np.array([[[(0, word) in links for word in (0, 1)] for links in draw] for draw in drawn(column, DRAWS)])
    other = np.array([[(0, 0) in draw[0]] for draw in drawn(column, DRAWS, stream=1)])
    series = [found[:, 0, 0], found[:, 0, 1], found[:, 1, 0], other[:, 0], np.roll(found[:, 0, 0], 1)]
    for place, one in enumerate(series):
        for two in series[place + 1 :]:
            assert near(float((one & two).mean()), 0.25, DRAWS)


@given(
    st.dictionaries(st.tuples(st.integers(0, 5), st.integers(0, 5)), st.floats(0, 1), max_size=12),
    st.integers(-(2**70), 2**70),
    st.integers(0, 1000),
)
def test_draws_are_some_of_the_links_and_the_seed_decides_which(row: Weighted, seed: int, draw: int) -> None:
    column = column_of(row, row)
    one = sample_links(column, seed=seed, draw=draw)
    two = sample_links(column, seed=seed, draw=draw)
    assert one.source.tolist() == two.source.tolist()
    assert one.offsets.tolist() == two.offsets.tolist()
    assert one.probability is None
    assert (one.source_lengths.tolist(), one.target_lengths.tolist()) == ([6, 6], [6, 6])
    for links in one:
        assert set(links.links) <= {link for link, share in row.items() if share > 0}
        assert len({target for _, target in links.links}) == len(links)


def test_shares_of_more_than_one_are_scaled_down() -> None:
    row: Weighted = {(0, 0): 0.9, (1, 0): 0.9, (2, 0): 0.2}
    rows = [draw[0] for draw in drawn(column_of(row), DRAWS)]
    for link, share in row.items():
        assert near(sum(link in links for links in rows) / DRAWS, share / 2, DRAWS)
    assert all(rows)


def test_links_without_probabilities_are_certain() -> None:
    plain = Alignments.of([Alignment(((0, 0), (1, 0)), 2, 1)])
    assert sample_links(plain, seed=1, draw=3) is plain


# --- expected scores ----------------------------------------------------------------------------------------------

TEXTS: dict[str, Any] = {
    "hypotheses": {"A": ["x y z w", "u v"], "B": ["x z y w", "u v"]},
    "source": ["a b c d", "e f"],
    "tokenizer": "none",
}
CERTAIN: dict[str, Any] = {
    "hypothesis_alignments": {
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
    plain = {name: without(column) for name, column in CERTAIN["hypothesis_alignments"].items()}
    for order in ("monotone", "source"):
        given: dict[str, Any] = {}
        if order == "source":
            given["references"] = ["x y z w", "u v"]
            given["reference_alignments"] = column_of(
                {(0, 0): 1.0, (2, 1): 1.0, (1, 2): 1.0}, {(0, 1): 1.0, (1, 0): 1.0}
            )
        found = expected_scores(**TEXTS, **CERTAIN, **given, order=order, draws=3)
        if order == "source":
            given["reference_alignments"] = without(given["reference_alignments"])
        exact = score(**TEXTS, **given, order=order, hypothesis_alignments=plain, samples=0)
        assert found.systems == exact.systems
        assert found.metrics == tuple(map(str, exact.metrics))
        np.testing.assert_array_equal(found.values, exact.values)
        assert not found.spread.any()
        assert found.draws.shape == (3, *exact.values.shape)


@pytest.mark.usefixtures("no_aligner")
@pytest.mark.slow
def test_the_expectation_is_that_of_the_distribution() -> None:
    # Word by word 1 2 with probability 0.6, crossed with 0.4: every other outcome has one link or none.
    column = column_of({(0, 0): 0.6, (1, 0): 0.4, (1, 1): 1.0})
    found = expected_scores(
        ["x y"],
        source=["a b"],
        hypothesis_alignments=column,
        metrics="unaligned-source,crossing-rate",
        draws=2000,
    )
    # the first word is free if its target word went to the second one
    assert abs(found.values[0, 0] - 0.4 / 2) < 5 * found.spread[0, 0] / math.sqrt(2000)
    assert found.spread[0, 0] == pytest.approx(math.sqrt(0.6 * 0.4) / 2, abs=0.01)


@pytest.mark.usefixtures("no_aligner")
def test_uncertainty_spreads_and_grows_with_the_doubt() -> None:
    def spread(sure: float) -> float:
        row: Weighted = {(place, place): sure for place in range(6)} | {
            (5 - place, place): 1 - sure for place in range(6)
        }
        found = expected_scores(
            [" ".join("uvwxyz")],
            source=[" ".join("abcdef")],
            hypothesis_alignments=column_of(row),
            metrics="kendall",
            draws=60,
        )
        return float(found.spread[0, 0])

    assert 0 == spread(1.0) < spread(0.95) < spread(0.6)


@pytest.mark.usefixtures("no_aligner")
def test_references_are_drawn_apart_from_systems_and_equal_systems_alike() -> None:
    row: Weighted = {(place, place): 0.5 for place in range(6)} | {(5 - place, place): 0.5 for place in range(6)}
    column = column_of(row)
    line = " ".join("uvwxyz")
    found = expected_scores(
        {"A": [line], "B": [line]},
        [line],
        source=[" ".join("abcdef")],
        order="source",
        hypothesis_alignments={"A": column, "B": column},
        reference_alignments=column,
        metrics="kendall,lr-kb4",
        draws=30,
    )
    assert found.draws[:, 0].tolist() == found.draws[:, 1].tolist()
    assert found.values[0, 0] < 0.9  # the same draw for both would be a perfect order every time
    assert found.spread[0, 0] > 0


@pytest.mark.usefixtures("no_aligner")
def test_alpha_is_one_for_all_draws() -> None:
    row: Weighted = {(0, 0): 0.7, (1, 0): 0.3, (1, 1): 0.7, (0, 1): 0.3}
    found = expected_scores(
        ["x y"],
        ["x y"],
        source=["a b"],
        hypothesis_alignments=column_of(row),
        reference_alignments=Alignments.of([Alignment(((0, 1), (1, 0)))]),
        metrics="lr-kb1",
        draws=10,
    )
    assert found.metrics == ("lr-kb1:dk=0.0",)
    assert found.signature["dk"] == 0
    assert found.signature["alpha"] == [1.0]
    assert metric(found.metrics[0])


SOURCE = ["la casa verde", "la casa", "una casa grande", "el perro verde", "un perro", "la puerta grande"] * 2
TARGET = ["the green house", "the house", "a big house", "the green dog", "a dog", "the big door"] * 2


def test_an_aligner_gives_the_probabilities() -> None:
    found = expected_scores({"A": TARGET, "B": TARGET}, source=SOURCE, draws=5, metrics="kendall,crossing-rate")
    assert found.signature["order"] == "monotone"
    assert found.signature["aligner"] == "hmm+grow-diag-final-and+sampled"
    assert (found.signature["draws"], found.signature["seed"]) == (5, 12345)
    assert "samples" not in found.signature
    assert found.spread[0, 0] > 0
    through = expected_scores({"A": TARGET}, TARGET, source=SOURCE, draws=5, metrics="kendall,lr-kb4")
    assert through.signature["order"] == "source"
    assert through.metrics[1].startswith("lr-kb4:dk=")


def test_the_same_seed_gives_the_same_numbers_for_any_number_of_threads() -> None:
    def run(seed: int, threads: int) -> str:
        found = expected_scores({"A": TARGET}, TARGET, source=SOURCE, draws=4, seed=seed, threads=threads)
        return json.dumps(found.to_dict())

    first = run(7, 1)
    assert run(7, 2) == first
    assert run(8, 1) != first


@pytest.mark.usefixtures("no_aligner")
def test_probabilities_may_come_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "links"
    path.write_text("0-0:0.5 1-0:0.5 1-1\n")
    found = expected_scores(["x y"], source=["a b"], hypothesis_alignments=path, metrics="jump,pef", draws=20)
    assert found.signature["aligner"] == "given+sampled"
    assert found.signature["align_format"] == "pharaoh"
    path.write_text("0-0 1-0 1-1\n")
    with pytest.raises(
        UsageError, match=r"no link has a probability; expected scores need an aligner, or links like"
    ):
        expected_scores(["x y"], source=["a b"], hypothesis_alignments=path)


@pytest.mark.usefixtures("no_aligner")
def test_several_references_are_chosen_from_in_every_draw() -> None:
    sure, crossed = ({(0, 0): 1.0, (1, 1): 1.0}, {(0, 1): 1.0, (1, 0): 1.0})
    common: dict[str, Any] = {
        "hypotheses": ["x y"],
        "references": [["x y"], ["x y"]],
        "source": ["a b"],
        "hypothesis_alignments": column_of(sure, lengths=(2, 2)),
        "reference_alignments": [column_of(sure, lengths=(2, 2)), column_of(crossed, lengths=(2, 2))],
        "metrics": "kendall",
        "draws": 2,
    }
    assert expected_scores(**common).values[0, 0] == 1
    average = expected_scores(**common, reference_choice="average")
    assert average.values[0, 0] == 0.5
    assert average.signature["reference_choice"] == "average"


# --- what people see ----------------------------------------------------------------------------------------------


def test_tables_and_json_tell_value_spread_and_signature() -> None:
    found = ExpectedScores(
        ("A",),
        ("kendall", "jump"),
        np.array([[[0.5, np.nan]], [[0.7, np.nan]]]),
        {"metrics": ["kendall"], "draws": 2},
    )
    table = found.table()
    assert [column.name for column in table.columns] == [
        "system",
        "kendall",
        "kendall spread",
        "jump",
        "jump spread",
    ]
    assert table.rows[0][1].value == pytest.approx(0.6)
    assert table.rows[0][2].value == pytest.approx(0.1)
    assert table.notes == ("expected over 2 sampled alignments; spread is their standard deviation",)
    assert table.signature == "metrics:kendall|draws:2"
    scores = found.to_dict()["systems"][0]["scores"]
    assert scores["jump"] == {"value": None, "spread": None}
    assert json.dumps(found.to_dict(), allow_nan=False)


def test_mistakes_are_told_in_one_line() -> None:
    with pytest.raises(UsageError, match="expected scores need 2 sampled alignments or more, not 1"):
        expected_scores(["x"], source=["a"], draws=1)
    with pytest.raises(UsageError, match="expected scores are over alignments of text with its source"):
        expected_scores(["x"], ["x"], source=["a"], order="matched")
    with pytest.raises(UsageError, match="unknown policy 'brich'"):
        expected_scores(["x"], source=["a"], policy="brich")
    with pytest.raises(UsageError, match="the order 'source' needs a reference"):
        expected_scores(["x"], source=["a"], order="source")
    with pytest.raises(InputError, match="the inputs differ in length"):
        expected_scores(["x"], source=["a", "b"])
    with pytest.raises(UsageError, match="unknown metric 'kendal'"):
        expected_scores(["x"], source=["a"], metrics="kendal")


def test_an_aligner_without_posteriors_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from wordorder.aligning.eflomal import EflomalAligner
    from wordorder.aligning.training_text import TrainingText

    monkeypatch.setattr(through_source, "train", lambda *texts, **options: EflomalAligner([], TrainingText(0, "")))
    with pytest.raises(UsageError, match="eflomal has no posteriors; use the model hmm, diagonal or model1"):
        expected_scores(["x"], source=["a"], aligning=Aligning(aligner="eflomal"))
