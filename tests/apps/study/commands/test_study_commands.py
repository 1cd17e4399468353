"""The commands about people: invite, status, close, withdraw, and what serve refuses."""

from __future__ import annotations

import json
import re
import socket
import sys
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy")

from all_kinds import write_study

from wordorder.apps.study import Study
from wordorder.apps.study.store import Event, Store
from wordorder.apps.study.store.events import write_payload
from wordorder.cli.main import main

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WORDORDER_STUDY_DATABASE", raising=False)
    return write_study(tmp_path / "study", "prefer")


def test_people_are_invited_once_and_never_again_under_the_same_link(folder: Path, capsys: Capture) -> None:
    for _ in range(2):
        assert main(["study", "invite", "study", "2", "--url", "https://x.org/"]) == 0
    heading, *rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert heading == ["person", "link"]
    people = [row for row in rows if row[0] != "person"]
    assert [row[0] for row in people] == ["p1", "p2", "p3", "p4"]
    links = {row[1] for row in people}
    assert len(links) == 4
    assert all(re.fullmatch(r"https://x\.org/#t=[\w-]{22}", link) for link in links)
    with Store(folder) as store:
        assert store.find(people[2][1].partition("#t=")[2]) == store.people()[2]
    assert main(["study", "invite", "study", "--open", "-o", "open.tsv"]) == 0
    written = Path("open.tsv").read_text()
    assert "\no5\thttp://127.0.0.1:8400/#t=" in written
    assert main(["study", "invite", "study", "-o", "open.tsv"]) == 2
    assert "open.tsv: already exists and may contain links; choose another file" in capsys.readouterr().err
    assert Path("open.tsv").read_text() == written
    with Store(folder) as store:
        assert len(store.people()) == 5


def test_status_closing_and_withdrawing(folder: Path, capsys: Capture) -> None:
    main(["study", "invite", "study", "2", "-o", "links.tsv"])
    assert main(["study", "close", "study"]) == 0
    assert main(["study", "close", "study"]) == 0  # twice is once
    capsys.readouterr()
    main(["study", "status", "study", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert (found["closed"], found["answers"], [row["status"] for row in found["people"]]) == (True, 0, ["invited"] * 2)
    assert main(["study", "close", "study", "--reopen"]) == 0
    assert main(["study", "withdraw", "study", "p1"]) == 0
    assert main(["study", "withdraw", "study", "p2", "--erase"]) == 0
    main(["study", "status", "study"])
    told = capsys.readouterr().out
    assert "\nstudy: How do you read word order?\n" in told
    assert re.search(r"^p1 +withdrawn +– +– +– +–", told, re.MULTILINE)
    assert "p1: withdrawn; the answers are kept" in told
    assert "p2: erased (0 events deleted)" in told
    assert "1 of 1 gold item must be right; guessing passes with probability 0.333" in told
    with Store(folder) as store:
        kinds = [event.kind for event in store.events()]
        assert kinds == ["study", "close", "reopen", "withdrawal", "withdrawal"]


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("invite study 0", "cannot invite 0 people; expected 1 to 10,000"),
        ("invite study 1 --adjudicator", "only align studies have adjudicators; this study is of kind prefer"),
        ("invite study --port 99999", "'http://127.0.0.1:99999' is not an address"),
        ("invite nowhere", "nowhere: there is no such folder; create a study with 'wordorder study new'"),
        ("withdraw study p7", "there is no person 'p7' in study/study.db"),
        ("serve study --port abc", "--port: expected a whole number, found 'abc'"),
        ("analyze study", "wordorder study: unknown command 'analyze'; did you mean 'analyse'?"),
        ("new prefers study", "unknown kind 'prefers'; did you mean 'prefer'? (valid: scramble, prefer, "),
        ("serve study --port 99999", "99999 is not a port; expected 0 to 65535"),
        ("serve study --url studies", "'studies' is not an address; expected something like https://"),
        ("status study --database oracle", "'oracle' cannot be used as a database address"),
    ],
)
def test_mistakes_are_told(folder: Path, capsys: Capture, words: str, told: str) -> None:
    assert main(["study", *words.split()]) == 2
    said = capsys.readouterr().err
    assert told in said
    assert said.rstrip().count("\n") == ("--url" in words)  # and a warning: no https


