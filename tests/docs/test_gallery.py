"""The gallery: every figure has a file and stands on the page, and its pictures are those that are drawn now."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def gallery() -> ModuleType:
    spec = importlib.util.spec_from_file_location("gallery", DOCS / "gallery.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["gallery"] = module
    spec.loader.exec_module(module)
    return module


def figures(sections: dict[str, list[Any]]) -> list[Any]:
    return [figure for members in sections.values() for figure in members]


def test_the_page_shows_every_figure(gallery: ModuleType) -> None:
    assert (DOCS / "gallery.md").read_text(encoding="utf-8") == "\n".join(gallery.page())
    names = {figure.path.name for figure in figures(gallery.PICTURES) + figures(gallery.CHARTS)}
    assert {path.name for path in (DOCS / "gallery").iterdir()} == names


def test_pictures_are_as_they_would_be_drawn(gallery: ModuleType) -> None:
    for figure in figures(gallery.PICTURES):
        assert figure.draw().svg == figure.path.read_text(encoding="utf-8"), f"{figure.name}: run make gallery"


def test_without_real_data_the_files_stay(gallery: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gallery, "DATA", tmp_path / "none")
    figure = gallery.Figure("systems", "", lambda: pytest.fail("drawn"), real=True)
    figure.make()
    with pytest.raises(gallery.UsageError, match="has never been drawn"):
        gallery.Figure("none", "", lambda: None, real=True).make()


def test_ten_pictures_are_ten() -> None:
    page = (DOCS / "ten-pictures.md").read_text(encoding="utf-8")
    parts = page.split("\n## ")[1:]
    assert [part.partition(".")[0] for part in parts] == [str(number) for number in range(1, 11)]
    assert [part.count("](gallery/") for part in parts] == [1] * 10
