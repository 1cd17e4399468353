"""The database of a study: its people and its event log.

Triggers protect the log from changes. A lock, which is released however the process ends, allows only one server per
study.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from itertools import starmap
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from wordorder.apps.study.folder import DATABASE, STORE
from wordorder.apps.study.store.events import ANSWERS, Event, State, new_uuid, now, write_payload
from wordorder.core.runtime.errors import InputError, UsageError, reject
from wordorder.core.runtime.libraries import pa
from wordorder.core.runtime.own_inputs import note_input

METADATA = sa.MetaData()

META = sa.Table("meta", METADATA, sa.Column("key", sa.Text, primary_key=True), sa.Column("value", sa.Text))

PERSON = sa.Table(
    "person",
    METADATA,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("digest", sa.Text, unique=True),
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("created", sa.BigInteger, nullable=False),
)

EVENT = sa.Table(
    "event",
    METADATA,
    sa.Column("seq", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
    sa.Column("uuid", sa.Text, nullable=False, unique=True),
    sa.Column("person", sa.Text),
    sa.Column("item", sa.Text),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("payload", sa.Text, nullable=False),
    sa.Column("client_time", sa.BigInteger),
    sa.Column("received", sa.BigInteger, nullable=False),
    sqlite_autoincrement=True,
)

VERSION = "1"
"""The version of these tables; databases with another version are rejected."""

LOCK_OF_WRITERS, LOCK_OF_SERVERS = (f"{number}, hashtext(current_schema())" for number in (0x776F7264, 0x6F726472))
"""Advisory locks of PostgreSQL: only one transaction writes at a time, and only one server serves a study.

