"""Access rules: the writer checks every event against them before it adds the event to the log.

The progress of a study is summarised for the admin page and for ``study status``.
"""

import math
import re
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from statistics import median
from typing import Any

from wordorder.apps.study.checks import passing_chance
from wordorder.apps.study.folder import Study, choose_list, make_lists, sequence
from wordorder.apps.study.store import Person, Progress, State
from wordorder.apps.study.store.events import ANSWERS, Event, now, write_payload
from wordorder.apps.study.store.writer import RefusedError, deny
from wordorder.apps.study.words import read_words

ACTIVE = 60 * 60 * 1000
"""A person whose last event is at most this old (in milliseconds) is active and occupies a list."""

CLOSED, ENDED = (read_words("en")[name] for name in ("closed", "ended"))
ELSEWHERE = "This item was answered in another window."
FINAL = "Answers to this item cannot be changed."
NOT_YOURS = "There is no such item."


class Admission:
    """The access rules of one study."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.lists = make_lists(study)
        self._sequence = lru_cache(maxsize=10_000)(lambda person, place: sequence(study, person, place))

    def __call__(self, state: State, event: Event) -> Iterable[Event]:
        """Return the events to write when this event arrives; raise RefusedError if it is not allowed."""
        if event.person is None or event.kind in ("exclusion", "readmission"):  # written by the researcher
            return [event]
        progress = state.of(event.person)
        refuse_ended(state, progress)
        if message := ENDS.get(self.end_of(state, event.person, event.received) or ""):
            raise RefusedError(message, status=403)
        if event.kind == "consent":
            return self._consent(state, progress, event)
        if event.item is None:
            deny(not progress.consented, "Please agree to take part first.", status=403)
            return [event]
        deny(event.item not in self.keys(state, event.person), NOT_YOURS, status=404)
        if event.kind in ANSWERS:
            return [self._answer(progress, event, event.item)]
        deny(event.kind == "objection" and event.item not in progress.answers, "Answer the item first.")
        if event.kind == "shown" and event.item in progress.shown:
            return []
        return [event]

    def keys(self, state: State, person: str) -> tuple[str, ...]:
        """Return the keys of a person's items, in the order in which they are shown."""
        progress = state.of(person)
        if is_adjudicator(person):
            return self.find_adjudicable(state)
        if not progress.consented or progress.list is None:
            return ()
        return self._sequence(person, progress.list)

    def find_adjudicable(self, state: State) -> tuple[str, ...]:
        """Return the keys of the items that adjudicators may see, because two people have done them; latest last."""
        pairs = ((item.id, self.first_two(state, item.id)) for item in self.study.items if item.role == "item")
        return tuple(key for _, key in sorted((pair[1][0], key) for key, pair in pairs if len(pair) == 2))

    def first_two(self, state: State, key: str) -> list[tuple[int, str]]:
        """Return the first two people who have done an item, as pairs (time, person)."""
        done = [
            (progress.answers[key].received, person)
            for person, progress in state.people.items()
            if key in progress.answers and takes_part(person, progress)
        ]
        return sorted(done)[:2]

    def finished(self, state: State, person: str) -> bool:
        """Return whether a person has answered all items."""
        keys = self.keys(state, person)
        return bool(keys) and all(key in state.of(person).answers for key in keys)

    def end_of(self, state: State, person: str, now: int) -> str | None:
        """Return how somebody's part has ended: "finished", "failed", a key of ``ENDS``, or None if it has not."""
        progress, people = state.of(person), self.study.settings.people
        if is_adjudicator(person):
            return None
        if not progress.consented:
            return "full" if people.wanted and sum(self.occupied(state, now)) >= people.wanted else None
        if self.finished(state, person):
            right = [right for _, right in self.checked(person, progress)]
            return "finished" if sum(right) >= len(right) * self.study.settings.checks.gold_pass else "failed"
        if any((progress.details or {}).get(field.name) in field.out for field in self.study.settings.details):
            return "screened_out"
        return "late" if people.limit and now - progress.began > people.limit * 60_000 else None

    def checked(self, person: str, progress: Progress) -> Iterator[tuple[str, bool]]:
        """Yield, for each answer to a gold or attention item, the item's role and whether the answer is right."""
        for key, answer in progress.answers.items():
            item = self.study.item(key)
            right = self.study.kind.judge(item, answer.value, person) if item.role in ("gold", "attention") else None
            if right is not None:
                yield item.role, right

    def occupied(self, state: State, now: int) -> list[int]:
        """Return the number of people on each list who are active, or have finished and passed the checks."""
        counts = [0] * len(self.lists)
        for person, progress in state.people.items():
            if progress.list is None or not takes_part(person, progress):
                continue
            end = self.end_of(state, person, now)
            if end == "finished" or (end is None and now - progress.last < ACTIVE):
                counts[progress.list] += 1
        return counts

    def _consent(self, state: State, progress: Progress, event: Event) -> Iterator[Event]:
        if progress.consented:  # in another window
            return
        yield event
        if event.person and not is_adjudicator(event.person):
            occupied = self.occupied(state, event.received)
            place = choose_list(occupied, seed=self.study.settings.seed, arrival=len(state.people))
            payload = write_payload({"list": place, "code": secrets.token_hex(4).upper()})
            yield Event("assignment", event.person, payload=payload, received=event.received)

    def _answer(self, progress: Progress, event: Event, key: str) -> Event:
        before = progress.answers.get(key)
        versions = before.revision + 1 if before else 0
        deny(event.content.get("revises", 0) != versions, ELSEWHERE)
        deny(before is not None and not self.may_change(key), FINAL)
        return replace(event, kind="revision" if before else "answer")

    def may_change(self, key: str) -> bool:
        """Return whether the answer to an item may be changed; never if the item has a gold answer."""
        return self.study.settings.people.back and "gold" not in self.study.item(key).content


