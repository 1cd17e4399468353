"""Export answers as files that other commands read: texts, orders, ratings, preferences, alignments, MQM tables.

Each group of items is a segment; segments are numbered from 1 in the order of ``items.jsonl``. ``answers.tsv`` and
``people.tsv`` include everybody; all other files leave out the people who failed screening.
"""

from __future__ import annotations

import json
import os
import shlex
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from wordorder.apps.study.analyses.align import alignments_of
from wordorder.apps.study.analyses.mark import output_order
from wordorder.apps.study.analyses.prefer import first_judgements
from wordorder.apps.study.analyses.rate import find_ratings
from wordorder.apps.study.analyses.scramble import TEXT_METRICS
from wordorder.apps.study.answers import Response, by_hand, excluded_people, list_people, read_responses, screen
from wordorder.apps.study.folder import REPEAT_MARK, Study, group_versions, versions_by_condition
from wordorder.core.orders import place
from wordorder.core.runtime.drafts import draft_folder
from wordorder.core.runtime.errors import UsageError, refuse
from wordorder.core.runtime.files import atomic_write
from wordorder.formats import pharaoh, reference_orders, talp, target_list

if TYPE_CHECKING:
    from wordorder.apps.study.store import Store

COMMANDS = "commands.txt"
CATEGORY = "Fluency/Word order"


def export(
    study: Study,
    answers: pa.Table,
    folder: str | os.PathLike[str],
    *,
    excluded: Mapping[str, str] | None = None,
    people: Sequence[Mapping[str, Any]] | None = None,
) -> list[str]:
    """Write all files, and return the commands that read them; ``commands.txt`` contains these commands too.

    ``people`` is the result of :func:`wordorder.apps.study.answers.list_people`; the default is the people who
    answered.
    """
    final = Path(os.path.realpath(folder))
    if final.exists() and (not final.is_dir() or any(final.iterdir())):
        raise UsageError(f"{folder}: already exists and is not an empty folder; choose another folder")
    final.parent.mkdir(parents=True, exist_ok=True)
    responses = read_responses(study, answers)
    screening = screen(study, [one for one in responses if one.role == "person"], excluded)
    reasons = {person: by_hand(reason) for person, reason in (excluded or {}).items()} | dict(screening.reasons)
    if people is None:
        ends = dict.fromkeys(screening.finished, "finished")
        roles = {one.person: one.role for one in responses}
        people = [
            {"person": person, "role": role, "status": ends.get(person, "stopped"), "code": "", "details": {}}
            for person, role in roles.items()
        ]
    kept = [one for one in responses if one.person not in screening.reasons and one.item.role == "item"]
    with draft_folder(final.parent) as draft:
        path = Path(draft)
        _write_table(path / "answers.tsv", _answer_rows(study, responses, screening.reasons), safe=True)
        _write_people(path / "people.tsv", study, people, reasons)
        found: list[list[str]] = _WRITERS[study.settings.kind](study, kept, path)
        commands = [shlex.join(["wordorder", *words]) for words in found if kept]
        with atomic_write(path / COMMANDS) as target:
            target.writelines(f"{command}\n" for command in commands)
        if final.exists():
            final.rmdir()
        os.rename(draft, final)
    return commands


def export_stored(study: Study, store: Store, folder: str | os.PathLike[str]) -> list[str]:
    """Write all files with what is stored, and return the commands that read them."""
    state = store.state()
    people = list_people(study, state, store.people())
    return export(study, store.answers(), folder, excluded=excluded_people(state), people=people)


def _answer_rows(study: Study, responses: Iterable[Response], reasons: Mapping[str, str]) -> list[dict[str, Any]]:
    return [
        {
            "person": one.person,
            "role": one.role,
            "item": one.item.id + REPEAT_MARK * one.is_repeat,
            "group": one.item.group,
            "segment": study.segments[one.item.group] + 1 if one.item.role == "item" else "",
            "condition": one.item.condition,
            "kind": one.item.role,
            "seconds": "" if one.seconds is None else one.seconds,
            "left_out": reasons.get(one.person, ""),
            "answer": json.dumps(one.answer, ensure_ascii=False),
            **study.kind.decode(one.item, one.answer, one.person),
        }
        for one in responses
    ]


def _write_people(path: Path, study: Study, people: Sequence[Mapping[str, Any]], reasons: Mapping[str, str]) -> None:
    """Write a table of people with their details, their status and, for people left out, the reason."""
    given = [field for person in people for field in person["details"]]
    asked = list(dict.fromkeys([*(field.name for field in study.settings.details), *given]))
    last = ("status", "code") if study.settings.recruiting.code else ("status",)
    rows = [
        {name: person[name] for name in ("person", "role")}
        | {field.rstrip("* "): person["details"].get(field, "") for field in asked}
        | {name: person[name] for name in last}
        | {"left_out": reasons.get(person["person"], "")}
        for person in people
    ]
    _write_table(path, rows, ("person", "role", *last, "left_out"), safe=True)


