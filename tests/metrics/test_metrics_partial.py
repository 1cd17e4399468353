"""Metrics of partial orders: kendall where nothing is open, and known values where something is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from wordorder.core.orders import Alignment, Alignments
from wordorder.core.runtime.errors import UsageError
from wordorder.metrics import metric
from wordorder.scoring.shortcuts import score

CERTAIN = {"A": ["0-0 1-2 2-1 3-3", "0-1 1-0"], "B": ["0-0 1-1 2-2 3-3", "0-0 1-1"]}
GOLD = ["0-0 1-1 2-3 3-2", "0-0 1-1"]


def links(rows: list[str]) -> Alignments:
    return Alignments.of([Alignment.parse(row) for row in rows])


def values(metrics: str, systems: dict[str, list[str]], gold: list[str], **given: Any) -> list[list[float]]:
    judged = {name: links(rows) for name, rows in systems.items()}
    found = score(hyp_align=judged, ref_align=links(gold), policy="drop", metrics=metrics, samples=0, **given)
    return [found.segment_scores(system, name).tolist() for system in systems for name in found.names]


def test_gamma_is_kendall_where_every_word_has_its_own_certain_link() -> None:
    found = values("gamma,gamma:open=half,kendall", CERTAIN, GOLD)
    assert found[0] == found[1] == found[2]
    assert found[3] == found[4] == found[5]


def test_what_is_open_is_dropped_or_counts_half() -> None:
    around = {"A": ["0-0 0-2 1-1 2-3", "1-1"]}  # 0 and 1 are open, 2 comes after both
    (dropped, half) = values("gamma,gamma:open=half", around, ["0-0 1-1 2-2", "0-0 1-1"])
    assert dropped[0] == 1.0
    assert half[0] == pytest.approx(2.5 / 3)
    assert np.isnan(dropped[1])  # one word has no pair
    assert np.isnan(half[1])


TEXTS: dict[str, Any] = {"source": ["a b c"] * 3, "tokenize": "none", "order": "source", "samples": 0}


def test_order_errors_multiplies_both_views() -> None:
    crossed, straight = "0-2 1-1 2-0", "0-0 1-1 2-2"
    found = score(
        ["z y x", "z y x", "q r s"],
        [["x y z", "x y z", "x y z"]],
        hyp_align=links([crossed, straight, ""]),
        ref_align=links([straight] * 3),
        metrics="order-errors",
        **TEXTS,
    )
    scores = found.segment_scores("system", "order-errors")
    assert scores[:2].tolist() == [1 / (4 * 4), 1 / 4]
    assert np.isnan(scores[2])  # nothing matched, nothing aligned: left out
    assert found.values[0, 0] == pytest.approx((1 / 16 + 1 / 4) / 2)


def test_the_closest_reference_has_the_fewest_errors() -> None:
    found = score(
        ["z y x"],
        [["x y z"], ["z y x"]],
        source=["a b c"],
        tokenize="none",
        order="source",
        hyp_align=links(["0-2 1-1 2-0"]),
        ref_align=[links(["0-0 1-1 2-2"]), links(["0-2 1-1 2-0"])],
        metrics="order-errors,gamma",
        samples=0,
    )
    assert found.values.tolist() == [[1.0, 1.0]]


def test_texts_without_a_source_have_no_partial_order() -> None:
    with pytest.raises(
        UsageError, match=r"metric gamma needs links between the source .*; give source and order='source'"
    ):
        score(["x"], ["x"], metrics="gamma")
    assert str(metric("gamma:open=half")) == "gamma:open=half"
