"""The server is killed and PostgreSQL is stopped under fifty clients: nothing that was acknowledged is lost."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("starlette")

from all_kinds import write_study
from crowd import Blow, Crowd, Process, gather_under_fire, losses
from postgres import Cluster

from wordorder.apps.study.store import Store

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="needs signals")]

PEOPLE, ITEMS = 50, 5


@pytest.fixture
def database(cluster: Cluster) -> str:
    """The URL of a database that only this test uses."""
    return cluster.create_database()


def strike(folder: Path, database: str | None, blows: Callable[[Process], list[Callable[[], None]]]) -> dict[str, int]:
    server = Process(write_study(folder, "prefer", items=ITEMS - 2), database)
    with Store(folder, database) as store:
        invitations = store.invite(PEOPLE)
    server.start()
    crowd = Crowd()
    people = [[one.token] for one in invitations]
    try:
        asyncio.run(gather_under_fire(crowd, server, people, lambda: {"choice": "A"}, blows(server), PEOPLE * ITEMS))
    finally:
        code = server.kill(signal.SIGINT)
    assert code == 0
    assert crowd.retries > 0
    with Store(folder, database) as store:
        invited = {one.token: one.person.id for one in invitations}
        return losses(store, crowd, invited, PEOPLE * ITEMS)


def kill_and_start(server: Process) -> Blow:
    def blow() -> None:
        server.kill()
        server.start()

    return blow


NOTHING_LOST = {"answers": PEOPLE * ITEMS, "missing": 0, "different": 0, "doubled": 0, "unfinished": 0}


def test_nothing_is_lost_when_the_server_is_killed(tmp_path: Path) -> None:
    found = strike(tmp_path / "study", None, lambda server: [kill_and_start(server)])
    assert found == NOTHING_LOST


def test_nothing_is_lost_when_server_and_postgresql_are_killed(tmp_path: Path, cluster: Cluster, database: str) -> None:
    found = strike(tmp_path / "study", database, lambda server: [cluster.restart_at_once, kill_and_start(server)])
    assert found == NOTHING_LOST


def test_postgresql_keeps_the_log_as_it_is(tmp_path: Path, database: str) -> None:
    import sqlalchemy as sa

    from wordorder.apps.study.store import Event
    from wordorder.core.runtime.errors import InputError

    with Store(tmp_path, database) as store:
        store.append([Event("close")])
        for statement in ("UPDATE event SET payload = ''", "DELETE FROM event", "TRUNCATE event"):
            with pytest.raises(sa.exc.DBAPIError, match="append-only"), store.writing() as connection:
                connection.exec_driver_sql(statement)
        (invitation,) = store.invite(1)
        store.append([Event("consent", invitation.person.id)])
        assert store.withdraw(invitation.person.id, erase=True) == 1
        assert store.state().of(invitation.person.id).withdrawn
        second = Store(tmp_path, database)
        with second, store.serve_alone(), pytest.raises(InputError, match="another server"), second.serve_alone():
            pass
    assert not (tmp_path / "study.db").exists()
