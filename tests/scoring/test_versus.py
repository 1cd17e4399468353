"""Each system against the one before it or its counterpart, with stars."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from wordorder import Alignment, Alignments, Permutations, score
from wordorder.core.runtime.errors import UsageError, WordorderError
from wordorder.core.statistics import tests
from wordorder.core.statistics.corrections import holm
from wordorder.core.statistics.tests import PairedTest
from wordorder.report.table import Cell, Mark, Style
from wordorder.scoring.scores import Scores


def shuffled(count: int, swaps: int, seed: int) -> Permutations:
    generator = np.random.default_rng(seed)
    rows = np.tile(np.arange(1, 8), (count, 1))
    for row in rows:
        for place in generator.integers(0, 6, size=swaps):
            row[[place, place + 1]] = row[[place + 1, place]]
    return Permutations.of([tuple(map(int, row)) for row in rows])


@pytest.fixture(scope="module")
def scores() -> Scores:
    systems = {"dl0": shuffled(60, 6, 1), "dl3": shuffled(60, 5, 2), "dl6": shuffled(60, 1, 3)}
    return score(permutations=systems, metrics="kendall,hamming", samples=100, test="wilcoxon")


def test_previous_is_the_system_before(scores: Scores) -> None:
    found = scores.versus()
    assert found.pairs == (("dl3", "dl0"), ("dl6", "dl3"))
    assert found.test == "wilcoxon"
    p = [
        stats.wilcoxon(scores.segment_scores(a, "kendall") - scores.segment_scores(b, "kendall")).pvalue
        for a, b in found.pairs
    ]
    assert [each.p_corrected for each in found.comparisons[:2]] == pytest.approx(holm(p).tolist())


def test_the_table_has_the_change_of_the_corpus_score_and_stars(scores: Scores) -> None:
    table = scores.versus().table()
    assert [row[0].value for row in table.rows] == ["dl0", "dl3", "dl6"]
    assert [row[1].value for row in table.rows] == [None, "dl0", "dl3"]
    assert table.rows[0][3] == Cell(None)
    for s in (1, 2):
        assert table.rows[s][3].value == pytest.approx(scores.values[s, 0] - scores.values[s - 1, 0])
    assert table.rows[2][3].marks == {Mark.P_001}
    assert f"{table.rows[2][3].value:+.3f}***" in str(table)
    shown = scores.versus().table(style=Style(percent=True))
    assert f"{100 * (scores.values[2, 0] - scores.values[1, 0]):+.1f}***" in str(shown)
    assert "***: p < .001" in str(table)


@pytest.mark.parametrize(
    ("p", "mark"), [(0.0009, Mark.P_001), (0.001, Mark.P_01), (0.02, Mark.P_05), (0.05, None), (0.9, None)]
)
def test_stars_stand_below_their_levels(
    scores: Scores, monkeypatch: pytest.MonkeyPatch, p: float, mark: Mark | None
) -> None:
    monkeypatch.setattr(tests, "wilcoxon", lambda a, b: PairedTest("wilcoxon", 0.1, p, 60, 60))
    cell = scores.versus("dl3=dl0").table().rows[1][3]
    assert cell.marks == ({mark} if mark else set())
    assert cell.facts == {"p": p}


@pytest.mark.parametrize("pairs", ["dl6=dl0, dl6=dl3", [("dl6", "dl0"), ("dl6", "dl3")]])
def test_a_system_may_be_compared_with_several(scores: Scores, pairs: str) -> None:
    rows = scores.versus(pairs).table().rows
    assert [(row[0].value, row[1].value) for row in rows] == [
        ("dl0", None),
        ("dl3", None),
        ("dl6", "dl0"),
        ("dl6", "dl3"),
    ]
    assert scores.versus({"dl6": "dl0"}).pairs == (("dl6", "dl0"),)


def test_a_note_on_common_words_stands_below_columns_of_them_alone(scores: Scores) -> None:
    assert "common: " not in str(scores.versus().table())
    texts = score({"A": ["a b c"] * 9, "B": ["c b a"] * 9}, ["a b c"] * 9, metrics="kendall", samples=100)
    assert "common: the same on the reference words that both systems match" in str(texts.versus().table())


def test_plain_data_have_these_tests_alone(scores: Scores) -> None:
    document = scores.versus("dl6=dl0", test="sign").to_dict()
    assert [(test["a"], test["b"], test["test"]) for test in document["tests"]] == [("dl6", "dl0", "sign")] * 2
    assert document["signature"]["test"] == "sign"
    assert [system["name"] for system in document["systems"]] == ["dl0", "dl3", "dl6"]


def test_references_beside_the_systems_precede_none_of_them() -> None:
    source = ["a b c", "a b"] * 3
    target = {"one": ["A B C", "A B"] * 3, "two": ["C B A", "A B"] * 3}
    straight, turned, theirs = (
        Alignments.of([Alignment.parse(row) for row in rows] * 3)
        for rows in (("0-0 1-1 2-2", "0-0 1-1"), ("0-2 1-1 2-0", "0-0 1-1"), ("0-1 1-2 2-0", "0-1 1-0"))
    )
    scores = score(
        target,
        ["C A B", "B A"] * 3,
        source=source,
        order="monotone",
        hyp_align={"one": straight, "two": turned},
        ref_align=[theirs],
        metrics="kendall",
        samples=0,
    )
    found = scores.versus(test="wilcoxon")
    assert found.pairs == (("two", "one"),)
    assert [row[0].value for row in found.table().rows] == ["reference", "one", "two"]


@pytest.mark.parametrize(
    ("against", "message"),
    [
        ("dl3", "expected 'previous' or pairs"),
        ("dl3=", "expected 'previous' or pairs"),
        ("dl3=dl9", "unknown system 'dl9'"),
        ("dl3=dl3", "compared with itself"),
        ("dl3=dl0,dl3=dl0", "given twice"),
        ({}, "at least one pair"),
    ],
)
def test_mistakes(scores: Scores, against: str, message: str) -> None:
    with pytest.raises(WordorderError, match=message):
        scores.versus(against)


def test_one_system_has_no_previous_one() -> None:
    with pytest.raises(UsageError, match="found only one"):
        score(permutations={"A": ["1 2"]}, metrics="kendall", samples=0).versus()
