"""People from a recruiting service: their ids, the links back, quotas, time limits, codes and fields; pilots."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

pytest.importorskip("starlette")

from all_kinds import answer_of, write_study
from serving import Client, Running, serve_folder

from wordorder.apps.study import Study
from wordorder.apps.study.checks import find_problems
from wordorder.apps.study.settings import Field
from wordorder.apps.study.store import Event, Store
from wordorder.apps.study.store.events import now
from wordorder.apps.study.web import admission
from wordorder.apps.study.web.guard import Limit
from wordorder.core.runtime.errors import InputError, UsageError

RECRUITING = """
[recruiting]
parameter = "PROLIFIC_PID"
completed = "https://app.prolific.com/submissions/complete?cc=DONE&pid={person}&code={code}"
failed = "https://app.prolific.com/submissions/complete?cc=FAILED"
screened_out = "https://app.prolific.com/submissions/complete?cc=OUT"
code = true
"""


def recruit(folder: Path, kind: str = "prefer", people: str = "", details: str = "Age [18-99]") -> Path:
    """Write a study for people from a recruiting service."""
    write_study(folder, kind, more=RECRUITING)
    toml = folder / "study.toml"
    text = toml.read_text("utf-8").replace("[people]\n", f"[people]\n{people}\n")
    toml.write_text(text.replace("Native language*\\nAge", details), "utf-8")
    return folder


def join(running: Running, visitor: Client, person: str) -> Client:
    return Client(running.port, visitor.post("join", id=person).json()["token"])


def finish(running: Running, person: Client, **answers: object) -> dict[str, object]:
    """Answer everything, gold items correctly; return the last progress."""
    running.application.answers_per_person = Limit(1000, 1.0)
    progress = person.consent()["progress"]
    for place in range(progress["total"]):
        view = person.get(f"/api/item/{place}")["view"]
        answer = answer_of(running.study.settings.kind, view)
        if "choice" in answer:  # the better side is the one without moved words
            right = " ".join(view["texts"][0]["words"]) == view["reference"]
            answer = {"choice": "A" if right else "B"}
        reply = person.post("answer", place=place, answer=answer | answers, revises=0)
        assert reply.status == 200, reply.error
        progress = reply.json()["progress"]
    return dict(progress)


def test_an_id_in_the_address_is_the_id_of_the_person(tmp_path: Path) -> None:
    with serve_folder(recruit(tmp_path / "s")) as running:
        visitor = running.client("open")
        assert visitor.get("/api/study")["id"] == "PROLIFIC_PID"
        person = join(running, visitor, "5f1a77c0")
        assert person.get("/api/study")["person"] == "5f1a77c0"
        assert join(running, visitor, "5f1a77c0").token == person.token  # nobody takes part twice
        assert join(running, visitor, "5f1a77c1").token != person.token
        for wrong in ("", "p1", "a12", "x y", "x" * 101, 7, None):
            reply = visitor.post("join", id=wrong)
            assert (reply.status, "Your id is missing" in reply.error) == (422, True)
        progress = finish(running, person)
        code = progress["code"]
        assert isinstance(code, str)
        assert len(code) == 8
        expected = f"https://app.prolific.com/submissions/complete?cc=DONE&pid=5f1a77c0&code={code}"
        assert (progress["end"], progress["link"]) == ("finished", expected)
        running.store.withdraw("5f1a77c0", erase=True)
        time.sleep(1)
        again = visitor.post("join", id="5f1a77c0").json()["token"]
        assert Client(running.port, again).ask("GET", "/api/study").status == 401


def test_a_code_is_shown_only_at_the_end_and_kept(tmp_path: Path) -> None:
    with serve_folder(recruit(tmp_path / "s")) as running:
        person = join(running, running.client("open"), "one")
        assert person.consent()["progress"]["code"] == ""
        assert finish(running, person)["code"] == running.store.state().of("one").code != ""


def test_people_who_fail_the_checks_have_another_link_and_hold_no_place(tmp_path: Path) -> None:
    with serve_folder(recruit(tmp_path / "s", people="wanted = 1")) as running:
        visitor = running.client("open")
        progress = finish(running, join(running, visitor, "one"), choice="N")
        assert (progress["end"], str(progress["link"])[-6:]) == ("failed", "FAILED")
        assert join(running, visitor, "two").get("/api/study")["progress"]["end"] is None


def test_nobody_joins_a_full_study_but_those_who_have_begun_finish(tmp_path: Path) -> None:
    with serve_folder(recruit(tmp_path / "s", people="wanted = 2")) as running:
        visitor = running.client("open")
        first, second, third = (join(running, visitor, name) for name in ("one", "two", "three"))
        first.consent()
        second.consent()
        progress = third.get("/api/study")["progress"]
        assert (progress["end"], progress["link"][-6:]) == ("full", "cc=OUT")
        assert third.post("consent").status == 403
        assert finish(running, first)["end"] == "finished"
        running.store.append([Event("exclusion", "two")])
        time.sleep(1)  # the server looks for events of others twice a second
        assert third.consent()["progress"]["end"] is None  # a place is free again


def test_who_left_without_finishing_holds_no_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve_folder(recruit(tmp_path / "s", people="wanted = 1")) as running:
        visitor = running.client("open")
        join(running, visitor, "one").consent()
        second = join(running, visitor, "two")
        assert second.post("consent").status == 403
        monkeypatch.setattr(admission, "ACTIVE", -1)
        assert second.post("consent").status == 200


def test_the_time_can_be_limited(tmp_path: Path) -> None:
    with serve_folder(recruit(tmp_path / "s", people="limit = 10")) as running:
        person = join(running, running.client("open"), "one")
        left = person.consent()["progress"]["left"]
        assert 9 * 60_000 < left <= 10 * 60_000
        running.application.writer.state.of("one").began = now() - 11 * 60_000
        progress = person.get("/api/study")["progress"]
        assert (progress["end"], progress["link"][-6:], progress["left"]) == ("late", "cc=OUT", None)
        reply = person.post("answer", place=0, answer={"choice": "A"}, revises=0)
        assert (reply.status, reply.error[:21]) == (403, "The time for taking p")


def test_fields_have_types_and_may_screen_out(tmp_path: Path) -> None:
    fields = "Age* [18-99]\\nDo you speak German?* [yes | no = out]\\nDialect"
    with serve_folder(recruit(tmp_path / "s", details=fields)) as running:
        visitor = running.client("open")
        person = join(running, visitor, "one")
        person.consent()
        german = "Do you speak German?*"
        for given, field in (
            ({"Age*": "17", german: "yes"}, "Age"),
            ({"Age*": "x", german: "yes"}, "Age"),
            ({"Age*": "30", german: "maybe"}, "Do you speak German?"),
            ({"Age*": "30"}, "Do you speak German?"),
        ):
            assert person.post("details", fields=given).error == f"Please fill in: {field}."
        assert person.post("details", fields={"Age*": "30", german: "yes"}).json()["progress"]["end"] is None
        other = join(running, visitor, "two")
        other.consent()
        progress = other.post("details", fields={"Age*": "30", german: "no"}).json()["progress"]
        assert (progress["end"], progress["link"][-6:]) == ("screened_out", "cc=OUT")
        assert other.post("details", fields={"Age*": "30", german: "yes"}).status == 403
        assert other.post("answer", place=0, answer={"choice": "A"}, revises=0).status == 403


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Native language*", Field("Native language*")),
        ("Age [18–99]", Field("Age", numbers=(18, 99))),
        ("Sex? [a | b = out|c]", Field("Sex?", choices=("a", "b", "c"), out=("b",))),
    ],
)
def test_lines_of_details_are_read(line: str, expected: Field) -> None:
    assert Field.parse(line) == expected


@pytest.mark.parametrize("line", ["Age [18:99]", "Age [x]", "Age [a | a]", "[a | b]", "X [a | ]"])
def test_brackets_must_hold_a_range_or_choices(line: str) -> None:
    with pytest.raises(UsageError, match="expected a range such as"):
        Field.parse(line)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('parameter = "PROLIFIC_PID"', 'parameter = "a b"', "expected a name such as PROLIFIC_PID"),
        ("https://app.prolific.com/submissions/complete?cc=DONE", "javascript:alert(1)", "expected a link"),
        ("{person}", "{name}", "expected a link"),
        ("code = true", "code = 1", "expected true or false"),
        ("Age [18-99]", "Age [18:99]", "expected a range"),
    ],
)
def test_mistakes_have_their_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    folder = recruit(tmp_path / "s")
    toml = folder / "study.toml"
    text = toml.read_text("utf-8")
    assert old in text
    toml.write_text(text.replace(old, new), "utf-8")
    with pytest.raises(InputError, match=said) as error:
        Study.read(folder)
    assert error.value.line == text[: text.index(old)].count("\n") + 1


def test_the_expected_duration_is_filled_in(tmp_path: Path) -> None:
    folder = recruit(tmp_path / "s", people="minutes = 12")
    toml = folder / "study.toml"
    toml.write_text(toml.read_text("utf-8").replace("five minutes", "{minutes} minutes"), "utf-8")
    with serve_folder(folder) as running:
        assert "for 12 minutes." in running.client().get("/api/study")["pages"]["consent"]


def test_a_pilot_is_apart(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "s", "judge")
    pilot = f"sqlite:///{folder}/pilot.db"
    with Store(folder, pilot) as store:
        (invitation,) = store.invite(1)
        store.append([Event("consent", "p1"), Event("answer", "p1", "i0", '{"answer": {"choice": "C"}}')])
        assert invitation.person.id == "p1"
        assert (folder / "pilot.db").stat().st_mode & 0o077 == 0
    study = Study.read(folder)
    assert study.answers(database=pilot).num_rows == 1
    with Store(folder) as store:
        assert store.people() == []
    assert study.answers().num_rows == 0


def test_a_preview_goes_to_any_page(tmp_path: Path) -> None:
    with serve_folder(write_study(tmp_path / "s", "judge", back=False), preview=True) as running:
        person = running.client()
        person.consent()
        assert person.ask("GET", "/api/item/2").status == 200
        assert set(person.get("/api/study")["links"]) == {"finished", "failed", "full", "late", "screened_out"}


def test_check_warns_of_words_that_nobody_has_reviewed(tmp_path: Path) -> None:
    toml = write_study(tmp_path / "s", "prefer") / "study.toml"
    assert not [one for one in find_problems(Study.read(toml.parent)) if "native" in one]
    toml.write_text(toml.read_text("utf-8").replace('language = "en"', 'language = "fr"'), "utf-8")
    found = "\n".join(find_problems(Study.read(toml.parent)))
    assert "no native speaker has reviewed the words of the page (fr)" in found
