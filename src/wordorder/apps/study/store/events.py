"""The log of a study consists of events; the state of the study is derived from them.

The state comprises consent, lists, current answers and drafts.
"""

import json
import time
import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

ANSWERS = ("answer", "revision")
"""The kinds of events for the first answer to an item and for later answers that replace it; all are kept."""

KINDS = (
    "study", "material", "consent", "assignment", "details", "shown", *ANSWERS, "draft", "objection", "exclusion",
    "readmission", "withdrawal", "close", "reopen",
)  # fmt: skip
"""The kinds of events.

=============  ======================================================================================================
``study``      the log belongs to a study; payload: ``{"id"}``
``material``   the study is served with certain items, questions and texts; payload: ``Study.record``
``consent``    a person agrees to take part; payload: ``{"text"}``, the digest of the text that they read
``assignment`` a person is given a list and a code; payload: ``{"list", "code"}``
``details``    a person fills in the fields about themselves; payload: the fields
``shown``      an item appears on a person's screen
``answer``     the first answer to an item; payload: ``{"answer", "visible", "hidden"}``, the two in milliseconds
``revision``   another answer to an item that was answered; payload as of an answer
``draft``      an unfinished answer; payload: ``{"answer"}``
``objection``  a person disagrees with the answer that the study calls right; payload: ``{"text"}``
``exclusion``  the researcher excludes a person; payload: ``{"reason"}``. ``readmission`` undoes it
``withdrawal`` a person withdraws; payload: ``{"erased", "events"}``
``close``      the study accepts no more answers. ``reopen`` undoes it
=============  ======================================================================================================
"""

_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


@dataclass(frozen=True)
class Event:
    """An event, with its kind, person, item and payload, and its time by the clocks of the browser and the server.

    Times are milliseconds since 1970. ``seq`` is the position in the log, or 0 if the event is not stored yet.
    """

    kind: str
    person: str | None = None
    item: str | None = None
    payload: str = "{}"
    client_time: int | None = None
    uuid: str = ""
    received: int = 0
    seq: int = 0

    @cached_property
    def content(self) -> dict[str, Any]:
        """The payload as a dictionary."""
        found: dict[str, Any] = json.loads(self.payload)
        return found

    def repeats(self, other: "Event") -> bool:
        """Return whether this event is a resent copy of ``other``; their times are not compared."""
        kinds = (self.kind, other.kind)
        alike = kinds[0] == kinds[1] or set(kinds) <= set(ANSWERS)
        return alike and (self.person, self.item, self.payload) == (other.person, other.item, other.payload)


def write_payload(content: dict[str, Any]) -> str:
    """Return a payload as JSON; equal contents give equal strings.

    >>> write_payload({"b": 1, "a": "ß"})
    '{"a":"ß","b":1}'
    """
    return _ENCODER.encode(content)


def new_uuid() -> str:
    """Return a new UUID for an event that does not come from a browser."""
    return str(uuid.uuid4())


def now() -> int:
    """Return the current time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


@dataclass(frozen=True)
class Answer:
    """The current answer of a person to an item, and how often it was revised."""

    content: dict[str, Any]
    revision: int
    received: int

    @property
    def value(self) -> Any:
        """The answer itself, without the time it took."""
        return self.content["answer"]


@dataclass
class Progress:
    """The progress of one person."""

    consented: bool = False
    began: int = 0
    list: int | None = None
    code: str = ""
    details: dict[str, Any] | None = None
    shown: dict[str, int] = field(default_factory=dict)
    answers: dict[str, Answer] = field(default_factory=dict)
    drafts: dict[str, Any] = field(default_factory=dict)
    objections: dict[str, str] = field(default_factory=dict)
    excluded: str | None = None
    withdrawn: bool = False
    first: int = 0
    last: int = 0


@dataclass
class State:
    """The state of a study after event number ``seq``."""

    seq: int = 0
    closed: bool = False
    fingerprint: str | None = None
    people: dict[str, Progress] = field(default_factory=dict)

    @classmethod
    def fold(cls, events: Iterable[Event]) -> "State":
        """Return the state after all events of a log."""
        state = cls()
        for event in events:
            state.apply(event)
        return state

    def of(self, person: str) -> Progress:
        """Return the progress of a person; it is empty if the person has not started."""
        return self.people.get(person) or Progress()

    @property
    def answered(self) -> bool:
        """Whether anybody has answered anything."""
        return any(progress.answers for progress in self.people.values())

    def apply(self, event: Event) -> None:
        """Update the state with the next event of the log."""
        self.seq = event.seq
        if event.kind in ("close", "reopen"):
            self.closed = event.kind == "close"
        elif event.kind == "material":
            self.fingerprint = event.content["fingerprint"]
        elif event.person is not None:
            progress = self.people.setdefault(event.person, Progress(first=event.received))
            if event.kind not in ("exclusion", "readmission"):
                progress.last = event.received
            if event.item is None:
                self._apply_to_person(progress, event)
            else:
                _apply_to_item(progress, event, event.item)

    def _apply_to_person(self, progress: Progress, event: Event) -> None:
        content = event.content
        if event.kind == "consent":
            progress.consented, progress.began = True, event.received
        elif event.kind == "assignment":
            progress.list, progress.code = content["list"], content.get("code", "")
        elif event.kind == "details":
            progress.details = content
        elif event.kind == "exclusion":
            progress.excluded = content.get("reason", "")
        elif event.kind == "readmission":
            progress.excluded = None
        elif event.kind == "withdrawal" and event.person is not None:
            if content.get("erased"):
                self.people[event.person] = progress = Progress(first=event.received, last=event.received)
            progress.withdrawn = True


def _apply_to_item(progress: Progress, event: Event, item: str) -> None:
    if event.kind == "shown":
        progress.shown.setdefault(item, event.received)
    elif event.kind in ANSWERS:
        before = progress.answers.get(item)
        progress.answers[item] = Answer(event.content, before.revision + 1 if before else 0, event.received)
        progress.drafts.pop(item, None)
    elif event.kind == "draft":
        progress.drafts[item] = event.content["answer"]
    elif event.kind == "objection":
        progress.objections[item] = event.content.get("text", "")
