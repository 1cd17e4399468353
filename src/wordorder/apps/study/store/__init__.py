"""The log of a study: events that are only ever added, in SQLite or PostgreSQL, and what follows from them."""

from wordorder.apps.study.store.events import ANSWERS, KINDS, Event, new_uuid
from wordorder.apps.study.store.state import Answer, Progress, State
from wordorder.apps.study.store.store import Invitation, Person, Store

__all__ = ["ANSWERS", "KINDS", "Answer", "Event", "Invitation", "Person", "Progress", "State", "Store", "new_uuid"]
