"""A server of a study in a thread of the tests, and a client that speaks to it as a page would."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wordorder.apps.study import Study
from wordorder.apps.study.store import Store, new_uuid
from wordorder.apps.study.web.app import Application
from wordorder.apps.study.web.serve import make_server


@dataclass
class Reply:
    """A reply of the server: its status, its headers and its body."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> str:
        return str(self.json().get("error", ""))


@dataclass
class Client:
    """Somebody with a token."""

    port: int
    token: str = ""
    seen: list[bytes] = field(default_factory=list)

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Reply:
        """Send one request; ``content_type="text/plain"`` and the like replace the usual headers."""
        usual = {"authorization": f"Bearer {self.token}", "content-type": "application/json"}
        usual |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        try:
            connection.request(method, path, data, usual)
            found = connection.getresponse()
            reply = Reply(found.status, {name.lower(): value for name, value in found.getheaders()}, found.read())
        finally:
            connection.close()
        self.seen.append(repr(reply.headers).encode() + reply.body)
        return reply

    def get(self, path: str) -> Any:
        return self.ask("GET", path).json()

    def post(self, kind: str, **content: Any) -> Reply:
        return self.ask("POST", f"/api/{kind}", {"uuid": new_uuid(), "time": 1, **content})

    def consent(self) -> Any:
        return self.post("consent").json()


@dataclass
class Running:
    """A study that is served."""

    study: Study
    store: Store
    application: Application
    port: int

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def client(self, role: str = "person") -> Client:
        (invitation,) = self.store.invite(1, role)
        return Client(self.port, invitation.token)


@contextmanager
def serve_folder(folder: Path, **settings: Any) -> Iterator[Running]:
    """Serve a study in a thread."""
    study = Study.read(folder)
    with Store(folder) as store:
        application = Application(study, store, **settings)
        server = make_server(application, port=0)
        thread = threading.Thread(target=server.run)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield Running(study, store, application, server.servers[0].sockets[0].getsockname()[1])
        finally:
            server.should_exit = True
            thread.join()
            application.stop()
