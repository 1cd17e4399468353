"""n-gram counts and corpus BLEU against sacreBLEU and against counting by hand."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU
from text_batches import REPEATING, Segment, batch_of, corpus_score, rows_of, segments, text_batch

from text_twins import Words, bleu_counts
from wordorder.core.text import encode
from wordorder.metrics import ngrams
from wordorder.metrics.ngrams import COLUMNS, ngram_statistics

LONGER: st.SearchStrategy[Words] = st.lists(st.sampled_from(["the", "The", "cat", "sat", "é", "."]), max_size=40).map(
    tuple
)


def columns_of(found: list[Segment]) -> tuple[list[str], list[list[str]]]:
    hypotheses = [" ".join(hypothesis) for hypothesis, _ in found]
    return hypotheses, [[" ".join(text) for text in column] for column in zip(*(r for _, r in found), strict=True)]


@given(segments(st.one_of(REPEATING, LONGER)))
def test_counts_are_those_of_sacrebleu_and_of_counting_by_hand(found: list[Segment]) -> None:
    counts = rows_of("bleu", batch_of(found))[:, 0]
    theirs = BLEU(tokenize="none", force=True)._extract_corpus_statistics(*columns_of(found))
    assert counts.tolist() == [bleu_counts(*segment) for segment in found]
    assert counts.tolist() == theirs


@given(segments(st.one_of(REPEATING, LONGER)), st.sampled_from([1, 10, 1 << 15]))
def test_sorting_counts_as_the_kernel_counts(found: list[Segment], at_once: int) -> None:
    for name in ("bleu", "chrf"):
        counts = rows_of(name, batch_of(found))
        with mock.patch.multiple(ngrams, _count=ngrams._count_by_sorting, _WORDS_AT_ONCE=at_once):
            assert rows_of(name, batch_of(found)).tolist() == counts.tolist()


@given(segments(st.one_of(REPEATING, LONGER)))
def test_corpus_bleu_is_sacrebleu_without_smoothing(found: list[Segment]) -> None:
    theirs = BLEU(tokenize="none", force=True, smooth_method="none").corpus_score(*columns_of(found)).score
    assert corpus_score("bleu", batch_of(found)) == pytest.approx(theirs / 100, abs=1e-12)


def test_counts_have_names() -> None:
    hypothesis, reference = encode(["a b c d e"], ["a b c x"])
    rows = ngram_statistics(hypothesis, [reference])
    assert dict(zip(COLUMNS, rows[0].tolist(), strict=True)) == {
        "hypothesis_length": 5,
        "reference_length": 4,
        **{"correct1": 3, "correct2": 2, "correct3": 1, "correct4": 0},
        **{"total1": 5, "total2": 4, "total3": 3, "total4": 2},
    }


def test_of_two_references_equally_close_in_length_the_shorter_counts() -> None:
    rows = rows_of("bleu", text_batch(["a b c"], ["a b c d"], ["a b"]))
    assert rows[0, 0, 1] == 2


def test_an_ngram_counts_as_often_as_in_the_reference_that_has_it_most() -> None:
    rows = rows_of("bleu", text_batch(["a a a a"], ["a b a"], ["a a a b"]))
    assert rows[0, 0, 2] == 3


def test_a_long_sentence_of_many_different_words_is_counted_right() -> None:
    generator = np.random.default_rng(1)
    hypothesis, reference = (tuple(map(str, generator.integers(0, 900, size=3000))) for _ in range(2))
    counts = rows_of("bleu", batch_of([(hypothesis, [reference]), (("x",), [("x",)])]))[:, 0]
    assert counts.tolist() == [bleu_counts(hypothesis, [reference]), bleu_counts(("x",), [("x",)])]
