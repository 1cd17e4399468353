"""Values of word-order metrics that the papers give, or that follow from their formulas by hand."""

from __future__ import annotations

import math

import pytest
from calling import ORDER_SPECS, score

BIRCH_11 = {
    "1 2 3 4 5 6 10 7 8 9 11": {"kendall-sqrt": 0.7665, "hamming": 0.6364},
    "1 2 5 3 4 6 10 7 8 9 11": {"kendall-sqrt": 0.6985, "hamming": 0.3636},
    "1 2 7 8 9 10 3 4 5 6 11": {"kendall-sqrt": 0.4606, "hamming": 0.2727},
    "1 2 10 7 8 9 5 3 4 6 11": {"kendall-sqrt": 0.3821, "hamming": 0.2727},
}

KNOWN = {
    "6 7 8 9 10 1 2 3 4 5": {"kendall-sqrt": 0.2546, "hamming": 0.0, "kendall": 0.4444},
    "2 3 4 5 6 7 8 9 10 1": {"kendall-sqrt": 0.5528, "kendall": 0.8},
    "2 1 4 3 6 5 8 7 10 9": {"kendall-sqrt": 0.6667, "hamming": 0.0},
    "4 3 2 1 5 6 9 10 11 12 13 14 15 16 19 20 18 17 21 22 7 8": {
        "kendall-sqrt": 0.5891,
        "kendall": 0.8312,
        "hamming": 0.0909,
    },
    **BIRCH_11,
    "2 4 5 6 1 3": {"pef": 0.4, "pet-size": 0.5, "max-op": 0.5, "avg-op": 1 - (8 / 3 - 2) / 4, "non-binary": 2 / 3},
    "4 3 2 1": {"pet-count": 1.0, "pef": 0.0, "pet": 0.0, "pef:weights=size": 0.0},
    "2 4 1 3": {"pef": 0.0, "max-op": 0.0, "avg-op": 0.0, "pet-size": 0.0, "pet-count": 0.0, "non-binary": 0.0},
    # Under inversion only pet changes.
    "3 4 2 1": {"pet": 0.16},
    "4 3 1 2": {"pet": 0.20},
}


@pytest.mark.parametrize(
    ("order", "spec", "expected"),
    [(order, spec, expected) for order, values in KNOWN.items() for spec, expected in values.items()],
)
def test_values_of_the_papers(order: str, spec: str, expected: float) -> None:
    assert score(spec, order) == pytest.approx(expected, abs=0.00005)


def test_kendall_is_one_division_of_whole_numbers() -> None:
    assert score("kendall", "3 1 2") == 1 / 3


@pytest.mark.parametrize("spec", ORDER_SPECS)
def test_no_word_is_undefined_and_one_word_is_perfect(spec: str) -> None:
    assert math.isnan(score(spec, ""))
    assert score(spec, "1") == 1.0


@pytest.mark.parametrize("spec", ORDER_SPECS)
@pytest.mark.parametrize("length", [2, 3, 4, 9])
def test_monotone_is_perfect(spec: str, length: int) -> None:
    assert score(spec, tuple(range(1, length + 1))) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("spec", ["pet-size", "pet-count", "max-op", "avg-op", "non-binary"])
def test_two_words_cannot_be_complex(spec: str) -> None:
    assert score(spec, "2 1") == 1.0


@pytest.mark.parametrize(
    "spec", ["kendall", "kendall-sqrt", "spearman", "ulam", "fuzzy", "fuzzy:boundaries=true", "pet", "pef"]
)
@pytest.mark.parametrize("length", [2, 5, 8])
def test_inverted_is_worst(spec: str, length: int) -> None:
    assert score(spec, tuple(range(length, 0, -1))) == pytest.approx(0.0, abs=1e-12)