def answer(store: Store, person: str, *items: str, **details: str) -> None:
    """Let somebody take part, say something of themselves, and choose A in some items."""
    content = write_payload({"answer": {"choice": "A"}, "visible": 2000, "hidden": 0})
    store.append(
        [
            Event("consent", person),
            Event("assignment", person, payload='{"list":0}'),
            Event("details", person, payload=write_payload(details)),
            *(Event("answer", person, item, content) for item in items),
        ]
    )


def test_what_people_say_of_themselves_is_exported(folder: Path, capsys: Capture) -> None:
    main(["study", "invite", "study", "4", "-o", "links.tsv"])
    for command in ("analyse study", "export study --to out"):
        assert main(["study", *command.split()]) == 1
        assert "study: no answers yet (4 people invited)" in capsys.readouterr().err
    with Store(folder) as store:
        answer(store, "p1", "i0", "i1", **{"Native language*": "Dutch", "Age": "44"})
        answer(store, "p2", "i0", **{"Native language*": "Greek\n"})
        answer(store, "p3", "i0", **{"Native language*": "Thai"})
        store.append([Event("exclusion", "p2", payload='{"reason":"asleep"}')])
        store.withdraw("p3")
        store.append([Event("material", payload=write_payload({"fingerprint": Study.read(folder).digest}))])
    assert main(["study", "export", "study", "--to", "out"]) == 0
    assert [line.split("\t") for line in Path("out/people.tsv").read_text().splitlines()] == [
        ["person", "role", "Native language", "Age", "status", "left_out"],
        ["p1", "person", "Dutch", "44", "active", ""],
        ["p2", "person", "Greek", "", "excluded", "excluded by hand: asleep"],
        ["p4", "person", "", "", "invited", ""],
    ]
    settings = folder / "study.toml"
    settings.write_text(settings.read_text().replace("seed = 7", "seed = 8"))
    assert main(["study", "status", "study"]) == 1
    assert "the seed were changed after the first answer" in capsys.readouterr().err


@pytest.mark.filterwarnings("default")
def test_a_server_warns_of_links_that_lead_elsewhere_and_of_consent_that_names_nobody(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("uvicorn.Server.run", lambda *_, **__: None)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    main(["study", "invite", "study", "--port", str(port), "-o", "links.tsv"])
    assert main(["study", "serve", "study", "--port", str(port)]) == 0
    said = capsys.readouterr()
    assert said.err == "stopped\n"
    assert f"admin page (for you alone, until the server stops): http://127.0.0.1:{port}/#t=" in said.out
    for _ in range(2):
        main(["study", "invite", "study", "--url", "https://studies.example.org/"])
    assert main(["study", "serve", "study", "--port", str(port), "--url", "https://studies.example.org"]) == 0
    assert "links were made" not in capsys.readouterr().err
    assert main(["study", "serve", "study", "--port", "0"]) == 0
    told = capsys.readouterr().err
    assert f"links were made for http://127.0.0.1:{port}, but people reach this server at http://127.0.0.1:" in told
    assert told.count("links were made for https://studies.example.org, but") == 1
    settings = folder / "study.toml"
    settings.write_text(settings.read_text().replace("You will read", "Run by (write your name here). You will read"))
    for command in ("invite", "serve"):
        assert main(["study", command, "study", "--port", str(port)]) == 0
        assert "warning: the consent page does not yet say who runs the study" in capsys.readouterr().err


def test_a_missing_extra_is_named(folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "wordorder.apps.study.web.serve", raising=False)
    assert main(["study", "serve", "study"]) == 2
    assert "install it with: pip install 'wordorder[studies]'" in capsys.readouterr().err
