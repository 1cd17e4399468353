"""What follows from answers: the thesis's counts, planted effects, random clickers, agreement and export."""

from __future__ import annotations

import csv
import json
import random
import shlex
from collections.abc import Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from all_kinds import KINDS, answer_of
from all_kinds import write_study as small_study
from study_corpora import texts, write_corpus

from wordorder.apps.profile import Corpus
from wordorder.apps.study import Study
from wordorder.apps.study.analyses import Analysis, analyse
from wordorder.apps.study.analyses.prefer import comparisons
from wordorder.apps.study.answers import answer_table, read_responses, screen, write_simulated
from wordorder.apps.study.checks import preference_power, rating_power
from wordorder.apps.study.creation import default_settings, write_study
from wordorder.apps.study.export import export
from wordorder.apps.study.folder import Item
from wordorder.apps.study.kinds.choosing import VERDICTS
from wordorder.apps.study.materials.scramble import Design, make_items
from wordorder.apps.study.materials.texts import (
    Guides,
    StudyTexts,
    alignment_items,
    marking_items,
    preference_items,
    rating_items,
)
from wordorder.apps.study.settings import Checks, People
from wordorder.apps.study.simulation import SimulationPlan, simulate
from wordorder.cli.main import main
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.formats import mqm, pharaoh, ratings, reference_orders, talp, target_list
from wordorder.report.table import Table


def cells(table: Table, **where: str) -> list[dict[str, Any]]:
    """Return the rows of a table in which some columns have these values."""
    names = [column.name for column in table.columns]
    rows = [dict(zip(names, row, strict=True)) for row in table.rows]
    return [row for row in rows if all(row[name].value == value for name, value in where.items())]


def value(table: Table, column: str, **where: str) -> float:
    (row,) = cells(table, **where)
    return float(row[column].value)


def made(folder: Path, kind: str, items: Sequence[Item], **changes: Any) -> Study:
    return write_study(folder, default_settings(kind, seed=1, materials={}, **changes), items)


def answered(study: Study, given: Mapping[tuple[str, str], Any]) -> Analysis:
    rows = [
        {"person": person, "item": item, "payload": json.dumps(answer), "received": number}
        for number, ((person, item), answer) in enumerate(given.items())
    ]
    return analyse(study, answer_table(rows))


@pytest.fixture(scope="module")
def scramble(tmp_path_factory: pytest.TempPathFactory) -> Study:
    folder = tmp_path_factory.mktemp("scramble")
    files = write_corpus(folder, 48)
    template = default_settings("scramble", seed=1, materials={})
    items = make_items(
        Corpus("c", files["align"], files["zh"], files["en"]),
        Design(items=20, fillers=6),
        seed=1,
        questions=template.questions[:1],
    )
    return made(folder / "study", "scramble", items, questions=template.questions[:1])


def plan_answers(study: Study, plan: SimulationPlan) -> Any:
    return answer_table(simulate(study, plan))


@pytest.mark.slow
def test_planted_bins_are_found_and_clickers_are_not_kept(scramble: Study) -> None:
    effects = {"bin1": -0.5, "bin2": -1.0, "bin3": -1.5, "bin4": -2.0}
    answers = plan_answers(scramble, SimulationPlan(people=22, seed=2, effects=effects, clickers=2))
    found = analyse(scramble, answers)
    assert value(found.tables["people"], "n", people="kept") == 20
    assert value(found.tables["tests"], "p", test="mixed model") < 0.001
    means = {row["bin"].value: row["mean"] for row in cells(found.tables["means"], people="kept")}
    planted = {"bin0": 0.0, **effects}
    for name, effect in planted.items():
        assert means[name].value - means["bin0"].value == pytest.approx(effect, abs=0.65)
    assert [*means] == ["bin0", "bin1", "bin2", "bin3", "bin4"]
    assert {row["people"].value for row in cells(found.tables["means"])} == {"kept", "all"}
    reliability = found.tables["reliability"]
    ceiling = value(reliability, "value", reliability="ceiling of a metric's r")
    assert ceiling > value(reliability, "value", reliability="leave-one-out r, median")


