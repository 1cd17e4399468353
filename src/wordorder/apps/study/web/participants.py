"""Turn requests of participants into events, and make the replies, which never contain conditions."""

from dataclasses import asdict
from typing import Any
from urllib.parse import quote

from wordorder.apps.study.creation import expected_minutes
from wordorder.apps.study.folder import Item, Study
from wordorder.apps.study.kinds.base import check_draft
from wordorder.apps.study.kinds.editing import AlignKind
from wordorder.apps.study.store import ANSWERS, Event, Person
from wordorder.apps.study.store.events import Progress, now, write_payload
from wordorder.apps.study.store.writer import RefusedError, Writer, deny
from wordorder.apps.study.web.admission import ENDS, NOT_YOURS, Admission, refuse_ended
from wordorder.apps.study.words import direction

WRITTEN = ("answer", "shown", "draft", "objection", "consent", "details")
"""The kinds of events that people send, the most frequent first."""

CODE = "0000ABCD"
"""The code of everybody in a preview."""

_LONGEST_FIELD = 500
_LONGEST_OBJECTION = 2000
_LONGEST_TIME = 10 * 24 * 60 * 60 * 1000


class ParticipantService:
    """Serves the participants and adjudicators of one study."""

    def __init__(self, study: Study, admission: Admission, writer: Writer, *, preview: bool = False) -> None:
        self.preview = preview
        self.study = study
        self.admission = admission
        self.writer = writer
        if isinstance(study.kind, AlignKind):  # the first check takes seconds to load and compile; do it now
            study.kind.findings(study.items[0], {"target": ["x"], "links": []})

    def describe(self, person: Person) -> dict[str, Any]:
        """Return a description of the study, and the progress of a person."""
        settings = self.study.settings
        minutes = str(round(expected_minutes(self.study)))
        questions = [
            {"name": one.name, "text": one.text, "values": list(one.values), "ends": one.ends}
            for one in settings.questions
        ]
        return {
            "person": person.id,
            "role": person.role,
            "kind": settings.kind,
            "title": settings.title,
            "text": language(settings.language),
            "source": language(settings.source_language),
            "questions": questions,
            "pages": {name: text.replace("{minutes}", minutes) for name, text in settings.pages.items()},
            "fields": [asdict(field) for field in settings.details],
            "back": settings.people.back,
            "consent": settings.consent_digest,
            "progress": self.progress(person),
        } | ({"links": self._links(person.id, CODE), "code": CODE} if self.preview else {})

    def progress(self, person: Person) -> dict[str, Any]:
        """Return the progress of a person."""
        state, people = self.writer.state, self.study.settings.people
        with self.writer.lock:
            progress, keys = state.of(person.id), self.admission.keys(state, person.id)
            refuse_ended(state, progress)
            end = self.admission.end_of(state, person.id, now())
            left = [place for place, key in enumerate(keys) if key not in progress.answers]
        practice = sum(self.study.item(key).role == "practice" for key in keys)
        return {
            "consented": progress.consented,
            "details": progress.details is not None,
            "total": len(keys),
            "practice": practice,
            "done": len(keys) - len(left),
            "next": left[0] if left else None,
            "end": end,
            "link": self._links(person.id, progress.code)[end] if end else "",
            "code": progress.code if self.study.settings.recruiting.code and end in ("finished", "failed") else "",
            "left": progress.began + people.limit * 60_000 - now() if people.limit and not end and keys else None,
        }

    def _links(self, person: str, code: str) -> dict[str, str]:
        """Return, for each way in which the part of a person can end, the link back to the recruiting service."""
        recruiting = self.study.settings.recruiting
        links = {"finished": recruiting.completed, "failed": recruiting.failed or recruiting.completed}
        links |= dict.fromkeys(ENDS, recruiting.screened_out)
        person = quote(person, safe="")
        return {end: link.replace("{person}", person).replace("{code}", code) for end, link in links.items()}

    def item(self, person: Person, place: int) -> dict[str, Any]:
        """Return the item at a position in a person's sequence, with its answer or draft if there is one."""
        progress, item, key = self._find(person, place)
        answer = progress.answers.get(key)
        return {
            "place": place,
            "practice": item.role == "practice",
            "view": self._view(person, item),
            "answer": answer.value if answer else None,
            "draft": progress.drafts.get(key),
            "versions": answer.revision + 1 if answer else 0,
            "fixed": answer is not None and not self.admission.may_change(key),
        } | ({"key": key} if person.role == "adjudicator" else {})

    def findings(self, person: Person, body: dict[str, Any]) -> list[dict[str, Any]]:
        """Return possible mistakes in an unfinished answer."""
        _, item, _ = self._find(person, _place(body))
        kind = self.study.kind
        return kind.findings(item, kind.draft(item, body.get("answer"))) if isinstance(kind, AlignKind) else []

    def event(self, person: Person, kind: str, body: dict[str, Any]) -> Event:
        """Convert the request of a person to an event; raise an error if the request is incomplete."""
        if kind == "consent":
            text = self.study.settings.consent_digest
            if body.get("text", text) != text:
                raise RefusedError("The text of this page has changed. Please reload the page and read it again.")
            return Event(kind, person.id, payload=write_payload({"text": text}))
        if kind == "details":
            return Event(kind, person.id, payload=write_payload(self._details(body)))
        _, item, key = self._find(person, _place(body))
        if person.role == "adjudicator" and body.get("key") != key:  # positions change when somebody withdraws
            raise RefusedError("The items have changed. Please reload the page.")
        return Event(kind, person.id, key, write_payload(self._content(kind, item, body)))

    def follow_up(self, person: Person, event: Event) -> dict[str, Any]:
        """Return the reply to a stored event: feedback, the progress of the person, and the next item."""
        if event.kind in ("draft", "shown", "objection"):
            return {}
        found: dict[str, Any] = {"progress": self.progress(person)}
        if event.kind in ANSWERS and event.item is not None:
            item = self.study.item(event.item)
            found["feedback"] = self.study.kind.feedback(item, event.content["answer"], person.id)
        if event.kind != "details" and (place := found["progress"]["next"]) is not None:
            found["item"] = self.item(person, place)
        return found

    def _find(self, person: Person, place: int) -> tuple[Progress, Item, str]:
        state = self.writer.state
        with self.writer.lock:
            progress = state.of(person.id)
            refuse_ended(state, progress)
            keys = self.admission.keys(state, person.id)
        deny(not 0 <= place < len(keys), NOT_YOURS, status=404)
        key = keys[place]
        in_order = not self.study.settings.people.back and not self.preview
        deny(in_order and any(before not in progress.answers for before in keys[:place]), NOT_YOURS, status=404)
        return progress, self.study.item(key), key

    def _view(self, person: Person, item: Item) -> dict[str, Any]:
        kind = self.study.kind
        if person.role != "adjudicator":
            return kind.view(item, person.id)
        if not isinstance(kind, AlignKind):
            raise RefusedError("Only alignments are adjudicated.", status=403)
        state = self.writer.state
        with self.writer.lock:
            pair = self.admission.first_two(state, item.id)
            answers = [state.of(one).answers[item.id].value for _, one in pair]
        return kind.adjudicate(item, answers)

    def _content(self, kind: str, item: Item, body: dict[str, Any]) -> dict[str, Any]:
        if kind == "shown":
            return {}
        if kind == "objection":
            text = body.get("text", "")
            if not isinstance(text, str) or len(text) > _LONGEST_OBJECTION:
                raise RefusedError(f"Write at most {_LONGEST_OBJECTION} characters.", status=422)
            return {"text": text}
        answer = body.get("answer")
        if kind == "draft":
            return {"answer": check_draft(answer)}
        numbers = {name: body.get(name, 0) for name in ("visible", "hidden", "revises")}
        for name, value in numbers.items():
            if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _LONGEST_TIME:
                raise RefusedError(f"{name} must be a whole number.", status=422)
        return {"answer": self.study.kind.validate(item, answer), **numbers}

    def _details(self, body: dict[str, Any]) -> dict[str, str]:
        given, asked = body.get("fields", {}), self.study.settings.details
        if not isinstance(given, dict) or not set(given) <= {field.name for field in asked}:
            raise RefusedError("These are not the fields of this study.", status=422)
        for field in asked:
            value = given.get(field.name, "")
            if not isinstance(value, str) or len(value) > _LONGEST_FIELD:
                raise RefusedError(f"Write at most {_LONGEST_FIELD} characters.", status=422)
            if field.is_required if not value.strip() else not field.allows(value):
                raise RefusedError(f"Please fill in: {field.name.rstrip('* ')}.", status=422)
        return given


def _place(body: dict[str, Any]) -> int:
    place = body.get("place")
    if not isinstance(place, int) or isinstance(place, bool):
        raise RefusedError("place must be the number of an item.", status=422)
    return place


def language(code: str) -> dict[str, str]:
    """Return the code of a language and its writing direction.

    >>> language("ar-EG")
    {'lang': 'ar-EG', 'dir': 'rtl'}
    """
    return {"lang": code, "dir": direction(code) if code else "auto"}
