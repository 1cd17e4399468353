"""Correlations between metrics: over documents or segments, of scores and of differences between systems."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder import score
from wordorder.core.runtime.errors import UsageError
from wordorder.scoring.tables import correlation_table

Rows = list[tuple[int, ...]]
orders = st.lists(st.permutations(range(1, 5)).map(tuple), min_size=6, max_size=6)
METRICS = "kendall,hamming,ulam"
DOCUMENTS = ["a", "b", "a", "c", "b", "c"]


def pearson(x: list[float], y: list[float]) -> float | None:
    if np.ptp(x) < 1e-12 or np.ptp(y) < 1e-12:
        return None
    return float(np.corrcoef(x, y)[0, 1])


@given(orders, orders, orders, st.booleans())
def test_the_plain_way_agrees(one: Rows, two: Rows, three: Rows, by_document: bool) -> None:
    texts = {"one": one, "two": two, "three": three}
    groups = {name: [i for i, own in enumerate(DOCUMENTS) if own == name] for name in "abc"}
    if not by_document:
        groups = {str(i): [i] for i in range(6)}
    scores = score(permutations=texts, metrics=METRICS, samples=0, docs=DOCUMENTS if by_document else None)
    values = {
        name: {
            system: [
                float(np.mean([scores.segment_scores(system, name)[row] for row in rows])) for rows in groups.values()
            ]
            for system in texts
        }
        for name in METRICS.split(",")
    }
    found = correlation_table(scores)
    pairs = [("kendall", "hamming"), ("kendall", "ulam"), ("hamming", "ulam")]
    assert [(row[0].value, row[1].value) for row in found.rows] == pairs
    for (a, b), row in zip(pairs, found.rows, strict=True):
        pooled = [[x for system in texts for x in values[name][system]] for name in (a, b)]
        changes = [
            [
                x - y
                for left, right in (("one", "two"), ("one", "three"), ("two", "three"))
                for x, y in zip(values[name][left], values[name][right], strict=True)
            ]
            for name in (a, b)
        ]
        assert row[2].value == pytest.approx(pearson(*pooled), abs=1e-9)
        assert row[3].value == pytest.approx(pearson(*changes), abs=1e-9)


def test_one_system_has_no_differences_and_one_metric_no_correlation() -> None:
    scores = score(permutations=["1 2 3", "2 1 3", "3 2 1"], metrics="kendall,hamming", samples=0)
    row = correlation_table(scores).rows[0]
    assert row[2].value == pytest.approx(pearson([1, 2 / 3, 0], [1, 1 / 3, 1 / 3]))
    assert row[3].value is None
    assert "3 segments" in correlation_table(scores).notes[0]
    with pytest.raises(UsageError, match="two metrics"):
        correlation_table(score(permutations=["1 2"], metrics="kendall", samples=0))