def _write_table(
    path: Path, rows: Sequence[Mapping[str, Any]], names: Sequence[str] = (), *, safe: bool = False
) -> None:
    """Write a tab-separated table; a tab or line break inside a field becomes a space.

    ``names`` are the columns of a table without rows. In a ``safe`` table, a spreadsheet takes nothing for a formula.
    """
    heads = list(rows[0]) if rows else list(names)
    with atomic_write(path) as target:
        target.write("\t".join(heads) + "\n")
        for row in rows:
            cells = (" ".join(str(row[head]).splitlines()).replace("\t", " ") for head in heads)
            target.write("\t".join("'" + cell if safe and cell[:1] in _FORMULA else cell for cell in cells) + "\n")


_FORMULA = ("=", "+", "-", "@")
"""What a formula begins with in a spreadsheet; no cell of ``answers.tsv`` and ``people.tsv`` needs a sign."""


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    with atomic_write(path) as target:
        target.writelines(f"{' '.join(line.split())}\n" for line in lines)


def _file_names(names: Iterable[str]) -> dict[str, str]:
    """Return a file name for each system, without characters that are unsafe there, and no two alike.

    >>> _file_names(["a/b", "a b", "source"])
    {'a/b': 'a_b', 'a b': 'a_b_', 'source': 'source_'}
    """
    found: dict[str, str] = {}
    used = {"answers", "people", "source", "reference", "target", "mqm", "preferences", "verdicts", "commands"}
    for name in names:
        file = "".join(c if c.isalnum() or c in "-_." else "_" for c in name).lstrip("-.") or "system"
        while file.casefold() in used:
            file += "_"
        used.add(file.casefold())
        found[name] = file
    return found


def _scramble(study: Study, kept: Sequence[Response], path: Path) -> list[list[str]]:
    files = _file_names(study.conditions)
    for name, column in versions_by_condition(study).items():
        _write_lines(path / f"{files[name]}.txt", (item.content["text"] for item in column))
        _write_lines(path / f"{files[name]}.orders", (" ".join(map(str, item.content["order"])) for item in column))
    _write_lines(path / "reference.txt", (group[0].content["reference"] for group in group_versions(study).values()))
    commands: list[list[str]] = []
    for question in study.settings.questions:
        metaeval = _write_ratings(study, kept, path, question.name)
        orders, texts = ([f"{name}={file}.{ending}" for name, file in files.items()] for ending in ("orders", "txt"))
        compare = [*metaeval, "--segment", "pearson.none", "--metrics"]
        commands.append([*compare, "order", "--permutations", *orders])
        commands.append([*compare, TEXT_METRICS, "--tokenize", "none", "--ref", "reference.txt", "--hyp", *texts])
        if kept and find_ratings(study, kept, question.name).levels:
            commands.append([*metaeval, "--anova"])
    return commands


def _write_ratings(study: Study, kept: Sequence[Response], path: Path, question: str, *, sign: int = 1) -> list[str]:
    """Write the ratings for a question; return the arguments that make ``metaeval`` read them."""
    rows = [
        {"system": system, "segment": study.segments[one.item.group] + 1, "judge": one.person, "score": sign * value}
        for one in kept
        if one.is_analysed
        for system, value in study.kind.ratings(one.item, one.answer, question, one.person)
    ]
    _write_table(path / f"{question}.tsv", rows, ("system", "segment", "judge", "score"))
    return ["metaeval", "--judgements", f"{question}.tsv", "--judgement-format", "ratings"]


def _write_outputs(study: Study, path: Path) -> list[str]:
    """Write the outputs of all systems, the source and the reference; return the options that name these files."""
    items = [item for item in study.items if item.role == "item"]
    files = _file_names(study.systems)
    for name in study.systems:
        _write_lines(path / f"{files[name]}.txt", (item.content["outputs"].get(name, "") for item in items))
    for side in ("source", "reference"):
        if any(item.content.get(side) for item in items):
            _write_lines(path / f"{side}.txt", (item.content.get(side) or "" for item in items))
    return ["--ref", "reference.txt", "--hyp", *(f"{name}={file}.txt" for name, file in files.items())]


def _rate(study: Study, kept: Sequence[Response], path: Path) -> list[list[str]]:
    texts = _write_outputs(study, path)
    commands = []
    for question in study.settings.questions:
        metaeval = _write_ratings(study, kept, path, question.name)
        if (path / "reference.txt").exists():
            commands.append([*metaeval, *texts])
    return commands


