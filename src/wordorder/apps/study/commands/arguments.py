"""Arguments that the commands of ``study`` share: the folder, the database, and the address of the server."""

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


def add_study(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for the folder of a study and the database of its answers."""
    parser.add_argument("folder", metavar="DIR", help="folder of the study")
    database = (
        "PostgreSQL database to use instead of study.db in the folder: postgresql+psycopg://user:password@host/name; "
        "set WORDORDER_STUDY_DATABASE instead to keep the password out of the shell history"
    )
    parser.add_argument("--database", metavar="URL", help=database)


def add_address(parser: argparse.ArgumentParser) -> None:
    """Add the options for the port of the server and the address that people use."""
    port = f"port of the server; give 'invite' and 'serve' the same port (default {PORT})"
    parser.add_argument("--port", type=int, default=PORT, metavar="N", help=port)
    parser.add_argument("--url", metavar="URL", help="public address of the server, if it is behind an HTTPS proxy")


def link_address(options: argparse.Namespace) -> str:
    """Return the server address to use in links; raise UsageError if it is invalid."""
    address: str = options.url or f"http://127.0.0.1:{options.port}"
    with contextlib.suppress(ValueError):
        parts = urlsplit(address)
        if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
            return address.rstrip("/")
    raise UsageError(f"{address!r} is not an address; expected something like https://studies.example.org")


def warn_of_consent(study: Study) -> None:
    """Warn of problems with the consent page, such as a missing contact, before people see it."""
    from wordorder.apps.study.checks import find_consent_problems
    from wordorder.core.text.checks import warn_about

    for problem in find_consent_problems(study):
        warn_about(problem)


@contextlib.contextmanager
def open_study(options: argparse.Namespace) -> Iterator[tuple[Study, Store]]:
    """Read a study, and open its store."""
    from wordorder.apps.study import Study
    from wordorder.apps.study.answers import explain_missing

    study = Study.read(options.folder)
    with explain_missing():
        from wordorder.apps.study.store import Store
    with Store(study.folder, options.database) as store:
        yield study, store
