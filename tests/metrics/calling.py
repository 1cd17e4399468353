"""Calling order metrics by their spec, for the tests of this room."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wordorder.core.orders import Permutations
from wordorder.metrics import METRICS, OrderMetric, metric

OPERATORS = ("kendall", "kendall-sqrt", "hamming", "spearman", "ulam", "fuzzy")

ORDER_SPECS = (
    *(name for name, kind in METRICS.items() if issubclass(kind, OrderMetric)),
    "fuzzy:boundaries=true",
    "pet:branching=right",
    "pet:beta=0.3:gamma=0.2",
    "pef:beta=0.3:gamma=0.2",
    "pef:beta=0",
    "pef:beta=1",
    "pef:weights=size",
    "pef:weights=size:beta=0.25",
    *(f"{name}:operator={operator}" for name in ("pet", "pef") for operator in OPERATORS),
)
"""Every metric of word order at its defaults, and every path its parameters open."""


def order_metric(spec: str) -> OrderMetric:
    found = metric(spec)
    assert isinstance(found, OrderMetric)
    return found


def score(spec: str, order: str | tuple[int, ...]) -> float:
    text = order if isinstance(order, str) else " ".join(map(str, order))
    return order_metric(spec)(text)


def scores(spec: str, orders: list[tuple[int, ...]]) -> NDArray[np.float64]:
    return order_metric(spec)(Permutations.of(orders))
