"""Answers as an analysis sees them: each with its item, the last revision alone, and who is screened out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wordorder.apps.study.folder import Study
from wordorder.apps.study.items import REPEAT_MARK, Item
from wordorder.apps.study.lists import make_lists, sequence
from wordorder.core.runtime.errors import InputError
from wordorder.core.runtime.plain import load_json
from wordorder.report.table import Column, Table, Value

if TYPE_CHECKING:
    import pyarrow as pa

BY_HAND = "excluded by hand"


@dataclass(frozen=True)
class Response:
    """One answer of a person; ``again`` says that the item was shown a second time."""

    person: str
    item: Item
    answer: Mapping[str, Any]
    is_repeat: bool = False
    seconds: float | None = None
    received: int = 0
    role: str = "person"

    @property
    def is_analysed(self) -> bool:
        """Whether it is analysed: an answer to an item of the study, shown for the first time."""
        return self.item.role == "item" and not self.is_repeat


def read_responses(study: Study, answers: pa.Table) -> list[Response]:
    """Take the last revision of every answer, in the order in which they came."""
    found = []
    for row in answers.to_pylist():
        if row["last"]:
            seconds = None if row["visible"] is None else row["visible"] / 1000
            item, again = study.item(row["item"]), row["item"].endswith(REPEAT_MARK)
            answer = _read_payload(row)
            times = seconds, row["received"] or 0
            found.append(Response(row["person"], item, answer, again, *times, role=row["role"]))
    return sorted(found, key=lambda one: one.received)


def _read_payload(row: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        answer = load_json(row["payload"])
        if isinstance(answer, dict):
            return answer
        reason = "not an object"
    except ValueError as error:
        reason = str(error)
    raise InputError(f"the answer of {row['person']!r} to {row['item']!r} cannot be read ({reason})")


@dataclass(frozen=True)
class Screening:
    """Who takes part in the analysis: everybody who passed what ``[checks]`` asks for.

    ``reasons`` says why the others do not; ``finished`` are those who answered all of their items.
    """

    people: tuple[str, ...]
    finished: tuple[str, ...]
    reasons: Mapping[str, str]

    @property
    def kept(self) -> tuple[str, ...]:
        """People who passed."""
        return tuple(person for person in self.people if person not in self.reasons)

    def table(self) -> Table:
        """Count people."""
        rows: list[list[Value]] = [
            ["answered something", len(self.people)],
            ["answered everything", len(self.finished)],
            ["not finished", len(self.people) - len(self.finished)],
        ]
        rows += [[f"left out: {reason}", count] for reason, count in sorted(Counter(self.reasons.values()).items())]
        rows.append(["kept", len(self.kept)])
        return Table.of("", [Column("people", "left"), Column("n")], rows)


def screen(study: Study, responses: Sequence[Response], excluded: Mapping[str, str] | None = None) -> Screening:
    """Apply what was stated before people came: gold and attention checks, and answers too fast to be read.

    ``excluded`` were left out by whoever runs the study, with a reason.
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
    """Whether somebody answered all items of the list that most of the answers are from."""
    seen = {one.item.id for one in own if one.item.role == "item"}
    lists = make_lists(study)
    place = max(range(len(lists)), key=lambda place: len(seen.intersection(lists[place])))
    keys = {one.item.id + REPEAT_MARK * one.is_repeat for one in own}
    return keys >= set(sequence(study, person, place))
