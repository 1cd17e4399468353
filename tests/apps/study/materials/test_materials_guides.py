"""Practice items with feedback and attention checks of every kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from wordorder.apps.study import Study
from wordorder.apps.study.kinds.editing import apply_moves
from wordorder.apps.study.simulation import SimulatedPeople, SimulationPlan
from wordorder.cli.main import main
from wordorder.core.runtime.errors import InputError

SENTENCES = ["the old man reads a paper in the park .", "she sees the big red house", "we all like warm fresh bread",
             "he drinks cold black tea", "the dogs run very fast today", "a boy sings two loud songs"]  # fmt: skip
TEXTS = {
    "ref": SENTENCES,
    "hyp": [" ".join(reversed(line.split())) for line in SENTENCES],
    "other": [" ".join([*line.split()[1:], line.split()[0]]) for line in SENTENCES],
}
ALIGN = [" ".join(f"{n}-{count - 1 - n}" for n in range(count)) for count in (len(one.split()) for one in SENTENCES)]
ARGUMENTS = {
    "scramble": "--align a --source hyp --target ref --items 2 --fillers 1 --bins 0 0.5 --length 3 20",
    "rate": "--ref ref --hyp A=hyp B=other",
    "prefer": "--ref ref --hyp A=hyp B=other",
    "judge": "--source hyp --ref ref --hyp A=other --ref-align a --hyp-align A=a --items 2",
    "align": "--source ref --target hyp",
    "mark": "--ref ref --hyp A=other",
}


@pytest.fixture(params=ARGUMENTS)
def study(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    monkeypatch.chdir(tmp_path)
    for name, lines in {**TEXTS, "a": ALIGN}.items():
        Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    numbers = "--practice 2 --attention 2 --language de --source-language en"
    command = f"study new {request.param} s {ARGUMENTS[request.param]} {numbers}"
    if request.param == "judge":
        command = command.replace("--items 2", "--items 1")
    assert main(command.split()) == 0
    return Study.read("s")


def items_of(study: Study, role: str) -> list[Any]:
    return [item for item in study.items if item.role == role]


def test_they_are_made_for_every_kind_in_the_language_of_the_page(study: Study) -> None:
    checks = study.settings.checks
    assert (len(items_of(study, "practice")), len(items_of(study, "attention"))) == (2, 2)
    assert (checks.practice, checks.attention) == (2, 2)
    assert checks.gold_pass > 0
    shown = str([study.kind.view(item, "p1") for item in items_of(study, "attention")]).replace("', '", " ")
    assert "Um zu zeigen" in shown
    assert "★" in shown or study.settings.kind not in ("align", "mark")
    assert "expected" not in str([study.kind.view(item, "p1") for item in study.items])


def test_people_who_read_pass_attention_checks_and_others_do_not(study: Study) -> None:
    people = SimulatedPeople(study, SimulationPlan(people=1))
    for item in items_of(study, "attention"):
        assert study.kind.judge(item, study.kind.validate(item, people.answer(item, "p1")), "p1") is True
        assert study.kind.feedback(item, people.answer(item, "p1"), "p1") is None
    clicks = [study.kind.judge(item, people.click(item), "p1") for item in items_of(study, "attention") * 20]
    assert not all(clicks)


def test_practice_says_what_is_right_and_why(study: Study) -> None:
    kind, name = study.kind, study.settings.kind
    taught = [item for item in items_of(study, "practice") if "reason" in item.content]
    assert taught
    for item in taught:
        right = kind.expected(item, "p1")
        answer: dict[str, Any] = {"choice": right}
        if name == "scramble":
            values = {one.name: one.values[len(one.values) // 2] for one in study.settings.questions}
            wrong: dict[str, Any] = values
            answer = values | {question: bounds[0] for question, bounds in right.items()}
        elif name == "rate":
            wrong = {"quality": [3, 3]}
            answer = {"quality": [6, 1] if right == 1 else [1, 6]}
        elif name == "mark":
            wrong = {"moves": []}
            count = len(item.content["words"])
            answer = {"moves": [{"words": [count - 2], "before": 1, "severity": "minor"}]}
            assert [item.content["words"][n] for n in apply_moves(count, answer["moves"])] == right
            assert " ".join(right) in SENTENCES
        elif name == "align":
            answer = {"target": item.content["target"], "links": item.content["expected"], "possible": []}
            wrong = answer | {"links": answer["links"][1:]}
            assert all(one == other for one, other in right)
        else:
            wrong = {"choice": "N"}
        found = kind.feedback(item, kind.validate(item, answer), "p1")
        assert found == {"correct": True, "right": right, "reason": item.content["reason"]}
        assert kind.feedback(item, kind.validate(item, wrong), "p1") == found | {"correct": False}


def test_practice_and_items_have_different_sentences(study: Study) -> None:
    def words(item: Any) -> set[frozenset[str]]:
        content = item.content
        shown = [content.get("text"), content.get("words"), content.get("source"), *content.get("outputs", {}).values()]
        texts = [one.split() if isinstance(one, str) else one for one in shown if one]
        return {frozenset(word.lower() for word in text) for text in texts}

    if study.settings.kind != "judge":
        practised = [words(item) for item in items_of(study, "practice")]
        assert not any(words(item) & one for item in items_of(study, "item") for one in practised)


def test_a_wrong_expected_answer_is_named(study: Study) -> None:
    path = study.folder / "items.jsonl"
    lines = path.read_text("utf-8").splitlines(keepends=True)
    place = next(place for place, line in enumerate(lines) if '"role": "attention"' in line)
    lines[place] = lines[place].replace('"expected":', '"unexpected":')
    path.write_text("".join(lines), "utf-8")
    with pytest.raises(InputError, match="but must be") as error:
        Study.read(study.folder)
    assert error.value.line == place + 1
