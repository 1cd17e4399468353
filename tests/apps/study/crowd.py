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

import wordorder
from wordorder.apps.study.store import ANSWERS, Store, new_uuid

Value = dict[str, Any]
Where = dict[str, int]
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
        source = str(Path(wordorder.__file__).parents[1])
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


class Line(asyncio.Protocol):
    """A connection that is kept, and opened again when it broke; it should cost little beside the server."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.transport: asyncio.Transport | None = None
        self.received = b""
        self.reply: asyncio.Future[tuple[int, Value]] | None = None

    async def ask(self, method: str, path: str, token: str, body: Value | None = None) -> tuple[int, Value]:
        data = b"" if body is None else json.dumps(body).encode()
        head = (
            f"{method} {path} HTTP/1.1\r\nhost: 127.0.0.1:{self.port}\r\nauthorization: Bearer {token}\r\n"
            f"content-type: application/json\r\ncontent-length: {len(data)}\r\n\r\n"
        )
        loop = asyncio.get_running_loop()
        if self.transport is None:
            try:
                self.transport, _ = await loop.create_connection(lambda: self, "127.0.0.1", self.port)
            except OSError:
                raise ConnectionError from None
        self.received, self.reply = b"", loop.create_future()
        self.transport.write(head.encode() + data)
        return await self.reply

    def data_received(self, data: bytes) -> None:
        self.received += data
        head, found, body = self.received.partition(b"\r\n\r\n")
        if not found or self.reply is None or self.reply.done():
            return
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        if len(body) == length:
            self.reply.set_result((int(head.split(maxsplit=2)[1]), json.loads(body)))

    def connection_lost(self, error: Exception | None) -> None:
        self.transport = None
        if self.reply is not None and not self.reply.done():
            self.reply.set_exception(ConnectionError())

    def close(self) -> None:
        if self.transport is not None:
            self.transport.close()


@dataclass
class Crowd:
    """What a crowd did: everything that was acknowledged, and how long it took."""

    acknowledged: dict[str, tuple[str, int, Value]] = field(default_factory=dict)
    times: list[float] = field(default_factory=list)
    refused: Counter[int] = field(default_factory=Counter)
    retries: int = 0
    finished: int = 0

    async def retry(self, line: Line, kind: str, token: str, body: Value) -> Value:
        """Send a request until it is acknowledged, as the page does."""
        while True:
            try:
                status, reply = await line.ask("POST", f"/api/{kind}", token, body)
                if status == 200:
                    return reply
                if status not in (429, 503):
                    raise AssertionError((status, reply))
                self.refused[status] += 1
            except ConnectionError:
                pass
            self.retries += 1
            await asyncio.sleep(random.uniform(0.02, 0.1))

    async def begin(self, port: int, tokens: list[str]) -> tuple[Line, Where]:
        """Consent for some people; return the place where each of them begins."""
        line = Line(port)
        replies = {token: await self.retry(line, "consent", token, {"uuid": new_uuid()}) for token in tokens}
        return line, {token: int(reply["progress"]["next"]) for token, reply in replies.items()}

    async def take_part(self, line: Line, where: Where, answer: Callable[[], Value], every: float) -> None:
        """Answer all items of some people, one of each in turn; ``every``: seconds from one answer to the next."""
        await asyncio.sleep(random.random() * every)
        while where:
            for token, place in list(where.items()):
                begun = time.perf_counter()
                body: Value = {"uuid": new_uuid(), "place": place, "answer": answer(), "revises": 0, "visible": 9}
                start = time.perf_counter()
                reply = await self.retry(line, "answer", token, body)
                self.times.append(time.perf_counter() - start)
                self.acknowledged[body["uuid"]] = (token, place, body["answer"])
                following = reply["progress"]["next"]
                if following is None:
                    del where[token]
                    self.finished += 1
                else:
                    where[token] = following
                await asyncio.sleep(max(0.0, every - (time.perf_counter() - begun)))
        line.close()


async def gather(crowd: Crowd, port: int, people: list[list[str]], answer: Callable[[], Value]) -> None:
    """Let every client begin and answer as fast as it can, and wait until all have finished."""

    async def one(tokens: list[str]) -> None:
        await crowd.take_part(*await crowd.begin(port, tokens), answer, 0.0)

    await asyncio.gather(*map(one, people))


async def gather_under_fire(
    crowd: Crowd, server: Process, people: list[list[str]], answer: Callable[[], Value], blows: list[Blow], total: int
) -> None:
    """Let a crowd answer while server or database are struck down again and again, evenly over the answers."""
    work = asyncio.create_task(gather(crowd, server.port, people, answer))
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
