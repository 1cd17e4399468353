"""People in a real browser: every kind of study from consent to thanks, by keys, mouse and touch; when things break.

With ``WORDORDER_SCREENSHOTS=docs/study`` the pictures of the documentation are taken on the way.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("starlette")

from all_kinds import KINDS, write_study
from serving import Client, Running, serve_folder
from walking import (
    NARROW,
    POINTED,
    THANKS,
    Answering,
    answer_by_keys,
    answer_by_mouse,
    answer_by_touch,
    begin_by_keys,
    close_page,
    look,
    open_page,
    place_of,
    right_to_left_keys,
    walk,
)

from browsers import start_browser
from wordorder.apps.study import Study, sequence
from wordorder.apps.study.simulation import SimulatedPeople, SimulationPlan
from wordorder.apps.study.web.guard import Limit

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page

pytestmark = pytest.mark.slow

WITHDRAW = "Withdraw and delete my answers"
ENGLISH = '[words]\nlang = "en"\n'


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    yield from start_browser()


def answers_of(running: Running) -> list[dict[str, Any]]:
    rows = running.store.answers().to_pylist()
    return [row | {"value": json.loads(row["payload"])} for row in rows]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_by_keys_alone(browser: Browser, kind: str, tmp_path: Path) -> None:
    with serve_folder(write_study(tmp_path / "study", kind)) as running:
        page = open_page(browser, running, running.client().token)
        begin_by_keys(page, check=kind == "scramble")
        total = len(running.study.items)
        assert page.locator("#progress-text").inner_text() == f"Item 1 of {total}"
        picture = "" if kind in ("scramble", "align", "rate") else kind
        walk(page, kind, lambda page, kind: answer_by_keys(page, kind, False), closely=True, picture=picture)
        assert page.locator("h1").inner_text() == "Thank you"
        assert page.locator("#you").inner_text().startswith("You are p1.")
        if kind == "scramble":
            look(page)
        found = answers_of(running)
        assert len(found) == total
        assert all(row["visible"] >= 0 and row["hidden"] == 0 for row in found)
        close_page(page)
        expected = {
            "scramble": {"fluency": 2, "comprehension": 3},
            "rate": {"quality": [2, 3, 4]},
            "prefer": {"choice": "N"},
            "judge": {"choice": "N"},
            "mark": {"moves": [{"words": [0, 1], "before": 4, "severity": "minor"}]},
        }
        for row in found:
            assert kind == "align" or row["value"] == expected[kind]
        if kind == "align":
            first = found[0]["value"]
            assert first["target"] == ["this", "is", "what", "it", "says"]
            assert [link[0] for link in first["links"]] == list(range(8))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_in_arabic_by_keys_and_mouse_on_a_narrow_screen(browser: Browser, kind: str, tmp_path: Path) -> None:
    with serve_folder(write_study(tmp_path / "study", kind, "ar", items=1)) as running:
        page = open_page(browser, running, running.client().token, viewport=NARROW)
        assert page.evaluate("document.documentElement.dir") == "rtl"
        begin_by_keys(page, check=False)
        assert page.locator("button.primary").inner_text() == "التالي"
        assert page.locator(".option small:visible").count() == 0  # no keys on a phone
        keys = right_to_left_keys if kind == "align" else lambda page, kind: answer_by_keys(page, kind, True)
        walk(page, kind, keys, closely=True, picture="judge-arabic" if kind == "judge" else "")
        found = answers_of(running)
        assert len(found) == len(running.study.items)
        if kind == "mark":
            assert {json.dumps(row["value"]["moves"][0]["words"]) for row in found} == {"[0, 1]"}
        close_page(page)
        take_part(browser, running, answer_by_mouse)


def take_part(browser: Browser, running: Running, answer: Answering) -> None:
    """Let somebody who has practised do the rest on a narrow screen, and look at what is stored."""
    kind = running.study.settings.kind
    done = 0 if kind == "align" else 1  # the practice of align is to translate
    token = start_at(running, done)
    before = len(answers_of(running))
    page = open_page(browser, running, token, viewport=NARROW)
    if not done:
        page.locator("button.primary").click()
    page.wait_for_selector("form.task")
    walk(page, kind, answer)
    found = [row["value"] for row in answers_of(running)[before:]]
    assert len(found) == len(running.study.items) - done
    if answer is answer_by_mouse:
        assert all(value.items() >= POINTED[kind].items() for value in found)
    close_page(page)


# --- by mouse and by touch ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_in_japanese_by_touch_keys_and_mouse_at_360_px(browser: Browser, kind: str, tmp_path: Path) -> None:
    with serve_folder(write_study(tmp_path / "study", kind, "ja", items=1)) as running:
        page = open_page(browser, running, running.client().token, viewport=NARROW, has_touch=True, is_mobile=True)
        assert page.locator("button.primary").inner_text() == "同意して参加します"
        page.locator("button.primary").tap()
        page.fill("#field0", "日本語")
        page.locator("button.primary").tap()
        page.wait_for_selector("main .page:not(:has(#field0))")
        page.locator("button.primary").tap()
        page.wait_for_selector("form.task")
        walk(page, kind, answer_by_touch, closely=True, picture="rate-narrow" if kind == "rate" else "")
        found = answers_of(running)
        assert len(found) == len(running.study.items)
        assert all(row["value"].items() >= POINTED[kind].items() for row in found)
        if kind == "align":
            own = next(row["value"] for row in found if row["value"]["target"][0] == "老人")
            assert len(own["target"]) > 4  # cut where words end
        close_page(page)
        take_part(browser, running, lambda page, kind: answer_by_keys(page, kind, False))
        take_part(browser, running, answer_by_mouse)


def test_words_are_linked_by_dragging_and_links_are_taken_back(browser: Browser, tmp_path: Path) -> None:
    with serve_folder(
        write_study(
            tmp_path / "study", "align", items=1, more='[materials]\nrules = {"unaligned source word" = "block"}'
        )
    ) as running:
        page = open_page(browser, running, start_at(running, 1, links=[[n, n] for n in range(8)]))
        page.wait_for_selector(".columns")
        boxes = [
            page.locator(f".column.{side} .word").nth(place).bounding_box()
            for side, place in (("source", 1), ("target", 2))
        ]
        (x, y), (to_x, to_y) = ((box["x"] + 20, box["y"] + 20) for box in boxes if box)
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(to_x, to_y, steps=4)
        page.mouse.up()
        assert page.locator(".link").count() == 1
        page.wait_for_selector(".note.blocks")
        page.locator(".column.source .word").nth(1).focus()
        page.keyboard.press("p")
        assert page.locator(".link.possible").count() == 1
        for key, links in (("Control+z", 1), ("Control+z", 0), ("Control+Shift+z", 1), ("Delete", 0), ("Control+z", 1)):
            page.keyboard.press(key)
            assert page.locator(".link").count() == links
        page.keyboard.press("Escape")
        for key in (
            "Space",
            "ArrowDown",
            "Space",
            "ArrowRight",
            "Enter",
        ):  # two words at once: one of the links is there
            page.keyboard.press(key)
        assert page.locator(".link").count() == 2
        gap = "() => document.querySelector('.toolbar').getBoundingClientRect().top - %s.getBoundingClientRect().bottom"
        assert page.evaluate(gap % "document.querySelector('.column.target li:last-child')") < 60  # lines take no room
        look(page, "align")
        page.locator("button.primary").click()
        page.wait_for_selector(".alert:not(:empty)")  # a guideline that blocks
        assert page.locator(".alert").inner_text().endswith(": not linked: must be fixed")
        page.get_by_text("Change the words").click()
        box = page.locator("#words")
        box.fill(box.input_value().replace("she has", "shehas"))  # two words are joined: links of the others stay
        page.locator("button.primary").click()
        page.wait_for_selector(".columns")
        assert page.locator(".link").count() > 0
        page.get_by_text("Change the words").click()
        box.fill("other letters")
        page.locator("button.primary").click()
        assert "letters must stay" in page.locator(".alert").inner_text()
        close_page(page)


def start_at(running: Running, place: int, **answers: Any) -> str:
    """Make a person who has answered the items before a place."""
    from all_kinds import answer_of

    running.application.answers_per_person = Limit(1000, 1.0)
    client = running.client()
    client.consent()
    client.post("details", fields={"Native language*": "Dutch"})
    for before in range(place):
        view = client.get(f"/api/item/{before}")["view"]
        reply = client.post(
            "answer", place=before, answer=answer_of(running.study.settings.kind, view) | answers, revises=0
        )
        assert reply.status == 200, reply.error
    return client.token


# --- when things break --------------------------------------------------------------------------------------------


def test_next_says_why_it_cannot_go_on_and_goes_there(browser: Browser, tmp_path: Path) -> None:
    with serve_folder(write_study(tmp_path / "study", "scramble")) as running:
        page = open_page(browser, running, start_at(running, 1))
        page.wait_for_selector("form.task")
        page.keyboard.press("6")
        page.locator("button.primary").click()
        assert page.locator(".alert").inner_text() == "Please answer: How comprehensible is the sentence?"
        assert page.evaluate("document.activeElement.closest('fieldset').dataset.field") == "comprehension"
        page.keyboard.press("2")
        look(page, "scramble")
        assert page.locator(".alert").inner_text() == ""
        page.locator("button.back").click()  # and back: the earlier answer is there, and can be changed
        page.wait_for_selector("form[data-place='1']")
        assert page.locator("#progress-text").inner_text() == "Item 1 of 3"
        assert page.locator("input:checked").count() == 2
        page.keyboard.press("7")
        page.keyboard.press("Tab")
        page.locator("button.primary").click()
        page.wait_for_selector("form[data-place='2']")
        assert [(row["value"]["fluency"], row["revision"]) for row in answers_of(running)] == [(3, 0), (7, 1)]
        close_page(page)


def test_an_answer_survives_a_lost_connection_and_a_closed_tab(browser: Browser, tmp_path: Path) -> None:
    with serve_folder(write_study(tmp_path / "study", "prefer")) as running:
        token = start_at(running, 1, choice="N")
        page = open_page(browser, running, token)
        page.wait_for_selector("form.task")
        page.context.set_offline(True)
        page.keyboard.press("n")
        page.keyboard.press("Enter")
        page.wait_for_selector("#status.offline")
        assert place_of(page).endswith("2")  # the next item comes only when this one is stored
        look(page, "offline")
        assert len(answers_of(running)) == 1
        page.close()
        context = page.context
        context.set_offline(False)
        again = context.new_page()
        again.goto(f"{running.address}/#t={token}")
        again.wait_for_selector("form[data-place='3']")
        assert [row["value"]["choice"] for row in answers_of(running)] == ["N", "N"]
        context.set_offline(True)
        again.keyboard.press("n")
        again.keyboard.press("Enter")
        again.wait_for_selector("#status.offline")
        context.set_offline(False)  # the same tab goes on by itself
        again.wait_for_selector("#status:not(.offline)", state="attached")
        again.wait_for_timeout(200)
        assert len(answers_of(running)) == 3
        context.close()


def test_an_answer_given_while_the_study_closes_is_kept_until_it_reopens(browser: Browser, tmp_path: Path) -> None:
    with serve_folder(write_study(tmp_path / "study", "prefer"), admin="root") as running:
        admin = Client(running.port, "root")
        page = open_page(browser, running, start_at(running, 1, choice="N"))
        page.wait_for_selector("form.task")
        assert admin.post("admin", action="close").status == 200
        page.keyboard.press("a")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=The study is closed")
        assert page.get_by_text("Your last answer is not stored yet").is_visible()
        page.reload()
        page.wait_for_selector("text=Your last answer is not stored yet")
        assert len(answers_of(running)) == 1
        assert admin.post("admin", action="reopen").status == 200
        page.reload()
        page.wait_for_selector("form[data-place='3']")
        assert [row["value"]["choice"] for row in answers_of(running)] == ["N", "A"]
        close_page(page)


def test_two_tabs_and_double_clicks_are_one_answer(browser: Browser, tmp_path: Path) -> None:
    with serve_folder(write_study(tmp_path / "study", "judge")) as running:
        token = start_at(running, 0)
        page = open_page(browser, running, token)
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_selector("form.task")
        other = page.context.new_page()
        other.goto(f"{running.address}/#t={token}")
        other.wait_for_selector("main .page")
        other.locator("button.primary").click()
        other.wait_for_selector("form.task")
        page.locator(".option").first.click()
        page.locator("button.primary").dblclick()
        page.wait_for_selector("form[data-place='2']")
        other.locator(".option").nth(1).click()
        other.locator("button.primary").click()
        other.wait_for_selector("text=answered in another window")
        assert [row["value"]["choice"] for row in answers_of(running)] == ["C"]
        close_page(page)


PARTLY = {
    "scramble": "input:checked",
    "rate": "input:checked",
    "prefer": "input[value=A]:checked",
    "judge": "input[value=I]:checked",
    "align": ".link",
    "mark": ".moves fieldset",
}
"""What is seen once after ``answer_partly``."""


def answer_partly(page: Page, kind: str) -> None:
    """Begin to answer the item on the screen."""
    if kind == "rate":
        page.locator("fieldset").nth(1).locator(".option").nth(3).click()
    elif kind == "prefer":
        page.locator(".option").first.click()
    elif kind == "mark":
        page.locator(".movable .word").nth(2).click()
        page.locator(".gap").first.click()
    else:
        for key in {"scramble": ("6",), "judge": ("i",), "align": ("Enter", "ArrowRight", "Enter")}[kind]:
            page.keyboard.press(key)


def reload(page: Page) -> None:
    """Load the page of somebody who has not answered anything again, and go on to the item."""
    page.reload()
    page.locator(".page button.primary").click()
    page.wait_for_selector("form.task")


@pytest.mark.parametrize("kind", KINDS)
def test_reloading_loses_nothing(browser: Browser, kind: str, tmp_path: Path) -> None:
    with serve_folder(write_study(tmp_path / "study", kind)) as running:
        page = open_page(browser, running, start_at(running, 0))
        page.locator("button.primary").click()
        page.wait_for_selector("form.task")
        if kind == "align":
            page.fill("#translation", "she has never")
            reload(page)
            page.wait_for_selector("#translation")
            assert page.locator("#translation").input_value() == "she has never"
            page.keyboard.press("Control+Enter")
            page.fill("#words", "she hasnever")
            reload(page)
            page.wait_for_selector("#words")
            assert page.locator("#words").input_value() == "she hasnever"
            page.keyboard.press("Control+Enter")
            page.wait_for_selector(".columns")
        answer_partly(page, kind)
        page.locator("summary").click()
        page.fill("#comment", "It is odd.")
        reload(page)
        assert page.locator(PARTLY[kind]).count() == 1
        assert page.locator("#comment").input_value() == "It is odd."
        assert "draft answer" in page.evaluate("Object.keys(localStorage).join()")
        close_page(page)


def test_reloading_keeps_the_fields_about_oneself(browser: Browser, tmp_path: Path) -> None:
    with serve_folder(write_study(tmp_path / "study", "judge")) as running:
        client = running.client()
        client.consent()
        page = open_page(browser, running, client.token)
        page.fill("#field1", "42")
        page.reload()
        page.wait_for_selector("#field1")
        assert page.locator("#field1").input_value() == "42"
        page.fill("#field0", "Dutch")
        page.locator("button.primary").click()
        page.wait_for_selector("main .page:not(:has(#field0))")
        assert running.store.state().of("p1").details == {"Native language*": "Dutch", "Age": "42"}
        assert page.evaluate("Object.keys(localStorage)") == []
        close_page(page)


def test_a_draft_of_an_answer_that_was_changed_elsewhere_is_outdated(browser: Browser, tmp_path: Path) -> None:
    with serve_folder(write_study(tmp_path / "study", "judge")) as running:
        token = start_at(running, 1)
        page = open_page(browser, running, token)
        page.locator("button.back").click()
        page.wait_for_selector("form[data-place='1']")
        page.keyboard.press("i")
        Client(running.port, token).post("answer", place=0, answer={"choice": "N"}, revises=1)
        page.reload()
        page.wait_for_selector("form[data-place='2']")
        page.locator("button.back").click()
        page.wait_for_selector("form[data-place='1']")
        assert page.locator("input[value=N]:checked").count() == 1
        close_page(page)


def test_an_adjudicator_who_reloads_goes_on(browser: Browser, tmp_path: Path) -> None:
    with serve_folder(write_study(tmp_path / "study", "align")) as running:
        adjudicator = running.client("adjudicator")
        for links in ([[0, 0], [1, 1]], [[0, 0], [2, 2], [3, 3]]):
            start_at(running, 3, links=links)
        adjudicator.consent()
        page = open_page(browser, running, adjudicator.token)
        page.locator("button.primary").click()
        page.wait_for_selector(".disputed")
        page.keyboard.press("k")
        page.keyboard.press("d")
        page.reload()
        page.locator("button.primary").click()
        page.wait_for_selector(".disputed")
        pressed = [button.get_attribute("aria-pressed") for button in page.locator(".disputed button").all()]
        assert pressed == ["true", "false", "false", "true", "false", "false"]
        close_page(page)


def test_a_move_that_is_undone_does_not_say_that_the_order_is_right(browser: Browser, tmp_path: Path) -> None:
    with serve_folder(write_study(tmp_path / "study", "mark")) as running:
        page = open_page(browser, running, start_at(running, 1))
        page.wait_for_selector("form.task")
        answer_partly(page, "mark")
        page.get_by_role("button", name="Undo").click()
        page.reload()
        page.wait_for_selector("form.task")
        assert page.locator(".moves fieldset").count() == 0
        assert not page.locator("#right").is_checked()
        page.locator("#right").check()
        page.reload()
        page.wait_for_selector("form.task")
        assert page.locator("#right").is_checked()
        close_page(page)


def test_the_header_has_nothing_but_words(browser: Browser, tmp_path: Path) -> None:
    folder = write_study(tmp_path / "study", "judge", items=1)
    toml = folder / "study.toml"
    lines = toml.read_text(encoding="utf-8").splitlines(keepends=True)
    toml.write_text("".join(line for line in lines if not line.startswith("instructions")), encoding="utf-8")
    with serve_folder(folder) as running:
        page = open_page(browser, running, start_at(running, 1))
        page.wait_for_selector("form.task")
        parts = list(filter(None, page.locator("#header").inner_text().split("\n")))
        assert parts == ["How do you read word order?", "Item 2 of 2", "Single keys: on", WITHDRAW]
        answer_by_keys(page, "judge", False)
        page.wait_for_selector(THANKS)
        assert page.locator("#header").inner_text().split("\n")[0] == "How do you read word order?"
        close_page(page)


def test_examples_are_shown_as_paragraphs(browser: Browser, tmp_path: Path) -> None:
    folder = write_study(tmp_path / "study", "scramble")
    toml = folder / "study.toml"
    text = toml.read_text(encoding="utf-8")
    toml.write_text(
        text.replace("[pages]", '[pages]\nexamples = "First example.\\n\\nSecond example."'), encoding="utf-8"
    )
    with serve_folder(folder) as running:
        page = open_page(browser, running, start_at(running, 0))
        shown = ["Read each sentence once and answer at once. There is no right or wrong answer."]
        shown += ["First example.", "Second example."]
        assert page.locator(".page p").all_inner_texts() == shown
        page.locator("button.primary").click()
        page.wait_for_selector("form.task")
        page.get_by_role("button", name="Instructions").click()
        assert page.locator("dialog p").all_inner_texts() == shown
        close_page(page)


def test_nobody_is_led_to_minor(browser: Browser, tmp_path: Path) -> None:
    with serve_folder(write_study(tmp_path / "study", "mark")) as running:
        page = open_page(browser, running, start_at(running, 1))
        page.wait_for_selector("form.task")
        for _ in range(2):
            answer_partly(page, "mark")
        assert page.locator(".moves input:checked").count() == 0
        page.locator("form.task button.primary").click()
        alert = page.locator(".alert").inner_text()
        assert alert.startswith("Please answer: How serious was it? 1. moved: "), alert
        page.keyboard.press("2")  # the group has the focus
        page.keyboard.press("1")
        look(page, "mark-severity")
        page.keyboard.press("Enter")
        page.wait_for_selector("form[data-place='3']")
        assert [move["severity"] for move in answers_of(running)[1]["value"]["moves"]] == ["major", "minor"]
        close_page(page)


def test_only_a_lost_connection_is_called_no_connection(browser: Browser, tmp_path: Path) -> None:
    with serve_folder(write_study(tmp_path / "study", "judge")) as running:
        page = open_page(browser, running, "%D0%BA%D0%BB%D1%8E%D1%87")
        assert "Please open the link that you were given" in page.locator("main").inner_text()
        close_page(page)
        page = open_page(browser, running, start_at(running, 1))
        page.wait_for_selector("form.task")
        page.route("**/api/answer", lambda route: route.fulfill(status=500, body="{}"))
        answer_by_keys(page, "judge", False)
        page.wait_for_selector("#status.offline")
        assert page.locator("#status").inner_text().startswith("The server has a problem.")
        page.unroute("**/api/answer")
        page.route("**/api/answer", lambda route: route.fulfill(status=200, body="<html>Log in to the network"))
        page.wait_for_selector("text=No connection.")
        page.unroute("**/api/answer")
        page.wait_for_selector("form[data-place='3']")
        assert len(answers_of(running)) == 2
        page.evaluate("void (AbortSignal.timeout = () => { throw new Error('a mistake in the page') })")
        answer_by_keys(page, "judge", False)
        page.wait_for_selector("text=Something went wrong: a mistake in the page")
        close_page(page)


HIDDEN_TAB = """
let hidden = false;
const waiting = [];
const paint = window.requestAnimationFrame.bind(window);
Object.defineProperty(document, "hidden", { get: () => hidden });
Object.defineProperty(document, "visibilityState", { get: () => (hidden ? "hidden" : "visible") });
window.requestAnimationFrame = (work) => (hidden ? waiting.push(work) : paint(work));
window.hide = (value) => {
  hidden = value;
  document.dispatchEvent(new Event("visibilitychange"));
  if (!hidden) for (const work of waiting.splice(0)) paint(work);
};
"""
"""A tab that can be hidden; a hidden tab is not painted."""


def test_an_item_in_a_hidden_tab_is_timed_from_when_it_is_seen(browser: Browser, tmp_path: Path) -> None:
    with serve_folder(write_study(tmp_path / "study", "judge")) as running:
        page = open_page(browser, running, start_at(running, 1))
        page.wait_for_selector("form.task")
        page.add_init_script(HIDDEN_TAB + "hide(true);")
        page.reload()
        page.wait_for_selector("form.task")
        page.wait_for_timeout(1200)
        page.evaluate("hide(false)")
        page.wait_for_timeout(400)
        page.keyboard.press("n")
        page.evaluate("hide(true)")
        page.wait_for_timeout(200)
        page.evaluate("hide(false)")
        page.keyboard.press("Enter")
        page.wait_for_selector("form[data-place='3']")
        row = answers_of(running)[1]
        assert row["visible"] >= 300
        assert row["hidden"] >= 1300
        close_page(page)


def test_a_participant_after_the_admin_in_one_tab(browser: Browser, tmp_path: Path) -> None:
    with serve_folder(write_study(tmp_path / "study", "judge"), admin="root") as running:
        page = open_page(browser, running, "root")
        page.wait_for_selector("text=Close the study")
        page.goto(f"{running.address}/#t={start_at(running, 1)}")
        page.wait_for_selector("form.task")
        start_at(running, 1)  # the admin's page would show that
        page.wait_for_timeout(6000)
        assert page.locator("form.task").count() == 1
        assert page.evaluate("document.body.className") == ""
        page.goto(f"{running.address}/#t=root")
        page.wait_for_selector("text=Close the study")
        assert not page.locator("#header").is_visible()
        close_page(page)


def test_single_keys_can_be_switched_off(browser: Browser, tmp_path: Path) -> None:
    with serve_folder(write_study(tmp_path / "study", "judge")) as running:
        page = open_page(browser, running, start_at(running, 1))
        page.wait_for_selector("form.task")
        assert page.get_by_text("Keys: C I N").is_visible()
        page.get_by_text("Single keys: on").click()
        page.keyboard.press("c")
        assert page.locator("input:checked").count() == 0
        page.reload()
        page.wait_for_selector("form.task")
        page.keyboard.press("c")
        assert page.locator("input:checked").count() == 0
        assert not page.get_by_text("Keys: C I N").is_visible()
        look(page, "keys-off")
        page.locator("input").first.focus()
        page.keyboard.press("Space")  # keys that every page has still work
        assert page.locator("input:checked").count() == 1
        page.get_by_text("Single keys: off").click()
        page.keyboard.press("i")
        assert page.locator("input[value=I]:checked").count() == 1
        close_page(page)


def test_a_notice_does_not_cover_the_button(browser: Browser, tmp_path: Path) -> None:
    with serve_folder(write_study(tmp_path / "study", "prefer")) as running:
        page = open_page(browser, running, start_at(running, 1, choice="N"), viewport=NARROW)
        page.wait_for_selector("form.task")
        page.locator(".option").first.click()
        page.locator("form.task button.primary").scroll_into_view_if_needed()
        page.context.set_offline(True)
        page.locator("form.task button.primary").click()
        page.wait_for_selector("#status.offline")
        boxes = [page.locator(name).bounding_box() for name in ("form.task button.primary", "#status")]
        bottom, top = (box["y"] + box["height"] * (place == 0) for place, box in enumerate(boxes) if box)
        assert bottom < top
        if folder := os.environ.get("WORDORDER_SCREENSHOTS"):
            page.screenshot(path=f"{folder}/offline-narrow.png")
        look(page)
        page.context.set_offline(False)
        page.wait_for_selector("form[data-place='3']")
        close_page(page)


def test_rows_of_words_begin_below_each_other(browser: Browser, tmp_path: Path) -> None:
    with serve_folder(write_study(tmp_path / "study", "mark")) as running:
        page = open_page(browser, running, start_at(running, 1), viewport=NARROW)
        page.wait_for_selector("form.task")
        for chosen in (False, True):
            if chosen:
                page.locator(".movable .word").first.click()
            rows: dict[int, list[float]] = {}
            for node in page.locator(".movable .word").all():
                box = node.bounding_box()
                assert box
                rows.setdefault(round(box["y"]), []).append(box["x"])
            assert len(rows) > 1
            assert len({round(min(row)) for row in rows.values()}) == 1
        look(page, "mark-narrow")
        close_page(page)


@pytest.mark.parametrize("interface", ["en", "ar"])
def test_linked_words_stand_at_their_lines_in_every_script(browser: Browser, interface: str, tmp_path: Path) -> None:
    more = ENGLISH if interface == "en" else ""
    with serve_folder(write_study(tmp_path / "study", "align", "ar", items=1, more=more)) as running:
        page = open_page(browser, running, start_at(running, 1, links=[[0, 0]]))
        page.wait_for_selector(".columns")
        lines = page.locator(".lines").bounding_box()
        assert lines
        for form in page.locator(".columns .form").all():
            box = form.bounding_box()
            assert box
            far = max(lines["x"] - box["x"] - box["width"], box["x"] - lines["x"] - lines["width"])
            assert 0 < far < 20, (form.inner_text(), far)
        look(page, f"align-arabic-{interface}")
        close_page(page)


def test_the_lines_of_the_consent_do_not_run_together(browser: Browser, tmp_path: Path) -> None:
    folder = write_study(tmp_path / "study", "judge")
    toml = folder / "study.toml"
    long = "Taking part is voluntary, and you may stop at any time without giving a reason for it. "
    text = toml.read_text(encoding="utf-8")
    toml.write_text(text.replace('consent = "', f'consent = "{long * 3}\\n'), encoding="utf-8")
    with serve_folder(folder) as running:
        page = open_page(browser, running, running.client().token)
        look(page, "consent-lines")
        assert page.locator(".page p").inner_text().split("\n")[1:] == [
            "You will read and judge sentences, for five minutes.",
            "Your answers are stored without your name.",
        ]
        rows = page.evaluate("""() => {
          const range = document.createRange();
          const texts = document.createTreeWalker(document.querySelector(".page p"), NodeFilter.SHOW_TEXT);
          const rows = new Set();
          for (let text = texts.nextNode(); text; text = texts.nextNode()) {
            range.selectNodeContents(text);
            for (const { top } of range.getClientRects()) rows.add(top);
          }
          return [...rows].sort((a, b) => a - b);
        }""")
        steps = [after - before for before, after in pairwise(rows)]
        assert len(steps) > 2
        assert min(steps[-2:]) > max(steps[:-2]) + 4  # further apart than the rows of one line
        close_page(page)


SPELLED = [
    ("en", "Good morning .", "Good morning."),
    ("en", 'She said : " do n\'t ( ever ) ! "', 'She said: "don\'t (ever)!"'),
    ("en", "“ It is Tom 's , ” he said .", "“It is Tom's,” he said."),
    ("en", 'a " lonely mark', 'a " lonely mark'),
    ("en", "morning . Good", "morning. Good"),
    ("fr", "Bonjour , Anne ! « Quoi ? »", "Bonjour, Anne ! « Quoi ? »"),
    ("de", "Er sagte : „ Nein “ .", "Er sagte: „Nein“."),
    ("es", "¿ Qué ?", "¿Qué?"),
    ("ar", "هل هذا صحيح ؟", "هل هذا صحيح؟"),
    ("ja", "老人 は 庭 で 読む 。", "老人は庭で読む。"),
]


def test_sentences_are_shown_as_people_write_them(browser: Browser, tmp_path: Path) -> None:
    folder = write_study(tmp_path / "study", "prefer")
    items = folder / "items.jsonl"
    items.write_text(items.read_text(encoding="utf-8").replace("newspaper", "newspaper ,"), encoding="utf-8")
    with serve_folder(folder) as running:
        page = open_page(browser, running, start_at(running, 0))
        page.locator("button.primary").click()
        page.wait_for_selector("form.task")
        assert " ," not in page.locator("form.task").inner_text()
        assert page.locator(".card .sentence", has_text="newspaper, in").count() == 2
        assert page.locator(".card mark").count() > 0  # words that differ are still the same words
        for lang, words, expected in SPELLED:
            shown = page.evaluate(
                "async ([text, lang]) => (await import('/assets/sentences.js')).sentence(text, lang)", [words, lang]
            )
            assert shown == expected
        close_page(page)


def test_what_people_write_is_text_and_never_code(browser: Browser, tmp_path: Path) -> None:
    folder = write_study(tmp_path / "study", "scramble")
    script = "<script>document.title='taken'</script><img src=x onerror=document.title='taken'>"
    items = folder / "items.jsonl"
    items.write_text(
        items.read_text(encoding="utf-8").replace("man reads a", json.dumps(script)[1:-1]), encoding="utf-8"
    )
    toml = folder / "study.toml"
    toml.write_text(toml.read_text(encoding="utf-8").replace("Thank you!", script), encoding="utf-8")
    with serve_folder(folder, admin="root") as running:
        page = open_page(browser, running, start_at(running, 0))
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_selector("form.task")
        assert script in page.locator(".stimulus").inner_text()
        page.keyboard.press("1")
        page.keyboard.press("1")
        page.locator("summary").click()
        page.fill("#comment", script)
        page.locator("button.primary").click()
        page.wait_for_selector("form[data-place='2']")
        page.locator("button.back").click()
        page.wait_for_selector("form[data-place='1']")
        assert page.locator("#comment").input_value() == script
        assert page.title() == "How do you read word order?"
        close_page(page)


def test_wrong_closed_and_missing_links_say_so(browser: Browser, tmp_path: Path) -> None:
    with serve_folder(write_study(tmp_path / "study", "judge"), admin="root") as running:
        page = open_page(browser, running, "nonsense")
        page.wait_for_selector("text=This link is not known, or no longer valid")
        page.goto("about:blank")
        page.goto(running.address)
        page.wait_for_selector("text=Please open the link that you were given")
        visitor = running.client("open")
        page.goto(f"{running.address}/#t={visitor.token}")
        page.wait_for_selector("text=I agree to take part")  # and the visitor is a person now
        joined = page.url
        assert visitor.token not in joined
        page.goto("about:blank")
        page.goto(f"{running.address}/#t={visitor.token}")
        page.wait_for_selector("text=I agree to take part")
        assert page.url == joined
        page.context.close()


# --- others than the people ---------------------------------------------------------------------------------------


def test_the_admin_sees_and_decides(browser: Browser, tmp_path: Path) -> None:
    with serve_folder(write_study(tmp_path / "study", "prefer"), admin="root") as running:
        start_at(running, 4, choice="N", comment="<b>Both</b> are bad.")
        start_at(running, 2)
        running.client()
        page = open_page(browser, running, "root")
        page.wait_for_selector("text=finished")
        assert page.get_by_role("row", name="p3").get_by_role("cell").nth(3).inner_text() == "–"
        when = page.get_by_role("row", name="p1").get_by_role("cell").nth(9).inner_text()
        assert datetime.fromisoformat(when).year >= 2024
        assert page.locator("tr.failed").all_inner_texts()[0].startswith("p1")
        look(page, "admin")
        page.get_by_text("Comments (4)").click()
        assert page.get_by_role("cell", name="<b>Both</b> are bad.").count() == 4
        page.get_by_text("Items (4)").click()
        counts = {row["item"]: row["answers"] for row in Client(running.port, "root").get("/api/admin")["progress"]}
        answers = f"Answers to each item (wanted: 3): i0: {counts['i0']}, i1: {counts['i1']}"
        assert page.get_by_role("img").nth(1).get_attribute("aria-label") == answers
        page.once("dialog", lambda dialog: dialog.accept(" "))
        page.get_by_role("button", name="exclude p1").click()
        page.wait_for_selector("text=Say why, so that the analysis can report it.")
        assert running.store.state().of("p1").excluded is None
        page.once("dialog", lambda dialog: dialog.accept("clicked at random"))
        page.get_by_role("button", name="exclude p1").click()
        page.wait_for_selector("text=excluded: clicked at random")
        start_at(running, 4)  # while the page is open
        page.wait_for_selector("tr:has-text('p4')")
        assert page.locator("details[open]").count() == 1  # the comments are those of somebody who is excluded
        with page.expect_download() as packed:
            page.get_by_role("button", name="Download everything").click()
        with zipfile.ZipFile(packed.value.path()) as archive:
            names = set(archive.namelist())
            assert {f"study/{one}" for one in ("study.toml", "items.jsonl", "study.db")} <= names
            assert "clicked at random" in archive.read("study/export/people.tsv").decode()
        page.get_by_role("button", name="Close the study").click()
        page.wait_for_selector("text=Reopen the study")
        assert running.store.state().closed
        assert running.store.state().of("p1").excluded == "clicked at random"
        close_page(page)


@pytest.mark.parametrize("kind", KINDS)
def test_the_dashboard_knows_every_kind(kind: str, tmp_path: Path) -> None:
    study = Study.read(write_study(tmp_path / "study", kind))
    people = SimulatedPeople(study, SimulationPlan())
    with serve_folder(study.folder, admin="root") as running:
        admin = Client(running.port, "root")
        assert admin.get("/api/agreement")["notes"] == ["no answers yet"]
        for person in ("p1", "p2"):
            client = running.client()
            client.consent()
            for place, key in enumerate(sequence(study, person, 0)):
                answer = people.answer(study.item(key), person)
                assert client.post("answer", place=place, answer=answer, revises=0, visible=3000).status == 200
        agreement = admin.get("/api/agreement")
        assert agreement["rows"], agreement
        found = admin.get("/api/admin")
        assert [row["answers"] for row in found["progress"]] == [2] * len(study.items)
        assert sum(found["times"]) == 2 * len(study.items) == found["times"][2]
        assert sum(count for _, count in found["hours"]) == 2 * len(study.items)
        archive = admin.ask("GET", "/api/everything")
        assert (archive.status, archive.headers["content-type"]) == (200, "application/zip")
        for path in ("agreement", "everything", "admin"):
            assert running.client().ask("GET", f"/api/{path}").status == 403


def test_people_withdraw_by_themselves(browser: Browser, tmp_path: Path) -> None:
    with serve_folder(write_study(tmp_path / "study", "judge")) as running:
        token = start_at(running, 1)
        page = open_page(browser, running, token)
        page.get_by_role("button", name="Begin").or_(page.locator("form.task")).first.wait_for()
        page.get_by_role("button", name="Instructions").click()
        page.once("dialog", lambda dialog: dialog.dismiss())
        page.get_by_role("button", name="Withdraw and delete my answers").click()
        assert running.store.state().of("p1").answers
        page.once("dialog", lambda dialog: dialog.accept())
        page.get_by_role("button", name="Withdraw and delete my answers").click()
        page.wait_for_selector("text=Everything that was stored about you is deleted.")
        assert {event.kind for event in running.store.events() if event.person} == {"withdrawal"}
        assert page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('wordorder.'))") == []
        page.reload()
        page.wait_for_selector("text=This link is not known")
        close_page(page)


def test_an_adjudicator_decides_by_keys(browser: Browser, tmp_path: Path) -> None:
    with serve_folder(write_study(tmp_path / "study", "align")) as running:
        adjudicator = running.client("adjudicator")
        for links in ([[0, 0], [1, 1]], [[0, 0], [2, 2], [3, 3]]):
            start_at(running, 3, links=links)
        page = open_page(browser, running, adjudicator.token)
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_selector("main .page:has-text('Instructions')")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_selector(".disputed")
        assert page.locator(".disputed li").count() == 3
        look(page, "adjudicate")
        for number in range(2):
            for key in ("k", "d", "k"):
                page.keyboard.press(key)
            page.keyboard.press("Enter")
            if not number:
                page.wait_for_selector("form[data-place='2']")
        page.wait_for_selector(THANKS)
        decided = [row for row in answers_of(running) if row["role"] == "adjudicator"]
        assert [row["value"]["links"] for row in decided] == [[[0, 0], [1, 1], [3, 3]]] * 2
        close_page(page)


def test_practice_says_what_is_right_and_lets_people_try_again(browser: Browser, tmp_path: Path) -> None:
    folder = write_study(tmp_path / "study", "judge")
    items = folder / "items.jsonl"
    first, *others = items.read_text(encoding="utf-8").splitlines(keepends=True)
    taught = json.loads(first) | {"expected": "I", "reason": "The two parts have changed places."}
    items.write_text(json.dumps(taught) + "\n" + "".join(others), encoding="utf-8")
    with serve_folder(folder) as running:
        page = open_page(browser, running, start_at(running, 0))
        page.locator("button.primary").click()
        for key, heading in (("c", "Expected: Incorrect"), ("i", "That is right.")):
            page.wait_for_selector("form[data-place='1']")
            page.keyboard.press(key)
            page.keyboard.press("Enter")
            page.wait_for_selector(".feedback")
            assert page.locator(".feedback h2").inner_text() == heading
            assert page.locator(".feedback p").inner_text() == "The two parts have changed places."
            assert page.get_by_text("I disagree").count() == 0
            look(page, "practice")
            page.keyboard.press("Enter")
            page.wait_for_selector("form[data-place='2']")
            if key == "c":
                page.locator("button.back").click()
        close_page(page)


def test_leaving_with_unsaved_work_is_warned_of(browser: Browser, tmp_path: Path) -> None:
    with serve_folder(write_study(tmp_path / "study", "mark")) as running:
        page = open_page(browser, running, start_at(running, 1))
        page.wait_for_selector("form.task")
        asked: list[str] = []

        def stay(dialog: Dialog) -> None:
            asked.append(dialog.type)
            dialog.dismiss()

        page.on("dialog", stay)
        page.evaluate("location.reload()")
        page.wait_for_selector("form.task")
        assert asked == []
        answer_partly(page, "mark")
        page.evaluate("location.reload()")
        page.wait_for_timeout(300)
        assert asked == ["beforeunload"]
        assert page.locator(".moves fieldset").count() == 1
        page.locator(".moves .option").first.click()
        page.locator("form.task button.primary").click()
        page.wait_for_selector("form[data-place='3']")
        page.evaluate("location.reload()")
        page.wait_for_selector("form.task")
        assert asked == ["beforeunload"]
        close_page(page)


def test_a_preview_goes_to_every_page_and_stays_there(browser: Browser, tmp_path: Path) -> None:
    recruiting = '[recruiting]\nscreened_out = "https://example.org/out?{person}"\ncode = true\n'
    with serve_folder(write_study(tmp_path / "study", "judge", back=False, more=recruiting), preview=True) as running:
        page = open_page(browser, running, running.client("open").token)
        page.wait_for_selector(".preview")
        pages = page.locator("#preview-page option").all_inner_texts()
        ends = ["Last page", "Last page, checks failed", "Screened out", "Study full", "Time is over"]
        items = [f"Item {n}" for n in (1, 2, 3)]
        assert pages == ["First page", "About you", "Instructions", *items, *ends]
        seen = {
            "About you": "#field0",
            "Item 3": "form[data-place='3']",
            "Last page": "text=Thank you! You may close",
            "Screened out": "a[href^='https://example.org/out?']",
            "Time is over": "text=The time for taking part is over",
            "First page": "text=I agree to take part",
        }
        for name, shown in seen.items():
            page.select_option("#preview-page", label=name)
            page.wait_for_selector(shown)
            look(page, "preview" if name == "Item 3" else "")
            assert page.locator(".preview").is_visible()
        assert answers_of(running) == []
        close_page(page)
