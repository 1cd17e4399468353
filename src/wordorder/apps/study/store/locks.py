"""Allow only one server per study, using a lock that is released however the process ends."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from wordorder.apps.study.store.store import Store
from wordorder.apps.study.store.tables import LOCK_OF_SERVERS
from wordorder.core.runtime.errors import InputError


@contextmanager
def hold_server_lock(store: Store) -> Iterator[None]:
    """Hold the server lock of a study inside the context; raise InputError if another server holds it."""
    if store.engine.dialect.name == "postgresql":
        with store.engine.connect() as connection:
            if not connection.exec_driver_sql(f"SELECT pg_try_advisory_lock({LOCK_OF_SERVERS})").scalar():
                raise _refusal(store)
            connection.commit()
            yield
    else:
        with open(store.file.with_suffix(".lock"), "w") as file:
            if not _lock(file.fileno()):
                raise _refusal(store)
            yield


def _lock(file: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _refusal(store: Store) -> InputError:
    return InputError("another server is serving this study; stop it first", path=store.where)
