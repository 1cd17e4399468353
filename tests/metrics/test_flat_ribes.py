"""RIBES against its rule written out (``conformance/ribes.py``)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.ribes import literal_places, literal_ribes
from wordorder.core.text import encode
from wordorder.linking.matching import match_by_context
from wordorder.metrics import metric
from wordorder.scoring.shortcuts import score

sentences = st.lists(st.sampled_from("abcd"), min_size=0, max_size=9)


@given(st.lists(st.tuples(sentences, sentences), min_size=1, max_size=5))
def test_words_are_matched_as_the_rule_says(pairs: list[tuple[list[str], list[str]]]) -> None:
    found = match_by_context(*encode([" ".join(h) for h, _ in pairs], [" ".join(r) for _, r in pairs]))
    rows = [found.reference[a:b].tolist() for a, b in zip(found.offsets, found.offsets[1:], strict=False)]
    assert rows == [literal_places(hyp, ref) for hyp, ref in pairs]


@given(st.lists(st.tuples(sentences, sentences), min_size=1, max_size=5))
def test_score_equals_the_literal_one(pairs: list[tuple[list[str], list[str]]]) -> None:
    lines = [" ".join(h) for h, _ in pairs], [" ".join(r) for _, r in pairs]
    scores = score(*lines, metrics="ribes", tokenize="none", samples=0).segment_scores("system", "ribes")
    expected = [literal_ribes(hyp, ref) if ref else math.nan for hyp, ref in pairs]
    np.testing.assert_allclose(scores, expected, rtol=1e-12)


def test_two_words_may_share_a_reference_word() -> None:
    hyp, ref = ["a", "b", "a", "c"], ["b", "a", "c"]
    assert literal_places(hyp, ref) == match_by_context(*encode([" ".join(hyp)], [" ".join(ref)])).reference.tolist()


@pytest.mark.parametrize(("hyp", "ref", "expected"), [("a", "a", 1.0), ("b", "a", 0.0), ("a b", "a", 0.5**0.25)])
def test_a_reference_of_one_word(hyp: str, ref: str, expected: float) -> None:
    scores = score([hyp], [ref], metrics="ribes", tokenize="none", samples=0)
    assert scores.values[0, 0] == pytest.approx(expected)


def test_the_better_reference_counts() -> None:
    scores = score(["a b c"], [["c b a"], ["a b c"]], metrics="ribes", samples=0)
    assert scores.values[0, 0] == 1.0


def test_parts_are_told_apart() -> None:
    scores = score(["b a x"], ["a b"], metrics="ribes", tokenize="none", samples=0)
    parts = {name: float(part) for name, part in scores.metrics[0].parts(scores.rows[0][0].sum(axis=0)).items()}
    assert parts == {"order": 0.0, "lexical": 2 / 3, "brevity": 1.0}
    assert str(metric("ribes:alpha=0.5")) == "ribes:alpha=0.5"
