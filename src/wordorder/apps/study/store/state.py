"""The state of a study, derived from its log: consent, lists, current answers and drafts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from wordorder.apps.study.store.events import ANSWERS, Event


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
    list: int | None = None
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
    def fold(cls, events: Iterable[Event]) -> State:
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
            progress.consented = True
        elif event.kind == "assignment":
            progress.list = content["list"]
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
