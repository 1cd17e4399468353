"""Test sets by amount of reordering (Birch 2011, §3.3.2), and what is in them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordorder.apps.profile import Divider, extract, measure, rquantity
from wordorder.apps.profile.measures import bucket_names, divide
from wordorder.core.orders import Alignment, Alignments


@pytest.mark.parametrize(("none", "third"), [(105, 367), (293, 379)])
def test_section_3_3_2_the_sizes_of_table_3_2(none: int, third: int) -> None:
    amounts = np.random.default_rng(none).permutation([*[0.0] * none, *np.linspace(0.01, 2, 3 * third)])
    buckets = divide(amounts, np.full(len(amounts), 25))
    assert np.bincount(buckets).tolist() == [none, third, third, third]


def swapped(first: int, second: int, length: int) -> Alignment:
    """Two blocks at the beginning of a sentence change places; the rest is monotone."""
    order = [*range(first, first + second), *range(first), *range(first + second, length)]
    return Alignment(tuple((source, target) for target, source in enumerate(order)), length, length)


@st.composite
def corpora(draw: st.DrawFn) -> list[Alignment]:
    rows = []
    for _ in range(draw(st.integers(0, 12))):
        length = draw(st.integers(2, 14))
        first = draw(st.integers(0, length - 1))
        rows.append(swapped(first, draw(st.integers(0, length - first)), length))
    return rows


@settings(max_examples=60)
@given(corpora(), st.sampled_from(["source", "target"]), st.integers(1, 4))
def test_table_3_2_summarises_every_set(rows: list[Alignment], side: str, size: int) -> None:
    divider = Divider(side=side, shortest=4, longest=12)
    for start in range(0, len(rows), size):
        divider.add(measure(Alignments.of(rows[start : start + size])))
    names = bucket_names(divider.buckets())
    found = extract(Alignments.of(rows))
    amounts = rquantity(found, Alignments.of(rows), side=side)
    summary = {row.bucket: row for row in divider.summary()}
    assert list(summary) == ["none", "low", "medium", "high", "all"]
    for name, row in summary.items():
        members = [i for i, bucket in enumerate(names) if bucket == name or (name == "all" and bucket != "-")]
        assert row.sentences == len(members)
        if not members:
            assert math.isnan(row.rquantity)
            continue
        inside = amounts[members]
        assert row.rquantity == pytest.approx(inside.mean())
        assert (row.lowest, row.highest) == (inside.min(), inside.max())
        if len(members) > 1:
            assert row.deviation == pytest.approx(inside.std(ddof=1))
        widths = [reordering.width(side) for i in members for reordering in found[i]]
        assert row.short == pytest.approx(sum(width <= 4 for width in widths) / len(members))
        assert row.medium == pytest.approx(sum(4 < width <= 8 for width in widths) / len(members))
        assert row.long == pytest.approx(sum(width > 8 for width in widths) / len(members))


def test_a_set_without_sentences_is_shown_as_such() -> None:
    divider = Divider(shortest=2, longest=2)
    divider.add(measure(swapped(1, 1, 2).column()))
    text = str(divider.table())
    lines = {line.split()[0]: line.split()[1:] for line in text.splitlines()}
    assert lines["none"] == ["0", *["–"] * 7]
    assert lines["low"] == lines["all"] == ["1", "1.000", "–", "1.000", "1.000", "1.000", "0.000", "0.000"]
    assert "sentences of 2 to 2 target words" in text
