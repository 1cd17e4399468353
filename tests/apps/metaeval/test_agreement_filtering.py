"""Judgements of screens where judges disagree are left out (2014 paper, 6.1)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.apps.metaeval.agreement import keep_agreed, ranking_agreement, screen_agreement
from wordorder.cli.main import main
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.formats.judgements import Comparisons

Row = tuple[int, tuple[str, str], int, str, str]
rows = st.lists(
    st.tuples(
        st.integers(0, 1),
        st.sampled_from([("A", "B"), ("B", "A"), ("B", "C")]),
        st.sampled_from([-1, 0, 1]),
        st.sampled_from(["x", "y", "z"]),
        st.sampled_from(["1", "2"]),
    ),
    min_size=1,
    max_size=12,
)


def comparisons(given_rows: list[Row]) -> Comparisons:
    return Comparisons.of(
        [
            (segment, *pair, vote, judge, f"{segment} {judge} {screen}", 1.0)
            for segment, pair, vote, judge, screen in given_rows
        ]
    )


@given(rows)
def test_agreement_of_a_screen_looks_at_every_answer_of_others(given_rows: list[Row]) -> None:
    found = screen_agreement(comparisons(given_rows))
    for place, mine in enumerate(given_rows):
        same = asked = 0
        for one in given_rows:
            if (one[0], one[3], one[4]) != (mine[0], mine[3], mine[4]):
                continue
            for two in given_rows:
                if two[0] == one[0] and set(two[1]) == set(one[1]) and two[3] != one[3]:
                    asked += 1
                    same += one[2] == (two[2] if one[1] == two[1] else -two[2])
        np.testing.assert_allclose(found[place], same / asked if asked else np.nan)


@given(rows)
def test_2014_6_1_judges_who_stay_agree(given_rows: list[Row]) -> None:
    judged = comparisons(given_rows)
    try:
        kept = keep_agreed(judged)
    except InputError:
        assert (screen_agreement(judged) < 1).all()
        return
    between = ranking_agreement(kept)[0]
    assert between.pairs == 0 or between.observed == 1
    assert len(kept) + kept.left_out.get("comparisons on them", 0) == len(judged)


def test_what_is_left_out_is_counted() -> None:
    said = [
        *((0, ("A", "B"), vote, judge, "1") for vote, judge in ((1, "x"), (1, "y"), (-1, "z"))),
        (1, ("A", "B"), 1, "x", "1"),
    ]
    judged = comparisons(said)
    np.testing.assert_allclose(screen_agreement(judged), [0.5, 0.5, 0, np.nan])
    assert len(keep_agreed(judged)) == 1
    kept = keep_agreed(judged, share=0.5)
    assert dict(kept.left_out) == {"screens with agreement below 0.5": 1, "comparisons on them": 1}
    kept = keep_agreed(judged, share=0.5, confirmed=True)
    assert kept.left_out["screens of one judge only"] == 1
    assert len(kept) == 2
    with pytest.raises(InputError, match="no judgements are left"):
        keep_agreed(judged, confirmed=True)
    with pytest.raises(UsageError, match="at most 1"):
        keep_agreed(judged, share=1.5)


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two judges who agree on three segments of four; the metric agrees with them there, and with x elsewhere."""
    monkeypatch.setenv("WORDORDER_CACHE", str(tmp_path / "cache"))
    texts = {"ref": "a b c d", "good": "a b c d", "poor": "d c b a"}
    for name, line in texts.items():
        (tmp_path / name).write_text(f"{line}\n" * 4)
    choices = [("good", "good"), ("good", "good"), ("good", "good"), ("good", "poor")]
    lines = [
        f"{n} {judge} good poor {c}" for n, pair in enumerate(choices, 1) for judge, c in zip("xy", pair, strict=True)
    ]
    (tmp_path / "ab").write_text("\n".join(["segment judge system1 system2 choice", *lines]))
    names = {name: str(tmp_path / name) for name in (*texts, "ab")}
    judged = ["metaeval", "--judgement-format", "preferences", "--judgements", names["ab"]]
    return [*judged, "--ref", names["ref"], "--hyp", names["good"], names["poor"], "-m", "kendall", "--samples", "5"]


def test_2014_6_1_the_effect_is_printed(study: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*study, "--agreed", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["sets"][0]["judgements"]["left_out"] == {
        "screens with agreement below 1": 2,
        "comparisons on them": 2,
    }
    effect = document["effect"][0]
    assert [effect[name] for name in ("coefficient", "all", "agreed", "change")] == ["tau", 0.75, 1.0, 0.25]
    assert main([*study, "--agreed", "--format", "table"]) == 0
    printed = capsys.readouterr().out
    assert "+0.250" in printed
    assert "6 of 8 comparisons are kept; κ between judges 0.500 before, 1.000 after" in printed


def test_tuning_says_what_is_left_out(study: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    judged = [part for part in study[1:] if part not in ("-m", "kendall")]
    ask = ["tune", "full:order=kendall", "--vary", "alpha=0:1", "--search", "grid", "--steps", "2"]
    assert main([*ask, *judged, "--agreed", "--format", "table"]) == 0
    assert "all, left out: screens with agreement below 1: 2, comparisons on them: 2" in capsys.readouterr().out


def test_other_questions_show_both(study: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*study, "--agreed", "--preferences", "--format", "tsv"]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert [row[:5] for row in rows[1:]] == [
        ["all", "good", "poor", "7", "1"],
        ["all agreed", "good", "poor", "6", "0"],
    ]
    assert main([*study, "--confirmed"]) == 2
    assert "--confirmed makes --agreed stricter" in capsys.readouterr().err
