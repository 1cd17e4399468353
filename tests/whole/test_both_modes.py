"""With and without compilation, every reader and every metric gives the same, also for large numbers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import both_modes
import pytest

from wordorder.apps.nbest.commands.arguments import FORMATS
from wordorder.formats.alignments import ALIGNMENT_FORMATS
from wordorder.metrics.registry import METRICS

NAMES = list(both_modes.cases(Path()))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    both_modes.write_files(folder)
    return folder


@pytest.fixture(scope="module")
def plain(files: Path) -> dict[str, str]:
    """What plain Python finds."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, both_modes.__file__, str(files), str(files / "results.json")]
    subprocess.run(command, env=environment, check=True)
    return dict(json.loads((files / "results.json").read_text(encoding="utf-8")))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_plain_python_finds_the_same(name: str, files: Path, plain: dict[str, str]) -> None:
    compiled = json.loads(both_modes.found(both_modes.cases(files)[name]))
    assert json.loads(plain[name]) == compiled


def test_every_format_and_every_metric_is_a_case() -> None:
    named = [name.split()[1] for name in NAMES if name.startswith("alignments")]
    assert {*named, "pud"} == set(ALIGNMENT_FORMATS)
    assert {name.split()[1] for name in NAMES if name.startswith("nbest")} == set(FORMATS)
    assert {f"metrics of {both_modes.kind_of(name)} {both_modes.BYTE}" for name in METRICS} <= set(NAMES)
