"""How people go through a study in a browser: by keys, by mouse and by touch."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from serving import Running

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

Answering = Callable[["Page", str], None]

TRANSLATIONS = {"ar": "يقرأ الرجل جريدة", "ja": "老人は庭で新聞を読む"}
NARROW = {"width": 360, "height": 740}
THANKS = "text=You may close this window."
SMALL_TARGETS = """() => [...document.querySelectorAll("button, .option, summary, input[type=text], textarea")]
  .filter((node) => node.checkVisibility() && !node.disabled)
  .map((node) => [node.className || node.tagName, node.getBoundingClientRect()])
  .filter(([, box]) => box.height < 43.5 || box.width < 43.5)
  .map(([name, box]) => `${name} ${box.width}x${box.height}`)"""


def open_page(browser: Browser, running: Running, token: str, **context: Any) -> Page:
    """Open a link; whatever the page complains of is an error."""
    context.setdefault("viewport", {"width": 1000, "height": 760})
    page = browser.new_context(reduced_motion="reduce", **context).new_page()
    page.set_default_timeout(60_000)
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if "Content Security" in said.text else None)
    page.complaints = complaints  # type: ignore[attr-defined]
    page.goto(f"{running.address}/#t={token}")
    page.wait_for_selector("main h1")
    return page


def close_page(page: Page) -> None:
    assert page.complaints == []  # type: ignore[attr-defined]
    page.context.close()


def look(page: Page, name: str = "", *, closely: bool = True) -> None:
    """Look at a page on a narrow screen, closely as axe does; take its picture if one is wanted."""
    if closely:
        axe = pytest.importorskip("axe_playwright_python.sync_playwright")
        found = axe.Axe().run(page).response["violations"]
        assert [(one["id"], one["nodes"][0]) for one in found if one["impact"] in ("serious", "critical")] == []
    width = page.viewport_size["width"] if page.viewport_size else 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if name and (folder := os.environ.get("WORDORDER_SCREENSHOTS")):
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=f"{folder}/{name}.png", full_page=True)


def begin_by_keys(page: Page, check: bool = True) -> None:
    """Go from consent to the first item by keys."""
    for step in ("consent", "details", "instructions"):
        if check:
            look(page, "consent" if step == "consent" else "")
        page.keyboard.press("Tab")
        if step == "details":
            page.keyboard.type("Dutch")
        page.keyboard.press("Enter")
        after = {"consent": "#field0", "details": "main .page:not(:has(#field0))", "instructions": "form.task"}
        page.wait_for_selector(after[step])


def place_of(page: Page) -> str:
    return page.locator("form.task h1").inner_text() if page.locator("form.task").count() else ""


def on_next(page: Page) -> bool:
    return bool(page.evaluate("document.activeElement.matches('form.task button.primary')"))


# --- by keys ------------------------------------------------------------------------------------------------------


def answer_by_keys(page: Page, kind: str, right_to_left: bool) -> None:
    """Answer the item on the screen without a mouse; the last key is Enter."""
    press = page.keyboard.press
    onwards = "ArrowLeft" if right_to_left else "ArrowRight"
    if kind in ("scramble", "rate"):
        for number in range(page.locator("fieldset").count()):
            press(str(number + 2))
    elif kind in ("prefer", "judge"):
        press("n")
    elif kind == "align":
        if page.locator("#translation").count():
            page.keyboard.type("this is what it says")
            press("Control+Enter")
            page.wait_for_selector("#words")
            press("Control+Enter")
        page.wait_for_selector(".columns")
        for _ in range(20):
            if on_next(page):
                break
            for key in ("Enter", "ArrowRight", "Enter"):
                press(key)
        assert on_next(page)
    else:
        for key in ("Space", onwards, "Space", "Enter", onwards, onwards, onwards, "Enter", "Enter", "1"):
            press(key)
    press("Enter")


def walk(page: Page, kind: str, answer: Answering, *, closely: bool = False, picture: str = "") -> None:
    """Answer one item after the other until the thanks."""
    for number in range(10):
        before = place_of(page)
        if not before:
            break
        if number == 1:
            look(page, picture, closely=closely)
        answer(page, kind)
        page.wait_for_function(
            "(was) => document.querySelector('.feedback') || document.querySelector('main h1').textContent !== was",
            arg=before,
        )
        if page.locator(".feedback").count():
            look(page, picture and f"{picture}-feedback", closely=closely)
            if answer is answer_by_mouse:
                page.locator("form.task button.primary").click()
            else:
                page.keyboard.press("Enter")
            page.wait_for_function("(before) => document.querySelector('main h1').textContent !== before", arg=before)
    page.wait_for_selector(THANKS)


def right_to_left_keys(page: Page, kind: str) -> None:
    """Link words where the source is the column on the right."""
    if page.locator("#translation").count():
        page.keyboard.type(TRANSLATIONS["ar"])
        page.keyboard.press("Control+Enter")
        page.wait_for_selector("#words")
        page.keyboard.press("Control+Enter")
    page.wait_for_selector(".columns")
    for key in ("Enter", "ArrowLeft", "Enter"):
        page.keyboard.press(key)
    assert page.locator(".link").count() == 1
    page.locator("form.task button.primary").focus()
    page.keyboard.press("Enter")


# --- by mouse and by touch ----------------------------------------------------------------------------------------

POINTED: dict[str, dict[str, Any]] = {
    "scramble": {"fluency": 5, "comprehension": 5},
    "rate": {"quality": [4, 4, 4]},
    "prefer": {"choice": "A"},
    "judge": {"choice": "C"},
    "align": {"links": [[0, 1], [2, 0]], "possible": []},
    "mark": {"moves": [{"words": [2], "before": 0, "severity": "major"}]},
}
"""What ``answer_by_pointing`` answers."""


def answer_by_touch(page: Page, kind: str) -> None:
    """Answer the item on the screen with a finger."""

    def tap(target: Locator) -> None:
        assert page.evaluate(SMALL_TARGETS) == []
        target.tap()

    answer_by_pointing(page, kind, tap)


def answer_by_mouse(page: Page, kind: str) -> None:
    """Answer the item on the screen with a mouse; only a translation is typed."""
    answer_by_pointing(page, kind, lambda target: target.click())


def answer_by_pointing(page: Page, kind: str, press: Callable[[Locator], None]) -> None:
    """Answer the item on the screen as ``POINTED`` says."""
    if kind in ("scramble", "rate"):
        for group in page.locator("fieldset").all():
            press(group.locator(".option").nth(4))
    elif kind in ("prefer", "judge"):
        press(page.locator(".option").first)
    elif kind == "align":
        if page.locator("#translation").count():
            page.fill("#translation", TRANSLATIONS[page.evaluate("document.documentElement.lang")])
            press(page.locator("button.primary"))
            page.wait_for_selector("#words")
            press(page.locator("button.primary"))
        page.wait_for_selector(".columns")
        for source, target in ((0, 1), (2, 0)):
            press(page.locator(".column.source .word").nth(source))
            press(page.locator(".column.target .word").nth(target))
        assert page.locator(".link").count() == 2
    else:
        press(page.locator(".movable .word").nth(2))
        press(page.locator(".gap").first)
        press(page.locator(".moves .option").nth(1))
    press(page.locator("form.task button.primary"))
