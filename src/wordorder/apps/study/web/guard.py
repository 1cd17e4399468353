"""Checks that apply to every request, rate limits, and security headers for every reply.

There are no cookies, so other sites cannot act in a person's name. These checks protect against further attacks, such
as DNS rebinding and embedding in other pages.

A rate limit allows at most a given number of events in a given number of seconds for each key.
"""

import ipaddress
import time
from collections import deque
from collections.abc import Callable, Collection
from functools import lru_cache
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wordorder.apps.study.store.writer import deny

LARGEST = 64 * 1024
"""The largest size of a request, in bytes."""

TOO_LARGE = "The request is larger than 64 KiB."

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}

_RAW = [(name.encode(), value.encode()) for name, value in HEADERS.items()]


class Guard:
    """Checks the host, origin, type and size of each request, and adds headers to each reply.

    ``hosts`` are the host names that people use; localhost and IP addresses, as used by reverse proxies, are always
    accepted.
    """

    def __init__(self, app: ASGIApp, *, hosts: Collection[str] = ()) -> None:
        self.app = app
        self.hosts = frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one ASGI request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_RAW]
            await send(message)

        refusal = self._refuse(scope["method"], Headers(scope=scope))
        if refusal is not None:
            await refusal(scope, receive, send_guarded)
            return
        received = 0

        async def receive_limited() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            deny(received > LARGEST, TOO_LARGE, status=413)
            return message

        await self.app(scope, receive_limited, send_guarded)

    def _refuse(self, method: str, headers: Headers) -> JSONResponse | None:
        host = headers.get("host", "")
        if not self._is_known_host(host):
            return refuse(421, "This server does not answer to that name.")
        foreign = headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none") and method != "GET"
        if foreign or not self._is_same_origin(headers.get("origin"), host):
            return refuse(403, "Other sites may not send requests to this server.")
        if method == "POST" and headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return refuse(415, "Requests must be JSON (content-type: application/json).")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > LARGEST:
            return refuse(413, TOO_LARGE)
        return None

    def _is_known_host(self, host: str) -> bool:
        """Return whether a host is a known name or an IP address; DNS rebinding requires another name."""
        name = _hostname(f"//{host}")
        return name == "localhost" or name in self.hosts or ip_address(name) is not None

    def _is_same_origin(self, origin: str | None, host: str) -> bool:
        """Return whether a request comes from a page of this server."""
        return origin is None or origin.partition("//")[2] == host or _hostname(origin) in self.hosts


@lru_cache(maxsize=1000)
def _hostname(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


@lru_cache(maxsize=1000)
def ip_address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return the IP address that a host name such as "127.0.0.1" consists of; None for other names."""
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None


def refuse(status: int, message: str, **more: object) -> JSONResponse:
    """Return a reply that explains in one sentence why a request was refused."""
    headers = {"retry-after": "1"} if status in (429, 503) else None
    return JSONResponse({"error": message, **more}, status, headers)


_MOST_KEYS = 10_000


class Limit:
    """Allows each key at most ``times`` events within ``seconds`` seconds.

    >>> clock = iter([0.0, 0.1, 0.2, 1.05, 1.06])
    >>> limit = Limit(2, 1.0, clock=lambda: next(clock))
    >>> [limit.allows("a") for _ in range(5)]
    [True, True, False, True, False]
    """

    def __init__(self, times: int, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.times = times
        self.seconds = seconds
        self._clock = clock
        self._past: dict[str, deque[float]] = {}

    def allows(self, key: str) -> bool:
        """Return whether another event is allowed, and count it if so."""
        now = self._clock()
        past = self._past.get(key, deque())
        while past and now - past[0] >= self.seconds:
            past.popleft()
        if len(past) >= self.times:
            return False
        if len(self._past) > _MOST_KEYS:
            self._past = {one: when for one, when in self._past.items() if when and now - when[-1] < self.seconds}
        self._past.setdefault(key, past).append(now)
        return True
