"""What version 0.2.0 wrote is still read.

The folder ``older`` was made by version 0.2.0 from the demo data: three aligners, a grammar, a parser and
a study, with what that version made of them. The names in its output are among those of ``stable_names.json``.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from running import run
from stable_names import OLDER

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize("model", ["model1", "diagonal", "hmm"])
def test_models_give_the_same_links(model: str, capsys: Capture) -> None:
    given = f"align --source {OLDER}/source.txt --target {OLDER}/reference.txt --align-model {OLDER}/{model}.model"
    found = run(capsys, *shlex.split(given))
    assert (found.code, found.out) == (0, (OLDER / f"{model}.links").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("command", "parses"),
    [("--grammar en.grammar text.txt", "grammar.trees"), ("--parser en.parser de.txt", "parser.conllu")],
)
def test_grammars_and_parsers_give_the_same_parses(
    command: str, parses: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(OLDER)
    found = run(capsys, "parse", *command.split())
    assert (found.code, found.out) == (0, Path(parses).read_text(encoding="utf-8"))


def test_a_study_has_the_same_analysis(capsys: Capture) -> None:
    """Answers of a study that was made by version 0.2.0 are counted as that version counted them."""
    found = run(capsys, "study", "analyse", str(OLDER / "prefer"), "--simulated", "--json").json()
    before = json.loads((OLDER / "prefer-analysis.json").read_text(encoding="utf-8"))
    assert {name: found[name]["rows"] for name in before} == {name: before[name]["rows"] for name in before}