ENDS = {name: read_words("en")[name] for name in ("full", "late", "screened_out")}
"""The ways in which the part of a person can end before they have finished, and what they read then."""


def is_adjudicator(person: str) -> bool:
    """Return whether an id is that of an adjudicator; ids from recruiting services never look like that."""
    return bool(re.fullmatch(r"a\d+", person))


def refuse_ended(state: State, progress: Progress) -> None:
    """Raise RefusedError if the study is closed, or if the person has withdrawn or is excluded."""
    deny(state.closed, CLOSED, status=403)
    deny(progress.withdrawn or progress.excluded is not None, ENDED, status=403)


def takes_part(person: str, progress: Progress) -> bool:
    """Return whether a person is a participant who has neither withdrawn nor been excluded."""
    return not is_adjudicator(person) and not progress.withdrawn and progress.excluded is None


def summarise(study: Study, admission: Admission, state: State, people: Sequence[Person]) -> dict[str, Any]:
    """Summarise people, lists, checks, gold items and objections as plain data, with durations in seconds."""
    time = now()
    rows = [_person(study, admission, state, one, time) for one in people if one.role in ("person", "adjudicator")]
    taking = [state.of(row["person"]) for row in rows if takes_part(row["person"], state.of(row["person"]))]
    counts = Counter(key for progress in taking for key in progress.answers)
    wanted = [item.id for item in study.items if item.role == "item"]
    finished = [row["person"] for row in rows if row["status"] == "finished"]
    lists = Counter(state.of(person).list for person in finished)
    occupied = admission.occupied(state, time)
    return {
        "title": study.settings.title,
        "kind": study.settings.kind,
        "closed": state.closed,
        "full": bool(study.settings.people.wanted) and sum(occupied) >= study.settings.people.wanted,
        "people": rows,
        "answers": sum(counts.values()),
        "items": len(wanted),
        "per_item": study.settings.people.per_item,
        "fewest": min((counts[key] for key in wanted), default=0),
        "complete": sum(counts[key] >= study.settings.people.per_item for key in wanted),
        "lists": [
            {"list": place + 1, "occupied": count, "finished": lists[place]} for place, count in enumerate(occupied)
        ],
        "gold": _gold(study),
        "objections": [
            {"person": person, "item": key, "text": text}
            for person, progress in state.people.items()
            for key, text in progress.objections.items()
        ],
    }


def _person(study: Study, admission: Admission, state: State, person: Person, time: int) -> dict[str, Any]:
    progress = state.of(person.id)
    checks = {"gold": [0, 0], "attention": [0, 0]}
    for role, right in admission.checked(person.id, progress):
        checks[role][0] += right
        checks[role][1] += 1
    contents = [answer.content for answer in progress.answers.values()]
    seconds = [content["visible"] / 1000 for content in contents if "visible" in content]
    hits, asked = map(sum, zip(*checks.values(), strict=True))
    return {
        "person": person.id,
        "role": person.role,
        "status": _status(admission, state, person, progress, time),
        "list": None if progress.list is None else progress.list + 1,
        "answered": len(progress.answers),
        "total": len(admission.keys(state, person.id)),
        "seconds": median(seconds) if seconds else None,
        "hidden": sum(content.get("hidden", 0) for content in contents) / 1000,
        "gold": checks["gold"],
        "attention": checks["attention"],
        "failed": hits < asked * study.settings.checks.gold_pass,
        "code": progress.code,
        "objections": len(progress.objections),
        "reason": progress.excluded,
        "last": progress.last or None,
    }


def _status(admission: Admission, state: State, person: Person, progress: Progress, time: int) -> str:
    if progress.withdrawn:
        return "withdrawn"
    if progress.excluded is not None:
        return "excluded"
    if not progress.consented:
        return "invited"
    if admission.finished(state, person.id):
        return "finished"
    if end := admission.end_of(state, person.id, time):
        return end.replace("_", " ")
    return "active" if time - progress.last < ACTIVE else "stopped"


def _gold(study: Study) -> dict[str, Any] | None:
    """Return the number of gold items, the number that must be right, and the probability of passing by guessing."""
    count = sum(item.role == "gold" for item in study.items)
    if not count:
        return None
    needed = math.ceil(study.settings.checks.gold_pass * count - 1e-9)
    return {"items": count, "needed": needed, "chance": passing_chance(count, study.settings.checks.gold_pass)}
