"""What items hold, whatever their kind; what browsers may know of them; which answers are taken."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from study_corpora import texts, write_corpus

from wordorder.apps.profile import Corpus
from wordorder.apps.profile.stimuli import measured_rquantity
from wordorder.apps.study.creation import default_settings
from wordorder.apps.study.folder import Item
from wordorder.apps.study.kinds import AnswerError, kind_of
from wordorder.apps.study.materials.scramble import Design, make_items
from wordorder.apps.study.materials.texts import (
    Guides,
    StudyTexts,
    alignment_items,
    judging_items,
    marking_items,
    preference_items,
    rating_items,
)
from wordorder.core.orders import Permutation
from wordorder.core.runtime.errors import InputError, UsageError

QUESTIONS = default_settings("scramble", seed=1, materials={}).questions


def scrambled(folder: Path, **design: Any) -> list[Item]:
    files = write_corpus(folder)
    corpus = Corpus("c", files["align"], files["zh"], files["en"])
    how = {"items": 10, "fillers": 4, **design}
    guides = Guides(practice=3, attention=2)
    return make_items(corpus, Design(**how), seed=1, questions=QUESTIONS, guides=guides)


def test_scrambled_sentences_have_one_version_in_each_bin(tmp_path: Path) -> None:
    items = scrambled(tmp_path)
    roles = Counter(item.role for item in items)
    assert roles == {"practice": 3, "item": 50, "filler": 4, "attention": 2}
    versions = [item for item in items if item.role == "item"]
    assert Counter(item.condition for item in versions) == {f"bin{n}": 10 for n in range(5)}
    orders = [Permutation.parse(" ".join(map(str, item.content["order"]))) for item in versions]
    assert measured_rquantity(orders) == pytest.approx([item.content["rquantity"] for item in versions], abs=1e-6)
    for item, order in zip(versions, orders, strict=True):
        low, high = (-1, 0, 0.4, 0.7, 1.3, 9)[(number := int(item.condition[3:])) : number + 2]
        assert low < item.content["rquantity"] <= high
        reference = item.content["reference"].split()
        shown = [reference[rank] for rank in order.ranks]
        assert [word.lower() for word in shown] == [word.lower() for word in item.content["text"].split()]
        assert item.content["scores"]["kendall"] == pytest.approx(1 - _inversions(order) / (12 * 11 / 2), abs=1e-6)


def _inversions(order: Permutation) -> int:
    ranks = order.ranks
    return sum(ranks[i] > ranks[j] for i in range(len(ranks)) for j in range(i + 1, len(ranks)))


def test_a_neutral_surface_says_nothing_of_where_a_sentence_began_or_ended(tmp_path: Path) -> None:
    for item in scrambled(tmp_path):
        if item.role == "item":
            words = item.content["text"].split()
            assert words[0][0].isupper()
            assert words[-1] == "."
            inside = [word for word in words[1:] if word[0].isupper()]
            assert all(word in ("Anna", "Boris", "Carla", "David", "Emil", "Frida") for word in inside)


def test_as_is_keeps_the_words_and_source_order_sorts_by_the_source(tmp_path: Path) -> None:
    items = scrambled(tmp_path, surface="as-is", full="source-order")
    last = [item for item in items if item.condition == "bin4"]
    for item in last:
        reference = item.content["reference"].split()
        assert [reference[rank - 1] for rank in item.content["order"]] == item.content["text"].split()
    assert {" ".join(map(str, item.content["order"])) for item in last} <= {
        "1 2 10 7 8 9 5 3 4 6 11 12",
        "9 10 11 7 8 5 6 3 4 1 2 12",
        "2 1 8 9 10 6 7 3 5 4 11 12",
        "11 10 9 8 1 2 3 7 6 5 4 12",
    }


def test_the_same_seed_makes_the_same_study(tmp_path: Path) -> None:
    assert scrambled(tmp_path) == scrambled(tmp_path)


def test_designs_that_cannot_be_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can be scrambled to fit every RQuantity bin"):
        scrambled(tmp_path, items=500)
    with pytest.raises(InputError, match="fillers; request fewer"):
        scrambled(tmp_path, fillers=100)
    wrong: dict[str, Any]
    for wrong in ({"bins": (0.1, 0.5)}, {"bins": (0, 0.5, 0.5)}, {"surface": "odd"}, {"length": (9, 3)}):
        with pytest.raises(UsageError):
            Design(**wrong)


def read_texts(folder: Path, *systems: str) -> StudyTexts:
    files = texts(folder)
    return StudyTexts.read({name: files[name] for name in systems}, files["src"], files["ref"])


def test_no_view_tells_what_a_browser_must_not_know(tmp_path: Path) -> None:
    files = texts(tmp_path)
    (tmp_path / "gold.tsv").write_text("segment\tchoice\treason\n1\tB\tSECRETREASON\n", encoding="utf-8")
    two = read_texts(tmp_path, "A", "B")
    renamed = StudyTexts({"SECRETSYS": two.outputs["A"], "OTHERSECRET": two.outputs["B"]}, two.source, two.reference)
    made: dict[str, list[Item]] = {
        "scramble": scrambled(tmp_path),
        "prefer": preference_items(renamed, seed=1, gold=tmp_path / "gold.tsv"),
        "rate": rating_items(renamed, seed=1, questions=QUESTIONS),
        "mark": marking_items(renamed, seed=1),
    }
    del files
    for kind, items in made.items():
        study = kind_of(default_settings(kind, seed=1, materials={}))
        for item in items:
            shown = json.dumps([item.id, study.view(item, "p1")])
            for secret in ("SECRET", "gold", "bin1", "reason", "rquantity", "order", "scores", "expected", "wrong"):
                assert secret not in shown or (secret == "order" and "order" in item.content.get("text", ""))


def test_sides_are_drawn_for_every_person_and_kept(tmp_path: Path) -> None:
    items = preference_items(read_texts(tmp_path, "A", "B"), seed=1)
    kind = kind_of(default_settings("prefer", seed=1, materials={}))
    views = [[json.dumps(kind.view(item, f"p{person}")) for item in items] for person in range(20)]
    assert views == [[json.dumps(kind.view(item, f"p{person}")) for item in items] for person in range(20)]
    for column in zip(*views, strict=True):
        assert len(set(column)) == 2
    first = sum(json.loads(view)["texts"][0]["words"] == items[0].content["outputs"]["A"].split() for view, *_ in views)
    assert 3 <= first <= 17


def test_gold_is_judged_by_what_the_person_saw(tmp_path: Path) -> None:
    (tmp_path / "gold.tsv").write_text("segment\tchoice\treason\n1\tB\tbecause\n2\tneither\t\n", encoding="utf-8")
    items = preference_items(read_texts(tmp_path, "A", "B"), seed=1, gold=tmp_path / "gold.tsv")
    kind = kind_of(default_settings("prefer", seed=1, materials={}))
    gold, equal = (item for item in items if item.role == "gold")
    for person in ("p1", "p2", "p3", "p4"):
        right = "AB"[kind.view(gold, person)["texts"][1]["words"] == gold.content["outputs"]["B"].split()]
        wrong = "BA"["AB".index(right)]
        assert kind.judge(gold, {"choice": right}, person) is True
        assert kind.feedback(gold, {"choice": right}, person) is None
        assert kind.feedback(gold, {"choice": wrong}, person) == {"correct": False, "right": right, "reason": "because"}
        assert kind.feedback(equal, {"choice": "A"}, person) == {"correct": False, "right": "N", "reason": ""}


@pytest.mark.parametrize(
    ("line", "said"),
    [("99\tA\t", "the last segment is 12"), ("1\tX\t", "choice is 'X'"), ("x\tA\t", "not a whole number")],
)
def test_mistakes_in_gold_have_their_line(tmp_path: Path, line: str, said: str) -> None:
    (tmp_path / "gold.tsv").write_text(f"segment\tchoice\treason\n2\tA\t\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError, match=said) as error:
        preference_items(read_texts(tmp_path, "A", "B"), seed=1, gold=tmp_path / "gold.tsv")
    assert error.value.line == 3


def test_pairs_that_do_not_differ_are_not_shown(tmp_path: Path) -> None:
    two = read_texts(tmp_path, "A", "C")
    same = StudyTexts({"A": two.outputs["A"], "R": two.reference or []}, None, two.reference)
    assert [item.content["segment"] for item in preference_items(same, seed=1)] == [1, 3, 5, 7, 9, 11]
    with pytest.raises(InputError, match=r"only 6 segments can be used \(condition: the outputs differ"):
        preference_items(same, seed=1, items=7)


def test_judged_reorderings_show_the_words_of_both_blocks(tmp_path: Path) -> None:
    from wordorder.formats import pharaoh

    files = texts(tmp_path)
    lines = {name: (tmp_path / name).read_text().splitlines() for name in ("ref", "A")}
    links = [pharaoh.read(files[name]) for name in ("ref.align", "A.align")]
    items = judging_items(lines["ref"], lines["A"], *links, seed=1, items=6)
    assert Counter(item.condition for item in items) == {"reproduced": 3, "not reproduced": 3}
    for item in items:
        assert item.content["reference_blocks"] == [[1], [0]]
        straight = item.condition == "not reproduced"
        assert item.content["translation_blocks"] == ([[0], [1]] if straight else [[1], [0]])
    with pytest.raises(InputError, match="request fewer"):
        judging_items(lines["ref"], lines["A"], *links, seed=1, items=40)


def test_a_move_puts_words_where_they_belong() -> None:
    kind = kind_of(default_settings("mark", seed=1, materials={}))
    item = Item("i", "g", content={"words": ["a", "b", "c"]})
    assert kind.validate(item, {"moves": []}) == {"moves": []}
    for wrong in (
        {},
        {"moves": [{"words": [], "before": 0, "severity": "minor"}]},
        {"moves": [{"words": [3], "before": 0, "severity": "minor"}]},
        {"moves": [{"words": [0], "before": 0, "severity": "minor"}]},
        {"moves": [{"words": [0], "before": 4, "severity": "minor"}]},
        {"moves": [{"words": [0, 0], "before": 3, "severity": "minor"}]},
        {"moves": [{"words": [0], "before": 3, "severity": "huge"}]},
        {"moves": [], "more": 1},
    ):
        with pytest.raises(AnswerError):
            kind.validate(item, wrong)


def test_an_alignment_is_checked_against_the_guidelines() -> None:
    rules = {"unaligned source word": "block", "unaligned target word": "off"}
    kind = kind_of(default_settings("align", seed=1, materials={"rules": rules}))
    (item,) = alignment_items(["the cat sleeps ."], seed=1, target=["il gatto dorme ."])
    whole = {"target": ["il", "gatto", "dorme", "."], "links": [[1, 1], [2, 2]], "possible": []}
    assert kind.validate(item, whole)["links"] == [[1, 1], [2, 2]]
    with pytest.raises(AnswerError, match="'sleeps' is unaligned") as error:
        kind.validate(item, {**whole, "links": [[1, 1]]})
    assert error.value.field == "source-2"
    (finding,) = kind.findings(item, {**whole, "links": [[1, 0], [1, 2], [2, 2]]})
    assert finding["rule"] == "non-contiguous alignment"
    assert not finding["blocks"]
    split = {"target": ["i", "l", "gatto", "dorme", "."], "links": [[1, 2], [2, 3]]}
    assert kind.validate(item, split)["target"][0] == "i"
    for wrong in ({"target": ["lo", "gatto", "dorme", "."]}, {"links": [[9, 0]]}, {"links": [[0]]}):
        with pytest.raises(AnswerError):
            kind.validate(item, {**whole, **wrong})


def test_adjudicators_see_what_both_and_what_one_linked() -> None:
    kind = kind_of(default_settings("align", seed=1, materials={}))
    (item,) = alignment_items(["a b c"], seed=1, target=["x y z"])
    first = {"target": ["x", "y", "z"], "links": [[0, 0], [1, 1]], "possible": []}
    second = {"target": ["x", "y", "z"], "links": [[0, 0]], "possible": [[2, 2]]}
    seen = kind.adjudicate(item, [first, second])  # type: ignore[attr-defined]
    assert (seen["both"], seen["first"], seen["second"]) == ([[0, 0]], [[1, 1]], [[2, 2]])
    assert seen["comparable"]


@pytest.mark.parametrize("value", [None, 0, 8, "5", 5.5, True, [5]])
def test_ratings_off_the_scale_are_refused(value: Any) -> None:
    kind = kind_of(default_settings("scramble", seed=1, materials={}))
    with pytest.raises(AnswerError) as error:
        kind.validate(Item("i", "g"), {"fluency": 5, "comprehension": value})
    assert error.value.field == "comprehension"
    rate = kind_of(default_settings("rate", seed=1, materials={}))
    with pytest.raises(AnswerError) as error:
        rate.validate(Item("i", "g", content={"outputs": {"A": "a", "B": "b"}}), {"quality": [3, value or 9]})
    assert error.value.field == "quality-1"
