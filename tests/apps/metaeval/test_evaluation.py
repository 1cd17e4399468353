from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wordorder
from papers import forests_2014
from wordorder.apps.metaeval import JudgedSet, Setup, metaevaluate
from wordorder.apps.metaeval.coefficients import (
    MetricTest,
    average_ranks,
    compare_metrics,
    estimate,
    human_scores,
    wins_losses_draws,
)
from wordorder.core.runtime.cache import Cache
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.core.statistics import Resampling
from wordorder.core.statistics.correlation import correlate
from wordorder.core.statistics.rows import CompactRows
from wordorder.core.statistics.tests import sign_p
from wordorder.formats.judgements import Comparisons, Ratings
from wordorder.scoring.cache import cached_scores

REFERENCE = ["a b c d", "e f g h", "i j k l", "m n o p", "q r s t"]
TEXTS = {
    "good": ["a b c d", "e f g h", "i j l k", "m n o p", "q r s t"],
    "poor": ["d c b a", "h e f g", "l k j i", "m o n p", "x r q t"],
    "fair": ["b a c d", "e f h g", "i j k l", "x n o p", "q s r t"],
}
METRICS = "kendall,hamming,matched"


def scores(metrics: str = METRICS) -> wordorder.Scores:
    return wordorder.score(TEXTS, REFERENCE, metrics=metrics, samples=0)


def comparisons(rows: list[tuple[int, int, int, int]]) -> Comparisons:
    segment, first, second, preference = (np.array(side, dtype=np.int64) for side in zip(*rows, strict=True))
    count = len(rows)
    return Comparisons(
        tuple(TEXTS),
        ("j",),
        segment,
        first,
        second,
        preference.astype(np.int8),
        np.zeros(count, np.int64),
        np.arange(count),
        np.ones(count),
    )


def ratings(values: np.ndarray) -> Ratings:
    system, segment = np.nonzero(~np.isnan(values))
    return Ratings(tuple(TEXTS), ("j",), segment, system, np.zeros(len(system), np.int64), values[system, segment])


