"""The view of patterns in a real browser: its sentences, its examples, and the way to the segments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from browsers import start_browser
from browsing import Visit
from wordorder.apps.patterns import patterns
from wordorder.apps.patterns.page import patterns_page
from wordorder.show.explorer import write_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

OBJECTS = ("bread", "milk", "tea", "soup", "rice", "fish", "corn", "cake")
GOLD = [f"We saw <{thing}> in town today" for thing in OBJECTS] * 12
LATE = [f"We <{thing}> in town today saw" for thing in OBJECTS] * 6 + GOLD[48:]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    yield from start_browser()


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = patterns({"good": GOLD, "late": LATE}, GOLD, tags=[["PRON", "VERB", *["NOUN"] * 6]] * len(GOLD))
    path = tmp_path_factory.mktemp("page") / "patterns.html"
    write_page(patterns_page(found, title="Patterns"), path)
    return path


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [1280, 390])
def test_a_pattern_leads_to_its_segments(browser: Browser, path: Path, width: int, dark: bool) -> None:
    page = browser.new_page(viewport={"width": width, "height": 844}, color_scheme="dark" if dark else "light")
    visit = Visit(page)
    page.on("console", lambda message: visit.complaints.append(message.text))
    page.on("pageerror", lambda error: visit.complaints.append(str(error)))
    visit.go(path)
    page.locator("nav a[aria-current]", has_text="Patterns").wait_for()
    assert page.locator("h2").first.inner_text().startswith("late against good: ")
    first = page.locator(".pattern").first
    assert first.locator("summary").inner_text() == "'saw' stands too late more often than in good: 50.0% against 0.0%"
    long, short = (rate.bounding_box() for rate in first.locator(".rate").all())
    assert long is not None
    assert long["width"] > 10
    assert short is None or short["width"] < 1  # the other system has none
    first.locator("summary").click()
    example = first.locator("li").first
    assert example.locator(".sentence").all_inner_texts() == [
        "We saw <bread> in town today",
        "We →1 < bread > in town today [1 saw]",
        "We saw <bread> in town today",
    ]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    example.locator("a").click()
    assert page.locator("#segment-title").inner_text() == "Segment 1"
    assert page.locator(".segment > .small").inner_text().endswith("; here: saw")
    page.keyboard.press("Escape")
    page.locator(".count", has_text=re.compile("48 of 96 segments")).wait_for()
    page.locator("nav a[aria-current]", has_text="Compare two").wait_for()
    page.locator("#field-pattern").select_option("")
    page.locator(".count", has_text=re.compile("^96 segments")).wait_for()
    page.locator("nav a", has_text="Patterns").click()
    for key, view in (("1", "Overview"), ("2", "Patterns")):
        page.keyboard.press(key)
        page.locator("nav a[aria-current]", has_text=view).wait_for()
    mine = page.locator("section", has=page.locator("h2", has_text="late: ")).last.locator(".pattern").first
    mine.locator("summary").click()
    mine.get_by_text("all 48 segments").click()
    page.locator("nav a[aria-current]", has_text="Segments").wait_for()
    assert page.locator("#field-a").input_value() == "late"
    assert sorted(visit.numbers())[:3] == [1, 2, 3]
    assert visit.complaints == []
    page.close()


def test_a_page_without_patterns_has_no_such_view(browser: Browser, tmp_path: Path) -> None:
    import wordorder
    from wordorder.show.explorer import scores_page

    scores = wordorder.score({"A": GOLD, "B": LATE}, GOLD, metrics="kendall-sqrt")
    write_page(scores_page(scores, title="Scores"), tmp_path / "scores.html")
    page = browser.new_page()
    Visit(page).go(tmp_path / "scores.html", "#view=patterns")
    assert page.locator("nav a").all_inner_texts() == ["Overview", "Segments", "Compare two"]
    page.keyboard.press("3")
    page.locator("nav a[aria-current]", has_text="Compare two").wait_for()
    page.close()
