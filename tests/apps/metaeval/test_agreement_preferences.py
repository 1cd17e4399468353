"""Preferences between two systems (thesis 8.2.1.6): 189 for LR, 158 for BLEU, 13 undecided."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from wordorder.apps.metaeval.agreement import RankingAgreement, preferences, ranking_agreement, standing_table
from wordorder.cli.main import main
from wordorder.core.runtime.errors import UsageError
from wordorder.core.statistics.corrections import holm
from wordorder.core.statistics.tests import sign_flip_p
from wordorder.formats.judgements import Comparisons

THESIS = ["LR"] * 189 + ["BLEU"] * 158 + ["don't know"] * 13


def comparisons(rows: list[tuple[int, str, str, int]]) -> Comparisons:
    return Comparisons.of([(*row, f"j{n}", str(n), 1.0) for n, row in enumerate(rows)])


def test_thesis_8_2_1_6_counts_and_p(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sides = [("LR", "BLEU"), ("BLEU", "LR")]
    lines = ["\t".join([str(n % 120 + 1), f"w{n % 21}", *sides[n % 2], choice]) for n, choice in enumerate(THESIS)]
    path = tmp_path / "ab.tsv"
    path.write_text("\n".join(["segment\tjudge\tsystem1\tsystem2\tchoice", *lines]))
    assert (
        main(["metaeval", "--judgement-format", "preferences", "--judgements", str(path), "--preferences", "--json"])
        == 0
    )
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert [row[name] for name in ("better", "worse", "for", "against", "neither", "segments")] == [
        "LR",
        "BLEU",
        *(189, 158, 13, 120),
    ]
    assert row["p one-sided"] == pytest.approx(0.0536, abs=5e-5)
    assert row["p"] == pytest.approx(stats.binomtest(189, 347).pvalue)
    assert main(["metaeval", "--judgement-format", "preferences", "--judgements", str(path), "--agreement"]) == 0
    assert "κ ⅓" in capsys.readouterr().out.splitlines()[0]


def test_thesis_8_2_1_6_kappa() -> None:
    """P(A) 64.28% and three answers equally likely give κ .464, whatever was observed."""
    assert RankingAgreement("between judges", 0.6428, 0.45, 0.0, 360).uniform_kappa == pytest.approx(0.464, abs=5e-4)
    judged = comparisons([(0, "A", "B", 1), (0, "B", "A", -1), (1, "A", "B", 0), (1, "A", "B", 1)])
    between = ranking_agreement(judged)[0]
    assert between.uniform_kappa == pytest.approx((0.5 - 1 / 3) / (2 / 3))
    assert between.uniform_kappa != pytest.approx(between.kappa)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=9))
def test_sign_flips_are_all_tried(sums: list[int]) -> None:
    flipped = [
        abs(sum(s * d for s, d in zip(signs, sums, strict=True))) for signs in product((1, -1), repeat=len(sums))
    ]
    literal = np.mean([value >= abs(sum(sums)) for value in flipped])
    assert sign_flip_p(sums) == pytest.approx(literal)


@given(st.lists(st.sampled_from([-1, 0, 1]), min_size=1, max_size=40))
def test_one_judgement_a_segment_makes_both_tests_equal(votes: list[int]) -> None:
    (found,) = preferences(comparisons([(n, "A", "B", vote) for n, vote in enumerate(votes)]))
    assert found.p_segments == pytest.approx(found.p)
    assert found.wins - found.losses == abs(sum(votes))
    assert found.undecided == votes.count(0)


NAMES = ("A", "B", "C", "D", "E", "F")


@given(st.lists(st.tuples(st.integers(0, 12), st.permutations(NAMES), st.sampled_from([-1, 0, 1])), min_size=1))
def test_standings_add_up_the_pairs(drawn: list[tuple[int, list[str], int]]) -> None:
    judged = comparisons([(segment, names[0], names[1], vote) for segment, names, vote in drawn])
    corrected = holm([pair.p_segments for pair in preferences(judged)])
    rows = {str(row[1].value): [cell.value for cell in row[2:]] for row in standing_table("set", judged).rows}
    assert set(rows) == {name for _, names, _ in drawn for name in names[:2]}
    for system, (won, *counts) in rows.items():
        votes = [vote if names[0] == system else -vote for _, names, vote in drawn if system in names[:2]]
        better = [pair.better for pair, p in zip(preferences(judged), corrected, strict=True) if p < 0.05]
        worse = [pair.worse for pair, p in zip(preferences(judged), corrected, strict=True) if p < 0.05]
        assert counts == [*map(votes.count, (1, -1, 0)), better.count(system), worse.count(system)]
        decided = len(votes) - votes.count(0)
        assert won == (pytest.approx(votes.count(1) / decided) if decided else None)
    shares = [-1.0 if row[0] is None else float(row[0]) for row in rows.values()]
    assert shares == sorted(shares, reverse=True)


def test_many_systems_have_a_row_each_and_data_a_row_for_each_pair(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for names, summed in ((NAMES, True), (NAMES[:4], False)):
        pairs = [(one, two) for one in names for two in names if one < two]
        lines = [f"{n}\tj\t{one}\t{two}\t{one}" for n in range(1, 31) for one, two in pairs]
        path = tmp_path / "ab.tsv"
        path.write_text("\n".join(["segment\tjudge\tsystem1\tsystem2\tchoice", *lines]))
        command = ["metaeval", "--judgement-format", "preferences", "--judgements", str(path), "--preferences"]
        assert main(command) == 0
        rows = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("all")]
        if summed:
            wins = [30 * k for k in (5, 4, 3, 2, 1, 0)]
            expected = [[str(n), str(150 - n), "0", str(n // 30), str(5 - n // 30)] for n in wins]
            assert [row[3:] for row in rows] == expected
        else:
            assert len(rows) == len(pairs) == 6
        assert main([*command, "--format", "tsv"]) == 0
        assert len(capsys.readouterr().out.splitlines()) == 1 + len(pairs)


def test_judgements_of_one_segment_go_together() -> None:
    (found,) = preferences(comparisons([(n // 3, "A", "B", -1) for n in range(12)]))
    assert (found.better, found.worse, found.wins, found.losses) == ("B", "A", 12, 0)
    assert found.p == pytest.approx(2 * 0.5**12)
    assert found.p_segments == pytest.approx(2 * 0.5**4)


def test_sign_flip_agrees_with_scipy() -> None:
    sums = [3, -1, 2, 2, -3, 1, 1, 0, 3, 1]
    expected = stats.permutation_test((np.array(sums),), np.sum, permutation_type="samples", n_resamples=np.inf)
    assert sign_flip_p(sums) == pytest.approx(expected.pvalue)
    with pytest.raises(UsageError, match="whole number"):
        sign_flip_p([0.5, 1])


def test_ratings_are_no_preferences(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "da.tsv"
    path.write_text("system\tsegment\tscore\nA\t1\t3\nB\t1\t4\n")
    assert main(["metaeval", "--judgement-format", "ratings", "--judgements", str(path), "--preferences"]) == 2
    assert "needs comparisons" in capsys.readouterr().err
