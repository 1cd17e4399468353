"""Paired comparisons of systems: against the best or a baseline, corrected, over the segments both have."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from scoring_twins import bootstrap, bootstrap_p, holm, mean, percentiles

import twins
from wordorder import Permutations, score
from wordorder.core.runtime.errors import UsageError
from wordorder.report.table import Cell, Mark
from wordorder.scoring.comparison import compare_pairs
from wordorder.scoring.scores import Scores


def orders(count: int, *, swaps: int, seed: int) -> list[twins.Order]:
    """Make up orders of six words that are the better the fewer neighbours were exchanged."""
    generator = np.random.default_rng(seed)
    column = []
    for _ in range(count):
        order = list(range(1, 7))
        for place in generator.integers(0, 5, size=swaps):
            order[place], order[place + 1] = order[place + 1], order[place]
        column.append(tuple(order))
    return column


GOOD = orders(40, swaps=1, seed=1)
FAIR = orders(40, swaps=2, seed=2)
BAD = orders(40, swaps=9, seed=3)
HOLES: list[twins.Order] = [() if place % 5 == 2 else order for place, order in enumerate(FAIR)]
SYSTEMS = {"bad": BAD, "good": GOOD, "fair": FAIR}


def scored(systems: dict[str, list[twins.Order]], **options: object) -> Scores:
    columns = {name: Permutations.of(column) for name, column in systems.items()}
    return score(permutations=columns, metrics="kendall,hamming", samples=200, **options)  # type: ignore[arg-type]


def kendall(column: list[twins.Order]) -> list[float]:
    return [twins.kendall(order) if order else math.nan for order in column]


def hamming(column: list[twins.Order]) -> list[float]:
    return [twins.hamming(order) if order else math.nan for order in column]


def direct_p(one: list[float], two: list[float]) -> float:
    """Redraw all segments, and score both corpora on those segments that both have, each time."""
    return bootstrap_p(*redrawn(one, two))


def redrawn(
    one: list[float], two: list[float], groups: list[list[int]] | None = None
) -> tuple[float, NDArray[np.float64]]:
    """Return the difference on the segments that both have, and the same of redrawn segments (or groups of them)."""
    everything = list(range(len(one)))

    def difference(drawn: list[int]) -> float:
        both = [place for place in drawn if not math.isnan(one[place] + two[place])]
        return mean([one[place] for place in both]) - mean([two[place] for place in both])

    return difference(everything), bootstrap(groups or [[place] for place in everything], difference)


def test_without_a_baseline_the_best_system_of_each_metric_is_compared_with_the_rest() -> None:
    scores = scored(SYSTEMS)
    found = scores.compare()
    assert [(c.metric, c.a, c.b) for c in found] == [
        ("kendall", "good", "bad"),
        ("kendall", "good", "fair"),
        ("hamming", "good", "bad"),
        ("hamming", "good", "fair"),
    ]
    assert all(c.difference > 0 and c.segments == 40 and c.test == "bootstrap" for c in found)
    expected = [direct_p(kendall(GOOD), kendall(column)) for column in (BAD, FAIR)]
    assert [c.p for c in found[:2]] == pytest.approx(expected)
    assert all(c.p <= c.p_corrected <= min(1, 3 * c.p) for c in found)  # never more than by Bonferroni: three pairs
    assert found[0].significant
    assert found == scores.comparisons


def test_p_of_systems_that_hardly_differ_is_that_of_redrawing_both() -> None:
    same = orders(40, swaps=2, seed=9)
    for one, two in ((FAIR, same), (HOLES, same)):
        found = scored({"one": one, "two": two}, baseline="two").compare(baseline="two")[0]
        expected = direct_p(kendall(one), kendall(two))
        assert 0.01 < expected < 0.99
        assert found.p == pytest.approx(expected)
        assert not found.significant


def test_a_baseline_is_compared_with_every_other_system_whoever_is_best() -> None:
    scores = scored(SYSTEMS, baseline="fair")
    found = scores.comparisons
    assert [(c.metric, c.a, c.b) for c in found[:2]] == [("kendall", "bad", "fair"), ("kendall", "good", "fair")]
    assert found[0].difference < 0 < found[1].difference
    assert [c.difference for c in found[:2]] == pytest.approx(
        [mean(kendall(column)) - mean(kendall(FAIR)) for column in (BAD, GOOD)]
    )


def test_holm_corrects_per_metric() -> None:
    columns = {"a": GOOD, "b": FAIR, "c": orders(40, swaps=2, seed=9), "d": BAD}
    found = scored(columns).compare(test="sign", baseline="a")
    for name in ("kendall", "hamming"):
        mine = [c for c in found if c.metric == name]
        assert len(mine) == 3
        assert [c.p_corrected for c in mine] == pytest.approx(holm([c.p for c in mine]))


def test_only_segments_that_both_systems_have_are_compared_and_counted() -> None:
    scores = scored({"good": GOOD, "holes": HOLES})
    both = [place for place, order in enumerate(HOLES) if order]
    for test in ("bootstrap", "randomisation", "wilcoxon", "sign"):
        found = scores.compare(test=test)[0]
        assert (found.a, found.b, found.test, found.segments) == ("good", "holes", test, len(both))
        gap = mean([kendall(GOOD)[place] for place in both]) - mean(kendall(HOLES))
        assert found.difference == pytest.approx(gap), test
    assert scores.compare()[0].p == pytest.approx(direct_p(kendall(GOOD), kendall(HOLES)))
    assert scores.values[0, 0] == pytest.approx(mean(kendall(GOOD)))  # the table has all segments


def test_tests_of_segment_scores_are_scipys() -> None:
    scores = scored({"good": GOOD, "holes": HOLES})
    gaps = np.array([a - b for a, b in zip(kendall(GOOD), kendall(HOLES), strict=True) if not math.isnan(b)])
    changed = gaps[gaps != 0]
    assert scores.compare(test="wilcoxon")[0].p == pytest.approx(stats.wilcoxon(changed).pvalue)
    wins, losses = int((gaps > 0).sum()), int((gaps < 0).sum())
    assert scores.compare(test="sign")[0].p == pytest.approx(stats.binomtest(wins, wins + losses).pvalue)


def test_a_system_against_itself_is_no_difference() -> None:
    for test in ("bootstrap", "randomisation", "wilcoxon", "sign"):
        found = scored({"one": HOLES, "two": HOLES}, test=test).comparisons
        assert [(c.difference, c.p, c.p_corrected) for c in found] == [(0, 1, 1), (0, 1, 1)]


def test_a_system_without_a_single_score_cannot_be_compared() -> None:
    empty: list[twins.Order] = [()] * 40
    for baseline in (None, "good", "empty"):
        scores = scored({"good": GOOD, "empty": empty}, baseline=baseline)
        assert [(c.p_corrected, c.segments) for c in scores.comparisons] == [
            pytest.approx((math.nan, 0), nan_ok=True)
        ] * 2
        assert [test["p"] for test in scores.to_dict()["tests"]] == [None, None]
    assert scored({"one": empty, "two": empty}).comparisons == []


def test_a_single_segment_or_document_is_no_evidence() -> None:
    segment = scored({"one": GOOD[:1], "two": [(6, 5, 4, 3, 2, 1)]}).comparisons
    document = scored({"one": GOOD, "two": BAD}, docs=["d"] * 40, resample="documents").comparisons
    for found, count in ((segment, 1), (document, 40)):
        assert [(c.p, c.significant, c.segments) for c in found] == [(1.0, False, count)] * 2


def test_tests_that_need_no_samples_run_without() -> None:
    scores = score(permutations={"a": GOOD, "b": BAD}, metrics="kendall", samples=0, test="wilcoxon")
    assert [c.test for c in scores.comparisons] == ["wilcoxon"]
    assert scores.signature["test"] == "wilcoxon"
    assert "not tested" not in str(scores)
    assert "not tested" in str(score(permutations={"a": GOOD, "b": BAD}, metrics="kendall", samples=0))
    with pytest.raises(UsageError, match="requires bootstrap samples; set samples to 1 or more"):
        scores.compare(test="bootstrap")
    with pytest.raises(UsageError, match="unknown test 'anova'"):
        scores.compare(test="anova")
    with pytest.raises(UsageError, match="unknown baseline 'c'"):
        scores.compare(baseline="c")


def marks_of(scores: Scores, system: str, metric: str) -> set[Mark]:
    table = scores.table()
    row = next(row for row in table.rows if row[0].value == system)
    cell = row[[column.name for column in table.columns].index(metric)]
    assert isinstance(cell, Cell)
    return set(cell.marks)


def test_the_table_marks_the_best_and_its_equals() -> None:
    scores = scored({"bad": BAD, "good": GOOD, "twin": GOOD, "close": [*GOOD[:-1], BAD[0]]})
    assert marks_of(scores, "good", "kendall") == {Mark.BEST}
    assert marks_of(scores, "twin", "kendall") == {Mark.BEST}
    assert marks_of(scores, "close", "kendall") == {Mark.TIED}
    assert marks_of(scores, "bad", "kendall") == set()


def test_the_table_marks_the_baseline_and_what_differs_from_it() -> None:
    scores = scored({"bad": BAD, "good": GOOD, "close": [*GOOD[:-1], BAD[0]]}, baseline="close")
    assert marks_of(scores, "close", "kendall") == {Mark.BASELINE}
    assert marks_of(scores, "bad", "kendall") == {Mark.SIGNIFICANT}
    assert marks_of(scores, "good", "kendall") == {Mark.BEST}
    assert marks_of(scored({"one": BAD}), "one", "kendall") == set()
    assert marks_of(scored({"one": BAD}, baseline="one"), "one", "kendall") == set()


# --- every two systems ---------------------------------------------------------------------------------------------


def test_every_two_systems_are_compared_the_later_with_the_earlier() -> None:
    scores = scored({**SYSTEMS, "holes": HOLES})
    columns = {**SYSTEMS, "holes": HOLES}
    found = compare_pairs(scores, "kendall")
    names = list(columns)
    assert [(c.a, c.b) for c in found] == [(a, b) for place, a in enumerate(names) for b in names[:place]]
    expected = [direct_p(kendall(columns[c.a]), kendall(columns[c.b])) for c in found]
    assert [c.p for c in found] == pytest.approx(expected)
    assert all(c.p <= c.p_corrected <= q + 0.02 for c, q in zip(found, holm(expected), strict=True))  # over all pairs
    assert {c.metric for c in compare_pairs(scores, scores.metrics[1], test="sign")} == {"hamming"}


def test_pairs_need_samples_and_a_metric_of_the_scores() -> None:
    columns = {name: Permutations.of(column) for name, column in SYSTEMS.items()}
    scores = score(permutations=columns, metrics="kendall", samples=0)
    with pytest.raises(UsageError, match="the bootstrap test requires bootstrap samples; set samples to 1 or more"):
        compare_pairs(scores, "kendall")
    assert len(compare_pairs(scores, "kendall", test="wilcoxon")) == 3
    assert scores.replicates.shape == (0, 3, 1)
    with pytest.raises(UsageError, match="these scores have no metric 'hamming'"):
        compare_pairs(scores, "hamming", test="sign")
    with pytest.raises(UsageError, match="unknown test 'signs'; did you mean 'sign'"):
        compare_pairs(scores, "kendall", test="signs")


@pytest.mark.parametrize("other", [FAIR, HOLES], ids=["all defined", "with holes"])
def test_the_interval_of_a_difference_is_that_of_the_segments_both_have(other: list[twins.Order]) -> None:
    scores = scored({"good": GOOD, "other": other})
    for found, values in zip(scores.comparisons, (kendall, hamming), strict=True):
        columns = {"good": values(GOOD), "other": values(other)}
        difference, drawn = redrawn(columns[found.a], columns[found.b])
        assert found.difference == pytest.approx(difference)
        assert (found.low, found.high) == pytest.approx(percentiles(drawn), abs=1e-12)
        assert found.low <= found.difference <= found.high


def test_a_randomisation_test_tells_its_trials() -> None:
    texts: Any = {"A": ["a b c", "d e f"], "B": ["b a c", "e d f"]}, ["a b c", "d e f"]
    told = score(*texts, metrics="kendall", samples=10, test="randomisation")
    assert told.signature["trials"] == 10_000
    assert "paired randomisation tests, 10000 trials each" in told.table().notes
    assert "trials" not in score(*texts, metrics="kendall", samples=10).signature


def test_one_segment_has_no_interval() -> None:
    alone = score(["b a c"], ["a b c"], metrics="kendall,bleu", samples=10)
    assert np.isnan(alone.intervals).all()
    assert "the score of one segment has no interval: there is nothing to resample" in alone.table().notes
    two = score({"A": ["a b c"], "B": ["b a c"]}, ["a b c"], metrics="kendall", samples=10).table().notes
    assert "interval" not in "".join(note for note in two if "one segment" not in note)
    found = score(["b a c", "x", "y"], ["a b c", "u", "v"], metrics="kendall,bleu", samples=10)
    assert np.isnan(found.intervals[0]).tolist() == [[True, False]]  # one segment has an order, all count for BLEU


# --- too little data -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("test", ["bootstrap", "randomisation", "wilcoxon", "sign"])
def test_five_segments_decide_nothing_and_six_can(test: str) -> None:
    # If all n segments favour one system, the two-sided sign test yields p = 2 · 0.5ⁿ: 0.0625 for 5, 0.031 for 6.
    for count, decidable in ((5, False), (6, True)):
        scores = scored({"one": [(1, 2, 3)] * count, "two": [(3, 2, 1)] * count}, test=test)
        assert [c.decidable for c in scores.comparisons] == [decidable] * 2
        assert [c.significant for c in scores.comparisons] == [decidable and c.p < 0.05 for c in scores.comparisons]


def test_few_samples_decide_nothing_but_one_randomisation_test_has_its_own() -> None:
    columns = {name: Permutations.of(column) for name, column in SYSTEMS.items()}
    two = {name: columns[name] for name in ("good", "bad")}
    for systems, test, decidable in (
        (two, "randomisation", True),  # 10,000 trials
        (two, "bootstrap", False),  # p is 1/11 at least
        (columns, "randomisation", False),  # corrected with the bootstrap samples
        (two, "sign", True),
    ):
        scores = score(permutations=systems, metrics="kendall", samples=10, test=test)
        assert {c.decidable for c in scores.comparisons} == {decidable}, (len(systems), test)


def test_documents_count_only_where_both_systems_have_a_score() -> None:
    docs = ["first"] * 10 + ["second"] * 30
    half: list[twins.Order] = [*BAD[:10], *[()] * 30]
    found = scored({"good": GOOD, "half": half}, docs=docs, resample="documents").comparisons
    assert [(c.p, c.segments, c.decidable) for c in found] == [(1.0, 10, False)] * 2


def test_the_interval_over_documents_is_that_of_the_segments_both_have() -> None:
    docs = [f"d{place // 4}" for place in range(40)]
    holes: list[twins.Order] = [() if place < 6 else order for place, order in enumerate(FAIR)]  # one whole document
    scores = scored({"good": GOOD, "other": holes}, docs=docs, resample="documents")
    groups = [[place for place in range(40) if docs[place] == name] for name in sorted(set(docs))]
    for found, values in zip(scores.comparisons, (kendall, hamming), strict=True):
        columns = {"good": values(GOOD), "other": values(holes)}
        difference, drawn = redrawn(columns[found.a], columns[found.b], groups)
        assert (found.difference, found.p) == pytest.approx((difference, bootstrap_p(difference, drawn)))
        assert (found.low, found.high) == pytest.approx(percentiles(drawn), abs=1e-12)


@pytest.mark.parametrize("test", ["wilcoxon", "sign"])
def test_the_difference_lies_in_its_interval_also_if_the_score_is_no_mean_of_segments(test: str) -> None:
    """Long segments decide BLEU of the corpus, short ones the mean BLEU of segments."""
    reference = ["a b c d e f g h i j k l m n o p q r s t", "x y"] * 15
    systems = {
        "A": ["a b c d e f g h i j k l m n o p q r s t", "y x"] * 15,
        "B": ["a c b d f e g h j i k l m n", "x y"] * 15,
    }
    scores = score(systems, reference, metrics="bleu,kendall", test=test, samples=200, tokenize="none")
    assert len(scores.comparisons) == 2
    for found in scores.comparisons:
        a, b = (scores[system, found.metric] for system in (found.a, found.b))
        assert found.difference == pytest.approx(a - b, abs=1e-12)
        assert found.low <= found.difference <= found.high
    assert any(note.startswith(f"{test} tests compare segment scores") for note in scores.table().notes)
    means = score(systems, reference, metrics="kendall", test=test, samples=200, tokenize="none")
    assert not any("compare segment scores" in note for note in means.table().notes)
