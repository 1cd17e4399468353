"""Read the last revision of each answer with its item, and screen participants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from wordorder.apps.study.folder import Study
from wordorder.apps.study.items import REPEAT_MARK, Item
from wordorder.apps.study.kinds.base import AnswerError
from wordorder.apps.study.lists import make_lists, sequence
from wordorder.core.runtime.errors import InputError
from wordorder.core.runtime.plain import load_json
from wordorder.report.table import Column, Table, Value

if TYPE_CHECKING:
    import pyarrow as pa

BY_HAND = "excluded by hand"


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
            answer = _read_payload(study, item, row)
            times = seconds, row["received"] or 0
            found.append(Response(row["person"], item, answer, again, *times, role=row["role"]))
    return sorted(found, key=lambda one: one.received)


def _read_payload(study: Study, item: Item, row: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        return study.kind.validate(item, load_json(row["payload"]))
    except (ValueError, AnswerError) as error:
        reason = f"the answer of person {row['person']!r} to item {row['item']!r} cannot be read ({error})"
        raise InputError(reason) from None


def pair_annotators(responses: Sequence[Response]) -> list[tuple[Response, Response]]:
    """Return all pairs of answers that two people gave to the same item."""
    groups: dict[str, list[Response]] = {}
    for one in responses:
        groups.setdefault(one.item.id, []).append(one)
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
    """Screen people by the criteria under ``[checks]``: gold items, attention checks and answers given too fast.

    ``excluded`` maps the people whom the researcher excluded to the reasons.
    """
    checks = study.settings.checks
    people: dict[str, list[Response]] = {}
    for one in responses:
        people.setdefault(one.person, []).append(one)
    reasons = {}
    for person, own in people.items():
        judged = [study.kind.judge(one.item, one.answer, person) for one in own if one.item.role != "practice"]
        known = [right for right in judged if right is not None]
        times = [one.seconds for one in own if one.seconds is not None]
        if person in (excluded or {}):
            reasons[person] = BY_HAND
        elif known and sum(known) / len(known) < checks.gold_pass:
            reasons[person] = f"less than {checks.gold_pass:.0%} of checks right"
        elif times and sum(time < checks.seconds for time in times) / len(times) > checks.guesses:
            reasons[person] = f"more than {checks.guesses:.0%} of answers in less than {checks.seconds} s"
    finished = tuple(person for person, own in people.items() if _is_finished(study, person, own))
    return Screening(tuple(people), finished, reasons)


def _is_finished(study: Study, person: str, own: Sequence[Response]) -> bool:
    """Return whether a person answered all items of the list that most of their answers belong to."""
    seen = {one.item.id for one in own if one.item.role == "item"}
    lists = make_lists(study)
    place = max(range(len(lists)), key=lambda place: len(seen.intersection(lists[place])))
    keys = {one.item.id + REPEAT_MARK * one.is_repeat for one in own}
    return keys >= set(sequence(study, person, place))
