"""Lengths where numbers overflow, tables grow and stacks run deep."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from calling import ORDER_SPECS, order_metric, score
from scipy import stats

import twins
from wordorder.core.orders import Permutations
from wordorder.core.runtime.errors import InputError

LONG = 2_000


@pytest.mark.parametrize("length", [30, 31, 32, 33, 36, 37, 38, 100])
def test_pet_count_is_exact(length: int) -> None:
    """Catalan numbers leave 53 bits at 32 words and 64 bits at 37: whole numbers, then one division."""
    all_pets = twins.count_binary_trees(length)
    monotone = tuple(range(1, length + 1))
    assert score("pet-count", monotone) == 1.0
    # One swap at the end: a chain of length − 1 blocks and one of two words.
    swapped = (*monotone[:-2], length, length - 1)
    expected = Fraction(twins.count_binary_trees(length - 1) - 1, all_pets - 1)
    assert score("pet-count", swapped) == float(expected)
    # Two chains under one inversion, the first one longer than the other.
    half = length // 2 - 1
    rotated = (*range(length - half + 1, length + 1), *range(1, length - half + 1))
    count = twins.count_binary_trees(half) * twins.count_binary_trees(length - half)
    assert score("pet-count", rotated) == float(Fraction(count - 1, all_pets - 1))


def test_a_chain_of_three_words_counts_in_a_long_order() -> None:
    """The other words make one simple operator, which has one tree; three words in a row have two."""
    assert score("pet-count", (*range(2, 41, 2), *range(1, 41, 2))) == 0.0
    three = (*range(2, 19, 2), 20, 21, 22, *range(24, 43, 2), *range(1, 20, 2), *range(23, 43, 2))
    assert score("pet-count", three) == 1 / (twins.count_binary_trees(42) - 1)


@pytest.fixture(scope="module")
def long_orders() -> Permutations:
    shuffled = list(range(1, LONG + 1))
    random.Random(7).shuffle(shuffled)
    return Permutations.of([range(1, LONG + 1), range(LONG, 0, -1), shuffled])


@pytest.mark.parametrize("spec", ORDER_SPECS)
def test_long_orders_run(spec: str, long_orders: Permutations) -> None:
    monotone, inverted, shuffled = order_metric(spec)(long_orders)
    assert monotone == pytest.approx(1.0, abs=1e-9)
    assert np.isfinite([inverted, shuffled]).all()
    assert -1e-9 <= inverted <= 1
    assert 0 <= shuffled <= 1


@pytest.mark.parametrize(
    "spec", ["kendall", "kendall-sqrt", "spearman", "ulam", "fuzzy", "pet", "pef", "pef:weights=size"]
)
def test_long_inverted_orders_score_nothing(spec: str, long_orders: Permutations) -> None:
    assert order_metric(spec)(long_orders)[1] == pytest.approx(0.0, abs=1e-9)


def test_long_shuffled_orders_agree_with_scipy(long_orders: Permutations) -> None:
    ranks = long_orders[2].ranks
    places = range(LONG)
    kendall, spearman = (order_metric(spec)(long_orders)[2] for spec in ("kendall", "spearman"))
    assert kendall == pytest.approx((1 + stats.kendalltau(places, ranks).statistic) / 2, abs=1e-12)
    assert spearman == pytest.approx((1 + stats.spearmanr(places, ranks).statistic) / 2, abs=1e-12)


def chain(widths: list[int], *, beta: float, gamma: float, operator: float) -> float:
    """Figure 6 on one chain, all splits of all spans summed: blocks of several words are inverted pairs."""
    m = len(widths)
    scores = {(a, a + 1): gamma if widths[a] > 1 else None for a in range(m)}
    for width in range(2, m + 1):
        for a in range(m - width + 1):
            b = a + width
            inferred = []
            for split in range(a + 1, b):
                children = [score for score in (scores[a, split], scores[split, b]) if score is not None]
                if children:
                    inferred.append(sum(children) / len(children))
            below = sum(inferred) / len(inferred) if inferred else None
            scores[a, b] = operator if below is None else beta * operator + (1 - beta) * below
    found = scores[0, m]
    assert found is not None
    return found


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_pef_of_long_chains_with_blocks_inside(seed: int, share: float) -> None:
    """The O(m²) running sums against all splits: a monotone chain of words and swapped pairs."""
    rng = random.Random(seed)
    widths = [2 if rng.random() < share else 1 for _ in range(rng.randrange(20, 70))]
    order: list[int] = []
    for width in widths:
        order += range(len(order) + width, len(order), -1)
    for beta, gamma in ((0.6, 0.0), (0.25, 0.5)):
        expected = chain(widths, beta=beta, gamma=gamma, operator=1.0)
        assert score(f"pef:beta={beta}:gamma={gamma}", tuple(order)) == pytest.approx(expected, abs=1e-12)


def test_a_chain_too_wide_for_the_size_weighted_forest_is_refused() -> None:
    """Its table of depths is cubic to build; words alone need no table."""
    wide = 2_100
    with pytest.raises(InputError, match="pef:weights=size supports chains of 2048 blocks, not 2099"):
        score("pef:weights=size", (*range(1, wide - 1), wide, wide - 1))
    assert score("pef:weights=size", tuple(range(1, wide + 1))) == pytest.approx(1.0)
