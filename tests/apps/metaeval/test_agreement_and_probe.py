from __future__ import annotations

import statistics
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wordorder
from wordorder.apps.metaeval.agreement import agreement_table, leave_one_out, ranking_agreement
from wordorder.apps.metaeval.influences import distinction_table, distinguish, influence_table, influences
from wordorder.apps.metaeval.probe import KINDS, matched_orders, probe, probe_table, swap_sizes
from wordorder.core.orders import Permutations
from wordorder.core.runtime.cache import Cache
from wordorder.core.runtime.errors import UsageError
from wordorder.core.statistics import Resampling
from wordorder.core.statistics.correlation import correlate
from wordorder.formats.judgements import Comparisons, Ratings
from wordorder.scoring.cache import cached_scores
from wordorder.scoring.inputs import MatchedTexts

answers = st.lists(
    st.tuples(
        st.integers(0, 1), st.sampled_from([(0, 1), (1, 0), (1, 2)]), st.sampled_from([-1, 0, 1]), st.integers(0, 2)
    ),
    min_size=1,
    max_size=10,
)


def comparisons(rows: list[tuple[int, tuple[int, int], int, int]]) -> Comparisons:
    count = len(rows)
    return Comparisons(
        ("A", "B", "C"),
        ("x", "y", "z"),
        np.array([row[0] for row in rows]),
        np.array([row[1][0] for row in rows]),
        np.array([row[1][1] for row in rows]),
        np.array([row[2] for row in rows], np.int8),
        np.array([row[3] for row in rows]),
        np.arange(count),
        np.ones(count),
    )


@given(answers)
def test_agreement_looks_at_every_two_judgements(rows: list[tuple[int, tuple[int, int], int, int]]) -> None:
    counts = {True: [0, 0], False: [0, 0]}
    for one, two in combinations(rows, 2):
        if one[0] == two[0] and set(one[1]) == set(two[1]):
            same_judge = one[3] == two[3]
            counts[same_judge][0] += 1
            counts[same_judge][1] += one[2] == (two[2] if one[1] == two[1] else -two[2])
    between, within = ranking_agreement(comparisons(rows))
    for found, (pairs, agree) in ((between, counts[False]), (within, counts[True])):
        assert found.pairs == pairs
        np.testing.assert_allclose(found.observed, agree / pairs if pairs else np.nan)


def test_kappa_of_rankings_by_hand() -> None:
    rows = [(0, (0, 1), 1, 0), (0, (1, 0), -1, 1), (1, (0, 1), 0, 0), (1, (0, 1), 1, 1)]
    between = ranking_agreement(comparisons(rows))[0]
    expected = 0.25**2 + 2 * 0.375**2
    assert between.observed == 0.5
    assert between.expected == pytest.approx(expected)
    assert between.kappa == pytest.approx((0.5 - expected) / (1 - expected))
    assert len(agreement_table("x-y", comparisons(rows)).rows) == 2


def ratings() -> Ratings:
    table = np.array([[1, 2, 3, 4], [2, 2, 4, 4], [4, 3, 2, np.nan]], dtype=float)
    judge, item = np.nonzero(~np.isnan(table))
    return Ratings(("A",), ("x", "y", "z"), item, np.zeros(len(item), np.int64), judge, table[judge, item])


def test_each_judge_against_the_others() -> None:
    found = leave_one_out(ratings())
    np.testing.assert_allclose(found["z"], (correlate([4, 3, 2], [1.5, 2, 3.5]).value, 3))
    np.testing.assert_allclose(found["x"], (correlate([1, 2, 3, 4], [3, 2.5, 3, 4]).value, 4))
    rows = {row[1].value: row[2].value for row in agreement_table("x-y", ratings()).rows}
    values = [value for value, _ in found.values()]
    assert rows["median of these r"] == pytest.approx(sorted(values)[1])
    assert rows["SD of these r"] == pytest.approx(statistics.stdev(values))
    assert len(rows) == 6


NONE = Resampling(samples=0)
SENTENCES = [" ".join(f"w{n}x{place}" for place in range(10 + n)) for n in range(8)]


