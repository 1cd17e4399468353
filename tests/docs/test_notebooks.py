"""Every notebook of the documentation runs from top to bottom, and the last value of each cell can be shown."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "docs" / "notebooks").glob("*.ipynb"))


def run_cell(source: str, namespace: dict[str, Any]) -> Any:
    """Run a cell and return its last value, as a notebook does."""
    *body, last = ast.parse(source).body
    if isinstance(last, ast.Expr):
        exec(compile(ast.Module(body, []), "cell", "exec"), namespace)
        return eval(compile(ast.Expression(last.value), "cell", "eval"), namespace)
    exec(source, namespace)
    return None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    namespace: dict[str, Any] = {}
    shown = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        assert not cell.get("outputs"), "outputs are not kept in the repository"
        if cell["cell_type"] == "code":
            value = run_cell("".join(cell["source"]), namespace)
            shown.append(value._repr_html_() if hasattr(value, "_repr_html_") else repr(value))
    assert any("<table>" in each for each in shown)
    assert capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_jupyter_executes_a_notebook(path: Path, tmp_path: Path) -> None:
    for module in ("nbconvert", "ipykernel"):
        if find_spec(module) is None:
            pytest.skip(f"no notebook can be executed: {module} is not installed")
    command = [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--output-dir", str(tmp_path)]
    subprocess.run([*command, str(path)], check=True, capture_output=True)
    cells = json.loads((tmp_path / path.name).read_text(encoding="utf-8"))["cells"]
    assert any("text/html" in output.get("data", {}) for cell in cells for output in cell.get("outputs", ()))
