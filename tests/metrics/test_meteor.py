"""METEOR: the formula against a literal twin, stage weights by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from text_batches import DISTINCT, Segment, batch_of, corpus_score, segment_scores, segments, text_batch

from text_twins import chunks, common_words, meteor

PARAMETERS = {"thesis": (0.8, 0.4, 2.5), "2007": (0.81, 0.28, 0.83), "1.5-rank": (0.85, 0.6, 0.2)}


@given(found=segments(DISTINCT))
def test_segments_follow_the_formula(found: list[Segment]) -> None:
    batch = batch_of(found)
    for name, (alpha, gamma, theta) in PARAMETERS.items():
        expected = []
        for hypothesis, references in found:
            scores = [meteor(hypothesis, text, alpha=alpha, gamma=gamma, theta=theta) for text in references]
            expected.append([math.nan if score is None else score for score in scores])
        ours = segment_scores(f"meteor:parameters={name}", batch)
        assert ours == [pytest.approx(row, nan_ok=True) for row in expected], name


@given(found=segments(DISTINCT, references=(1, 1)))
def test_a_corpus_applies_the_formula_to_sums(found: list[Segment]) -> None:
    matched = sum(common_words(h, r) for h, (r,) in found)
    pieces = sum(chunks(h, r) for h, (r,) in found)
    h, r = sum(len(h) for h, _ in found), sum(len(r) for _, (r,) in found)
    if not matched:
        expected = 0.0 if h + r else math.nan
    else:
        p, q = matched / h, matched / r
        whole = pieces == 1 and matched == h == r
        expected = p * q / (0.8 * p + 0.2 * q) * (1 - 0.4 * (0 if whole else pieces / matched) ** 2.5)
    ours = corpus_score("meteor:parameters=thesis", batch_of(found))
    assert ours == pytest.approx(expected, nan_ok=True)


def test_a_stem_counts_less_in_the_ranking_parameters() -> None:
    """``cat`` is exact (1), ``sleeps`` matches by its stem (0.6), ``now`` not at all; one chunk of two."""
    batch = text_batch(["cat sleeps"], ["cat sleeping now"], stages=("exact", "stem"))
    p, r = 1.6 / 2, 1.6 / 3
    f_mean = p * r / (0.85 * p + 0.15 * r)
    assert segment_scores("meteor", batch) == [[pytest.approx(f_mean * (1 - 0.6 * (1 / 2) ** 0.2))]]
    p, r = 2 / 2, 2 / 3
    f_mean = p * r / (0.8 * p + 0.2 * r)
    assert segment_scores("meteor:parameters=thesis", batch) == [[pytest.approx(f_mean * (1 - 0.4 * (1 / 2) ** 2.5))]]


def test_the_weights_of_stages_hold_while_matching() -> None:
    """``walks`` may match ``walk`` in place or itself one word further on, which weighs more in METEOR 1.5 only."""
    batch = text_batch(["walks"], ["walk walks"], stages=("exact", "stem"))
    places = [[int(m.reference[0]) for m in batch.matches_weighted(w)] for w in (None, (1.0, 0.6, 0.8, 0.6))]
    assert places == [[0], [1]]
    p, r = 1.0, 1 / 2
    assert segment_scores("meteor", batch) == [[pytest.approx(p * r / (0.85 * p + 0.15 * r) * (1 - 0.6))]]
    alone = text_batch(["walks"], ["walk walks"], stages=("stem",))  # equal words match without being asked for
    assert segment_scores("meteor", alone) == segment_scores("meteor", batch)
    assert [column[0].stage.tolist() for column in (batch.matches, batch.matches_weighted((1.0, 0.6, 0.8, 0.6)))] == [
        [1],
        [0],
    ]


def test_words_against_nothing_score_zero_and_nothing_against_nothing_is_undefined() -> None:
    scores = segment_scores("meteor", text_batch(["a b", "", ""], ["", "a", ""]))
    assert scores[:2] == [[0.0], [0.0]]
    assert math.isnan(scores[2][0])
