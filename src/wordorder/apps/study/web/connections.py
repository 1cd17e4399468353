"""Connections that hold a server up: those on which no whole request arrives, and those beyond what it can open."""

import asyncio
import resource
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE = 15.0
"""The seconds within which a whole request must arrive."""

_USUAL = 500


def most_connections() -> int:
    """Return how many connections the server can have at a time: half as many as the files that it may open.

    The other half is for connections that have been accepted but not counted, and those that are being closed.
    """
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _USUAL if soft == resource.RLIM_INFINITY else soft // 2


class PatientProtocol(H11Protocol):
    """A connection that is closed if no whole request arrives in time.

    If there are more than ``most`` connections, the one that has waited longest for its request is closed, so a new
    one is always served.
    """

    most = _USUAL
    patience = PATIENCE
    _since = 0.0
    _timer: asyncio.TimerHandle | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether no request, or only a part of one, has arrived, and the connection is not being closed."""
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY) and not self.transport.is_closing()

    def connection_made(self, transport: Any) -> None:
        """Wait for a request; make room for this connection if there are too many."""
        super().connection_made(transport)
        self._wait()
        if len(self.connections) > self.most:
            waiting = [one for one in self.connections if isinstance(one, PatientProtocol) and one.is_waiting]
            min(waiting, key=lambda one: one._since).transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read a part of a request; each request has to arrive in time, not only its first part."""
        super().data_received(data)
        if not self.is_waiting:
            self._stop()
        elif self._timer is None:
            self._wait()

    def _wait(self) -> None:
        self._since = self.loop.time()
        self._timer = self.loop.call_later(self.patience, self.transport.abort)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
