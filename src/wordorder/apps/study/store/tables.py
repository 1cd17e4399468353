"""The database tables of a study, the triggers that protect its log from changes, and the connection settings."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

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

LOCK_OF_WRITERS, LOCK_OF_SERVERS = 0x776F7264, 0x6F726472
"""Advisory locks of PostgreSQL: only one transaction writes at a time, and only one server serves a study."""

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


def drop_triggers(connection: sa.Connection) -> None:
    """Drop the triggers, so that a transaction can change the log; it must call ``create_triggers`` at its end."""
    for statement in _DROP_TRIGGERS[connection.dialect.name]:
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
