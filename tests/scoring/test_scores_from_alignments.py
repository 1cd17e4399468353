"""Scores from alignments: the policies' twins, lengths, several references, and wrong inputs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import twins
from wordorder import Alignment, Alignments, score
from wordorder.core.runtime.errors import InputError, UsageError, WordorderError

Links = frozenset[tuple[int, int]]
POLICIES = ("birch", "talbot", "attach-left", "attach-right", "drop")
LENGTHS = [4, 3, 2]

SYSTEM = [Alignment(((0, 1), (1, 0), (3, 2)), 4), Alignment(((0, 0), (1, 1), (2, 2)), 3), Alignment((), 2)]
REFERENCE = [Alignment(((0, 0), (1, 1), (2, 2)), 4), Alignment(((0, 2), (1, 1), (2, 0)), 3), Alignment(((0, 0),), 2)]


def column(rows: list[tuple[int, Links]]) -> Alignments:
    return Alignments.of([Alignment(tuple(sorted(links)), length) for length, links in rows])


def rows(count: int) -> st.SearchStrategy[list[tuple[int, Links, Links, Links]]]:
    def row(length: int) -> st.SearchStrategy[tuple[int, Links, Links, Links]]:
        links = st.frozensets(st.tuples(st.integers(0, length - 1), st.integers(0, 4)), max_size=6)
        return st.tuples(st.just(length), links, links, links)

    return st.lists(st.integers(1, 5).flatmap(row), min_size=1, max_size=count)


@settings(max_examples=40)
@given(rows(5), st.sampled_from(POLICIES))
def test_scores_are_those_of_the_twins(found: list[tuple[int, Links, Links, Links]], policy: str) -> None:
    system = column([(length, links) for length, links, _, _ in found])
    references = [column([(length, one) for length, _, one, _ in found])]
    references += [column([(length, two) for length, _, _, two in found])]
    for gold in (references[:1], references):
        scores = score(hyp_align=system, ref_align=gold, policy=policy, metrics="kendall,hamming", samples=0)
        for name in ("kendall", "hamming"):
            expected = []
            for length, links, *others in found:
                judged = twins.project_judged(links, length, policy)
                orders = [twins.compare(judged, twins.project(other, length, policy)) for other in others[: len(gold)]]
                expected.append(max((twins.FLAT[name](order) for order in orders if order), default=np.nan))
            assert scores.segment_scores("system", name).tolist() == pytest.approx(expected, nan_ok=True)


def test_signature_names_policy_format_base_and_references(tmp_path: Path) -> None:
    signature = score(hyp_align=SYSTEM, ref_align=REFERENCE, policy="talbot").signature
    expected = {"order": "source", "policy": "talbot", "references": 1}
    assert {key: signature[key] for key in expected} == expected
    assert "align_format" not in signature  # values have no format
    (tmp_path / "links").write_text("1-1\n")
    both = {"hyp_align": tmp_path / "links", "ref_align": tmp_path / "links"}
    signature = score(**both, align_format="talp", policy="drop").signature  # type: ignore[arg-type]
    assert (signature["align_format"], signature["base"]) == ("talp", 1)
    assert "reference_choice" not in signature
    two = score(hyp_align=SYSTEM, ref_align=[REFERENCE, REFERENCE], samples=0).signature
    assert (two["references"], two["reference_choice"]) == (2, "closest")


def test_files_values_lengths_and_source_text_give_the_same(tmp_path: Path) -> None:
    system, reference = tmp_path / "a.align", tmp_path / "r.align"
    system.write_text("0-1 1-0 3-2\n0-0 1-1 2-2\n\n")
    reference.write_text("0-0 1-1 2-2\n0-2 1-1 2-0\n0-0\n")
    text, numbers = tmp_path / "source.txt", tmp_path / "lengths"
    text.write_text("a b c d\ne f g\nh i\n")
    numbers.write_text("4\n3\n2\n")
    expected = score(hyp_align=SYSTEM, ref_align=REFERENCE).to_dict()
    bare = [[Alignment(row.links) for row in rows] for rows in (SYSTEM, REFERENCE)]
    for lengths in (
        {"source": text},
        {"source": str(text)},
        {"source": ["a b c d", "e f g", "h i"]},
        {"source_lengths": numbers},
        {"source_lengths": LENGTHS},
        {"source_lengths": np.array(LENGTHS)},
    ):
        for one, two in ((system, reference), (bare[0], bare[1]), (system, Alignments.of(bare[1]))):
            found = score(hyp_align={"system": one}, ref_align=two, **lengths)
            document = found.to_dict()
            for key in ("align_format", "base"):  # of files, not of values
                document["signature"].pop(key, None)
            assert document == expected


def test_one_file_may_stand_for_several_systems_and_references(tmp_path: Path) -> None:
    path = tmp_path / "a.align"
    path.write_text("0-1 1-0\n0-0\n")
    scores = score(hyp_align={"A": path, "B": path}, ref_align=[path, path], source_lengths=[2, 1], metrics="kendall")
    assert scores.values.tolist() == [[1.0], [1.0]]
    assert scores.signature["references"] == 2


@pytest.mark.parametrize("lengths", [[], [4], [4, 3], [4, 3, 2, 1], [1, 1, 1], ["a", "b", "c"], [2**40, 1, 1]])
def test_wrong_lengths_are_refused(lengths: list[object]) -> None:
    bare = [Alignment(row.links) for row in SYSTEM]
    with pytest.raises(InputError):
        score(
            hyp_align=bare,
            ref_align=REFERENCE,
            source_lengths=lengths,  # type: ignore[arg-type]
        )


def test_what_does_not_fit_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="give either a text or sentence lengths, not both"):
        score(hyp_align=SYSTEM, ref_align=REFERENCE, source=["a", "b", "c"], source_lengths=LENGTHS)
    with pytest.raises(UsageError, match="unknown alignment format 'pharao'; did you mean 'pharaoh'"):
        score(hyp_align=SYSTEM, ref_align=REFERENCE, align_format="pharao")
    with pytest.raises(UsageError, match="unknown policy"):
        score(hyp_align=SYSTEM, ref_align=REFERENCE, policy="brich")
    with pytest.raises(InputError, match="reference 1 has 3 lines, A has 2"):
        score(hyp_align={"A": SYSTEM[:2]}, ref_align=REFERENCE)
    with pytest.raises(UsageError, match="giza files count from 1"):
        score(hyp_align=tmp_path / "x", ref_align=tmp_path / "y", align_format="giza", base=0)


def test_the_line_of_a_missing_length_is_told_beyond_the_first_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wordorder.formats.sources.LINES_PER_BLOCK", 2)
    known = Alignment(((0, 0), (1, 1)), 2)
    unknown = Alignment(((0, 0),))
    with pytest.raises(WordorderError, match="5"):
        score(hyp_align=[known] * 4 + [unknown], ref_align=[known] * 4 + [unknown])
