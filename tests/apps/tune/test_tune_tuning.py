from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import wordorder
from wordorder import metric
from wordorder.apps.metaeval import JudgedSet, Setup
from wordorder.apps.metaeval.coefficients import estimate
from wordorder.apps.tune.tuning import Range, TuningSet, climb, tune
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.core.statistics import Resampling
from wordorder.formats.judgements import Comparisons
from wordorder.scoring.inputs import MatchedTexts

REFERENCE = [f"a{n} b{n} c{n} d{n} e{n}" for n in range(24)]
ORDERED = [f"a{n} b{n} c{n} x y" for n in range(24)]  # fewer words, right order
WORDY = [f"e{n} d{n} c{n} b{n} a{n}" for n in range(24)]  # all words, wrong order


def judged(*, order_matters: bool) -> Comparisons:
    count = len(REFERENCE) // 2
    return Comparisons(
        ("ordered", "wordy"),
        ("j",),
        np.arange(count) * 2 + 1,  # only every other segment is judged
        np.zeros(count, np.int64),
        np.ones(count, np.int64),
        np.full(count, 1 if order_matters else -1, np.int8),
        np.zeros(count, np.int64),
        np.arange(count),
        np.ones(count),
    )


def tuning_set(*, order_matters: bool = True, name: str = "x-y", **fixed: str) -> TuningSet:
    texts = {"ordered": ORDERED, "wordy": WORDY}
    inputs = MatchedTexts(texts, REFERENCE)
    return TuningSet.of(name, inputs, judged(order_matters=order_matters), metric=metric("full"), fixed=fixed)


@pytest.mark.parametrize("search", ["climb", "grid"])
def test_tuning_finds_what_people_look_at(search: str) -> None:
    ranges = [Range("alpha", 0, 1)]
    for order_matters in (True, False):
        found = tune("full:order=kendall", ranges, [tuning_set(order_matters=order_matters)], search=search, restarts=4)
        assert found.train == found.test == 1.0
        score = wordorder.score({"ordered": ORDERED, "wordy": WORDY}, REFERENCE, metrics=found.spec, samples=0)
        assert (score.values[0, 0] > score.values[1, 0]) is np.bool_(order_matters)


def test_costs_of_operators_are_learned_from_people() -> None:
    texts = {
        "ordered": [f"b{n} d{n} a{n} c{n} e{n}" for n in range(24)],
        "wordy": [f"b{n} a{n} d{n} c{n} e{n}" for n in range(24)],
    }
    inputs = MatchedTexts(texts, REFERENCE)
    plain = wordorder.score(texts, REFERENCE, metrics="pef", samples=0)
    assert plain["ordered", "pef"] < plain["wordy", "pef"]  # two inversions are better than a simple operator …
    one = TuningSet.of("x-y", inputs, judged(order_matters=True), metric=metric("pef"))  # … but people disagree
    ranges = [Range(name, 0, 1) for name in ("gamma", "four", "longer")]
    found = tune("pef", ranges, [one], search="grid", steps=3)
    assert found.train == found.test == 1.0
    tuned = wordorder.score(texts, REFERENCE, metrics=found.spec, samples=0)
    assert tuned["ordered", found.spec] > tuned["wordy", found.spec]
    assert "four=" in found.spec


def test_the_value_is_that_of_ordinary_scores_on_the_same_part() -> None:
    one = tuning_set()
    found = tune("full:order=kendall", [Range("alpha", 0.25, 0.75)], [one], search="grid", steps=3, coefficient="tau")
    texts = {"ordered": ORDERED, "wordy": WORDY}
    for setting, train, _ in found.tried:
        scores = wordorder.score(texts, REFERENCE, metrics=f"full:order=kendall:alpha={setting[0]}", samples=0)
        part = one.split(0.5, 12345)[0]
        whole = judged(order_matters=True).select(np.unique(part.segment))
        expected = estimate(JudgedSet.of("x-y", scores, whole), "segment", "tau", Setup(Resampling(samples=0))).values[
            0
        ]
        assert train == pytest.approx(expected)
    assert [setting[0] for setting, *_ in found.tried] == [0.25, 0.5, 0.75]


def test_the_parts_share_no_segment_and_nothing_is_lost() -> None:
    one = tuning_set()
    train, test = one.split(0.25, 1)
    assert not set(train.segment) & set(test.segment)
    assert len(train) == 3
    assert len(train) + len(test) == len(one.judgements)


def test_one_theta_serves_several_sets() -> None:
    sets = [tuning_set(name="x-y", dk="0.5"), tuning_set(name="z-y", order_matters=True, dk="1.0")]
    found = tune("lr-kb1", [Range("theta", 0, 1)], sets, restarts=3)
    assert found.spec.startswith("lr-kb1:theta=")
    assert [str(judged.scores.metrics[1]) for judged in found.held_out] == [
        f"{found.spec}:dk=0.5",
        f"{found.spec}:dk=1.0",
    ]


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_climbing_ends_where_no_small_step_is_better(start: float, x: float, y: float) -> None:
    ranges = [Range("a", 0, 1), Range("b", 0, 2)]

    def hill(place: tuple[float, ...]) -> float:
        return -abs(place[0] - x) - abs(place[1] - 2 * y)

    top = climb(hill, (start, start), ranges)
    assert abs(top[0] - x) <= 0.013
    assert abs(top[1] - 2 * y) <= 0.026


def test_mistakes_are_named() -> None:
    with pytest.raises(UsageError, match="expected a range key=low:high"):
        Range.parse("alpha=1")
    with pytest.raises(UsageError, match="expected a range key=low:high"):
        Range.parse("alpha=1:0")
    with pytest.raises(UsageError, match="unknown parameter of full"):
        tune("full", [Range("alfa", 0, 1)], [tuning_set()])
    with pytest.raises(UsageError, match="alpha must be 0 to 1, not 5"):
        tune("full", [Range("alpha", 0, 5)], [tuning_set()])
    with pytest.raises(UsageError, match="must be between 0 and 1"):
        tune("full", [Range("alpha", 0, 1)], [tuning_set()], share=1.0)
    with pytest.raises(InputError, match="too few"):
        tuning_set().split(0.001, 1)
