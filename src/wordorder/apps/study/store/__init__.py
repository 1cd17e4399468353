"""The append-only event log of a study, in SQLite or PostgreSQL, and the state that follows from it."""

from wordorder.apps.study.store.events import ANSWERS, KINDS, Answer, Event, Progress, State, new_uuid
from wordorder.apps.study.store.store import Invitation, Person, Store

__all__ = ["ANSWERS", "KINDS", "Answer", "Event", "Invitation", "Person", "Progress", "State", "Store", "new_uuid"]
