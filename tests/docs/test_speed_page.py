"""The page of speed has a place for every table, and the files that growth is measured on are as they say."""

from __future__ import annotations

import doctest
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def run() -> Iterator[ModuleType]:
    sys.path.insert(0, str(FOLDER))
    yield import_module("run")
    sys.path.remove(str(FOLDER))


def test_every_table_has_its_place_and_is_there(run: ModuleType) -> None:
    for file in set(run.PAGES.values()):
        page = (run.DOCS / file).read_text(encoding="utf-8")
        names = [name for name, where in run.PAGES.items() if where == file]
        for name in names:
            assert "\n\nnew\n\n<!-- end -->" in run.replace_table(page, name, "new"), name
            assert "\n|---|" in page.split(f"<!-- made by: {name} -->")[1].split("<!-- end -->")[0], name
        assert page.count("<!-- made by: ") == page.count("<!-- end -->") == len(names)
    with pytest.raises(SystemExit, match="no place for nothing"):
        run.replace_table(page, "nothing", "new")


def test_examples_are_true(run: ModuleType) -> None:
    assert doctest.testmod(run).failed == 0
    assert doctest.testmod(import_module("growth")).failed == 0


def test_without_dictionaries_or_data_a_table_stays(
    run: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = {path: path.read_bytes() for path in run.DOCS.glob("*.md")}
    monkeypatch.setattr(run.lexicons, "installed", lambda: [("eng-fra", None), ("fra-eng", None), ("zho-eng", None)])
    monkeypatch.setattr(sys, "argv", ["run.py", "aligning dictionaries"])
    monkeypatch.setattr(run, "DATA", tmp_path)
    run.main()
    message = "aligning dictionaries: not installed: jamdict-data (PyPI); its table stays\n"
    assert capsys.readouterr() == ("", message)
    monkeypatch.setattr(run, "DATA", tmp_path / "missing")
    run.main()
    message = f"aligning dictionaries: the folder of real data is not here ({tmp_path / 'missing'}); its table stays\n"
    assert capsys.readouterr() == ("", message)
    assert pages == {path: path.read_bytes() for path in run.DOCS.glob("*.md")}


def test_every_axis_writes_what_its_commands_read(run: ModuleType, tmp_path: Path) -> None:
    growth = import_module("growth")
    for name, axis in growth.AXES.items():
        folder = tmp_path / name
        folder.mkdir()
        axis.write(folder, axis.warm)
        for command in axis.commands.values():
            named = [word for word in command.split() if "." in word and not word.startswith("made")]
            assert all(growth.expand(folder, word) for word in named)
            assert all((folder / found).is_file() for word in named for found in growth.expand(folder, word))
    systems = tmp_path / "systems"
    assert len(list(systems.glob("hyp*.txt"))) == 2
    lines = (tmp_path / "length" / "target.txt").read_text(encoding="utf-8").splitlines()
    assert {len(line.split()) for line in lines} == {10}
    assert len(lines) == 10_000
