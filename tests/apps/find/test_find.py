"""Order errors: the worst first, marked, by two views or one; what is usual where there is no reference."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import wordorder
from wordorder.apps.find import Findings, find
from wordorder.apps.find.expected_pairs import nearest_mean
from wordorder.apps.find.measuring import measure, swap_blocks
from wordorder.core.orders import Alignment, Alignments
from wordorder.core.runtime.errors import InputError, InputWarning, UsageError
from wordorder.linking.aligning import Aligning
from wordorder.metrics import metric

REFERENCE = ["We often talk after dinner .", "She said yes .", "Nothing ."]
HYPOTHESES = {"A": ["After dinner we often talk .", "She said yes .", "Other words"], "B": REFERENCE}


def test_the_worst_comes_first_with_the_words_that_must_move() -> None:
    found = find(HYPOTHESES, REFERENCE)
    assert [(one.system, one.segment) for one in found] == [("A", 1)]
    (one,) = found
    assert one.marked == "[1 After dinner] we often talk →1 ."  # in the case it was given in
    assert one.matched == 6
    assert one.source is None
    assert one.score == pytest.approx(1 / 7)
    assert one.confidence == 1.0
    assert one.describe(1) == "1: 'After dinner' after 'talk' (confidence 1.00)"
    assert found.undefined == 1
    assert wordorder.find is find


def test_texts_that_share_hardly_a_word_are_noticed() -> None:
    reference = [f"today we saw {word} and laughed aloud because it was so funny ." for word in ("him", "her")] * 10
    other = ["einst sahen wir sie , laughed ein Mann ."] * 20
    settings: tuple[Any, ...] = ({}, {"source": other})
    for given in settings:
        with pytest.warns(InputWarning, match=r"^only 15.4% of the reference words are matched in A"):
            find({"A": other}, reference, **given)


def test_case_counts_if_it_is_to_be_kept() -> None:
    (one,) = find(HYPOTHESES, REFERENCE, lowercase=False)
    assert one.matched == 2  # 'often talk' and 'dinner': After and we have another case


def links(*rows: str) -> Alignments:
    return Alignments.of([Alignment.parse(row) for row in rows])


cased = st.lists(st.sampled_from(["a", "A", "b", "B", "c", "C", "ß", "SS", ".", ","]), min_size=1, max_size=7).map(
    " ".join
)


@hypothesis_settings(max_examples=30)
@drawn(st.lists(st.tuples(cased, cased, cased), min_size=1, max_size=3))
def test_order_errors_ignore_case_as_find_does(rows: list[tuple[str, str, str]]) -> None:
    rows = [*rows, *[("one two three four five",) * 3] * 9]  # texts that match
    hypotheses, *references = (list(column) for column in zip(*rows, strict=True))
    given_links: dict[str, Any] = {
        "source": ["x y z"] * len(rows),
        "tokenize": "none",
        "hyp_align": links(*["1-0"] * len(rows)),
        "ref_align": [links(*["0-0 1-0"] * len(rows))] * 2,
    }

    def scored(lowercase: bool) -> list[float]:
        chosen: dict[str, Any] = {"metrics": "order-errors", "order": "source", "samples": 0, "lowercase": lowercase}
        found = wordorder.score(hypotheses, references, **chosen, **given_links)
        return [float(value) for value in found.segment_scores("system", "order-errors")]

    kept, lowered = scored(False), scored(True)
    np.testing.assert_array_equal(kept, lowered)
    for one in find(hypotheses, references, worst=len(rows), confidence=0.0, **given_links):
        assert one.score == kept[one.segment - 1] < 1


def test_the_source_sees_what_shares_no_word() -> None:
    given: Any = {
        "source": ["a b c d", "a b"],
        "hyp_align": links("0-3 1-0 2-1 3-2", "0-0 1-1"),
        "ref_align": links("0-0 1-1 2-2 3-3", "0-0 1-1"),
        "tokenize": "none",
    }
    found = find(["q r s p", "p q"], ["k l m n", "k l"], **given)
    assert [(one.segment, one.marked, one.matched, one.source) for one in found] == [(1, "→1 q r s [1 p]", 0, 3.0)]
    alone = find(["q r s p", "p q"], **{name: each for name, each in given.items() if name[0] != "r"})
    assert [(one.segment, one.marked, one.usual) for one in alone] == [(1, "→1 q r s [1 p]", 1.5)]
    assert alone[0].confidence == 0.5  # half of what is out of order is usual here
    assert any("much weaker than with a reference" in note for note in alone.all_notes)


def test_of_several_references_the_kindest_counts() -> None:
    found = find(["b a c", "c b a"], [["a b c", "a b c"], ["b a c", "b c a"]], tokenize="none")
    assert [(one.segment, one.matched, one.reference_text) for one in found] == [(2, 1, "b c a")]


def test_the_score_is_that_of_the_metric() -> None:
    texts: Any = {"source": ["x y z"] * 4, "tokenize": "none"}
    hypotheses, reference = ["c b a", "a b c", "b a c", "a c b"], ["a b c"] * 4
    found = find(hypotheses, reference, **texts)
    scores = wordorder.score(
        hypotheses, reference, **texts, order="source", metrics=[metric("order-errors")], samples=0
    )
    wanted = scores.segment_scores("system", "order-errors")
    assert {one.segment: one.score for one in found} == {
        segment: pytest.approx(value) for segment, value in enumerate(wanted, start=1) if value < 1
    }


# --- what is usual -------------------------------------------------------------------------------------------------


def test_labels_say_which_segments_are_alike() -> None:
    crossed, straight = "0-1 1-0", "0-0 1-1"
    common: Any = {"source": ["a b"] * 4, "hyp_align": links(crossed, crossed, crossed, straight), "tokenize": "none"}
    assert [one.segment for one in find(["x y"] * 4, **common)] == [1, 2, 3]
    found = find(["x y"] * 4, labels=["q", "q", "s", "s"], **common)
    assert [(one.segment, one.usual) for one in found] == [(3, 0.5)]  # in q all are crossed
    with pytest.raises(InputError, match="1 label for 4 segments"):
        find(["x y"] * 4, labels=["q"], **common)
    with pytest.raises(UsageError, match="labels can only be used without a reference"):
        find(["x"], ["x"], labels=["q"])


def test_training_text_says_what_is_usual() -> None:
    source, target = (
        ["la casa verde", "una casa grande", "el perro"] * 4,
        ["the green house", "a big house", "the dog"] * 4,
    )
    aligning = Aligning(train_source=source, train_target=target)
    found = find(["the house green"], source=["la casa verde"], aligning=aligning, worst=3)
    assert any("usual: mean of 12 sentence pairs of training text" in note for note in found.all_notes)


def test_the_nearest_lengths_count_by_rank() -> None:
    known, values = np.array([5, 1, 3, 3]), np.array([8.0, 1.0, 2.0, 4.0])
    assert nearest_mean(np.array([3, 0, 99]), known, values, count=2).tolist() == [3.0, 1.5, 6.0]
    assert nearest_mean(np.array([3]), known, values, count=50).tolist() == [3.75]


# --- what people see -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def findings() -> Findings:
    return find({"<A>": ["c d & a b f e", "x"]}, ["a b f c d & e", "x"], tokenize="none")


def test_text_table_json_and_page_tell_the_same(findings: Findings) -> None:
    shown = str(findings)
    assert "segment 1  <A> 0.14" in shown
    assert "  hyp  [1 c d] & a b f →1 e" in shown
    assert "pairs in the wrong order: 6 of matched words" in shown
    (row,) = findings.table().rows
    assert [cell.value for cell in row][:3] == ["<A>", 1, pytest.approx(1 / 7)]
    document = json.loads(json.dumps(findings.to_dict(), allow_nan=False))
    (move,) = document["found"][0]["moves"]
    assert (move["first"], move["last"], move["after"], move["text"]) == (1, 2, 6, "c d")
    page = findings.page()
    assert "<mark>[1 c d]</mark> &amp; a b" in page
    assert "segment 1, &lt;A&gt;: 0.14" in page
    assert "<table>" in findings._repr_html_()


def test_moves_to_one_place_stand_in_their_new_order() -> None:
    (one,) = find(["x y b p a"], ["a b x y p"], tokenize="none")
    assert one.marked == "→2 →1 x y [1 b] p [2 a]"
    assert one.describe(2) == "2: 'a' at the beginning (confidence 1.00)"
    assert one.describe(1) == "1: 'b' after 2 (confidence 1.00)"


def test_marks_that_are_not_sure_are_not_shown() -> None:
    texts: Any = (["the a b c the the"], ["a b the c the the"])
    (one,) = find(*texts, tokenize="none", confidence=0.0)
    assert [round(move.confidence, 2) for move in one.moves] == [0.33]
    (hidden,) = find(*texts, tokenize="none")
    assert (hidden.moves, hidden.score) == ((), one.score)
    assert len(find(*texts, tokenize="none", worst=None)) == 0
    with pytest.raises(UsageError, match="confidence must be from 0 to 1, not 2"):
        find(*texts, confidence=2)


def test_nothing_out_of_order_says_so() -> None:
    found = find(["a b"], ["a b"])
    assert not len(found)
    assert "nothing was found to be out of order" in str(found)
    assert found.table().rows == ()
    assert "Nothing was found to be out of order" in found.page()


def test_mistakes_are_told_in_one_line() -> None:
    with pytest.raises(UsageError, match="has to be compared with a reference or the source; give source, ref or both"):
        find(["a"])
    with pytest.raises(UsageError, match="worst must be 1 or more, not 0"):
        find(["a"], ["a"], worst=0)
    with pytest.raises(UsageError, match="unknown argument 'wost'; did you mean 'worst'"):
        find(["a"], ["a"], wost=1)  # type: ignore[call-arg]
    with pytest.raises(UsageError, match="order cannot be used to find order errors"):
        find(["a"], ["a"], order="matched")
    with pytest.raises(InputError, match="the inputs differ in length"):
        find(["a"], ["a", "b"])


# --- measuring -----------------------------------------------------------------------------------------------------


def test_a_moved_block_is_where_it_says() -> None:
    words = [str(number) for number in range(12)]
    for seed in range(200):
        made = swap_blocks(words, random.Random(seed))
        first, second = (sorted(block) for block in made.blocks)
        assert sorted(made.words) == sorted(words)
        assert made.words[-1] == "11"
        assert first[-1] + 1 == second[0]
        # put back: the second block goes before the first
        start, end = first[0], second[-1] + 1
        back = [*made.words[:start], *made.words[second[0] : end], *made.words[start : second[0]], *made.words[end:]]
        assert back == words


def test_punctuation_in_a_moved_block_need_not_be_marked() -> None:
    lines = ["one , two three , four five six , seven ."] * 40
    found = measure(lines)
    moved = int(found.notes[0].removeprefix("two neighbouring blocks were swapped in ").split()[0])
    assert 0 < moved < 20  # where a block would be nothing but a comma, nothing is moved
    assert found.rows[0][2].value == 1


def test_moved_blocks_of_references_are_found() -> None:
    rng = random.Random(3)
    lines = [" ".join(rng.sample([f"w{number}" for number in range(200)], 12)) + " ." for _ in range(60)]
    found = measure(lines, seed=5)
    assert found.notes[0] == "two neighbouring blocks were swapped in 30 of 60 references"
    assert [cell.value for cell in found.rows[0]] == ["matched words", 0.0, 1, 1, 1]
    assert len(found.rows) == 3
    with pytest.raises(InputError, match=r"an odd-numbered reference needs at least 6 words"):
        measure(["a b"])


# --- scores of others ----------------------------------------------------------------------------------------------

TEXTS: Any = {
    "hyp": {"A": ["b a c", "a b c", "c b a"], "B": ["a c b", "a b c", "x y z"]},
    "ref": ["a b c"] * 3,
    "tokenize": "none",
}
COMET = {"A": [0.5, 0.1, 0.9], "B": [0.4, 0.2, 0.3]}


def test_scores_of_others_stand_beside_ours() -> None:
    found = find(**TEXTS, given={"comet": COMET, "metricx": {"B": [4, 5, 6], "A": [1, 2, 3]}})
    assert [(one.system, one.segment, one.given) for one in found] == [
        ("A", 3, {"comet": 0.9, "metricx": 3.0}),
        ("A", 1, {"comet": 0.5, "metricx": 1.0}),
        ("B", 1, {"comet": 0.4, "metricx": 4.0}),
    ]
    assert "       given: comet 0.9, metricx 3\n" in str(found)
    assert "given: comet 0.9, metricx 3<br>" in found.page()
    table = found.table()
    place = [column.name for column in table.columns].index("given:comet")
    assert [row[place].value for row in table.rows] == [0.9, 0.5, 0.4]
    assert found.to_dict()["found"][0]["given"] == {"comet": 0.9, "metricx": 3.0}
    assert [mark.partition("#")[0] for mark in found.signature["given"]] == ["comet", "metricx"]
    without = find(**TEXTS)
    assert "given" not in without.to_dict()["found"][0]
    assert "given" not in str(without)


@pytest.mark.parametrize(
    ("by", "wanted"),
    [("comet", [("B", 1), ("A", 1), ("A", 3)]), ("given:comet:low=1:high=0", [("A", 3), ("A", 1), ("B", 1)])],
)
def test_what_is_out_of_order_can_be_sorted_by_them(by: str, wanted: list[tuple[str, int]]) -> None:
    found = find(**TEXTS, given={"comet": COMET}, by=by)
    assert [(one.system, one.segment) for one in found] == wanted  # not A 2 and B 2, which are in order
    assert f"worst first by {by} among those in which a word must move" in found.all_notes[0]
    worst = find(**TEXTS, given={"comet": COMET}, by=by, worst=1)
    assert [(one.system, one.segment) for one in worst] == wanted[:1]


def test_of_equal_scores_of_others_ours_decide() -> None:
    found = find(**TEXTS, given={"same": {"A": [1, 1, 1], "B": [1, 1, 1]}}, by="same", worst=2)
    assert [(one.system, one.segment) for one in found] == [("A", 3), ("A", 1)]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"given": {"comet": {"A": [1, 2, 3]}}}, "comet: no scores found for B"),
        ({"given": {"comet": {"A": [1, 2, 3], "B": [1, 2]}}}, "found 2 scores for B"),
        ({"given": {"comet": {"A": [1, 2, 3, 4], "B": [1, 2, 3]}}}, "found 4 scores for A, but the texts have 3"),
        ({"given": {"comet": COMET}, "by": "comte"}, "did you mean 'comet'"),
        ({"given": {"comet": COMET}, "by": "comet:lo=1"}, "'lo'"),
        ({"by": "comet"}, "unknown name of given scores 'comet'"),
    ],
)
def test_scores_of_others_that_do_not_fit_are_refused(given: Any, message: str) -> None:
    with pytest.raises((InputError, UsageError), match=message):
        find(**TEXTS, **given)


def test_texts_that_share_nothing_are_doubted() -> None:
    with pytest.warns(InputWarning, match="aligned in 2 of 3 segments; are the texts in the same language"):
        found = find(["x", "y", "a"], ["a", "a", "a"])
    assert (len(found), found.undefined) == (0, 2)
    assert "nothing was found to be out of order" in str(found)
