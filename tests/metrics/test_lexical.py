"""Segment BLEU, BLEU-1, precisions, F1 and the share of matched words against literal twins."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from text_batches import (
    DISTINCT,
    REPEATING,
    Segment,
    batch_of,
    corpus_score,
    rows_of,
    segment_scores,
    segments,
    text_batch,
)

from text_twins import add_up, bleu, bleu_counts, chunks, common_words, f1, precision
from wordorder.core.runtime.columns import sum_rows
from wordorder.metrics import metric
from wordorder.metrics.lexical import MatchCounts


@given(found=segments(REPEATING))
def test_segment_bleu_adds_one_to_the_counts_beyond_words(found: list[Segment]) -> None:
    batch = batch_of(found)
    for name, longest in (("bleu", 4), ("bleu1", 1)):
        expected = [[bleu(bleu_counts(*segment), longest=longest, smooth=True)] for segment in found]
        assert segment_scores(name, batch) == [pytest.approx(row) for row in expected]


@given(found=segments(REPEATING))
def test_corpus_bleu1_is_unsmoothed_and_has_the_penalty(found: list[Segment]) -> None:
    sums = add_up([bleu_counts(*segment) for segment in found])
    assert corpus_score("bleu1", batch_of(found)) == pytest.approx(bleu(sums, longest=1, smooth=False))


@given(found=segments(REPEATING, most=3))
def test_precisions_have_no_penalty_and_are_undefined_without_words(found: list[Segment]) -> None:
    counts = [bleu_counts(*segment) for segment in found]
    sums = add_up(counts)
    batch = batch_of(found)
    for n in (1, 2, 3, 4):
        expected = [[precision(row, n, smooth=True) if row[0] else math.nan] for row in counts]
        assert segment_scores(f"bleu-p{n}", batch) == [pytest.approx(row, nan_ok=True) for row in expected]
        assert corpus_score(f"bleu-p{n}", batch) == pytest.approx(
            precision(sums, n, smooth=False) if sums[0] else math.nan, nan_ok=True
        )


def test_smoothing_makes_a_good_short_sentence_whole_and_leaves_a_wrong_one_at_zero() -> None:
    batch = text_batch(["a", "x", "", "a b"], ["a", "a", "a", ""])
    assert segment_scores("bleu", batch) == [[1.0], [0.0], [0.0], [0.0]]
    assert segment_scores("bleu", text_batch(["a b x"], ["a b c"])) == [
        [pytest.approx((2 / 3 * 2 / 3 * 1 / 2 * 1 / 1) ** 0.25)]
    ]


@given(found=segments(REPEATING))
def test_f1_is_that_of_the_two_bags_under_each_reference(found: list[Segment]) -> None:
    expected = [[math.nan if (value := f1(h, r)) is None else value for r in references] for h, references in found]
    batch = batch_of(found)
    assert segment_scores("f1", batch) == [pytest.approx(row, nan_ok=True) for row in expected]
    counts = [[[2 * common_words(h, r), len(h) + len(r)] for r in references] for h, references in found]
    assert rows_of("f1", batch).tolist() == counts


@given(found=segments(REPEATING, references=(1, 1)))
def test_corpus_f1_sums_matches_and_lengths(found: list[Segment]) -> None:
    matched = sum(common_words(h, r) for h, (r,) in found)
    words = sum(len(h) + len(r) for h, (r,) in found)
    expected = 2 * matched / words if words else math.nan
    assert corpus_score("f1", batch_of(found)) == pytest.approx(expected, nan_ok=True)


@given(found=segments(DISTINCT))
def test_matched_counts_words_chunks_and_lengths(found: list[Segment]) -> None:
    batch = batch_of(found)
    rows = rows_of("matched", batch)
    assert rows.tolist() == [[[common_words(h, r), len(r)] for r in references] for h, references in found]
    assert MatchCounts().statistics(batch).tolist() == [
        [[common_words(h, r), len(r), chunks(h, r), len(h)] for r in references] for h, references in found
    ]
    share = metric("matched").segment(rows)
    expected = [[common_words(h, r) / len(r) if r else math.nan for r in references] for h, references in found]
    assert share.tolist() == [pytest.approx(row, nan_ok=True) for row in expected]


@given(found=segments(REPEATING))
def test_equal_words_are_counted_without_a_search_and_as_many_as_the_search_matches(found: list[Segment]) -> None:
    batch, searched = batch_of(found), batch_of(found)
    sizes = [sum_rows(matches.reference_size, matches.offsets).tolist() for matches in searched.matches]
    assert [counts.tolist() for counts in batch.matched_words] == sizes
    del batch.matched_words
    assert batch.ngrams.shape == (len(found), 10)  # from now on, n-grams are known
    assert [counts.tolist() for counts in batch.matched_words] == sizes
    assert not batch._matched


def test_scores_of_sums_have_the_shape_of_the_sums() -> None:
    """Bootstrap samples and systems are further axes before the statistics."""
    generator = np.random.default_rng(2)
    for name in ("bleu", "bleu1", "bleu-p2", "f1", "matched", "meteor", "chrf", "1-ter", "lr-kb4", "full"):
        kind = metric(name)
        sums = generator.integers(1, 20, size=(3, 5, len(kind.columns))).astype(np.float64)
        assert kind.corpus(sums).shape == (3, 5)
        assert kind.corpus(sums)[1, 2] == pytest.approx(float(kind.corpus(sums[1, 2])))
        assert all(part.shape == (3, 5) for part in kind.parts(sums).values())


def test_brevity_is_a_part_of_bleu() -> None:
    sums = rows_of("bleu", text_batch(["a b"], ["a b c d"]))[0, 0]
    assert float(metric("bleu").parts(sums)["brevity"]) == pytest.approx(math.exp(1 - 4 / 2))
