"""What a finished draft keeps of the file that it replaces."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from wordorder.core.runtime.drafts import open_draft
from wordorder.core.runtime.files import atomic_write


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_a_link(tmp_path: Path, there: bool) -> None:
    (tmp_path / "far").mkdir()
    file, link = tmp_path / "far/file", tmp_path / "link"
    if there:
        file.write_text("old\n")
    link.symlink_to(Path("far/file"))
    with atomic_write(link) as target:
        target.write("new\n")
    assert (link.is_symlink(), os.readlink(link), file.read_text()) == (True, "far/file", "new\n")
    assert os.listdir(tmp_path / "far") == ["file"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444, 0o666, 0o755])
def test_the_permissions_of_a_file_are_kept(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "file"
    file.write_text("old\n")
    file.chmod(mode)
    with open_draft(file) as target:
        target.write(b"new\n")
        (draft,) = tmp_path.glob(".*.part")
        assert mode_of(draft) == mode
    assert (mode_of(file), file.read_text()) == (mode, "new\n")


def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        with open_draft(tmp_path / "file"):
            pass
    finally:
        os.umask(old)
    assert mode_of(tmp_path / "file") == 0o640
