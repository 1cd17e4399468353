"""Documents: their own scores, and resampling of whole documents."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scoring_twins import bootstrap, bootstrap_p, mean, percentiles

import twins
from wordorder import Permutations, score
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.report import table_records
from wordorder.scoring.tables import groups_table

ORDERS_A: list[twins.Order] = [(1, 2, 3), (3, 2, 1), (2, 1), (), (1, 3, 2), (2, 3, 1), (), (1,), (4, 1, 3, 2)]
ORDERS_B: list[twins.Order] = [(2, 1, 3), (3, 1, 2), (1, 2), (), (1, 2, 3), (3, 2, 1), (2, 1), (1,), (1, 2, 3, 4)]
DOCUMENTS = ["news", "talk", "news", "gap", "talk", "news", "gap", "talk", "Übung"]
PLACES = {name: [place for place, here in enumerate(DOCUMENTS) if here == name] for name in dict.fromkeys(DOCUMENTS)}


def kendall(column: list[twins.Order], places: list[int]) -> float:
    return mean([twins.kendall(column[place]) if column[place] else math.nan for place in places])


def columns() -> dict[str, Permutations]:
    return {"A": Permutations.of(ORDERS_A), "B": Permutations.of(ORDERS_B)}


def test_each_document_has_the_mean_of_its_segments() -> None:
    scores = score(permutations=columns(), metrics="kendall", docs=DOCUMENTS, samples=10)
    rows = table_records(groups_table(scores, "document"))
    expected = [
        (name, system, len(places), kendall(column, places))
        for name, places in PLACES.items()
        for system, column in (("A", ORDERS_A), ("B", ORDERS_B))
    ]
    assert [(row["document"], row["system"], row["segments"]) for row in rows] == [row[:3] for row in expected]
    for row, (*_, value) in zip(rows, expected, strict=True):
        assert row["kendall"] is None if math.isnan(value) else row["kendall"] == pytest.approx(value)


def test_json_has_the_documents_where_there_are_some() -> None:
    document = score(permutations=columns(), metrics="kendall", docs=DOCUMENTS, samples=10).to_dict()
    assert [(part["name"], part["segments"]) for part in document["documents"]] == [
        (name, len(places)) for name, places in PLACES.items()
    ]
    for part in document["documents"]:
        for system, column in zip(part["systems"], (ORDERS_A, ORDERS_B), strict=True):
            value = kendall(column, PLACES[part["name"]])
            assert system["scores"]["kendall"]["value"] == (None if math.isnan(value) else pytest.approx(value))
    assert "documents" not in score(permutations=columns(), metrics="kendall", samples=10).to_dict()


def test_documents_are_drawn_whole() -> None:
    scores = score(permutations=columns(), metrics="kendall", docs=DOCUMENTS, resample="documents", samples=200)
    groups = [PLACES[name] for name in sorted(PLACES)]
    one = bootstrap(groups, lambda drawn: kendall(ORDERS_A, drawn))
    assert scores.replicates[:, 0, 0].tolist() == pytest.approx(one.tolist(), nan_ok=True)
    assert (float(scores.intervals[0][0, 0]), float(scores.intervals[1][0, 0])) == pytest.approx(percentiles(one))
    assert scores.signature["resampled"] == "documents"
    plain = score(permutations=columns(), metrics="kendall", docs=DOCUMENTS, samples=200)
    assert (plain.replicates != scores.replicates).any()
    assert "resampled" not in plain.signature


def test_comparisons_resample_documents_too() -> None:
    """All documents are drawn; of each, the segments count that are defined for both systems."""
    both = [place for place, order in enumerate(ORDERS_A) if order and ORDERS_B[place]]
    groups = [[place for place in PLACES[name] if place in both] for name in sorted(PLACES)]

    def difference(drawn: list[int]) -> float:
        return kendall(ORDERS_B, drawn) - kendall(ORDERS_A, drawn)

    found = score(
        permutations=columns(), metrics="kendall", docs=DOCUMENTS, resample="documents", samples=200
    ).comparisons
    assert [(c.a, c.b, c.segments) for c in found] == [("B", "A", len(both))]
    drawn = bootstrap(groups, difference)
    assert found[0].p == pytest.approx(bootstrap_p(difference(both), drawn[~np.isnan(drawn)]))


def test_wrong_documents_are_told() -> None:
    with pytest.raises(InputError, match="2 document ids for 9 segments"):
        score(permutations=columns(), docs=["a", "b"])
    with pytest.raises(UsageError, match="no documents were given"):
        groups_table(score(permutations=columns(), samples=0), "document")
