"""What a release says of itself is the same everywhere."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from runpy import run_path

import pytest

import wordorder
from wordorder.cli.about import about
from wordorder.cli.main import main

ROOT = Path(__file__).resolve().parents[2]


def test_versions_agree() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version: {wordorder.__version__}\n" in citation
    headings = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] == wordorder.__version__


def test_every_python_that_is_named_is_tested() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = [one.rpartition(" ")[2] for one in project["classifiers"] if ":: Python :: 3." in one]
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    tested = re.findall(r"python: \[(.*)\]", workflow)
    assert tested == [", ".join(f'"{version}"' for version in named)] * 2
    assert project["requires-python"] == f">={named[0]}"


def test_the_version_and_all_that_matters(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"wordorder {wordorder.__version__}\n"
    for arguments in (["--version", "--verbose"], ["--verbose", "--version"]):
        assert main(arguments) == 0
        assert capsys.readouterr().out == about(verbose=True) + "\n"
    assert main(["--verbose"]) == 2
    import numpy

    found = about(verbose=True)
    assert f"numpy {numpy.__version__}" in found
    assert f"{sys.version_info[0]}.{sys.version_info[1]}." in found
    assert "eflomal" in found


def test_what_the_wheel_must_have_is_in_the_source() -> None:
    names = run_path(str(ROOT / "tests" / "packaging" / "contents.py"))["IN_WHEEL"]
    assert [name for name in names if not (ROOT / "src" / name).is_file()] == []


def test_a_release_is_tried_on_every_python_that_is_named() -> None:
    tested = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    released = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    assert set(re.findall(r"python: \[(.*)\]", released)) == set(re.findall(r"python: \[(.*)\]", tested))


@pytest.mark.slow
def test_the_version_is_quick_to_say() -> None:
    """Nothing heavy is imported for it."""
    code = "from wordorder.cli.main import main; main(['--version', '--verbose']); print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", f"import sys; {code}"], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"
