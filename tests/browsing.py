"""A page of the explorer that was opened by a browser."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page


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