Studies in different schemas of one database do not wait for each other.
"""

_REASON = "the log of a study is append-only"
_CREATE_TRIGGERS = {
    "sqlite": [
        f"CREATE TRIGGER event_no_{action} BEFORE {action} ON event BEGIN SELECT RAISE(ABORT, '{_REASON}'); END"
        for action in ("update", "delete")
    ],
    "postgresql": [
        "CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{_REASON}'; END $$",
        "CREATE TRIGGER event_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON event "
        "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()",
    ],
}
_DROP_TRIGGERS = {
    "sqlite": ["DROP TRIGGER event_no_update", "DROP TRIGGER event_no_delete"],
    "postgresql": ["DROP TRIGGER event_no_change ON event"],
}


def create_tables(connection: sa.Connection) -> None:
    """Create the tables and the triggers if they do not exist."""
    if sa.inspect(connection).has_table("event"):
        return
    METADATA.create_all(connection)
    create_triggers(connection)
    connection.execute(META.insert(), [{"key": "version", "value": VERSION}])


def create_triggers(connection: sa.Connection) -> None:
    """Create the triggers that protect the log from changes."""
    for statement in _CREATE_TRIGGERS[connection.dialect.name]:
        connection.exec_driver_sql(statement)


def make_engine(url: sa.URL) -> sa.Engine:
    """Create a database engine that writes every commit to disk and begins transactions explicitly."""
    if url.get_backend_name() != "sqlite":
        return sa.create_engine(url, pool_pre_ping=True, connect_args={"connect_timeout": 10})
    engine = sa.create_engine(url, connect_args={"timeout": 20})

    @sa.event.listens_for(engine, "connect")
    def configure(raw: Any, record: Any) -> None:
        raw.isolation_level = None  # otherwise Python's sqlite3 begins transactions by itself
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON"):
            raw.execute(f"PRAGMA {pragma}")

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        writes = connection.get_execution_options().get("writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


ROLES = {"person": "p", "adjudicator": "a", "admin": "m", "open": "o"}
"""The roles of tokens, with the first letter of the owner's id: participants, adjudicators between two annotators,
administrators, and open links, through which every visitor becomes a new participant."""

ANOTHER_SERVER = "another server is serving this study; stop it first"
_ADDRESS = "address "  # prefix of the keys of addresses in the table META
_INSERTED = tuple(one.name for one in fields(Event) if one.name != "seq")
_EVENTS = sa.select(*(EVENT.c[one.name] for one in fields(Event))).order_by(EVENT.c.seq)
_IS_AFTER = EVENT.c.seq > sa.bindparam("after")
_AFTER = _EVENTS.where(_IS_AFTER)
_AFTER_OR_AMONG = _EVENTS.where(_IS_AFTER | EVENT.c.uuid.in_(sa.bindparam("uuids", expanding=True)))


class DatabaseLostError(InputError):
    """The database no longer belongs to this server: another server has taken it over, or its file is gone."""


@dataclass(frozen=True)
class Person:
    """A person with a token, or an open link; ``role`` tells which."""

    id: str
    role: str


@dataclass(frozen=True)
class Invitation:
    """A new person and their token, which is shown once and never stored."""

    person: Person
    token: str


class Store:
    """People and events of one study, in SQLite (a file in the folder of the study) or PostgreSQL.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> with Store(folder.name) as store:
    ...     (invitation,) = store.invite(1)
    ...     store.append([Event("consent", invitation.person.id)])
    ...     store.state().of("p1").consented
    True
    >>> folder.cleanup()
    """

    def __init__(self, folder: str | os.PathLike[str], database: str | None = None) -> None:
        """Open the store of a study, or create it; ``database`` is the URL of a database (default: SQLite)."""
        self.folder = Path(folder)
        self._session: sa.Connection | None = None
        self._served: os.stat_result | None = None
        database = database or os.environ.get(DATABASE) or None
        try:
            self.url = sa.make_url(database) if database else sa.URL.create("sqlite", database=str(self.folder / STORE))
            self.engine = make_engine(self.url)
        except (sa.exc.ArgumentError, sa.exc.NoSuchModuleError, ModuleNotFoundError) as error:
            raise UsageError(
                f"{database!r} cannot be used as a database address ({error}); expected something like "
                "postgresql+psycopg://user:password@host/name"
            ) from error
        if self.engine.dialect.name not in ("sqlite", "postgresql"):
            raise UsageError(
                f"{self.where}: studies can be stored in SQLite or PostgreSQL, but not in {self.engine.dialect.name}"
            )
        if self.engine.dialect.name == "sqlite" and self.file.parent.is_dir() and not self.file.exists():
            os.close(os.open(self.file, os.O_CREAT | os.O_WRONLY, 0o600))  # the file contains personal details
        if self.engine.dialect.name == "sqlite":
            for ending in ("", "-wal", "-shm"):
                note_input(f"{self.where}{ending}")
        with self.refused_if_damaged(), self.writing() as connection:
            create_tables(connection)
            version = connection.scalar(sa.select(META.c.value).where(META.c.key == "version"))
        reject(version != VERSION, f"the database tables have version {version}, expected {VERSION}", path=self.where)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.engine.dispose()

    @property
    def file(self) -> Path:
        """The SQLite file of the study."""
        return Path(self.where)

    @property
    def is_in_folder(self) -> bool:
        """Whether the database is a file in the folder of the study."""
        return self.url.drivername == "sqlite" and Path(self.where).resolve().parent == self.folder.resolve()

    @property
    def where(self) -> str:
        """The address of the database, without its password, to be shown in messages."""
        return self.url.database or "" if self.url.drivername == "sqlite" else self.url.render_as_string()

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """Begin a transaction that excludes other writers; it is on disk when the context ends without an error."""
        with self.engine.connect().execution_options(writes=True) as connection, connection.begin():
            if connection.dialect.name == "postgresql":
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCK_OF_WRITERS})")
            yield connection

    @contextmanager
    def serve_alone(self) -> Iterator[None]:
        """Let no other server serve this study inside the context; raise InputError if one already does."""
        if self.engine.dialect.name == "postgresql":
            with self.engine.connect() as self._session:
                try:
                    with self.serving():
                        pass
                    yield
                finally:
                    self._session.invalidate()  # a pooled connection would keep the lock
                    self._session = None
        else:
            with open(self.file.with_suffix(".lock"), "w") as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    raise self._lost(ANOTHER_SERVER) from None
                self._served = os.stat(self.where)
                yield

    @contextmanager
    def serving(self) -> Iterator[sa.Connection]:
        """Begin a transaction of the server; raise DatabaseLostError if the database no longer belongs to it.

        In PostgreSQL, every transaction takes the lock of servers, too, so a server that lost its connection cannot
        write after another one has started.
        """
        if self._session is None:
            self._check_file()
            with self.writing() as connection:
                yield connection
            self._check_file()
            return
        with self._session.begin():
            locks = f"pg_try_advisory_lock({LOCK_OF_SERVERS}), pg_advisory_xact_lock({LOCK_OF_WRITERS})"
            if not self._session.exec_driver_sql(f"SELECT {locks}").one()[0]:
                raise self._lost(ANOTHER_SERVER)
            yield self._session

    def _check_file(self) -> None:
        """Raise DatabaseLostError if the served SQLite file was deleted or replaced: its answers would be lost."""
        if self._served is not None:
            with suppress(FileNotFoundError):
                if os.path.samestat(os.stat(self.where), self._served):
                    return
            raise self._lost("the database was deleted or replaced while it was served")

    def _lost(self, reason: str) -> DatabaseLostError:
        return DatabaseLostError(reason, path=self.where)

    # --- people ---------------------------------------------------------------------------------------------------

    def invite(self, count: int, role: str = "person", *, address: str | None = None) -> list[Invitation]:
        """Create people with tokens of 128 random bits; only digests of the tokens are stored.

        ``address`` is the server address in their links; it is recorded so that a server at another address can warn.
        """
        tokens = [secrets.token_urlsafe(16) for _ in range(count)]
        with self.refused_if_damaged(), self.writing() as connection:
            before = connection.scalar(sa.select(sa.func.count()).select_from(PERSON)) or 0
            names = [f"{ROLES[role]}{before + number}" for number in range(1, count + 1)]
            rows = [
                {"id": name, "digest": digest_of(token), "role": role, "created": now()}
                for name, token in zip(names, tokens, strict=True)
            ]
            if rows:
                connection.execute(PERSON.insert(), rows)
            if address:
                connection.execute(META.delete().where(META.c.key == _ADDRESS + address))
                connection.execute(META.insert(), [{"key": _ADDRESS + address, "value": address}])
        return [Invitation(Person(name, role), token) for name, token in zip(names, tokens, strict=True)]

    def admit(self, person: str, token: str) -> None:
        """Create a participant whose id and token are given, unless there is a person with this id."""
        with self.refused_if_damaged(), self.writing() as connection:
            if connection.scalar(sa.select(PERSON.c.id).where(PERSON.c.id == person)) is None:
                row = {"id": person, "digest": digest_of(token), "role": "person", "created": now()}
                connection.execute(PERSON.insert(), [row])

    def addresses(self) -> list[str]:
        """Return the server addresses that were recorded when links were created."""
        query = sa.select(META.c.value).where(META.c.key.startswith(_ADDRESS)).order_by(META.c.key)
        with self.engine.connect() as connection:
            return list(connection.scalars(query))

    def find(self, token: str) -> Person | None:
        """Return the owner of a token; None if the token is unknown."""
        query = sa.select(PERSON.c.id, PERSON.c.role).where(PERSON.c.digest == digest_of(token))
        with self.engine.connect() as connection:
            found = connection.execute(query).one_or_none()
        return None if found is None else Person(found.id, found.role)

    def people(self, *roles: str) -> list[Person]:
        """Return the people in the order of their invitations, optionally only those with certain roles."""
        c = PERSON.c
        query = sa.select(c.id, c.role).order_by(c.created, sa.func.length(c.id), c.id)
        with self.refused_if_damaged(), self.engine.connect() as connection:
            found = [Person(row.id, row.role) for row in connection.execute(query)]
        return [person for person in found if not roles or person.role in roles]

    def withdraw(self, person: str, *, erase: bool = False) -> int:
        """Record that a person withdraws, and return the number of deleted events.

        With ``erase``, everything stored about the person is deleted, and their token becomes invalid.
        """
        with self.refused_if_damaged(), self.writing() as connection:
            if connection.scalar(sa.select(PERSON.c.id).where(PERSON.c.id == person)) is None:
                raise UsageError(f"there is no person {person!r} in {self.where}; 'study status' lists all people")
            count = 0
            if erase:
                for statement in _DROP_TRIGGERS[connection.dialect.name]:
                    connection.exec_driver_sql(statement)
                count = connection.execute(EVENT.delete().where(EVENT.c.person == person)).rowcount
                create_triggers(connection)
                connection.execute(PERSON.update().where(PERSON.c.id == person).values(digest=None))
            note = Event("withdrawal", person, payload=write_payload({"erased": erase, "events": count}))
            insert_events(connection, [note])
        if erase:
            self._rewrite()
        return count

    def _rewrite(self) -> None:
        """Remove the bytes of deleted rows from the files of the database."""
        if self.engine.dialect.name == "sqlite":
            with self.engine.connect() as connection:  # deleted rows are overwritten, but may be in the write-ahead log
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        else:
            with self.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                for table in (EVENT, PERSON):
                    connection.exec_driver_sql(f"VACUUM FULL {table.name}")

    def copy_to(self, file: str | os.PathLike[str]) -> int:
        """Write everything into a new SQLite file, and return the number of events.

        The copy is consistent, can be made while the study is served, and can take the place of ``study.db``.
        """
        copy = make_engine(sa.URL.create("sqlite", database=os.fspath(file)))
        level = "REPEATABLE READ" if self.engine.dialect.name == "postgresql" else "SERIALIZABLE"
        count = 0
        with (
            self.refused_if_damaged(),
            self.engine.connect().execution_options(isolation_level=level) as source,
            copy.connect().execution_options(writes=True) as target,
            target.begin(),
        ):
            METADATA.create_all(target)
            create_triggers(target)
            for table in METADATA.sorted_tables:
                rows = source.execute(sa.select(table), execution_options={"yield_per": 1000}).mappings()
                for part in rows.partitions():
                    target.execute(table.insert(), [dict(row) for row in part])
                    count += len(part) if table is EVENT else 0
        copy.dispose()  # now the write-ahead log is part of the file
        return count

    # --- the log --------------------------------------------------------------------------------------------------

    def append(self, events: Iterable[Event]) -> None:
        """Add events in one transaction; they are on disk when this method returns."""
        with self.refused_if_damaged(), self.writing() as connection:
            insert_events(connection, list(events))

    def events(self, after: int = 0) -> Iterator[Event]:
        """Yield the events after position ``after`` from a consistent snapshot of the log."""
        with self.engine.connect() as connection:
            found = connection.execute(_AFTER, {"after": after}, execution_options={"yield_per": 1000})
            yield from starmap(Event, found)

    def events_of(self, *kinds: str) -> list[Event]:
        """Return all events of certain kinds."""
        with self.refused_if_damaged(), self.engine.connect() as connection:
            return list(starmap(Event, connection.execute(_EVENTS.where(EVENT.c.kind.in_(kinds)))))

    def state(self) -> State:
        """Return the state of the study after all events in the log."""
        with self.refused_if_damaged():
            return State.fold(self.events())

    @contextmanager
    def refused_if_damaged(self) -> Iterator[None]:
        """Convert errors caused by a damaged database into an InputError that names the database."""
        try:
            yield
        except sa.exc.DBAPIError as error:
            raise InputError(f"the database cannot be used: {first_line(error)}", path=self.where) from error
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(f"the log of events is damaged ({error!r})", path=self.where) from error

    def answers(self) -> pa.Table:
        """Return all answers and revisions in the order of the log; see ``answers.py`` for the columns."""
        from wordorder.apps.study.answers import answer_table

        state, rows, versions = State(), [], Counter[tuple[str, str]]()
        with self.refused_if_damaged():
            for event in self.events():
                state.apply(event)
                if event.kind in ANSWERS and event.person and event.item:
                    rows.append(_answer_row(event, versions[event.person, event.item]))
                    versions[event.person, event.item] += 1
            roles = {person.id: person.role for person in self.people()}
            for row in rows:
                row["last"] = row["revision"] == versions[row["person"], row["item"]] - 1
                row["role"] = roles.get(row["person"], "person")
            return answer_table(row for row in rows if not state.of(row["person"]).withdrawn)


def digest_of(token: str) -> str:
    """Return the digest of a token, which is stored instead of the token."""
    return hashlib.sha256(token.encode()).hexdigest()


def insert_events(connection: sa.Connection, events: Sequence[Event]) -> None:
    """Insert events into the log; an event without a UUID or a time gets one."""
    rows = []
    for event in events:
        row = {name: getattr(event, name) for name in _INSERTED}
        rows.append(row | {"uuid": event.uuid or new_uuid(), "received": event.received or now()})
    if rows:
        connection.execute(EVENT.insert(), rows)


def read_new_events(connection: sa.Connection, after: int, uuids: Sequence[str] = ()) -> list[Event]:
    """Return the events after position ``after``, plus any earlier events that have one of the ``uuids``."""
    if not uuids:
        return list(starmap(Event, connection.execute(_AFTER, {"after": after})))
    return list(starmap(Event, connection.execute(_AFTER_OR_AMONG, {"after": after, "uuids": uuids})))


def first_line(error: sa.exc.DBAPIError) -> str:
    """Return what the database says about an error."""
    return str(error.orig).strip().splitlines()[0]


def _answer_row(event: Event, revision: int) -> dict[str, Any]:
    content = event.content
    return {
        "person": event.person,
        "item": event.item,
        "kind": event.kind,
        "payload": write_payload(content["answer"]),
        "revision": revision,
        "visible": content.get("visible"),
        "hidden": content.get("hidden"),
        "client_time": event.client_time,
        "received": event.received,
    }
