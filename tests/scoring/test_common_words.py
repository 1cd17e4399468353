"""Two systems on the words that both matched: a slow twin, tests as usual, and what verdicts say."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import twins
from wordorder import Alignment, score
from wordorder.core.runtime.errors import UsageError
from wordorder.linking.matching import Matching
from wordorder.metrics.batch import Batch
from wordorder.scoring.comparison import Comparison
from wordorder.scoring.scores import Scores
from wordorder.scoring.verdicts import verdicts

METRICS = "kendall,kendall-sqrt,hamming,spearman,ulam,fuzzy,pef"
words = st.lists(st.sampled_from("abcdefgh"), max_size=8).map(" ".join)
rows = st.lists(st.tuples(words, words, words, words), min_size=1, max_size=5)


def slow_orders(one: str, two: str, reference: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Follow the definition: match each system, keep the shared reference words, renumber them."""
    found = []
    for hypothesis in (one, two):
        (matches,) = Batch.of_sentences(hypothesis, [reference], tokenizer="none").matches
        assert (matches.reference_size == 1).all()
        found.append(matches.reference.tolist())
    shared = sorted(set(found[0]) & set(found[1]))
    if len(shared) < 2:
        return (), ()
    first, second = (tuple(shared.index(word) + 1 for word in each if word in shared) for each in found)
    return first, second


def scored(systems: dict[str, list[str]], *references: list[str], **options: Any) -> Scores:
    how: dict[str, Any] = {"metrics": METRICS, "samples": 0, "tokenize": "none"} | options
    return score(systems, list(references), **how)


@settings(max_examples=60, deadline=None)
@given(rows)
def test_scores_are_those_of_the_shared_words(rows: list[tuple[str, str, str, str]]) -> None:
    a, b, *references = (list(side) for side in zip(*rows, strict=True))
    for gold in (references[:1], references):
        part = scored({"B": b, "A": a}, *gold).on_common_words("A", "B")
        assert part.systems == ("A", "B")
        assert part.inputs["words"] == "common"
        for row in range(len(rows)):
            orders = [slow_orders(a[row], b[row], each[row]) for each in gold]
            most = max(orders, key=lambda pair: len(pair[0]))  # the first reference with the most common words
            assert part.order_words is not None
            assert [count[row] for count in part.order_words] == [len(most[0])] * 2
            for name in ("kendall", "hamming", "fuzzy"):
                found = [part.segment_scores(system, name)[row] for system in ("A", "B")]
                expected = [twins.FLAT[name](order) if order else math.nan for order in most]
                assert found == pytest.approx(expected, nan_ok=True)


def test_references_can_be_averaged() -> None:
    gold = (["a b c d"], ["d c b a"])
    systems = {"A": ["a b c d"], "B": ["b a c d"]}
    part = scored(systems, *gold, metrics="kendall", reference_choice="average").on_common_words("A", "B")
    assert part.values.ravel().tolist() == pytest.approx([(1 + 0) / 2, (5 / 6 + 1 / 6) / 2])


def test_phrases_count_with_their_reference_words(tmp_path: Any) -> None:
    table = tmp_path / "table"
    table.write_text("1.0\nin front of\nbefore\n")
    matching = Matching("exact+paraphrase", paraphrases=table)
    part = score(
        {"A": ["x before y"], "B": ["y x in front of"]},
        ["x in front of y"],
        matching=matching,
        metrics="kendall",
        tokenize="none",
        samples=0,
    ).on_common_words("A", "B")
    assert part.order_words is not None
    assert part.order_words[0].tolist() == [5]
    assert part.values.ravel().tolist() == pytest.approx([1, 6 / 10])


LINKS = Alignment(((0, 0), (1, 1)), 2).column()
LONG = [" ".join(order) for order in itertools.permutations("abcdef", 6)][:200]
GOLD = ["a b c d e f"] * 200


def test_tests_and_intervals_are_as_for_any_scores() -> None:
    systems = {"A": LONG, "B": LONG[::-1], "C": [line[:5] for line in LONG]}
    scores = scored(systems, GOLD, metrics="kendall,bleu,pef", samples=200)
    assert all(each.common is None for each in scores.comparisons)  # three systems: only on request
    for each in scores.compare(baseline="A", common=True):
        if each.metric == "bleu":
            assert each.common is None
            continue
        assert each.common is not None
        (alone,) = (
            found
            for found in scores.on_common_words(each.a, each.b).compare(baseline=each.b)
            if found.metric == each.metric
        )
        names = ("difference", "p", "low", "high", "segments", "test")
        assert [getattr(each.common, name) for name in names] == [getattr(alone, name) for name in names]
        assert each.common.p_corrected >= alone.p
    records = scores.to_dict()["tests"]
    assert [("common" in record) for record in records] == [record["metric"] != "bleu" for record in records]


