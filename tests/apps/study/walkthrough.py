"""A whole study of every kind, from the address of a recruiting service to the completion link, in a real browser.

``PYTHONPATH=tests python tests/apps/study/walkthrough.py FOLDER`` does it by mouse and by keys, in English, Arabic
and Japanese, at 1280 and 390 px, and takes a picture of every page; words such as ``mark`` and ``ar`` choose ways.
"""

from __future__ import annotations

import json
import sys
import tempfile
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from all_kinds import KINDS, LANGUAGES, SOURCE, write_study
from serving import Client, serve_folder
from walking import answer_by_keys, answer_by_mouse, look, place_of, right_to_left_keys

from wordorder.apps.study.web.guard import Limit

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WIDTHS = (1280, 390)
MEANS = ("keys", "mouse")
WAYS = tuple(product(KINDS, LANGUAGES, WIDTHS, MEANS))

RECRUITING = """
[recruiting]
parameter = "PROLIFIC_PID"
completed = "https://app.prolific.com/submissions/complete?cc=DONE42&pid={person}"
code = true
"""
EXPECTED: dict[str, dict[str, Any]] = {
    "scramble": {"expected": {"fluency": [1, 3]}},
    "rate": {"gold": "SECRETSYSTEM1"},
    "prefer": {"gold": "SECRETSYSTEM1"},
    "judge": {"expected": "I"},
    "align": {"source": SOURCE[0].split(), "target": SOURCE[0].split(), "expected": [[n, n] for n in range(8)]},
    "mark": {},
}


def write_recruiting_study(folder: Path, kind: str, language: str) -> Path:
    """Write a study whose practice item has a known answer, for people from a recruiting service."""
    write_study(folder, kind, language, items=1, more=RECRUITING)
    items = folder / "items.jsonl"
    first, *others = items.read_text("utf-8").splitlines(keepends=True)
    taught = {**json.loads(first), **EXPECTED[kind], "reason": "The words stand in their usual order."}
    if kind == "mark":
        taught["expected"] = [3, 4, 0, 1, 2, *range(5, len(taught["words"]))]
    items.write_text(json.dumps(taught, ensure_ascii=False) + "\n" + "".join(others), "utf-8")
    toml = folder / "study.toml"
    text = toml.read_text("utf-8").replace("Native language*\\nAge", "Age* [18-99]\\nHand [left | right]")
    toml.write_text(text.replace("[people]\n", "[people]\nlimit = 60\n"), "utf-8")
    return folder


def take_part(
    browser: Browser, kind: str, language: str, width: int, means: str, *, pictures: Path | None = None
) -> dict[str, Any]:
    """Take part in a study from the first page to the recruiting service; return the address that people get to."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = write_recruiting_study(Path(scratch) / "study", kind, language)
        with serve_folder(folder) as running:
            running.application.answers_per_person = Limit(1000, 1.0)
            visitor = running.client("open")
            context = browser.new_context(reduced_motion="reduce", viewport={"width": width, "height": 800})
            page = context.new_page()
            page.set_default_timeout(60_000)
            complaints: list[str] = []
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.route("https://app.prolific.com/**", lambda route: route.fulfill(body="back at the service"))
            page.goto(f"{running.address}/?PROLIFIC_PID=5f1a77c0&STUDY_ID=x#t={visitor.token}")
            seen: list[str] = []

            def show(name: str) -> None:
                seen.append(name)
                look(page, closely=False)
                if pictures is not None:
                    pictures.mkdir(parents=True, exist_ok=True)
                    page.screenshot(path=pictures / f"{kind}-{language}-{width}-{means}-{name}.png", full_page=True)

            page.wait_for_selector("main .page button.primary")
            assert page.evaluate("document.documentElement.dir") == ("rtl" if language == "ar" else "ltr")
            show("1-consent")
            go_on(page, means)
            page.wait_for_selector("#field0")
            fill_in(page, means)
            show("2-details")
            page.wait_for_selector("main .page:not(:has(#field0)) button.primary")
            show("3-instructions")
            go_on(page, means)
            page.wait_for_selector("form.task")
            number = 0
            while before := place_of(page):
                number += 1
                show(f"4-item{number}")
                answer(page, kind, language, means)
                changed = "document.querySelector('main h1').textContent !== was"
                page.wait_for_function(f"(was) => document.querySelector('.feedback') || {changed}", arg=before)
                if page.locator(".feedback").count():
                    show(f"5-feedback{number}")
                    go_on(page, means, "form.task button.primary")
                    page.wait_for_function(f"(was) => {changed}", arg=before)
            page.wait_for_selector("a.primary")
            show("6-last")
            assert page.locator(".code strong").inner_text() == running.store.state().of("5f1a77c0").code
            if means == "keys":
                page.locator("a.primary").focus()
                page.keyboard.press("Enter")
            else:
                page.locator("a.primary").click()
            page.wait_for_selector("text=back at the service")
            assert complaints == []
            found = {"url": page.url, "pages": seen, "answers": running.store.answers().num_rows}
            context.close()
            assert found["answers"] == len(running.study.items)
            assert Client(running.port, visitor.token).get("/api/study")["id"] == "PROLIFIC_PID"
            return found


def go_on(page: Page, means: str, button: str = "main .page button.primary") -> None:
    """Press the button on a page; by keys, it is the next thing after the heading."""
    if means == "mouse":
        page.locator(button).click()
    elif "task" in button:
        page.keyboard.press("Enter")
    else:
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")


def fill_in(page: Page, means: str) -> None:
    """Fill in the fields about oneself; a wrong age is refused first."""
    for age in ("7", "34"):
        if means == "mouse":
            page.locator("#field0").fill(age)
            page.locator(".field .option").nth(1).click()
            page.locator("main .page button.primary").click()
        else:
            page.locator("#field0").focus()
            page.keyboard.press("Control+a")
            page.keyboard.type(age)
            page.keyboard.press("Tab")
            page.keyboard.press("Space")
            page.keyboard.press("Tab")
            page.keyboard.press("Enter")
        if age == "7":
            page.wait_for_selector("#status.bad:not(:empty)")


def answer(page: Page, kind: str, language: str, means: str) -> None:
    """Answer the item on the screen."""
    if means == "mouse":
        answer_by_mouse(page, kind)
    elif kind == "align" and language == "ar":
        right_to_left_keys(page, kind)
    else:
        answer_by_keys(page, kind, language == "ar")


def main() -> None:
    """Take part in all the ways that the arguments choose."""
    from browsers import NAMES, start_browser

    folder, *chosen = sys.argv[1:]
    started = start_browser()
    browser = next(started)
    failed = 0
    ways = [way for way in WAYS if all(word in map(str, way) for word in chosen)]
    for way in ways:
        try:
            found = take_part(browser, *way, pictures=Path(folder))
            print(*way, len(found["pages"]), "pages", found["url"], flush=True)
        except Exception as error:
            failed += 1
            print(*way, "FAILED", str(error).splitlines()[:3], flush=True)
    print(f"{len(ways) - failed} of {len(ways)} ways to the end in {NAMES[0]}")


if __name__ == "__main__":
    main()