@pytest.mark.parametrize("kind", KINDS)
def test_disturbance_keeps_the_words_and_lowers_order(kind: str) -> None:
    orders = Permutations.of(["3 4 1 2", "2 1"])
    found = probe(SENTENCES, metrics="kendall,matched,f1", kinds=[kind], amounts=[1, 4], orders=orders, resampling=NONE)
    assert found.systems == (f"{kind} 1", f"{kind} 4")
    assert (found.values[:, 1:] == 1).all()
    if kind != "shuffle":  # one word shuffled is no shuffle
        assert found.values[0, 0] < 1
    assert found.values[1, 0] < found.values[0, 0]
    assert len(probe_table(found).rows) == 2


def test_distance_moved_is_felt_by_kendall_and_not_by_f1_or_ulam() -> None:
    found = probe(SENTENCES, metrics="kendall,ulam,f1", kinds=["move"], amounts=[1, 3, 9], resampling=NONE)
    kendall, ulam, f1 = (found.values[:, m].tolist() for m in range(3))
    discordant = [np.mean([d / (n * (n - 1) / 2) for n in range(10, 18)]) for d in (1, 3, 9)]
    np.testing.assert_allclose(kendall, 1 - np.array(discordant))
    assert ulam[0] == ulam[1] == ulam[2] < 1
    assert f1 == [1, 1, 1]


def test_the_same_seed_disturbs_alike() -> None:
    one, two, other = (
        probe(SENTENCES, metrics="kendall", kinds=["shuffle"], amounts=[8], resampling=Resampling(0, seed))
        for seed in (1, 1, 2)
    )
    assert one.values.tolist() == two.values.tolist() != other.values.tolist()


def test_probes_that_cannot_be_made() -> None:
    with pytest.raises(UsageError, match="the largest amount needs 41 words"):
        probe(SENTENCES, metrics="kendall", kinds=["move"], amounts=[40])
    with pytest.raises(UsageError, match="unknown disturbance"):
        probe(SENTENCES, metrics="kendall", kinds=["jiggle"])
    with pytest.raises(UsageError, match="found no swapped blocks"):
        probe(SENTENCES, metrics="kendall", kinds=["real"])


@settings(max_examples=50)
@given(st.permutations(range(1, 7)))
def test_swapped_blocks_are_neighbours_in_reverse(order: list[int]) -> None:
    for first, second in swap_sizes(Permutations.of([order])).tolist():
        found = False
        for start in range(6 - first - second + 1):
            left, right = order[start : start + first], order[start + first : start + first + second]
            whole = sorted(left + right)
            found |= whole == list(range(whole[0], whole[0] + len(whole))) and max(right) < min(left)
        assert found


def test_orders_of_real_translations() -> None:
    found = matched_orders(MatchedTexts({"A": ["b a c"], "B": ["x y"]}, ["a b c"]))
    assert [str(order) for order in found] == ["2 1 3", ""]


def test_what_moves_a_metric() -> None:
    references = ["a b c d", "e f g h", "i j k l", "m n o p"]
    texts = {"A": ["a b c d", "f e g h", "i j x y", "p o n m"]}
    scores = wordorder.score(texts, references, metrics="kendall-sqrt,bleu-p1,bleu", samples=0)
    found = {one.metric: one for one in influences(scores)}
    bleu, words, order = (scores.segment_scores("A", name) for name in ("bleu", "bleu-p1", "kendall-sqrt"))
    assert found["bleu"].lexical == pytest.approx(correlate(bleu, words).value)
    assert found["bleu"].order == pytest.approx(correlate(bleu, order).value)
    assert found["kendall-sqrt"].order == pytest.approx(1)
    assert len(influence_table("x-y", list(found.values())).rows) == len(found)


