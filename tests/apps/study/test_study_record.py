"""What a study keeps of its own rules and of people's consent; what is erased, and what a copy holds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("starlette")

from all_kinds import write_study
from postgres import Cluster
from serving import Client, serve_folder

from wordorder.apps.study import Study
from wordorder.apps.study.answers import open_store
from wordorder.apps.study.store import Event, Store
from wordorder.apps.study.web.guard import Limit
from wordorder.cli.main import main
from wordorder.core.runtime.errors import InputError

pytestmark = pytest.mark.slow

GOOD = {"choice": "A"}


def take_part(client: Client, items: int, **consent: str) -> None:
    assert client.post("consent", **consent).status == 200
    for place in range(items):
        assert client.post("answer", place=place, answer=GOOD, revises=0, visible=2000).status == 200


def change(folder: Path, old: str, new: str) -> None:
    toml = folder / "study.toml"
    text = toml.read_text()
    assert old in text
    toml.write_text(text.replace(old, new))


def test_rules_and_texts_that_change_after_the_first_answer_are_in_the_log_and_in_the_analysis(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "study", "prefer")
    with serve_folder(folder) as running:
        first = running.client()
        text = first.get("/api/study")["consent"]
        take_part(first, 4, text=text)
    assert Study.read(folder).analyse().tables["people"].notes[0].startswith("only 1 participant")
    change(folder, "gold_pass = 0.7", "gold_pass = 0.0")
    change(folder, "for five minutes", "for an hour")
    with serve_folder(folder) as running:
        second = running.client()
        reply = second.post("consent", text=text)
        assert (reply.status, reply.error) == (
            409,
            "The text of this page has changed. Please reload the page and read it again.",
        )
        take_part(second, 4, text=second.get("/api/study")["consent"])
    with serve_folder(folder) as running:
        record = [event.content for event in running.store.events_of("material")]
        agreed = [event.content["text"] for event in running.store.events_of("consent")]
    assert [one["rules"]["gold_pass"] for one in record] == [0.7, 0.0]
    assert ["hour" in one["consent"] for one in record] == [False, True]
    assert agreed[0] == text
    assert agreed[1] != text
    assert list(Study.read(folder).analyse().tables["people"].notes[:2]) == [
        "changed after 4 answers: gold_pass from 0.7 to 0.0",
        "people agreed to 2 texts of the consent page (1, 1 people)",
    ]
    change(folder, "gold_pass = 0.0", "gold_pass = 0.1")  # never served like that
    notes = Study.read(folder).analyse().tables["people"].notes
    assert "changed after 8 answers: gold_pass from 0.0 to 0.1" in notes


def test_people_can_erase_themselves(tmp_path: Path) -> None:
    with serve_folder(write_study(tmp_path / "study", "prefer")) as running:
        leaver, stayer = running.client(), running.client()
        running.application.answers_per_person = Limit(100, 1.0)
        for one in (leaver, stayer):
            take_part(one, 2)
        leaver.post("details", fields={"Native language*": "Forget-Me-Please"})
        assert running.client("admin").post("withdraw").status == 403
        assert leaver.post("withdraw").status == 200
        assert leaver.ask("GET", "/api/study").status == 401
        assert leaver.post("answer", place=2, answer=GOOD, revises=0).status == 401
        assert stayer.post("answer", place=2, answer=GOOD, revises=0).status == 200
        log = list(running.store.events())
        assert {event.kind for event in log if event.person == "p1"} == {"withdrawal"}
        files = b"".join(path.read_bytes() for path in (tmp_path / "study").glob("study.db*"))
        assert b"Forget-Me-Please" not in files


def test_erasing_in_postgresql_leaves_nothing_in_the_files_of_the_tables(cluster: Cluster, tmp_path: Path) -> None:
    import psycopg

    url = cluster.create_database()
    with Store(tmp_path, url) as store:
        (invitation,) = store.invite(1)
        comment = json.dumps({"answer": {"choice": "A", "comment": "Forget-Me-Please"}})
        store.append([Event("answer", invitation.person.id, "i1", comment)])

        def is_there() -> bool:
            with psycopg.connect(f"host={cluster.folder} user=study dbname=postgres", autocommit=True) as connection:
                connection.execute("CHECKPOINT")
            tables = (cluster.folder / "data" / "base").rglob("*")
            return any(b"Forget-Me-Please" in path.read_bytes() for path in tables if path.is_file())

        assert is_there()
        assert store.withdraw(invitation.person.id, erase=True) == 1
        assert not is_there()


def test_a_copy_is_made_while_the_study_is_served_and_can_take_its_place(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = write_study(tmp_path / "study", "prefer")
    with serve_folder(folder) as running:
        person = running.client()
        running.application.answers_per_person = Limit(100, 1.0)
        take_part(person, 2)
        assert main(["study", "backup", "study", "--to", "copy.db"]) == 0
        before = list(running.store.events())
        assert person.post("answer", place=2, answer=GOOD, revises=0).status == 200
    assert capsys.readouterr().out == f"copy.db: {len(before)} events\n"
    assert main(["study", "backup", "study", "--to", "copy.db"]) == 2
    assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.glob("copy.db*")] == ["copy.db"]
    for file in folder.glob("study.db*"):
        file.unlink()
    (tmp_path / "copy.db").rename(folder / "study.db")
    with serve_folder(folder) as running:
        assert list(running.store.events())[: len(before)] == before
        assert Client(running.port, person.token).post("answer", place=2, answer=GOOD, revises=0).status == 200
    with open_store(Study.read(folder), cluster.create_database()) as store:
        store.append([Event("close")])
        assert store.copy_to(tmp_path / "from-postgresql.db") == 2
    with Store(tmp_path, f"sqlite:///{tmp_path}/from-postgresql.db") as copy:
        assert [event.kind for event in copy.events()] == ["study", "close"]
        with pytest.raises(Exception, match="append-only"), copy.writing() as connection:
            connection.exec_driver_sql("DELETE FROM event")


@pytest.mark.parametrize("payload", ['{"id": "pre', "{}"])
def test_a_damaged_record_of_the_study_is_an_error_that_names_the_log(payload: str, tmp_path: Path) -> None:
    study = Study.read(write_study(tmp_path / "prefer", "prefer"))
    with Store(study.folder) as store:
        store.append([Event("study", payload=payload)])
    with pytest.raises(InputError, match=r"study\.db: the log of events is damaged"), open_store(study):
        pytest.fail("the database is opened")
