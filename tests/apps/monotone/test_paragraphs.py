"""Sentences of paragraphs: what is planted is found, and nothing is found where nothing was done."""

from __future__ import annotations

from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.apps.monotone import compare_paragraphs
from wordorder.apps.monotone.literalness import LITERAL
from wordorder.apps.monotone.paragraphs import Paragraph, group_sentences
from wordorder.core.orders import Alignment, Alignments
from wordorder.core.runtime.errors import UsageError

Words = list[int]


def paragraph(target: list[Words], sizes: list[int], *, noise: float = 0.0, seed: int = 0) -> Paragraph:
    """Group the sentences of a translation whose words are numbers of source words; some links may be wrong."""
    rng = np.random.default_rng(seed)
    words = [word for sentence in target for word in sentence]
    wrong = rng.random(len(words)) < noise
    source = np.where(wrong, rng.integers(0, sum(sizes), len(words)), words)
    lengths = np.array([len(sentence) for sentence in target])
    return group_sentences(source.astype(np.int32), np.arange(len(words), dtype=np.int32), np.array(sizes), lengths)


def sentences(*sizes: int) -> list[Words]:
    ends = np.cumsum([0, *sizes])
    return [list(range(start, stop)) for start, stop in pairwise(ends.tolist())]


SIZES = [10, 8, 12, 9]


