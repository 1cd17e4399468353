"""From the address of a recruiting service to the completion link: six of the ways of ``walkthrough.py``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("starlette")

from all_kinds import KINDS, LANGUAGES
from walkthrough import MEANS, WIDTHS, take_part

from browsers import start_browser

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    yield from start_browser()


@pytest.mark.parametrize("number", range(len(KINDS)))
def test_people_come_from_the_service_and_get_back_to_it(browser: Browser, number: int) -> None:
    way = KINDS[number], LANGUAGES[number % 3], WIDTHS[number % 2], MEANS[number // 2 % 2]
    found = take_part(browser, *way)
    assert found["url"] == "https://app.prolific.com/submissions/complete?cc=DONE42&pid=5f1a77c0"
    assert {"1-consent", "2-details", "3-instructions", "5-feedback1", "6-last"} <= {*found["pages"]}
