"""Several runs of each system: means, both spreads, and a test that shuffles runs."""

from __future__ import annotations

from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest

from wordorder import Resampling, score_runs
from wordorder.core.runtime.errors import UsageError, WordorderError
from wordorder.report.table import Mark
from wordorder.scoring.inputs import GivenOrders
from wordorder.scoring.runs import Runs, name_runs
from wordorder.scoring.score import score

ORDERS = {
    "A/1": ["1 2 3 4", "1 3 2 4", "1 2 4 3"],
    "A/2": ["1 2 3 4", "2 1 3 4", "1 2 3 4"],
    "B/1": ["4 3 2 1", "1 3 2 4", "2 1 4 3"],
    "B/2": ["2 1 4 3", "4 2 3 1", "1 2 3 4"],
}


def runs(orders: dict[str, list[str]] = ORDERS, *, baseline: str | None = None, samples: int = 300) -> Runs:
    scores = score(GivenOrders(orders), metrics="kendall,hamming", resampling=Resampling(samples))
    return Runs(scores, name_runs({"A": 2, "B": 2}), baseline)


def test_means_and_spreads_are_those_of_the_runs() -> None:
    found = runs()
    by_run = found.scores.values.reshape(2, 2, 2)
    assert found.means == pytest.approx(by_run.mean(axis=1))
    assert found.optimiser_spread == pytest.approx(np.abs(by_run[:, 0] - by_run[:, 1]) / np.sqrt(2))
    spreads = found.scores.replicates.std(axis=0, ddof=1)
    assert found.selection_spread == pytest.approx(spreads.reshape(2, 2, 2).mean(axis=1))


def test_p_is_the_share_of_all_shuffles_that_differ_as_much() -> None:
    found = runs()
    segments = np.array([found.scores.segment_scores(run, "kendall") for run in ORDERS]).T
    observed = segments[:, :2].mean() - segments[:, 2:].mean()
    extreme = [
        abs(np.mean([row[list(order[:2])] for row, order in zip(segments, orders, strict=True)])
            - np.mean([row[list(order[2:])] for row, order in zip(segments, orders, strict=True)]))
        >= observed - 1e-9
        for orders in product(permutations(range(4)), repeat=3)
    ]  # fmt: skip
    tested = found.comparisons[0]
    assert (tested.a, tested.b, tested.metric) == ("A", "B", "kendall")
    assert tested.p == pytest.approx(np.mean(extreme), abs=0.015)
    assert tested.difference == pytest.approx(observed)


def test_systems_with_equal_runs_do_not_differ() -> None:
    equal = {name: ORDERS[name.replace("B", "A")] for name in ORDERS}
    assert all(found.p == found.p_corrected == 1 for found in runs(equal).comparisons)


def test_the_baseline_is_what_the_others_are_compared_with() -> None:
    found = runs(baseline="A")
    assert [(each.a, each.b) for each in found.comparisons] == [("B", "A")] * 2
    assert found.comparisons[0].difference < 0
    cells = [row[2] for row in found.table().rows]
    assert [cell.marks for cell in cells] == [{Mark.BASELINE}, {Mark.UNDECIDED}]  # three segments prove nothing


@pytest.mark.parametrize(("segments", "decidable"), [(5, False), (6, True)])
def test_a_difference_in_every_segment_must_be_able_to_reach_the_level(segments: int, decidable: bool) -> None:
    # If one system is better in all n segments, 2 of the 2^n signs are as extreme: 1/16 with five, 1/32 with six.
    found = runs({name: (orders * 2)[:segments] for name, orders in ORDERS.items()})
    assert found.comparisons[0].decidable == decidable


def test_an_interval_is_that_of_the_difference_of_means() -> None:
    found = runs()
    means = found.scores.replicates[:, :, 0].reshape(-1, 2, 2).mean(axis=2)
    expected = np.percentile(means[:, 0] - means[:, 1], [2.5, 97.5])
    assert [found.comparisons[0].low, found.comparisons[0].high] == pytest.approx(expected.tolist())


