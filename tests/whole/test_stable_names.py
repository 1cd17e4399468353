"""Names that scripts rely on stay: none that ``stable_names.json`` lists is gone, and new ones are entered there."""

from __future__ import annotations

import json

import pytest

from stable_names import DEMO, FILE, NO_TABLES, PRINTING, declared, printed

STABLE: dict[str, list[str]] = json.loads(FILE.read_text(encoding="utf-8"))
DECLARED = {group: names for group, names in STABLE.items() if not group.endswith((": JSON", ": TSV"))}
ENTER = "enter the new names: python tests/stable_names.py"


def test_no_name_is_gone_and_every_new_one_is_entered() -> None:
    found = declared()
    gone = {group: set(names) - found.get(group, set()) for group, names in DECLARED.items()}
    assert {group: names for group, names in gone.items() if names} == {}, "docs/promises.md promises these names"
    new = {group: names - set(DECLARED.get(group, ())) for group, names in found.items()}
    assert {group: names for group, names in new.items() if names} == {}, ENTER


def test_every_command_that_prints_is_listed() -> None:
    listed = {f"{command}: {kind}" for command in (*PRINTING, *NO_TABLES) for kind in ("JSON", "TSV")}
    assert listed == STABLE.keys() - DECLARED.keys()


@pytest.mark.slow
@pytest.mark.parametrize("command", [*PRINTING, *NO_TABLES])
def test_no_key_and_no_column_is_gone(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(DEMO)
    for kind, found in zip(("JSON", "TSV"), printed(command), strict=True):
        stable = set(STABLE[f"{command}: {kind}"])
        assert stable - found == set(), "docs/promises.md promises these names"
        assert found - stable == set(), ENTER