def test_people_are_told_from_machines() -> None:
    one = [f"a{n} b{n} c{n} d{n} e{n} f{n}" for n in range(20)]
    two = [f"a{n} b{n} d{n} c{n} e{n} f{n}" for n in range(20)]
    machine = [f"f{n} e{n} d{n} c{n} b{n} a{n}" for n in range(20)]
    found = distinguish(MatchedTexts({"S": machine}, [one, two]), metrics="kendall")
    kendall = [test for test in found if test.metric == "kendall"]
    assert [(test.gold, test.other) for test in kendall] == [(1, 2), (2, 1)]
    assert all(test.p_holm < 0.001 and test.reference_mean > 0.9 > test.system_mean for test in kendall)
    assert distinction_table(found).rows[0][4].value == "2/2"
    with pytest.raises(UsageError, match="two or more"):
        distinguish(MatchedTexts({"S": machine}, [one]), metrics="kendall")


def test_a_system_that_shares_no_word_with_a_reference_has_no_mean() -> None:
    texts = MatchedTexts({"S": ["x y z"] * 3}, [["a b c"] * 3, ["b a c"] * 3])
    found = distinguish(texts, metrics="pef")
    assert [(one.gold, one.other) for one in found] == [(1, 2), (2, 1)]
    assert np.isnan([(one.reference_mean, one.system_mean, one.p_holm) for one in found]).all()


def test_the_cache_gives_the_same_scores(tmp_path: object) -> None:
    from pathlib import Path

    cache = Cache(Path(str(tmp_path)))
    texts = {"A": ["a b", "c"], "B": ["b a", "c"]}
    fresh = cached_scores(MatchedTexts(texts, ["a b", "c"]), metrics="kendall,bleu1", cache=cache)
    again = cached_scores(MatchedTexts(texts, ["a b", "c"]), metrics="bleu1,kendall", cache=cache)
    assert again.values[:, ::-1].tolist() == fresh.values.tolist()
    assert again.inputs == fresh.inputs
    assert list(map(str, fresh.metrics)) == ["kendall", "bleu1"]
    other = cached_scores(MatchedTexts(texts, ["b a", "c"]), metrics="kendall", cache=cache)
    assert other.values[0, 0] != fresh.values[0, 0]
    with pytest.raises(UsageError, match="standard input can be read only once"):
        cached_scores(MatchedTexts({"A": "-"}, ["a b", "c"]), metrics="kendall", cache=cache)


HUMAN_COUNTS = (29, 26, 24, 22, 21, 21, 20, 19, 14, 14, 10, 9, 8, 4, 3)
SYSTEMS = [
    "rbmt2",
    "google",
    "rbmt3",
    "systran",
    "uka",
    "umd",
    "uedin",
    "rbmt4",
    "rbmt1",
    "stuttgt",
    "rwth",
    "usaar",
    "liu",
    "geneva",
    "jhu",
]
TABLE_7_7 = {  # Birch 2011: systems in the order of each metric, and the ρ recomputed with ties corrected
    "LR-HB4": ("google uka umd uedin stuttgt liu rwth systran rbmt3 usaar rbmt2 rbmt4 rbmt1 geneva jhu", 0.467),
    "LR-KB4": ("google uka uedin umd stuttgt liu systran rwth rbmt3 usaar rbmt4 rbmt2 rbmt1 geneva jhu", 0.462),
    "METEOR": ("google uka stuttgt uedin systran umd rbmt3 rbmt2 liu usaar rbmt1 rwth rbmt4 geneva jhu", 0.680),
    "TER": ("umd google uka rwth stuttgt uedin systran liu rbmt3 usaar rbmt2 rbmt4 rbmt1 geneva jhu", 0.465),
    "BLEU": ("google uka umd uedin stuttgt liu rwth systran rbmt3 rbmt2 usaar rbmt4 rbmt1 geneva jhu", 0.506),
}


@pytest.mark.parametrize("metric", TABLE_7_7)
def test_system_level_correlation_of_the_thesis(metric: str) -> None:
    from wordorder.apps.metaeval.coefficients import correlate_systems

    ranking, rho = TABLE_7_7[metric]
    scores = [-ranking.split().index(system) for system in SYSTEMS]
    found = correlate_systems(np.array(HUMAN_COUNTS, dtype=float), np.array(scores, dtype=float), "rho")
    assert found == pytest.approx(rho, abs=5e-4)
