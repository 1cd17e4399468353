"""A crowd of clients that answer everything, whatever becomes of the server; and the server as a process."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wordorder.studies.store import ANSWERS, Store, new_uuid

Value = dict[str, Any]
Blow = Callable[[], None]


@dataclass
class Process:
    """``wordorder study serve`` as a process that can be killed and started again."""

    folder: Path
    database: str | None = None
    port: int = 0
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        if not self.port:
            with socket.create_server(("127.0.0.1", 0)) as free:
                self.port = free.getsockname()[1]
        command = [sys.executable, "-m", "wordorder", "study", "serve", str(self.folder), "--port", str(self.port)]
        source = str(Path(__file__).resolve().parents[2] / "src")
        environment = os.environ | {"PYTHONPATH": source}
        environment |= {"WORDORDER_STUDY_DATABASE": self.database} if self.database else {}
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        while self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise AssertionError(f"the server ended with {self.process.returncode}")

    def kill(self, number: int = signal.SIGKILL) -> int:
        assert self.process is not None
        self.process.send_signal(number)
        return self.process.wait()


class Line:
    """A connection that is kept, and opened again when it broke."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, token: str, body: Value | None = None) -> tuple[int, Value]:
        data = b"" if body is None else json.dumps(body).encode()
        head = (
            f"{method} {path} HTTP/1.1\r\nhost: 127.0.0.1:{self.port}\r\nauthorization: Bearer {token}\r\n"
            f"content-type: application/json\r\ncontent-length: {len(data)}\r\n\r\n"
        )
        try:
            if self.streams is None:
                self.streams = await asyncio.open_connection("127.0.0.1", self.port)
            reader, writer = self.streams
            writer.write(head.encode() + data)
            found = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            length = int(found.partition("content-length: ")[2].partition("\r\n")[0])
            return int(found.split()[1]), json.loads(await reader.readexactly(length))
        except (OSError, asyncio.IncompleteReadError):
            self.close()
            raise ConnectionError from None

    def close(self) -> None:
        if self.streams is not None:
            self.streams[1].close()
        self.streams = None


@dataclass
class Crowd:
    """What a crowd did: everything that was acknowledged, and how long it took."""

    acknowledged: dict[str, tuple[str, int, Value]] = field(default_factory=dict)
    times: list[float] = field(default_factory=list)
    refused: Counter[int] = field(default_factory=Counter)
    retries: int = 0
    finished: int = 0

    async def insist(self, line: Line, kind: str, token: str, body: Value) -> Value:
        """Send a request until it is acknowledged, as the page does."""
        while True:
            try:
                start = time.perf_counter()
                status, reply = await line.ask("POST", f"/api/{kind}", token, body)
                if status == 200:
                    self.times.append(time.perf_counter() - start)
                    return reply
                if status not in (429, 503):
                    raise AssertionError((status, reply))
                self.refused[status] += 1
            except ConnectionError:
                pass
            self.retries += 1
            await asyncio.sleep(random.uniform(0.02, 0.1))

    async def take_part(self, port: int, tokens: list[str], answer: Callable[[], Value], every: float) -> None:
        """Answer all items of some people, one of each in turn; ``every``: seconds from one answer to the next."""
        line = Line(port)
        where = {token: await self._begin(line, token) for token in tokens}
        await asyncio.sleep(random.random() * every)
        while where:
            for token, place in list(where.items()):
                begun = time.perf_counter()
                body: Value = {"uuid": new_uuid(), "place": place, "answer": answer(), "revises": 0, "visible": 9}
                reply = await self.insist(line, "answer", token, body)
                self.acknowledged[body["uuid"]] = (token, place, body["answer"])
                following = reply["progress"]["next"]
                if following is None:
                    del where[token]
                    self.finished += 1
                else:
                    where[token] = following
                await asyncio.sleep(max(0.0, every - (time.perf_counter() - begun)))
        line.close()

    async def _begin(self, line: Line, token: str) -> int:
        reply = await self.insist(line, "consent", token, {"uuid": new_uuid()})
        self.times.clear()
        return int(reply["progress"]["next"])


async def gather(crowd: Crowd, port: int, people: list[list[str]], answer: Callable[[], Value], every: float) -> None:
    """Let one client after the other begin, and wait until all have finished."""
    await asyncio.gather(*(crowd.take_part(port, tokens, answer, every) for tokens in people))


async def gather_under_fire(
    crowd: Crowd,
    server: Process,
    people: list[list[str]],
    answer: Callable[[], Value],
    blows: list[Blow],
    total: int,
) -> None:
    """Let a crowd answer while server or database are struck down again and again, evenly over the answers."""
    work = asyncio.create_task(gather(crowd, server.port, people, answer, 0.0))
    for number, blow in enumerate(blows, start=1):
        while len(crowd.acknowledged) < total * number / (len(blows) + 1) and not work.done():
            await asyncio.sleep(0.002)
        await asyncio.to_thread(blow)
    await work


def losses(store: Store, crowd: Crowd, invited: dict[str, str], total: int) -> dict[str, int]:
    """Compare what was acknowledged with the log: what is missing, doubled, different, or answered twice."""
    log = [event for event in store.events() if event.kind in ANSWERS]
    stored = {event.uuid: event for event in log}
    each = Counter((event.person, event.item) for event in log)
    return {
        "answers": len(log),
        "missing": sum(uuid not in stored for uuid in crowd.acknowledged),
        "different": sum(
            uuid in stored and (stored[uuid].person, stored[uuid].content["answer"]) != (invited[token], value)
            for uuid, (token, _, value) in crowd.acknowledged.items()
        ),
        "doubled": sum(count > 1 for count in each.values()) + len(log) - len(stored),
        "unfinished": total - len(each),
    }
