"""Scores per document and bucket: exactly what scoring those segments alone gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.report.table import Cell, Mark
from wordorder.scoring.shortcuts import score
from wordorder.scoring.tables import bucket_groups, groups_table

sentence = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=7).map(" ".join)
segments = st.lists(
    st.tuples(sentence, sentence, sentence, st.sampled_from(["none", "low", "high", "-", "other"])),
    min_size=2,
    max_size=8,
).filter(lambda rows: any(row[3] != "-" for row in rows))

OPTIONS: dict[str, Any] = {"metrics": "bleu,kendall-sqrt,lr-hb1", "samples": 20}


@settings(max_examples=40)
@given(segments)
def test_a_bucket_is_scored_as_if_it_were_alone(rows: list[tuple[str, str, str, str]]) -> None:
    names = [row[3] for row in rows]
    scores = score(_systems(rows), [row[2] for row in rows], buckets=names, **OPTIONS)
    table = groups_table(scores, "bucket")
    expected: list[str] = [name for name in ("none", "low", "high", "other") if name in names]
    expected += ["all"] if len(expected) > 1 else []  # Birch 2011, Figures 3.21–3.22: the combination of all groups
    assert [row[0].value for row in table.rows] == [name for name in expected for _ in "AB"]
    records = {record["name"]: record for record in scores.to_dict()["buckets"]}
    for name in expected:
        part = [row for row in rows if row[3] == name or (name == "all" and row[3] != "-")]
        alone = score(_systems(part), [row[2] for row in part], **OPTIONS)
        found = [row for row in table.rows if row[0].value == name]
        for s, row in enumerate(found):
            assert row[2].value == len(part)
            values = [None if value != value else value for value in alone.values[s].tolist()]
            assert [cell.value for cell in row[3:-2]] == values
            assert alone.matched is not None
            assert alone.words is not None
            assert row[-2:] == (Cell(alone.matched[s]), Cell(alone.words[s]))
            for m, cell in enumerate(row[3:-2]):
                bounds = (alone.intervals[0][s, m], alone.intervals[1][s, m])
                if np.isnan(bounds).any():  # of one segment
                    assert cell.interval is None
                elif cell.value is not None:
                    assert cell.interval == bounds
        assert records[name]["segments"] == len(part)
        if len(part) > 1:
            assert records[name]["systems"] == alone.to_dict()["systems"]


def _systems(rows: list[tuple[str, str, str, str]]) -> dict[str, list[str]]:
    return {"A": [row[0] for row in rows], "B": [row[1] for row in rows]}


def test_the_best_system_of_each_bucket_is_marked() -> None:
    scores = score(
        permutations={"A": ["1 2 3", "3 2 1", "1 2 3"], "B": ["3 2 1", "1 2 3", "2 1 3"]},
        metrics="kendall",
        buckets=["high", "low", "high"],
    )
    marked = [(row[0].value, row[1].value) for row in groups_table(scores, "bucket").rows if Mark.BEST in row[3].marks]
    assert marked == [("low", "B"), ("high", "A"), ("all", "A")]
    assert "were not tested" in groups_table(scores, "bucket").notes[1]
    assert groups_table(scores, "bucket").signature.startswith("metrics:kendall")


def test_segments_in_no_bucket_are_counted() -> None:
    scores = score(permutations={"A": ["1 2", "2 1", "2 1"]}, metrics="kendall", buckets=["-", "low", " "])
    (row,) = groups_table(scores, "bucket").rows
    assert (row[0].value, row[2].value, row[3].value) == ("low", 1, 0)
    assert "left out, being in no bucket: 2 segments" in groups_table(scores, "bucket").notes
    with pytest.raises(InputError, match="no segment is assigned to a bucket"):
        bucket_groups(["-", "-"])


def test_a_bucket_called_all_is_a_bucket() -> None:
    assert {name: len(rows) for name, rows in bucket_groups(["all", "low", "-"]).items()} == {"low": 1, "all": 1}


def test_documents_keep_their_order_and_share_the_mechanism() -> None:
    scores = score(
        permutations={"A": ["1 2 3", "3 2 1", "1 2 3", "2 1 3"]},
        metrics="kendall",
        docs=["news", "talk", "news", "chat"],
        samples=30,
    )
    rows = groups_table(scores, "document").rows
    assert [(row[0].value, row[2].value) for row in rows] == [("news", 2), ("talk", 1), ("chat", 1)]
    assert [row[3].value for row in rows] == [1, 0, pytest.approx(2 / 3)]
    assert [row[3].interval is None for row in rows] == [False, True, True]
    assert [record["name"] for record in scores.to_dict()["documents"]] == ["news", "talk", "chat"]


def test_a_single_document_has_nothing_to_be_drawn_from() -> None:
    scores = score(
        permutations={"A": ["1 2 3", "3 2 1", "1 2 3", "2 1 3"]},
        metrics="kendall",
        docs=["a", "a", "b", "b"],
        buckets=["low", "low", "high", "low"],
        resample="documents",
        samples=30,
    )
    assert all(row[3].interval is None for row in groups_table(scores, "document").rows)
    assert [row[3].interval is None for row in groups_table(scores, "bucket").rows] == [False, True, False]


def test_groups_must_be_there_and_fit() -> None:
    scores = score(permutations={"A": ["1 2"]}, metrics="kendall")
    with pytest.raises(UsageError, match="no documents were given"):
        groups_table(scores, "document")
    with pytest.raises(UsageError, match="no buckets were given"):
        groups_table(scores, "bucket")
    with pytest.raises(InputError, match="expected one bucket per segment, found 2 buckets for 1 segment"):
        score(permutations={"A": ["1 2"]}, metrics="kendall", buckets=["low", "high"])
