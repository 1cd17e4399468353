"""The page of claims says what the pages say that it is made of, and stops where they no longer do."""

from __future__ import annotations

from pathlib import Path

import pytest

from papers import claims, writing
from papers.writing import RESULTS

pytest.importorskip("altair", reason="the page has a chart, and altair is not installed")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures are written into a folder of the test."""
    monkeypatch.setattr(writing, "RESULTS", tmp_path)


def test_the_page_is_made_of_the_pages_as_they_are() -> None:
    page = RESULTS / "claims.md"
    assert page.read_text(encoding="utf-8") == claims.make().text, "run: python -m papers claims"


def test_a_claim_that_numbers_no_longer_support_stops_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    number = claims.look_up
    monkeypatch.setattr(
        claims,
        "look_up",
        lambda page, *cells, **place: claims.Number(9, 9, 9) if page == "tuning" else number(page, *cells, **place),
    )
    assert claims.make()  # three equal numbers still support the claim
    monkeypatch.setattr(claims, "look_up", lambda page, *cells, **place: claims.Number(9, 9, 9))
    with pytest.raises(SystemExit, match="the numbers no longer say"):
        claims.make()


def test_a_number_that_is_gone_is_named() -> None:
    with pytest.raises(SystemExit, match=r"tuning\.md has no number for nothing under BLEU"):
        claims.look_up("tuning", "BLEU", "nothing")
