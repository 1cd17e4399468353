"""The overview of commands."""

from __future__ import annotations

import pytest

from running import run
from wordorder.cli import main


def test_a_command_without_its_module_is_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = run(capsys, "--help").out
    module, description = main.COMMANDS["inspect"]
    assert f"inspect {description}"[:50] in " ".join(whole.split())
    assert "  wordorder inspect " in whole
    monkeypatch.setitem(main.COMMANDS, "inspect", (module.replace("inspect", "deleted"), description))
    found = run(capsys, "--help")
    assert found.code == 0
    assert description not in " ".join(found.out.split())
    assert "wordorder inspect" not in found.out
    gone = run(capsys, "inspect", "2 1")
    assert (gone.code, gone.out, gone.err.count("\n")) == (2, "", 1)
    assert gone.err.startswith("wordorder: unknown command 'inspect' (valid: score, ")


def test_every_command_is_in_one_group_of_the_overview(capsys: pytest.CaptureFixture[str]) -> None:
    grouped = [name for names in main.GROUPS.values() for name in names.split()]
    assert sorted(grouped) == sorted(main.COMMANDS)
    assert main.main([]) == 0
    shown = capsys.readouterr().out
    assert all(f"\n{title}:\n" in shown for title in main.GROUPS)
    assert shown.count("\n  score ") == 1
    assert "COMMAND\n" not in shown.partition("\n")[2]
