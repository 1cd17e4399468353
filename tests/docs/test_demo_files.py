"""The demo data written into a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from wordorder.cli.main import main

Capture = pytest.CaptureFixture[str]


def test_the_demo_files_are_written(tmp_path: Path, capsys: Capture) -> None:
    assert main(["demo", "--files", str(tmp_path / "new" / "demo")]) == 0
    assert "cd " in capsys.readouterr().out
    assert (tmp_path / "new" / "demo" / "reference.txt").read_text().count("\n") == 16
    assert (tmp_path / "new" / "demo" / "en-de" / "alignment.json").exists()


def test_an_empty_folder_is_filled_and_any_other_left_alone(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "empty").mkdir()
    assert main(["demo", "--files", str(tmp_path / "empty")]) == 0
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "reference.txt").write_text("mine\n")
    (tmp_path / "file").write_text("mine\n")
    for name in ("mine", "file"):
        assert main(["demo", "--files", str(tmp_path / name)]) == 2
        assert "expected a new or empty folder" in capsys.readouterr().err
    assert (tmp_path / "mine" / "reference.txt").read_text() == "mine\n"


def test_the_demo_data_stay_small() -> None:
    folder = Path(__file__).parents[2] / "src" / "wordorder" / "data"
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) < 110_000
