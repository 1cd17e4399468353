"""The page of claims says what the pages say that it is made of, and stops where they no longer do."""

from __future__ import annotations

import glob
import re
import shlex
from pathlib import Path

import pytest

from papers import claims, writing
from papers.writing import RESULTS
from running import run

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


@pytest.mark.realdata
def test_the_number_to_repeat_is_what_its_command_prints(
    shared: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(shared / "data")
    arguments = [name for word in shlex.split(claims.REPEAT)[1:] for name in sorted(glob.glob(word)) or [word]]
    lines = run(capsys, *arguments).out.splitlines()
    (row,) = (line.split() for line in lines if line.startswith("kendall-sqrt "))
    (ties,) = (re.findall(r"kendall-sqrt (\d+) of (\d+)", line) for line in lines if line.startswith("tied by"))
    page = (RESULTS / "claims.md").read_text(encoding="utf-8")
    assert f"a τ of {row[1]} {row[2]}, as in the second claim" in page
    ((tied, pairs),) = ties
    assert f"ties on {int(tied) / int(pairs):.0%} of the pairs" in page


def test_the_share_of_ties_follows_from_what_drops_and_what_counts_them() -> None:
    right, wrong, ties = 40, 24, 36
    tau, consistency = (right - wrong) / (right + wrong), 100 * right / (right + wrong + ties)
    share = claims.tied(claims.Number(tau, tau, tau), consistency)
    assert share == pytest.approx(0.36)


def test_a_sentence_that_is_gone_is_named() -> None:
    with pytest.raises(SystemExit, match=r"tuning\.md does not say: no such thing"):
        claims.quote("tuning", "no such thing")


def test_a_number_that_is_gone_is_named() -> None:
    with pytest.raises(SystemExit, match=r"tuning\.md has no number for nothing under BLEU"):
        claims.look_up("tuning", "BLEU", "nothing")
