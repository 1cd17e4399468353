"""The search against an exhaustive one, on any candidates and on sentences with repeated words."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inner_kernels import from_python
from wordorder.core.runtime.columns import offsets_from_lengths
from wordorder.core.text import encode
from wordorder.linking.matching import STATES, match, search
from wordorder.linking.matching.matcher import choose

Candidate = tuple[int, int, int, int, int]
"""Hypothesis start and end, reference start and end, weight."""
Row = tuple[int, int, list[Candidate]]
Key = tuple[int, int, int, int, tuple[tuple[int, ...], ...]]
"""Weighted words (fewer than none), chunks, displacement, crossings, places from left to right: the least is best."""


def all_matchings(candidates: list[Candidate]) -> list[list[Candidate]]:
    """Return every set of candidates that share no word."""
    found: list[list[Candidate]] = [[]]
    for candidate in candidates:
        i, end, j, to, _ = candidate
        found += [
            [*others, candidate]
            for others in found
            if all(end <= o[0] or o[1] <= i for o in others) and all(to <= o[2] or o[3] <= j for o in others)
        ]
    return found


def key_of(chosen: list[Candidate], n: int) -> Key:
    """Rate a matching; at the first hypothesis word where two differ a match wins over none, then the earlier one."""
    ends = {(end, to) for _, end, _, to, _ in chosen}
    places = [j for _, _, at, to, _ in sorted(chosen) for j in range(at, to)]
    ways = {i: (j, end, to) for i, end, j, to, _ in chosen}
    return (
        -sum(weight * (end - i + to - j) for i, end, j, to, weight in chosen),
        sum((i, j) not in ends for i, _, j, _, _ in chosen),
        sum(abs(i - j) for i, _, j, _, _ in chosen),
        sum(one > other for one, other in combinations(places, 2)),
        tuple(ways.get(i, (10**9,)) for i in range(n)),
    )


def best_key(row: Row) -> Key:
    n, _, candidates = row
    return min(key_of(chosen, n) for chosen in all_matchings(candidates))


def choose_all(rows: list[Row], *, states: int) -> tuple[list[Key], list[bool]]:
    """Return the key of what the kernels choose in each row, and whether they say it is proven."""
    offsets = offsets_from_lengths([len(row[2]) for row in rows])
    pairs = np.array([c[:4] for row in rows for c in row[2]], dtype=np.int32).reshape(-1, 4)
    weight = np.array([c[4] for row in rows for c in row[2]], dtype=np.int64)
    lengths = np.array([row[:2] for row in rows], dtype=np.int64).reshape(-1, 2)
    chosen, proven = choose(offsets, pairs, weight, lengths, states)
    keys = []
    for k, row in enumerate(rows):
        found = [c for c, flag in zip(row[2], chosen[offsets[k] : offsets[k + 1]], strict=True) if flag]
        for start, end in ((0, 1), (2, 3)):
            words = [word for c in found for word in range(c[start], c[end])]
            assert len(set(words)) == len(words)
        keys.append(key_of(found, row[0]))
    return keys, proven.tolist()


@st.composite
def rows_of_words(draw: st.DrawFn) -> Row:
    """Single words of a few kinds that match at a weight per pair of kinds (0: not at all, 9 stands for 0)."""
    kinds = draw(st.integers(1, 5))
    word = st.integers(0, kinds - 1)
    hypothesis, reference = draw(st.lists(word, max_size=6)), draw(st.lists(word, max_size=6))
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
        for i, more, j, longer in draw(st.lists(spans, max_size=12))
    }
    keys = sorted(found, key=lambda span: (span[0], span[2], span[1], span[3]))
    return n, m, [(*key, found[key]) for key in keys]


@settings(max_examples=300)
@given(rows=st.lists(st.one_of(rows_of_words(), rows_of_phrases()), min_size=1, max_size=4))
def test_the_search_finds_what_trying_everything_finds(rows: list[Row]) -> None:
    keys, proven = choose_all(rows, states=STATES)
    assert keys == [best_key(row) for row in rows]
    assert all(proven)


@settings(max_examples=300)
@given(rows=st.lists(st.one_of(rows_of_words(), rows_of_phrases()), min_size=1, max_size=4), states=st.integers(1, 3))
def test_nothing_is_called_proven_wrongly(rows: list[Row], states: int) -> None:
    keys, proven = choose_all(rows, states=states)
    for row, key, claim in zip(rows, keys, proven, strict=True):
        best = best_key(row)
        assert key >= best
        assert key == best or not claim


@given(st.lists(st.tuples(st.text("abc", max_size=6), st.text("abc", max_size=6)), max_size=5))
def test_sentences_with_repeated_words(sentences: list[tuple[str, str]]) -> None:
    matches = match(*encode([" ".join(h) for h, _ in sentences], [" ".join(r) for _, r in sentences]))
    assert matches.proven.all()
    for row, (h, r) in enumerate(sentences):
        span = slice(matches.offsets[row], matches.offsets[row + 1])
        places = zip(matches.hypothesis[span].tolist(), matches.reference[span].tolist(), strict=True)
        found = [(i, i + 1, j, j + 1, 1) for i, j in places]
        assert all(h[i] == r[j] for i, _, j, _, _ in found)
        candidates = [(i, i + 1, j, j + 1, 1) for i in range(len(h)) for j in range(len(r)) if h[i] == r[j]]
        assert key_of(found, len(h)) == best_key((len(h), len(r), candidates))
        assert matches.chunks[row] == key_of(found, len(h))[1]


def test_equal_words_are_not_crossed_for_nothing() -> None:
    # Both ways match two words in two chunks with a displacement of 4.
    found = match(*encode(["a x a y z"], ["b c a d a"]))
    assert found.reference.tolist() == [2, 4]


def test_crossings_with_words_that_have_no_choice_count() -> None:
    # Either "a" of the hypothesis is displaced by 1 and begins a chunk, but the first one crosses "d".
    found = match(*encode(["y a d a c"], ["d z a"]))
    assert (found.hypothesis.tolist(), found.reference.tolist()) == ([2, 3], [0, 2])


def test_crossings_with_phrases_that_have_no_choice_count_word_by_word() -> None:
    # Hypothesis words 1 and 5 are as good for reference word 3, but the first crosses a phrase of two words.
    phrase, word, first, last = (3, 4, 0, 2, 1), (4, 5, 4, 5, 1), (1, 2, 3, 4, 1), (5, 6, 3, 4, 1)
    row: Row = (6, 5, [first, phrase, word, last])
    assert choose_all([row], states=STATES) == ([best_key(row)], [True])


def test_what_comes_after_a_phrase_counts_within_it() -> None:
    # The longest run is worth less than a phrase and the last word, but more than the phrase alone.
    pairs = np.array([[0, 1, 0, 1], [0, 2, 3, 4], [1, 2, 1, 2], [2, 3, 0, 1]], dtype=np.int32)
    weight, mates = np.array([1, 1, 1, 5], dtype=np.int64), np.full(9, -1, dtype=np.int64)
    found = from_python(search._open)(pairs, weight, np.zeros(4, dtype=np.bool_), 4, 3, 4)
    _, open_, words, bit, uniform, link, _ = found
    worth = from_python(search._take_longest_runs)(open_, uniform, link, mates)
    states, table = np.zeros((128, 8), dtype=np.int64), np.zeros((33, 2), dtype=np.int64)
    sweep = from_python(search._sweep)
    assert sweep(open_, words, uniform, link, mates, worth, bit, 8, False, states, table)
    assert mates[1:4].tolist() == [1, 1, 3]


def test_a_row_of_too_many_candidates_is_not_called_proven() -> None:
    # Crossings with the words matched at once are not counted here, so nothing can be proven.
    found = match(*encode(["h u x g " + "a " * 4100], ["x r u s x t a"]))
    assert not found.proven[0]


def test_long_rows_of_one_word_are_not_displaced() -> None:
    found = match(*encode(["a " * 70], ["b b b " + "a " * 59]))
    assert np.abs(found.hypothesis - found.reference).sum() == 0


def test_of_equal_matchings_it_is_the_leftmost() -> None:
    found = match(*encode(["x a y", "a x a"], ["a b a", "b a c"]))
    assert (found.hypothesis.tolist(), found.reference.tolist()) == ([1, 0], [0, 1])


def test_a_narrow_beam_says_so() -> None:
    # Six kinds of words, each several times, in another order: far too many states for a beam.
    rng = np.random.default_rng(3)
    words = np.repeat(np.arange(6), 5)
    hypotheses, references = encode(
        [" ".join(str(word) for word in rng.permutation(words))],
        [" ".join(str(word) for word in rng.permutation(words))],
    )
    wide, narrow = match(hypotheses, references), match(hypotheses, references, states=2)
    assert narrow.proven.tolist() == [False]
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


def test_words_without_a_choice_are_taken_at_once() -> None:
    take = from_python(search._take_isolated)
    pairs = np.array([[0, 1, 3, 4], [1, 2, 0, 1], [1, 2, 1, 2], [2, 4, 2, 3], [4, 5, 4, 5]], dtype=np.int32)
    weight, chosen = np.array([1, 1, 1, 2, 0], dtype=np.int64), np.zeros(5, dtype=np.bool_)
    assert take(pairs, weight, chosen, 5, 5) == 3
    assert chosen.tolist() == [True, False, False, True, False]


@pytest.mark.parametrize("bits", [0, 40, 52, 53, 54, 55, 56])
def test_displacement_is_as_fine_as_the_weights_allow(bits: int) -> None:
    """The value of a matching has 61 bits; links have what the weights leave, three where that is enough."""
    pairs = np.array([[i, i + 1, j, j + 1] for i in range(2) for j in range(2)], dtype=np.int32)
    weight, none = np.full(4, 1 << bits, dtype=np.int64), np.zeros(4, dtype=np.bool_)
    link, exact = from_python(search._open)(pairs, weight, none, 4, 2, 2)[5:]
    chunk_bits, distance_bits = 2, 3
    room = 61 - 1 - chunk_bits - (bits + 2)  # n + m = 4
    assert link == 1 << min(distance_bits, room)
    assert exact == (room >= distance_bits)


def test_states_below_the_mean_of_their_bounds_are_dropped() -> None:
    states, table = np.zeros((6, 8), dtype=np.int64), np.zeros((9, 2), dtype=np.int64)
    for state, (worth, ahead) in enumerate([(9, 9), (6, 0), (2, 2), (4, 0), (5, 1)]):
        states[state, search._USED], states[state, search._WORTH], states[state, search._AHEAD] = state, worth, ahead
    end = from_python(search._keep_promising)(states, table, 2, 1, 5)
    assert states[:end, search._USED].tolist() == [0, 1, 4]  # bounds of 6, 4, 4 and 6; what precedes them is kept


@pytest.mark.parametrize(("better", "kept"), [(1, True), (0, False)])
def test_a_candidate_is_forced_in_if_it_gains_anything(better: int, kept: bool) -> None:
    """Two candidates for one hypothesis word; the second is displaced by one more."""
    open_, words = np.zeros((2, 7), dtype=np.int64), np.array([[0, 0, 1], [2, 0, 1], [2, 0, 1]], dtype=np.int64)
    for c in range(2):
        open_[c] = 0, 1, c, c + 1, 5 + better * c, 0, -1
    mates, log = np.full(5, -1, dtype=np.int64), np.empty(10, dtype=np.int64)
    mates[1] = mates[-1] = 0
    gained, _ = from_python(search._force)(open_, words, False, 1, mates, 1, 1, log)
    assert (gained, mates[1]) == ((better, 1) if kept else (-1, 0))
