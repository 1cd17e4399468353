"""Attacks and faults: each is refused, and nobody else is disturbed."""

from __future__ import annotations

import os
import resource
import signal
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")

import sqlalchemy as sa
from all_kinds import write_study
from crowd import Process
from postgres import Cluster
from serving import Client, Running, serve_folder

from wordorder.apps.study import Study
from wordorder.apps.study.answers import open_store
from wordorder.apps.study.store import Event, Store, new_uuid
from wordorder.apps.study.store.store import DatabaseLostError
from wordorder.apps.study.store.writer import Writer
from wordorder.apps.study.web.connections import PatientProtocol
from wordorder.apps.study.web.guard import Limit
from wordorder.cli.main import main
from wordorder.core.runtime.errors import InputError

pytestmark = pytest.mark.slow

GOOD = {"choice": "A"}


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    with serve_folder(write_study(tmp_path / "study", "prefer")) as server:
        yield server


@pytest.fixture
def person(running: Running) -> Client:
    found = running.client()
    found.consent()
    return found


def wait_until(holds: Callable[[], bool], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


# --- links and connections ----------------------------------------------------------------------------------------


def test_bad_links_lock_nobody_out_who_has_a_valid_one_behind_the_same_address(running: Running) -> None:
    guesser, newcomer = Client(running.port, "A" * 22), running.client()
    assert [guesser.ask("GET", "/api/study").status for _ in range(13)] == [401] * 10 + [429] * 3
    assert newcomer.ask("GET", "/api/study").status == 200
    assert newcomer.post("consent").status == 200


def open_lines(port: int, count: int, sent: bytes) -> list[socket.socket]:
    lines = [socket.create_connection(("127.0.0.1", port)) for _ in range(count)]
    for line in lines:
        line.sendall(sent)
    return lines


def is_closed(line: socket.socket) -> bool:
    line.settimeout(0.01)
    try:
        return line.recv(4096) == b""
    except TimeoutError:
        return False
    except ConnectionError:
        return True


def close(lines: list[socket.socket]) -> None:
    for line in lines:
        line.close()


HALF = b"POST /api/answer HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{"


@pytest.mark.parametrize("sent", [b"", b"GET /api/study HTTP/1.1\r\nhost:", HALF])
def test_who_sends_nothing_or_half_a_request_is_cut_off(
    running: Running, person: Client, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(PatientProtocol, "patience", 0.5)
    lines = open_lines(running.port, 20, sent)
    assert person.post("answer", place=0, answer=GOOD, revises=0).status == 200
    wait_until(lambda: all(map(is_closed, lines)))
    close(lines)


def test_more_connections_than_the_server_can_have_keep_nobody_out(
    running: Running, person: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PatientProtocol, "most", 30)
    lines = open_lines(running.port, 90, b"GET / HTTP/1.1\r\n")
    assert person.post("answer", place=0, answer=GOOD, revises=0).status == 200
    wait_until(lambda: sum(map(is_closed, lines)) >= 60)
    close(lines)


def test_a_server_with_few_descriptors_serves_people_and_keeps_its_log_short(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = write_study(tmp_path / "study", "prefer")
    with Store(folder) as store:
        (invitation,) = store.invite(1)
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    server = Process(folder)
    resource.setrlimit(resource.RLIMIT_NOFILE, (400, limits[1]))
    try:
        server.start()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    try:
        lines = open_lines(server.port, 700, b"GET / HTTP/1.1\r\n")
        person = Client(server.port, invitation.token)
        assert person.post("consent").status == 200
        assert person.post("answer", place=0, answer=GOOD, revises=0).status == 200
        close(lines)
    finally:
        assert server.kill(signal.SIGINT) == 0
    assert capfd.readouterr().err == "stopped\n"


def test_a_connection_that_is_kept_can_send_one_request_after_the_other(
    running: Running, person: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PatientProtocol, "patience", 0.5)
    request = f"GET /api/study HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {person.token}\r\n\r\n".encode()
    with socket.create_connection(("127.0.0.1", running.port)) as line:
        for _ in range(3):
            line.sendall(request)
            line.settimeout(10)
            received = line.recv(65536)
            while b'"title"' not in received:
                part = line.recv(65536)
                assert part, received
                received += part
            assert received.startswith(b"HTTP/1.1 200")
            time.sleep(0.3)


# --- drafts -------------------------------------------------------------------------------------------------------


def draft(answer: str) -> bytes:
    return f'{{"uuid": "{new_uuid()}", "place": 0, "answer": {answer}}}'.encode()


def test_drafts_are_small_and_flat_and_few(running: Running, person: Client) -> None:
    limit = running.application.drafts_per_person
    deep = [f'{{"choice": {"[" * levels}1{"]" * levels}}}' for levels in (900, 6)]
    for wrong in ('"text"', *deep, f'{{"choice": "{"x" * 30_000}"}}'):
        assert person.ask("POST", "/api/draft", draft(wrong)).status == 422
    assert person.ask("POST", "/api/draft", draft('{"choice": 1e999}')).status == 400
    running.application.drafts_per_person = Limit(limit.times, limit.seconds)
    running.application.others_per_person = Limit(10**6, 1.0)
    sent = [person.post("draft", place=0, answer={"choice": "x" * 19_000}).status for _ in range(40)]
    assert sent == [200] * limit.times + [429] * (40 - limit.times)
    stored = sum(len(event.payload) for event in running.store.events())
    assert stored < limit.times * 20_000
    assert running.client().consent()["progress"]["done"] == 0


def test_an_item_is_shown_once_however_often_the_page_says_so(running: Running, person: Client) -> None:
    assert [person.post("shown", place=0).status for _ in range(5)] == [200] * 5
    assert [event.kind for event in running.store.events()].count("shown") == 1


# --- faults -------------------------------------------------------------------------------------------------------


def test_a_full_disk_is_in_the_log_of_the_server_and_no_answer_is_lost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wordorder.apps.study.store.writer._PAUSES", (0.1,))
    with serve_folder(write_study(tmp_path / "study", "prefer")) as running:
        person = running.client()
        person.consent()
        engine = running.store.engine

        def fill(connection: Any, _: Any) -> None:
            connection.execute(f"PRAGMA max_page_count={pages}")

        pages = 1  # SQLite takes the number of pages that there are
        sa.event.listen(engine, "connect", fill)
        engine.dispose()
        comment = "x" * 1900
        statuses: list[int] = []
        running.application.answers_per_person = Limit(100, 1.0)
        while 503 not in statuses and len(statuses) < 60:
            place = min(len(statuses), 3)
            body = {"place": place, "answer": GOOD | {"comment": comment}, "revises": max(0, len(statuses) - 3)}
            statuses.append(person.post("answer", **body).status)
        assert statuses[-1] == 503
        assert "study.db: database or disk is full" in capsys.readouterr().err
        stored = [event for event in running.store.events() if event.kind in ("answer", "revision")]
        assert len(stored) == len(statuses) - 1
        pages = 1_000_000
        engine.dispose()
        assert person.post("answer", **body).status == 200
        wait_until(lambda: "study.db: answers are stored again" in capsys.readouterr().err)


def test_a_deleted_database_is_noticed_and_nothing_is_acknowledged(tmp_path: Path) -> None:
    with serve_folder(write_study(tmp_path / "study", "prefer")) as running, running.store.serve_alone():
        person = running.client()
        person.consent()
        assert person.post("answer", place=0, answer=GOOD, revises=0).status == 200
        running.store.file.rename(tmp_path / "elsewhere")
        assert person.post("answer", place=1, answer=GOOD, revises=0).status == 503
        assert "deleted or replaced" in str(running.application.writer.lost)


def admit_all(state: Any, event: Event) -> list[Event]:
    return [event]


def write(writer: Writer) -> Event:
    done: Future[Event] = Future()
    writer.write(Event("shown", "p1", "i1", uuid=new_uuid()), done)
    return done.result(30)


def test_a_server_whose_connection_broke_cannot_write_after_another_has_started(
    cluster: Cluster, tmp_path: Path
) -> None:
    url = cluster.create_database()
    with Store(tmp_path, url) as first, Store(tmp_path, url) as second, first.serve_alone():
        writer = Writer(first, admit_all)
        assert write(writer).seq == 1
        for _ in range(2):  # the connection breaks, and the server goes on alone
            with second.engine.connect() as connection:
                others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
                connection.exec_driver_sql(f"{others} AND datname = current_database()")
            write(writer)
        with pytest.raises(InputError, match="another server"), second.serve_alone():
            pass
        writer.stop()
        with second.engine.connect() as connection:
            connection.exec_driver_sql(f"{others} AND datname = current_database()")
        with second.serve_alone():
            for error in (sa.exc.OperationalError, DatabaseLostError):  # it sees that it was cut off, and comes back
                with pytest.raises(error), first.serving():
                    pass
            assert len(list(second.events())) == 3


def test_another_study_is_refused_by_a_database(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    one, two = (write_study(tmp_path / name, "prefer") for name in ("one", "two"))
    toml = (two / "study.toml").read_text().replace('id = "test-prefer"', 'id = "two"')
    (two / "study.toml").write_text(toml)
    url = cluster.create_database()
    for database in (url, f"sqlite:///{tmp_path}/shared.db"):
        monkeypatch.setenv("WORDORDER_STUDY_DATABASE", database)
        assert main(["study", "invite", "one", "2"]) == 0
        for command in ("invite two 2", "close two", "status two", "serve two", "analyse two", "withdraw two p1"):
            assert main(["study", *command.split()]) == 1
            assert "this database belongs to study 'test-prefer', and the id of this one is 'two'" in (
                capsys.readouterr().err
            )
        with open_store(Study.read(one)) as store:
            assert [event.kind for event in store.events()] == ["study"]
            assert len(store.people()) == 2
    (two / "study.toml").write_text(toml.replace('id = "two"\n', ""))
    assert main(["study", "close", "two", "--database", cluster.create_database()]) == 1
    assert "study.toml: a study with a database elsewhere needs an id" in capsys.readouterr().err
    (two / "study.toml").write_text(toml)
    with Store(tmp_path, url) as store, store.writing() as connection:
        connection.exec_driver_sql("CREATE SCHEMA two")
    separator = "&" if "?" in url else "?"
    schema = f"{url}{separator}options=-csearch_path%3Dtwo"
    assert main(["study", "close", "two", "--database", schema]) == 0
    with open_store(Study.read(one), url) as store, open_store(Study.read(two), schema) as other:
        assert (store.state().closed, other.state().closed) == (False, True)
        with store.serve_alone(), other.serve_alone():  # they live side by side
            pass


def test_a_database_is_refused_in_the_folder_of_another_study(tmp_path: Path) -> None:
    one, two = (write_study(tmp_path / name, "prefer") for name in ("one", "two"))
    with open_store(Study.read(one)) as store:
        store.invite(1)
    os.rename(one / "study.db", two / "study.db")
    toml = (two / "study.toml").read_text()
    (two / "study.toml").write_text(toml.replace('id = "test-prefer"', 'id = "two"'))
    with pytest.raises(InputError, match="belongs to study 'test-prefer'"), open_store(Study.read(two)):
        pass


@pytest.mark.parametrize("role", ["--open", "--admin", "3"])
def test_only_their_owner_can_read_links(tmp_path: Path, role: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_study(tmp_path / "study", "prefer")
    assert main(["study", "invite", "study", role, "-o", "links.tsv"]) == 0
    assert (tmp_path / "links.tsv").stat().st_mode & 0o777 == 0o600
