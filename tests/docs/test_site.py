"""The site: every name and every page is on it, links lead somewhere, and it builds without a warning."""

from __future__ import annotations

import importlib
import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import wordorder
from wordorder.core.runtime.settings import settings_of
from wordorder.report.table import Style
from wordorder.scoring.options import InputOptions

ROOT = Path(__file__).resolve().parents[2]


def load(name: str) -> ModuleType:
    found = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def site() -> ModuleType:
    return load("build_site")


def test_the_python_interface_is_whole(site: ModuleType) -> None:
    names = [name for page in site.API.values() for name in page]
    assert len(names) == len(set(names))
    assert sorted(name for name in names if "." not in name) == sorted(set(wordorder.__all__) - {"__version__"})
    for name in names:
        module, _, last = f"wordorder.{name}".rpartition(".")
        assert hasattr(importlib.import_module(module), last), name
    moved = {f"wordorder.{name}" for name in names if "." in name}
    assert {f"{module}.{name}" for name, module in vars(wordorder)["_OLD"].items()} <= moved


def test_every_page_is_in_the_navigation_once(site: ModuleType) -> None:
    sections = site.navigation((ROOT / "docs" / "index.md").read_text(encoding="utf-8"))
    files = [file for pages in sections.values() for _, file in pages]
    written = [path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")]
    assert sorted(files) == sorted(set(written) - {"index.md"})
    assert ("Scoring translations", "score.md") in sections["Guide"]


def test_pages_that_the_index_lacks(site: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are taken up as they come."""
    monkeypatch.setattr(site, "HERE", tmp_path)
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "edpm.md").write_text("# EDPM, 2009\n", encoding="utf-8")
    (tmp_path / "conformance.md").write_text("# Conformance\n", encoding="utf-8")
    assert site.navigation("| task | page |\n|---|---|\n| a | [Gone](gone.md) |\n") == {
        "Guide": [],
        "Stories": [],
        "Reference": [("Conformance", "conformance.md")],
        "Results": [("EDPM, 2009", "results/edpm.md")],
    }


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("[a](score.md#x)", "[a](../score.md#x)"),
        ("[a](../README.md#x)", "[a](../index.md)"),
        ("[a](../CHANGELOG.md)", "[a](../changelog.md)"),
        ("[a](../src/wordorder/version.py)", "a"),
        ("[a](gallery.py)", "a"),
        ("[a](https://example.org)", "[a](https://example.org)"),
        ("[a](#here)", "[a](#here)"),
        ("![a](gallery/tree.svg)", "![a](../gallery/tree.svg)"),
        ("```sh\n[a](../README.md)\n```\n", "```sh\n[a](../README.md)\n```\n"),
    ],
)
def test_links_that_lead_out_are_turned(site: ModuleType, link: str, expected: str) -> None:
    page = site.PAGES / "stories" / "x.md"
    assert site.turn_links(link, ROOT / "docs" / "x.md", page) == expected


def test_docstrings_as_markdown() -> None:
    pytest.importorskip("griffe", reason="the extra docs is not installed")
    turned = load("docstrings").as_markdown("See :class:`Score`.\n\n>>> 1\n1\n\nMore:\n>>> 2\n2")
    assert turned == "See `Score`.\n\n```pycon\n>>> 1\n1\n```\n\nMore:\n\n```pycon\n>>> 2\n2\n```"


def test_a_setting_is_described_for_readers_of_python() -> None:
    pytest.importorskip("griffe", reason="the extra docs is not installed")
    describe = load("docstrings").describe_setting
    assert describe(settings_of(InputOptions)["ref_align"]) == (
        "source→reference alignments, one file per reference, in the order of `ref`"
    )
    assert describe(settings_of(InputOptions)["weight"]).endswith(" (one of `segments`, `ref-length`)")


@pytest.mark.slow
def test_the_site_builds_without_a_warning(site: ModuleType, tmp_path: Path) -> None:
    pytest.importorskip("zensical", reason="the extra docs is not installed")
    pytest.importorskip("mkdocstrings", reason="the extra docs is not installed")
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "build_site.py", tmp_path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for page in ("index", "score", "api/scoring", "changelog"):
        assert (tmp_path / "site" / f"{page}.html").exists()
    assert 'href="explorer-demo.html"' in (tmp_path / "site" / "explorer.html").read_text()
    assert "scrambled" in (tmp_path / "site" / "explorer-demo.html").read_text()
    settings = (tmp_path / "site" / "api" / "settings.html").read_text()
    owners = (InputOptions, wordorder.Matching, wordorder.Aligning, wordorder.Parsing, wordorder.Resampling, Style)
    for name in [name for owner in owners for name in settings_of(owner)]:
        assert f'.{name}"' in settings, name
    assert "how the two directions are combined: forward, backward" in settings
    assert "setting(" not in settings.lower()
    assert "Score translations against references" in (tmp_path / "site" / "api" / "scoring.html").read_text()
