"""WER and PER: counts against literal twins, and what separates them from TER."""

from __future__ import annotations

import math
from functools import cache

import pytest
from hypothesis import given
from text_batches import REPEATING, Segment, batch_of, corpus_score, segment_scores, segments, text_batch

from text_twins import Words, common_words
from wordorder.core.runtime.errors import UsageError
from wordorder.metrics import metric


def word_errors(hypothesis: Words, reference: Words) -> int:
    """The definition: delete the first word, insert the reference's, or put it in its place."""

    @cache
    def errors(h: Words, r: Words) -> int:
        if not h or not r:
            return len(h) + len(r)
        return min(errors(h[1:], r) + 1, errors(h, r[1:]) + 1, errors(h[1:], r[1:]) + (h[0] != r[0]))

    return errors(hypothesis, reference)


def bag_errors(hypothesis: Words, reference: Words) -> int:
    """Words left over on both sides are substituted, then inserted or deleted."""
    matched = common_words(hypothesis, reference)
    return max(len(hypothesis) - matched, len(reference) - matched)


def rate(errors: int, length: int) -> float:
    return 1 - (errors / length if length else float(errors > 0))


@pytest.mark.parametrize(("name", "count"), [("1-wer", word_errors), ("1-per", bag_errors)])
@given(found=segments(REPEATING))
def test_segments_follow_the_definition(name: str, count: object, found: list[Segment]) -> None:
    assert callable(count)
    expected = [[rate(count(h, r), len(r)) for r in references] for h, references in found]
    assert segment_scores(name, batch_of(found)) == [pytest.approx(row) for row in expected]


@pytest.mark.parametrize(("name", "count"), [("1-wer", word_errors), ("1-per", bag_errors)])
@given(found=segments(REPEATING, references=(1, 1)))
def test_a_corpus_divides_the_sums(name: str, count: object, found: list[Segment]) -> None:
    assert callable(count)
    expected = rate(sum(count(h, r) for h, (r,) in found), sum(len(r) for _, (r,) in found))
    assert corpus_score(name, batch_of(found)) == pytest.approx(expected)


def test_thesis_2_3_2_3_wer_has_every_moved_word_for_an_error_ter_one_shift_per_none() -> None:
    """Half a sentence that moves: 10 of 10 words are wrong in place (Table 5.1 c), one block, no word is missing."""
    batch = text_batch(["6 7 8 9 10 1 2 3 4 5"], ["1 2 3 4 5 6 7 8 9 10"])
    found = [segment_scores(name, batch)[0][0] for name in ("1-wer", "1-ter", "1-per")]
    assert found == [pytest.approx(0.0), pytest.approx(0.9), 1.0]


def test_thesis_table_2_1_wer_is_above_ter_and_ter_above_per() -> None:
    """WER keeps ``parliament`` and ``to``: 3 + 3 + 1 words are wrong. PER keeps 7 of 12 words, for 10."""
    reference = "parliament launches action plan to reduce its carbon footprint ."
    hypothesis = "to reduce the parliament it plans to start its carbon footprint ."
    wer, ter, per = (1 - metric(name)(hypothesis, reference) for name in ("1-wer", "1-ter", "1-per"))
    assert (wer, ter, per) == (pytest.approx(0.7), pytest.approx(0.6), pytest.approx(0.5))


def test_of_several_references_the_best_score_counts() -> None:
    assert metric("1-wer")("a b", "a b c d", "a x") == 0.5
    assert metric("1-per")("b a", "a x y", "a b") == 1.0


def test_words_are_those_of_the_tokeniser() -> None:
    assert metric("1-wer")("a, b.", "a b.") == pytest.approx(1 - 1 / 3)
    assert metric("1-wer")("a, b.", "a b.", tokenizer="none") == pytest.approx(1 / 2)


def test_more_errors_than_reference_words_are_below_zero_and_nothing_is_undefined() -> None:
    batch = text_batch(["x y z", "a", "", ""], ["a", "", "a", ""])
    for name in ("1-wer", "1-per"):
        assert segment_scores(name, batch) == [[-2.0], [0.0], [0.0], [1.0]]
        assert not math.isnan(corpus_score(name, batch))


def test_who_asks_for_wer_is_told_its_name() -> None:
    with pytest.raises(UsageError, match="unknown metric 'wer'; did you mean '1-wer'"):
        metric("wer")
