"""Monotonicity against literal twins that look at every pair of links and every word."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import twins
from wordorder.core.orders import Alignment, Alignments, order_against_source
from wordorder.core.orders.projection import POLICIES
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.metrics import METRICS, Batch, Metric, Need, choose_metrics, metric
from wordorder.metrics.monotonicity import Anticipation
from wordorder.metrics.registry import MONOTONE_DEFAULTS, group_of

Pair = tuple[int, int, frozenset[tuple[int, int]]]
Row = tuple[float, float]
"""A sentence pair as source length, target length and links; what is counted and what it is divided by."""

MEMBERS = [name for name, kind in METRICS.items() if group_of(kind) == "monotonicity"]


# --- twins ---------------------------------------------------------------------------------------------------------


def crossing_rate(pair: Pair) -> Row:
    pairs = list(combinations(pair[2], 2))
    return sum((s < s2 and t > t2) or (s > s2 and t < t2) for (s, t), (s2, t2) in pairs), len(pairs)


def jumps(pair: Pair, policy: str) -> list[int]:
    words = twins.project(pair[2], pair[0], policy).words()
    order = twins.ranks_of(tuple(words))
    return [abs(after - before - 1) for before, after in pairwise(order)]


def anticipation(pair: Pair, k: int, *, catchup: bool = False) -> Row:
    source, length, links = pair
    rate = Fraction(source, length) if catchup and length else Fraction(1)
    # what a wait-k reader knows when writing word j
    seen = {j: [i for i in range(1, source + 1) if i < j * rate + k] for j in range(1, length + 1)}
    guessed = [j for j in seen if any(t + 1 == j and s + 1 not in seen[j] for s, t in links)]
    return len(guessed), length


def non_monotonicity(pair: Pair) -> Row:
    source, length, links = pair
    away = [abs(Fraction(s + 1, source) - Fraction(t + 1, length)) for s, t in links]
    return (float(sum(away) / len(away)), 1) if away else (0, 0)


def forced_lag(pair: Pair) -> Row:
    source, length, links = pair
    lags = []
    for j in range(1, length + 1):
        needed = max((s + 1 for s, t in links if t + 1 <= j), default=0)
        lags.append(max(Fraction(0), needed - Fraction(j * source, length)))
    return float(sum(lags)), length


def unaligned_source(pair: Pair) -> Row:
    return sum(all(s != word for s, _ in pair[2]) for word in range(pair[0])), pair[0]


def unaligned_target(pair: Pair) -> Row:
    return sum(all(t != word for _, t in pair[2]) for word in range(pair[1])), pair[1]


# --- helpers -------------------------------------------------------------------------------------------------------


@st.composite
def sentence_pairs(draw: st.DrawFn) -> Pair:
    source, target = draw(st.integers(0, 7)), draw(st.integers(0, 7))
    cells = [(s, t) for s in range(source) for t in range(target)]
    links = draw(st.frozensets(st.sampled_from(cells), max_size=12)) if cells else frozenset()
    return source, target, links


def column_of(pairs: list[Pair]) -> Alignments:
    return Alignments.of([Alignment(tuple(links), source, target) for source, target, links in pairs])


def batch_of(column: Alignments, policy: str = "birch") -> Batch:
    return Batch([order_against_source(column, policy=policy)], alignments=column)


def rows_of(spec: str, pairs: list[Pair], policy: str = "birch") -> list[Row]:
    found = metric(spec).statistics(batch_of(column_of(pairs), policy))
    assert found.shape == (len(pairs), 1, 2)
    return [(float(one), float(two)) for one, two in found[:, 0]]


def value(spec: str, pair: Pair) -> float:
    return float(metric(spec).segment(np.array(rows_of(spec, [pair])))[0])


# --- against the twins ---------------------------------------------------------------------------------------------


@given(st.lists(sentence_pairs(), min_size=1, max_size=5), st.integers(1, 6))
@example([(3, 0, frozenset()), (0, 3, frozenset()), (7, 7, frozenset({(6, 0)}))], 6)
def test_counts_equal_their_literal_twins(pairs: list[Pair], k: int) -> None:
    assert rows_of("crossing-rate", pairs) == [crossing_rate(pair) for pair in pairs]
    published = [anticipation(pair, k) for pair in pairs]
    assert rows_of(f"anticipation:k={k}:catchup=false", pairs) == published
    assert rows_of(f"anticipation:k={k}", pairs) == [anticipation(pair, k, catchup=True) for pair in pairs]
    assert rows_of("unaligned-source", pairs) == [unaligned_source(pair) for pair in pairs]
    assert rows_of("unaligned-target", pairs) == [unaligned_target(pair) for pair in pairs]


def test_distances_and_lags_equal_their_literal_twins_on_a_thousand_alignments() -> None:
    rng = np.random.default_rng(12345)
    pairs: list[Pair] = [(3, 0, frozenset()), (0, 3, frozenset()), (0, 0, frozenset()), (4, 5, frozenset())]
    while len(pairs) < 1000:
        source, target, count = (int(number) for number in rng.integers((1, 1, 0), (40, 40, 60)))
        links = zip(rng.integers(0, source, count).tolist(), rng.integers(0, target, count).tolist(), strict=True)
        pairs.append((source, target, frozenset(links)))
    for spec, twin in (("non-monotonicity", non_monotonicity), ("forced-lag", forced_lag)):
        assert np.allclose(rows_of(spec, pairs), [twin(pair) for pair in pairs], rtol=1e-12, atol=1e-12)
    assert rows_of("unaligned-source", pairs) == [unaligned_source(pair) for pair in pairs]
    for k in (1, 3, 9):
        assert rows_of(f"anticipation:k={k}", pairs) == [anticipation(pair, k, catchup=True) for pair in pairs]


def shorten(pair: Pair, kept: int) -> Pair:
    """Take away every second target word; keep those at even (0) or odd (1) places, counted from 0."""
    source, target, links = pair
    return source, (target + 1 - kept) // 2, frozenset((s, t // 2) for s, t in links if t % 2 == kept)


def test_a_shorter_translation_does_not_anticipate_more() -> None:
    """Nearly monotone text: every fifth word pair is exchanged with one some words away."""
    rng = np.random.default_rng(12345)
    pairs: list[Pair] = []
    for size in (2 * rng.integers(10, 30, 2000)).tolist():
        order = np.arange(size)
        for place in range(0, size - 6, 5):
            other = place + int(rng.integers(1, 6))
            order[place], order[other] = order[other], order[place]
        pairs.append((size, size, frozenset(zip(order.tolist(), range(size), strict=True))))

    def rate(spec: str, some: list[Pair]) -> float:
        return float(np.divide(*np.sum(rows_of(spec, some), axis=0)))

    first, second = ([shorten(pair, kept) for pair in pairs] for kept in (0, 1))
    assert rate("anticipation", pairs) > 0.1
    assert rate("anticipation", second) == pytest.approx(rate("anticipation", pairs), abs=0.01)
    # the first of every two words is now due a word later: as much as one more word of waiting
    assert rate("anticipation", first) == pytest.approx(rate("anticipation:k=4", pairs), abs=0.01)
    assert rate("anticipation:catchup=false", second) > 0.6  # the bias that catch-up removes
    for size in range(2, 50):
        monotone = (size, size, frozenset((place, place) for place in range(size)))
        for kept in (0, 1):
            assert rows_of("anticipation:k=1", [shorten(monotone, kept)])[0][0] == 0


@pytest.mark.parametrize("policy", POLICIES)
@given(pairs=st.lists(sentence_pairs(), min_size=1, max_size=4))
def test_jumps_equal_their_literal_twins_under_every_policy(policy: str, pairs: list[Pair]) -> None:
    made = [jumps(pair, policy) for pair in pairs]
    assert rows_of("jump", pairs, policy) == [(sum(found), len(found)) for found in made]
    longest = [(max(found, default=0), 1) if pair[2] else (0, 0) for found, pair in zip(made, pairs, strict=True)]
    assert rows_of("longest-jump", pairs, policy) == longest


def test_long_sentences_equal_the_twins_as_well() -> None:
    rng = np.random.default_rng(12345)
    pairs = []
    for source, target, count in ((300, 40, 200), (5, 260, 150), (260, 5, 600), (90, 90, 500)):
        links = zip(rng.integers(0, source, count).tolist(), rng.integers(0, target, count).tolist(), strict=True)
        pairs.append((source, target, frozenset(links)))
    assert rows_of("crossing-rate", pairs) == [crossing_rate(pair) for pair in pairs]
    assert rows_of("anticipation:catchup=false", pairs) == [anticipation(pair, 3) for pair in pairs]
    assert rows_of("unaligned-source", pairs) == [unaligned_source(pair) for pair in pairs]
    assert rows_of("unaligned-target", pairs) == [unaligned_target(pair) for pair in pairs]


@given(pair=sentence_pairs())
def test_monotone_and_inverted_links_are_the_two_ends(pair: Pair) -> None:
    size = pair[0]
    diagonal = (size, size, frozenset((place, place) for place in range(size)))
    inverted = (size, size, frozenset((place, size - 1 - place) for place in range(size)))
    if size > 1:
        assert value("crossing-rate", diagonal) == value("jump", diagonal) == value("longest-jump", diagonal) == 0
        assert value("crossing-rate", inverted) == 1
        assert value("jump", inverted) == value("longest-jump", inverted) == 2  # back over the word just translated
    mirrored = (pair[1], pair[0], frozenset((t, s) for s, t in pair[2]))
    assert crossing_rate(mirrored) == rows_of("crossing-rate", [pair])[0]


# --- by hand -------------------------------------------------------------------------------------------------------

# ich habe das Buch gelesen – I have read the book
READ_THE_BOOK: Pair = (5, 5, frozenset({(0, 0), (1, 1), (2, 3), (3, 4), (4, 2)}))
# weil er kommt , … – because he 's coming: one word unaligned on each side, one with two links
HE_IS_COMING: Pair = (4, 5, frozenset({(0, 0), (1, 1), (2, 2), (2, 3)}))


@pytest.mark.parametrize(
    ("spec", "pair", "expected"),
    [
        ("crossing-rate", READ_THE_BOOK, 2 / 10),  # gelesen crosses das and Buch
        ("jump", READ_THE_BOOK, (0 + 2 + 3 + 0) / 4),  # 1 2 5 3 4
        ("longest-jump", READ_THE_BOOK, 3),
        ("anticipation:k=1", READ_THE_BOOK, 1 / 5),  # "read" is written when three words are known
        ("anticipation:k=2", READ_THE_BOOK, 1 / 5),
        ("anticipation:k=3", READ_THE_BOOK, 0),
        ("unaligned-source", READ_THE_BOOK, 0),
        ("unaligned-target", READ_THE_BOOK, 0),
        ("crossing-rate", HE_IS_COMING, 0),  # links of one word do not cross
        ("unaligned-source", HE_IS_COMING, 1 / 4),
        ("unaligned-target", HE_IS_COMING, 1 / 5),
        ("anticipation:catchup=false", (4, 1, frozenset({(0, 0), (3, 0)})), 1),  # one link beyond the reader is enough
        ("anticipation", (4, 1, frozenset({(0, 0), (3, 0)})), 0),  # one word for four is written at the end
        ("anticipation:catchup=false", (3, 1, frozenset({(0, 0), (2, 0)})), 0),
        ("anticipation", (9, 2, frozenset({(5, 0), (7, 0), (8, 0)})), 1 / 2),  # a word is guessed once
        ("non-monotonicity", READ_THE_BOOK, (0 + 0 + 1 / 5 + 1 / 5 + 2 / 5) / 5),
        ("forced-lag", READ_THE_BOOK, (0 + 0 + 2 + 1 + 0) / 5),  # "read" waits for two words, "the" for one
    ],
)
def test_hand_worked_examples(spec: str, pair: Pair, expected: float) -> None:
    assert value(spec, pair) == pytest.approx(expected, abs=1e-15)


def test_waiting_longer_never_guesses_more() -> None:
    shares = [value(f"anticipation:k={k}", (9, 9, frozenset((8 - t, t) for t in range(9)))) for k in range(1, 10)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0 == shares[-1]


@given(st.lists(sentence_pairs(), min_size=1, max_size=5))
def test_a_corpus_is_the_ratio_of_sums(pairs: list[Pair]) -> None:
    for spec in ("crossing-rate", "jump", "anticipation", "forced-lag", "unaligned-source", "unaligned-target"):
        rows = np.array(rows_of(spec, pairs))
        count, total = rows.sum(axis=0)
        assert total >= count or spec in ("jump", "forced-lag")
        corpus = float(metric(spec).corpus(rows.sum(axis=0)))
        assert math.isnan(corpus) if total == 0 else corpus == count / total


def test_the_longest_jump_of_a_corpus_is_a_mean_over_segments() -> None:
    inverted: Pair = (2, 2, frozenset({(0, 1), (1, 0)}))
    rows = np.array(rows_of("longest-jump", [READ_THE_BOOK, inverted, (2, 2, frozenset())]))
    assert float(metric("longest-jump").corpus(rows.sum(axis=0))) == (3 + 2) / 2


# --- what is undefined ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "defined"),
    [
        # pairs: nothing at all, no link, one link, two links
        ("crossing-rate", [False, False, False, True]),
        ("jump", [False, False, False, True]),
        ("longest-jump", [False, False, True, True]),
        ("anticipation", [False, True, True, True]),
        ("non-monotonicity", [False, False, True, True]),
        ("forced-lag", [False, True, True, True]),
        ("unaligned-source", [False, True, True, True]),
        ("unaligned-target", [False, True, True, True]),
    ],
)
def test_nothing_to_count_in_is_undefined(spec: str, defined: list[bool]) -> None:
    pairs: list[Pair] = [
        (0, 0, frozenset()),
        (1, 1, frozenset()),
        (1, 1, frozenset({(0, 0)})),
        (2, 2, frozenset({(0, 0), (1, 1)})),
    ]
    scores = metric(spec).segment(np.array(rows_of(spec, pairs)))
    assert (~np.isnan(scores)).tolist() == defined


@pytest.mark.parametrize(
    ("spec", "side"),
    [
        *(("anticipation", "target"), ("anticipation", "source"), ("forced-lag", "target"), ("forced-lag", "source")),
        *(("non-monotonicity", "target"), ("non-monotonicity", "source"), ("anticipation:catchup=false", "target")),
        *(("unaligned-target", "target"), ("unaligned-source", "source")),
    ],
)
def test_missing_lengths_are_told(spec: str, side: str) -> None:
    lengths: dict[str, list[int | None]] = {"source": [2, 2], "target": [2, 2]}
    lengths[side][1] = None
    rows = [Alignment(((0, 0),), lengths["source"][row], lengths["target"][row]) for row in range(2)]
    column = Alignments.of(rows)
    message = f"the length of {side} sentence 2 is unknown; give the {side} text"
    with pytest.raises(InputError) as caught:
        metric(spec).statistics(Batch([order_against_source(column, policy="drop")], alignments=column))
    assert str(caught.value) == message


def test_metrics_say_what_lengths_they_need() -> None:
    needs = {name: METRICS[name].needs - {Need.SOURCE_ORDER} for name in MEMBERS}
    assert needs == {
        "crossing-rate": set(),
        "jump": set(),
        "longest-jump": set(),
        "non-monotonicity": {Need.SOURCE_LENGTHS, Need.TARGET_LENGTHS},
        "anticipation": {Need.SOURCE_LENGTHS, Need.TARGET_LENGTHS},
        "forced-lag": {Need.SOURCE_LENGTHS, Need.TARGET_LENGTHS},
        "unaligned-source": {Need.SOURCE_LENGTHS},
        "unaligned-target": {Need.TARGET_LENGTHS},
    }
    assert metric("anticipation:catchup=false").requires == {Need.SOURCE_ORDER, Need.TARGET_LENGTHS}
    orders = frozenset({Need.ORDER, Need.SOURCE_ORDER})
    chosen = {kind.name for kind in choose_metrics("all", available=orders)}
    assert {"crossing-rate", "jump", "longest-jump", "kendall"} <= chosen
    assert not chosen & {"anticipation", "unaligned-source", "unaligned-target"}
    with pytest.raises(UsageError, match=r"metric anticipation needs .*lengths of the translations, which this input"):
        choose_metrics("anticipation", available=orders)


# --- the metrics as values -----------------------------------------------------------------------------------------


def test_specs_round_trip_and_k_is_checked() -> None:
    assert str(metric("anticipation:k=3")) == "anticipation"
    assert str(metric("anticipation:k=5")) == "anticipation:k=5"
    assert metric("anticipation:k=5") == Anticipation(k=5)
    for wrong, wanted in (
        ("0", "1 to 65536"),
        ("-1", "1 to 65536"),
        ("2.5", "a whole number"),
        ("x", "a whole number"),
    ):
        with pytest.raises(UsageError, match=f"anticipation: k must be {wanted}"):
            metric(f"anticipation:k={wrong}")


@pytest.mark.parametrize("name", MEMBERS)
def test_neither_high_nor_low_is_good(name: str) -> None:
    kind: type[Metric] = METRICS[name]
    assert kind.higher_is_better is None
    assert "higher is better" not in kind.direction


def test_the_defaults_exist() -> None:
    names = [str(metric) for metric in MONOTONE_DEFAULTS]
    assert set(names) <= set(METRICS)
    assert {"kendall-sqrt", "crossing-rate", "anticipation"} <= set(names)
