"""Metrics of other packages, given as instances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

import wordorder
from wordorder.core.runtime.errors import UsageError
from wordorder.metrics import Need, OrderMetric, Orders, choose_metrics, metric
from wordorder.metrics.base import CorpusContext
from wordorder.metrics.combined import Full


@dataclass(frozen=True)
class LastWord(OrderMetric):
    """A metric that no package offers."""

    name: ClassVar[str] = "last-word"
    formula: ClassVar[str] = "π_n = n"
    paper: ClassVar[str] = "nobody"

    reward: float = 1.0

    def values(self, orders: Orders) -> NDArray[np.float64]:
        rows = list(orders.permutations)
        return np.array([self.reward * (row.ranks[-1] == len(row) - 1) if len(row) else np.nan for row in rows])


def test_an_instance_is_as_good_as_a_spec() -> None:
    scores = wordorder.score(
        {"A": ["a b c"], "B": ["a c b"]}, ["a b c"], metrics=["bleu1", LastWord(0.5), Full(order=LastWord())]
    )
    assert scores.names == ["bleu1", "last-word:reward=0.5", "full:order=last-word"]
    assert scores["A", LastWord(0.5)] == 0.5
    assert scores["B", "last-word:reward=0.5"] == 0.0
    assert scores["B", "full:order=last-word"] == 0.5
    alone = wordorder.score(permutations=["1 2"], metrics=LastWord())
    assert alone["system", "last-word"] == 1.0


def test_an_instance_must_fit_its_place() -> None:
    with pytest.raises(UsageError, match="pef: order must not be a metric"):
        metric("pef", order=LastWord())
    with pytest.raises(UsageError, match="full: lexical must be a lexical metric such as bleu, not last-word"):
        metric("full", lexical=LastWord())
    assert str(metric("full:alpha=0.25", order=LastWord(0.5))) == ("full:order=last-word:order.reward=0.5:alpha=0.25")
    with pytest.raises(UsageError, match="metric 1-ter needs text with a reference, which this input does not include"):
        choose_metrics([LastWord(), "1-ter"], available=frozenset({Need.ORDER}))


def test_order_metrics_score_operators() -> None:
    assert metric("pef:operator=kendall")("2 4 1 3") == metric("kendall")("2 4 1 3")
    with pytest.raises(UsageError, match=r"unknown operator of pef 'bleu' \(valid: monotone, kendall, .*fuzzy\)"):
        metric("pef:operator=bleu")


@dataclass(frozen=True)
class FormerNames(LastWord):
    """A metric whose methods have the names of version 0.1."""

    name: ClassVar[str] = "former-names"

    def wants(self, inputs: CorpusContext) -> FormerNames:
        return FormerNames(0.5 if inputs.dk is None else inputs.dk)

    def facts(self) -> dict[str, list[float]]:
        return {"rewards": [self.reward]}


def test_the_former_names_of_methods_still_count() -> None:
    scores = wordorder.score({"A": ["a b"]}, ["a b"], metrics=FormerNames())
    assert scores.names == ["former-names:reward=0.5"]
    assert scores["A", "former-names:reward=0.5"] == 0.5
    assert scores.signature["rewards"] == [0.5]
    assert not hasattr(LastWord, "wants")
