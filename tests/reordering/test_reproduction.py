"""Reproduced reorderings of several systems: shares by width, intervals, sentences."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordorder.orders import Alignment, Alignments
from wordorder.reordering import Corpus, extract, find_reproduced, reproduce
from wordorder.report.table import Mark
from wordorder.runtime.errors import InputError, UsageError
from wordorder.statistics import Resampling


def column(rows: list[list[int]]) -> Alignments:
    return Alignments.of(Alignment(tuple(enumerate(row))) for row in rows)


@settings(max_examples=50)
@given(st.integers(2, 12).flatmap(lambda n: st.lists(st.permutations(range(n)), min_size=2, max_size=6)))
def test_shares_are_those_of_every_single_system(orders: list[list[int]]) -> None:
    reference, other = column(orders), column(orders[::-1])
    found = reproduce(
        Corpus("R", reference), [Corpus("A", other), Corpus("same", reference)], resampling=Resampling(samples=50)
    )
    alone = find_reproduced(extract(reference), extract(other))
    counts = [*alone.counts.sum(axis=0).tolist(), alone.counts.sum(axis=(0, 1)).tolist()]
    shares = [done / total if total else float("nan") for done, total in counts]
    assert np.array_equal(found.shares[0], shares, equal_nan=True)
    assert found.found[0].by_width() == alone.by_width()
    low, high = found.intervals
    defined = ~np.isnan(found.shares)
    assert (found.shares[1][defined[1]] == 1).all()
    assert (low[1][defined[1]] == 1).all()
    assert (low <= high)[defined].all()
    assert ((low >= 0) & (high <= 1))[defined].all()


def test_intervals_come_from_the_sentences() -> None:
    swapped, monotone = [1, 0], [0, 1]
    reference = [swapped] * 400
    system = ([swapped] * 3 + [monotone]) * 100
    (low,), (high,) = reproduce(Corpus("R", column(reference)), [Corpus("A", column(system))]).intervals
    error = 1.96 * np.sqrt(0.75 * 0.25 / 400)
    assert low[0] == pytest.approx(0.75 - error, abs=0.01)
    assert high[3] == pytest.approx(0.75 + error, abs=0.01)


def test_the_table_and_its_json() -> None:
    rotated = [*range(1, 10), 0]
    reference = Corpus("R", column([[1, 0], rotated, [0, 1]]))
    found = reproduce(
        reference, [Corpus("A", column([[1, 0], [*range(10)], [1, 0]])), Corpus("B", reference.alignments)]
    )
    a, b = found.table().rows
    assert [cell.value for cell in a] == ["A", 1, None, 0, 0.5]
    assert [cell.value for cell in b] == ["B", 1, None, 1, 1]
    assert [Mark.BEST in cell.marks for cell in a] == [False, True, False, False, False]
    assert found.table().notes[1] == "reference: 1 short, 0 medium, 1 long, 2 all"
    document = found.to_dict()
    assert document["systems"][0]["shares"]["all"]["reproduced"] == 1
    assert document["systems"][0]["shares"]["medium"]["value"] is None
    assert document["systems"][0]["by_width"][1] == {"width": 10, "reproduced": 0, "reference": 1}
    assert (document["segments"], len(found), str(found)[:6]) == (3, 3, "system")
    assert found._repr_html_().startswith("<table>")
    assert repr(found) == "Reproductions(2 systems × 3 segments)"
    nothing = reproduce(reference, [Corpus("A", reference.alignments)], resampling=Resampling(samples=0))
    assert nothing.table().rows[0][1].interval is None


def test_sentences_are_numbered_over_blocks(tmp_path: Path) -> None:
    path = tmp_path / "x.align"
    path.write_text("0-1 1-0\n" * 17_000, encoding="utf-8")
    records: list[dict[str, object]] = []

    def visit(system: str, sentences: Iterator[dict[str, object]]) -> None:
        assert system == "A"
        records.extend(sentences)

    reproduce(Corpus("R", path), [Corpus("A", path)], visit=visit, resampling=Resampling(samples=0))
    told = [{"reordering": "1,2,2,1", "width": 2, "reproduced": True}]
    assert records[-1] == {"sentence": 17_000, "reorderings": told}
    assert len(records) == 17_000


def test_wrong_questions() -> None:
    reference = Corpus("R", column([[1, 0]]))
    with pytest.raises(UsageError, match="no system"):
        reproduce(reference, [])
    with pytest.raises(UsageError, match="two systems are called 'R'"):
        reproduce(reference, [reference, reference])
    with pytest.raises(InputError, match=r"the inputs differ in length: R has 1 lines, A \(values\) has 2"):
        reproduce(reference, [Corpus("A", column([[1, 0], [0]]))])
    with pytest.raises(UsageError, match="nothing to compare"):
        reproduce(Corpus("R", column([])), [Corpus("A", column([]))])
