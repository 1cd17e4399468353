"""The line search against a brute-force twin, and what tuning promises."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from moses_record import read_statistics, read_truth

from wordorder.apps.nbest import NBest, ScoredLists, optimise, tuning_table
from wordorder.apps.nbest.envelope import upper_envelopes
from wordorder.apps.nbest.mert import NARROWEST, IntervalSmoothing, Line, Objective
from wordorder.apps.nbest.nbest import weigh
from wordorder.core.runtime.columns import Floats, offsets_from_lengths
from wordorder.core.runtime.errors import InputError, InputWarning, UsageError
from wordorder.core.statistics.rows import CompactRows
from wordorder.metrics import metric


def scored(features: Floats, sizes: list[int], values: Floats) -> ScoredLists:
    """Lists with these features and segment scores, whose corpus score is their mean."""
    starts = offsets_from_lengths(sizes)
    lists = NBest.of(
        [[f"t{row}" for row in range(size)] for size in sizes],
        features={
            f"f{place}": [row[start:stop].tolist() for start, stop in pairwise(starts.tolist())]
            for place, row in enumerate(features)
        },
    )
    rows = np.column_stack([values, np.ones(len(values))])
    return ScoredLists(lists, (metric("full"),), CompactRows.of(_full(rows)), np.arange(len(rows), dtype=np.int32))


def _full(rows: Floats) -> Floats:
    """Return statistics of 'full', the mean of segment scores: (total, weight, parts)."""
    return np.column_stack([rows, np.zeros((len(rows), 3))])


def brute_force(slopes: Floats, heights: Floats, offsets: Any, values: Floats) -> list[tuple[float, float, float]]:
    """Try the middle of every interval between any two crossings: (from, to, score)."""
    points: set[float] = set()
    for start, stop in pairwise(offsets.tolist()):
        for one in range(start, stop):
            for two in range(one + 1, stop):
                if slopes[one] != slopes[two]:
                    points.add((heights[one] - heights[two]) / (slopes[two] - slopes[one]))
    edges = sorted(points)
    found = []
    for low, high in pairwise([-np.inf, *edges, np.inf]):
        if high - low < NARROWEST:
            continue
        ends = (low if np.isfinite(low) else high - 2, high if np.isfinite(high) else low + 2)
        middle = 0.0 if not edges else (ends[0] + ends[1]) / 2
        scores = heights + middle * slopes
        chosen = [start + int(np.argmax(scores[start:stop])) for start, stop in pairwise(offsets.tolist())]
        found.append((low, high, float(np.mean(values[chosen]))))
    return found


def check_line(line: Line, expected: list[tuple[float, float, float]]) -> None:
    for low, high, score in expected:
        middle = 0.0 if np.isinf(low) and np.isinf(high) else np.clip((low + high) / 2, low + 1e-9, high - 1e-9)
        middle = high - 1 if np.isinf(low) and np.isfinite(high) else low + 1 if np.isinf(high) else middle
        middle = 0.0 if np.isinf(low) and np.isinf(high) else middle
        place = int(np.searchsorted(line.edges, middle, side="right")) - 1
        assert line.scores[place] == score


def random_case(rng: np.random.Generator) -> tuple[Floats, list[int], Floats]:
    """Few sentences with few hypotheses whose features are small whole numbers: ties, parallel and equal lines."""
    sizes = rng.integers(1, 6, rng.integers(1, 4)).tolist()
    width = int(rng.choice([2, 4, 30]))
    features = rng.integers(-width, width + 1, (2, sum(sizes))).astype(np.float64)
    return features, sizes, rng.integers(0, 50, sum(sizes)).astype(np.float64)


def compare(features: Floats, sizes: list[int], values: Floats) -> None:
    offsets = offsets_from_lengths(sizes)
    rows = _full(np.column_stack([values, np.ones(len(values))]))
    count = len(values)
    texts: Any = None
    lists = NBest(np.arange(len(sizes)), offsets, texts, np.zeros(count, np.int32), ("f0", "f1"), features)
    objective = Objective(lists, metric("full"), CompactRows.of(rows), np.arange(count, dtype=np.int32))
    expected = brute_force(features[0], features[1], offsets, values)
    check_line(objective.along(features[1], features[0]), expected)
    check_line(objective.along(features[1], weigh(features, np.array([1.0, 0.0]))), expected)
    best = max(score for *_, score in expected)
    where, score = objective.along(features[1], features[0]).best(-np.inf, np.inf, IntervalSmoothing())
    assert score == best
    chosen = features[1] + where * features[0]
    picks = [start + int(np.argmax(chosen[start:stop])) for start, stop in pairwise(offsets.tolist())]
    assert float(np.mean(values[picks])) == best


@given(st.integers(0, 2**32))
@settings(max_examples=60)
def test_the_line_search_is_exact(seed: int) -> None:
    compare(*random_case(np.random.default_rng(seed)))


@pytest.mark.slow
def test_ten_thousand_envelopes_are_those_of_brute_force() -> None:
    rng = np.random.default_rng(12345)
    sizes = rng.integers(1, 8, 10_000)
    offsets = offsets_from_lengths(sizes)
    slopes, heights = rng.integers(-4, 5, (2, offsets[-1])).astype(np.float64) * rng.choice([1, 0.25, 3], offsets[-1])
    chain, begins = upper_envelopes(slopes, heights, offsets)
    ends = np.searchsorted(chain, offsets)  # sentence by sentence
    for row, (start, stop) in enumerate(pairwise(offsets.tolist())):
        own = slice(start, stop)
        found = chain[ends[row] : ends[row + 1]].tolist()
        edges = [*begins[ends[row] : ends[row + 1]].tolist(), np.inf]
        assert edges == [-np.inf, *sorted(edges[1:])]
        with np.errstate(divide="ignore", invalid="ignore"):
            points = np.subtract.outer(heights[own], heights[own]) / -np.subtract.outer(slopes[own], slopes[own])
        points = np.unique(points[np.isfinite(points)])
        middles = np.concatenate(
            [points[:1] - 1, (points[1:] + points[:-1]) / 2, points[-1:] + 1, [0.5] * (not len(points))]
        )
        middles = middles[np.abs(np.subtract.outer(middles, points)).min(axis=1, initial=1) > 1e-9]
        best = start + np.argmax(heights[own] + middles[:, None] * slopes[own], axis=1)
        assert [found[int(place) - 1] for place in np.searchsorted(edges, middles)] == best.tolist()


def test_what_is_best_on_a_line() -> None:
    line = Line(np.array([-np.inf, -1.0, 0.0, 0.00005, 1.0, np.inf]), np.array([0.1, 0.5, 0.9, 0.3, 0.4]))
    plain = IntervalSmoothing()
    assert line.best(-np.inf, np.inf, plain) == (-0.5, 0.5)  # the interval of .9 is too narrow
    assert line.best(0.5, np.inf, plain) == (1.1, 0.4)
    assert line.best(-np.inf, -1.5, plain) == (-1.6, 0.1)
    assert line.best(-2.0, -1.5, plain) == (-1.75, 0.1)
    assert line.best(2.0, 2.0, plain) == (0.0, -np.inf)
    tied = Line(np.array([-np.inf, 0.0, 1.0, 3.0, np.inf]), np.array([0.0, 1.0, 1.0, np.nan]))
    assert tied.best(-np.inf, np.inf, plain) == (2.0, 1.0)  # of equals the widest
    scores = np.array([0.0, 1.0, 4.0, 1.0])
    assert IntervalSmoothing.parse("minimum:1").apply(scores).tolist() == [0, 0, 1, 1]
    assert IntervalSmoothing.parse("average:2").apply(scores).tolist() == [5 / 3, 1.5, 1.5, 2]
    for wrong in ("mean", "average:x", "average:0"):
        with pytest.raises(UsageError, match="smoothing"):
            IntervalSmoothing.parse(wrong)


@pytest.fixture(scope="module")
def example() -> ScoredLists:
    rng = np.random.default_rng(1)
    sizes = [12] * 10
    features = rng.normal(size=(3, 120))
    return scored(features, sizes, features[0] - 0.5 * features[1] + 0.3 * rng.normal(size=120))


def test_tuning_keeps_its_promises(example: ScoredLists) -> None:
    start = {"f0": -1.0, "f1": 0.2, "f2": 0.1}
    tuned = optimise(example, start=start, restarts=4, runs=2)
    assert len(tuned.runs) == 2
    for run in tuned.runs:
        assert run.score == example.score(example.lists.choose(run.weights))
        assert run.score >= example.score(example.lists.choose(start))
        assert sum(map(abs, run.weights.values())) == pytest.approx(1)
    assert optimise(example, start=start, restarts=4, runs=2, threads=3).runs == tuned.runs
    assert optimise(example, start=start, restarts=4, runs=2, seed=2).runs != tuned.runs
    assert tuned.weights == max(tuned.runs, key=lambda run: run.score).weights
    assert sum(map(abs, tuned.average().values())) <= 1 + 1e-12
    surface = tuned.surface("f0")
    here = surface[(surface[:, 0] < tuned.weights["f0"]) & (tuned.weights["f0"] < surface[:, 1])]
    assert here[0, 2] == pytest.approx(tuned.best.score)
    assert surface[:, 2].max() <= tuned.best.score + 1e-6
    assert "full" in str(tuned)
    table = tuning_table([tuned], example)
    assert [cell.value for cell in table.rows[1]][:2] == ["full", pytest.approx(np.mean([r.score for r in tuned.runs]))]
    assert table.rows[1][3].value == pytest.approx(np.std(tuned.scores(example), ddof=1))


def test_weights_stay_where_they_must(example: ScoredLists) -> None:
    found = optimise(example, restarts=3, fixed={"f1": 0.25}, positive=["f2"], bounds={"f0": (-0.5, 0.5)}).weights
    assert found["f1"] == 0.25
    assert found["f2"] >= 0
    assert -0.5 <= found["f0"] <= 0.5
    free = optimise(example, restarts=3, positive=["f2"], smooth="average:2")
    assert sum(map(abs, free.weights.values())) == pytest.approx(1)  # positive weights can be scaled
    for wrong, message in (
        ({"fixed": {"x": 1}}, "unknown feature"),
        ({"bounds": {"f0": (1, 0)}}, "the bounds of f0 are 1 and 0"),
        ({"fixed": {"f0": 0, "f1": 0, "f2": 0}}, "nothing to tune"),
        ({"runs": 0}, "runs 1 or more"),
        ({"seed": -1}, "must be 0 or more"),
        ({"directions": -1}, "must be 0 or more"),
        ({"start": {"f0": 1}}, "features without a weight: f1, f2"),
    ):
        with pytest.raises(UsageError, match=message):
            optimise(example, **wrong)


def test_doubtful_objectives() -> None:
    lists = NBest.of([["b a", "a b"]], features={"lm": [[1.0, 2.0]], "dull": [[3.0, 3.0]]})
    with pytest.warns(InputWarning) as caught:
        tuned = optimise(lists.score(["a b"], "kendall"), restarts=1)
    told = " ".join(str(warning.message) for warning in caught)
    assert "kendall scores word order alone: tuning for it gives" in told
    assert "dull is the same for all hypotheses of a sentence" in told
    assert (tuned.fixed, tuned.weights["dull"], tuned.weights["lm"]) == (("dull",), 0, 1)
    unmatched = NBest.of([["a", "b"]], features={"lm": [[1.0, 2.0]]}).score(["c"], "kendall")
    with pytest.warns(InputWarning), pytest.raises(InputError, match="kendall is undefined for every choice"):
        optimise(unmatched, restarts=1)
    with pytest.raises(UsageError, match="has no features, so there are no weights to tune"):
        optimise(NBest.of([["a", "b"]]).score(["a"], "full"))


@pytest.mark.realdata
def test_the_record_of_moses_mert(shared: Path) -> None:
    folder = shared / "data" / "nbest" / "moses-mert-record"
    record = read_statistics(folder)
    line = (folder / "mert.results.txt").read_text().splitlines()[0]
    point = [float(token) for token in line.partition("point:")[2].partition("=>")[0].split()]
    weights = dict(zip(record.lists.names, point, strict=True))
    assert round(record.score(record.lists.choose(weights)), 6) == 0.304339
    start = [float(token) for token in (folder / "INIT").read_text().splitlines()[0].split()]
    with pytest.warns(InputWarning, match="are the same for all hypotheses"):
        tuned = optimise(record, start=dict(zip(weights, start, strict=True)), ranges=(0, 1))
    assert round(tuned.best.score, 6) >= 0.304339


LOOPS = ["mert-moses-new", "mert-moses-new-nocase"]


def recorded_iterations(shared: Path, name: str) -> Iterator[tuple[ScoredLists, list[float], float]]:
    """Yield all lists up to an iteration of a recorded loop of Moses, and the weights and the BLEU it found there."""
    folder = shared / "data" / "nbest" / "moses-it-en-loop" / name
    references = [folder / f"reference.{number}" for number in range(3)]
    lists: list[NBest] = []
    for number, (weights, bleu) in enumerate(read_truth(folder / "truth" / "results.dat"), start=1):
        lists.append(NBest.read(folder / "data" / f"run{number}.NBEST.out.gz"))
        known = NBest.union(lists).score(references, "bleu", tokenize="none", lowercase=name.endswith("nocase"))
        yield known, weights, bleu


@pytest.mark.realdata
@pytest.mark.parametrize("name", LOOPS)
def test_recorded_loops_of_moses(shared: Path, name: str) -> None:
    for known, weights, bleu in recorded_iterations(shared, name):
        choice = known.lists.choose(dict(zip(known.lists.names, weights, strict=True)))
        assert round(known.score(choice), 6) == bleu


@pytest.mark.slow
@pytest.mark.realdata
def test_as_good_as_moses_from_the_same_starts(shared: Path) -> None:
    """Each iteration starts from the weights of the one before and from 20 random points in the recorded ranges."""
    first = (
        {"d_0": 0.4, "lm": 0.5, "w": -1.0} | {f"d_{n}": 0.15 for n in range(1, 7)} | {f"tm_{n}": 0.2 for n in range(5)}
    )
    ranges = {"d": (0.0, 2.0), "lm": (0.0, 2.0), "tm": (0.0, 2.0), "tm_4": (-1.0, 1.0), "w": (-1.0, 1.0)}
    worse = []
    for name in LOOPS:
        start = first
        for number, (known, weights, bleu) in enumerate(recorded_iterations(shared, name), start=1):
            tuned = optimise(known, start=start, ranges=ranges, restarts=20)
            assert tuned.best.score >= known.score(known.lists.choose(start))
            if round(tuned.best.score, 4) < round(bleu, 4):
                worse.append((name, number))
            start = dict(zip(known.lists.names, weights, strict=True))
    assert len(worse) <= 1, worse  # of 12; one is missed with this seed, and found along the axes alone
