"""RIBES's matching against a literal twin, and Talbot's rule."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from nltk.translate.ribes_score import sentence_ribes

from wordorder.core.runtime.errors import InputError
from wordorder.core.text import encode
from wordorder.linking.matching import match_by_context, match_first

Aligned = list[tuple[int, int]]


def align(hypothesis: list[str], reference: list[str]) -> Aligned:
    """Follow the rule word by word: contexts to the left before those to the right, window after window."""

    def places(ngram: list[str], sentence: list[str]) -> list[int]:
        return [k for k in range(len(sentence)) if sentence[k : k + len(ngram)] == ngram]

    aligned = []
    for i, word in enumerate(hypothesis):
        if word not in reference:
            continue
        if hypothesis.count(word) == reference.count(word) == 1:
            aligned.append((i, reference.index(word)))
            continue
        for window in range(1, max(i + 1, len(hypothesis) - i + 1)):
            if window <= i:
                left = hypothesis[i - window : i + 1]
                if len(places(left, reference)) == len(places(left, hypothesis)) == 1:
                    aligned.append((i, places(left, reference)[0] + window))
                    break
            if i + window < len(hypothesis):
                right = hypothesis[i : i + window + 1]
                if len(places(right, reference)) == len(places(right, hypothesis)) == 1:
                    aligned.append((i, places(right, reference)[0]))
                    break
    return aligned


def score(aligned: Aligned, n: int, m: int) -> tuple[float, float, float]:
    """Give normalised Kendall's τ, precision and brevity penalty."""
    if m == 0:
        return math.nan, math.nan, math.nan
    if n == 0:
        return 0.0, 0.0, 0.0
    brevity = min(1.0, math.exp(1 - m / n))
    if len(aligned) == m == 1:
        return 1.0, 1 / n, brevity
    if len(aligned) < 2:
        return 0.0, 0.0, brevity
    pairs = [a[1] < b[1] for k, a in enumerate(aligned) for b in aligned[k + 1 :]]
    return sum(pairs) / len(pairs), len(aligned) / n, brevity


sentence = st.text("abcd", max_size=14)


@settings(max_examples=400)
@given(st.lists(st.tuples(sentence, sentence), min_size=1, max_size=4))
@example([("aba", "ab")])  # not injective: both ends are aligned to the same word
def test_every_alignment_and_number_is_that_of_the_rule(sentences: list[tuple[str, str]]) -> None:
    matches = match_by_context(*encode([" ".join(h) for h, _ in sentences], [" ".join(r) for _, r in sentences]))
    for row, (h, r) in enumerate(sentences):
        expected = align(list(h), list(r))
        span = slice(matches.offsets[row], matches.offsets[row + 1])
        assert list(zip(matches.hypothesis[span].tolist(), matches.reference[span].tolist(), strict=True)) == expected
        numbers = matches.nkt[row], matches.precision[row], matches.brevity[row]
        np.testing.assert_array_equal(numbers, score(expected, len(h), len(r)))


def test_two_words_may_come_to_one() -> None:
    # "x a" stands once on both sides and aligns the first a; "a y" does the same for the second: to the same place.
    matches = match_by_context(*encode(["x a a y"], ["x a y"]))
    assert matches.reference.tolist() == [0, 1, 1, 2]
    assert matches.nkt.tolist() == [5 / 6]  # the tie does not ascend


def test_left_contexts_are_tried_before_right_ones() -> None:
    # Both "p a" and "a q" are unique bigrams with the first a, at different places of the reference.
    matches = match_by_context(*encode(["p a q a"], ["a q p a"]))
    assert matches.reference.tolist()[:2] == [2, 3]


def test_one_word_references() -> None:
    matches = match_by_context(*encode(["a b c", "a", "a a", "b"], ["a", "a", "a", "a"]))
    assert matches.nkt.tolist() == [1.0, 1.0, 0.0, 0.0]
    assert matches.precision.tolist() == [1 / 3, 1.0, 0.0, 0.0]


def test_equals_nltk_where_its_rule_is_the_same() -> None:
    # NLTK tries right contexts first; on these sentences that makes no difference.
    hypothesis, reference = "we left the old town early today", "early today we left town"
    matches = match_by_context(*encode([hypothesis], [reference]))
    ribes = matches.nkt * matches.precision**0.25 * matches.brevity**0.10
    assert ribes[0] == pytest.approx(sentence_ribes([reference.split()], hypothesis.split()))


@given(st.lists(st.tuples(sentence, sentence), min_size=1, max_size=4))
def test_talbot_takes_the_first_free_instance(sentences: list[tuple[str, str]]) -> None:
    matches = match_first(*encode([" ".join(h) for h, _ in sentences], [" ".join(r) for _, r in sentences]))
    for row, (h, r) in enumerate(sentences):
        expected = []
        free = list(r)
        for i, word in enumerate(h):
            if word in free:
                expected.append((i, free.index(word)))
                free[free.index(word)] = ""
        span = slice(matches.offsets[row], matches.offsets[row + 1])
        assert list(zip(matches.hypothesis[span].tolist(), matches.reference[span].tolist(), strict=True)) == expected


def test_no_rows_and_unequal_columns() -> None:
    assert len(match_by_context(*encode([], []))) == 0
    assert len(match_first(*encode([], []))) == 0
    with pytest.raises(InputError, match="2 hypotheses but 1 reference"):
        match_by_context(*encode(["a", "b"], ["a"]))
    with pytest.raises(InputError, match="must share one vocabulary"):
        match_first(*encode(["a"]), *encode(["b"]))
