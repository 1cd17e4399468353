"""Reproduced reorderings of several systems: shares by width, intervals, sentences."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordorder.apps.profile import Corpus, extract, find_reproduced, reproduce
from wordorder.core.orders import Alignment, Alignments, Phrases
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.core.statistics import Resampling
from wordorder.report.table import Mark


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
    with pytest.raises(UsageError, match="two systems have the name 'R'"):
        reproduce(reference, [reference, reference])
    with pytest.raises(InputError, match=r"the inputs differ in length: R has 1 line, A \(values\) has 2"):
        reproduce(reference, [Corpus("A", column([[1, 0], [0]]))])
    with pytest.raises(UsageError, match="the alignments are empty"):
        reproduce(Corpus("R", column([])), [Corpus("A", column([]))])


# --- thesis 3.4.3: a reordering that one phrase pair covers is reproduced -----------------------------------------


def moses(path: Path, *lines: str) -> Path:
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


def test_thesis_3_4_3_a_phrase_pair_may_hide_the_reordering(tmp_path: Path) -> None:
    reference = moses(tmp_path / "ref", "y |1-1| x |0-0| z |2-2|", "y |1-1| x |0-0| z |2-2|")
    system = moses(tmp_path / "sys", "y x |0-1| z |2-2|", "x |0-0| y z |1-2|")
    found = reproduce(Corpus("R", reference, align_format="moses"), [Corpus("A", system, align_format="moses")])
    assert found.found[0].flags.tolist() == [True, False]
    read = Alignments.concatenate([pairs[0] for pairs in Corpus("A", system, align_format="moses").blocks()])
    assert list(read.phrases or ()) == [((0, 1), (2, 2)), ((0, 0), (1, 2))]
    again = reproduce(Corpus("R", reference, align_format="moses"), [Corpus("A", read)])
    assert again.found[0].flags.tolist() == [True, False]


def reproduced_slowly(reference: Alignments, system: Alignments, phrases: list[list[tuple[int, int]]]) -> list[bool]:
    """Follow the definition word by word: sets of source words instead of spans."""
    flags = []
    hypotheses = list(extract(system))
    for row, expected in enumerate(extract(reference)):
        for wanted in expected:
            scope = set(range(wanted.a_source[0], wanted.b_source[1] + 1))
            pairs = [set(range(first, last + 1)) for first, last in phrases[row]]
            inside = [set(range(one.a_source[0], one.b_source[1] + 1)) <= scope for one in hypotheses[row]]
            flags.append(any(scope <= pair for pair in pairs) or any(inside))
    return flags


@st.composite
def decoded(draw: st.DrawFn) -> tuple[list[int], list[tuple[int, int]], list[int]]:
    """Draw the order of a reference, and the phrases of a system with the order it writes them in."""
    size = draw(st.integers(2, 7))
    cuts = sorted(draw(st.sets(st.integers(1, size - 1))))
    phrases = [(first, last - 1) for first, last in zip([0, *cuts], [*cuts, size], strict=True)]
    return draw(st.permutations(range(size))), phrases, draw(st.permutations(range(len(phrases))))


@settings(max_examples=60, deadline=None)
@given(st.lists(decoded(), min_size=1, max_size=4), st.booleans())
def test_thesis_3_4_3_is_the_literal_definition(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[list[int], list[tuple[int, int]], list[int]]],
    nbest: bool,
) -> None:
    path = tmp_path_factory.mktemp("decoded") / "output"
    lines = []
    for number, (_, phrases, order) in enumerate(rows):
        spans = [phrases[place] for place in order]
        if nbest:
            words = [last - first + 1 for first, last in spans]
            text, ends = " ".join("w" for _ in range(sum(words))), np.cumsum(words).tolist()
            pairs = zip(spans, ends, words, strict=True)
            field = " ".join(f"{one}-{two}={end - size}-{end - 1}" for (one, two), end, size in pairs)
            lines.append(f"{number} ||| {text} ||| F= 0 ||| -1 ||| {field}")
        else:
            lines.append(" ".join("w " * (last - first + 1) + f"|{first}-{last}|" for first, last in spans))
    system = Corpus("A", moses(path, *lines), align_format="nbest" if nbest else "moses")
    reference = column([order for order, _, _ in rows])
    links = Alignments.concatenate([pairs[0] for pairs in system.blocks()])
    expected = reproduced_slowly(reference, links, [phrases for _, phrases, _ in rows])
    found = reproduce(Corpus("R", reference), [system], resampling=Resampling(samples=0))
    assert found.found[0].flags.tolist() == expected


def test_phrases_stay_with_their_sentences() -> None:
    phrases = Phrases.of([[(0, 1)], [], [(0, 0), (1, 1)]])
    known = Alignments.of([Alignment(((0, 0),), 2, 2)] * 3)
    first = Alignments(known.source, known.target, known.offsets, phrases=phrases)
    joined = Alignments.concatenate([known, first])
    assert joined.phrases is not None
    assert list(joined.phrases) == [(), (), (), ((0, 1),), (), ((0, 0), (1, 1))]
    assert list(joined[3:5].phrases or ()) == [((0, 1),), ()]
    assert joined.sure().phrases is joined.phrases
    assert joined.transpose().phrases is None
    assert Alignments.concatenate([known, known]).phrases is None


def test_thesis_3_3_4_a_chart_derivation_has_links_and_no_phrases(tmp_path: Path) -> None:
    """Links of the chart decoder count the beginning of the sentence: y x z with the first two swapped."""
    chart = "0 ||| y x z ||| F= 0 ||| -1 ||| 1-2 2-1 3-3  ||| [S [X y x] z]"
    system = Corpus("A", moses(tmp_path / "chart", chart), align_format="nbest", base=1)
    reference = Corpus("R", column([[1, 0, 2]]))
    found = reproduce(reference, [system])
    assert found.found[0].flags.tolist() == [True]
    assert next(iter(system.blocks()))[0].phrases is None
    with pytest.raises(InputError, match=r"link 3-3 is out of range.*use base=1 if the file counts from 1"):
        reproduce(reference, [Corpus("A", tmp_path / "chart", align_format="nbest")])
