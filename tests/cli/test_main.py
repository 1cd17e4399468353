"""The overview of commands."""

from __future__ import annotations

import pytest

from running import run
from wordorder.cli import main


def test_an_application_without_its_folder_is_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = run(capsys, "--help").out
    module, description = main.COMMANDS["find"]
    assert description in " ".join(whole.split())
    assert "  wordorder find --source" in whole
    monkeypatch.setitem(main.COMMANDS, "find", (module.replace("find", "deleted"), description))
    found = run(capsys, "--help")
    assert found.code == 0
    assert description not in " ".join(found.out.split())
    assert "wordorder find" not in found.out
    gone = run(capsys, "find", "--ref", "a")
    assert (gone.code, gone.out, gone.err.count("\n")) == (2, "", 1)
    assert gone.err.startswith("wordorder: unknown command 'find' (valid: score, inspect, ")