def test_marks_are_those_of_the_best_and_its_equals() -> None:
    # Twelve segments: A and C differ in one of them only, B is worse in most.
    orders = {name: column * 4 for name, column in ORDERS.items()}
    orders |= {"C/1": [*orders["A/1"][:-1], "1 2 3 4"], "C/2": orders["A/2"]}
    scores = score(GivenOrders(orders), metrics="kendall", resampling=Resampling(300))
    rows = Runs(scores, name_runs({"A": 2, "B": 2, "C": 2})).table().rows
    assert [row[2].marks for row in rows] == [{Mark.TIED}, set(), {Mark.BEST}]
    one = score(GivenOrders({run: ORDERS[run] for run in ("A/1", "A/2")}), metrics="kendall")
    assert Runs(one, name_runs({"A": 2})).table().rows[0][2].marks == set()


def test_without_samples_there_is_no_test_and_no_spread_of_selection() -> None:
    found = runs(samples=0)
    assert found.comparisons == []
    assert np.isnan(found.selection_spread).all()
    assert [column.name for column in found.table().columns] == [
        "system", "runs", "kendall", "kendall s_sel", "kendall s_opt", "hamming", "hamming s_sel", "hamming s_opt",
    ]  # fmt: skip


def test_plain_data_have_systems_and_single_runs() -> None:
    document = runs().to_dict()
    assert [system["runs"] for system in document["systems"]] == [["A/1", "A/2"], ["B/1", "B/2"]]
    assert [run["name"] for run in document["runs"]] == list(ORDERS)
    assert document["signature"]["runs"] == 2
    assert {test["test"] for test in document["tests"]} == {"shuffling"}


@pytest.mark.parametrize(
    ("texts", "options", "message"),
    [
        ({"A": [["a"]], "B": [["a"]]}, {}, "only one run"),
        ({"A": [["a"], ["a"]], "B": [["a"]]}, {}, "equally many runs.*A 2, B 1"),
        ({"A": [["a"], ["a"]]}, {"baseline": "C"}, "unknown baseline 'C'"),
        ({}, {}, "."),
    ],
)
def test_mistakes(texts: dict[str, list[list[str]]], options: dict[str, str], message: str) -> None:
    with pytest.raises(WordorderError, match=message):
        score_runs(texts, ["a"], metrics="bleu1", samples=0, **options)


def test_documents_can_be_shuffled_whole() -> None:
    scores = score(
        GivenOrders(ORDERS), metrics="kendall", docs=["x", "x", "y"], resampling=Resampling(100, resample="documents")
    )
    found = Runs(scores, name_runs({"A": 2, "B": 2})).comparisons[0]
    assert 0 < found.p <= 1
    assert not found.decidable  # two documents


@pytest.mark.realdata
def test_multeval_table(shared: Path) -> None:
    """The table in multeval's README: 18.5 (.3/.1), 18.8 (.3/.3) p .00, 18.5; its third system equals the first."""
    folder = shared / "data" / "nbest" / "multeval" / "example"
    systems = {
        name: [folder / f"hyps.lc.tok.en.{name}.opt{run}" for run in range(3)] for name in ("baseline", "sys1", "sys2")
    }
    found = score_runs(
        systems, folder / "refs.test2010.lc.tok.en.0", baseline="baseline", metrics="bleu", tokenize="none"
    )
    assert (100 * found.means[:, 0]).round(1).tolist() == [18.5, 18.8, 18.5]
    assert (100 * found.selection_spread[:, 0]).round(1).tolist() == [0.3, 0.3, 0.3]
    assert (100 * found.optimiser_spread[:, 0]).round(1).tolist() == [0.1, 0.3, 0.1]
    assert [each.p < 0.005 for each in found.comparisons] == [True, False]
    assert found.comparisons[1].p == 1  # multeval says .00: it does not count ties


def test_a_single_system_has_runs_too() -> None:
    found = score_runs({"A": [["a b"], ["b a"]]}, ["a b"], metrics="bleu1", samples=10)
    assert found.comparisons == []
    with pytest.raises(UsageError):
        Runs(found.scores, {})
