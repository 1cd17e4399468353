"""The browser code: its types are checked by TypeScript, and its parts without a page are tested under Node."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]
SOURCES = [ROOT / "src/wordorder/report/browser", ROOT / "src/wordorder/apps/study/browser"]
TESTS = Path(__file__).resolve().parents[1] / "browser"


def run(*command: str | Path, folder: Path) -> None:
    found = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert found.returncode == 0, found.stdout + found.stderr


def test_types_are_right() -> None:
    """``build/node`` is where ``.ci/run`` puts TypeScript: ``npm install --prefix build/node typescript``."""
    here = os.pathsep.join([str(ROOT / "build/node/node_modules/.bin"), os.environ.get("PATH", "")])
    compiler = shutil.which("tsc", path=here)
    if compiler is None:
        pytest.skip("there is no tsc; install TypeScript: npm install --prefix build/node typescript")
    run(compiler, "--project", "tsconfig.json", folder=ROOT)


@pytest.mark.parametrize("name", sorted(path.name for path in TESTS.glob("*.test.js")))
def test_parts_without_a_page(name: str, tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node, which runs the tests of the browser code")
    for folder in SOURCES:  # the server serves both as one folder
        shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    shutil.copy(TESTS / name, tmp_path)
    (tmp_path / "package.json").write_text('{"type": "module"}', "utf-8")
    run(node, "--test", name, folder=tmp_path)
