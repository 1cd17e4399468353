"""Summarise the progress of a study for the admin page and for ``study status``."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import Any

from wordorder.apps.study.checks import passing_chance
from wordorder.apps.study.folder import Study
from wordorder.apps.study.store import Person, Progress, State
from wordorder.apps.study.store.events import now
from wordorder.apps.study.web.admission import ACTIVE, Admission, takes_part


def summarise(study: Study, admission: Admission, state: State, people: Sequence[Person]) -> dict[str, Any]:
    """Summarise people, lists, checks, gold items and objections as plain data, with durations in seconds."""
    time = now()
    rows = [_person(study, admission, state, one, time) for one in people if one.role in ("person", "adjudicator")]
    taking = [state.of(row["person"]) for row in rows if takes_part(row["person"], state.of(row["person"]))]
    counts = Counter(key for progress in taking for key in progress.answers)
    wanted = [item.id for item in study.items if item.role == "item"]
    finished = [row["person"] for row in rows if row["status"] == "finished"]
    lists = Counter(state.of(person).list for person in finished)
    return {
        "title": study.settings.title,
        "kind": study.settings.kind,
        "closed": state.closed,
        "people": rows,
        "answers": sum(counts.values()),
        "items": len(wanted),
        "per_item": study.settings.people.per_item,
        "fewest": min((counts[key] for key in wanted), default=0),
        "complete": sum(counts[key] >= study.settings.people.per_item for key in wanted),
        "lists": [
            {"list": place + 1, "occupied": occupied, "finished": lists[place]}
            for place, occupied in enumerate(admission.occupied(state, time))
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
    for key, answer in progress.answers.items():
        item = study.item(key)
        right = study.kind.judge(item, answer.value, person.id)
        if right is not None and item.role in checks:
            checks[item.role][0] += right
            checks[item.role][1] += 1
    contents = [answer.content for answer in progress.answers.values()]
    seconds = [content["visible"] / 1000 for content in contents if "visible" in content]
    hits, asked = checks["gold"]
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
        "failed": asked > 0 and hits / asked < study.settings.checks.gold_pass,
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
    return "active" if time - progress.last < ACTIVE else "stopped"


def _gold(study: Study) -> dict[str, Any] | None:
    """Return the number of gold items, the number that must be right, and the probability of passing by guessing."""
    count = sum(item.role == "gold" for item in study.items)
    if not count:
        return None
    needed = math.ceil(study.settings.checks.gold_pass * count - 1e-9)
    return {"items": count, "needed": needed, "chance": passing_chance(count, study.settings.checks.gold_pass)}
