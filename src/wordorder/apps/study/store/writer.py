"""The only thread that writes while a study is served; it writes all waiting events in one transaction."""

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial

import sqlalchemy as sa

from wordorder.apps.study.store.events import Event, State, now
from wordorder.apps.study.store.store import DatabaseLostError, Store, first_line, insert_events, read_new_events
from wordorder.core.runtime.errors import WordorderError

_POLL_SECONDS = 0.5
"""Seconds between checks for events written by other commands, while the writer is idle."""

_PAUSES = (0.05, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
_LARGEST = 500

CONNECTION_ERRORS = (sa.exc.OperationalError, sa.exc.InterfaceError)
"""The errors raised when a database cannot be reached or is full."""

Authorise = Callable[[State, Event], Iterable[Event]]
Dispatch = Callable[[Callable[[], None]], None]
Report = Callable[[str], None]


class RefusedError(WordorderError):
    """Raised when a request is refused; ``status`` is the HTTP status of the reply."""

    def __init__(self, message: str, *, status: int = 409) -> None:
        super().__init__(message)
        self.status = status


def deny(wrong: object, message: str, *, status: int = 409) -> None:
    """Raise a ``RefusedError`` with the given message if ``wrong`` is true."""
    if wrong:
        raise RefusedError(message, status=status)


Promise = asyncio.Future[Event] | Future[Event]
"""The result of a request: a future from ``asyncio`` or ``concurrent.futures``."""


@dataclass
class _Request:
    event: Event
    promise: Promise

    @property
    def subject(self) -> str | None:
        """A key that at most one event in a transaction may have, because events with the same key affect each other.

        All consents share a key, because the list of a new person depends on the lists of all others.
        """
        return "consent" if self.event.kind == "consent" else self.event.person


class Writer:
    """Checks events one by one, writes them together, and then resolves their futures.

    ``authorise`` takes the state of the study and an event, and returns the events to be written for it or raises
    ``RefusedError``. An event that was written before is not written again. ``dispatch`` takes a function that
    resolves the futures of one transaction, and calls it in the thread that waits for them. ``report`` is told when
    the database stops working, for example because the disk is full, and when it works again.
    """

    def __init__(
        self,
        store: Store,
        authorise: Authorise,
        *,
        dispatch: Dispatch = lambda work: work(),
        report: Report = lambda message: None,
    ) -> None:
        self.store = store
        self.authorise = authorise
        self.dispatch = dispatch
        self.report = report
        self.lost: DatabaseLostError | None = None
        """The error after which this writer stores nothing any more."""
        self.on_lost: Callable[[], None] = lambda: None
        self._trouble = ""
        self.state = store.state()
        self.lock = threading.Lock()
        """A lock that is held while the state changes."""
        self.commits = 0
        self._queue: queue.SimpleQueue[_Request | None] = queue.SimpleQueue()
        self._postponed: list[_Request] = []
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    def write(self, event: Event, promise: Promise) -> None:
        """Queue an event; the promise is resolved when the event is on disk."""
        self._queue.put(_Request(event if event.received else replace(event, received=now()), promise))

    def stop(self) -> None:
        """Write all waiting events, and end the thread."""
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        while True:
            batch, last = self._gather()
            try:
                self._retry(batch)
            except DatabaseLostError as error:
                self.lost = error
                self._resolve(batch, [error] * len(batch))
                self.on_lost()
            except Exception as error:
                self._fail(batch, error)
            if last:
                return

    def _gather(self) -> tuple[list[_Request], bool]:
        """Return the waiting requests, at most one per subject, and whether to stop; other requests are postponed."""
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

    def _retry(self, batch: list[_Request]) -> None:
        """Write a batch of events; as long as the database cannot be reached, try again after each pause."""
        for pause in (*_PAUSES, None) if batch else (None,):
            try:
                if self.lost:
                    raise self.lost
                self._write(batch)
            except CONNECTION_ERRORS as error:
                self._tell(first_line(error))
                if pause is None:
                    raise
                time.sleep(pause)
            else:
                if batch:
                    self._tell("")
                return

    def _tell(self, trouble: str) -> None:
        """Report a problem with the database once, and its end."""
        if trouble != self._trouble:
            self._trouble = trouble
            self.report(f"{self.store.where}: {trouble or 'answers are stored again'}")

    def _write(self, batch: list[_Request]) -> None:
        """Write a batch of events; a retry is safe, because events already written are recognised by their UUIDs."""
        outcomes: list[Event | Exception] = []
        with self.store.serving() as connection:
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
        self._resolve(batch, found)

    def _apply(self, events: Iterable[Event]) -> None:
        with self.lock:
            for event in events:
                if event.seq > self.state.seq:
                    self.state.apply(event)

    def _resolve(self, batch: list[_Request], outcomes: Iterable[Event | Exception]) -> None:
        self.dispatch(partial(_resolve_promises, [request.promise for request in batch], outcomes))

    def _decide(self, event: Event, before: dict[str, Event], accepted: list[Event]) -> Event | RefusedError:
        earlier = before.get(event.uuid)
        if earlier is not None:
            if event.repeats(earlier):
                return earlier
            return RefusedError("Another event with this UUID is already stored.")
        try:
            accepted.extend(self.authorise(self.state, event))
        except RefusedError as refusal:
            return refusal
        return event

    def _fail(self, batch: list[_Request], error: Exception) -> None:
        """Retry each event of a failed batch on its own, and report the error to the requests that fail again."""
        if len(batch) == 1 or isinstance(error, CONNECTION_ERRORS):
            self._resolve(batch, [error] * len(batch))
            return
        for request in batch:
            try:
                self._write([request])
            except Exception as reason:
                self._fail([request], reason)


def _resolve_promises(promises: Iterable[Promise], outcomes: Iterable[Event | Exception]) -> None:
    for promise, outcome in zip(promises, outcomes, strict=True):
        if promise.done():
            continue
        if isinstance(outcome, Event):
            promise.set_result(outcome)
        else:
            promise.set_exception(outcome)
