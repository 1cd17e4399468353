"""The answers of participants as an Arrow table with one row per answer or revision, and the screening of people.

``person`` and ``item`` (an item id, with a suffix if the item is a repeat) identify an answer. ``role`` is "person"
or "adjudicator", ``kind`` is "answer" or "revision", ``payload`` is the answer as JSON, ``revision`` counts from 0,
and ``last`` marks the current revision. ``visible`` and ``hidden`` are milliseconds on screen and in a hidden tab;
``client_time`` and ``received`` are milliseconds since 1970. People who have withdrawn are left out.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

from wordorder.apps.study.folder import DATABASE, REPEAT_MARK, SETTINGS, STORE, Item, Study, make_lists, sequence
from wordorder.apps.study.kinds.base import AnswerError
from wordorder.core.runtime.errors import InputError, UsageError, count_of, refuse
from wordorder.core.runtime.files import atomic_write
from wordorder.core.runtime.libraries import pa
from wordorder.core.runtime.own_inputs import note_input
from wordorder.core.runtime.plain import load_json
from wordorder.formats.tables import json_records
from wordorder.report.table import Column, Table, Value

if TYPE_CHECKING:
    from wordorder.apps.study.store import Event, Person, State, Store


SIMULATED = "simulated.jsonl"


def answer_table(rows: Iterable[Mapping[str, Any]]) -> pa.Table:
    """Build the table of answers; a row without role, kind and revision is a participant's only answer to an item."""
    texts = [(name, pa.string()) for name in ("person", "role", "item", "kind", "payload")]
    counts = [(name, pa.int64()) for name in ("visible", "hidden", "client_time", "received")]
    schema = pa.schema([*texts, ("revision", pa.int64()), ("last", pa.bool_()), *counts])
    first = {"role": "person", "kind": "answer", "revision": 0, "last": True}
    return pa.Table.from_pylist([first | dict(row) for row in rows], schema=schema)


def excluded_people(state: State) -> dict[str, str]:
    """Return the ids of the people whom the researcher has excluded, each with the reason."""
    people = state.people.items()
    return {person: progress.excluded for person, progress in people if progress.excluded is not None}


def find_changes(study: Study, events: Iterable[Event]) -> list[str]:
    """Say what was changed after the first answer: the rules of screening, and the text that people agreed to."""
    found: list[str] = []
    count, texts = 0, Counter[str]()
    versions: list[tuple[int, Mapping[str, float]]] = []
    for event in events:
        count += event.kind == "answer"
        if event.kind == "consent" and "text" in event.content:
            texts[event.content["text"]] += 1
        elif event.kind == "material" and "rules" in event.content:
            versions.append((count, event.content["rules"]))
    for (_, old), (answers, new) in pairwise([*versions, (count, study.settings.rules)]):
        changes = [
            f"{name} from {old[name]} to {value}" for name, value in new.items() if old.get(name, value) != value
        ]
        if answers and changes:
            found.append(f"changed after {count_of(answers, 'answer')}: {', '.join(changes)}")
    if len(texts) > 1:
        each = ", ".join(map(str, texts.values()))
        found.append(f"people agreed to {len(texts)} texts of the consent page ({each} people)")
    return found


def list_people(study: Study, state: State, people: Sequence[Person]) -> list[dict[str, Any]]:
    """Return ``person``, ``role``, ``status``, ``code`` and ``details`` of all people who have not withdrawn."""
    from wordorder.apps.study.web.admission import Admission, summarise

    return [
        {name: row[name] for name in ("person", "role", "status", "code")}
        | {"details": state.of(row["person"]).details or {}}
        for row in summarise(study, Admission(study), state, people)["people"]
        if row["status"] != "withdrawn"
    ]


