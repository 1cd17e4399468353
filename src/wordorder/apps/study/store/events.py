"""Events: the entries in the log of a study."""

from __future__ import annotations

import json
import time
import uuid
from dataclasses import dataclass
from functools import cached_property
from typing import Any

ANSWERS = ("answer", "revision")
"""The kinds of events for the first answer to an item and for later answers that replace it; all are kept."""

KINDS = (
    "material", "consent", "assignment", "details", "shown", *ANSWERS, "draft", "objection", "exclusion",
    "readmission", "withdrawal", "close", "reopen",
)  # fmt: skip
"""The kinds of events.

=============  ======================================================================================================
``material``   the study is served with certain items and questions; payload: ``{"fingerprint"}``
``consent``    a person agrees to take part
``assignment`` a person is given a list; payload: ``{"list"}``
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

    def repeats(self, other: Event) -> bool:
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
