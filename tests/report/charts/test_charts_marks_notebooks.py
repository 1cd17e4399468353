"""Charts in notebooks: what they hand over, and a notebook that is executed and opened without a network."""

from __future__ import annotations

import base64
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import wordorder
from browsers import start_browser
from wordorder.report.charts import plot_matrix

if TYPE_CHECKING:
    from playwright.sync_api import Browser

altair = pytest.importorskip("altair", reason="there are no charts: altair is not installed")
pytest.importorskip("vl_convert", reason="there are no SVG charts: vl-convert-python is not installed")

SYSTEMS = {"good": ["the cat sat", "it rained all day"], "bad": ["sat the cat", "all day it rained"]}
CELL = f"import wordorder\nwordorder.score({SYSTEMS}, {SYSTEMS['good']}, metrics='kendall').plot()"


@pytest.fixture(autouse=True)
def usual_renderer() -> Iterator[None]:
    """Leave Altair as it was found."""
    with altair.renderers.enable("default"):
        yield


def bundle_of(chart: Any) -> dict[str, Any]:
    found = chart._repr_mimebundle_()
    return dict(found[0] if isinstance(found, tuple) else found)


def test_a_chart_hands_over_its_specification_and_a_picture() -> None:
    scores = wordorder.score(SYSTEMS, SYSTEMS["good"], metrics="kendall", tokenize="none")
    for chart in (scores.plot(), scores.plot() | scores.plot("histogram")):
        bundle = bundle_of(chart)
        specification = next(content for kind, content in bundle.items() if "vegalite" in kind)
        assert "vega-lite" in specification["$schema"]
        assert bundle["image/svg+xml"].startswith("<svg")
        assert "bad" in bundle["image/svg+xml"]
        assert "save_chart" in bundle["text/plain"]
        assert "text/html" not in bundle  # notebooks would prefer it, and it loads Vega from the network


def test_a_chosen_renderer_stays() -> None:
    with altair.renderers.enable("png"):
        chart = plot_matrix([{"a": "x", "b": "y", "v": 1.0}], row="a", column="b", value="v")
        assert set(bundle_of(chart)) == {"image/png"}


@pytest.fixture
def browser() -> Iterator[Browser]:
    yield from start_browser()


@pytest.mark.slow
def test_an_executed_notebook_shows_its_chart_without_a_network(browser: Browser, tmp_path: Path) -> None:
    for module in ("nbconvert", "ipykernel"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"no notebook can be executed: {module} is not installed")
    cell: dict[str, object] = {
        "cell_type": "code",
        "execution_count": None,
        "id": "a",
        "metadata": {},
        "outputs": [],
        "source": CELL,
    }
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "charts.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    folders = {f"JUPYTER_{what}_DIR": str(tmp_path / what) for what in ("CONFIG", "DATA", "RUNTIME")}
    environment = {**os.environ, **folders, "IPYTHONDIR": str(tmp_path / "ipython")}
    command = [sys.executable, "-m", "nbconvert", "--to", "html", "--execute", "charts.ipynb"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    page = browser.new_page(offline=True)
    page.goto((tmp_path / "charts.html").as_uri(), wait_until="domcontentloaded")
    picture = page.locator("img[src^='data:image/svg+xml;base64,']")
    picture.wait_for()
    content = base64.b64decode((picture.get_attribute("src") or "").partition(",")[2]).decode()
    assert all(f">{system}</text>" in content for system in SYSTEMS)
    width, height = picture.evaluate("async (image) => { await image.decode(); return [image.width, image.height]; }")
    assert width > 200
    assert height > 40
    page.close()