@pytest.mark.slow
def test_the_metric_that_people_follow_comes_out_first(scramble: Study, tmp_path: Path) -> None:
    metric = "ulam"
    spread = {"noise": 0.3, "person": 0.2, "item": 0.1, "stimulus": 0.1, "interaction": 0.1}
    answers = plan_answers(scramble, SimulationPlan(people=20, seed=1, follow=metric, effects=spread))
    found = analyse(scramble, answers)
    assert found.tables["metrics"].rows[0][0].value == metric
    commands = export(scramble, answers, tmp_path / "out")
    assert commands[0].startswith("wordorder metaeval --judgements fluency.tsv")
    read = ratings.read(tmp_path / "out" / "fluency.tsv")
    assert len(read) == 400
    assert set(read.systems) == {f"bin{n}" for n in range(5)}
    with pytest.raises(UsageError, match="is not an empty folder"):
        export(scramble, answers, tmp_path / "out")


def test_people_who_fail_checks_or_click_are_screened(scramble: Study) -> None:
    rows = simulate(scramble, SimulationPlan(people=6, seed=1, clickers=1, dropouts=0.4))
    for row in rows:
        if row["person"] == "s1" and scramble.item(row["item"]).role == "attention":
            row["payload"] = json.dumps({"fluency": 7})
        if row["person"] == "s2":
            row["visible"] = 100
    responses = read_responses(scramble, answer_table(rows))
    found = screen(scramble, responses, {"s3": "asked us to"})
    attention = [one for one in responses if one.person == "s1" and one.item.role == "attention"]
    assert ("s1" in found.reasons) == bool(attention)
    assert "0.5 s" in found.reasons["s2"]
    assert found.reasons["s3"] == "excluded by hand: asked us to"
    assert set(found.finished) < set(found.people)


def test_only_the_last_revision_counts(scramble: Study) -> None:
    item = next(item.id for item in scramble.items if item.role == "item")
    rows = [
        {"person": "p1", "item": item, "payload": json.dumps({"fluency": 1}), "received": 1, "last": False},
        {"person": "p1", "item": item, "payload": json.dumps({"fluency": 7}), "received": 2, "revision": 1},
    ]
    (one,) = read_responses(scramble, answer_table(rows))
    assert one.answer == {"fluency": 7}


