"""The one thread that writes while a study is served: whatever waits shares one transaction and one fsync."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import sqlalchemy as sa

from wordorder.apps.study.store.events import Event, now
from wordorder.apps.study.store.state import State
from wordorder.apps.study.store.store import Store, insert_events, read_new_events
from wordorder.core.runtime.errors import WordorderError

_POLL_SECONDS = 0.5
"""Seconds between two looks at the log when nothing is to be written: other commands write too."""

_PAUSES = (0.05, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
_LARGEST = 500

CONNECTION_ERRORS = (sa.exc.OperationalError, sa.exc.InterfaceError)
"""What is raised when a database cannot be reached, or has no room."""

Authorise = Callable[[State, Event], Iterable[Event]]
Dispatch = Callable[[Callable[[], None]], None]


class RefusedError(WordorderError):
    """An event that must not be written: the state of the study, or of this person, does not allow it."""

    def __init__(self, message: str, *, status: int = 409) -> None:
        super().__init__(message)
        self.status = status


class Promise(Protocol):
    """A future, of threads or of asyncio."""

    def done(self) -> bool:
        """Whether nobody waits any more."""

    def set_result(self, event: Event, /) -> None:
        """Give what was stored."""

    def set_exception(self, error: Exception, /) -> None:
        """Say why it was not."""


@dataclass
class _Request:
    event: Event
    promise: Promise

    @property
    def subject(self) -> str | None:
        """What two events of one transaction must not share: each is admitted as the other left it, or not at all.

        Lists are given to people who consent by looking at all the others.
        """
        return "consent" if self.event.kind == "consent" else self.event.person


class Writer:
    """Admits events one after the other, writes them together, and only then says so.

    ``admit`` sees the state of the study and an event and returns the events to be written for it, or raises a
    ``RefusedError``. An event that was written before is not written again. ``dispatch`` is given the work of
    telling all who wait for one transaction, to be done where they wait.
    """

    def __init__(self, store: Store, authorise: Authorise, *, dispatch: Dispatch = lambda work: work()) -> None:
        self.store = store
        self.authorise = authorise
        self.dispatch = dispatch
        self.state = store.state()
        self.lock = threading.Lock()
        """Held while the state changes."""
        self.commits = 0
        self._queue: queue.SimpleQueue[_Request | None] = queue.SimpleQueue()
        self._postponed: list[_Request] = []
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    def submit(self, event: Event) -> Future[Event]:
        """Hand in an event; the result is there when it is on disk."""
        done: Future[Event] = Future()
        self.write(event, done)
        return done

    def write(self, event: Event, promise: Promise) -> None:
        """Hand in an event; the promise is kept when it is on disk."""
        self._queue.put(_Request(event if event.received else replace(event, received=now()), promise))

    def stop(self) -> None:
        """Write what waits, and end."""
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        while True:
            batch, last = self._gather()
            try:
                retry(partial(self._write, batch), _PAUSES if batch else ())
            except Exception as error:
                self._fail(batch, error)
            if last:
                return

    def _gather(self) -> tuple[list[_Request], bool]:
        """Take what waits, one event per subject; the others come next."""
        waiting, self._postponed, last = self._postponed, [], False
        try:
            first = self._queue.get(timeout=0 if waiting else _POLL_SECONDS)
            while True:
                last = last or first is None
                if first is not None:
                    waiting.append(first)
                first = self._queue.get_nowait()
        except queue.Empty:
            pass
        batch: list[_Request] = []
        subjects: set[str | None] = set()
        for request in waiting:
            if request.subject in subjects or len(batch) == _LARGEST:
                self._postponed.append(request)
            else:
                subjects.add(request.subject)
                batch.append(request)
        if last and self._postponed:
            self._queue.put(None)
            last = False
        return batch, last

    def _write(self, batch: list[_Request]) -> None:
        """Write a batch; safe to be done again, because what was written is found by its uuid."""
        outcomes: list[Event | Exception] = []
        with self.store.writing() if batch else self.store.engine.connect() as connection:
            before = read_new_events(connection, self.state.seq, [request.event.uuid for request in batch])
            self._apply(before)
            if not batch:
                return
            written = {event.uuid: event for event in before}
            accepted: list[Event] = []
            outcomes += [self._decide(request.event, written, accepted) for request in batch]
            insert_events(connection, accepted)
            added = read_new_events(connection, self.state.seq)
        self._apply(added)
        self.commits += 1
        stored = {event.uuid: event for event in added}
        found = [stored.get(one.uuid, one) if isinstance(one, Event) else one for one in outcomes]
        self._tell(batch, found)

    def _apply(self, events: Iterable[Event]) -> None:
        with self.lock:
            for event in events:
                if event.seq > self.state.seq:
                    self.state.apply(event)

    def _tell(self, batch: list[_Request], outcomes: Iterable[Event | Exception]) -> None:
        self.dispatch(partial(_keep, [request.promise for request in batch], outcomes))

    def _decide(self, event: Event, before: dict[str, Event], accepted: list[Event]) -> Event | RefusedError:
        earlier = before.get(event.uuid)
        if earlier is not None:
            if event.repeats(earlier):
                return earlier
            return RefusedError("another answer was stored under this identity")
        try:
            accepted.extend(self.authorise(self.state, event))
        except RefusedError as refusal:
            return refusal
        return event

    def _fail(self, batch: list[_Request], error: Exception) -> None:
        """Tell those who wait; an event that cannot be written does not take others with it."""
        if len(batch) == 1 or isinstance(error, CONNECTION_ERRORS):
            self._tell(batch, [error] * len(batch))
            return
        for request in batch:
            try:
                self._write([request])
            except Exception as its_own:
                self._fail([request], its_own)


def retry(work: Callable[[], None], pauses: Iterable[float]) -> None:
    """Do some work with the database again when the connection was lost, after growing pauses."""
    for pause in pauses:
        try:
            return work()
        except CONNECTION_ERRORS:
            time.sleep(pause)
    work()


def _keep(promises: Iterable[Promise], outcomes: Iterable[Event | Exception]) -> None:
    for promise, outcome in zip(promises, outcomes, strict=True):
        if promise.done():
            continue
        if isinstance(outcome, Event):
            promise.set_result(outcome)
        else:
            promise.set_exception(outcome)
