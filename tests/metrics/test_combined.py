"""LRscore and the full metric against literal twins: parts, several references, weights, and what is empty."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from text_batches import DISTINCT, Segment, batch_of, corpus_score, rows_of, segment_scores, segments, text_batch

import twins
from text_twins import add_up, bleu, bleu_counts, brevity, f1, full, lr, order_part
from wordorder.core.runtime.errors import UsageError
from wordorder.metrics import metric
from wordorder.metrics.base import choose_reference

PRESETS = {
    "lr-hb1": (twins.hamming, 1, 0.1332),
    "lr-hb4": (twins.hamming, 4, 0.0186),
    "lr-kb1": (twins.kendall_sqrt, 1, 0.2820),
    "lr-kb4": (twins.kendall_sqrt, 4, 0.1319),
    "lr": (twins.kendall_sqrt, 4, 0.1319),
}
PEF = partial(twins.pef, beta=0.6, operator_score=twins.monotone_operator(0.0))


@given(found=segments(DISTINCT))
def test_segments_of_lr(found: list[Segment]) -> None:
    batch = batch_of(found)
    for name, (order, longest, theta) in PRESETS.items():
        expected = [
            lr(hypothesis, references, order=order, longest=longest, alpha=theta**0.6606)
            for hypothesis, references in found
        ]
        assert segment_scores(name, batch) == [pytest.approx(row) for row in expected], name


def test_the_score_of_a_segment_does_not_depend_on_its_weight() -> None:
    found = [(tuple("bac"), [tuple("abcd")]), (tuple("ba"), [tuple("ab")])]
    expected = segment_scores("lr-kb1", batch_of(found))
    assert segment_scores("lr-kb1", batch_of(found, by_length=True)) == [pytest.approx(row) for row in expected]


@settings(max_examples=60)
@given(
    name=st.sampled_from(["lr-hb1", "lr-kb4:alpha=0.5"]),
    by_length=st.booleans(),
    found=segments(DISTINCT, references=(1, 1)),
)
def test_a_corpus_has_the_mean_order_and_corpus_bleu(name: str, by_length: bool, found: list[Segment]) -> None:
    order, longest, theta = PRESETS[name.partition(":")[0]]
    alpha = 0.5 if "alpha" in name else theta**0.6606
    weights = [float(len(r)) if by_length else 1.0 for _, (r,) in found]
    parts = [order_part(h, r, order) * brevity(len(h), len(r)) for h, (r,) in found]
    lexical = bleu(add_up([bleu_counts(*segment) for segment in found]), longest=longest, smooth=False)
    expected = math.nan
    if sum(weights):
        mean = sum(w * part for w, part in zip(weights, parts, strict=True)) / sum(weights)
        expected = alpha * mean + (1 - alpha) * lexical
    batch = batch_of(found, by_length=by_length)
    assert corpus_score(name, batch) == pytest.approx(expected, nan_ok=True)
    if sum(weights):
        shown = metric(name).parts(rows_of(name, batch)[:, 0].sum(axis=0))
        assert float(shown["order"]) == pytest.approx(mean)
        assert float(shown["lexical"]) == pytest.approx(lexical)
        assert float(shown["alpha"]) == pytest.approx(alpha)


def test_thesis_7_2_order_and_brevity_may_come_from_two_references() -> None:
    """Eq. 7.3: a hypothesis of 8 words, the same order in 10 words, the inverse order in 8: BP is 1, not .7788."""
    hypothesis = "a b c d e f g h"
    longer, inverted = f"{hypothesis} i j", hypothesis[::-1]
    for references in ((longer, inverted), (inverted, longer)):
        batch = text_batch([hypothesis], *([text] for text in references))
        chosen = choose_reference(metric("lr-kb4"), rows_of("lr-kb4", batch))[0]
        parts = metric("lr-kb4").parts(chosen)
        assert (float(parts["order"]), float(parts["brevity"])) == (1.0, 1.0)
        assert metric("lr-kb4:alpha=1")(hypothesis, *references) == 1.0
    alone = metric("lr-kb4").parts(rows_of("lr-kb4", text_batch([hypothesis], [longer]))[0, 0])
    assert float(alone["brevity"]) == pytest.approx(0.7788, abs=5e-5)


@given(alpha=st.sampled_from([0.0, 0.3, 1.0]), found=segments(DISTINCT))
def test_segments_of_full_with_f1(alpha: float, found: list[Segment]) -> None:
    expected = []
    for hypothesis, references in found:
        lexical = [f1(hypothesis, reference) for reference in references]
        expected.append(
            [
                math.nan if part is None else full(hypothesis, reference, order=PEF, lexical=part, alpha=alpha)
                for reference, part in zip(references, lexical, strict=True)
            ]
        )
    ours = segment_scores(f"full:lexical=f1:alpha={alpha}", batch_of(found))
    assert ours == [pytest.approx(row, nan_ok=True) for row in expected]


@given(found=segments(DISTINCT))
def test_segments_of_full_with_bleu1_over_all_references(found: list[Segment]) -> None:
    expected = []
    for hypothesis, references in found:
        lexical = bleu(bleu_counts(hypothesis, references), longest=1, smooth=True)
        expected.append([full(hypothesis, r, order=twins.hamming, lexical=lexical, alpha=0.5) for r in references])
    ours = segment_scores("full:order=hamming", batch_of(found))
    assert ours == [pytest.approx(row) for row in expected]


@settings(max_examples=60)
@given(by_length=st.booleans(), found=segments(DISTINCT, references=(1, 1)))
def test_the_full_score_of_a_corpus_is_a_mean_of_segments(by_length: bool, found: list[Segment]) -> None:
    total = weight = 0.0
    for hypothesis, (reference,) in found:
        lexical = f1(hypothesis, reference)
        if lexical is not None:
            here = float(len(reference)) if by_length else 1.0
            total += here * full(hypothesis, reference, order=PEF, lexical=lexical, alpha=0.5)
            weight += here
    ours = corpus_score("full:lexical=f1", batch_of(found, by_length=by_length))
    assert ours == pytest.approx(total / weight if weight else math.nan, nan_ok=True)


@pytest.mark.parametrize("name", ["lr-hb1", "lr-kb4", "full", "full:lexical=f1", "full:order=fuzzy:lexical=meteor"])
def test_nothing_matched_and_an_empty_hypothesis_score_zero(name: str) -> None:
    assert segment_scores(name, text_batch(["x y", ""], ["a b", "a b"])) == [[0.0], [0.0]]


def test_a_perfect_sentence_scores_one_and_the_parts_are_shown() -> None:
    for name in ("lr-hb1", "lr-kb4", "full", "full:lexical=f1"):
        batch = text_batch(["a b c d e"], ["a b c d e"])
        assert segment_scores(name, batch) == [[pytest.approx(1.0)]]
        parts = metric(name).parts(rows_of(name, batch)[0, 0])
        assert [float(parts[part]) for part in ("order", "lexical", "brevity")] == [pytest.approx(1.0)] * 3


def test_a_short_hypothesis_is_penalised_by_words_matched_in_full_and_by_words_written_in_lr() -> None:
    batch = text_batch(["a b x y"], ["a b c d"])
    assert segment_scores("full:alpha=0", batch) == [[pytest.approx(math.exp(1 - 4 / 2))]]
    assert segment_scores("lr:alpha=1", batch) == [[1.0]]


@pytest.mark.parametrize("name", ["lr:lexical=f1", "lr:lexical=bleu-p2", "lr:lexical=meteor", "full:lexical=f1"])
def test_an_undefined_segment_takes_no_part_in_the_corpus(name: str) -> None:
    """Nothing against nothing has no F1; it must not lower the mean of order either."""
    alone = text_batch(["b a c"], ["a b c"])
    beside = text_batch(["b a c", ""], ["a b c", ""])
    assert math.isnan(segment_scores(name, beside)[1][0])
    assert not rows_of(name, beside)[1].any()
    assert corpus_score(name, beside) == corpus_score(name, alone)


def test_parts_of_the_wrong_kind_are_refused() -> None:
    with pytest.raises(UsageError, match="order must be a word order metric such as kendall, not bleu"):
        metric("lr:order=bleu")
    with pytest.raises(UsageError, match="lexical must be a lexical metric such as bleu, not pef"):
        metric("full:lexical=pef")
    for spec in ("lr:alpha=1.5", "lr:alpha=nan", "full:alpha=-0.1", "lr:theta=2", "lr-kb4:dk=inf"):
        with pytest.raises(UsageError, match="must be 0 to 1"):
            metric(spec)


def test_a_parameter_of_a_part_changes_the_part() -> None:
    batch = text_batch(["b a d c e"], ["a b c d e"])
    for beta in (0.2, 0.9):
        order = twins.pef((2, 1, 4, 3, 5), beta=beta, operator_score=twins.monotone_operator(0.0))
        ours = segment_scores(f"full:order=pef:order.beta={beta}:alpha=0", batch)
        assert ours == [[pytest.approx(order)]]


def test_statistics_are_finite_whatever_is_empty() -> None:
    batch = text_batch(["", "a", "", "b"], ["", "", "a", "a"], ["a", "", "", "c"])
    for name in ("lr-kb4", "lr:lexical=f1", "full", "full:lexical=f1", "full:lexical=meteor", "f1", "meteor", "bleu"):
        assert np.isfinite(rows_of(name, batch)).all(), name