@given(st.lists(st.integers(1, 12), min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_nothing_is_found_where_nothing_was_done(sizes: list[int], random: object) -> None:
    """Words may move inside their sentences as they like."""
    order = sentences(*sizes)
    for sentence in order:
        random.shuffle(sentence)  # type: ignore[attr-defined]
    found = paragraph(order, sizes)
    assert (found.swapped, found.joined, found.split, found.crossed) == ((), (), (), ())
    assert found.groups == tuple(((n,), (n,)) for n in range(len(sizes)))


@given(st.permutations(range(4)))
def test_every_swap_of_sentences_is_found(order: list[int]) -> None:
    plain = sentences(*SIZES)
    found = paragraph([plain[n] for n in order], SIZES)
    assert found.groups == tuple(((n,), (order.index(n),)) for n in range(4))
    assert set(found.swapped) == {(a, b) for a, b in combinations(range(4), 2) if order.index(a) > order.index(b)}
    assert (found.joined, found.split, found.crossed) == ((), (), ())


def test_order_inside_groups() -> None:
    one, two, three, four = sentences(*SIZES)
    found = paragraph([one[::-1], two, four, three], SIZES)
    assert found.values[0] == (0 + 1 + 1 + 1) / 4  # the swap of sentences does not matter
    half = paragraph([one[5:] + one[:5], two, three, four], SIZES)
    assert half.values[0] == pytest.approx((3 + 1 - (25 / 45) ** 0.5) / 4)


def test_joined_and_split_sentences_are_found() -> None:
    one, two, three, four = sentences(*SIZES)
    joined = paragraph([one, two + three, four], SIZES)
    assert (joined.joined, joined.split) == ((1,), ())
    assert joined.groups == (((0,), (0,)), ((1, 2), (1,)), ((3,), (2,)))
    cut = paragraph([one, two, three[:5], three[5:], four], SIZES)
    assert (cut.joined, cut.split) == ((), (2,))
    assert cut.groups[2] == ((2,), (2, 3))
    assert (cut.swapped, cut.crossed) == ((), ())


@pytest.mark.parametrize("clause", [range(6, 10), range(7, 10)])
def test_a_clause_that_moved_over_a_border_is_found(clause: range) -> None:
    one, two, three, four = sentences(*SIZES)
    stays = [word for word in one if word not in clause]
    found = paragraph([stays, two[:4] + list(clause) + two[4:], three, four], SIZES)
    first = len(stays) + 4
    assert found.crossed == (tuple(range(first, first + len(clause))),)
    assert found.values[4] == len(clause) / sum(SIZES)
    assert (found.swapped, found.joined, found.split) == ((), (), ())


def test_a_sentence_that_was_left_out_is_missing() -> None:
    """Its neighbours take one or two of its words, as aligners let them, but are not joined with it."""
    one, two, three, four = sentences(*SIZES)
    found = paragraph([one, [*three, two[3]], [*four, two[7]]], SIZES)
    assert (found.missing, found.joined, found.split, found.swapped, found.crossed) == ((1,), (), (), (), ())
    assert found.groups == (((0,), (0,)), ((2,), (1,)), ((3,), (2,)))
    assert paragraph([one, [*three, *two[3:6]], four], SIZES).joined == (1,)  # three of eight words are a clause


def test_single_words_elsewhere_are_not_a_clause() -> None:
    one, two, three, four = sentences(*SIZES)
    found = paragraph([one[:-2], [*two[:3], one[-2], *two[3:], one[-1]], three, four], SIZES)
    assert found.crossed == ()


def test_wrong_links_hide_little() -> None:
    """With a tenth of the links at random, swaps are still found, and little else."""
    plain = sentences(*SIZES)
    found = [paragraph([plain[n] for n in (0, 2, 1, 3)], SIZES, noise=0.1, seed=seed) for seed in range(200)]
    assert np.mean([each.swapped == ((1, 2),) for each in found]) > 0.98
    assert np.mean([bool(each.joined or each.split) for each in found]) < 0.02
    assert np.mean([bool(each.crossed) for each in found]) < 0.02


def links(*rows: str) -> Alignments:
    return Alignments.of([Alignment.parse(row) for row in rows])


def test_scores_are_means_over_paragraphs() -> None:
    """A long paragraph with swapped sentences counts as much as a short one without."""
    source = ["AA bb. CC dd. EE ff. GG hh.", "AA bb. CC dd."]
    hyp = {"x": ["CC dd. AA bb. GG hh. EE ff.", "AA bb. CC dd."]}
    aligned = {"x": links("2-0 3-1 0-2 1-3 6-4 7-5 4-6 5-7", "0-0 1-1 2-2 3-3")}
    found = compare_paragraphs(hyp, source=source, hyp_align=aligned, tokenize="none", samples=0)
    assert float(found.scores["x", "swapped"]) == (2 / 6 + 0) / 2
    assert float(found.scores["x", "within"]) == 1
    assert found.findings() == [
        {
            "system": "x",
            "line": 1,
            "sentences": [4, 4],
            "swapped": [[[1], [2]], [[3], [4]]],
            "joined": [],
            "split": [],
            "missing": [],
            "crossed": [],
        }
    ]
    assert found.to_dict()["findings"] == found.findings()


def test_marks_separate_sentences_and_are_no_words() -> None:
    source, hyp = ["a b <p> c d"], {"x": ["C D<p>A B"]}
    aligned = {"x": links("2-0 3-1 0-2 1-3")}
    found = compare_paragraphs(hyp, source=source, hyp_align=aligned, tokenize="none", samples=0)
    assert found.paragraphs["x"][0].swapped == ((0, 1),)


def test_systems_are_compared_with_people() -> None:
    count = 40
    source, straight = ["AA bb. CC dd. EE ff."] * count, "0-0 1-1 2-2 3-3 4-4 5-5"
    swapped = ["CC dd. AA bb. EE ff."] * 10 + source[10:]
    turned = ["2-0 3-1 0-2 1-3 4-4 5-5"] * 10 + [straight] * 30
    found = compare_paragraphs(
        {"system": source},
        [swapped, swapped],
        source=["UU vv. WW xx. YY zz."] * count,
        hyp_align={"system": links(*[straight] * count)},
        ref_align=[links(*turned), links(*turned)],
        tokenize="none",
    )
    assert found.people == ("reference1", "reference2")
    assert found.verdict("system", "swapped") == LITERAL
    assert float(found.scores["reference1", "swapped"]) == pytest.approx(10 / 40 / 3)
    assert found.table().columns[2].name == "within"


def test_documents_of_a_table_are_read(tmp_path: Path) -> None:
    """A paragraph per line of JSON, with the document it belongs to."""
    table = tmp_path / "test.jsonl"
    table.write_text('{"doc_id": "d1", "src_text": "AA bb. CC dd.", "tgt_text": "CC dd. AA bb."}\n' * 3)
    aligned = {"x": links(*["2-0 3-1 0-2 1-3"] * 3)}
    found = compare_paragraphs(
        {"x": f"{table}:tgt_text"}, source=f"{table}:src_text", hyp_align=aligned, tokenize="none", samples=0
    )
    assert float(found.scores["x", "swapped"]) == 1


def test_long_output_is_cut_where_the_reference_ends() -> None:
    pytest.importorskip("mweralign", reason="mweralign is not installed; pip install mweralign (the extra 'longform')")
    reference = ["the cat sat here . it was nice .", "on the mat today . he ran home ."]
    found = compare_paragraphs(
        {"x": [" ".join(reference)]},
        [reference],
        source=["A b . C d .", "E f . G h ."],
        cut=True,
        tokenize="none",
        samples=0,
    )
    assert len(found.scores) == 2
    assert found.signature["cut"] == "mweralign"


def test_source_and_reference_are_needed() -> None:
    with pytest.raises(UsageError, match="word order is compared with the source; give source"):
        compare_paragraphs({"x": ["a"]})
    with pytest.raises(UsageError, match="output is cut where the lines of a reference end; give ref"):
        compare_paragraphs({"x": ["a"]}, source=["a"], cut=True)
