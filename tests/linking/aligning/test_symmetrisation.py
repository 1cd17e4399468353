"""Symmetrisation against sets and the whole grid."""

from __future__ import annotations

import numpy as np
import pytest
from aligning_twins import Link, slow_symmetrise
from hypothesis import given
from hypothesis import strategies as st

from wordorder.core.orders import Alignment, Alignments
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.linking.aligning import METHODS, symmetrise
from wordorder.linking.aligning.symmetrisation import POSTERIOR_METHODS

LINKS = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=14)


def column(rows: list[set[Link]], probability: list[float] | None = None) -> Alignments:
    made = Alignments.of([Alignment(tuple(sorted(row)), 6, 6) for row in rows])
    if probability is None:
        return made
    return Alignments(
        made.source, made.target, made.offsets, made.source_lengths, made.target_lengths, None, np.array(probability)
    )


@given(st.lists(st.tuples(LINKS, LINKS), max_size=5))
def test_every_method_is_the_one_over_sets(rows: list[tuple[set[Link], set[Link]]]) -> None:
    forward, backward = column([one for one, _ in rows]), column([two for _, two in rows])
    for method in METHODS:
        if method in POSTERIOR_METHODS:
            continue
        joined = symmetrise(forward, backward, method)
        assert len(joined) == len(rows)
        for row, (one, two) in zip(joined, rows, strict=True):
            assert set(row.links) == slow_symmetrise(one, two, method)
            assert list(row.links) == sorted(row.links)
            assert row.source_length == 6


def test_the_order_of_links_does_not_matter() -> None:
    links = ((0, 0), (3, 1), (1, 1), (2, 2))
    one, two = Alignment(links).column(), Alignment(links[::-1]).column()
    other = Alignment(((3, 3), (0, 0), (1, 2))).column()
    assert str(symmetrise(one, other)[0]) == str(symmetrise(two, other)[0])


def test_growing_reaches_far_links_step_by_step() -> None:
    forward = {(0, 0), (1, 1), (2, 2), (3, 3), (5, 0)}
    backward = {(3, 3), (0, 5)}
    joined = symmetrise(column([forward]), column([backward]), "grow-diag")[0]
    assert joined.links == ((0, 0), (1, 1), (2, 2), (3, 3))
    final = symmetrise(column([forward]), column([backward]), "grow-diag-final")[0]
    assert final.links == ((0, 0), (0, 5), (1, 1), (2, 2), (3, 3), (5, 0))
    strict = symmetrise(column([forward]), column([backward]), "grow-diag-final-and")[0]
    assert strict.links == ((0, 0), (1, 1), (2, 2), (3, 3))


def test_posterior_methods() -> None:
    forward = column([{(0, 0), (1, 1)}, {(2, 2)}], [0.9, 0.6, 0.99])
    backward = column([{(0, 0), (1, 2)}, set()], [0.8, 0.7])
    product = symmetrise(forward, backward, "posterior-product")
    assert [str(row) for row in product] == ["0-0", ""]
    assert product.probability is not None
    assert product.probability.tolist() == pytest.approx([0.85])
    mean = symmetrise(forward, backward, "soft-union", threshold=0.35)
    assert [str(row) for row in mean] == ["0-0 1-2", "2-2"]


def test_wrong_calls() -> None:
    plain = column([{(0, 0)}])
    with pytest.raises(UsageError, match="soft-union requires alignments with probabilities"):
        symmetrise(plain, plain, "soft-union")
    with pytest.raises(UsageError, match="did you mean 'union'"):
        symmetrise(plain, plain, "onion")
    with pytest.raises(InputError, match="forward and backward alignments differ in number: 1 and 0"):
        symmetrise(plain, column([]))
