"""The log of a study: nothing in it changes, and what follows from it is what a reader of the whole log would say."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("sqlalchemy")

import sqlalchemy as sa

from wordorder.apps.study.store import ANSWERS, Event, State, Store, new_uuid
from wordorder.apps.study.store.events import write_payload
from wordorder.apps.study.store.writer import RefusedError, Writer
from wordorder.core.runtime.errors import InputError, UsageError


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path) as opened:
        yield opened


def answer(person: str, item: str, value: Any, **more: Any) -> Event:
    return Event("answer", person, item, write_payload({"answer": value, "visible": 5, "hidden": 0}), **more)


def submit(writer: Writer, event: Event) -> Future[Event]:
    done: Future[Event] = Future()
    writer.write(event, done)
    return done


def admit_all(state: State, event: Event) -> Iterable[Event]:
    return [event]


# --- the slow twin ------------------------------------------------------------------------------------------------


def read_slowly(log: list[Event], person: str) -> dict[str, Any]:
    """Say where a person stands by asking the whole log one question after the other."""
    own = [event for event in log if event.person == person]
    erased = [place for place, event in enumerate(own) if event.kind == "withdrawal" and event.content["erased"]]
    withdrawn = any(event.kind == "withdrawal" for event in own)
    own = own[erased[-1] + 1 :] if erased else own
    items = {event.item for event in own if event.item}
    answers, drafts = {}, {}
    for item in items:
        about = [event for event in own if event.item == item]
        given = [event for event in about if event.kind in ANSWERS]
        if given:
            answers[item] = (given[-1].content["answer"], len(given) - 1)
        if (last := [event for event in about if event.kind in (*ANSWERS, "draft")]) and last[-1].kind == "draft":
            drafts[item] = last[-1].content["answer"]
    judged = [event for event in own if event.kind in ("exclusion", "readmission")]
    return {
        "consented": any(event.kind == "consent" for event in own),
        "list": next((event.content["list"] for event in reversed(own) if event.kind == "assignment"), None),
        "answers": answers,
        "drafts": drafts,
        "shown": {event.item for event in own if event.kind == "shown"},
        "excluded": bool(judged) and judged[-1].kind == "exclusion",
        "withdrawn": withdrawn,
    }


def read_state(state: State, person: str) -> dict[str, Any]:
    found = state.of(person)
    return {
        "consented": found.consented,
        "list": found.list,
        "answers": {item: (each.value, each.revision) for item, each in found.answers.items()},
        "drafts": found.drafts,
        "shown": set(found.shown),
        "excluded": found.excluded is not None,
        "withdrawn": found.withdrawn,
    }


PEOPLE = ("p1", "p2")
ITEMS = ("i1", "i2")

_about_items = st.builds(
    lambda kind, person, item, value: Event(kind, person, item, write_payload({"answer": value, "text": "no"})),
    st.sampled_from(("answer", "revision", "draft", "shown", "objection")),
    st.sampled_from(PEOPLE),
    st.sampled_from(ITEMS),
    st.integers(0, 3),
)
_about_people = st.builds(
    lambda kind, person, number: Event(
        kind, person, None, write_payload({"list": number, "reason": "", "erased": number == 0})
    ),
    st.sampled_from(("consent", "assignment", "exclusion", "readmission", "withdrawal")),
    st.sampled_from(PEOPLE),
    st.integers(0, 3),
)
_logs = st.lists(st.one_of(_about_items, _about_items, _about_people), max_size=40)


@given(_logs)
def test_the_fold_says_what_the_whole_log_says(log: list[Event]) -> None:
    state = State.fold(log)
    for person in PEOPLE:
        assert read_state(state, person) == read_slowly(log, person)


_steps = st.lists(
    st.one_of(
        st.tuples(st.just("send"), st.sampled_from(PEOPLE), st.sampled_from(ITEMS), st.integers(0, 3)),
        st.tuples(st.just("again"), st.integers(0, 30), st.just(""), st.just(0)),
        st.tuples(st.just("other value"), st.integers(0, 30), st.just(""), st.just(0)),
        st.tuples(st.just("crash"), st.just(0), st.just(""), st.just(0)),
    ),
    max_size=15,
)


@settings(max_examples=15)
@given(_steps)
@pytest.mark.slow
def test_whatever_is_sent_again_and_whenever_it_stops_every_answer_is_there_once(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, Any, str, int]]
) -> None:
    folder = tmp_path_factory.mktemp("study")
    store = Store(folder)
    writer = Writer(store, admit_all)
    sent: list[Event] = []
    for step, who, item, value in steps:
        if step == "send":
            sent.append(answer(who, item, {"x": value}, uuid=new_uuid()))
            assert submit(writer, sent[-1]).result(10).seq > 0
        elif step == "again" and sent:
            assert submit(writer, sent[who % len(sent)]).result(10).uuid == sent[who % len(sent)].uuid
        elif step == "other value" and sent:
            old = sent[who % len(sent)]
            changed = answer(old.person or "", old.item or "", {"x": 99}, uuid=old.uuid)
            with pytest.raises(RefusedError, match="Another event with this UUID"):
                submit(writer, changed).result(10)
        elif step == "crash":  # the writer is forgotten, not stopped: what it has acknowledged is on disk
            store = Store(folder)
            writer = Writer(store, admit_all)
    log = list(Store(folder).events())
    assert [event.uuid for event in log] == [event.uuid for event in sent]
    for person in PEOPLE:
        assert read_state(Store(folder).state(), person) == read_slowly(log, person)
        assert read_state(writer.state, person) == read_slowly(log, person)


# --- the writer ---------------------------------------------------------------------------------------------------


def test_what_waits_shares_a_transaction(store: Store) -> None:
    entered, go = threading.Event(), threading.Event()

    def admit_slowly(state: State, event: Event) -> Iterable[Event]:
        entered.set()
        go.wait(10)
        return [event]

    handed: list[Callable[[], None]] = []

    def dispatch(work: Callable[[], None]) -> None:
        handed.append(work)
        work()

    writer = Writer(store, admit_slowly, dispatch=dispatch)
    first = submit(writer, answer("p0", "i1", 1, uuid=new_uuid()))
    entered.wait(10)
    others = [submit(writer, answer(f"p{number}", "i1", 1, uuid=new_uuid())) for number in range(1, 30)]
    twice = submit(writer, answer("p1", "i2", 1, uuid=new_uuid()))
    assert not first.done()
    go.set()
    for each in (first, *others, twice):
        each.result(10)
    assert writer.commits == len(handed) == 3  # the first, those that waited, and p1's second, which saw p1's first
    writer.stop()


def test_of_two_that_exclude_each_other_one_is_stored(store: Store) -> None:
    def admit_once(state: State, event: Event) -> Iterable[Event]:
        if event.item in state.of(event.person or "").answers:
            raise RefusedError("answered")
        return [event]

    writer = Writer(store, admit_once)
    both = [submit(writer, answer("p1", "i1", value, uuid=new_uuid())) for value in (1, 2)]
    assert both[0].result(10).seq == 1
    with pytest.raises(RefusedError):
        both[1].result(10)
    assert len(list(store.events())) == 1


def test_a_writer_sees_what_others_write(store: Store) -> None:
    writer = Writer(store, admit_all)
    with Store(store.folder) as other:
        other.append([Event("close")])
    seen = submit(writer, answer("p1", "i1", 1, uuid=new_uuid())).result(10)
    assert (seen.seq, writer.state.closed) == (2, True)
    writer.stop()


def test_an_event_that_cannot_be_written_takes_no_other_with_it(store: Store) -> None:
    release = threading.Event()

    def admit_late(state: State, event: Event) -> Iterable[Event]:
        release.wait(10)
        if event.item == "broken":
            return [Event(None, event.person, uuid=new_uuid())]  # type: ignore[arg-type]
        return [event]

    writer = Writer(store, admit_late)
    submit(writer, answer("p0", "i1", 1, uuid=new_uuid()))
    good = submit(writer, answer("p1", "i1", 1, uuid=new_uuid()))
    bad = submit(writer, answer("p2", "broken", 1, uuid=new_uuid()))
    release.set()
    assert good.result(10).seq > 0
    with pytest.raises(sa.exc.IntegrityError):
        bad.result(10)
    writer.stop()
    assert len(list(store.events())) == 2


def test_a_commit_reaches_the_disk(store: Store) -> None:
    with store.engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2  # FULL: fsync at every commit
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"


# --- the database -------------------------------------------------------------------------------------------------


def test_nothing_in_the_log_can_be_changed(store: Store) -> None:
    store.append([answer("p1", "i1", 1)])
    for statement in ("UPDATE event SET payload = '{}'", "DELETE FROM event"):
        with pytest.raises(sa.exc.DatabaseError, match="append-only"), store.writing() as connection:
            connection.exec_driver_sql(statement)
    assert [event.content["answer"] for event in store.events()] == [1]


def test_erasing_leaves_a_note_and_no_byte(store: Store) -> None:
    kept, erased = store.invite(2)
    store.append([answer(kept.person.id, "i1", "keep"), answer(erased.person.id, "i1", "Forget-Me-Please")])
    assert b"Forget-Me-Please" in _bytes_of(store)
    assert store.withdraw(erased.person.id, erase=True) == 1
    assert b"Forget-Me-Please" not in _bytes_of(store)
    assert store.find(erased.token) is None
    assert store.find(kept.token) == kept.person
    note = list(store.events())[-1]
    assert (note.kind, note.person, note.content) == ("withdrawal", "p2", {"erased": True, "events": 1})
    with pytest.raises(sa.exc.DatabaseError, match="append-only"), store.writing() as connection:
        connection.exec_driver_sql("DELETE FROM event")
    assert store.answers()["person"].to_pylist() == ["p1"]
    assert store.invite(1)[0].person.id == "p3"
    with pytest.raises(UsageError, match="there is no person 'p9'"):
        store.withdraw("p9")


def _bytes_of(store: Store) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(store.folder.glob("study.db*")))


def test_answers_come_with_every_revision(store: Store) -> None:
    store.append([answer("p1", "i1", {"a": 1}), answer("p2", "i1", {"a": 2}), answer("p3", "i1", {"a": 9})])
    store.append([Event("revision", "p1", "i1", '{"answer":{"a":3}}', client_time=77)])
    store.invite(3)
    store.withdraw("p3")
    found = store.answers().to_pylist()
    assert [(row["person"], json.loads(row["payload"])["a"], row["revision"], row["last"]) for row in found] == [
        ("p1", 1, 0, False), ("p2", 2, 0, True), ("p1", 3, 1, True),
    ]  # fmt: skip
    assert [row["client_time"] for row in found] == [None, None, 77]
    assert [row["visible"] for row in found] == [5, 5, None]


def test_tokens_are_not_stored(store: Store) -> None:
    (invitation,) = store.invite(1)
    assert len(invitation.token) == 22
    assert store.find(invitation.token) == invitation.person
    assert store.find(invitation.token[:-1] + "~") is None
    assert invitation.token.encode() not in _bytes_of(store)
    assert stat.S_IMODE(store.file.stat().st_mode) == 0o600


def test_one_server_per_study(store: Store) -> None:
    with store.serve_alone(), pytest.raises(InputError, match="another server"), Store(store.folder).serve_alone():
        pass
    with store.serve_alone():
        pass


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("nonsense", "cannot be used as a database address"),
        ("mysql://x/y", "as a database address"),
        ("sqlite:////no/such/x.db", "cannot"),
    ],
)
def test_a_wrong_database_is_named(tmp_path: Path, url: str, told: str) -> None:
    with pytest.raises((UsageError, InputError), match=told):
        Store(tmp_path, url)


def test_a_password_is_not_shown(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        Store(tmp_path, "postgresql+psycopg://me:secret@127.0.0.1:1/none")
    assert "secret" not in str(caught.value)


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "study.db").write_text("hello " * 1000)
    with pytest.raises(InputError, match=r"study\.db: the database cannot be used: file is not a database"):
        Store(tmp_path)


def test_pages_that_are_damaged_are_an_error_that_names_the_database(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.invite(200)
    with contextlib.closing(sqlite3.connect(tmp_path / "study.db")) as database:
        kept = database.execute("SELECT rootpage FROM sqlite_master WHERE tbl_name = 'meta'").fetchall()
        (size,) = database.execute("PRAGMA page_size").fetchone()
    content = bytearray((tmp_path / "study.db").read_bytes())
    for page in set(range(2, len(content) // size + 1)) - {page for (page,) in kept}:
        content[(page - 1) * size : page * size] = b"\xff" * size
    (tmp_path / "study.db").write_bytes(content)
    with Store(tmp_path) as store:
        for use in (
            lambda: store.people(),
            lambda: store.invite(1),
            lambda: store.withdraw("p1"),
            lambda: store.append([Event("withdrawal", "p1")]),
        ):
            with pytest.raises(InputError, match=r"study\.db: the database cannot be used: database .* is malformed"):
                use()


@pytest.mark.parametrize("payload", ["{", "[]", "{}", '{"answer": 1, "visible": "long"}'])
def test_a_damaged_event_is_an_error_that_names_the_log(payload: str, tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.append([Event("answer", "p1", item="i", payload=payload)])
        with pytest.raises(InputError, match=r"study\.db: the log of events is damaged"):
            store.answers()