@contextmanager
def explain_missing() -> Iterator[None]:
    """Convert the error for a missing package into a UsageError that names the extra to install."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("sqlalchemy", "starlette", "uvicorn", "psycopg"):
            raise
        raise UsageError(
            f"studies with participants need the package {error.name}; install it with: "
            "pip install 'wordorder[studies]'"
        ) from None


@contextmanager
def open_store(study: Study, database: str | None = None, *, unchanged: bool = False) -> Iterator[Store]:
    """Open the database of a study; raise InputError if it belongs to another study.

    A new database belongs to the study that opens it first. With ``unchanged``, the study must also be as it was at
    the first answer.
    """
    with explain_missing():
        from wordorder.apps.study.store import Store
    with Store(study.folder, database) as store:
        _claim(study, store)
        if unchanged:
            refuse_changed(study, store.state())
        yield store


def _claim(study: Study, store: Store) -> None:
    """Record in a new database to which study it belongs; raise InputError if it belongs to another one."""
    from wordorder.apps.study.store import Event
    from wordorder.apps.study.store.events import write_payload

    name = study.settings.id
    record = store.events_of("study", "material")
    with store.refused_if_damaged():
        owner = next((event.content["id"] for event in record if event.kind == "study"), None)
        served = [event.content["fingerprint"] for event in record if event.kind == "material"]
    known = store.is_in_folder or not served or study.digest == served[-1]
    if not name and not served and store.engine.dialect.name == "postgresql":
        message = 'a study with a database elsewhere needs an id that no other study has; add it: id = "…"'
        raise InputError(message, path=str(study.folder / SETTINGS))
    if owner not in (None, name) or (owner is None and not known):
        other = f"study {owner!r}" if owner else "another study"
        raise InputError(
            f"this database belongs to {other}, and the id of this one is {name!r}; give each study a database or a "
            "schema of its own (…/name?options=-csearch_path%3Dschema)",
            path=store.where,
        )
    if name and owner is None:
        store.append([Event("study", payload=write_payload({"id": name}))])


@contextmanager
def open_answers(study: Study, database: str | None) -> Iterator[Store]:
    """Open the database of a study; raise InputError if nobody was invited, or if the study was changed since."""
    if not (database or os.environ.get(DATABASE) or (study.folder / STORE).exists()):  # it would be created
        message = "nobody has been invited yet, so there are no answers; give --simulated to use simulated answers"
        raise InputError(message, path=os.fspath(study.folder))
    with open_store(study, database, unchanged=True) as store:
        yield store


def refuse_no_answers(study: Study, store: Store) -> None:
    """Raise InputError if nobody has answered yet; the message says how many people are invited."""
    if not any(one.answers and not one.withdrawn for one in store.state().people.values()):
        invited = count_of(len(store.people("person")), "person", "people")
        raise InputError(f"no answers yet ({invited} invited)", path=os.fspath(study.folder))


def refuse_changed_local_study(study: Study) -> None:
    """Raise InputError if the study changed after the first answer; only a database in its folder is checked."""
    if (study.folder / STORE).exists():
        with open_store(study, unchanged=True):
            pass


def refuse_changed(study: Study, state: State) -> None:
    """Raise InputError if the items, the questions or the seed were changed after the first answer."""
    if state.answered and state.fingerprint not in (None, study.digest):
        raise InputError(
            "the items, the questions or the seed were changed after the first answer; restore them, or "
            "create a new study in another folder (in a pilot: delete pilot.db)",
            path=str(study.folder),
        )


def read_simulated(study: Study) -> pa.Table:
    """Read the answers of simulated people."""
    path = study.folder / SIMULATED
    refuse(not path.is_file(), f"{path}: not found; 'wordorder study simulate' creates it")
    rows = []
    for line, row in json_records(path):
        if not all(isinstance(row.get(name), str) for name in ("person", "item", "payload")):
            raise InputError("person, item and payload of an answer must be strings", path=str(path), line=line)
        rows.append(row)
    try:
        return answer_table(rows)
    except (TypeError, ValueError, OverflowError) as error:  # Arrow errors are subclasses of these
        raise InputError(f"an answer has a value of the wrong type ({error})", path=str(path)) from None


def write_simulated(study: Study, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write simulated answers to the study folder, separate from the answers of real people."""
    with atomic_write(study.folder / SIMULATED) as target:
        target.writelines(json.dumps(dict(row), ensure_ascii=False) + "\n" for row in rows)
    note_input(study.folder / SIMULATED)


def by_hand(reason: str) -> str:
    """Return what tables say about somebody whom the researcher excluded."""
    return f"excluded by hand: {reason}" if reason else "excluded by hand"


@dataclass(frozen=True)
class Response:
    """A person's answer to an item; ``is_repeat`` means that the item was shown for the second time."""

    person: str
    item: Item
    answer: Mapping[str, Any]
    is_repeat: bool = False
    seconds: float | None = None
    received: int = 0
    role: str = "person"

    @property
    def is_analysed(self) -> bool:
        """Whether the answer is analysed; answers to checks, fillers, practice items and repeats are not."""
        return self.item.role == "item" and not self.is_repeat