def test_the_counts_of_the_thesis_on_preferences(tmp_path: Path) -> None:
    """189 for one system, 158 for the other, 13 undecided: p .0536 (thesis 8.2.1.6, exactly)."""
    lines = {"A": [f"a b {n}" for n in range(120)], "B": [f"b a {n}" for n in range(120)]}
    study = made(tmp_path / "s", "prefer", preference_items(StudyTexts(lines, None, None), seed=1))
    votes = ["A"] * 189 + ["B"] * 158 + ["neither"] * 13
    random.Random(1).shuffle(votes)
    given = {}
    for number, vote in enumerate(votes):
        item, person = study.items[number // 3], f"p{number % 3}"
        shown = study.kind.systems(item, person)
        given[person, item.id] = {"choice": "N" if vote == "neither" else "AB"[shown.index(vote)]}
    table = answered(study, given).tables["preferences"]
    (row,) = cells(table)
    assert [row[name].value for name in ("for", "against", "neither")] == [189, 158, 13]
    assert row["p one-sided"].value == pytest.approx(0.0536, abs=5e-5)


def test_kappa_of_the_thesis() -> None:
    from wordorder.core.statistics.agreement import kappa

    assert kappa(0.6428, 1 / 3) == pytest.approx(0.464, abs=5e-4)


def test_only_the_first_judgements_count_and_gold_does_not(tmp_path: Path) -> None:
    files = texts(tmp_path)
    (tmp_path / "gold.tsv").write_text("segment\tchoice\n1\tA\n", encoding="utf-8")
    read = StudyTexts.read({name: files[name] for name in "AB"}, None, files["ref"])
    items = preference_items(read, seed=1, gold=tmp_path / "gold.tsv")
    study = made(tmp_path / "s", "prefer", items, people=People(per_item=2))
    given = {(f"p{person}", item.id): {"choice": "A"} for person in range(4) for item in study.items}
    found = answered(study, given)
    row, *_ = cells(found.tables["preferences"])  # of those who know the gold item
    kept = [person for person in range(4) if study.kind.judge(study.items[0], {"choice": "A"}, f"p{person}")]
    assert row["for"].value + row["against"].value == 11 * min(2, len(kept))
    assert cells(found.tables["sides"])[0]["A"].value == 11 * min(2, len(kept))
    assert len(kept) == 3  # so one judgement of every item comes too late
    assert "counted: the first 2 judgements of every item (per_item), 22 in all; 11 later ones are left out" in (
        found.tables["preferences"].notes
    )


def test_exported_answers_say_which_system_stood_where(tmp_path: Path) -> None:
    files = texts(tmp_path)
    (tmp_path / "gold.tsv").write_text("segment\tchoice\n1\tA\n", encoding="utf-8")
    read = StudyTexts.read({name: files[name] for name in "AB"}, None, files["ref"])
    study = made(tmp_path / "s", "prefer", preference_items(read, seed=1, gold=tmp_path / "gold.tsv"))
    choices = {item.id: choice for item, choice in zip(study.items, cycle("ABN"), strict=False)}
    rows = [{"person": "p1", "item": item, "payload": json.dumps({"choice": c})} for item, c in choices.items()]
    export(study, answer_table(rows), tmp_path / "out")
    exported = records(tmp_path / "out" / "answers.tsv")
    lines = {name: (tmp_path / "out" / f"{name}.txt").read_text().splitlines() for name in "AB"}
    assert {row["A"] for row in exported} == {"A", "B"}
    for row in exported:
        choice = choices[row["item"]]
        assert row["preferred"] == ("neither" if choice == "N" else row[choice])
        shown = [" ".join(text["words"]) for text in study.kind.view(study.item(row["item"]), "p1")["texts"]]
        if row["kind"] == "item":
            assert shown == [lines[row[side]][int(row["segment"]) - 1] for side in "AB"]
        else:
            assert row["segment"] == ""
    judged = [row for row in exported if row["kind"] == "item"]
    assert [(row["segment"], row["preferred"], row["item"]) for row in judged] == [
        (row["segment"], row["preference"], row["item"]) for row in records(tmp_path / "out" / "preferences.tsv")
    ]
    assert len(ratings.read_preferences(tmp_path / "out" / "preferences.tsv")) == len(judged)


def records(path: Path) -> list[dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.mark.parametrize("kind", KINDS)
def test_too_few_answers_are_said_to_be_too_few(kind: str, tmp_path: Path) -> None:
    study = Study.read(small_study(tmp_path / kind, kind))
    given = {("p1", "i0"): answer_of(kind, study.kind.view(study.item("i0"), "p1"))}
    people, *others = (found := answered(study, given)).tables.values()
    assert value(people, "n", people="not finished") == 1
    assert "only 1 participant; 0 of 2 items have the 3 answers wanted" in people.notes
    assert all(table.rows for table in others)
    assert {"agreement", "reliability", "tests", "pairs", "variances"}.isdisjoint(found.tables)
    if kind == "prefer":
        assert "too few answers for: agreement" in people.notes
        told = "In words: too few judgements to tell: with 1 segment p is at least 1, whatever the answers."
        assert told in found.tables["preferences"].notes
    twice = {(person, item): given["p1", "i0"] for person in ("p1", "p2") for item in ("i0", "i1")}
    if kind != "align":  # whose sentences differ in length
        assert "only 2 participants; 0 of 2 items" in answered(study, twice).tables["people"].notes[0]


def test_a_preference_of_sixty_in_a_hundred_is_found(tmp_path: Path) -> None:
    lines = {"A": [f"a b {n}" for n in range(150)], "B": [f"b a {n}" for n in range(150)]}
    study = made(tmp_path / "s", "prefer", preference_items(StudyTexts(lines, None, None), seed=1))
    rows = simulate(study, SimulationPlan(people=3, seed=4, effects={"A": 0.6}))
    (row,) = cells(analyse(study, answer_table(rows)).tables["preferences"])
    assert row["better"].value == "A"
    assert row["p"].value < 0.05
    judged = comparisons(study, read_responses(study, answer_table(rows)))
    assert judged.systems == ("A", "B")


TABLE_3_4 = {
    "reproduced": [(21, 0, 4), (21, 0, 4), (19, 4, 2)],
    "not reproduced": [(12, 6, 7), (11, 10, 4), (9, 15, 1)],
}


def thesis_verdicts() -> dict[str, list[list[str]]]:
    """Return verdicts with the counts of Table 3.4 in which 98 of 150 pairs agree, as the thesis's κ implies."""
    chance = random.Random(1)
    found = {name: [list("C" * c + "I" * i + "N" * n) for c, i, n in counts] for name, counts in TABLE_3_4.items()}

    def agreeing() -> int:
        columns = [column for judges in found.values() for column in zip(*judges, strict=True)]
        return sum((a == b) + (a == c) + (b == c) for a, b, c in columns)

    for _ in range(20_000):
        before = abs(agreeing() - 98)
        if not before:
            return found
        answers = chance.choice(chance.choice(list(found.values())))
        i, j = chance.randrange(25), chance.randrange(25)
        answers[i], answers[j] = answers[j], answers[i]
        if abs(agreeing() - 98) > before:
            answers[i], answers[j] = answers[j], answers[i]
    raise AssertionError("no such verdicts")


def test_table_3_4_of_the_thesis(tmp_path: Path) -> None:
    blocks = {"reference_blocks": [[0], [1]], "translation_blocks": [[1], [0]]}
    content = {"reference": ["a", "b"], "translation": ["b", "a"], **blocks}
    verdicts = thesis_verdicts()
    items: list[Item] = []
    given: dict[tuple[str, str], Any] = {}
    for condition, judges in verdicts.items():
        for number in range(25):
            item = Item.of(f"{condition} {number}", content, seed=1, condition=condition)
            items.append(item)
            given |= {(f"j{judge}", item.id): {"choice": judges[judge][number]} for judge in range(3)}
    found = answered(made(tmp_path / "s", "judge", items), given)
    for condition, counts in TABLE_3_4.items():
        for judge, numbers in enumerate(counts):
            (row,) = cells(found.tables["verdicts"], reordering=condition, person=f"j{judge}")
            assert [row[name].value for name in VERDICTS.values()] == pytest.approx([n / 25 for n in numbers])
            (both,) = cells(found.tables["verdicts"], reordering=condition, person="all")
            assert both["correct"].value == pytest.approx(sum(c for c, _, _ in counts) / 75)
    assert value(found.tables["agreement"], "value", agreement="Fleiss' κ") == pytest.approx(0.357, abs=1e-3)


@pytest.mark.slow
def test_rated_systems_come_out_in_the_order_that_was_planted(tmp_path: Path) -> None:
    files = texts(tmp_path)
    read = StudyTexts.read({name: files[name] for name in "ABC"}, files["src"], files["ref"])
    template = default_settings("rate", seed=1, materials={})
    items = rating_items(read, seed=1, questions=template.questions, guides=Guides(attention=2))
    study = made(tmp_path / "s", "rate", items, checks=Checks(attention=2, gold_pass=0.7))
    rows = simulate(study, SimulationPlan(people=12, seed=2, effects={"A": 1.2, "C": -1.2}, clickers=2))
    found = analyse(study, answer_table(rows))
    means = [row["mean"].value for row in cells(found.tables["bootstrap"])]
    assert means == sorted(means, reverse=True)
    assert value(found.tables["tests"], "p", test="mixed model") < 0.01
    assert value(found.tables["people"], "n", people="kept") == 10
    raw = {row["system"].value: row["raw mean"].value for row in cells(found.tables["means"], people="kept")}
    assert [*raw.values()] == pytest.approx(means)
    export(study, answer_table(rows), tmp_path / "out")
    assert len(ratings.read(tmp_path / "out" / "quality.tsv")) == 10 * 12 * 3
    exported = records(tmp_path / "out" / "answers.tsv")
    given = {
        (system, row["segment"], row["person"]): str(float(score))
        for row in exported
        if row["kind"] == "item" and not row["left_out"]
        for system, score in zip(json.loads(row["systems"]), json.loads(row["answer"])["quality"], strict=True)
    }
    scores = records(tmp_path / "out" / "quality.tsv")
    assert given == {(row["system"], row["segment"], row["judge"]): row["score"] for row in scores}


def test_alignments_are_compared_and_exported_in_every_format(tmp_path: Path) -> None:
    source = ["a b c", "d e"]
    items = alignment_items(source, seed=1, target=["x y z", "u v"])
    study = made(tmp_path / "s", "align", items, people=People(per_item=2))
    one, two = (item.id for item in study.items)
    straight = {"target": ["x", "y", "z"], "links": [[0, 0], [1, 1], [2, 2]], "possible": []}
    crossed = {"target": ["x", "y", "z"], "links": [[0, 1], [1, 0], [2, 2]], "possible": []}
    other = {"target": ["u", "v"], "links": [[0, 1]], "possible": [[1, 0]]}
    given = {("p1", one): straight, ("p2", one): crossed, ("p1", two): other, ("p2", two): other}
    agreement = answered(study, given).tables["agreement"]
    assert value(agreement, "value", agreement="links: F") == pytest.approx(3 / 5)
    assert value(agreement, "value", agreement="order of the source words: kendall") == pytest.approx((2 / 3 + 1) / 2)
    rows = [
        {"person": person, "role": "adjudicator" if person == "a1" else "person", "item": item, "received": number}
        | {"payload": json.dumps(answer)}
        for number, ((person, item), answer) in enumerate({**given, ("a1", one): crossed}.items())
    ]
    export(study, answer_table(rows), tmp_path / "out")
    for reader, name in ((pharaoh, "links.align"), (talp, "links.talp"), (target_list, "links.targets")):
        read = reader.read(tmp_path / "out" / name)
        assert [sorted(read[row].links) for row in range(2)] == [[(0, 1), (1, 0), (2, 2)], [(0, 1), (1, 0)]]
    assert pharaoh.read(tmp_path / "out" / "links.align").possible is not None
    orders = reference_orders.read(tmp_path / "out" / "reference.orders", [line.split() for line in source])
    assert orders.against_source()[0].ranks == (1, 0, 2)


def test_moves_become_errors_and_orders(tmp_path: Path) -> None:
    items = marking_items(StudyTexts({"A": ["b a c", "d e f"], "B": ["c a b", "e d f"]}), seed=1)
    study = made(tmp_path / "s", "mark", items)
    move = {"words": [0], "before": 2, "severity": "major"}
    given = {("p1", item.id): {"moves": [move] if item.condition == "A" else []} for item in study.items}
    found = answered(study, given)
    (a,), (b,) = (cells(found.tables["moves"], system=system) for system in "AB")
    assert (a["moves"].value, a["major"].value, a["in order"].value) == (1, 2, 0)
    assert (b["moves"].value, b["in order"].value, b["fuzzy"].value) == (0, 1, 1)
    rows = [
        {"person": person, "item": item, "payload": json.dumps(answer), "received": number}
        for number, ((person, item), answer) in enumerate(given.items())
    ]
    export(study, answer_table(rows), tmp_path / "out")
    read = mqm.read(tmp_path / "out" / "mqm.tsv")
    assert dict(zip(read.systems, read.means(2).mean(axis=1), strict=True)) == {"A": -5, "B": 0}
    assert (tmp_path / "out" / "A.orders").read_text() == "2 1 3\n2 1 3\n"
    assert (tmp_path / "out" / "A.corrected.txt").read_text() == "a b c\ne d f\n"


def test_power_grows_with_the_effect() -> None:
    low, high = (preference_power(60, 3, share=share, studies=100) for share in (0.5, 0.7))
    assert low <= 0.12
    assert high >= 0.9
    small = {"noise": 0.3, "person": 0.2, "item": 0.1, "stimulus": 0.1, "interaction": 0.1}
    strong = rating_power(2, 12, 8, effect=1.0, scale=range(1, 8), spread=small, studies=5)
    assert strong == 1


def test_simulated_answers_stay_apart(scramble: Study) -> None:
    with pytest.raises(UsageError, match="study simulate"):
        scramble.answers(simulated=True)
    write_simulated(scramble, simulate(scramble, SimulationPlan(people=1)))
    assert set(scramble.answers(simulated=True)["person"].to_pylist()) == {"s1"}
    for wrong in (SimulationPlan(effects={"bin9": 1}), SimulationPlan(follow="bleu")):
        with pytest.raises(UsageError):
            simulate(scramble, wrong)


NAN = float("nan")
A, B, CONDITION = "SECRETSYSTEM1", "SECRETSYSTEM2", "SECRETCONDITION"


@pytest.mark.parametrize(
    ("kind", "plan", "said"),
    [
        ("rate", SimulationPlan(people=0), "people must be 1 or more, not 0"),
        ("rate", SimulationPlan(people=3, clickers=9), "clickers must be 0 to 3 (the number of people), not 9"),
        ("rate", SimulationPlan(dropouts=5), "dropouts must be a share from 0 to less than 1, not 5"),
        ("rate", SimulationPlan(dropouts=NAN), "dropouts must be a share from 0 to less than 1, not nan"),
        ("rate", SimulationPlan(effects={A: NAN}), f"{A} must be a number, not nan"),
        ("rate", SimulationPlan(effects={"noise": -1}), "noise must be a number, 0 or more, not -1"),
        ("rate", SimulationPlan(effects={"person": float("inf")}), "person must be a number, 0 or more, not inf"),
        ("prefer", SimulationPlan(effects={A: 8}), f"{A} must be a share from 0 to 1, not 8"),
        ("prefer", SimulationPlan(effects={A: -3}), f"{A} must be a share from 0 to 1, not -3"),
        ("prefer", SimulationPlan(effects={B: NAN}), f"{B} must be a share from 0 to 1, not nan"),
        ("prefer", SimulationPlan(effects={"neither": 1.5}), "neither must be a share from 0 to 1, not 1.5"),
        ("prefer", SimulationPlan(effects={"skill": 2}), "skill must be a share from 0 to 1, not 2"),
        ("prefer", SimulationPlan(effects={"item": -0.5}), "item must be a number, 0 or more, not -0.5"),
        ("prefer", SimulationPlan(effects={A: 0.8, B: 0.8}), f"{A}=0.8 and {B}=0.8 do not add up to 1; "),
        ("judge", SimulationPlan(effects={CONDITION: 1.2}), f"{CONDITION} must be a share from 0 to 1, not 1.2"),
        ("judge", SimulationPlan(effects={"neither": 7}), "neither must be a share from 0 to 1, not 7"),
        ("align", SimulationPlan(effects={"errors": 1.1}), "errors must be a share from 0 to 1, not 1.1"),
        ("mark", SimulationPlan(effects={CONDITION: -2}), f"{CONDITION} must be a number, 0 or more, not -2"),
    ],
)
def test_impossible_plans_are_refused(kind: str, plan: SimulationPlan, said: str, tmp_path: Path) -> None:
    study = Study.read(small_study(tmp_path, kind))
    with pytest.raises(UsageError) as caught:
        simulate(study, plan)
    assert str(caught.value).startswith(said)


def test_two_shares_of_a_pair_may_add_up(tmp_path: Path) -> None:
    study = Study.read(small_study(tmp_path, "prefer"))
    one, both = (simulate(study, SimulationPlan(effects=effects)) for effects in ({A: 0.7}, {A: 0.7, B: 0.3}))
    assert one == both


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("people", [1, 4])
def test_the_commands_of_an_export_run(
    kind: str, people: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    study = Study.read(small_study(tmp_path / kind, kind, items=6))
    rows = simulate(study, SimulationPlan(people=people, seed=3))
    commands = export(study, answer_table(rows), tmp_path / "out")
    monkeypatch.chdir(tmp_path / "out")
    assert (tmp_path / "out" / "commands.txt").read_text().splitlines() == commands
    for command in commands:
        words = shlex.split(command)
        assert words[0] == "wordorder"
        assert main(words[1:]) == 0, (command, capsys.readouterr().err)
    capsys.readouterr()


@pytest.mark.parametrize("kind", ["scramble", "rate", "prefer", "judge", "mark"])
def test_an_export_without_anybody_has_headings_and_one_that_fails_is_not_there(kind: str, tmp_path: Path) -> None:
    study = Study.read(small_study(tmp_path / kind, kind))
    rows = simulate(study, SimulationPlan(people=1))
    out = tmp_path / "out"
    assert export(study, answer_table(rows), out, excluded={"s1": "=1+1"}) == []
    for table in out.glob("*.tsv"):
        assert table.read_text().split("\n")[0].count("\t") >= 3, table
    assert "\texcluded by hand: =1+1" in (out / "people.tsv").read_text()
    with pytest.raises(InputError, match=r"left out: 1 of 1 person: s1 \(excluded by hand: =1\+1\)"):
        analyse(study, answer_table(rows), excluded={"s1": "=1+1"})
    with pytest.MonkeyPatch.context() as broken:
        broken.setattr("wordorder.apps.study.export._write_people", fail)
        with pytest.raises(OSError, match="full"):
            export(study, answer_table(rows), tmp_path / "broken")
    assert not (tmp_path / "broken").exists()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def fail(*_: object) -> None:
    raise OSError("full")


def test_what_people_write_is_no_formula(tmp_path: Path) -> None:
    study = Study.read(small_study(tmp_path / "s", "prefer"))
    rows = simulate(study, SimulationPlan(people=1))
    person = {"person": "s1", "role": "person", "status": "finished", "code": ""}
    details = {"Native language*": '=HYPERLINK("http://x")', "Age": "-1+cmd|' /C calc'!A0"}
    export(study, answer_table(rows), tmp_path / "out", people=[person | {"details": details}])
    (found,) = records(tmp_path / "out" / "people.tsv")
    assert found["Native language"] == "'" + details["Native language*"]
    assert found["Age"] == "'" + details["Age"]


def moved(tmp_path: Path, seed: int, **effects: float) -> str:
    read = StudyTexts({name: [f"{name} b c d {n}" for n in range(12)] for name in "AB"})
    study = made(tmp_path / f"s{seed}", "mark", marking_items(read, seed=1), people=People(per_item=3))
    found = analyse(study, answer_table(simulate(study, SimulationPlan(people=8, seed=seed, effects=effects))))
    return found.tables["moves"].notes[0]


def test_marking_names_a_winner_only_if_there_is_one(tmp_path: Path) -> None:
    told = [moved(tmp_path, seed) for seed in range(6)]
    assert sum("no difference in moves between systems was found" in one for one in told) >= 5
    assert moved(tmp_path, 9, A=0.3, B=3.0).startswith("In words: systems differ in moves, from B (")


def test_rating_makes_no_claim_that_rests_on_segments_alone(tmp_path: Path) -> None:
    study = Study.read(small_study(tmp_path / "s", "rate", items=6))
    found = analyse(study, answer_table(simulate(study, SimulationPlan(people=4))))
    assert "paired" not in found.tables
    assert "rated by the same people" in found.tables["bootstrap"].notes[0]
