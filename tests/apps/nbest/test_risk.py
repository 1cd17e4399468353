"""Minimum Bayes risk against a literal twin: every hypothesis scored against every translation, one by one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wordorder
from wordorder.apps.nbest import NBest, choose_by_risk, expected_utilities, mbr
from wordorder.apps.nbest.risk import Posterior
from wordorder.core.runtime.columns import Floats
from wordorder.core.runtime.errors import InputError, InputWarning, UsageError
from wordorder.formats import brackets
from wordorder.linking.parsing import Grammar, Parsing
from wordorder.metrics import metric
from wordorder.scoring.inputs import MatchedTexts


@pytest.fixture(scope="module")
def grammar() -> Grammar:
    return Grammar.learn(brackets.read(Path(wordorder.__file__).parent / "data" / "demo" / "english.mrg"))


TEXT = st.lists(st.sampled_from("abc"), max_size=4).map(" ".join)
LISTS = st.lists(st.lists(TEXT, min_size=1, max_size=5), min_size=1, max_size=4)


def literal_utilities(lists: list[list[str]], evidence: list[list[str]], shares: Floats, spec: str) -> list[float]:
    """Write out all pairs and score them as a system is scored against its reference."""
    pairs = [
        (hypothesis, translation)
        for hypotheses, translations in zip(lists, evidence, strict=True)
        for hypothesis in hypotheses
        for translation in translations
    ]
    inputs = MatchedTexts([one for one, _ in pairs], [two for _, two in pairs])
    ((batch,),) = inputs.batches([metric(spec)])
    scores = iter(np.nan_to_num(metric(spec).segment(metric(spec).statistics(batch)[:, 0])).tolist())
    found, first = [], 0
    for hypotheses, translations in zip(lists, evidence, strict=True):
        weights = shares[first : first + len(translations)].tolist()
        first += len(translations)
        found += [sum(weight * next(scores) for weight in weights) for _ in hypotheses]
    return found


@given(LISTS, st.data())
@settings(max_examples=8)
def test_utilities_are_mean_scores(texts: list[list[str]], data: st.DataObject) -> None:
    others = [data.draw(st.lists(TEXT, min_size=1, max_size=4)) for _ in texts]
    totals = [[float(data.draw(st.integers(-5, 0))) for _ in row] for row in others]
    lists, evidence = NBest.of(texts), NBest.of(others, totals=totals)
    specs = ("bleu", "kendall", "lr-kb1", "chrf")
    for posterior in ("count", "score:scale=0.5"):
        shares = Posterior.parse(posterior).of(evidence)
        sums = np.add.reduceat(shares, evidence.offsets[:-1])
        assert np.allclose(sums, 1)
        found = expected_utilities(lists, ",".join(specs), evidence=evidence, posterior=posterior)
        for row, spec in zip(found, specs, strict=True):
            assert np.allclose(row, literal_utilities(texts, others, shares, spec))


def test_threads_and_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    lists = NBest.of([["a b c", "a c b", "b a c", "c a"], ["d e", "e d", "d"]] * 5)
    one = expected_utilities(lists, "bleu,lr-kb4")
    monkeypatch.setattr("wordorder.apps.nbest.risk.LINES_PER_BLOCK", 7)
    assert np.allclose(one, expected_utilities(lists, "bleu,lr-kb4"))
    assert (expected_utilities(lists, "bleu,lr-kb4") == expected_utilities(lists, "bleu,lr-kb4", threads=3)).all()


def test_what_is_chosen() -> None:
    assert mbr(NBest.of([["x y", "a b c", "a b d"], ["p", "q"]]), "lr-kb1") == ["a b c", "p"]
    counted = NBest.of([["p", "q", "q"]])
    assert mbr(counted, "bleu1") == ["q"]
    tied = NBest.of([["p", "q"]], totals=[[-2.0, -1.0]])
    assert choose_by_risk(tied, "bleu1").tolist() == [0]
    assert choose_by_risk(tied, "bleu1", posterior="score").tolist() == [1]  # the more probable
    flat = NBest.of([["A", "a", "b"]])
    assert mbr(flat, "bleu1", lowercase=True) == ["A"]
    assert mbr(NBest.of([["p", "q"]]), "bleu1", evidence=NBest.of([["q"]], totals=[[0.0]]), posterior="score") == ["q"]


PARSED = [
    ["I have read a book .", "have I a book read .", "I a book have read .", "I have read a book ."],
    ["the dog sleeps now .", "now the dog sleeps .", "Sleeps the dog now ."],
]


@pytest.mark.parametrize("spec", ["edpm", "edpm:n=3", "dpm"])
@pytest.mark.parametrize("lowercase", [False, True])
def test_parses_are_compared_as_for_a_system_and_its_reference(
    spec: str, lowercase: bool, grammar: Grammar, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsing = Parsing(grammar=grammar, cache=False)
    pairs = [(one, two) for row in PARSED for one in row for two in row]
    words: dict[str, Any] = {"lowercase": lowercase, "parsing": parsing}
    scores = wordorder.score([one for one, _ in pairs], [two for _, two in pairs], metrics=spec, samples=0, **words)
    segments = iter(scores.segment_scores("system", spec).tolist())
    literal = [sum(next(segments) for _ in row) / len(row) for row in PARSED for _ in row]
    for block in (4096, 3):
        monkeypatch.setattr("wordorder.apps.nbest.risk.SEGMENTS_PER_BLOCK", block)
        found = expected_utilities(NBest.of(PARSED), spec, **words)
        assert found[0].tolist() == pytest.approx(literal)
    value = dict(zip((text for row in PARSED for text in row), literal, strict=True))
    best = [max(row, key=lambda text: (round(value[text], 9), row.count(text))) for row in PARSED]
    assert mbr(NBest.of(PARSED), spec, **words) == best


def test_forests_are_not_compared(grammar: Grammar) -> None:
    with pytest.raises(UsageError, match="needs packed forests"):
        mbr(NBest.of(PARSED), "dpm:parses=forest", parsing=Parsing(grammar=grammar))


def test_what_is_refused() -> None:
    lists = NBest.of([["a", "b"], ["c"]])
    with pytest.raises(InputError, match="must have the same sentences; only one of them has sentence 1"):
        mbr(lists, "bleu", evidence=NBest.of([["a"]]))
    with pytest.raises(UsageError, match="has no total scores"):
        mbr(lists, "bleu", posterior="score")
    for wrong in ("counts", "score:x=1", "score:scale=x", "count:scale=1"):
        with pytest.raises(UsageError, match="posterior"):
            mbr(lists, "bleu", posterior=wrong)
    with pytest.warns(InputWarning, match="kendall scores word order alone: choosing by it"):
        mbr(lists, "kendall")
    with pytest.warns(InputWarning, match="no sentence has more than one translation"):
        mbr(NBest.of([["a"]]), "bleu")
    with pytest.raises(UsageError, match="needs"):
        mbr(lists, "crossing-rate")
