"""What a person meets first: quiet runs, completion, and commands compiled beforehand."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from running import run, write_files
from wordorder.cli import demo
from wordorder.cli.completion import SHELLS
from wordorder.cli.main import COMMANDS

Capture = pytest.CaptureFixture[str]


@pytest.mark.filterwarnings("default")
def test_quiet_shows_errors_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    write_files(tmp_path, {"zh.txt": "我们今天去北京\n他昨天来了\n", "ref": "a b\n", "hyp": "b a\n"})
    monkeypatch.chdir(tmp_path)
    loud = run(capsys, "score", "--ref", "zh.txt", "--hyp", "zh.txt", "--samples", "0")
    quiet = run(capsys, "score", "--ref", "zh.txt", "--hyp", "zh.txt", "--samples", "0", "-q")
    assert loud.err != ""
    assert (quiet.code, quiet.err, quiet.out) == (0, "", loud.out)
    before = run(capsys, "-q", "score", "--ref", "zh.txt", "--hyp", "zh.txt", "--samples", "0")
    assert (before.code, before.err, before.out) == (0, "", loud.out)
    old = run(capsys, "score", "--ref", "ref", "--hyp", "hyp", "--references", "closest", "--samples", "0", "--quiet")
    assert (old.code, old.err) == (0, "")
    found = run(capsys, "score", "--ref", "none", "--hyp", "hyp", "-q")
    assert (found.code, found.err) == (2, "wordorder: none: no such file\n")


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_names_every_command_and_option(shell: str, capsys: Capture) -> None:
    script = run(capsys, "completion", shell).out
    for command in COMMANDS:
        assert command in script
    for option in ("reference-choice", "parse-format", "latex", "randomisation", "quiet"):
        assert option in script
    if found := shutil.which("bash" if shell == "bash" else shell):
        checked = subprocess.run([found, "-n"], input=script, text=True, capture_output=True, check=False)
        assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (["sco"], "score"),
        (["preorder", "ev"], "evaluate"),
        (["score", "--reference-"], "--reference-choice"),
        (["score", "--format", "la"], "latex"),
        (["preorder", "evaluate", "--parse-format", ""], "conllu brackets nbest"),
        (["score", "--hyp", "A"], ""),  # files, which bash itself completes
        (["completion", ""], "bash zsh fish"),
    ],
)
def test_bash_completes(typed: list[str], offered: str, capsys: Capture) -> None:
    words = " ".join(f"'{word}'" for word in ["wordorder", *typed])
    script = run(capsys, "completion", "bash").out
    script += f'\nCOMP_WORDS=({words}); COMP_CWORD={len(typed)}; _wordorder; echo "${{COMPREPLY[*]}}"\n'
    found = subprocess.run(["bash"], input=script, text=True, capture_output=True, check=True)
    assert found.stdout == offered + "\n"


@pytest.mark.slow
def test_the_demo_compiles_commands_that_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "COMPILED", demo.COMPILED[2:4])
    found = run(capsys, "demo", "--compile")
    assert (found.code, found.out) == (0, "Compiled: these commands now start at once.\n")
    first, *commands = found.err.splitlines()
    assert first == "Compiling for 2 kinds of commands: a few minutes, but only once."
    assert commands == [f"  {n} of 2: wordorder {command}" for n, command in enumerate(demo.COMPILED, start=1)]
    assert os.listdir(tmp_path) == []
    assert Path.cwd() == tmp_path
    monkeypatch.setattr(demo, "COMPILED", ("inspect none of these",))
    assert run(capsys, "demo", "--compile").code == 2


def test_every_kind_of_command_is_compiled() -> None:
    kinds = {command.split()[0] for command in demo.COMPILED}
    names = set(COMMANDS)
    # scale runs the kernels of the others
    assert names - kinds == {"metrics", "smt", "scale", "study", "demo", "completion"}
