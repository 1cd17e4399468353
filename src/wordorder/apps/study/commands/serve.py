"""Serve a study to the people who were invited; Ctrl-C stops the server.

An answer is acknowledged only after it is on disk. The server can be stopped and restarted at any time; people resume
where they left off. By default, only this machine can reach the server. To let others reach it, put a reverse proxy
with HTTPS in front of it, and give its address with --url. If the items or questions were changed after the first
answer, the server does not start.

examples:
  wordorder study serve DIR
  wordorder study serve DIR --preview                                 look at every page
  wordorder study serve DIR --pilot                                   after: wordorder study invite DIR 3 --pilot
  wordorder study serve DIR --port 9000 --url https://studies.example.org
  WORDORDER_STUDY_DATABASE=postgresql+psycopg://me:secret@localhost/study wordorder study serve DIR
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from wordorder.apps.study.commands.arguments import add_address, add_study, open_study, warn_of_consent

if TYPE_CHECKING:
    from wordorder.apps.study import Study
    from wordorder.apps.study.store import Store


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    add_study(parser)
    about = "address to listen on (default 127.0.0.1, reachable only from this machine)"
    parser.add_argument("--host", default="127.0.0.1", help=about)
    add_address(parser)
    about = "show every page to you alone; nothing is stored, and the study can still be changed"
    parser.add_argument("--preview", action="store_true", help=about)


@contextmanager
def _open_preview(options: argparse.Namespace) -> Iterator[tuple[Study, Store]]:
    """Open a study with a database that is deleted at the end."""
    from wordorder.apps.study import Study
    from wordorder.apps.study.store import Store

    with tempfile.TemporaryDirectory() as scratch, Store(scratch, f"sqlite:///{scratch}/preview.db") as store:
        yield Study.read(options.folder), store


def run(options: argparse.Namespace) -> None:
    """Serve the study, or a preview of it, until the server is stopped."""
    from wordorder.apps.study.answers import explain_missing
    from wordorder.core.runtime.errors import count_of
    from wordorder.core.text.checks import warn_about

    with explain_missing(), (_open_preview if options.preview else open_study)(options) as (study, store):
        from wordorder.apps.study.web.serve import find_stale_addresses, is_exposed, link, serve

        warn_of_consent(study)
        if is_exposed(options.host, options.url):
            warn_about(
                "links and answers cross the network unencrypted; put a reverse proxy with HTTPS in front of the "
                "server, and give its address: --url https://…"
            )

        def announce(address: str, admin: str) -> None:
            for other in find_stale_addresses(store.addresses(), address, options.port):
                warn_about(
                    f"links were made for {other}, but people reach this server at {address}; serve the study "
                    "at the old address (--port, --url), or invite people again"
                )
            if options.preview:
                (visitor,) = store.invite(1, "open")
                print(f"preview of {study.settings.title or study.folder.name!r}: {link(address, visitor.token)}")
                print("Ctrl-C stops the server; nothing is stored", flush=True)
                return
            people = count_of(len(store.people("person")), "person", "people")
            print(f"serving {study.settings.title or study.folder.name!r} at {address} ({people} invited)")
            print(f"admin page (for you alone, until the server stops): {admin}")
            print("Ctrl-C stops the server; no answer is lost", flush=True)

        where = {"host": options.host, "port": options.port, "url": options.url}
        serve(study, store, announce=announce, preview=options.preview, **where)
        print("stopped", file=sys.stderr)
