"""Corpus scores of word orders: means by hand, what is undefined, intervals, and what must not matter."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scoring_twins import bootstrap, mean, percentiles

import twins
from wordorder import Permutations, score
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.report.table import write_signature
from wordorder.scoring.scores import Scores

A = ["1 2 3", "2 1 3", "", "3 2 1", "1"]
B = ["3 2 1", "1 2 3", "2 1", "1 3 2", ""]

COLUMNS = st.lists(st.integers(0, 5).flatmap(lambda n: st.permutations(range(1, n + 1)).map(tuple)), min_size=1)


def twin_scores(name: str, column: list[twins.Order]) -> list[float]:
    return [twins.FLAT[name](order) if order else math.nan for order in column]


def test_values_are_means_of_what_is_defined() -> None:
    scores = score(permutations={"A": A, "B": B}, metrics="kendall,hamming,fuzzy")
    assert scores.systems == ("A", "B")
    expected = [
        [(1 + 2 / 3 + 0 + 1) / 4, (1 + 1 / 3 + 1 / 3 + 1) / 4, (1 + 0 + 0 + 1) / 4],
        [(0 + 1 + 0 + 2 / 3) / 4, (1 / 3 + 1 + 0 + 1 / 3) / 4, (0 + 1 + 0 + 0) / 4],
    ]
    assert scores.values.tolist() == [pytest.approx(row) for row in expected]
    assert scores.defined.tolist() == [[4, 4, 4], [4, 4, 4]]
    assert len(scores) == 5
    assert scores.segment_scores("A", "kendall").tolist() == pytest.approx([1, 2 / 3, math.nan, 0, 1], nan_ok=True)


@settings(max_examples=40)
@given(COLUMNS)
def test_values_and_segments_are_those_of_the_twins(column: list[twins.Order]) -> None:
    scores = score(permutations=Permutations.of(column), metrics=",".join(twins.FLAT), samples=0)
    for m, name in enumerate(twins.FLAT):
        expected = twin_scores(name, column)
        assert scores.segment_scores("system", name).tolist() == pytest.approx(expected, nan_ok=True)
        assert scores.values[0, m] == pytest.approx(mean(expected), nan_ok=True)
        assert scores.defined[0, m] == sum(bool(order) for order in column)


def test_nothing_defined_is_undefined_not_zero() -> None:
    scores = score(permutations={"A": ["", ""], "B": ["1 2", ""]}, metrics="kendall,pef")
    assert np.isnan(scores.values[0]).all()
    assert np.isnan(scores.intervals[0][0]).all()
    assert scores.defined.tolist() == [[0, 0], [1, 1]]
    document = scores.to_dict()
    assert document["systems"][0]["scores"]["kendall"] == {
        "value": None,
        "low": None,
        "high": None,
        "defined": 0,
        "undefined": 2,
        "parts": {},
    }
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert "–" in str(scores)
    assert "undefined, and left out of the means: 1 to 2 segments" in str(scores.table())


def random_orders(count: int, seed: int) -> list[twins.Order]:
    generator = np.random.default_rng(seed)
    column = [tuple(map(int, generator.permutation(n) + 1)) for n in generator.integers(1, 9, size=count)]
    return [() if place % 11 == 7 else order for place, order in enumerate(column)]


def test_intervals_are_percentiles_of_a_direct_bootstrap_and_hold_the_value() -> None:
    column = random_orders(60, 3)
    scores = score(permutations=Permutations.of(column), metrics="kendall,hamming,ulam", samples=200)
    for m, name in enumerate(("kendall", "hamming", "ulam")):
        segments = twin_scores(name, column)
        replicates = bootstrap(
            [[place] for place in range(len(column))],
            lambda drawn, segments=segments: mean([segments[place] for place in drawn]),  # type: ignore[misc]
        )
        assert scores.replicates[:, 0, m].tolist() == pytest.approx(replicates.tolist())
        low, high = (float(bound[0, m]) for bound in scores.intervals)
        assert (low, high) == pytest.approx(percentiles(replicates))
        assert low < scores.values[0, m] < high


def test_another_seed_gives_other_samples_and_the_same_seed_the_same() -> None:
    column = Permutations.of(random_orders(40, 4))
    one, two, three = (
        score(permutations=column, metrics="kendall", samples=50, seed=seed).replicates for seed in (1, 1, 2)
    )
    assert (one == two).all()
    assert (one != three).any()


def numbers_of(scores: Scores, system: str, metric: str) -> list[object]:
    found = next(entry for entry in scores.to_dict()["systems"] if entry["name"] == system)
    return [found["scores"][metric], scores.segment_scores(system, metric).tobytes()]


def test_another_system_or_metric_changes_no_digit() -> None:
    columns = {name: Permutations.of(random_orders(50, seed)) for seed, name in enumerate("ABC")}
    alone = score(permutations={"B": columns["B"]}, metrics="pef", samples=100)
    among = score(permutations=columns, metrics="kendall,fuzzy,pef,pet", samples=100)
    assert numbers_of(alone, "B", "pef") == numbers_of(among, "B", "pef")


def test_no_samples_no_intervals() -> None:
    scores = score(permutations={"A": A, "B": B}, samples=0)
    assert all(np.isnan(bound).all() for bound in scores.intervals)
    assert scores.comparisons == []
    assert "±" not in str(scores)
    assert "samples:0" in write_signature(scores.signature)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"samples": -1}, "samples must be from 0 to 1,000,000, not -1"),
        ({"samples": "many"}, r"samples must be a whole number, not 'many' \(str\)"),
        ({"seed": 1.5}, r"seed must be a whole number, not 1.5 \(float\)"),
        ({"threads": -1}, "threads must be 0"),
        ({"threads": "all"}, "threads must be a whole number, not 'all'"),
        ({"metrics": 5}, r"metrics must be specs such as 'kendall,pef:beta=0.5', or metrics, not 5 \(int\)"),
        ({"metrics": ["pef", None]}, "metrics must be specs .* not None"),
        ({"metrics": "kendal"}, "unknown metric 'kendal'; did you mean 'kendall'"),
        ({"metrics": "kendall,,pef"}, "a metric name is empty"),
        ({"metrics": "bleu"}, "metric bleu needs text with a reference, which this input does not include"),
        ({"metrics": "lr-kb4"}, "needs text"),
        ({"metrics": "pef:bta=1"}, "unknown parameter of pef 'bta'; did you mean 'beta'"),
        ({"test": "t"}, "unknown test 't'"),
        ({"test": 5}, "unknown test 5"),
        ({"metric": "pef"}, "unknown argument 'metric'; did you mean 'metrics'.*samples, seed"),
        ({"doc": ["d"]}, "unknown argument 'doc'; did you mean 'docs'"),
        ({"baseline": "C"}, "unknown baseline 'C'"),
        ({"baseline": "C", "samples": 0}, "unknown baseline 'C'"),
        ({"resample": "words"}, "unknown value of resample: 'words'"),
        ({"resample": "documents"}, "resampling documents needs the document name of each segment; give docs"),
        ({"weight": "words"}, "weight='ref-length' requires text with references"),
        ({"weight": "ref-length"}, "weight='ref-length' requires text with references"),
        ({"reference_choice": "best"}, "unknown choice of reference 'best'"),
    ],
)
@pytest.mark.parametrize("systems", [{"A": A}, {"A": A, "B": B}])
def test_wrong_options_are_told(systems: dict[str, list[str]], options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        score(permutations=systems, **options)  # type: ignore[arg-type]


def test_nothing_to_score() -> None:
    with pytest.raises(UsageError, match="nothing to score: give hyp and ref"):
        score()
    with pytest.raises(UsageError, match="no system"):
        score(permutations={})
    with pytest.raises(UsageError, match="cannot be combined with text or alignments"):
        score(["a"], ["a"], permutations=A)
    with pytest.raises(InputError, match="nothing to score"):
        score(permutations=[])


def test_signature_says_what_is_needed_to_repeat_it() -> None:
    signature = score(permutations={"A": A, "B": B}, metrics="pef:beta=0.5,kendall", seed=7, samples=10).signature
    version = signature.pop("version")
    assert signature == {
        "metrics": ["pef:beta=0.5", "kendall"],
        "order": "permutations",
        "base": 1,
        "samples": 10,
        "test": "bootstrap",
        "seed": 7,
    }
    text = write_signature(score(permutations=A, metrics="pef:beta=0.5,kendall", seed=7, samples=10).signature)
    assert text == f"metrics:pef:beta=0.5,kendall|order:permutations|base:1|samples:10|seed:7|version:{version}"


def test_unknown_names_list_the_known_ones() -> None:
    scores = score(permutations={"A": A, "B": B}, metrics="kendall", samples=0)
    with pytest.raises(UsageError, match=r"unknown system 'C'.*valid: A, B"):
        scores.segment_scores("C", "kendall")
    with pytest.raises(UsageError, match=r"these scores have no metric 'pef' \(available: kendall"):
        scores.segment_scores("A", "pef")