judged_rows = st.lists(
    st.tuples(st.integers(0, 4), st.sampled_from([(0, 1), (1, 2), (2, 0)]), st.sampled_from([-1, 0, 1])).map(
        lambda row: (row[0], *row[1], row[2])
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=30)
@given(judged_rows)
def test_tau_and_consistency_are_counts_of_pairs(rows: list[tuple[int, int, int, int]]) -> None:
    judged = JudgedSet.of("x-y", scores(), comparisons(rows))
    for m, metric in enumerate(judged.metrics):
        agree = differ = tied = 0
        for segment, a, b, preference in rows:
            one, two = (judged.scores.segment_scores(list(TEXTS)[s], metric)[segment] for s in (a, b))
            if preference == 0:
                continue
            if one == two:
                tied += 1
            elif (one > two) == (preference > 0):
                agree += 1
            else:
                differ += 1
        for name, top, below in (
            ("tau", agree - differ, agree + differ),
            ("tau-discordant", agree - differ - tied, agree + differ + tied),
            ("consistency", agree, agree + differ + tied),
        ):
            found = estimate(judged, "segment", name, Setup(Resampling(samples=0))).values[m]
            np.testing.assert_allclose(found, top / below if below else np.nan)


@settings(max_examples=30)
@given(judged_rows)
def test_human_scores_count_wins(rows: list[tuple[int, int, int, int]]) -> None:
    judged = JudgedSet.of("x-y", scores(), comparisons(rows))
    sums = judged.human_rows()[0].sum(axis=0)
    for system in range(3):
        outcomes = [p for _, a, _, p in rows if a == system] + [-p for _, _, b, p in rows if b == system]
        wins, losses, ties = outcomes.count(1), outcomes.count(-1), outcomes.count(0)
        assert sums[system, :3].tolist() == [wins, losses, ties]
        expected = (wins + ties) / len(outcomes) if outcomes else np.nan
        np.testing.assert_allclose(human_scores(sums[system], "better-or-equal"), expected)
    assert judged.human_rows("judgements")[0].sum(axis=0).tolist() == sums.tolist()


ROWS = [
    (0, 0, 1, 1),
    (0, 0, 2, 1),
    (1, 1, 2, -1),
    (2, 0, 1, 1),
    (2, 1, 2, -1),
    (3, 0, 2, 1),
    (4, 1, 2, 0),
    (4, 0, 1, 1),
]


def test_system_level_is_spearman_of_two_rankings() -> None:
    judged = JudgedSet.of("x-y", scores(), comparisons(ROWS))
    human = [1.0, 0.0, 0.5]  # good 5/5; poor 0/5; fair 2 wins, 2 losses
    found = estimate(judged, "system", "rho", Setup(Resampling(samples=0)))
    for m in range(3):
        assert found.values[m] == pytest.approx(correlate(human, judged.scores.values[:, m], method="spearman").value)
    assert found.count == 3


@pytest.mark.parametrize("unit", ["segments", "judgements"])
def test_replicates_are_the_coefficients_of_drawn_units(unit: str) -> None:
    """A replicate must be what the coefficient is on the very rows that were drawn."""
    from wordorder.core.statistics.resampling import bootstrap_counts

    judged = JudgedSet.of("x-y", scores(), comparisons(ROWS))
    found = estimate(judged, "segment", "consistency", Setup(Resampling(samples=5, seed=7, resample=unit)))
    units = sorted({row[0] for row in ROWS}) if unit == "segments" else list(range(len(ROWS)))
    for sample, draw in enumerate(bootstrap_counts(len(units), samples=5, seed=7)):
        drawn = [
            row
            for place, count in enumerate(draw)
            for _ in range(count)
            for number, row in enumerate(ROWS)
            if (row[0] if unit == "segments" else number) == units[place]
        ]
        again = estimate(
            JudgedSet.of("x-y", scores(), comparisons(drawn)), "segment", "consistency", Setup(Resampling(samples=0))
        )
        np.testing.assert_allclose(found.replicates[sample], again.values)


def test_system_replicates_move_people_and_metrics_together() -> None:
    judged = JudgedSet.of("x-y", scores(), comparisons(ROWS))
    both = estimate(judged, "system", "r", Setup(Resampling(samples=20)))
    people = estimate(judged, "system", "r", Setup(Resampling(samples=20, resample="judgements")))
    assert both.replicates.shape == people.replicates.shape == (20, 3)
    assert not np.allclose(both.replicates, people.replicates, equal_nan=True)


VALUES = np.array([[5, 4, 4, 5, np.nan], [1, 2, 1, 3, 2], [3, 3, 5, 2, 4]], dtype=float)


@pytest.mark.parametrize("method", ["pearson", "spearman", "kendall"])
def test_ratings_correlate_in_three_groupings(method: str) -> None:
    judged = JudgedSet.of("x-y", scores(), ratings(VALUES))

    def literal(grouping: str, metric: np.ndarray) -> float:
        if grouping == "none":
            return correlate(metric.ravel(), VALUES.ravel(), method=method).value
        pairs = zip(metric, VALUES, strict=True) if grouping == "system" else zip(metric.T, VALUES.T, strict=True)
        each = [correlate(a, b, method=method).value for a, b in pairs]
        known = [value for value in each if value == value]
        return sum(known) / len(known) if known else np.nan

    for grouping in ("none", "segment", "system"):
        found = estimate(judged, "segment", f"{method}.{grouping}", Setup(Resampling(samples=3)))
        assert found.replicates.shape == (3, 3)
        expected = [literal(grouping, metric) for metric in judged.segment_scores]
        np.testing.assert_allclose(found.values, expected, atol=1e-9)


@pytest.mark.parametrize("name", ["pearson.none", "pearson.segment", "pearson.system", "kendall.segment"])
def test_replicates_of_ratings_are_the_coefficients_of_drawn_segments(name: str) -> None:
    human = np.array([[5, 4, 3, np.nan, 2], [1, 2, 1, 4, 2], [3, 3, 3, 5, 1]], dtype=np.float64)
    judged = JudgedSet.of("x", scores(), ratings(human))
    method, _, grouping = name.partition(".")
    setup = Setup(Resampling(samples=20))
    replicates = estimate(judged, "segment", name, setup).replicates
    assert len(replicates) == 20
    for counts, found in zip(setup.resampling.counts(5), replicates, strict=True):
        drawn = np.repeat(np.arange(5), counts)
        y = human[:, drawn]
        for m, one in enumerate(judged.segment_scores):
            x = one[:, drawn]
            lists = {"none": [(x.ravel(), y.ravel())], "segment": zip(x.T, y.T, strict=True)}
            pairs = lists.get(grouping, zip(x, y, strict=True))
            values = np.array([correlate(*pair, method=method).value for pair in pairs])
            known = values[~np.isnan(values)]
            assert found[m] == pytest.approx(known.mean() if len(known) else np.nan, nan_ok=True)


def test_statistics_are_kept_small_and_give_the_same_numbers(tmp_path: Path) -> None:
    inputs = wordorder.make_inputs(TEXTS, REFERENCE)
    given = ratings(np.array([[5, 4, 3, np.nan, 2], [1, 2, 1, 4, 2], [3, 3, 3, 5, 1]], dtype=np.float64))
    setup = Setup(Resampling(samples=20))
    measures = {"segment": ("pearson.none", "accuracy", "kendall.segment"), "system": ("rho", "spa")}
    found = []
    for _ in range(2):  # scored, then from the cache
        kept = cached_scores(inputs, metrics=f"{METRICS},bleu", cache=Cache(tmp_path))
        for rows in kept.statistics:
            assert isinstance(rows, CompactRows)
            assert sum(column.nbytes for column in rows.columns) < np.asarray(rows).nbytes / 2
        arrays = replace(kept, statistics=tuple(map(np.asarray, kept.statistics)))
        sets = [JudgedSet.of("x", one, given) for one in (kept, arrays)]
        found += [metaevaluate([judged], setup=setup, **measures).to_dict() for judged in sets]
    assert all(one == found[0] for one in found)


def test_ratings_become_pairs() -> None:
    judged = JudgedSet.of("x-y", scores(), ratings(VALUES))
    pairs = judged.pairs()
    expected = sorted(
        (segment, a, b, VALUES[a, segment] - VALUES[b, segment])
        for segment in range(5)
        for a, b in combinations(range(3), 2)
        if not np.isnan(VALUES[[a, b], segment]).any()
    )
    found = sorted(zip(pairs.segment, pairs.first, pairs.second, pairs.human, strict=True))
    assert found == expected


def test_documents_compare_differences() -> None:
    judged = JudgedSet.of("x-y", scores(), ratings(VALUES), documents=["d1", "d1", "d2", "d2", "d2"])
    found = estimate(judged, "document", "delta-r", Setup(Resampling(samples=4)))
    people, machine = [], []
    for part in (slice(0, 2), slice(2, 5)):
        human = np.nanmean(VALUES[:, part], axis=1)
        metric = judged.segment_scores[0][:, part].mean(axis=1)
        for a, b in combinations(range(3), 2):
            people.append(human[a] - human[b])
            machine.append(metric[a] - metric[b])
    assert found.values[0] == pytest.approx(correlate(people, machine).value)
    assert found.replicates.shape == (4, 3)


def test_documents_are_compared_as_they_are() -> None:
    judged = JudgedSet.of("x-y", scores(), ratings(VALUES), documents=["d1", "d1", "d2", "d2", "d2"])
    parts = (slice(0, 2), slice(2, 5))
    people = [np.nanmean(VALUES[system, part]) for part in parts for system in range(3)]
    machine = [judged.segment_scores[0][system, part].mean() for part in parts for system in range(3)]
    for name, method in (("r", "pearson"), ("rho", "spearman")):
        found = estimate(judged, "document", name, Setup(Resampling(samples=4)))
        assert found.values[0] == pytest.approx(correlate(people, machine, method=method).value)


def test_the_table_and_the_json_say_the_same() -> None:
    found = metaevaluate(
        [JudgedSet.of("x-y", scores(), comparisons(ROWS)), JudgedSet.of("z-y", scores(), comparisons(ROWS[::-1]))],
        setup=Setup(Resampling(samples=50)),
    )
    table, document = found.table(), found.to_dict()
    assert [column.name for column in table.columns][:5] == ["metric", "x-y tau", "z-y tau", "mean tau", "rank tau"]
    first = document["sets"][0]["findings"][0]
    assert table.rows[0][1].value == first["value"]
    assert document["sets"][0]["judgements"]["ties"] == 1
    assert len(document["tests"]) == 2 * 2 * 3
    assert "x-y: 3 systems, 5 segments" in str(found)
    assert len(found.comparison_table().rows) == 12
    versus = found.versus_table(["hamming"])
    assert all(sum(map(int, str(row[2].value).split("/"))) == 2 for row in versus.rows)


def test_a_metric_does_not_differ_from_itself_and_a_blind_one_loses() -> None:
    rows = [(segment, 0, 1, 1) for segment in range(4)] * 10
    judged = JudgedSet.of("x-y", scores("kendall,lr:alpha=1:order=kendall,hamming"), comparisons(rows))
    setup = Setup(Resampling(samples=0))
    found = estimate(judged, "segment", "tau-zero", setup)
    tests = compare_metrics(judged, "segment", "tau-zero", setup, estimates=found, pairs=[(0, 1)])
    assert tests[0].p == 1.0


@pytest.mark.filterwarnings("error")
def test_one_system_and_undefined_metrics_are_no_trouble() -> None:
    alone = wordorder.score({"good": ["x", "y", "z", "v", "w"]}, REFERENCE, metrics="kendall,f1", samples=0)
    rated = ratings(VALUES).among(["good"], unplaced="drop")
    found = metaevaluate([JudgedSet.of("x-y", alone, rated)], setup=Setup(Resampling(samples=5)))
    assert found.measures == (("segment", "pearson.none"), ("segment", "spearman.none"))
    assert np.isnan(found.values("segment", "pearson.none")).all()
    assert "–" in str(found)
    nothing = wordorder.score({name: ["x"] * 5 for name in TEXTS}, REFERENCE, metrics="kendall,f1", samples=0)
    blind = metaevaluate([JudgedSet.of("x-y", nothing, comparisons(ROWS))], setup=Setup(Resampling(samples=5)))
    assert np.isnan(blind.values("segment", "tau")[0, 0])
    assert len(blind.comparison_table().rows) == 2
    assert blind.to_dict()["sets"][0]["findings"][0]["value"] is None


def test_wrong_inputs_are_named() -> None:
    with pytest.raises(InputError, match="no text for 3 systems with judgements"):
        JudgedSet.of("x-y", wordorder.score({"new": TEXTS["good"]}, REFERENCE, samples=0), comparisons(ROWS))
    with pytest.raises(InputError, match="segment 10, but the texts have only 5"):
        JudgedSet.of("x-y", scores(), comparisons([(9, 0, 1, 1)]))
    judged = JudgedSet.of("x-y", scores(), comparisons(ROWS))
    with pytest.raises(UsageError, match="needs ratings"):
        estimate(judged, "segment", "pearson.none", Setup())
    with pytest.raises(UsageError, match="tau-b"):
        estimate(judged, "system", "tau", Setup())
    with pytest.raises(UsageError, match="give docs"):
        estimate(judged, "document", "delta-r", Setup())
    with pytest.raises(UsageError, match="only segments or judgements"):
        Setup(Resampling(resample="documents"))
    with pytest.raises(UsageError, match="judgements cannot be resampled here"):
        wordorder.score(["a b"], ["a b"], resample="judgements")
    with pytest.raises(UsageError, match="two sets"):
        metaevaluate([judged, judged])


def test_average_ranks_of_the_2014_paper() -> None:
    values = np.array([forests_2014.OUT[name] + forests_2014.INTO[name] for name in forests_2014.OUT])
    ranks = dict(zip(forests_2014.OUT, average_ranks(values), strict=True))
    means = dict(zip(forests_2014.OUT, values.mean(axis=1), strict=True))
    for metric, (rank, mean) in forests_2014.MEANS.items():
        assert ranks[metric] == pytest.approx(rank, abs=1e-9)
        assert means[metric] == pytest.approx(mean, abs=5.1e-5)


def test_williams_test_where_asked() -> None:
    from wordorder.core.statistics.variance import williams_p

    judged = JudgedSet.of("x-y", scores(), ratings(VALUES))
    setup = Setup(Resampling(samples=0), test="williams")
    found = estimate(judged, "segment", "pearson.none", setup)
    tests = compare_metrics(judged, "segment", "pearson.none", setup, estimates=found, pairs=[(0, 1)])
    known = ~np.isnan(VALUES.ravel())
    human, a, b = VALUES.ravel()[known], *(judged.segment_scores[m].ravel()[known] for m in (0, 1))
    r = correlate(human, a).value, correlate(human, b).value, correlate(a, b).value
    assert tests[0].p == pytest.approx(williams_p(*r, int(known.sum())))
    with pytest.raises(UsageError, match="Williams"):
        compare_metrics(judged, "system", "rho", setup, estimates=found)


def test_thesis_6_3_fisher_z_where_asked() -> None:
    from wordorder.core.statistics.variance import fisher_p

    judged = JudgedSet.of("x-y", scores(), ratings(VALUES))
    setup = Setup(Resampling(samples=0), test="fisher")
    found = estimate(judged, "segment", "pearson.none", setup)
    tests = compare_metrics(judged, "segment", "pearson.none", setup, estimates=found, pairs=[(0, 1)])
    known = ~np.isnan(VALUES.ravel())
    human, count = VALUES.ravel()[known], int(known.sum())
    first, second = (correlate(human, judged.segment_scores[m].ravel()[known]).value for m in (0, 1))
    assert tests[0].p == pytest.approx(fisher_p(first, second, count, count), nan_ok=True)
    with pytest.raises(UsageError, match="Fisher's z tests only system-level r"):
        compare_metrics(judged, "system", "rho", setup, estimates=found)


def test_wins_losses_and_draws() -> None:
    def test(difference: float, p: float, a: str = "new", b: str = "old") -> MetricTest:
        return MetricTest("s", "system", "rho", a, b, difference, p, p)

    tests = [test(0.1, 0.01), test(0.1, 0.2), test(-0.1, 0.01), test(-0.1, 0.01, "old", "new"), test(1, 0, "x", "old")]
    assert wins_losses_draws(tests, "new", "old") == (2, 1, 1)


def test_kinds_of_reference_alignments_are_compared() -> None:
    """The 2011 paper's Table 7: the same ratings, the same systems, reference orders of different quality."""
    from wordorder.core.orders import Alignment

    def links(text: str) -> Alignment:
        return Alignment(tuple((int(a), int(b)) for a, b in (link.split("-") for link in text.split())), 3, 3)

    ordered, swapped, reversed_ = links("0-0 1-1 2-2"), links("0-1 1-0 2-2"), links("0-2 1-1 2-0")
    systems = {"good": [ordered] * 5, "poor": [reversed_] * 5, "fair": [swapped] * 5}
    rated = ratings(np.array([[5.0] * 5, [1.0] * 5, [4.0] * 5]))
    sets = [
        JudgedSet.of(name, wordorder.score(hyp_align=systems, ref_align=gold, metrics="kendall", samples=0), rated)
        for name, gold in (("manual", [ordered] * 5), ("automatic", [swapped] * 5))
    ]
    found = metaevaluate(sets, segment=["pearson.none"], system=["rho"], setup=Setup(Resampling(samples=5)))
    manual, automatic = found.values("segment", "pearson.none")[0]
    assert manual == pytest.approx(correlate([1, 0, 2 / 3], [5, 1, 4]).value)
    assert automatic == pytest.approx(correlate([2 / 3, 1 / 3, 1], [5, 1, 4]).value)
    assert found.values("system", "rho")[0].tolist() == [1.0, 0.5]


def test_the_sign_test_of_the_thesis() -> None:
    assert sign_p(189, 347 - 189, alternative="greater") == pytest.approx(0.0536, abs=5e-5)


@given(judged_rows)
def test_translations_are_compared_on_common_words(rows: list[tuple[int, int, int, int]]) -> None:
    judged = JudgedSet("xx", scores(), comparisons(rows), common_words=True)
    pairs = judged.pairs()
    found = judged.differences(pairs)
    plain = JudgedSet("xx", scores(), comparisons(rows)).differences(pairs)
    for place, (segment, first, second, _) in enumerate(rows):
        part = scores().on_common_words(*(list(TEXTS)[system] for system in (first, second)))
        one, two = (part.segment_scores(system, "hamming")[segment] for system in part.systems)
        assert found[1, place] == pytest.approx(one - two, nan_ok=True)
        assert found[2, place] == plain[2, place]  # the share of matched words is no order


def test_the_table_says_that_words_are_common_and_pairs_tied() -> None:
    rows = [(0, 0, 1, 1), (1, 0, 1, 1), (1, 1, 0, -1), (2, 0, 2, -1), (3, 0, 2, 1), (4, 0, 2, 0)]
    judged = JudgedSet("xx", scores("kendall"), comparisons(rows), common_words=True)
    found = metaevaluate([judged], segment=("tau",), system=("rho",))
    assert "metrics of order compare two translations on the reference words that both match" in found.table().notes
    assert found.signature["words"] == "common"
    # of five pairs that people do not tie, "m n o p" and "x n o p" alone have the same order of common words
    assert "tied by the metric, and dropped by tau: kendall 1 of 5" in found.table().notes
    (entry,) = [each for each in found.to_dict()["sets"][0]["findings"] if each["coefficient"] == "tau"]
    assert entry["tied"] == 1
    assert "words" not in metaevaluate([JudgedSet("xx", scores("kendall"), comparisons(rows))]).signature


rated = st.lists(st.lists(st.sampled_from([None, 1, 2, 3]), min_size=5, max_size=5), min_size=3, max_size=3)


@settings(max_examples=40)
@given(rated)
def test_accuracy_by_segment_is_the_mean_over_segments_with_one_calibrated_threshold(
    rows: list[list[int | None]],
) -> None:
    """Deutsch, Foster & Freitag 2023, as the metrics tasks of WMT use it (acc*eq): segments count alike."""
    people = np.array(rows, dtype=float)
    if np.isnan(people).all():
        return
    judged = JudgedSet.of("x", scores(), ratings(people))
    found = estimate(judged, "segment", "accuracy.segment", Setup(Resampling(samples=20)))
    assert found.ties is not None
    for m, machine in enumerate(judged.segment_scores):
        pairs = {  # of each segment: by people, by the metric
            segment: [
                (people[a, segment] - people[b, segment], machine[a, segment] - machine[b, segment])
                for a, b in combinations(range(3), 2)
                if not np.isnan(
                    [people[a, segment], people[b, segment], machine[a, segment], machine[b, segment]]
                ).any()
            ]
            for segment in range(5)
        }
        known = [each for each in pairs.values() if each]
        if not known:
            assert np.isnan(found.values[m])
            continue

        def accuracy(tie: float, known: list[list[tuple[float, float]]] = known) -> float:
            shares = []
            for each in known:
                signs = [(np.sign(x), 0 if abs(y) <= tie else np.sign(y)) for x, y in each]
                shares.append(sum(x == y for x, y in signs) / len(signs))
            return float(sum(shares) / len(shares))

        tries = [0.0, *(abs(y) for each in known for _, y in each)]
        best = max(map(accuracy, tries))
        assert found.values[m] == pytest.approx(best)
        assert found.ties[m] == min(tie for tie in tries if accuracy(tie) == pytest.approx(best))


def test_segments_count_alike_however_many_pairs_they_have() -> None:
    people = np.array(
        [[3, 1, np.nan, np.nan, np.nan], [1, 2, np.nan, np.nan, np.nan], [2, np.nan, np.nan, np.nan, np.nan]]
    )
    judged = JudgedSet.of("x", scores("hamming"), ratings(people))  # right on 3 of 3 pairs, then wrong on 1 of 1
    found = metaevaluate([judged], segment=["accuracy", "accuracy.segment"], system=[], setup=Setup(Resampling(0)))
    machine = judged.segment_scores[0]
    assert machine[0, 0] > machine[2, 0] > machine[1, 0]
    assert machine[0, 1] > machine[1, 1]
    assert found.values("segment", "accuracy").tolist() == [[3 / 4]]
    assert found.values("segment", "accuracy.segment").tolist() == [[1 / 2]]