def read_responses(study: Study, answers: pa.Table) -> list[Response]:
    """Return the last revision of each answer, in order of arrival; raise InputError if one is not valid."""
    found = []
    for row in answers.to_pylist():
        if row["last"]:
            seconds = None if row["visible"] is None else row["visible"] / 1000
            item, again = study.item(row["item"]), row["item"].endswith(REPEAT_MARK)
            try:
                answer = study.kind.validate(item, load_json(row["payload"]))
            except (ValueError, AnswerError) as error:
                reason = f"the answer of person {row['person']!r} to item {row['item']!r} cannot be read ({error})"
                raise InputError(reason) from None
            times = seconds, row["received"] or 0
            found.append(Response(row["person"], item, answer, again, *times, role=row["role"]))
    return sorted(found, key=lambda one: one.received)


def group_responses(responses: Iterable[Response], key: Callable[[Response], str]) -> dict[str, list[Response]]:
    """Return the responses in groups with the same key, in order."""
    groups: dict[str, list[Response]] = {}
    for one in responses:
        groups.setdefault(key(one), []).append(one)
    return groups


def pair_annotators(responses: Sequence[Response]) -> list[tuple[Response, Response]]:
    """Return all pairs of answers that two people gave to the same item."""
    groups = group_responses(responses, lambda one: one.item.id)
    return [pair for group in groups.values() for pair in combinations(group, 2)]


@dataclass(frozen=True)
class Screening:
    """The result of screening: all people, those who answered all their items, and why people are left out."""

    people: tuple[str, ...]
    finished: tuple[str, ...]
    reasons: Mapping[str, str]

    @property
    def kept(self) -> tuple[str, ...]:
        """The people who passed screening."""
        return tuple(person for person in self.people if person not in self.reasons)

    def table(self) -> Table:
        """Tabulate how many people finished, were left out, and were kept."""
        rows: list[list[Value]] = [
            ["answered something", len(self.people)],
            ["answered everything", len(self.finished)],
            ["not finished", len(self.people) - len(self.finished)],
        ]
        rows += [[f"left out: {reason}", count] for reason, count in sorted(Counter(self.reasons.values()).items())]
        rows.append(["kept", len(self.kept)])
        return Table.of("", [Column("people", "left"), Column("n")], rows)


def screen(study: Study, responses: Sequence[Response], excluded: Mapping[str, str] | None = None) -> Screening:
    """Screen people, and find those who have answered everything; ``excluded`` has the people excluded by hand."""
    people = group_responses(responses, lambda one: one.person)
    finished = tuple(person for person, own in people.items() if _is_finished(study, person, own))
    return Screening(tuple(people), finished, screen_people(study, responses, excluded))


def screen_people(
    study: Study, responses: Sequence[Response], excluded: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return the people who do not pass the criteria under ``[checks]``, each with the reason.

    The criteria concern gold items, attention checks and answers given too fast. ``excluded`` maps the people whom
    the researcher excluded to the reasons.
    """
    checks = study.settings.checks
    people = group_responses(responses, lambda one: one.person)
    reasons = {}
    excluded = excluded or {}
    for person, own in people.items():
        judged = [study.kind.judge(one.item, one.answer, person) for one in own if one.item.role != "practice"]
        known = [right for right in judged if right is not None]
        times = [one.seconds for one in own if one.seconds is not None]
        if person in excluded:
            reasons[person] = by_hand(excluded[person])
        elif known and sum(known) / len(known) < checks.gold_pass:
            reasons[person] = f"less than {checks.gold_pass:.0%} of checks right"
        elif times and sum(time < checks.seconds for time in times) / len(times) > checks.guesses:
            reasons[person] = f"more than {checks.guesses:.0%} of answers in less than {checks.seconds} s"
    return reasons


def _is_finished(study: Study, person: str, own: Sequence[Response]) -> bool:
    """Return whether a person answered all items of the list that most of their answers belong to."""
    seen = {one.item.id for one in own if one.item.role == "item"}
    lists = make_lists(study)
    place = max(range(len(lists)), key=lambda place: len(seen.intersection(lists[place])))
    keys = {one.item.id + REPEAT_MARK * one.is_repeat for one in own}
    return keys >= set(sequence(study, person, place))
