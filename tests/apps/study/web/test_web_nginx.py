"""The nginx configuration of the documentation in front of a server: people take part through it."""

from __future__ import annotations

import http.client
import json
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")

from all_kinds import write_study
from serving import Running, serve_folder

from wordorder.apps.study.store import new_uuid

pytestmark = pytest.mark.slow

NAME = "studies.example.org"
PAGE = Path(__file__).parents[4] / "docs" / "study-server.md"
FRAME = """\
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ }}
http {{
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
{server}
}}
"""


@dataclass
class Proxied(Running):
    """A study that is served behind nginx."""

    secure_port: int = 0


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Proxied]:
    if (nginx := shutil.which("nginx") or shutil.which("/usr/sbin/nginx")) is None or shutil.which("openssl") is None:
        pytest.skip("there is no nginx: install the packages nginx-light and openssl")
    with serve_folder(write_study(tmp_path / "study", "prefer"), hosts=[NAME]) as server:
        process, port = start(nginx, server, tmp_path)
        yield Proxied(**vars(server), secure_port=port)
        process.terminate()
        process.wait()


def start(nginx: str, server: Running, folder: Path) -> tuple[subprocess.Popen[bytes], int]:
    """Start nginx with the documented configuration, on a free port and with a certificate of its own."""
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", f"/CN={NAME}"]
    subprocess.run([*make, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    block = PAGE.read_text(encoding="utf-8").partition("## Behind nginx")[2].partition("```text\n")[2]
    block = block.partition("```")[0]
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    for old, new in (
        ("443", str(port)),
        ("8400", str(server.port)),
        (f"/etc/letsencrypt/live/{NAME}/fullchain.pem", str(certificate)),
        (f"/etc/letsencrypt/live/{NAME}/privkey.pem", str(key)),
    ):
        assert old in block
        block = block.replace(old, new)
    (folder / "nginx.conf").write_text(FRAME.format(folder=folder, server=block))
    process = subprocess.Popen([nginx, "-c", str(folder / "nginx.conf"), "-p", str(folder)])
    end = time.monotonic() + 20
    while time.monotonic() < end and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return process, port
        except OSError:
            time.sleep(0.05)
    raise AssertionError((folder / "error.log").read_text())


def ask(running: Proxied, method: str, path: str, token: str, body: Any = None, **headers: str) -> tuple[int, Any]:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    connection = http.client.HTTPSConnection("127.0.0.1", running.secure_port, context=context)
    usual = {"host": NAME, "origin": f"https://{NAME}", "authorization": f"Bearer {token}"}
    data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
    connection.request(method, path, data, usual | {"content-type": "application/json"} | headers)
    reply = connection.getresponse()
    read = reply.read()
    connection.close()
    return reply.status, json.loads(read) if reply.headers["content-type"] == "application/json" else read


def test_people_take_part_through_nginx(running: Proxied) -> None:
    (invitation,) = running.store.invite(1)
    token = invitation.token
    status, page = ask(running, "GET", "/", token)
    assert (status, b"<!doctype html>" in page) == (200, True)
    assert ask(running, "GET", "/assets/main.js", token)[0] == 200
    assert ask(running, "POST", "/api/consent", token, {"uuid": new_uuid()})[0] == 200
    for place in range(4):
        body = {"uuid": new_uuid(), "place": place, "answer": {"choice": "A"}, "revises": 0}
        assert ask(running, "POST", "/api/answer", token, body)[0] == 200
    assert ask(running, "GET", "/api/study", token)[1]["progress"]["next"] is None
    assert [event.kind for event in running.store.events()].count("answer") == 4


def test_what_the_server_refuses_it_refuses_behind_nginx(running: Proxied) -> None:
    (invitation,) = running.store.invite(1)
    refused = [ask(running, "GET", "/api/study", "A" * 22)[0] for _ in range(12)]
    assert refused == [401] * 10 + [429] * 2
    assert ask(running, "GET", "/api/study", invitation.token)[0] == 200
    assert set(running.application.unknown_per_address._past) == {"127.0.0.1"}
    ask(running, "GET", "/api/study", "A" * 22, **{"X-Forwarded-For": "203.0.113.9"})  # nobody chooses an address
    assert set(running.application.unknown_per_address._past) == {"127.0.0.1"}
    assert ask(running, "POST", "/api/consent", invitation.token, b" " * 70_000)[0] == 413
    elsewhere = {"origin": "https://evil.example"}
    assert ask(running, "POST", "/api/consent", invitation.token, {}, **elsewhere)[0] == 403
