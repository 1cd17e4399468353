"""The leaderboard shows what ``score``, ``monotone`` and ``patterns`` say, in a page that sorts itself."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import wordorder
from browsers import start_browser

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "leaderboard", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wmt")
    demo = Path(str(files("wordorder"))) / "data" / "demo"
    places = {"source": "sources/de-en", "reference": "references/de-en.refA", "reference2": "references/de-en.refB"}
    systems = ("good", "monotone", "scrambled")
    for name, place in {**places, **{name: f"system-outputs/de-en/{name}" for name in systems}}.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(demo / f"{name}.txt", folder / f"{place}.txt")
    (folder / "system-outputs" / "de-en" / "few.txt").write_text("the .\n" * 16, encoding="utf-8")
    done = run(str(folder), "de-en", "-o", str(folder / "board.html"))
    assert done.returncode == 0, done.stderr
    return folder


def test_the_numbers_are_those_of_score(folder: Path) -> None:
    rows = {row["system"]: row for row in json.loads((folder / "board.json").read_text(encoding="utf-8"))}
    texts = {name: folder / "system-outputs" / "de-en" / f"{name}.txt" for name in rows}
    references = [folder / "references" / f"de-en.ref{which}.txt" for which in "AB"]
    with pytest.warns(match="in few"):
        scores = wordorder.score(texts, references, metrics="kendall-sqrt,chrf")
    ranking = scores.rankings[0]
    for name, row in rows.items():
        assert [row["kendall-sqrt"], row["chrf"]] == [float(scores[name, "kendall-sqrt"]), float(scores[name, "chrf"])]
        assert ranking
        assert row["rank"] == ranking.write(name)
    assert rows["good"]["rank"] == "1"
    assert rows["few"]["rank"] == "–"
    assert rows["scrambled"]["verdict"] == "freer"


def test_the_band_is_as_wide_as_the_scores_need(folder: Path) -> None:
    page = (folder / "board.html").read_text(encoding="utf-8")
    ends = [float(end) for one in re.findall(r'<line x1="([\d.]+)" x2="([\d.]+)"', page) for end in one]
    people = [float(left) for left in re.findall(r'class=people x="([-\d.]+)"', page)]
    assert min(*ends, *people) < 1
    assert max(*ends, *people) > 95
    assert "policy:" in page.partition('class="signature"')[2]


def test_a_folder_of_another_kind(tmp_path: Path) -> None:
    done = run(str(tmp_path), "de-en")
    assert done.returncode == 1
    assert "expected the layout of mt-metrics-eval" in done.stderr


@pytest.fixture
def browser() -> Iterator[Browser]:
    yield from start_browser()


@pytest.mark.slow
def test_columns_sort(folder: Path, browser: Browser) -> None:
    page = browser.new_page()
    page.goto((folder / "board.html").as_uri())

    def systems() -> list[str]:
        return page.locator("tbody th").all_inner_texts()

    assert systems() == ["good", "monotone", "scrambled", "few"]
    page.get_by_role("button", name="order of the source").click()
    assert systems()[:2] == ["few", "monotone"]
    assert page.locator("th[aria-sort=descending]").count() == 1
    page.get_by_role("button", name="order of the source").click()
    assert systems()[-2:] == ["monotone", "few"]
    page.get_by_role("button", name="system").click()
    assert systems() == sorted(systems())
