from __future__ import annotations

import os
from pathlib import Path

import pytest

import wordorder
from wordorder.cli.main import main

DATA = Path(wordorder.__file__).parent / "data" / "demo"


@pytest.mark.parametrize("exists", [False, True])
def test_the_data_are_written_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, exists: bool) -> None:
    monkeypatch.chdir(tmp_path)
    if exists:
        Path("made").mkdir()
    assert main(["demo", "--files", "made" if exists else "a/made"]) == 0
    folder = Path("made" if exists else "a/made")
    names = {str(path.relative_to(DATA)) for path in DATA.rglob("*")}
    assert {str(path.relative_to(folder)) for path in folder.rglob("*")} == names
    assert all((folder / name).read_bytes() == (DATA / name).read_bytes() for name in names if (DATA / name).is_file())


@pytest.mark.parametrize("exists", [False, True])
def test_a_full_disk_leaves_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str], *, exists: bool) -> None:
    resource = pytest.importorskip("resource")
    folder = tmp_path / "made"
    if exists:
        folder.mkdir()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, before[1]))
    try:
        assert main(["demo", "--files", str(folder)]) == 1
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert capsys.readouterr().err == f"wordorder: {folder}: File too large\n"
    assert os.listdir(tmp_path) == (["made"] if exists else [])
    assert not exists or not os.listdir(folder)
