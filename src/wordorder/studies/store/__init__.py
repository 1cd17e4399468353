"""The log of a study: events that are only ever added, in SQLite or PostgreSQL, and what follows from them."""

from wordorder.studies.store.events import ANSWERS, KINDS, Event, new_uuid
from wordorder.studies.store.fold import Answer, Progress, State
from wordorder.studies.store.store import Invitation, Person, Store

__all__ = ["ANSWERS", "KINDS", "Answer", "Event", "Invitation", "Person", "Progress", "State", "Store", "new_uuid"]
