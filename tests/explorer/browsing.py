"""A browser for the tests of the explorer: Chromium, or none, and then they are skipped."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES = ("chromium", "chromium-browser", "google-chrome")


def start_browser() -> Iterator[Browser]:
    """Start Chromium; where there is none, the test that asked for it is skipped."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip(f"there is no browser: none of {', '.join(NAMES)} is installed")
    playwright = pytest.importorskip("playwright.sync_api", reason="there is no browser: playwright is not installed")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@dataclass
class Visit:
    """A page that was opened, what it complained about and what it asked the network for."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def go(self, path: Path, end: str = "") -> None:
        """Open a file and wait until its segments are there."""
        self.page.goto("about:blank")
        self.page.goto(path.as_uri() + end)
        self.page.wait_for_selector("html[data-ready]", state="attached")

    def numbers(self) -> list[int]:
        """The numbers of the segments at the top of the list."""
        cells = self.page.locator(".list .body .row > :first-child").all_text_contents()
        return [int(cell) for cell in cells]