def test_segments_without_common_words_are_left_out() -> None:
    systems = {"A": ["b a c d", "a b", "c d", "a b c d"], "B": ["a b c d", "c d", "a c", "d c b a"]}
    (found,) = scored(systems, ["a b c d"] * 4, metrics="kendall", samples=50).compare(baseline="A")
    assert found.common is not None
    assert (found.segments, found.common.segments) == (4, 2)
    assert found.common.difference == pytest.approx((1 + 0) / 2 - (5 / 6 + 1) / 2)


def test_a_difference_that_comes_from_which_words_match() -> None:
    """B leaves out the words that A moves; on the other words, both have the same order."""
    systems = {"A": ["b c d e a", "a b c d e"] * 20, "B": ["b c d e", "a b c d e"] * 20}
    scores = scored(systems, ["a b c d e"] * 40, metrics="kendall", samples=200)
    (found,) = scores.comparisons
    assert found.significant
    assert found.may_come_from_matching
    assert found.common is not None
    assert found.common.difference == 0
    assert verdicts(scores)[0].endswith(
        "; on the words that both match, it is 0.000 (0.000 to 0.000), p = 1, so it may come from which words match"
    )
    assert found.to_dict()["common"]["may_come_from_matching"] is True
    table = scores.versus("A=B").table()
    assert "may come from which words match: the change of kendall of A" in table.notes
    names = [column.name for column in table.columns]
    assert names == ["system", "versus", "kendall", "kendall change", "kendall common"]
    assert [row[4].value for row in table.rows] == [0, None]


def test_the_opposite_sign_is_a_reason_to_doubt() -> None:
    def made(difference: float, p: float, common: Comparison | None = None) -> Comparison:
        return Comparison("pef", "A", "B", difference, p, p, "bootstrap", 9, common=common)

    assert not made(0.1, 0.01).may_come_from_matching
    assert not made(0.1, 0.01, made(0.05, 0.01)).may_come_from_matching
    assert made(0.1, 0.01, made(-0.05, 0.01)).may_come_from_matching
    assert made(0.1, 0.01, made(0.05, 0.2)).may_come_from_matching
    assert not made(0.1, 0.2, made(-0.05, 0.01)).may_come_from_matching


def test_the_worst_between_two_systems_differ_on_common_words() -> None:
    systems = {"A": ["b c d e a", "b a c d e"], "B": ["b c d e", "a b c d e"]}
    scores = scored(systems, ["a b c d e"] * 2, metrics="kendall,bleu")
    found = scores.worst(between=("A", "B"))
    assert [each.segment for each in found] == [2]  # in the first, the common words have the same order
    assert found[0].scores == {"A": 0.9, "B": 1.0}
    assert found[0].words == {"A": 5, "B": 5}
    assert str(found).startswith("segment 2  A kendall 0.900  B kendall 1.000, on the words that both match\n")
    assert found.table().title == "on the words that both match"
    by_bleu = scores.worst(between=("A", "B"), by="bleu")
    assert len(by_bleu) == 2
    assert "on the words" not in str(by_bleu) + str(scores.worst())


def test_groups_of_segments_know_their_common_words() -> None:
    scores = scored({"A": LONG, "B": LONG[::-1]}, GOLD)
    rows = np.array([5, 3, 3, 150])
    part = scores.subset(rows).on_common_words("A", "B")
    assert np.array(part.rows[1][0]).tolist() == np.array(scores.on_common_words("A", "B").rows[1][0])[rows].tolist()


def test_orders_and_other_metrics_have_no_common_words() -> None:
    for scores in (
        score(permutations={"A": ["1 2"], "B": ["2 1"]}, metrics="kendall", samples=10),
        scored({"A": LONG, "B": LONG}, GOLD, metrics="bleu", samples=10),
        score(hyp_align={"A": LINKS, "B": LINKS}, ref_align=LINKS, metrics="kendall", samples=10),
    ):
        assert all(found.common is None for found in scores.compare(common=True))
        with pytest.raises(UsageError, match="common words require"):
            scores.on_common_words("A", "B")


def test_common_words_refute_nothing_that_their_test_cannot_confirm() -> None:
    """With few samples and many systems, no p-value on common words can be significant after Holm's correction."""
    reference = [f"a{row} b{row} c{row} d{row} e{row}" for row in range(60)]
    worse = [" ".join(line.split()[::-1]) for line in reference]
    systems = {"best": reference} | {f"s{k}": worse[: 40 + k] + reference[40 + k :] for k in range(12)}
    scores = score(systems, reference, metrics="kendall", samples=100)
    found = scores.compare(common=True)
    assert all(each.significant and each.common is not None for each in found)
    assert not any(each.common and each.common.decidable for each in found)
    assert not any(each.may_come_from_matching for each in found)
    enough = score(systems, reference, metrics="kendall", samples=3000).compare(common=True)
    assert all(each.common and each.common.significant for each in enough)