def _prefer(study: Study, kept: Sequence[Response], path: Path) -> list[list[str]]:
    texts = _write_outputs(study, path)
    rows = []
    for one in first_judgements(study, kept):
        first, second = sorted(one.item.content["outputs"])
        chosen = study.kind.chosen(one.item, one.answer, one.person)  # type: ignore[attr-defined]
        names = {"system1": first, "system2": second, "preference": chosen, "judge": one.person}
        seconds = "" if one.seconds is None else one.seconds
        rows.append({"segment": study.segments[one.item.group] + 1, **names, "item": one.item.id, "seconds": seconds})
    heads = ("segment", "system1", "system2", "preference", "judge", "item", "seconds")
    _write_table(path / "preferences.tsv", rows, heads)
    given = ["--judgements", "preferences.tsv", "--judgement-format", "preferences"]
    commands = [["metaeval", "--preferences", *given]]
    return [*commands, ["metaeval", *given, *texts]] if (path / "reference.txt").exists() else commands


def _judge(study: Study, kept: Sequence[Response], path: Path) -> list[list[str]]:
    from wordorder.apps.study.kinds.choosing import VERDICTS

    rows = [
        {
            "segment": one.item.content.get("segment", one.item.group),
            "system": one.item.content.get("system", ""),
            "reordering": one.item.content.get("reordering", ""),
            "condition": one.item.condition,
            "judge": one.person,
            "verdict": VERDICTS[one.answer["choice"]],
        }
        for one in kept
    ]
    heads = ("segment", "system", "reordering", "condition", "judge", "verdict")
    _write_table(path / "verdicts.tsv", rows, heads)
    return []


def chosen_alignments(study: Study, kept: Sequence[Response]) -> list[Response]:
    """Return one answer per item: the adjudicator's if there is one, otherwise the earliest."""
    found: dict[str, Response] = {}
    for one in sorted(kept, key=lambda one: (one.role != "adjudicator", one.received)):
        found.setdefault(one.item.id, one)
    return sorted(found.values(), key=lambda one: study.segments[one.item.group])


def _align(study: Study, kept: Sequence[Response], path: Path) -> list[list[str]]:
    done = chosen_alignments(study, kept)
    refuse(not done, "no participant who passed screening has aligned any sentence")
    links = alignments_of(done)
    sources = [list(one.item.content["source"]) for one in done]
    _write_lines(path / "source.txt", (" ".join(words) for words in sources))
    _write_lines(path / "target.txt", (" ".join(one.answer["target"]) for one in done))
    pharaoh.write(path / "links.align", links)
    talp.write(path / "links.talp", links)
    target_list.write(path / "links.targets", links)
    reference_orders.write(path / "reference.orders", place(links, policy=reference_orders.POLICY), sources)
    origins = [{"segment": one.item.content.get("segment", ""), "person": one.person} for one in done]
    _write_table(path / "segments.tsv", origins)
    return [["profile", "links.align", "--source", "source.txt", "--target", "target.txt"]]


def _mark(study: Study, kept: Sequence[Response], path: Path) -> list[list[str]]:
    """Write an MQM table and the order of each output relative to its first correction; return the commands."""
    errors: list[dict[str, Any]] = []
    for one in kept:
        words = one.item.content["words"]
        head = {"system": one.item.condition, "doc": "study", "doc_id": 1}
        head |= {"seg_id": study.segments[one.item.group] + 1, "rater": one.person}
        head |= {"source": one.item.content.get("source") or ""}
        for move in one.answer["moves"]:
            moved = {"category": CATEGORY, "severity": move["severity"].capitalize()}
            marked = [f"<v>{word}</v>" if place in move["words"] else word for place, word in enumerate(words)]
            errors.append({**head, "target": " ".join(marked), **moved})
        if not one.answer["moves"]:
            errors.append({**head, "target": " ".join(words), "category": "No-error", "severity": "No-error"})
    heads = ("system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity")
    _write_table(path / "mqm.tsv", errors, heads)
    files = _file_names(study.conditions)
    first: dict[str, dict[str, Response]] = defaultdict(dict)
    for one in kept:
        first[one.item.condition].setdefault(one.item.group, one)
    for system, versions in versions_by_condition(study).items():
        done = first[system]
        _write_lines(path / f"{files[system]}.txt", (" ".join(item.content["words"]) for item in versions))
        orders = [str(output_order(done[group])) if group in done else "" for group in study.segments]
        _write_lines(path / f"{files[system]}.orders", orders)
        corrected = [_corrected(done[group]) if group in done else "" for group in study.segments]
        _write_lines(path / f"{files[system]}.corrected.txt", corrected)
    names = [f"{system}={files[system]}.orders" for system in study.conditions]
    metaeval = _write_ratings(study, kept, path, "moves", sign=-1)  # fewer moves are better
    return [["score", "--permutations", *names], [*metaeval, "--permutations", *names]]


def _corrected(one: Response) -> str:
    from wordorder.apps.study.kinds.editing import apply_moves

    words = one.item.content["words"]
    return " ".join(words[number] for number in apply_moves(len(words), one.answer["moves"]))


_WRITERS = {"scramble": _scramble, "rate": _rate, "prefer": _prefer, "judge": _judge, "align": _align, "mark": _mark}
