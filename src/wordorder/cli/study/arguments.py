"""What the commands of a study share: its folder, its database, and the address it is served at."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from wordorder.runtime.errors import UsageError

if TYPE_CHECKING:
    from wordorder.studies import Study
    from wordorder.studies.store import Store

PORT = 8400


def add_study(parser: argparse.ArgumentParser, *, database: bool = True) -> None:
    """Add the folder of a study, and where its answers are."""
    parser.add_argument("folder", metavar="DIR", help="folder of the study")
    if database:
        parser.add_argument(
            "--database",
            metavar="URL",
            help="PostgreSQL instead of study.db in the folder: postgresql+psycopg://user:password@host/name; can be "
            "put into WORDORDER_STUDY_DATABASE, so that no password stands in the history of a shell",
        )


def add_address(parser: argparse.ArgumentParser) -> None:
    """Add the address that people use."""
    parser.add_argument("--port", type=int, default=PORT, metavar="N", help=f"port of the server (default {PORT})")
    parser.add_argument(
        "--url", metavar="URL", help="address that people use, where a proxy with https stands before"
    )


@contextlib.contextmanager
def explain_missing() -> Iterator[None]:
    """Say which extra is to be installed where a package is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("sqlalchemy", "starlette", "uvicorn", "psycopg"):
            raise
        raise UsageError(f"studies need {error.name}; install the extra: pip install 'wordorder[studies]'") from None


@contextlib.contextmanager
def open_study(options: argparse.Namespace) -> Iterator[tuple[Study, Store]]:
    """Read a study and open its store."""
    from wordorder.studies import Study

    study = Study.read(options.folder)
    with explain_missing():
        from wordorder.studies.store import Store
    with Store(study.folder, options.database) as store:
        yield study, store
