"""Run the web server of a study until the process is stopped."""

import secrets
import signal
import socket
import threading
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import uvicorn

from wordorder.apps.study.folder import Study
from wordorder.apps.study.store import Store
from wordorder.apps.study.web.app import Application
from wordorder.apps.study.web.connections import PatientProtocol, most_connections
from wordorder.apps.study.web.guard import ip_address
from wordorder.core.runtime.errors import UsageError, refuse


def serve(
    study: Study,
    store: Store,
    *,
    host: str = "127.0.0.1",
    port: int = 8400,
    url: str | None = None,
    announce: Callable[[str, str], None] = lambda address, admin: None,
    preview: bool = False,
) -> None:
    """Serve a study; once the server is listening, call ``announce`` with its address and the admin link.

    ``url`` is the public address of the server, if it differs from its address on this machine. In a ``preview``,
    visitors can go to any page.
    """
    name = urlsplit(url).hostname if url else None
    refuse(url and not name, f"{url!r} is not an address; expected something like https://studies.example.org")
    with store.serve_alone(), _listen(host, port) as listening:
        address = (url or address_of(*listening.getsockname()[:2])).rstrip("/")
        admin = secrets.token_urlsafe(16)
        application = Application(study, store, hosts=[name] if name else [], admin=admin, preview=preview)
        PatientProtocol.most = most_connections()
        server = make_server(application, backlog=min(100, PatientProtocol.most // 8))
        application.writer.on_lost = partial(setattr, server, "should_exit", True)
        if threading.current_thread() is threading.main_thread():
            signal.set_wakeup_fd(-1)  # uvicorn handles signals itself
        announce(address, link(address, admin))
        try:
            server.run(sockets=[listening])
        finally:
            application.stop()
        if application.writer.lost:
            raise application.writer.lost


def make_server(application: Application, **settings: Any) -> uvicorn.Server:
    """Return a server for an application; ``settings`` are those of uvicorn."""
    config = uvicorn.Config(
        application.asgi,
        http=PatientProtocol,
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=5,
        **settings,
    )
    return uvicorn.Server(config)


def link(address: str, token: str) -> str:
    """Return the link for a token; browsers do not send the part after # to servers, so no log contains it."""
    return f"{address.rstrip('/')}/#t={token}"


def address_of(host: str, port: int) -> str:
    """Return the address of a server on this machine.

    >>> address_of("::1", 8400)
    'http://[::1]:8400'
    """
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def find_stale_addresses(links: Iterable[str], served: str, port: int) -> list[str]:
    """Return the addresses in ``links`` that do not lead to this server, which people reach at ``served``.

    A link to localhost or to an IP address is assumed to lead to this server if it has the right ``port``.

    >>> find_stale_addresses(["http://127.0.0.1:8400", "https://a.org"], "https://a.org", 8411)
    ['http://127.0.0.1:8400']
    """

    def leads(address: str) -> bool:
        parts = urlsplit(address)
        host = parts.hostname or ""
        return address == served or (parts.port == port and (host == "localhost" or ip_address(host) is not None))

    return [address for address in links if not leads(address)]


def is_exposed(host: str, url: str | None) -> bool:
    """Return whether answers would cross a network without encryption."""
    number = ip_address(host)
    local = host == "localhost" or (number is not None and number.is_loopback)
    return not (url or "").startswith("https://") and (not local or bool(url))


def _listen(host: str, port: int) -> socket.socket:
    refuse(not 0 <= port < 1 << 16, f"{port} is not a port; expected 0 to 65535")
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=256)
    except OSError as error:
        raise UsageError(f"cannot listen on {host}, port {port}: {error.strerror}; choose another port") from error
