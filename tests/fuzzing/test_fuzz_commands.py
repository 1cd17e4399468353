"""Whole commands with spoilt files and arguments: new ones, those that once broke, and what counts as a fault."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import fuzz
import fuzz_commands
import pytest
from fuzz_commands import Case, Commands, Forker, Kitchen, Outcome, Served, Task, differences, faults
from fuzzed_commands import all_bases

from wordorder.cli.main import COMMANDS

FOUND = Path(__file__).parent / "found_commands"
"""Commands that once broke, small: ``WHAT.json``, and the folder ``WHAT`` with the files that were spoilt."""

_INPUTS = 2
FINE = Outcome(0, 400, b"", "wordorder: note: all is well\n", "", {})

TRACE = """\
Traceback (most recent call last):
  File "/a/wordorder/b/c.py", line 7
E: x
"""
STACK = """\
Current thread 0x1 (most recent call first):
  File "/lib/x.py", line 3
  File "/a/wordorder/b.py", line 5 in f
  File "/a/wordorder/c.py", line 6 in g
"""


@pytest.fixture(scope="module")
def forker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forker]:
    files = tmp_path_factory.mktemp("commands") / "files"
    files.mkdir()
    served = Served(files, hashes=1)
    yield served
    served.close()


@pytest.mark.slow
def test_new_commands(forker: Forker, tmp_path: Path) -> None:
    """Seed 0 is kept for this test; to serve them, all commands to begin with have succeeded."""
    run = Commands(tmp_path, 0, Kitchen(forker.files, all_bases()), forker, forker)
    run.fuzz(seconds=600, inputs=_INPUTS * len(run.kitchen.bases))
    assert list(run.findings.values()) == []
    assert run.counts.total() == _INPUTS * len(run.kitchen.bases)
    assert {0, 1, 2} == run.codes.keys()
    assert run.repeated > 0


@pytest.mark.slow
def test_no_input_is_a_result(forker: Forker, tmp_path: Path) -> None:
    """Every command, with a file of any format as its input and, by its own name or as a link, as its result."""
    run = Commands(tmp_path, 0, Kitchen(forker.files, all_bases()), forker)
    draw = Random(0)
    for number, base in enumerate(run.kitchen.bases):
        run.one(run.kitchen.over_an_input(Case(base.name, base.arguments, base.stdin), draw), number)
    assert list(run.findings.values()) == []
    assert run.codes[2] > len(run.kitchen.bases) / 4


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(FOUND.glob("*.json")), ids=lambda path: path.stem)
def test_what_was_found_stays_mended(path: Path, forker: Forker, tmp_path: Path) -> None:
    told = json.loads(path.read_text(encoding="utf-8"))
    folder = path.with_suffix("")
    spoilt = {str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*") if one.is_file()}
    case = Case(told["base"], tuple(told["arguments"]), told["stdin"], spoilt, told["missing"])
    run = Commands(tmp_path, 0, Kitchen(forker.files, all_bases()), forker, forker)
    assert run.one(case, 0) == []


def test_every_command_is_a_base() -> None:
    given = {base.arguments[0] for base in all_bases()}
    assert given == COMMANDS.keys()
    assert len({base.name for base in all_bases()}) == len(all_bases())


@pytest.mark.parametrize(
    ("outcome", "key"),
    [
        ({"code": 1, "stderr": TRACE}, "E b/c.py:7"),
        ({"code": -signal.SIGALRM, "stopped": STACK}, "hang in b.py:5"),
        ({"memory": 1_700}, "memory in score"),
        ({"code": 1, "stderr": "wordorder: not enough memory\n"}, "memory in score"),
        ({"code": -11, "stderr": ""}, "exit code -11 of score"),
        ({"code": 3, "stderr": "wordorder: x\n"}, "exit code 3 of score"),
        ({"stderr": "RuntimeWarning: odd\n"}, "line RuntimeWarning odd"),
        ({"stderr": "wordorder: warning: \x1b[31m\n"}, "line wordorder warning m"),
        ({"code": 1, "stderr": "wordorder: warning: odd\n"}, "no error of score"),
        ({"code": 2, "stderr": "wordorder: reference.txt: odd\n"}, "exit code 2 of score: odd"),
        ({"files": {"good.txt": b"x"}}, "score changes what it reads"),
    ],
)  # fmt: skip
def test_what_is_a_fault(outcome: dict[str, object], key: str) -> None:
    base = next(base for base in all_bases() if base.name == "score")
    case = Case("score", base.arguments)
    before = {"good.txt": b"a"}
    whole = {**vars(FINE), "files": before}
    assert list(faults(case, Outcome(**whole), before)) == []
    assert [fault.key for fault in faults(case, Outcome(**{**whole, **outcome}), before)] == [key]


def test_a_missing_file_is_exit_code_2() -> None:
    wrong = Outcome(**{**vars(FINE), "code": 1, "stderr": "wordorder: missing.txt: odd\n"})
    case = Case("score", ("score", "--hyp", "missing.txt"), missing=True)
    assert [fault.key for fault in faults(case, wrong, {})] == ["missing file of score"]


def test_exit_code_3_is_that_of_a_gate() -> None:
    failed = Outcome(**{**vars(FINE), "code": 3, "stderr": "wordorder: a: pef 0.1 is below 0.9\n"})
    for words, found in ((("score",), 1), (("score", "--fail-under", "pef=0.9"), 0), (("find", "--fail-under"), 1)):
        assert len(list(faults(Case("score", words), failed, {}))) == found
    silent = Outcome(**{**vars(failed), "stderr": ""})
    assert [fault.key for fault in faults(Case("score", ("score", "--fail-if-worse")), silent, {})] == [
        "no error of score"
    ]


def test_no_file_may_change_where_an_input_is_a_result() -> None:
    case = Case("score", ("score", "--hyp", "good.txt", "-o", "hard"), links={"hard": "good.txt"}, over="good.txt")
    changed = Outcome(**{**vars(FINE), "files": {"good.txt": b"a", "hard": b"x"}})
    before = {"good.txt": b"a", "hard": b"a"}
    assert list(faults(case, Outcome(**{**vars(FINE), "files": before}), before)) == []
    assert [fault.key for fault in faults(case, changed, before)] == ["score changes what it reads"]


def test_runs_are_compared() -> None:
    other = Outcome(**{**vars(FINE), "stdout": b"x", "files": {"out": b""}})
    assert differences(FINE, FINE) == []
    assert differences(FINE, other) == ["stdout", "out"]


@pytest.mark.slow
def test_a_command_in_a_fork_of_many_is_as_in_one_of_its_own(forker: Forker, tmp_path: Path) -> None:
    cases = [Case(base.name, base.arguments, base.stdin) for base in all_bases()[:6]]
    cases += [
        Case("none", ("metrics", "oddity")),
        Case("metrics", ("metrics", "pef")),
        Case("none", ("score", "--hyp", "missing.txt")),
    ]
    together = forker.run_all(cases, tmp_path / "run")
    for case, outcome in zip(cases, together, strict=True):
        assert replace(forker.run(case, tmp_path / "run"), memory=outcome.memory) == outcome
    assert [outcome.code for outcome in together] == [0] * 6 + [2, 0, 2]


def test_the_end_of_a_fork_is_that_of_one_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def perform(arguments: tuple[str, ...]) -> int:
        if arguments == ("die",):
            os.kill(os.getpid(), signal.SIGKILL)
        return int(arguments[0])

    monkeypatch.setattr(fuzz_commands, "_perform", perform)
    words = ("0", "2", "die", "1", "die")
    tasks = [Task((word,), None, str(tmp_path / str(place))) for place, word in enumerate(words)]
    for task in tasks:
        (Path(task.folder) / "work").mkdir(parents=True)
    forker = Forker.__new__(Forker)
    assert [code for code, _ in forker.fork(tasks)] == [0, 2, -signal.SIGKILL, 1, -signal.SIGKILL]


@pytest.mark.slow
def test_cases_follow_from_seed_name_and_number(forker: Forker) -> None:
    kitchen = Kitchen(forker.files, all_bases())
    base = kitchen.bases[3]
    cases = [kitchen.make(base, number, 1) for number in range(20)]
    assert cases == [kitchen.make(base, number, 1) for number in range(20)]
    assert len({case.arguments for case in cases}) > 5
    assert any(case.files for case in cases)


@pytest.mark.slow
def test_a_fault_is_reported_once_and_made_smaller(forker: Forker, tmp_path: Path) -> None:
    class Crash(Forker):
        def __init__(self) -> None:
            self.files = forker.files

        def run_all(self, cases: Sequence[Case], folder: Path) -> list[Outcome]:
            bad = ["-q" in case.arguments and b"!" in case.files.get("good.txt", b"") for case in cases]
            trace = 'Traceback (most recent call last):\n  File "/wordorder/x.py", line 1\nE: x'
            return [Outcome(int(one), 1, b"", trace if one else "", "", {}) for one in bad]

    run = Commands(tmp_path, 0, Kitchen(forker.files, all_bases()), Crash())
    spoilt = {"good.txt": b"some words\nand one ! in them\n", "reference.txt": b"x"}
    for number in range(2):
        run.one(Case("score", ("score", "--hyp", "good.txt", "-q", "--json"), files=spoilt), number)
    (found,) = run.findings.values()
    assert found["command"] == "wordorder score -q"
    assert (tmp_path / "000" / "good.txt").read_bytes() == b"!"
    assert (tmp_path / "000.json").exists()


@pytest.mark.slow
def test_the_program(tmp_path: Path) -> None:
    command = [sys.executable, fuzz.__file__, "--what", "commands", "--inputs", "8", "--seed", "0"]
    command += ["--only", "metrics", "completion", "--out", str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "8 inputs of 2 commands" in done.stdout
    assert json.loads((tmp_path / "out" / "commands" / "report.json").read_text())["inputs"] == 8
