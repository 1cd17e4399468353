"""An event: one line of the log of a study."""

from __future__ import annotations

import json
import time
import uuid
from dataclasses import dataclass
from functools import cached_property
from typing import Any

ANSWERS = ("answer", "revision")
"""The first answer to an item, and those that replace it; all are kept."""

KINDS = (
    "material", "consent", "assignment", "details", "shown", *ANSWERS, "draft", "objection", "exclusion",
    "readmission", "withdrawal", "close", "reopen",
)  # fmt: skip
"""What can happen in a study.

=============  ======================================================================================================
``material``   the study is served with these items and questions; payload: ``{"fingerprint"}``
``consent``    a person agrees to take part
``assignment`` a person is given a list; payload: ``{"list"}``
``details``    what a person says of themselves; payload: the fields
``shown``      an item is painted on a person's screen
``answer``     the first answer to an item; payload: ``{"answer", "visible", "hidden"}``, the two in milliseconds
``revision``   another answer to an item that was answered; payload as of an answer
``draft``      an unfinished answer; payload: ``{"answer"}``
``objection``  a person disagrees with the answer that was shown to be right; payload: ``{"text"}``
``exclusion``  the researcher leaves a person out; payload: ``{"reason"}``. ``readmission`` takes it back
``withdrawal`` a person leaves; payload: ``{"erased", "events"}``
``close``      no more answers are taken. ``reopen`` takes it back
=============  ======================================================================================================
"""

_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


@dataclass(frozen=True)
class Event:
    """Something that happened: who, to which item, what, and when by the clocks of browser and server.

    Times are milliseconds since 1970. ``seq`` is the place in the log, and 0 before the event is there.
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
        """The payload as data."""
        found: dict[str, Any] = json.loads(self.payload)
        return found

    def repeats(self, other: Event) -> bool:
        """Whether this is another event sent again, the time of its arrival apart."""
        kinds = (self.kind, other.kind)
        alike = kinds[0] == kinds[1] or set(kinds) <= set(ANSWERS)
        return alike and (self.person, self.item, self.payload) == (other.person, other.item, other.payload)


def write_payload(content: dict[str, Any]) -> str:
    """Write a payload so that equal contents are equal texts.

    >>> write_payload({"b": 1, "a": "ß"})
    '{"a":"ß","b":1}'
    """
    return _ENCODER.encode(content)


def new_uuid() -> str:
    """Return an identity for an event that was not made by a browser."""
    return str(uuid.uuid4())


def now() -> int:
    """Return the time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000
