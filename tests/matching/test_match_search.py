"""The search against an exhaustive one, on any candidates and on sentences with repeated words."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordorder.matching import match
from wordorder.matching.matcher import choose
from wordorder.runtime.columns import offsets_from_lengths
from wordorder.text import encode

Candidate = tuple[int, int, int, int, int]
"""Hypothesis start and end, reference start and end, weight."""
Row = tuple[int, int, list[Candidate]]
Value = tuple[int, int, int]
"""Weighted words, chunks and displacement; the last two negative, so that more is better."""


def best_value(row: Row) -> Value:
    """Try every set of candidates that share no word (what was tried before is remembered)."""
    n, _, candidates = row

    @cache
    def go_on(i: int, used: frozenset[int], end: tuple[int, int]) -> Value:
        """Give the most that words from i on can add, given used reference words and the end of the last match."""
        if i >= n:
            return 0, 0, 0
        best = go_on(i + 1, used, end)
        for start, stop, at, to, weight in candidates:
            if start == i and used.isdisjoint(range(at, to)):
                rest = go_on(stop, used | set(range(at, to)), (stop, to))
                words, chunk = stop - start + to - at, int(end != (start, at))
                best = max(best, (rest[0] + weight * words, rest[1] - chunk, rest[2] - abs(start - at)))
        return best

    return go_on(0, frozenset(), (-1, -1))


def value_of(chosen: list[Candidate]) -> Value:
    hypothesis_words = [i for start, stop, *_ in chosen for i in range(start, stop)]
    reference_words = [j for _, _, at, to, _ in chosen for j in range(at, to)]
    assert len(set(hypothesis_words)) == len(hypothesis_words)
    assert len(set(reference_words)) == len(reference_words)
    ends = {(stop, to) for _, stop, _, to, _ in chosen}
    return (
        sum(weight * (stop - start + to - at) for start, stop, at, to, weight in chosen),
        -sum((start, at) not in ends for start, _, at, _, _ in chosen),
        -sum(abs(start - at) for start, _, at, _, _ in chosen),
    )


def choose_all(rows: list[Row], *, states: int, narrow: int) -> tuple[list[Value], list[bool]]:
    """Give the value of what the kernels choose in each row, and whether they say it is exact."""
    hyp_offsets = offsets_from_lengths([row[0] for row in rows])
    ref_offsets = offsets_from_lengths([row[1] for row in rows])
    offsets = offsets_from_lengths([len(row[2]) for row in rows])
    flat = [
        (hyp_offsets[k] + c[0], hyp_offsets[k] + c[1], ref_offsets[k] + c[2], ref_offsets[k] + c[3])
        for k, row in enumerate(rows)
        for c in row[2]
    ]
    pairs = np.array(flat, dtype=np.int32).reshape(-1, 4)
    weight = np.array([c[4] for row in rows for c in row[2]], dtype=np.int64)
    chosen, exact = choose(offsets, pairs, weight, hyp_offsets, ref_offsets, states=states, narrow=narrow)
    values = []
    for k, row in enumerate(rows):
        flags = chosen[offsets[k] : offsets[k + 1]]
        values.append(value_of([c for c, flag in zip(row[2], flags, strict=True) if flag]))
    return values, exact.tolist()


@st.composite
def rows_of_words(draw: st.DrawFn) -> Row:
    """Single words of a few kinds that match at a weight per pair of kinds (0: not at all, 9 stands for 0)."""
    kinds = draw(st.integers(1, 5))
    word = st.integers(0, kinds - 1)
    hypothesis, reference = draw(st.lists(word, max_size=8)), draw(st.lists(word, max_size=8))
    weights = draw(st.lists(st.sampled_from([0, 0, 0, 1, 2, 9]), min_size=kinds**2, max_size=kinds**2))
    table = [5 if k % (kinds + 1) == 0 else weight for k, weight in enumerate(weights)]
    candidates = [
        (i, i + 1, j, j + 1, table[one * kinds + other] % 9)
        for i, one in enumerate(hypothesis)
        for j, other in enumerate(reference)
        if table[one * kinds + other]
    ]
    return len(hypothesis), len(reference), candidates


@st.composite
def rows_of_phrases(draw: st.DrawFn) -> Row:
    """Any spans of up to three words."""
    n, m = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    spans = st.tuples(st.integers(0, n - 1), st.integers(1, 3), st.integers(0, m - 1), st.integers(1, 3))
    found = {
        (i, min(n, i + more), j, min(m, j + longer)): draw(st.sampled_from([0, 1, 2, 5]))
        for i, more, j, longer in draw(st.lists(spans, max_size=14))
    }
    keys = sorted(found, key=lambda span: (span[0], span[2], span[1], span[3]))
    return n, m, [(*key, found[key]) for key in keys]


@settings(max_examples=200)
@given(rows=st.lists(st.one_of(rows_of_words(), rows_of_phrases()), min_size=1, max_size=4))
def test_the_search_finds_what_trying_everything_finds(rows: list[Row]) -> None:
    expected = [best_value(row) for row in rows]
    for narrow in (16, 1):  # a first beam of one state makes the bounds do the work
        values, exact = choose_all(rows, states=4096, narrow=narrow)
        assert values == expected
        assert all(exact)


@settings(max_examples=200)
@given(rows=st.lists(st.one_of(rows_of_words(), rows_of_phrases()), min_size=1, max_size=4), states=st.integers(1, 3))
def test_a_beam_never_claims_to_be_exact_wrongly(rows: list[Row], states: int) -> None:
    values, exact = choose_all(rows, states=states, narrow=1)
    for row, value, claim in zip(rows, values, exact, strict=True):
        best = best_value(row)
        assert value <= best
        assert value == best or not claim


@given(st.lists(st.tuples(st.text("abc", max_size=8), st.text("abc", max_size=8)), max_size=5))
def test_sentences_with_repeated_words(sentences: list[tuple[str, str]]) -> None:
    matches = match(*encode([" ".join(h) for h, _ in sentences], [" ".join(r) for _, r in sentences]))
    assert matches.exact.all()
    chunks = matches.chunks
    for row, (h, r) in enumerate(sentences):
        span = slice(matches.offsets[row], matches.offsets[row + 1])
        places = list(zip(matches.hypothesis[span].tolist(), matches.reference[span].tolist(), strict=True))
        assert all(h[i] == r[j] for i, j in places)
        value = 2 * len(places), -int(chunks[row]), -sum(abs(i - j) for i, j in places)
        candidates = [(i, i + 1, j, j + 1, 1) for i in range(len(h)) for j in range(len(r)) if h[i] == r[j]]
        assert value == best_value((len(h), len(r), candidates))


def test_a_hard_pair_is_solved_and_a_narrow_beam_says_so() -> None:
    # Six kinds of words, each several times, in another order: far too many states for a beam of two.
    rng = np.random.default_rng(3)
    words = np.repeat(np.arange(6), 5)
    hypotheses, references = encode(
        [" ".join(str(word) for word in rng.permutation(words))],
        [" ".join(str(word) for word in rng.permutation(words))],
    )
    wide, narrow = match(hypotheses, references), match(hypotheses, references, states=2)
    assert wide.exact.tolist() == [True]
    assert narrow.exact.tolist() == [False]
    assert len(wide.hypothesis) == len(narrow.hypothesis) == 30
    assert wide.chunks[0] <= narrow.chunks[0]


@pytest.mark.parametrize(("words", "kinds"), [(100, 3), (400, 2), (1_500, 40), (30_000, 1_000)])
@pytest.mark.slow
def test_long_sentences_of_few_kinds_are_matched_as_far_as_they_go(words: int, kinds: int) -> None:
    rng = np.random.default_rng(0)
    h, r = rng.integers(0, kinds, size=words), rng.integers(0, kinds, size=words)
    columns = encode(*([" ".join(str(word) for word in side)] for side in (h, r)))
    matches = match(*columns)
    assert len(set(matches.hypothesis.tolist())) == len(set(matches.reference.tolist())) == len(matches.hypothesis)
    np.testing.assert_array_equal(h[matches.hypothesis], r[matches.reference])
    bags = np.bincount(h, minlength=kinds), np.bincount(r, minlength=kinds)
    assert len(matches.hypothesis) == np.minimum(*bags).sum()


@pytest.mark.parametrize("words", [3_000, 60_000])
@pytest.mark.slow
def test_very_long_sentences_finish(words: int) -> None:
    rng = np.random.default_rng(0)
    text = " ".join(str(word) for word in rng.zipf(1.3, size=words) % 1000)
    same = match(*encode([text], [text]))
    assert (len(same.hypothesis), same.chunks.tolist()) == (words, [1])
    one_word = " ".join(["x"] * words)
    assert match(*encode([one_word], [one_word])).chunks.tolist() == [1]
