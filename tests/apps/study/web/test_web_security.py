"""What a server of a study refuses, and what it never tells."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("starlette")

from all_kinds import KINDS, answer_of, write_study
from serving import Client, Running, serve_folder

from wordorder.apps.study import Study
from wordorder.apps.study.answers import refuse_changed_local_study
from wordorder.apps.study.store import Store, new_uuid
from wordorder.apps.study.web.app import Application
from wordorder.apps.study.web.guard import Limit
from wordorder.apps.study.web.serve import is_exposed
from wordorder.core.runtime.errors import InputError

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = write_study(tmp_path_factory.mktemp("security") / "study", "scramble")
    with serve_folder(folder, admin="the-token-of-the-admin", hosts=["studies.example.org"]) as server:
        yield server


@pytest.fixture
def person(running: Running) -> Client:
    running.application.answers_per_person = Limit(100, 1.0)
    found = running.client()
    found.consent()
    return found


@pytest.fixture
def admin(running: Running) -> Client:
    return Client(running.port, "the-token-of-the-admin")


GOOD = {"fluency": 3, "comprehension": 4}


def give(client: Client, place: int = 0, **more: object) -> tuple[int, str]:
    reply = client.post("answer", **{"place": place, "answer": GOOD, "revises": 0, **more})
    return reply.status, reply.error


# --- tokens -------------------------------------------------------------------------------------------------------


def test_a_guessed_token_is_refused_and_soon_not_even_looked_at(running: Running, person: Client) -> None:
    running.application.unknown_per_address = Limit(10, 60.0)
    guesser = Client(running.port, "A" * 22)
    statuses = [guesser.ask("GET", "/api/study").status for _ in range(12)]
    assert statuses == [401] * 10 + [429] * 2
    assert person.ask("GET", "/api/study").status == 200  # who is known is not hindered by a neighbour
    running.application.unknown_per_address = Limit(10, 60.0)
    assert Client(running.port).ask("GET", "/api/study").status == 401
    assert person.ask("GET", "/api/study", authorization=f"Basic {person.token}").status == 401


def test_a_person_is_no_admin_and_an_admin_no_person(running: Running, person: Client, admin: Client) -> None:
    for method in ("GET", "POST"):
        assert person.ask(method, "/api/admin", {"action": "close"} if method == "POST" else None).status == 403
    assert admin.ask("GET", "/api/admin").status == 200
    assert give(admin)[0] == 403
    assert person.ask("POST", "/api/join", {}).status == 403


def test_nothing_but_consent_comes_before_consent(running: Running) -> None:
    stranger = running.client()
    assert give(stranger)[0] == 404
    assert stranger.ask("GET", "/api/item/0").status == 404
    assert stranger.post("details", fields={"Native language*": "Dutch"}).status == 403


def test_after_closing_nothing_is_taken_or_shown(running: Running, person: Client, admin: Client) -> None:
    assert admin.post("admin", action="close").status == 200
    assert give(person) == (403, "The study is closed. Thank you for your interest.")
    assert person.ask("GET", "/api/item/0").status == 403
    assert person.ask("GET", "/api/study").status == 403
    assert admin.post("admin", action="reopen").status == 200
    assert give(person)[0] == 200


def test_who_is_excluded_or_withdrawn_is_told_that_it_is_over(running: Running, admin: Client) -> None:
    (invitation,) = running.store.invite(1)
    one = Client(running.port, invitation.token)
    one.consent()
    assert admin.post("admin", action="exclude", person=invitation.person.id, reason="clicks").status == 200
    assert give(one)[0] == 403
    assert admin.post("admin", action="readmit", person=invitation.person.id).status == 200
    assert give(one)[0] == 200
    running.store.withdraw(invitation.person.id, erase=True)
    admin.post("admin", action="reopen")  # the writer looks at the log before it writes
    assert give(one, 1)[0] == 401  # erased: nobody knows this token any more
    assert admin.post("admin", action="exclude", person="p999", reason="none").status == 404
    assert admin.post("admin", action="exclude", person="p1", reason=" ").status == 422
    assert admin.post("admin", action="delete").status == 422


# --- requests -----------------------------------------------------------------------------------------------------


def test_other_sites_and_other_names_are_refused(running: Running, person: Client) -> None:
    assert person.ask("GET", "/api/study", origin="https://evil.example").status == 403
    assert person.ask("GET", "/api/study", origin="null").status == 403
    assert person.ask("GET", "/api/study", host="evil.example").status == 421
    assert person.ask("GET", "/", host="127.0.0.1.evil.example").status == 421
    assert person.ask("GET", "/", host="[").status == 421
    assert person.ask("POST", "/api/consent", {}, sec_fetch_site="cross-site").status == 403
    assert person.ask("GET", "/api/study", host="studies.example.org").status == 200
    own = f"127.0.0.1:{running.port}"
    assert person.ask("GET", "/api/study", host=own, origin="https://studies.example.org").status == 200
    assert person.ask("GET", "/api/study", host=own, origin="https://studies.example.org.evil.example").status == 403
    assert person.ask("GET", "/api/study", host=own, origin="http://localhost:3000").status == 403
    assert person.ask("GET", "/api/study", host=own, origin=f"http://{own}").status == 200


def test_only_json_of_some_size_is_read(running: Running, person: Client) -> None:
    body = {"uuid": new_uuid(), "place": 0, "answer": GOOD}
    for content_type in ("application/x-www-form-urlencoded", "text/plain", "multipart/form-data", ""):
        assert person.ask("POST", "/api/answer", body, content_type=content_type).status == 415
    assert person.ask("POST", "/api/answer", b"{}" + b" " * 65 * 1024).status == 413
    for wrong in (b"{", b"[]", b'{"a": NaN}', b'"\\ud800"', b'{"a": "\\ud800"}', b"\xff", b"[" * 60_000):
        assert person.ask("POST", "/api/answer", wrong).status == 400


def test_a_body_without_a_length_is_cut_off(running: Running, person: Client) -> None:
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=20)
    headers = {"authorization": f"Bearer {person.token}", "content-type": "application/json"}
    connection.request("POST", "/api/answer", iter([b" " * 8192] * 9), headers, encode_chunked=True)
    assert connection.getresponse().status == 413
    connection.close()


def test_no_page_can_frame_sniff_or_keep_anything(running: Running, person: Client) -> None:
    for path in ("/", "/assets/main.js", "/assets/style.css", "/api/study", "/assets/none.js", "/nowhere"):
        headers = person.ask("GET", path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert (headers["x-content-type-options"], headers["referrer-policy"]) == ("nosniff", "no-referrer")
        assert headers["cache-control"] == "no-store"
        assert "set-cookie" not in headers
        assert "access-control-allow-origin" not in headers
        assert "server" not in headers or "uvicorn" in headers["server"]


@pytest.mark.parametrize(
    "name", ["../web/app.py", "..%2fweb%2fapp.py", "kinds/../../folder.py", "/etc/passwd", "x.css", ""]
)
def test_only_the_pages_own_files_are_given(running: Running, person: Client, name: str) -> None:
    assert person.ask("GET", f"/assets/{name}").status == 404


# --- answers ------------------------------------------------------------------------------------------------------


def test_a_replayed_uuid_is_one_answer_and_never_another(running: Running, person: Client) -> None:
    uuid = new_uuid()
    first = person.post("answer", uuid=uuid, place=0, answer=GOOD, revises=0)
    again = person.post("answer", uuid=uuid, place=0, answer=GOOD, revises=0)
    assert (first.status, again.status) == (200, 200)
    assert give(person, uuid=uuid, answer={"fluency": 7, "comprehension": 7})[0] == 409
    other = running.client()
    other.consent()
    assert give(other, uuid=uuid)[0] == 409
    stored = [event for event in running.store.events() if event.uuid == uuid]
    assert [event.content["answer"] for event in stored] == [GOOD]


def test_a_second_window_does_not_answer_twice(running: Running, person: Client) -> None:
    assert give(person)[0] == 200
    assert give(person) == (409, "This item was answered in another window.")
    assert give(person, revises=1, answer={"fluency": 1, "comprehension": 1})[0] == 200
    assert person.get("/api/item/0")["answer"] == {"fluency": 1, "comprehension": 1}


def test_anothers_item_has_no_address(running: Running, person: Client) -> None:
    total = person.get("/api/study")["progress"]["total"]
    for place in (total, -1, 10**30):
        assert give(person, place)[0] == 404
    for wrong in ("0", None, True, 1.5, [0]):
        assert give(person, place=wrong)[0] == 422  # type: ignore[arg-type]
    assert person.ask("GET", f"/api/item/{total}").status == 404


@pytest.mark.parametrize(
    "content",
    [
        {"answer": {"fluency": 8, "comprehension": 1}},
        {"answer": {"fluency": 3}},
        {"answer": {**GOOD, "system": "A"}},
        {"answer": None},
        {"visible": -1},
        {"visible": 1e9},
        {"hidden": "1"},
        {"uuid": "1"},
        {"time": "now"},
        {"time": 1 << 60},
    ],
)
def test_what_is_not_an_answer_is_refused(running: Running, person: Client, content: dict[str, object]) -> None:
    before = len(list(running.store.events()))
    assert give(person, **content)[0] == 422  # type: ignore[arg-type]
    assert len(list(running.store.events())) == before


def test_a_flood_of_answers_is_stopped(running: Running, person: Client) -> None:
    running.application.answers_per_person = Limit(5, 1.0, clock=lambda: 0.0)
    assert [give(person)[0] for _ in range(7)] == [200, 409, 409, 409, 409, 429, 429]


def test_script_stays_text(running: Running, person: Client) -> None:
    script = "<script>alert(1)</script>"
    assert give(person, answer={**GOOD, "comment": script})[0] == 200
    reply = person.ask("GET", "/api/item/0")
    assert reply.headers["content-type"] == "application/json"
    assert reply.json()["answer"]["comment"] == script
    assert person.post("details", fields={"Native language*": script}).status == 200
    assert person.post("details", fields={"Native language*": " "}).error == "Please fill in: Native language."
    assert person.post("details", fields={"Native language*": "x" * 501}).status == 422
    assert person.post("details", fields={"Shoe size": "44"}).status == 422


def test_a_draft_comes_back_until_the_answer_is_there(running: Running, person: Client) -> None:
    assert person.post("draft", place=1, answer={"fluency": 2}).status == 200
    assert person.get("/api/item/1")["draft"] == {"fluency": 2}
    assert person.post("draft", place=1, answer="text").status == 422
    assert give(person, 1)[0] == 200
    assert person.get("/api/item/1")["draft"] is None


# --- what is never told -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_no_reply_to_a_person_holds_gold_condition_system_or_anothers_answer(kind: str, tmp_path: Path) -> None:
    with serve_folder(write_study(tmp_path / "study", kind, items=1)) as running:
        other, person = running.client(), running.client()
        for client, comment in ((other, "SECRETANSWER"), (person, "mine")):
            client.consent()
            total = client.get("/api/study")["progress"]["total"]
            for place in range(total):
                running.application.answers_per_person = Limit(100, 1.0)
                view = client.get(f"/api/item/{place}")["view"]
                answer = answer_of(kind, view) | {"comment": comment}
                assert client.post("shown", place=place).status == 200
                assert client.post("draft", place=place, answer=answer).status == 200
                reply = client.post("answer", place=place, answer=answer, visible=9, hidden=0, revises=0)
                assert reply.status == 200, reply.error
                assert client.post("objection", place=place, text=comment).status == 200
                client.post("check", place=place, answer=answer)
                client.get(f"/api/item/{place}")
            assert client.get("/api/study")["progress"]["next"] is None
        told = b"".join(person.seen)
        assert b"SECRET" not in told
        assert b'"gold"' not in told
        assert b"SECRETANSWER" in b"".join(other.seen)


def test_an_open_link_makes_a_person_of_every_visitor(tmp_path: Path) -> None:
    with serve_folder(write_study(tmp_path / "study", "prefer")) as running:
        visitor = running.client("open")
        assert visitor.get("/api/study")["role"] == "open"
        assert visitor.post("consent").status == 403
        tokens = [visitor.post("join").json()["token"] for _ in range(2)]
        assert tokens[0] != tokens[1]
        for token in tokens:
            assert Client(running.port, token).consent()["progress"]["total"] == 4
        running.application.joins_per_address = Limit(0, 60.0)
        assert visitor.post("join").status == 429


def test_gold_is_explained_once_and_then_final(tmp_path: Path) -> None:
    with serve_folder(write_study(tmp_path / "study", "prefer"), admin="root") as running:
        person = running.client()
        person.consent()
        told = []
        for place in range(4):
            running.application.answers_per_person = Limit(100, 1.0)
            reply = person.post("answer", place=place, answer={"choice": "N"}, revises=0).json()
            if reply["feedback"]:
                told.append(reply["feedback"])
                assert give(person, place, answer={"choice": "A"}, revises=1) == (
                    409, "Answers to this item cannot be changed.",
                )  # fmt: skip
                assert person.get(f"/api/item/{place}")["fixed"]
                assert person.post("objection", place=place, text="I disagree").status == 200
        assert [(one["right"] in ("A", "B"), one["reason"]) for one in told] == [
            (True, "The verb stands where it belongs.")
        ]
        overview = Client(running.port, "root").get("/api/admin")
        assert overview["people"][0]["gold"] == [0, 1]
        assert overview["people"][0]["failed"]
        assert overview["gold"] == {"items": 1, "needed": 1, "chance": pytest.approx(1 / 3)}
        assert [one["text"] for one in overview["objections"]] == ["I disagree"]


# --- the study ----------------------------------------------------------------------------------------------------


def test_changed_items_are_refused_after_the_first_answer(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "study", "scramble")
    with serve_folder(folder) as running:
        person = running.client()
        person.consent()
    items = folder / "items.jsonl"
    items.write_text(items.read_text().replace("garden", "park"))
    with serve_folder(folder) as running:  # nobody has answered yet
        person = Client(running.port, person.token)
        assert give(person)[0] == 200
    before = items.read_text()
    items.write_text(before.replace("park", "garden"))
    with Store(folder) as store, pytest.raises(InputError, match="were changed after the first answer"):
        Application(Study.read(folder), store)
    items.write_text(before)
    toml = folder / "study.toml"
    settings = toml.read_text()
    toml.write_text(settings.replace("seed = 7", "seed = 8"))  # sides and orders are drawn with it
    for work in (Study.answers, Study.analyse, refuse_changed_local_study):
        with pytest.raises(InputError, match="or the seed were changed"):
            work(Study.read(folder))
    toml.write_text(settings)
    toml.write_text(toml.read_text().replace("Thank you!", "Thanks a lot!"))  # what does not matter may change
    with serve_folder(folder) as running:
        assert Client(running.port, person.token).get("/api/study")["progress"]["done"] == 1


def test_without_going_back_items_come_one_after_the_other(tmp_path: Path) -> None:
    with serve_folder(write_study(tmp_path / "study", "scramble", back=False)) as running:
        person = running.client()
        person.consent()
        assert person.ask("GET", "/api/item/1").status == 404
        assert give(person)[0] == 200
        assert person.ask("GET", "/api/item/1").status == 200
        assert give(person, revises=1)[0] == 409


@pytest.mark.parametrize(
    ("host", "url", "exposed"),
    [
        ("127.0.0.1", None, False),
        ("localhost", None, False),
        ("::1", None, False),
        ("0.0.0.0", None, True),
        ("192.168.1.5", None, True),
        ("127.0.0.1", "https://x.org", False),
        ("127.0.0.1", "http://x.org", True),
    ],
)
def test_a_network_without_https_is_warned_of(host: str, url: str | None, exposed: bool) -> None:
    assert is_exposed(host, url) is exposed
