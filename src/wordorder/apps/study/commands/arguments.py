"""Arguments shared by the ``study`` commands: the study folder, the database, and the server address."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from wordorder.core.runtime.errors import UsageError

if TYPE_CHECKING:
    from wordorder.apps.study import Study
    from wordorder.apps.study.store import Store

PORT = 8400
PILOT = "pilot.db"


def add_study(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for the study folder and the database with the answers."""
    parser.add_argument("folder", metavar="DIR", help="study folder")
    database = (
        "PostgreSQL database to use instead of study.db in the folder: postgresql+psycopg://user:password@host/name; "
        "set WORDORDER_STUDY_DATABASE instead to keep the password out of the shell history"
    )
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--database", metavar="URL", help=database)
    about = "work on the pilot, whose answers are kept apart, in pilot.db in the folder"
    chosen.add_argument("--pilot", action="store_true", help=about)


def database_of(options: argparse.Namespace) -> str | None:
    """Return the URL of the database that the options choose; None for the default one."""
    database: str | None = f"sqlite:///{options.folder}/{PILOT}" if options.pilot else options.database
    return database


def add_address(parser: argparse.ArgumentParser) -> None:
    """Add the options for the port and the public address of the server."""
    port = f"port of the server; give 'invite' and 'serve' the same port (default {PORT})"
    parser.add_argument("--port", type=int, default=PORT, metavar="N", help=port)
    parser.add_argument("--url", metavar="URL", help="public address of the server if it runs behind an HTTPS proxy")


def link_address(options: argparse.Namespace) -> str:
    """Return the server address to use in links; raise UsageError if it is invalid."""
    address: str = options.url or f"http://127.0.0.1:{options.port}"
    with contextlib.suppress(ValueError):
        parts = urlsplit(address)
        if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
            return address.rstrip("/")
    raise UsageError(f"{address!r} is not an address; expected something like https://studies.example.org")


def warn_of_consent(study: Study) -> None:
    """Warn of problems with the consent page, such as the missing name of the researcher."""
    from wordorder.apps.study.checks import find_consent_problems
    from wordorder.core.text.checks import warn_about

    for problem in find_consent_problems(study):
        warn_about(problem)


@contextlib.contextmanager
def open_study(options: argparse.Namespace) -> Iterator[tuple[Study, Store]]:
    """Open a study and the database with its people and answers."""
    from wordorder.apps.study import Study
    from wordorder.apps.study.answers import open_store

    study = Study.read(options.folder)
    with open_store(study, database_of(options)) as store:
        yield study, store
