"""The column of reorderings: widths, classes, nesting, RQuantity on either side, test sets, reproduction."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.apps.profile import Corpus, Reordering, extract, find_reproduced, reproduce, rquantity
from wordorder.apps.profile.measures import bucket_names, divide
from wordorder.core.orders import Alignment, Alignments, Phrases
from wordorder.core.runtime.errors import InputError, UsageError

orders = st.lists(st.integers(1, 9).flatmap(lambda n: st.permutations(range(n))), min_size=1, max_size=4)


def column(rows: list[list[int]]) -> Alignments:
    return Alignments.of(Alignment(tuple(enumerate(row)), len(row), len(row)) for row in rows)


def test_widths_on_both_sides() -> None:
    # source 1 and its three target words swap with source 2 and its one
    pair = Alignment(((0, 1), (0, 2), (0, 3), (1, 0)), 2, 4).column()
    found = extract(pair)
    assert found.widths().tolist() == [4]
    assert found.widths("source").tolist() == [2]
    assert rquantity(found, pair).tolist() == [1.0]
    assert rquantity(found, pair, side="source").tolist() == [1.0]
    assert found[0][0].width() == 4
    with pytest.raises(UsageError, match="unknown side 'both'"):
        found.widths("both")


@pytest.mark.parametrize(("length", "kind"), [(2, 0), (4, 0), (5, 1), (8, 1), (9, 2), (30, 2)])
def test_classes_of_width(length: int, kind: int) -> None:
    rotated = [*range(1, length), 0]  # one word moves over all others: one reordering of the whole width
    assert extract(column([rotated])).width_classes().tolist() == [kind]


def test_a_sentence_without_words_is_undefined_and_one_without_links_is_not() -> None:
    pairs = Alignments.of([Alignment((), 0, 0), Alignment((), 3, 3)])
    quantities = rquantity(extract(pairs), pairs)
    assert np.isnan(quantities[0])
    assert quantities[1] == 0


def test_rquantity_needs_lengths() -> None:
    pairs = Alignments.of([Alignment((), 1, 1), Alignment(((0, 0),), 1)])
    with pytest.raises(InputError, match="length of target sentence 2 is needed for RQuantity"):
        rquantity(extract(pairs), pairs)


def rectangle(r: Reordering) -> set[tuple[int, int]]:
    across = range(r.a_source[0], r.b_source[1] + 1)
    return {(s, t) for s in across for t in range(r.b_target[0], r.a_target[1] + 1)}


@given(orders)
def test_nesting(rows: list[list[int]]) -> None:
    found = extract(column(rows))
    expected = [
        1 + sum(rectangle(inner) < rectangle(outer) for outer in sentence) for sentence in found for inner in sentence
    ]
    assert found.depths().tolist() == expected


def test_nesting_of_an_inverted_sentence() -> None:
    assert extract(column([[3, 2, 1, 0]])).depths().tolist() == [3, 2, 1]


@given(orders)
def test_sums_of_widths(rows: list[list[int]]) -> None:
    found = extract(column(rows))
    for side in ("target", "source"):
        expected = [sum(reordering.width(side) for reordering in sentence) for sentence in found]
        assert found.summed_widths(side).tolist() == expected


def test_test_sets_are_equal_thirds() -> None:
    amounts = np.array([0.3, 0.0, 0.1, 0.2, 0.2, 0.2, 0.5, 0.1, np.nan, 0.4])
    lengths = np.array([20, 39, 20, 20, 20, 39, 20, 40, 20, 20])
    names = bucket_names(divide(amounts, lengths))
    # 7 take part with reordering: 3, 2, 2; of the three with .2 the earlier two are low
    assert names == ["medium", "none", "low", "low", "low", "medium", "high", "-", "-", "high"]


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0]), st.integers(15, 45)), max_size=40))
def test_test_sets_are_ordered(sentences: list[tuple[float, int]]) -> None:
    amounts = np.array([amount for amount, _ in sentences])
    lengths = np.array([length for _, length in sentences], dtype=np.int64)
    buckets = divide(amounts, lengths)
    assert ((buckets == -1) == ((lengths < 20) | (lengths > 39))).all()
    assert (amounts[buckets == 0] == 0).all()
    sizes = [(buckets == bucket).sum() for bucket in (1, 2, 3)]
    assert max(sizes) - min(sizes) <= 1
    assert sizes == sorted(sizes, reverse=True)
    for bucket in (1, 2):
        lower, upper = amounts[buckets == bucket], amounts[buckets == bucket + 1]
        assert not len(upper) or lower.max() <= upper.min()


def test_test_sets_want_a_sensible_range() -> None:
    with pytest.raises(UsageError, match=r"minimum sentence length \(30\) must not be larger than the maximum \(20\)"):
        divide(np.zeros(1), np.ones(1, dtype=np.int64), shortest=30, longest=20)
    with pytest.raises(InputError, match="each of the 1 values of RQuantity, found 2"):
        divide(np.zeros(1), np.ones(2, dtype=np.int64))


@given(orders, st.data())
def test_reproduced(rows: list[list[int]], data: st.DataObject) -> None:
    systems = [data.draw(st.permutations(row)) for row in rows]
    spans = [data.draw(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=2)) for _ in rows]
    phrases = Phrases(
        np.array([span for row in spans for span in row], dtype=np.int32).reshape(-1, 2),
        np.cumsum([0, *map(len, spans)]).astype(np.int64),
    )
    reference, hypothesis = extract(column(rows)), extract(column(systems))
    result = find_reproduced(reference, hypothesis, phrases=phrases)
    expected = []
    counts = np.zeros((len(rows), 3, 2), dtype=np.int64)
    for row, sentence in enumerate(reference):
        for r in sentence:
            scope = set(range(r.a_source[0], r.b_source[1] + 1))
            inside = [set(range(h.a_source[0], h.b_source[1] + 1)) <= scope for h in hypothesis[row]]
            covered = [scope <= set(range(first, last + 1)) for first, last in spans[row]]
            expected.append(any(inside) or any(covered))
            kind = 0 if r.width() <= 4 else 1 if r.width() <= 8 else 2
            counts[row, kind] += [expected[-1], 1]
    assert result.flags.tolist() == expected
    assert (result.counts == counts).all()
    assert sum(total for _, total in result.by_width().values()) == len(expected)
    assert sum(done for done, _ in result.by_width().values()) == sum(expected)


def test_shares_reproduced() -> None:
    gold, judged = (
        column([[1, 0, 2, 3], [0, 1, 3, 2], [0, 1, 2, 3]]),
        column([[1, 0, 2, 3], [1, 0, 2, 3], [3, 2, 1, 0]]),
    )
    shares = reproduce(Corpus("R", gold), [Corpus("A", judged)]).shares
    assert np.array_equal(shares, [[0.5, np.nan, np.nan, 0.5]], equal_nan=True)
    reference = extract(gold)
    with pytest.raises(InputError, match="the system has 1 sentence, but the reference has 3"):
        find_reproduced(reference, extract(column([[0]])))
