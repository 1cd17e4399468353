"""Scores as people hold them: a number with an interval, data frames, plain data, segments, a table in a notebook."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wordorder
from wordorder.core.orders import Permutations
from wordorder.core.runtime.errors import UsageError
from wordorder.metrics import metric
from wordorder.scoring.scores import Score, Scores
from wordorder.scoring.tables import groups_table, scores_table, summary_table

HYPOTHESES = {"A": ["the cat sat down", "a dog ran"], "B": ["down sat the cat", "x y z"]}
REFERENCE = ["the cat sat down", "a dog ran"]
FIVE: Any = 5  # where it does not belong


@pytest.fixture
def scores() -> Scores:
    return wordorder.score(HYPOTHESES, REFERENCE, metrics="pef,kendall,bleu1", samples=100, docs=["d", "e"])


# --- one score ----------------------------------------------------------------------------------------------------


def test_a_score_is_a_number_with_an_interval(scores: Scores) -> None:
    found = scores["A", "pef"]
    assert isinstance(found, float)
    assert isinstance(found, Score)
    assert (found, found.value, found.low, found.high) == (1.0, 1.0, 1.0, 1.0)
    assert type(found.value) is float
    assert f"{found:.2f}" == "1.00"
    assert scores["A", "bleu1"] - scores["B", "bleu1"] > 0
    weak = scores["B", "bleu1"]
    assert weak.low <= weak <= weak.high
    assert json.dumps(found) == "1.0"


def test_a_score_is_found_by_spec_or_by_metric(scores: Scores) -> None:
    assert scores["B", metric("kendall")] == scores["B", "kendall"]
    assert scores["B"] == {name: scores["B", name] for name in ("pef", "kendall", "bleu1")}
    assert {system: scores[system]["pef"] for system in scores.systems} == {"A": 1.0, "B": scores["B", "pef"]}
    with pytest.raises(UsageError, match=r"unknown system 'C' \(valid: A, B\)"):
        scores["C", "pef"]
    with pytest.raises(UsageError, match=r"these scores have no metric 'bleu'"):
        scores["A", "bleu"]


def test_a_score_is_found_however_its_metric_is_written() -> None:
    found = wordorder.score(HYPOTHESES, REFERENCE, metrics="full:order=pef,pef:beta=0.50", samples=0)
    assert found.names == ["full", "pef:beta=0.5"]
    for spec in ("full", "full:order=pef", "full:alpha=.5", "FULL"):
        assert found["B", spec] == found["B", "full"]
    one, two = (found.segment_scores("B", spec) for spec in ("pef:beta=0.50", "pef:beta=0.5"))
    np.testing.assert_array_equal(one, two)
    with pytest.raises(UsageError, match=r"these scores have no metric 'pef:gamma=0.1' \(available: full, pef"):
        found["B", "pef:gamma=0.1"]


def test_without_samples_there_is_no_interval() -> None:
    found = wordorder.score(HYPOTHESES, REFERENCE, metrics="pef", samples=0)["A", "pef"]
    assert found == 1.0
    assert math.isnan(found.low)
    assert math.isnan(found.high)


# --- all of them --------------------------------------------------------------------------------------------------


def test_a_data_frame(scores: Scores) -> None:
    frame = scores.to_pandas()
    assert list(frame.columns) == ["pef", "kendall", "bleu1"]
    assert list(frame.index) == ["A", "B"]
    assert frame.loc["B", "kendall"] == scores["B", "kendall"]


def test_plain_data(scores: Scores) -> None:
    document = json.loads(json.dumps(scores.to_dict(), allow_nan=False))
    assert list(document) == ["version", "signature", "segments", "systems", "documents", "tests", "notes"]
    assert document["systems"][0]["name"] == "A"
    assert document["systems"][1]["scores"]["kendall"] == {
        "value": scores["B", "kendall"].value,
        "low": None,  # of one segment
        "high": None,
        "defined": 1,
        "undefined": 1,
        "parts": {},
    }


def test_segments(scores: Scores) -> None:
    found = scores.segments()
    assert found.column_names == ["system", "segment", "pef", "kendall", "bleu1", "matched"]
    assert found["system"].to_pylist() == ["A", "A", "B", "B"]
    assert found["segment"].to_pylist() == [1, 2, 1, 2]
    assert found["kendall"].to_pylist()[3] is None
    assert found["matched"].to_pylist() == [1.0, 1.0, 1.0, 0.0]
    assert scores.segment_scores("A", "kendall").tolist() == [1.0, 1.0]


def test_the_table_in_a_notebook_and_on_a_terminal(scores: Scores) -> None:
    assert repr(scores) == "Scores(2 systems × 3 metrics × 2 segments)"
    assert str(scores) == str(summary_table(scores)) == str(scores.summary())
    assert str(scores_table(scores)) == str(scores.table())
    html = scores._repr_html_()
    assert html.startswith("<table")
    assert "<th" in html
    assert "bleu1" in html
    document = groups_table(scores, "document")
    assert [row[0].value for row in document.rows] == ["d", "d", "e", "e"]
    with pytest.raises(UsageError, match="no buckets were given"):
        groups_table(scores, "bucket")


def test_the_summary_says_what_its_columns_and_intervals_are(scores: Scores) -> None:
    """Two segments are enough for an interval; one is not, nor are segments without samples."""
    found = summary_table(scores)
    assert (found.columns[0].name, found.columns[0].align) == ("system", "left")
    assert ", ± 95% interval" in found.title
    one = wordorder.score({"A": ["b a"], "B": ["a b"]}, ["a b"], metrics="kendall", samples=100)
    none = wordorder.score(HYPOTHESES, REFERENCE, metrics="kendall", samples=0)
    assert "interval" not in summary_table(one).title + summary_table(none).title


def test_the_summary_says_how_systems_were_tested_unless_by_the_bootstrap() -> None:
    texts = {name: ["a b c d", end] * 20 for name, end in (("A", "a b c"), ("B", "b a c"), ("C", "c b a"))}
    reference = ["a b c d", "a b c"] * 20
    notes = {
        test: " ".join(wordorder.score(texts, reference, metrics="kendall", samples=100, test=test).summary().notes)
        for test in ("bootstrap", "sign")
    }
    assert "paired sign tests of 2 systems against the best" in notes["sign"]
    assert "paired" not in notes["bootstrap"]


def test_the_complete_table_has_a_line_of_p_values_unless_it_is_short() -> None:
    texts = {name: [line] * 40 for name, line in (("A", "a b c"), ("B", "b a c"), ("C", "c b a"))}
    found = wordorder.score(texts, ["a b c"] * 40, metrics="kendall", samples=100)
    sentence = "p-values for kendall against the best system (A): "
    assert sentence in " ".join(scores_table(found).notes)
    assert sentence not in " ".join(scores_table(found, short=True).notes)


def test_names_are_escaped_in_html() -> None:
    html = wordorder.score({"<b>A</b>": ["a"]}, ["a"], metrics="bleu1")._repr_html_()
    assert "<b>A</b>" not in html
    assert "&lt;b&gt;A" in html


# --- matched is a fact --------------------------------------------------------------------------------------------


def test_matched_is_a_fact_beside_the_scores(scores: Scores) -> None:
    assert "matched" not in scores.names
    assert scores.signature["metrics"] == ["pef", "kendall", "bleu1"]
    assert scores.matched is not None
    assert scores.matched.tolist() == pytest.approx([1.0, 4 / 7])
    assert [column.name for column in scores.table().columns][-3:] == ["matched", "segments", "words"]
    assert scores.to_dict()["systems"][1]["matched"] == pytest.approx(4 / 7)
    assert "matched" not in scores.to_dict()["systems"][1]["scores"]
    assert not [found for found in scores.comparisons if found.metric == "matched"]


def test_matched_is_a_metric_for_those_who_ask() -> None:
    asked = wordorder.score(HYPOTHESES, REFERENCE, metrics="matched,pef", samples=50)
    assert asked.names == ["matched", "pef"]
    assert asked["B", "matched"] == pytest.approx(4 / 7)
    assert [column.name for column in asked.table().columns].count("matched") == 1
    assert asked.segments().column_names == ["system", "segment", "matched", "pef"]


def test_orders_without_text_have_no_matched_words() -> None:
    orders = wordorder.score(permutations={"A": ["1 2", "2 1"]}, metrics="kendall")
    assert orders.matched is None
    assert orders.segments().column_names == ["system", "segment", "kendall"]
    assert "matched" not in orders.to_dict()["systems"][0]
    assert "matched" not in str(orders)


# --- metrics as values --------------------------------------------------------------------------------------------


def test_parameters_by_name() -> None:
    assert metric("pef", beta=0.5) == metric("pef:beta=0.5")
    assert str(metric("fuzzy", boundaries=True)) == "fuzzy:boundaries=true"
    assert str(metric("dpm:n=2", parts="1g+2g", gamma=1)) == "dpm:parts=1g+2g:n=2"
    with pytest.raises(UsageError, match="unknown parameter of pef 'betta'"):
        metric("pef", betta=0.5)
    with pytest.raises(UsageError, match="beta is set twice"):
        metric("pef:beta=0.1", beta=0.2)


@pytest.mark.parametrize("spec", ["bleu", "bleu1", "f1", "chrf", "1-ter", "meteor", "full", "lr-kb4", "ribes"])
def test_a_metric_of_text_scores_a_pair(spec: str) -> None:
    hypothesis, reference = "the cat sat down there", "down there sat the cat"
    scores = wordorder.score([hypothesis], [reference], metrics=spec, samples=0)
    assert metric(spec)(hypothesis, reference) == pytest.approx(scores.segment_scores("system", spec)[0])
    assert metric(spec)(reference, reference) == pytest.approx(1.0, abs=0.01)


def test_several_references_and_how_words_are_cut() -> None:
    bleu1 = metric("bleu1")
    assert bleu1("a b", "c d", "a b") == 1.0
    assert metric("kendall-sqrt")("1 2 3") == 1.0
    assert metric("f1")("A b", "a b") < metric("f1")("A b", "a b", lowercase=True) == 1.0
    assert metric("f1")("ab", "ba", tokenizer="char") == 1.0
    with pytest.raises(
        UsageError, match="metric bleu1 compares a sentence with a reference, but no reference was given"
    ):
        bleu1("a b")
    with pytest.raises(UsageError, match="metric edpm needs parses, so it cannot score two sentences"):
        metric("edpm")("a", "b")


def test_order_metrics_score_orders() -> None:
    kendall = metric("kendall")
    assert kendall("1 2 4 3") == 5 / 6
    assert kendall("2 1 3", reference="1 3 2") == 1 / 3
    column = kendall(Permutations.of(["1 2", "2 1"]))
    assert isinstance(column, np.ndarray)
    assert column.tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: wordorder.score(["a b"], ["a b"], docs=FIVE), "docs must be names, one for each segment, not 5"),
        (lambda: wordorder.score(["a b"], ["a b"], docs="d.txt"), "docs must be names.*not 'd.txt'"),
        (lambda: wordorder.score(permutations=FIVE), "permutations must be a file or a list of orders"),
        (lambda: wordorder.score_runs(FIVE, ["a b"]), "hyp must be a mapping"),
        (lambda: wordorder.Permutation((FIVE / 4, 0)), "a rank must be a whole number, not 1.25"),
    ],
)
def test_what_is_of_another_type_is_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        call()


def test_an_unknown_name_is_a_key_error_that_lists_the_names(scores: Scores) -> None:
    with pytest.raises(KeyError, match=r"unknown system 'C' \(valid: A, B\)"):
        scores["C", "pef"]
    with pytest.raises(KeyError, match="these scores have no metric 'pfe'"):
        scores["A", "pfe"]
    with pytest.raises(UsageError):
        scores["C"]


def test_lists_of_results_are_printed_as_tables(scores: Scores) -> None:
    compared, worst = scores.compare(), scores.worst(1)
    assert isinstance(compared, list)
    assert [cell.value for cell in compared.table().rows[0]][:3] == [compared[0].metric, compared[0].a, compared[0].b]
    assert [column.name for column in compared.table().columns] == ["metric", "a", "b", "a − b", "p", "corrected p"]
    assert compared[0].a in str(compared)
    assert repr(compared) == str(compared)
    assert "<table>" in compared._repr_html_()
    lines = [line for example in worst for drawn in example.lines.values() for line in drawn]
    assert [(row[-2].value, row[-1].value) for row in worst.table().rows] == lines
    assert "<table>" in worst._repr_html_()


def test_metrics_of_order_score_two_sentences() -> None:
    pef = wordorder.metric("pef")
    assert pef("sat the cat", "the cat sat") == pef("3 1 2")
    assert pef("3 1 2", "1 2 3") == pef("3 1 2")
